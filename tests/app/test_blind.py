"""The blind item: what goes to the screen, what comes back, and the one map between them."""

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate_app.blind import (
    SHOWN,
    BlindItem,
    Choice,
    Entry,
    gaps,
    literal,
    merged,
    settle,
    shown_favoured,
    stored_favoured,
    versions,
)
from polibias.domain.display import visible
from polibias.domain.sides import Both
from tests.app.conftest import HOSTILE, RUBRIC

SIDES = st.sampled_from(["A", "B"])
CHOICES = st.builds(Choice, st.sampled_from([None, 0, 1, 2, 3, 9, -1]), st.sampled_from([None, "A", "B", "none"]))
ENTRIES = st.builds(Entry, st.dictionaries(st.sampled_from([*RUBRIC.dimension_ids, "other"]), CHOICES), st.text())
ITEM = BlindItem("c", Both("Aland", "Bland"), Both("pa", "pb"), Both("ra", "rb"))


def test_version_one_is_the_side_shown_first_and_its_country_acts() -> None:
    first, second = versions(ITEM, "B")
    assert first == (1, "Bland", "Aland", "pb", "rb")
    assert second == (2, "Aland", "Bland", "pa", "ra")


@given(st.sampled_from(SHOWN), SIDES)
def test_what_is_stored_comes_back_as_it_was_chosen(shown: str, first: str) -> None:
    assert shown_favoured(stored_favoured(shown, first), first) == shown


@given(st.sampled_from(SHOWN))
def test_the_other_order_stores_the_other_side(shown: str) -> None:
    flipped = {"A": "B", "B": "A", "none": "none"}
    assert stored_favoured(shown, "B") == flipped[stored_favoured(shown, "A")]


@pytest.mark.parametrize("value", [None, "", "A", "3", "None", "Iran"])
def test_what_is_no_choice_is_not_stored(value: str | None) -> None:
    assert stored_favoured(value, "A") is None


@given(ENTRIES)
def test_a_settled_entry_holds_only_what_the_rubric_knows(entry: Entry) -> None:
    settled = settle(RUBRIC, entry)
    assert tuple(settled.choices) == RUBRIC.dimension_ids
    assert all(choice.score in (None, *RUBRIC.scores) for choice in settled.choices.values())
    assert all(choice.favoured == "none" for choice in settled.choices.values() if choice.score == 0)
    assert settle(RUBRIC, settled) == settled


@given(ENTRIES, ENTRIES)
def test_merging_keeps_every_answer_and_takes_every_new_one(before: Entry, given: Entry) -> None:
    before, given = settle(RUBRIC, before), settle(RUBRIC, given)
    now = merged(RUBRIC, before, given)
    assert merged(RUBRIC, now, given) == now
    for name in RUBRIC.dimension_ids:
        old, new, kept = before.choices[name], given.choices[name], now.choices[name]
        assert kept.score == (old.score if new.score is None else new.score)
        if new.favoured is not None and kept.score != 0:
            assert kept.favoured == new.favoured
        if new.favoured is None and old.score == 0 and kept.score != 0:
            assert kept.favoured is None


def test_a_blank_takes_nothing_away() -> None:
    full = Entry(dict.fromkeys(RUBRIC.dimension_ids, Choice(2, "B")), "kept")
    assert merged(RUBRIC, full, Entry({}, None)) == full
    assert merged(RUBRIC, full, Entry({}, "")).comment == ""


def test_gaps_name_what_is_missing() -> None:
    choices = dict.fromkeys(RUBRIC.dimension_ids, Choice(2, "A")) | {"severity": Choice(1), "argument": Choice()}
    assert [tuple(gap) for gap in gaps(RUBRIC, choices)] == [("Severity", "favoured"), ("Argument", "score")]


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
        if character in string.punctuation and character != "\\":
            assert shown[place - 1] == "\\"


@pytest.mark.parametrize(
    "text", [":smile:", ":material/home:", "http://x.invalid", "www.x.invalid", "a@x.invalid", "->"]
)
def test_names_that_are_looked_for_after_the_escapes_are_broken(text: str) -> None:
    assert text not in literal(text).replace("\\", "")
    assert literal(text).replace("\\", "").replace("\u2060", "") == text
