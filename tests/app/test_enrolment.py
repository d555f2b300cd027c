"""Enrolling: a person's row is drawn once, stored before the first page, and derivable from the seed."""

import csv
import json
from pathlib import Path

import pytest
from sqlmodel import col, select

from annotate_app import chain
from annotate_app.assignment import practice, share
from annotate_app.enrolment import check_names, check_url, draw_of, fitting, invite, links_file, practice_order
from annotate_app.protocol import Practice
from annotate_app.schema import Annotator, Closure, Event, Invite, Item, Presentation
from annotate_app.store import Store
from polibias.errors import InputError
from tests.app.conftest import ADDRESS, annotator_id
from tests.app.projects import NAMING, complete, invited, lesson, made, rules

FULL = rules(Practice((lesson({}), lesson({}), lesson({}))), repeats=2, repeat_gap=3, checks=2)


def shown(store: Store, name: str) -> list[Presentation]:
    with store.reading() as session:
        mine = select(Presentation).where(Presentation.annotator_id == annotator_id(store, name))
        found = list(session.exec(mine.order_by(col(Presentation.position))).all())
        session.expunge_all()
        return found


def bodies(store: Store, kind: str, name: str) -> list[dict[str, object]]:
    with store.reading() as session:
        query = select(Event).where(Event.kind == kind, Event.annotator == name).order_by(col(Event.number))
        return [chain.body(event) for event in session.exec(query).all()]


def test_the_row_is_practice_then_the_share_and_follows_from_the_seed(tmp_path: Path) -> None:
    store = made(tmp_path, FULL, "Ann Lee", items=8, scheme=NAMING)
    row = shown(store, "Ann Lee")
    with store.reading() as session:
        ann = session.exec(select(Annotator)).one()
        lessons = session.exec(select(Item).where(Item.lesson != "")).all()
        strata = dict(session.exec(select(Item.code, Item.stratum).where(Item.lesson == "")).all())
        wanted = fitting(store.protocol.assignment, 1)
        drawn = [
            *practice(draw_of(store, ann, 0), practice_order(lessons)),
            *share(draw_of(store, ann, 1), strata, wanted, {}),
        ]
        assert ann.identity == "ann lee"
    assert [one.position for one in row] == list(range(1, 3 + 8 + 2 + 1))
    found = [(one.item_code, one.first, one.role, one.instructed, tuple(json.loads(one.options))) for one in row]
    assert found == [one[1:] for one in drawn]


def test_the_chain_tells_the_whole_row_before_the_first_page(tmp_path: Path) -> None:
    store = made(tmp_path, FULL, "ann", items=8)
    told = [each for body in bodies(store, "assigned", "ann") for each in body["row"]]  # type: ignore[attr-defined]
    row = shown(store, "ann")
    assert told == [[one.position, one.item_code, one.first, one.role, one.instructed] for one in row]
    assert bodies(store, "opened", "ann") == []


def test_practice_keeps_the_protocols_order_beyond_nine_items(tmp_path: Path) -> None:
    store = made(tmp_path, rules(Practice(tuple(lesson({}) for _ in range(12)))), "ann")
    with store.reading() as session:
        order = [session.get_one(Item, one.item_code).stratum for one in shown(store, "ann") if one.role == "practice"]
    assert order == [str(number) for number in range(1, 13)]


def test_one_seed_gives_one_person_one_order_wherever_they_are_invited(tmp_path: Path) -> None:
    store = made(tmp_path, rules(), "ann", "bob", items=12)
    rows = {name: [one.item_code for one in shown(store, name)] for name in ("ann", "bob")}
    assert rows["ann"] != rows["bob"]
    assert sorted(rows["ann"]) == sorted(rows["bob"])


def test_inviting_again_keeps_the_row_and_ends_the_earlier_link(tmp_path: Path) -> None:
    store = made(tmp_path, FULL, "ann", items=8)
    before = [one.model_dump() for one in shown(store, "ann")]
    (again,) = invited(store, "ANN")
    assert again.annotator == "ann"
    assert [one.model_dump() for one in shown(store, "ann")] == before
    with store.reading() as session:
        assert [one.revoked_at is None for one in session.exec(select(Invite)).all()] == [False, True]
    assert [body["revoked"] for body in bodies(store, "invited", "ann")] == [0, 1]


def test_a_link_says_how_many_items_there_are_and_how_many_were_wanted(tmp_path: Path) -> None:
    store = made(tmp_path, rules(overlap=1, items_each=5, repeats=1, repeat_gap=2), items=8)
    found = [invited(store, name)[0] for name in ("ann", "bob", "cat")]
    assert [(one.items, one.wanted) for one in found] == [(5, 5), (3, 5), (0, 5)]
    assert all(one.link.startswith(f"{ADDRESS}/invite#") for one in found)


def test_a_closed_study_takes_nobody(tmp_path: Path) -> None:
    store = made(tmp_path, rules(), "ann")
    with store.writing() as session:
        session.add(Closure.model_validate({"at": chain.now()}))
    for name in ("ann", "new"):
        with pytest.raises(InputError, match="closed"):
            invited(store, name)


@pytest.mark.parametrize("way", ["withdrew", "failed practice"])
def test_who_can_answer_nothing_gets_no_further_items(tmp_path: Path, way: str) -> None:
    lessons = Practice((lesson({"tone.score": ("0",)}),), 1.0, 1)
    store = made(tmp_path, rules(lessons, items_each=2), "ann")
    ann = annotator_id(store, "ann")
    if way == "withdrew":
        store.withdraw(ann)
    else:
        store.submit(ann, store.places(ann)[0].presentation, 1, complete())
    with pytest.raises(InputError, match=f"'ann' {way}"):
        invited(store, "bob", "ann", more=1)
    assert len(shown(store, "ann")) == 3
    assert invited(store, "ann")[0].items == 2, "a link to their own page is still theirs"
    with store.reading() as session:
        assert len(session.exec(select(Annotator)).all()) == 1, "nobody was enrolled by the refused command"


@pytest.mark.parametrize(
    "names", [["ann", "ann"], ["ann", "ＡＮＮ"], [""], ["=1+1"], ["a\nb"], ["a,b"], ["\ud800"], ["x" * 65], ["a "]]
)
def test_a_name_that_cannot_stand_in_a_table_is_refused(names: list[str]) -> None:
    with pytest.raises(InputError, match="annotator") as refused:
        check_names(names)
    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    "url",
    [
        "",
        "annotate.example",
        "ftp://x",
        "http://x/path",
        "http://x?q",
        "http://x#f",
        "http://x/#",
        "http://[::1",
        "http://a b",
        "http://x:99999",
        "http://x\n",
        "http://\ud800",
    ],
)
def test_an_address_that_is_no_servers_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(InputError, match="--url"):
        check_url(url)


def test_the_links_file_holds_every_link_or_is_not_there(tmp_path: Path) -> None:
    store, path = made(tmp_path, rules()), tmp_path / "links.csv"
    with links_file(path) as write, store.writing() as session:
        invitations = invite(session, store, ["ann", "bob"])
        write(invitations)
    with path.open(newline="") as file:
        assert list(csv.reader(file)) == [["annotator", "link"], *([one.annotator, one.link] for one in invitations)]
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(InputError, match="there already"), links_file(path):
        pass
    with pytest.raises(RuntimeError), links_file(tmp_path / "second.csv"):
        raise RuntimeError
    assert not (tmp_path / "second.csv").exists()
    with pytest.raises(InputError, match="cannot be written"), links_file(tmp_path / "none" / "links.csv"):
        pass
