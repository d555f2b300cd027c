"""What a coordinator sees: everybody's progress, every item's coverage, every event; and nothing that was answered."""

import datetime
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from sqlmodel import SQLModel, col, select
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest

from annotate_app import settings, watch
from annotate_app.desk_access import MOST_SESSIONS, SESSION_SECONDS, Desk, cookie_in, desk_door
from annotate_app.ending import close, withdraw
from annotate_app.progress import status, totals
from annotate_app.questions import Entry, Quote
from annotate_app.schema import Event
from annotate_app.store import Store
from annotate_app.watch import READABLE, Coverage, Standing, Watched, open_watched, shared_watched
from polibias.errors import StorageError
from tests.app.conftest import (
    MODELS,
    ROOT,
    RUBRIC,
    SHIPPED,
    SHORT,
    WITHOUT_TERMS,
    annotator_id,
    enrol,
    full,
    make_project,
)

SAID = ("comment-secret", "quote-secret", "flag-secret", "distress", "broken")
"""What these tests' annotators say, beside their scores."""

PAGES = ("progress", "items", "events")
FAR = datetime.timedelta(hours=SHIPPED.assignment.reopen_after_hours)


@pytest.fixture
def busy(tmp_path: Path) -> Store:
    """Four people: ann has done everything, bob some of it, cyd nothing, and dan has left."""
    store = make_project(tmp_path, SHORT, MODELS[:1]).store
    enrol(store, "ann", "bob", "cyd", "dan")
    for name, places in (("ann", 3), ("bob", 1), ("dan", 1)):
        me = annotator_id(store, name)
        for place in store.places(me)[:places]:
            store.opened(place)
            store.submit(me, place.presentation, 1, telling())
    bob = annotator_id(store, "bob")
    second, third = store.places(bob)[1:]
    store.flag(bob, second.presentation, "broken", "flag-secret")
    store.leave(bob, second.presentation, 1, "skipped", "distress", Entry({}))
    store.keep(bob, third.presentation, 1, telling())
    withdraw(store, "dan")
    return store


def telling() -> Entry:
    """A complete entry with a comment and a quote."""
    quotes = {RUBRIC.dimension_ids[0]: (Quote("A", "quote-secret"),)}
    return msgspec.structs.replace(full(), comments={"": "comment-secret"}, quotes=quotes)


def people(store: Store) -> dict[str, Standing]:
    return {one.annotator: one for one in open_watched(store.path).board().annotators}


def test_who_is_where(busy: Store) -> None:
    found = people(busy)
    assert [(one.stage, one.submitted, one.left, one.total, one.flags, one.open) for one in found.values()] == [
        ("done", 3, 0, 3, 0, 0),
        ("at work", 1, 1, 3, 1, 1),
        ("invited", 0, 0, 3, 0, 3),
        ("withdrawn", 1, 0, 3, 0, 0),
    ]
    assert found["cyd"].last_activity is None
    with busy.reading() as session:
        last = session.exec(select(Event.at).where(Event.annotator == "bob").order_by(col(Event.number).desc())).first()
    assert found["bob"].last_activity == last


def test_the_stages_before_the_first_item(tmp_path: Path) -> None:
    one = {"acting": ("X", "Y"), "facing": ("Y", "X"), "prompts": ("p", "q"), "responses": ("r", "s")}
    item = {**{name: {"A": a, "B": b} for name, (a, b) in one.items()}, "feedback": "f"}
    rules = {"items": [{**item, "expected": {"framing.score": ["2"]}}], "threshold": 1.0, "tries": 1}
    practice = msgspec.convert(rules, type=type(SHIPPED.practice))
    protocol = msgspec.structs.replace(WITHOUT_TERMS, consent="Will you?", practice=practice)
    store = make_project(tmp_path, SHORT, MODELS[:1], protocol=protocol).store
    enrol(store, "ann", "bob", "cyd", "dan")
    for name, answer in (("ann", "no"), ("bob", "yes"), ("cyd", "yes"), ("dan", "yes")):
        store.assent(annotator_id(store, name), {"consent": answer})
    for name, score in (("cyd", 3), ("dan", 2)):
        me = annotator_id(store, name)
        store.submit(me, store.places(me)[0].presentation, 1, full(score))
    found = people(store)
    assert [one.stage for one in found.values()] == ["declined", "practice", "failed practice", "at work"]
    assert {one.total for one in found.values()} == {3}


def test_who_was_not_heard_of_for_long_is_stalled_until_the_study_is_closed(
    busy: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not any(one.stalled for one in people(busy).values())
    monkeypatch.setattr(watch.datetime, "datetime", _Later)
    assert [name for name, one in people(busy).items() if one.stalled] == ["bob", "cyd"]
    monkeypatch.undo()
    close(busy)
    monkeypatch.setattr(watch.datetime, "datetime", _Later)
    assert not any(one.stalled for one in people(busy).values())


class _Later(datetime.datetime):
    """The time after the protocol has waited long enough."""

    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> "_Later":
        return super().now(tz) + FAR + datetime.timedelta(seconds=1)


def test_every_items_coverage(busy: Store) -> None:
    items = open_watched(busy.path).board().items
    assert {one.wanted for one in items} == {3}
    assert sum(one.done for one in items) == 3 + 2 + 1
    assert sum(one.flags for one in items) == 1
    gone = busy.places(annotator_id(busy, "dan"))[0]
    done_before_leaving = busy.view(gone).item.code
    assert {one.item: one.assigned for one in items} == {
        one.item: 3 + (one.item == done_before_leaving) for one in items
    }


def test_totals_count_items_not_people() -> None:
    items = [Coverage("a", 2, 2, 2, 0), Coverage("b", 2, 1, 2, 0), Coverage("c", 1, 0, 2, 3)]
    assert totals(items) == (3, 1, 1, 2)
    assert totals([]) == (0, 0, 0, 0)
    assert totals([Coverage("a", 0, 0, 0, 0)]).done == 0


def test_the_command_and_the_desk_say_the_same(busy: Store) -> None:
    assert status(busy) == open_watched(busy.path).board()


def test_events_come_newest_first_by_annotator_and_kind(busy: Store) -> None:
    watched = open_watched(busy.path)
    with busy.reading() as session:
        events = session.exec(select(Event).order_by(col(Event.number).desc())).all()
        session.expunge_all()
    whole = watched.happenings("", "", 0, len(events))
    assert whole.total == len(events) == watched.board().events
    assert [one.number for one in whole.shown] == [event.number for event in events]
    assert whole.shown[3:5] == watched.happenings("", "", 3, 2).shown
    mine = watched.happenings("bob", "", 0, 100)
    assert Counter(one.kind for one in mine.shown) == Counter(one.kind for one in events if one.annotator == "bob")
    assert mine.total == len(mine.shown)
    assert {(one.annotator, one.kind) for one in watched.happenings("bob", "draft", 0, 9).shown} == {("bob", "draft")}
    assert watched.happenings("nobody", "", 0, 9) == ([], 0)
    assert watched.names() == ["ann", "bob", "cyd", "dan"]
    assert {"created", "submitted", "flagged", "withdrawn"} <= set(watched.kinds())


@pytest.mark.parametrize(
    "column",
    [
        f"{table}.{column.name}"
        for table, columns in SQLModel.metadata.tables.items()
        for column in columns.columns
        if column.name not in READABLE.get(table, ())
    ],
)
def test_sqlite_itself_refuses_what_nobody_at_the_desk_may_read(busy: Store, column: str) -> None:
    table, _, name = column.partition(".")
    watched = open_watched(busy.path)
    for query in (f'SELECT "{name}" FROM "{table}"', f'SELECT count("{name}") FROM "{table}"'):
        with pytest.raises(StorageError, match="prohibited"), watched.reading() as session:
            session.connection().exec_driver_sql(query).all()


def test_what_was_answered_is_among_what_is_refused() -> None:
    assert "answer" not in READABLE
    for table, names in {
        "sheet": {"notes", "reason"},
        "flag": {"reason", "comment"},
        "event": {"body"},
        "item": {"content", "pair", "stratum"},
        "presentation": {"first", "instructed"},
        "trial": {"right"},
    }.items():
        assert not READABLE[table] & names


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM flag",
        "UPDATE annotator SET name = 'x'",
        "INSERT INTO closure VALUES (1, 'x')",
        "PRAGMA writable_schema = 1",
        "ATTACH ':memory:' AS other",
        "DROP TABLE answer",
    ],
)
def test_the_desk_changes_nothing(busy: Store, statement: str) -> None:
    before = status(busy)
    with pytest.raises(StorageError, match="not authorized"), open_watched(busy.path).writing() as session:
        session.connection().exec_driver_sql(statement)
    assert status(busy) == before


@pytest.fixture
def at_the_desk(busy: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    """The database that the desk's pages open."""
    monkeypatch.setenv(settings.DATABASE, str(busy.path))
    monkeypatch.setattr(settings, "differing", list)
    yield shared_watched(busy.path)
    shared_watched.cache_clear()


def draw(page: str) -> None:
    """One page as the desk draws it."""
    from importlib import import_module

    from annotate_app import settings
    from annotate_app.watch import shared_watched

    import_module(f"annotate_app.desk_pages.{page}").show(shared_watched(settings.database()))


def shown(page: AppTest) -> str:
    """Everything that a run sent to the browser."""
    assert not page.exception, page.exception
    return "\n".join(str(getattr(element, "proto", "")) for element in page)


@pytest.mark.parametrize("page", PAGES)
def test_nothing_that_was_said_is_in_a_page(at_the_desk: Watched, busy: Store, page: str) -> None:
    sent = shown(AppTest.from_function(draw, args=(page,)).run())
    item = busy.view(busy.places(1)[0]).item
    with busy.reading() as session:
        stored = "\n".join(session.connection().connection.driver_connection.iterdump())  # type: ignore[union-attr]
    assert all(word in stored for word in SAID)
    texts = [getattr(getattr(item, part), side) for part in ("prompts", "responses") for side in "AB"]
    for word in (*SAID, *texts, *RUBRIC.dimension_ids):
        assert word not in sent
    assert item.code in sent or page == "progress"


def test_the_progress_page_names_everybody(at_the_desk: Watched) -> None:
    sent = shown(AppTest.from_function(draw, args=("progress",)).run())
    for words in ("ann", "bob", "cyd", "dan", "at work", "withdrawn", "1 of 3", "Open: annotators can work."):
        assert words in sent


def test_the_progress_page_of_a_closed_study_says_so(at_the_desk: Watched, busy: Store) -> None:
    close(busy)
    assert "Closed at" in shown(AppTest.from_function(draw, args=("progress",)).run())


def test_a_project_without_anybody_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = make_project(tmp_path, SHORT, MODELS[:1])
    monkeypatch.setenv(settings.DATABASE, str(place.made.database))
    for page in PAGES:
        sent = shown(AppTest.from_function(draw, args=(page,)).run())
        assert page != "progress" or "polibias-annotate invite first" in sent
    shared_watched.cache_clear()


def test_items_are_filtered(at_the_desk: Watched) -> None:
    page = AppTest.from_function(draw, args=("items",)).run()
    flagged = [one.item for one in at_the_desk.board().items if one.flags]
    page.radio[0].set_value("Flagged").run()
    sent = shown(page)
    assert [one.item for one in at_the_desk.board().items if one.item in sent] == flagged
    page.radio[0].set_value("Too few people").run()
    assert "There are none." in shown(page)


def test_events_are_filtered_and_paged(at_the_desk: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    from annotate_app.desk_pages import events

    monkeypatch.setattr(events, "EVENTS_A_PAGE", 5)
    total = at_the_desk.board().events
    page = AppTest.from_function(draw, args=("events",)).run()
    assert f"1 to 5 of {total}" in shown(page)
    page.button(key="events.next").click().run()
    assert f"6 to 10 of {total}" in shown(page)
    page.selectbox(key=events.WHO).set_value("cyd").run()
    sent = shown(page)
    assert f"{at_the_desk.happenings('cyd', '', 0, 0).total} events" in sent
    assert " to " not in sent
    page.selectbox(key=events.WHAT).set_value("submitted").run()
    assert "0 events" in shown(page)


def test_without_the_desks_cookie_the_page_shows_nothing(at_the_desk: Watched) -> None:
    page = AppTest.from_file(ROOT / "annotate_app" / "desk_pages" / "page.py").run()
    sent = shown(page)
    assert "Please open that link" in sent
    assert "ann" not in sent.replace("annotat", "")


def test_the_desks_link_lets_in_whoever_holds_it_until_the_next_one() -> None:
    desk = Desk()
    assert desk.redeem("") is None
    token = desk.new_token()
    cookies = [desk.redeem(token) or "" for _ in range(2)]
    assert cookies[0] != cookies[1]
    assert all(map(desk.knows, cookies))
    desk.new_token()
    assert desk.redeem(token) is None
    assert all(map(desk.knows, cookies))
    assert not any(map(desk.knows, ("", "x", "\ud800", token, "a" * 10_000)))


def test_the_desk_forgets_sessions_that_are_old_or_too_many() -> None:
    time = [0.0]
    desk = Desk(lambda: time[0])
    token = desk.new_token()
    cookies = [desk.redeem(token) or "" for _ in range(MOST_SESSIONS + 1)]
    assert [desk.knows(cookie) for cookie in cookies] == [False] + [True] * MOST_SESSIONS
    time[0] = SESSION_SECONDS
    assert not any(map(desk.knows, cookies))


def test_the_desks_door_is_the_annotators_door_with_other_words() -> None:
    desk = Desk()
    app = Starlette(routes=desk_door(desk, "first").routes())
    token = desk.new_token()
    with TestClient(app, base_url="https://desk.example", follow_redirects=False) as client:
        assert "Coordinator's desk" in client.get("/desk").text
        assert client.post("/desk", data={"token": "guess"}).status_code == 403
        answer = client.post("/desk", data={"token": token})
        header = answer.headers["set-cookie"].lower()
        assert header.startswith("__host-desk_")
        assert all(word in header for word in ("httponly", "secure", "samesite=strict"))
        assert desk.knows(cookie_in("first", dict(client.cookies)))
    assert not desk.knows(cookie_in("second", {"desk_x": "y"}))
