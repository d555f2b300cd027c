"""What is left after masking has a name: beginnings of words, near-spellings. Other words are left in peace."""

import pytest

from polibias.masking.leaks import _one_edit, _swapped
from tests.masking.lexicon import mask


@pytest.mark.parametrize(
    ("pair", "word", "why"),
    [
        ("russia-ukraine", "Ukrainization", "begins with 'ukrain'"),
        ("russia-ukraine", "Kremlinologists", "begins with 'kremlin'"),
        ("russia-ukraine", "Zelenskij", "begins with 'zelensk'"),
        ("iran-israel", "Netenyahu", "spelt nearly like 'netanyahu'"),
        ("india-pakistan", "Pakkistan", "spelt nearly like 'pakistan'"),
        ("china-taiwan", "Taiwenese", "spelt nearly like 'taiwanese'"),
        ("sweden-norway", "Nroway", "spelt nearly like 'norway'"),
        ("france-germany", "Bremerhaven-Germnay", "spelt nearly like 'germany'"),
        ("chile-peru", "Peruvianness", "begins with 'peruv'"),
        ("north-korea-south-korea", "Koreanist", "begins with 'korea'"),
        ("turkey-syria", "Afrinite", "made from 'afrin'"),
        ("russia-ukraine", "Kharkivite", "made from 'kharkiv'"),
        ("china-united-states", "Bidenism", "made from 'biden'"),
        ("meridia-arcturus", "Arcturusard", "begins with 'arctur'"),
    ],
)
def test_what_is_left_is_named(pair: str, word: str, why: str) -> None:
    masked = mask(pair, f"The {word} case is about the State.")
    assert (masked.status, masked.whole, masked.leaks[-1].why) == ("leaking", False, why)
    assert masked.leaks[-1].word in word
    assert word in masked.text


@pytest.mark.parametrize(
    ("pair", "text"),
    [
        ("russia-ukraine", "Prussian and Belarusian units, Russell"),
        ("japan-australia", "Javanese and Austrian units, Australasia"),
        ("france-germany", "It is germane to the Germanic sources."),
        ("iran-israel", "Israelites of old"),
        ("turkey-syria", "Turkmen, Turkic and Assyrian units, the turkey"),
        ("spain-portugal", "a spaniel"),
        ("france-germany", "Pairs of cases"),
        ("japan-australia", "Social Darwinism"),
        ("india-pakistan", "Modification of the Modified text"),
        ("thalassia-montara", "Montana"),
        ("united-states-canada", "the Americas, an African American, the American Convention"),
    ],
)
def test_other_words_are_no_leaks(pair: str, text: str) -> None:
    assert mask(pair, text).leaks == ()


def test_leaks_are_told_once_in_the_order_of_the_text() -> None:
    masked = mask("russia-ukraine", "Ukrainize, russify? Russify! Ukrainize. Sovietize.")
    assert [leak.word for leak in masked.leaks] == ["Ukrainize", "russify", "Russify", "Sovietize"]


def test_a_leak_is_found_again_in_the_next_text() -> None:
    """What was looked at before is remembered as harmless only if it was."""
    assert [mask("russia-ukraine", "Ukrainize it").status for _ in range(3)] == ["leaking"] * 3


def test_one_edit_is_what_it_says() -> None:
    assert all(_one_edit("norway", other) for other in ("norwy", "norrway", "norwax", "nroway", "norway"))
    assert not any(_one_edit("norway", other) for other in ("norwxx", "nrwo", "yawron", "norwayab", "nowray2"))
    assert {"nroway", "noorway", "norwya"} <= set(_swapped("norway")) | {"nroway"}
