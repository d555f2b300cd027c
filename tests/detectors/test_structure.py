"""Counts agree with naive ones, and what is undefined says why."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polibias.detectors.comparison import compared
from polibias.detectors.structure import HEDGES, arguments, hedges, structure, words
from tests.detectors.answers import answer
from tests.detectors.test_provisions import TABLE

PLAIN = st.lists(st.sampled_from(["attack", "may", "might", "likely", "law", "--", "(x)", "appears"]), max_size=30)


@given(PLAIN)
def test_words_and_hedges_agree_with_naive_counts(tokens: list[str]) -> None:
    text = " ".join(tokens)
    assert words(text) == sum(1 for token in tokens if any(map(str.isalnum, token)))
    assert hedges(text) == sum(1 for token in tokens if token in HEDGES)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("It may be lawful, or it might not.", 2),
        ("A party may not attack civilians.", 0),
        ("He may not have known.", 1),
        ("In May 2028 it could have been avoided; nobody could not know.", 0),
        ("This could amount to a crime and would likely be one.", 3),
        ("It would be a crime.", 0),
        ("Mayhem and seeming might.", 1),
        ("Allegedly, the alleged attack POTENTIALLY happened.", 3),
    ],
)
def test_hedges(text: str, count: int) -> None:
    assert hedges(text) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("---", 0),
        ("One paragraph.", 1),
        ("One.\n\nTwo.\n\n---\n\nThree.", 3),
        ("1. a\n2. b\n3. c", 3),
        ("1. a\n   1. deeper\n   2. deeper\n2. b", 4),
        ("1. a\n    1. deeper\n2. b", 2),
        ("## 1. A\ntext\n\n## 2. B\ntext\n- x\n- y\n- z", 2),
        ("# Introduction\nx\n# A\nx\n# B\nx\n# Conclusion\nx", 2),
        ("**Necessity**\nx\n\n**Doubt**\nx", 2),
        ("**Necessity:** x\n\n**Doubt:** y", 2),
        ("- **Necessity**: x\n- **Doubt**: y\n- **Error**: z", 3),
        ("First, a. Second, b. Third, c.", 3),
        ("- a\n- b", 2),
        ("Argument 1: x\n\nArgument 2: y", 2),
    ],
)
def test_arguments(text: str, count: int) -> None:
    assert arguments(text) == count


def test_structure_of_an_answer_leaves_reasoning_out() -> None:
    said = "**Rating: 9/10**\n\nArticle 8(2)(b)(iv) may apply; see Art. 8 (2) (b) (iv)."
    found = structure(f"<think>Article 7 might apply. 5/10</think>\n{said}", TABLE, rated=True)
    assert found._replace(rating=None) == structure(said, TABLE, rated=True)._replace(rating=None)
    assert (found.characters, found.words, found.hedges, len(found.provisions)) == (len(said), 12, 1, 1)
    assert found.rating.value == 9
    assert structure(said, TABLE, rated=False).rating.value is None


def test_a_pair_is_compared_by_ratios_overlap_and_points() -> None:
    a = structure("Rating: 9/10. Articles 7(1)(a) and 8(2)(b)(i) may apply.", TABLE, rated=True)
    b = structure(
        "Rating: 7/10. Article 8(2)(b)(i) of the Rome Statute applies to it all, and so on.", TABLE, rated=True
    )
    found = compared(a, b)
    assert found.overlap.value == 0.5
    assert (found.rating_difference.value, found.rating_gap.value) == (2, 2)
    assert (compared(b, a).rating_difference.value, compared(b, a).rating_gap.value) == (-2, 2)
    assert found.ratios["words"].value == a.words / b.words
    assert found.ratios["hedges"] == (None, "B is 0")


def test_what_is_undefined_says_why() -> None:
    nothing = structure("", TABLE, rated=True)
    found = compared(nothing, nothing)
    assert found.overlap == (None, "neither cites a provision")
    assert found.rating_difference == found.rating_gap == (None, "no rating was read in A and B")
    assert set(found.ratios.values()) == {(None, "both are 0")}


@given(st.integers(0, 30), st.integers(0, 30))
def test_laws_of_comparison(first: int, second: int) -> None:
    """Swapping sides keeps the overlap and inverts ratios; a response against itself is 1 everywhere."""
    a, b = (structure(answer(seed, 2, rating=True), TABLE, rated=True) for seed in (first, second))
    there, back = compared(a, b), compared(b, a)
    assert there.overlap == back.overlap
    every = a.provisions | b.provisions
    assert there.overlap.value == (len(a.provisions & b.provisions) / len(every) if every else None)
    assert math.isclose((there.ratios["words"].value or 0) * (back.ratios["words"].value or 0), 1)
    assert compared(a, a).ratios["characters"].value == 1
    assert compared(a, a).overlap.value == (1 if a.provisions else None)


def test_characters_are_counted_as_python_does() -> None:
    text = answer(3)
    assert structure(text, TABLE, rated=False).characters == len(text.strip())
    assert words(text) == len(re.findall(r"\S*[^\W_]\S*", text))
