"""Terms, practice and withdrawal: who may answer, whatever is called."""

from pathlib import Path

import msgspec
import pytest
from sqlmodel import col, select

from annotate_app import chain
from annotate_app.protocol import Practice, Term
from annotate_app.questions import Entry
from annotate_app.schema import Assent, Event, Trial, Withdrawal
from annotate_app.standing import words_hash
from annotate_app.store import Place, Store
from tests.app.conftest import annotator_id
from tests.app.projects import complete, lesson, made, rules

RIGHT = {"tone.score": ("1",), "tone.favoured": ("A", "B")}
GOOD, BAD = complete(pick=1), complete(pick=2)
TERMS: list[Term] = ["consent", "content", "statement"]


def practising(folder: Path, threshold: float = 0.75, tries: int = 2, items: int = 2) -> Store:
    lessons = tuple(lesson(RIGHT) for _ in range(items))
    return made(folder, rules(Practice(lessons, threshold, tries)), "ann", items=3)


def practice_of(store: Store) -> list[Place]:
    return [place for place in store.places(annotator_id(store, "ann")) if place.role == "practice"]


def attempt(store: Store, *entries: Entry) -> None:
    """Answer the practice items of one attempt."""
    ann = annotator_id(store, "ann")
    for entry in entries:
        place = next(one for one in store.places(ann) if one.open)
        assert place.role == "practice"
        assert store.submit(ann, place.presentation, place.revision, entry).outcome == "saved"


def trials(store: Store) -> list[tuple[int, int, int, int]]:
    with store.reading() as session:
        found = session.exec(select(Trial).order_by(col(Trial.attempt))).all()
        return [(one.attempt, one.right, one.asked, one.passed) for one in found]


def events(store: Store, *kinds: str) -> list[dict[str, object]]:
    with store.reading() as session:
        query = select(Event).where(col(Event.kind).in_(kinds)).order_by(col(Event.number))
        return [chain.body(event) for event in session.exec(query).all()]


def test_nothing_is_answered_before_every_term_has_a_yes_and_its_words_are_named(tmp_path: Path) -> None:
    store = made(tmp_path, rules(terms=True), "ann")
    ann, place = annotator_id(store, "ann"), store.places(annotator_id(store, "ann"))[0]
    for term in TERMS:
        assert store.keep(ann, place.presentation, 1, GOOD).outcome == "closed"
        store.assent(ann, {term: "yes"})
    assert store.keep(ann, place.presentation, 1, GOOD).outcome == "saved"
    with store.reading() as session:
        found = session.exec(select(Assent).order_by(col(Assent.id))).all()
        assert [(one.term, one.answer) for one in found] == [(term, "yes") for term in TERMS]
        assert [one.text_hash for one in found] == [words_hash(store.protocol.terms()[term]) for term in TERMS]
    assert [body["term"] for body in events(store, "agreed")] == TERMS


def test_who_declined_can_agree_later_and_everything_said_is_kept(tmp_path: Path) -> None:
    store = made(tmp_path, rules(terms=True), "ann")
    ann, place = annotator_id(store, "ann"), store.places(annotator_id(store, "ann"))[0]
    store.assent(ann, {"consent": "yes", "content": "no"})
    assert store.standing(ann).declined()
    assert store.standing(ann).pending(store.protocol) == ["content", "statement"]
    store.assent(ann, {"content": "yes", "statement": "yes"})
    assert not store.standing(ann).declined()
    assert store.submit(ann, place.presentation, 1, GOOD).outcome == "saved"
    store.assent(ann, {"statement": "no"})
    assert store.submit(ann, store.places(ann)[1].presentation, 1, GOOD).outcome == "closed"
    assert [body["answer"] for body in events(store, "agreed", "declined")] == ["yes", "no", "yes", "yes", "no"]


def test_a_second_click_on_a_term_says_nothing_twice(tmp_path: Path) -> None:
    store = made(tmp_path, rules(terms=True), "ann")
    ann = annotator_id(store, "ann")
    for _ in range(3):
        store.assent(ann, {"consent": "yes", "content": "yes"})
    assert len(events(store, "agreed")) == 2
    with store.reading() as session:
        assert len(session.exec(select(Assent)).all()) == 2


def test_an_empty_term_is_not_asked_for(tmp_path: Path) -> None:
    protocol = msgspec.structs.replace(rules(terms=True), content=" \n")
    store = made(tmp_path, protocol, "ann")
    assert store.standing(annotator_id(store, "ann")).pending(store.protocol) == ["consent", "statement"]


def test_practice_comes_first_and_opens_the_study_once_passed(tmp_path: Path) -> None:
    store = practising(tmp_path)
    ann = annotator_id(store, "ann")
    study = [place for place in store.places(ann) if place.role != "practice"]
    assert [place.number for place in study] == [1, 2, 3]
    assert store.submit(ann, study[0].presentation, 1, GOOD).outcome == "late"
    attempt(store, GOOD, GOOD)
    assert trials(store) == [(1, 4, 4, 1)]
    assert events(store, "practised") == [{"attempt": 1, "right": 4, "asked": 4, "passed": 1}]
    assert store.submit(ann, study[0].presentation, 1, GOOD).outcome == "saved"
    assert trials(store) == [(1, 4, 4, 1)]


def test_two_tries_and_nothing_can_be_answered_any_more_whatever_is_called(tmp_path: Path) -> None:
    store = practising(tmp_path)
    ann = annotator_id(store, "ann")
    attempt(store, GOOD, BAD)
    assert [place.revision for place in practice_of(store)] == [2, 2]
    attempt(store, BAD, BAD)
    assert trials(store) == [(1, 2, 4, 0), (2, 0, 4, 0)]
    assert store.standing(ann).failed(store.protocol)
    before = store.places(ann)
    for place in before:
        for revision in (1, 2, 3):
            found = [
                store.keep(ann, place.presentation, revision, Entry({"tone.score": "0"})),
                store.submit(ann, place.presentation, revision, complete(pick=0)),
                store.leave(ann, place.presentation, revision, "skipped", "other", Entry({"tone.score": "0"})),
                store.discard(ann, place.presentation, revision),
                store.flag(ann, place.presentation, "other", ""),
            ]
            assert {receipt.outcome for receipt in found} == {"closed"}
    assert store.places(ann) == before
    assert len(trials(store)) == 2


def test_the_second_attempt_begins_with_nothing_and_can_pass(tmp_path: Path) -> None:
    store = practising(tmp_path)
    ann = annotator_id(store, "ann")
    attempt(store, BAD, BAD)
    first = practice_of(store)[0]
    assert (first.open, store.view(first).entry, store.view(first).lesson) == (True, Entry({}), None)
    receipt = store.submit(ann, first.presentation, 2, Entry({"tone.score": "1"}))
    assert receipt.outcome == "incomplete", "what was answered in the first attempt does not fill gaps"
    store.discard(ann, first.presentation, 2)
    attempt(store, GOOD, GOOD)
    assert [passed for *_, passed in trials(store)] == [0, 1]
    assert store.standing(ann).may_answer(store.protocol)


def test_what_was_answered_in_practice_is_not_changed_after_its_feedback(tmp_path: Path) -> None:
    store = practising(tmp_path)
    ann = annotator_id(store, "ann")
    attempt(store, BAD)
    place = practice_of(store)[0]
    told = store.view(place).lesson
    assert told is not None
    assert (told.expected, told.feedback) == (RIGHT, "Because it says so.")
    for receipt in (
        store.keep(ann, place.presentation, 2, GOOD),
        store.submit(ann, place.presentation, 2, GOOD),
        store.leave(ann, place.presentation, 2, "skipped", "other", GOOD),
    ):
        assert receipt.outcome == "late"
    assert store.submit(ann, place.presentation, 1, BAD).outcome == "repeated"
    attempt(store, GOOD)
    assert trials(store) == [(1, 2, 4, 0)]


@pytest.mark.parametrize("state", ["skipped", "unsure"])
def test_an_item_left_in_practice_counts_as_wrong_even_with_the_right_answers_on_it(tmp_path: Path, state: str) -> None:
    store = practising(tmp_path)
    ann = annotator_id(store, "ann")
    attempt(store, GOOD)
    second = practice_of(store)[1]
    store.leave(ann, second.presentation, 1, state, "other", GOOD)  # type: ignore[arg-type]
    assert trials(store) == [(1, 2, 4, 0)]


def test_a_second_click_on_the_last_practice_item_does_not_begin_the_next_attempt(tmp_path: Path) -> None:
    store = practising(tmp_path)
    ann = annotator_id(store, "ann")
    attempt(store, BAD, BAD)
    last = practice_of(store)[1]
    assert store.submit(ann, last.presentation, 1, BAD).outcome == "repeated"
    assert store.keep(ann, last.presentation, 1, GOOD).outcome == "late"
    assert [place.draft for place in practice_of(store)] == [None, None]


@pytest.mark.parametrize(("threshold", "passed"), [(0.0, 1), (0.25, 1), (0.5, 1), (0.51, 0), (1.0, 0)])
def test_the_threshold_is_a_share_of_the_expected_answers(tmp_path: Path, threshold: float, passed: int) -> None:
    store = practising(tmp_path, threshold)
    attempt(store, GOOD, BAD)
    assert trials(store) == [(1, 2, 4, passed)]


def test_practice_without_expected_answers_is_passed_by_being_read(tmp_path: Path) -> None:
    store = made(tmp_path, rules(Practice((lesson({}),))), "ann")
    attempt(store, BAD)
    assert trials(store) == [(1, 0, 0, 1)]


def test_withdrawal_is_stored_once_and_says_what_becomes_of_the_answers(tmp_path: Path) -> None:
    store = practising(tmp_path)
    ann = annotator_id(store, "ann")
    for _ in range(3):
        store.withdraw(ann)
    assert events(store, "withdrawn") == [{"answers": "remove"}]
    with store.reading() as session:
        assert len(session.exec(select(Withdrawal)).all()) == 1
    assert store.standing(ann).withdrawn
