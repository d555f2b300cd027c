"""Never lose, never double: drafts, submissions, revisions and who may write them."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from annotate_app import chain
from annotate_app import store as stores
from annotate_app.questions import Entry
from annotate_app.progress import status
from annotate_app.store import Store, open_store
from polibias.errors import DamagedRecord, InputError, StorageError
from tests.app.conftest import HOSTILE, RUBRIC, TOPICS, Topic, annotator_id, answers_to, enrol, full, make_project, said


def test_a_draft_comes_back_in_another_process_view(store: Store) -> None:
    ann = annotator_id(store, "ann")
    place = store.places(ann)[0]
    given = Entry(said("framing", 3, "B") | said("severity", 0), HOSTILE)
    assert store.keep(ann, place.presentation, 1, given).outcome == "saved"
    again = open_store(store.path)
    entry = again.view(again.places(ann)[0]).entry
    assert answers_to(entry, "framing") == (3, "B")
    assert answers_to(entry, "severity") == (0, "none")
    assert answers_to(entry, "argument") == (None, None)
    assert entry.comment == HOSTILE


def test_a_second_click_changes_nothing_and_does_not_reach_the_next_item(store: Store) -> None:
    ann = annotator_id(store, "ann")
    first, second = store.places(ann)[:2]
    assert store.submit(ann, first.presentation, 1, full()).outcome == "saved"
    assert store.submit(ann, first.presentation, 1, full()).outcome == "repeated"
    assert store.submit(ann, first.presentation, 1, full(3, "B")).outcome == "late"
    assert store.keep(ann, first.presentation, 1, full(3, "B")).outcome == "late"
    assert store.view(store.places(ann)[0]).entry == full()
    assert store.places(ann)[1] == second


def test_an_incomplete_submission_is_kept_as_a_draft_and_says_what_is_missing(store: Store) -> None:
    ann = annotator_id(store, "ann")
    place = store.places(ann)[0]
    receipt = store.submit(ann, place.presentation, 1, Entry(full().answers | said("severity", 2)))
    assert receipt.outcome == "incomplete"
    assert [gap.id for gap in receipt.gaps] == ["severity.favoured"]
    found = store.places(ann)[0]
    assert (found.submitted, found.draft) == (0, 1)


def test_a_revision_counts_only_once_submitted_and_only_if_something_changed(store: Store) -> None:
    ann = annotator_id(store, "ann")
    place = store.places(ann)[0].presentation
    store.submit(ann, place, 1, full())
    assert store.keep(ann, place, 2, full()).outcome == "unchanged"
    assert store.submit(ann, place, 2, full()).outcome == "unchanged"
    assert store.places(ann)[0].submitted == 1
    assert store.keep(ann, place, 2, full(3)).outcome == "saved"
    assert store.places(ann)[0][2:4] == (1, 2)
    assert store.discard(ann, place, 2).outcome == "saved"
    assert store.view(store.places(ann)[0]).entry == full()
    assert store.submit(ann, place, 2, full(1, "B")).outcome == "saved"
    assert store.places(ann)[0].submitted == 2
    assert store.submit(ann, place, 2, full(3)).outcome == "late"


def test_items_come_in_their_order(store: Store) -> None:
    ann = annotator_id(store, "ann")
    second = store.places(ann)[1]
    assert store.submit(ann, second.presentation, 1, full()).outcome == "late"
    assert store.places(ann)[1] == second


def test_nobody_writes_into_another_persons_row(store: Store) -> None:
    ann, bob = annotator_id(store, "ann"), annotator_id(store, "bob")
    place = store.places(ann)[0]
    assert store.submit(bob, place.presentation, 1, full()).outcome == "late"
    assert store.keep(bob, place.presentation, 1, full()).outcome == "late"
    assert store.places(ann)[0] == place


@pytest.mark.parametrize("first", ["A", "B"])
@pytest.mark.parametrize("favoured", ["A", "B", "none"])
@pytest.mark.parametrize("score", RUBRIC.scores)
def test_what_is_entered_is_what_is_stored(store: Store, score: int, favoured: str, first: str) -> None:
    ann = annotator_id(store, "ann")
    place = next(p for p in store.places(ann) if store.view(p).first == first)
    for before in store.places(ann)[: place.position - 1]:
        store.submit(ann, before.presentation, 1, full())
    store.submit(ann, place.presentation, 1, full(score, favoured))
    stored = store.view(store.places(ann)[place.position - 1]).entry
    assert answers_to(stored, "framing") == (score, "none" if score == 0 else favoured)


def test_a_database_that_refuses_changes_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    ann = annotator_id(store, "ann")
    place = store.places(ann)[0]
    monkeypatch.setattr(stores, "BUSY_SECONDS", 0.05)
    hasty = open_store(store.path)
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageError, match="locked"):
            hasty.submit(ann, place.presentation, 1, full())
        other.execute("ROLLBACK")
    assert hasty.places(ann)[0] == place
    assert hasty.submit(ann, place.presentation, 1, full()).outcome == "saved"


def test_twenty_people_submit_fifty_items_each_at_once(tmp_path: Path) -> None:
    topics = [Topic("main", f"pair-{number}", (f"A{number}", f"B{number}"), ("a", "b")) for number in range(50)]
    store = make_project(tmp_path, topics, ["only"]).store
    names = [f"annotator-{number}" for number in range(20)]
    enrol(store, *names)

    def work(name: str) -> list[str]:
        own = Store(store.path)
        me = annotator_id(own, name)
        return [own.submit(me, place.presentation, 1, full(comment=name)).outcome for place in own.places(me)]

    with ThreadPoolExecutor(len(names)) as pool:
        outcomes = [outcome for found in pool.map(work, names) for outcome in found]
    assert outcomes == ["saved"] * 1000
    found = status(store)
    assert [one.submitted for one in found.annotators] == [50] * 20
    assert found.events == 1 + 20 + 2 * 1000


def test_the_event_chain_tells_every_step_and_shows_a_changed_one(store: Store) -> None:
    ann = annotator_id(store, "ann")
    place = store.places(ann)[0]
    store.opened(place)
    for score in (3, 1, 3, 2):
        store.keep(ann, place.presentation, 1, Entry(said("framing", score)))
    store.submit(ann, place.presentation, 1, full())
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        rows = other.execute("SELECT kind, body FROM event WHERE annotator = 'ann' ORDER BY number").fetchall()
        assert [kind for kind, _ in rows] == ["invited", "opened", *["draft"] * 5, "submitted"]
        other.execute("DROP TRIGGER event_no_UPDATE")
        other.execute("UPDATE event SET body = replace(body, '3', '1') WHERE number = 5")
    with pytest.raises(DamagedRecord, match="event 5 "):
        status(store)


def test_a_file_that_is_no_project_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such"):
        open_store(tmp_path / "none.db")
    (tmp_path / "text.db").write_text("not a database at all, but long enough to be read as one" * 20)
    with pytest.raises(StorageError, match="not a readable"):
        open_store(tmp_path / "text.db")
    sqlite3.connect(tmp_path / "empty.db").close()
    (tmp_path / "empty.db").touch()
    with pytest.raises(InputError, match="version 0"):
        open_store(tmp_path / "empty.db")


def test_every_topic_is_there_once_for_everybody(store: Store) -> None:
    for name in ("ann", "bob"):
        row = store.places(annotator_id(store, name))
        assert [place.position for place in row] == list(range(1, 2 * len(TOPICS) + 1))
        assert len({store.view(place).item.code for place in row}) == len(row)


def test_times_are_utc_with_milliseconds() -> None:
    assert chain.now().endswith("Z")
    assert len(chain.now()) == len("2026-01-01T00:00:00.000Z")
