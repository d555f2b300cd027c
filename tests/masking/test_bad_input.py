"""What masking does with what is no English text, with other pairs, and with countries that have no lexicon."""

import random

import pytest

from polibias.errors import InputError
from polibias.masking.mask import Masker
from polibias.sources.lexicon import require_pair
from tests.masking.lexicon import lexicon, mask, masker

RUSSIAN = "Вооружённые силы России обстреляли город. Это нарушение международного права, и виновные должны ответить."
CHINESE = "俄罗斯军队炮击了一所学校，许多平民丧生。根据国际人道法，这是战争罪。"
ARABIC = "قصفت القوات المسلحة مدرسة، وهذا انتهاك للقانون الدولي الإنساني، ويجب محاسبة المسؤولين."
SPANISH = """\
Las fuerzas armadas bombardearon una escuela y murieron muchos civiles. El derecho internacional humanitario prohíbe
estos ataques. Los responsables deben comparecer ante un tribunal, porque se trata de un crimen de guerra. Además, el
Estado debe reparar el daño causado por sus agentes, y las víctimas tienen derecho a conocer la verdad de lo ocurrido
durante los hechos que aquí se examinan con detalle."""


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\ufeff"])
def test_an_empty_text_is_unchanged(text: str) -> None:
    assert (mask("russia-ukraine", text).text, mask("russia-ukraine", text).status) == (text, "unchanged")


@pytest.mark.parametrize("text", [RUSSIAN, CHINESE, ARABIC, SPANISH])
def test_a_text_in_another_language_is_unreadable(text: str) -> None:
    masked = mask("russia-ukraine", text)
    assert (masked.status, masked.text, masked.replacements, masked.whole) == ("unreadable", "", (), False)
    assert "scripts" in masked.reason or "not in English" in masked.reason


def test_a_sentence_of_another_script_in_an_english_text_is_a_leak() -> None:
    english = "The attack on the school was unlawful, and the commander must answer for it before a court. " * 20
    masked = mask("russia-ukraine", english + "俄罗斯军队炮击了。")
    assert masked.status == "leaking"
    assert [leak.why for leak in masked.leaks] == ["in a script that is not read"]


def test_names_in_other_scripts_within_english_are_masked() -> None:
    assert mask("russia-ukraine", "the word российской, and России too").text == "the word Country X, and Country X too"
    masked = mask("china-taiwan", "The PRC (中国, Китай, الصين) and Taiwan (台灣) differ on α and β.")
    assert masked.text == "Country X (Country X, Country X, Country X) and Country Y (Country Y) differ on α and β."
    assert masked.status == "masked"


def test_junk_is_unreadable() -> None:
    junk = random.Random(7).randbytes(4000).decode("utf-8", "surrogateescape")
    masked = mask("russia-ukraine", "Russia " + junk)
    assert (masked.status, masked.text) == ("unreadable", "")
    assert masked.reason.startswith("it is no text")


def test_single_control_characters_and_surrogates_hide_nothing_and_stay() -> None:
    text = "Rus\x00sia hit it.\x1b[0m The \udcff sign stays, as do others of the many that follow here."
    masked = mask("russia-ukraine", text)
    assert masked.text == "Country X hit it.\x1b[0m The \udcff sign stays, as do others of the many that follow here."


def test_a_megabyte_is_masked_to_the_end() -> None:
    text = "The armed forces of Russia shelled Kharkiv, and Ukraine answered. " * 16_000
    masked = mask("russia-ukraine", text)
    assert len(text) > 1_000_000
    assert masked.text == "The armed forces of Country X shelled Country Y, and Country Y answered. " * 16_000
    assert len(masked.replacements) == 48_000


@pytest.mark.parametrize(
    "piece",
    [
        "*",
        "_",
        "&",
        "<",
        "\\",
        "\n",
        " ",
        "-",
        "'",
        ".",
        "the ",
        "an ",
        "U.",
        "President ",
        "of ",
        "(",
        "\u0301",
        "\u00ad",
        "[",
        "<a ",
        "1 § ",
        "Ab",
        "Ukrainiz ",
    ],
)
def test_hostile_repetition_is_no_error(piece: str) -> None:
    """Half a megabyte of one thing. That it takes no longer than other texts is measured by the bench."""
    text = piece * (500_000 // len(piece)) + " Russia"
    masked = mask("russia-ukraine", text)
    assert masked.status != "unchanged"
    assert "Russia" not in masked.text


def test_ever_new_words_are_no_error() -> None:
    text = " ".join(f"the Ukraini{number:x}zed of Xy{number:x}" for number in range(30_000))
    masked = mask("russia-ukraine", text)
    assert (masked.status, masked.leaks[0].why) == ("leaking", "begins with 'ukrain'")


def test_a_pair_in_reverse_has_its_own_labels() -> None:
    assert mask("yemen-saudi-arabia", "Riyadh and Sanaa").text == "Country Y and Country X"


@pytest.mark.parametrize(
    ("pair", "told"),
    [
        ("russia-ruritania", "unknown pair 'russia-ruritania'"),
        ("russia-ukrain", "did you mean"),
        ("ukraine-russi", "did you mean ukraine-russia"),
        ("russia-france", "no file for russia-france"),
        ("russia-russia", "unknown pair"),
        ("russia", "unknown pair"),
        ("", "unknown pair"),
    ],
)
def test_a_pair_without_a_lexicon_is_refused_in_one_line(pair: str, told: str) -> None:
    with pytest.raises(InputError, match=told) as raised:
        require_pair(pair, lexicon())
    assert "\n" not in str(raised.value)


def test_the_baseline_replaces_names_alone_and_says_so() -> None:
    text = "The US and China: Beijing's envoy, an American and the Inter-American Court."
    masked = masker("china-united-states", "names").mask(text)
    assert masked.text == "Country Y and Country X: Beijing's envoy, an American and the Inter-American Court."
    assert (masked.level, masked.status, masked.leaks) == ("names", "masked", ())


def test_the_hash_follows_the_terms_and_nothing_else() -> None:
    one, again = masker("russia-ukraine"), Masker("russia", "ukraine", lexicon())
    assert one.lexicon == again.lexicon
    others = {
        masker("ukraine-russia").lexicon,
        masker("russia-ukraine", "names").lexicon,
        masker("iran-israel").lexicon,
    }
    assert len(others - {one.lexicon}) == 3
