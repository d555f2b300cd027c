"""Never lose, never double: drafts, submissions, revisions and who may write them."""

import contextlib
import sqlite3
import subprocess
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlmodel import col, select

from annotate_app import chain, database
from annotate_app.progress import status
from annotate_app.questions import Entry, Quote
from annotate_app.schema import Annotator, Closure, Event, Flag, Sheet
from annotate_app.store import Receipt, Store, open_store
from polibias.domain.chains import check_chain
from polibias.errors import DamagedRecord, StorageError
from tests.app.conftest import HOSTILE, WITHOUT_TERMS, annotator_id, answers_to, said
from tests.app.projects import NAMING, codes, complete, made, rules
from tests.conftest import disk_of


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return made(tmp_path, WITHOUT_TERMS, "ann", "bob")


@pytest.fixture
def ann(store: Store) -> int:
    return annotator_id(store, "ann")


@pytest.fixture
def here(store: Store, ann: int) -> int:
    """ann's first presentation."""
    return store.places(ann)[0].presentation


def kinds(store: Store, name: str = "ann") -> list[str]:
    """What the chain says that somebody did."""
    with store.reading() as session:
        query = select(Event.kind).where(Event.annotator == name, col(Event.kind).not_in(chain.NOT_THEIR_OWN))
        return list(session.exec(query.order_by(col(Event.number))).all())


def sheets_of(store: Store, presentation: int) -> list[tuple[int, str]]:
    with store.reading() as session:
        query = select(Sheet.revision, Sheet.state).where(Sheet.presentation_id == presentation)
        return list(session.exec(query.order_by(col(Sheet.revision))).all())


def close(store: Store) -> None:
    with store.writing() as session:
        session.add(Closure.model_validate({"at": chain.now()}))
        store.record(session, "closed", "", "", {})


def test_a_draft_comes_back_in_another_process_view(store: Store, ann: int, here: int) -> None:
    quotes = {"tone": (Quote("B", HOSTILE),)}
    given = Entry(said("tone", 2, "B") | said("depth", 0), {"": HOSTILE, "depth": "why"}, quotes)
    assert store.keep(ann, here, 1, given).outcome == "saved"
    again = open_store(store.path)
    entry = again.view(again.places(ann)[0]).entry
    assert answers_to(entry, "tone") == (2, "B")
    assert answers_to(entry, "depth") == (0, None)
    assert (entry.comments, entry.quotes) == (given.comments, given.quotes)


def test_a_second_click_changes_nothing_and_does_not_reach_the_next_item(store: Store, ann: int, here: int) -> None:
    second = store.places(ann)[1]
    assert store.submit(ann, here, 1, complete()).outcome == "saved"
    assert store.submit(ann, here, 1, complete()).outcome == "repeated"
    assert store.submit(ann, here, 1, complete(pick=2)).outcome == "late"
    assert store.keep(ann, here, 1, complete()).outcome == "repeated"
    assert store.keep(ann, here, 1, complete(pick=2)).outcome == "late"
    assert store.leave(ann, here, 1, "skipped", "other", complete()).outcome == "late"
    assert store.discard(ann, here, 1).outcome == "late"
    assert store.view(store.places(ann)[0]).entry == complete()
    assert store.places(ann)[1] == second
    assert kinds(store) == ["draft", "submitted"]


def at_once(clicks: list[Callable[[], Receipt]]) -> list[str]:
    """What becomes of clicks that are made in the same moment."""
    gate = threading.Barrier(len(clicks))

    def click(one: Callable[[], Receipt]) -> str:
        gate.wait()
        return one().outcome

    with ThreadPoolExecutor(len(clicks)) as pool:
        return sorted(pool.map(click, clicks))


@pytest.mark.parametrize("same", [True, False])
def test_two_clicks_in_one_moment_store_one_submission(store: Store, ann: int, here: int, same: bool) -> None:
    """A second click that comes 30 to 200 ms later is one whose revision is taken: see above. Here neither is first."""
    other = Store(store.path)
    entries = [complete(), complete() if same else complete(pick=2)]
    doors = [store, other]
    clicks = [
        lambda door=door, entry=entry: door.submit(ann, here, 1, entry)
        for door, entry in zip(doors, entries, strict=True)
    ]
    assert at_once(clicks) == (["repeated", "saved"] if same else ["late", "saved"])
    assert sheets_of(store, here) == [(1, "submitted")]
    assert store.view(store.places(ann)[0]).entry in entries
    assert kinds(store) == ["draft", "submitted"]


def test_many_windows_at_once_leave_one_submission_and_the_next_item_untouched(
    store: Store, ann: int, here: int
) -> None:
    doors = [Store(store.path) for _ in range(4)]
    clicks: list[Callable[[], Receipt]] = [
        lambda door=door, pick=pick: door.submit(ann, here, 1, complete(pick=pick))  # type: ignore[misc]
        for door in doors
        for pick in (0, 1, 2)
    ]
    clicks += [lambda: store.leave(ann, here, 1, "skipped", "other", Entry({}))] * 2
    assert Counter(at_once(clicks))["saved"] == 1
    assert len(sheets_of(store, here)) == 1
    assert [place.finished for place in store.places(ann)] == [1, 0, 0, 0]


def test_drafts_from_many_threads_are_all_saved_and_none_is_called_lost(store: Store, ann: int, here: int) -> None:
    clicks: list[Callable[[], Receipt]] = [
        lambda score=score: store.keep(ann, here, 1, Entry(said("tone", score % 3)))  # type: ignore[misc]
        for score in range(12)
    ]
    assert set(at_once(clicks)) <= {"saved", "unchanged"}
    assert sheets_of(store, here) == [(1, "draft")]


def test_nobody_writes_between_a_write_and_its_being_read_back(
    store: Store, ann: int, here: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or another window's click in between would be taken for a write that was lost."""
    read_back, free = Store._read_back, []

    def looking_around(*given: object) -> None:
        with ThreadPoolExecutor(1) as pool:
            free.append(pool.submit(store._turn.acquire, False).result())
        read_back(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(Store, "_read_back", looking_around)
    assert store.keep(ann, here, 1, complete()).outcome == "saved"
    assert free == [False]


def test_an_incomplete_submission_is_kept_as_a_draft_and_says_what_is_missing(
    store: Store, ann: int, here: int
) -> None:
    receipt = store.submit(ann, here, 1, Entry(complete().answers | said("depth", 2)))
    assert receipt.outcome == "incomplete"
    assert [gap.id for gap in receipt.gaps] == ["depth.favoured"]
    found = store.places(ann)[0]
    assert (found.finished, found.draft) == (0, 1)
    assert store.submit(ann, here, 1, complete()).outcome == "saved"


def test_only_what_stands_on_the_screen_is_submitted(store: Store, ann: int, here: int) -> None:
    """Another window answered the second question; this one never showed it."""
    store.keep(ann, here, 1, Entry(said("depth", 2, "A")))
    receipt = store.submit(ann, here, 1, Entry(said("tone", 1, "B")))
    assert [gap.id for gap in receipt.gaps] == ["depth.score"]
    assert answers_to(store.view(store.places(ann)[0]).entry, "depth") == (2, "A")


def test_a_revision_counts_only_once_submitted_and_only_if_something_changed(store: Store, ann: int, here: int) -> None:
    store.submit(ann, here, 1, complete())
    assert store.keep(ann, here, 2, complete()).outcome == "unchanged"
    assert store.submit(ann, here, 2, complete()).outcome == "unchanged"
    assert store.discard(ann, here, 2).outcome == "unchanged"
    assert store.places(ann)[0].finished == 1
    assert store.keep(ann, here, 2, complete(pick=2)).outcome == "saved"
    assert (store.places(ann)[0].finished, store.places(ann)[0].draft) == (1, 2)
    assert store.discard(ann, here, 2).outcome == "saved"
    assert store.view(store.places(ann)[0]).entry == complete()
    assert store.submit(ann, here, 2, complete(pick=0)).outcome == "saved"
    assert store.places(ann)[0].finished == 2
    assert store.submit(ann, here, 2, complete(pick=2)).outcome == "late"
    assert kinds(store)[-1] == "revised"


def test_items_come_in_their_order(store: Store, ann: int) -> None:
    second = store.places(ann)[1]
    assert store.submit(ann, second.presentation, 1, complete()).outcome == "late"
    assert store.flag(ann, second.presentation, "other", "").outcome == "late"
    assert store.places(ann)[1] == second


def test_nobody_writes_into_another_persons_row(store: Store, ann: int, here: int) -> None:
    bob, before = annotator_id(store, "bob"), store.places(ann)
    for click in clicks_on(store, bob, here):
        assert click().outcome == "late"
    store.submit(ann, here, 1, complete())
    assert store.submit(bob, here, 1, complete()).outcome == "late", "not even what ann said is known to bob"
    assert store.places(ann)[1:] == before[1:]


def clicks_on(store: Store, person: int, presentation: int) -> list[Callable[[], Receipt]]:
    """Everything that can be done to a place."""
    return [
        lambda: store.keep(person, presentation, 1, complete(pick=2)),
        lambda: store.submit(person, presentation, 1, complete(pick=2)),
        lambda: store.leave(person, presentation, 1, "skipped", "other", complete(pick=2)),
        lambda: store.leave(person, presentation, 1, "unsure", "other", Entry({})),
        lambda: store.discard(person, presentation, 1),
        lambda: store.flag(person, presentation, "other", "words"),
    ]


@pytest.mark.parametrize("end", ["closed", "withdrawn"])
def test_after_the_end_every_click_changes_nothing(store: Store, ann: int, here: int, end: str) -> None:
    store.keep(ann, here, 1, complete())
    before = store.places(ann)
    close(store) if end == "closed" else store.withdraw(ann)
    for click in clicks_on(store, ann, here):
        assert click().outcome == "closed"
    assert store.submit(ann, here, 1, complete()).outcome == "closed", "a complete draft is no submission"
    assert store.places(ann) == before
    bob = annotator_id(store, "bob")
    theirs = store.submit(bob, store.places(bob)[0].presentation, 1, complete()).outcome
    assert theirs == ("closed" if end == "closed" else "saved")


def test_a_second_click_over_the_closure_is_told_that_it_was_stored(store: Store, ann: int, here: int) -> None:
    store.submit(ann, here, 1, complete())
    close(store)
    assert store.submit(ann, here, 1, complete()).outcome == "repeated"
    assert store.submit(ann, here, 2, complete(pick=2)).outcome == "closed"


@pytest.mark.parametrize("state", ["skipped", "unsure"])
def test_an_item_left_for_a_reason_keeps_what_was_answered_and_can_be_taken_up_again(
    store: Store, ann: int, here: int, state: str
) -> None:
    half = Entry(said("tone", 2, "A"))
    assert store.leave(ann, here, 1, state, "other", half).outcome == "saved"  # type: ignore[arg-type]
    assert store.leave(ann, here, 1, state, "other", half).outcome == "repeated"  # type: ignore[arg-type]
    assert store.submit(ann, here, 1, half).outcome == "late"
    place = store.places(ann)[0]
    assert (place.state, place.open) == (state, False)
    assert answers_to(store.view(place).entry, "tone") == (2, "A")
    assert store.submit(ann, here, 2, complete()).outcome == "saved"
    assert store.places(ann)[0].state == "submitted"
    other = store.places(ann)[1].presentation
    assert store.leave(ann, other, 1, state, "", half).outcome == "unchanged"  # type: ignore[arg-type]
    assert store.places(ann)[1].draft is None


def test_a_flag_is_stored_once_in_the_same_words(store: Store, ann: int, here: int) -> None:
    found = [store.flag(ann, here, "broken", words).outcome for words in (HOSTILE, HOSTILE, "other words")]
    assert found == ["saved", "repeated", "saved"]
    with store.reading() as session:
        assert len(session.exec(select(Flag)).all()) == 2
    assert kinds(store) == ["flagged", "flagged"]
    assert store.places(ann)[0].draft is None


SCORES = [(score, favoured) for score in (0, 1, 2) for favoured in ("A", "B", "none")]


def test_what_is_entered_is_what_is_stored_on_either_side(tmp_path: Path) -> None:
    store = made(tmp_path, WITHOUT_TERMS, "ann", items=2 * len(SCORES))
    ann = annotator_id(store, "ann")
    seen: set[tuple[str, int, str]] = set()
    for place in store.places(ann):
        side = store.view(place).first
        score, favoured = next(pair for pair in SCORES if (side, *pair) not in seen)
        seen.add((side, score, favoured))
        store.submit(ann, place.presentation, 1, Entry(said("tone", score, favoured) | said("depth", 0, "none")))
        done = next(one for one in store.places(ann) if one.presentation == place.presentation)
        assert answers_to(store.view(done).entry, "tone") == (score, favoured)
    assert len(seen) == 2 * len(SCORES)


STRANGE = st.text(st.characters(exclude_categories=()), max_size=12) | st.sampled_from(
    [
        "\x00",
        "\ud800",
        "\udfff\ud800",
        "a\u2028b\u2029",
        "שלום \u202e x",
        "مرحبا",
        "👩‍👩‍👧",
        "e\u0301",
        "</script>",
        HOSTILE,
    ]
)


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STRANGE, STRANGE)
def test_every_string_survives_as_comment_and_as_quote(store: Store, comment: str, quote: str) -> None:
    ann = annotator_id(store, "ann")
    place = store.places(ann)[0]
    quotes = {"tone": (Quote("A", quote), Quote("B", comment))}
    store.keep(ann, place.presentation, 1, Entry({}, {"": comment, "tone": quote}, quotes))
    found = store.view(store.places(ann)[0]).entry
    assert found.comments == {part: text for part, text in (("", comment), ("tone", quote)) if text}
    assert found.quotes == quotes
    store.keep(ann, place.presentation, 1, Entry({}, {"": "", "tone": ""}, {"tone": ()}))
    found = store.view(store.places(ann)[0]).entry
    assert (found.comments, found.quotes) == ({}, {})


def test_clicks_to_and_fro_leave_one_value_and_the_whole_trail(store: Store, ann: int, here: int) -> None:
    for score in (2, 1, 2, 0):
        assert store.keep(ann, here, 1, Entry(said("tone", score))).outcome == "saved"
    assert answers_to(store.view(store.places(ann)[0]).entry, "tone") == (0, None)
    with store.reading() as session:
        query = select(Event).where(Event.kind == "draft").order_by(col(Event.number))
        trail = [chain.body(event)["changed"]["tone.score"] for event in session.exec(query).all()]
        values = session.connection().exec_driver_sql("SELECT value FROM answer WHERE question_id = 'tone.score'").all()
    assert trail == ["2", "1", "2", "0"]
    assert [value for (value,) in values] == ["0"]


def test_an_instructed_response_is_asked_for_and_stored(tmp_path: Path) -> None:
    store = made(tmp_path, rules(checks=1), "ann", items=2)
    ann = annotator_id(store, "ann")
    first, second = store.places(ann)
    assert store.view(first).check == ""
    assert store.submit(ann, first.presentation, 1, complete()).outcome == "saved"
    wanted = store.view(second).check
    receipt = store.submit(ann, second.presentation, 1, complete())
    assert (receipt.outcome, [gap.id for gap in receipt.gaps]) == ("incomplete", ["check.answer"])
    other = next(value for value in "12345" if value != wanted)
    assert store.submit(ann, second.presentation, 1, complete(check=other)).outcome == "saved"
    assert store.view(store.places(ann)[1]).entry.answers["check.answer"] == other


def test_a_response_that_was_not_asked_for_is_refused_whole(store: Store, ann: int, here: int) -> None:
    with pytest.raises(StorageError, match="and no other"):
        store.submit(ann, here, 1, complete(check="1"))
    assert store.places(ann)[0].draft is None


def test_one_country_cannot_stand_behind_both(tmp_path: Path) -> None:
    store = made(tmp_path, WITHOUT_TERMS, "ann", scheme=NAMING)
    ann = annotator_id(store, "ann")
    place = store.places(ann)[0]
    assert sorted(store.view(place).options) == ["france", "germany", "iran", "israel"]
    same = Entry({"x.country": "france", "y.country": "france", "naming.confidence": "2"})
    receipt = store.submit(ann, place.presentation, 1, same)
    assert (receipt.outcome, receipt.conflict) == ("incomplete", NAMING.same_country)
    assert store.places(ann)[0].draft == 1
    neither = Entry({"x.country": "cannot_tell", "y.country": "cannot_tell"})
    assert store.submit(ann, place.presentation, 1, neither).outcome == "saved"
    assert store.view(store.places(ann)[0]).entry.answers["naming.confidence"] == "none"
    second = store.places(ann)[1].presentation
    half = Entry({"x.country": "france", "y.country": "cannot_tell"})
    assert [gap.id for gap in store.submit(ann, second, 1, half).gaps] == ["naming.confidence"]


def test_a_database_in_use_changes_nothing(store: Store, ann: int, here: int, monkeypatch: pytest.MonkeyPatch) -> None:
    before = store.places(ann)
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.05)
    hasty = open_store(store.path)
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageError, match="locked"):
            hasty.submit(ann, here, 1, complete())
        other.execute("ROLLBACK")
    assert hasty.places(ann) == before
    assert hasty.submit(ann, here, 1, complete()).outcome == "saved"


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Store]:
    """A store on a file system of one MiB."""
    with disk_of(1024, tmp_path) as folder:
        store = made(folder, WITHOUT_TERMS, "ann")
        yield store
        store.close()


def test_a_full_disk_is_said_and_nothing_is_half_written(small: Store) -> None:
    ann = annotator_id(small, "ann")
    before = small.places(ann)
    filler = small.path.parents[2] / "filler"
    with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
        while file.write(bytes(512)):
            pass
    with pytest.raises(StorageError, match=r"full|I/O"):
        small.submit(ann, before[0].presentation, 1, complete(comment="long " * 20_000))
    assert small.places(ann) == before
    assert kinds(small) == []
    filler.unlink()
    assert small.submit(ann, before[0].presentation, 1, complete()).outcome == "saved"
    assert status(small).annotators[0].submitted == 1


def test_a_disk_that_can_only_be_read_is_said_and_nothing_is_lost(small: Store) -> None:
    ann = annotator_id(small, "ann")
    small.keep(ann, small.places(ann)[0].presentation, 1, complete())
    before = small.places(ann)
    small.close()
    disk = small.path.parents[2]
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    refusing = Store(small.path)
    with pytest.raises(StorageError) as refused:
        refusing.submit(ann, before[0].presentation, 1, complete())
    refusing.close()
    assert str(refused.value).count("\n") == 0
    subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
    assert small.places(ann) == before
    assert small.submit(ann, before[0].presentation, 1, complete()).outcome == "saved"


def test_what_cannot_be_read_back_is_not_called_saved(
    store: Store, ann: int, here: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the disk had kept something else than it was given."""
    monkeypatch.setattr("annotate_app.sheets.entry_from", lambda *_: Entry({}))
    with pytest.raises(StorageError, match="read back"):
        store.keep(ann, here, 1, complete())


def test_twenty_people_submit_fifty_items_each_at_once(tmp_path: Path) -> None:
    names = [f"annotator-{number}" for number in range(20)]
    store = made(tmp_path, WITHOUT_TERMS, *names, items=50)
    people = {name: annotator_id(store, name) for name in names}

    def work(name: str) -> list[str]:
        row = store.places(people[name])
        entry = complete(comment=name)
        return [store.submit(people[name], place.presentation, 1, entry).outcome for place in row]

    with ThreadPoolExecutor(len(names)) as pool:
        outcomes = [outcome for found in pool.map(work, names) for outcome in found]
    assert outcomes == ["saved"] * 1000
    found = status(store)
    assert [one.submitted for one in found.annotators] == [50] * 20
    assert found.events == 1 + 2 * 20 + 2 * 1000
    with store.reading() as session:
        assert len(session.exec(select(Sheet.id).where(Sheet.state == "submitted")).all()) == 1000


def test_the_event_chain_tells_every_step_and_shows_a_changed_one(store: Store, ann: int, here: int) -> None:
    store.opened(store.places(ann)[0])
    store.noticed(store.places(ann)[0], "idle", {"seconds": 300.0})
    for score in (2, 1):
        store.keep(ann, here, 1, Entry(said("tone", score)))
    store.submit(ann, here, 1, complete())
    assert kinds(store) == ["opened", "idle", "draft", "draft", "draft", "submitted"]
    assert status(store).events == 1 + 4 + 6
    for spoilt in (
        "UPDATE event SET body = replace(body, '2', '1') WHERE number = 8",
        "DELETE FROM event WHERE number = 8",
        "UPDATE event SET at = '2026-01-01T00:00:00.000Z' WHERE number = 8",
    ):
        with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
            for statement in ("BEGIN", "DROP TRIGGER event_no_UPDATE", "DROP TRIGGER event_no_DELETE", spoilt):
                other.execute(statement)
            with pytest.raises(DamagedRecord, match=r"event [89] "):
                check_chain(events(other), store.project.genesis, "here")


def events(connection: sqlite3.Connection) -> list[Event]:
    """The events as a connection sees them within its own transaction."""
    connection.row_factory = sqlite3.Row
    return [Event.model_validate(dict(row)) for row in connection.execute("SELECT * FROM event ORDER BY number")]


def test_everybody_has_every_item_once_and_nobody_changes_anothers_row(store: Store, ann: int, here: int) -> None:
    bob = annotator_id(store, "bob")
    theirs = store.places(bob)
    store.submit(ann, here, 1, complete())
    assert store.places(bob) == theirs
    assert sorted(codes(store, store.places(ann))) == sorted(codes(store, theirs))
    assert [place.number for place in theirs] == [1, 2, 3, 4]


def test_the_row_stays_as_drawn_over_reloads_and_another_process(store: Store, ann: int) -> None:
    before = store.places(ann)
    assert all(Store(store.path).places(ann) == before for _ in range(10))
    with store.reading() as session:
        assert session.get_one(Annotator, ann).name == "ann"


def test_a_reason_that_the_protocol_does_not_have_is_not_stored(store: Store, ann: int, here: int) -> None:
    assert store.leave(ann, here, 1, "skipped", "<script>", Entry({})).outcome == "unchanged"
    assert store.flag(ann, here, "=cmd", "").outcome == "unchanged"
    assert kinds(store) == []


def test_what_is_seen_after_the_close_is_no_time_on_an_item(store: Store, ann: int, here: int) -> None:
    close(store)
    place = store.places(ann)[0]
    store.opened(place)
    store.noticed(place, "viewed", {"whole": True})
    assert kinds(store) == []
