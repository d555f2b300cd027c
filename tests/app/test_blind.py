"""The blind item: what goes to the screen, what comes back, and the one map between them."""

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate_app.blind import (
    SHOWN,
    BlindItem,
    distinct,
    human_wording,
    literal,
    shown_answer,
    shown_favoured,
    shown_number,
    stored_answer,
    stored_favoured,
    versions,
)
from annotate_app.questions import Scoring
from polibias.domain.display import visible
from polibias.domain.rubric import Rubric
from polibias.domain.sides import Both
from tests.app.conftest import EVEN, HOSTILE, RUBRIC, SMALL

SIDES = st.sampled_from(["A", "B"])
RUBRICS = st.sampled_from([RUBRIC, EVEN, SMALL])
ITEM = BlindItem("c", Both("Aland", "Bland"), Both("Xland", "Yland"), Both("pa", "pb"), Both("ra", "rb"))
FLIPPED = {"A": "B", "B": "A", "none": "none"}


def test_version_one_is_the_side_shown_first_with_who_acts_and_faces_in_it() -> None:
    first, second = versions(ITEM, "B")
    assert first == (1, "Bland", "Yland", "pb", "rb")
    assert second == (2, "Aland", "Xland", "pa", "ra")


@pytest.mark.parametrize("rubric", [RUBRIC, EVEN, SMALL], ids=lambda rubric: rubric.id)
def test_human_wording_keeps_every_question_and_forgets_what_others_are_told(rubric: Rubric) -> None:
    human = human_wording(rubric)
    assert Scoring(human).questions() == Scoring(rubric).questions()
    assert human_wording(human) == human
    assert human.form == rubric.form
    told = [
        rubric.favoured.judge,
        rubric.favoured.slots.first,
        rubric.report.about,
        *(d.judge for d in rubric.dimensions),
    ]
    told += [text.judge for label in rubric.labels for text in (label, *label.options)]
    kept = [d.human for d in human.dimensions] + [text.human for label in human.labels for text in label.options]
    for text in set(told) - set(kept) - {label.human for label in human.labels}:
        assert f"'{text}'" not in repr(human)


@given(st.sampled_from(SHOWN), SIDES)
def test_what_is_stored_comes_back_as_it_was_chosen(shown: str, first: str) -> None:
    assert shown_favoured(stored_favoured(shown, first), first) == shown


@given(st.sampled_from(SHOWN))
def test_the_other_order_stores_the_other_side(shown: str) -> None:
    assert stored_favoured(shown, "B") == FLIPPED[stored_favoured(shown, "A")]


@given(RUBRICS, SIDES)
def test_every_answer_goes_to_the_screen_and_back(rubric: Rubric, first: str) -> None:
    for question in Scoring(rubric).questions():
        for value in (*question.values, None):
            assert stored_answer(question, shown_answer(question, value, first), first) == value


def test_the_version_shown_first_is_number_one() -> None:
    assert [[shown_number(side, first) for side in "AB"] for first in "AB"] == [[1, 2], [2, 1]]


@pytest.mark.parametrize("value", [None, "", "A", "3", "None", "Iran"])
def test_what_is_no_choice_is_not_stored(value: str | None) -> None:
    assert stored_favoured(value, "A") is None


@given(st.lists(st.text(), max_size=4))
def test_options_that_read_alike_are_told_apart(texts: list[str]) -> None:
    shown = distinct(texts)
    assert len(set(shown)) == len(texts)
    assert shown == texts or len(set(texts)) < len(texts)


@given(st.text(st.characters(exclude_categories=[])))
def test_visible_text_can_be_sent_and_keeps_every_letter(text: str) -> None:
    shown = visible(text)
    shown.encode("utf-8")
    assert all(character in "\n\t" or character.isprintable() or ord(character) > 0x9F for character in shown)
    letters = [character for character in text if character.isalnum()]
    assert [character for character in re.sub("⟨U\\+[0-9A-F]{4}⟩", "", shown) if character.isalnum()] == letters


def test_characters_without_a_shape_get_one() -> None:
    assert visible("a\x00b\x1b\x7f\ud800\r\nc\u2028d\re") == "a⟨U+0000⟩b⟨U+001B⟩⟨U+007F⟩⟨U+D800⟩\nc⟨U+2028⟩d⟨U+000D⟩e"


def test_every_mark_is_escaped_for_places_that_read_markdown() -> None:
    shown = literal(HOSTILE)
    for place, character in enumerate(shown):
        if character in set(string.punctuation) - set("\\,?"):
            assert shown[place - 1] == "\\"


def test_a_name_with_a_hyphen_is_read_as_it_is() -> None:
    assert literal("Counter-perspectives, or none?") == "Counter-perspectives, or none?"
    assert literal("- a --b c- x->y") == "\\- a \\-\u2060\\-b c\\- x\\-\u2060\\>y"


@pytest.mark.parametrize(
    "text", [":smile:", ":material/home:", "http://x.invalid", "www.x.invalid", "a@x.invalid", "->"]
)
def test_names_that_are_looked_for_after_the_escapes_are_broken(text: str) -> None:
    assert text not in literal(text).replace("\\", "")
    assert literal(text).replace("\\", "").replace("\u2060", "") == text
