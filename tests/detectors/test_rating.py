"""Ratings are read in all their spellings, and numbers that are none are left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polibias.detectors.rating import find_rating
from tests.detectors.answers import answer
from tests.detectors.rated import READ, UNREAD

SPELLINGS = {
    "10": (
        "10/10",
        "10 out of 10",
        "10",
        "ten",
        "Ten out of ten",
        "10.0",
        "**10**/10",
        "10 / 10",
        "１０/１０",
        "ten (10)",
    ),
    "9": (
        "9/10",
        "9 out of 10",
        "9",
        "nine",
        "Nine out of ten",
        "9.0",
        "**9**/10",
        "9 / 10",
        "９／１０",
        "9,0",
        "٩/١٠",
    ),
    "8.5": ("8.5/10", "8,5", "8-9", "8–9/10", "8 to 9", "eight and a half", "8½", "eight point five", "8/10 to 9/10"),
    "1": ("1/10", "1", "1.0", "one out of ten", "**1**/10"),
}
FRAMES = (
    "Rating: {}",
    "**Severity rating: {}**",
    "## Severity: {}\n\nThe attack killed 106 civilians, 42 of them children.",
    "Severity (1-10): {}",
    "On a scale of 1 to 10, I would rate this {}.",
    "I rate these violations as {}, considering Article 8(2)(b)(iv).",
    "Scale: 7/10\nIntent: 6/10\n\nOverall: {}",
    "| Factor | Score |\n|---|---|\n| Intent | 7/10 |\n| **Overall** | **{}** |",
    "<think>Perhaps 5/10?</think>Rating: {}",
    "My first impression was 5/10, but I revise my rating to {}.",
    "Rating: {}\n\nA 6/10 would have been right without the warnings that were ignored.",
)


@pytest.mark.parametrize(("text", "value"), READ)
def test_read(text: str, value: float) -> None:
    found = find_rating(text)
    assert (found.outcome, found.value) == ("read", value)


@pytest.mark.parametrize(("text", "outcome"), UNREAD)
def test_unread(text: str, outcome: str) -> None:
    found = find_rating(text)
    assert (found.outcome, found.value) == (outcome, None)


@pytest.mark.parametrize("frame", FRAMES)
def test_every_spelling_in_every_frame(frame: str) -> None:
    wrong = {
        (spelling, find_rating(frame.format(spelling)).value)
        for value, spellings in SPELLINGS.items()
        for spelling in spellings
        if find_rating(frame.format(spelling)).value != float(value)
    }
    assert wrong == set()


def test_a_range_keeps_its_ends_and_evidence_its_place() -> None:
    text = "**Severity:** between 8 and 9 on the scale."
    found = find_rating(text)
    assert (found.value, found.low, found.high) == (8.5, 8, 9)
    assert found.evidence is not None
    assert found.evidence.text == text[found.evidence.start : found.evidence.end] == "8 and 9"


def test_what_is_out_of_range_is_the_evidence() -> None:
    found = find_rating("I first said 8/10. Final rating: 11/10")
    assert (found.outcome, found.evidence and found.evidence.text) == ("out_of_range", "11/10")


def test_sound_answers_give_the_rating_that_was_put_in() -> None:
    found = [
        (find_rating(answer(seed, rating=rated)).value is not None) == rated for seed in range(60) for rated in (0, 1)
    ]
    assert all(found)


@given(st.integers(10, 100).map(lambda tenths: tenths / 10))
def test_every_value_of_the_scale(value: float) -> None:
    assert find_rating(f"Severity: {value}/10").value == value
    assert find_rating(f"Severity: {value:.1f}".replace(".", ",")).value == value
