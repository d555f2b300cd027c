"""What a coordinator ends and follows by command: closing, revoking, withdrawing, and the table of who is where."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from sqlmodel import col, select

from annotate_app.access import person, redeem
from annotate_app.cli import main
from annotate_app.commands.serving import port_of
from annotate_app.commands.shapes import table
from annotate_app.schema import Event
from annotate_app.store import Store
from tests.app.conftest import (
    MODELS,
    SHORT,
    WITHOUT_TERMS,
    annotator_id,
    enrol,
    full,
    make_project,
)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A project in the current folder: Ann and bob have three items each, and Ann has done one."""
    found = make_project(tmp_path, SHORT, MODELS[:1]).store
    monkeypatch.chdir(tmp_path)
    enrol(found, "Ann", "bob")
    answer(found)
    return found


def answer(store: Store) -> str:
    """What becomes of an answer of Ann's to her next open item."""
    ann = annotator_id(store, "Ann")
    place = next(place for place in store.places(ann) if place.open)
    return store.submit(ann, place.presentation, 1, full()).outcome


def last_event(store: Store) -> tuple[str, str, dict[str, object]]:
    with store.reading() as session:
        event = session.exec(select(Event).order_by(col(Event.number).desc())).first()
        assert event is not None
        return event.kind, event.annotator, json.loads(event.body)


Said = Callable[[], str]


@pytest.fixture
def out(capsys: pytest.CaptureFixture[str]) -> Said:
    """What was printed since the last call."""
    return lambda: capsys.readouterr().out


def test_a_closed_study_takes_no_answer_and_says_what_is_missing(store: Store, out: Said) -> None:
    assert main(["close", "first"]) == 0
    said = out().splitlines()
    assert re.fullmatch(r"first: closed at \S+Z; nothing is answered any more", said[0])
    assert said[1:] == [
        "5 places not finished: Ann 2 (at work), bob 3 (invited)",
        "next: polibias-annotate export first",
    ]
    assert last_event(store) == ("closed", "", {"open": 5})
    assert answer(store) == "closed"
    assert main(["status", "first"]) == 0
    assert out().startswith("first: closed 20")


def test_closing_twice_is_said_and_changes_nothing(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["close", "first"]) == 0
    before = last_event(store)
    capsys.readouterr()
    assert main(["close", "first"]) == 1
    said = capsys.readouterr()
    assert re.fullmatch(r"first: closed already, at \S+Z\n", said.err)
    assert said.out == ""
    assert last_event(store) == before


def test_closing_names_what_is_open_whatever_became_of_its_people(store: Store, out: Said) -> None:
    assert main(["withdraw", "first", "bob"]) == 0
    assert [answer(store), answer(store)] == ["saved", "saved"]
    out()
    assert main(["close", "first"]) == 0
    assert "3 places not finished: bob 3 (withdrawn)" in out()


@pytest.mark.parametrize("typed", ["Ann", "ann", " ANN "])
def test_a_revoked_link_ends_with_its_browsers_until_there_is_a_new_one(store: Store, out: Said, typed: str) -> None:
    token = enrol(store, "Ann")[0].link.partition("#")[2]
    cookie = redeem(store, token) or ""
    assert main(["revoke", "first", typed]) == 0
    assert "Ann: 1 link ended" in out()
    assert last_event(store) == ("revoked", "Ann", {"revoked": 1})
    assert redeem(store, token) is None
    assert person(store, cookie) is None
    assert main(["invite", "first", "Ann"]) == 0
    newer = out().rpartition("#")[2].strip()
    assert person(store, redeem(store, newer) or "") is not None
    assert answer(store) == "saved"


def test_revoking_what_is_revoked_is_said(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["revoke", "first", "Ann"]) == 0
    before = last_event(store)
    capsys.readouterr()
    assert main(["revoke", "first", "Ann"]) == 1
    assert capsys.readouterr().err == "Ann: has no link that still worked\n"
    assert last_event(store) == before


@pytest.mark.parametrize(("rule", "words"), [("keep", "is kept"), ("remove", "left out of the export")])
def test_who_withdraws_answers_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], rule: str, words: str
) -> None:
    protocol = msgspec.structs.replace(WITHOUT_TERMS, withdrawal=rule)
    found = make_project(tmp_path, SHORT, MODELS[:1], protocol=protocol).store
    monkeypatch.chdir(tmp_path)
    enrol(found, "Ann")
    assert main(["withdraw", "first", "ann"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Ann: withdrawn; ")
    assert words in said
    assert last_event(found) == ("withdrawn", "Ann", {"answers": rule})
    assert answer(found) == "closed"
    assert main(["withdraw", "first", "Ann"]) == 1
    assert capsys.readouterr().err == "Ann: had withdrawn already\n"
    assert last_event(found) == ("withdrawn", "Ann", {"answers": rule})


@pytest.mark.parametrize("command", ["revoke", "withdraw"])
def test_nobody_is_taken_for_somebody_else(store: Store, capsys: pytest.CaptureFixture[str], command: str) -> None:
    before = last_event(store)
    for name in ("An", "nobody", "", "\x1b[31mred"):
        assert main([command, "first", name]) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert "was invited" in said
        assert "\x1b" not in said
    assert last_event(store) == before


def test_the_status_is_a_table_and_its_json_is_whole(store: Store, out: Said) -> None:
    first, second = store.places(annotator_id(store, "bob"))[:2]
    store.flag(annotator_id(store, "bob"), first.presentation, "broken", "not to be seen")
    store.leave(annotator_id(store, "bob"), first.presentation, 1, "skipped", "distress", full())
    store.keep(annotator_id(store, "bob"), second.presentation, 1, full())
    assert main(["status", "first"]) == 0
    said = out()
    when = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
    lines = [re.sub(when, "<when>", line) for line in said.splitlines()]
    assert lines[:4] == [
        "first: open, 2 annotators",
        "annotator  stage    submitted  skipped  flags  last activity (UTC)",
        "Ann        at work      1 / 3        0      0  <when>",
        "bob        at work      0 / 3        1      1  <when>",
    ]
    same = store.view(first).item == store.view(store.places(annotator_id(store, "Ann"))[0]).item
    assert lines[4] == f"3 items, 2 annotators wanted for each: {int(same)} done, 1 flag"
    assert re.fullmatch(r"\d+ events, chain whole, last [0-9a-f]{16}; not anchored outside", lines[5])
    assert main(["status", "first", "--json"]) == 0
    found = json.loads(out())
    assert set(found) == {"project", "closed_at", "annotators", "items", "events", "head"}
    assert found["annotators"][1] | {"last_activity": None} == {
        "annotator": "bob",
        "stage": "at work",
        "submitted": 0,
        "left": 1,
        "total": 3,
        "flags": 1,
        "last_activity": None,
        "stalled": False,
    }
    assert set(found["items"][0]) == {"item", "assigned", "done", "wanted", "flags"}
    for word in ("distress", "broken", "not to be seen"):
        assert word not in said + json.dumps(found)


def test_columns_are_aligned_by_what_they_hold() -> None:
    lines = table(("name", "n", ""), [("a", "1", "x"), ("longer", "1000", "")], right=(1,))
    assert lines == ["name       n", "a          1  x", "longer  1000"]


@pytest.mark.parametrize(
    ("address", "port"),
    [
        ("http://127.0.0.1:9000", 9000),
        ("http://localhost:9000", 9000),
        ("http://[::1]:9000", 9000),
        ("http://localhost", 80),
        ("https://annotate.example.org", 8501),
        ("https://127.0.0.1:9000", 8501),
        ("http://annotate.example.org:9000", 8501),
    ],
)
def test_the_app_listens_where_the_links_of_this_machine_lead(address: str, port: int) -> None:
    assert port_of(address) == port


@pytest.mark.parametrize(
    "arguments",
    [
        ["close"],
        ["revoke", "first"],
        ["withdraw", "first"],
        ["restore"],
        ["serve", "first", "--proxy", "nonsense"],
        ["serve", "first", "--proxy", ""],
        ["serve", "first", "--proxy", "*"],
        ["serve", "first", "--port", "none"],
    ],
)
def test_misuse_is_one_line(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [["close", "x"], ["revoke", "x", "a"], ["withdraw", "x", "a"], ["backup", "x"], ["upgrade", "x"], ["serve", "x"]],
)
def test_a_project_that_is_not_there_is_one_line(
    store: Store, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert main(arguments) == 2
    assert re.fullmatch(r"polibias-annotate: projects/x/blind\.db: no such project; .*\n", capsys.readouterr().err)
