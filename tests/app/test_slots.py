"""Overlap targets and abandoned places: exact in races, and nothing that counts is taken away."""

import multiprocessing
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest
from sqlmodel import select

from annotate_app.protocol import AnnotationProtocol, Practice
from annotate_app.questions import Entry
from annotate_app.schema import Item, Presentation, Release
from annotate_app.slots import places_held
from annotate_app.store import Store, open_store
from tests.app.conftest import annotator_id, said
from tests.app.projects import codes, complete, invited, lesson, made, rules

PAIRS = rules(overlap=2, items_each=10)


def held(store: Store) -> dict[str, list[int]]:
    """Who has each item before them."""
    with store.reading() as session:
        found: dict[str, list[int]] = {code: [] for code in session.exec(select(Item.code)).all()}
        for one in places_held(session):
            found[one.item].append(one.annotator)
    return found


def exact(found: dict[str, list[int]], overlap: int) -> bool:
    return all(len(people) == overlap == len(set(people)) for people in found.values())


def row(store: Store, name: str) -> list[str]:
    """The items that somebody has, in their order."""
    return codes(store, store.places(annotator_id(store, name)))


def finish(store: Store, name: str, count: int) -> None:
    me = annotator_id(store, name)
    for place in store.places(me)[:count]:
        assert store.submit(me, place.presentation, 1, complete()).outcome == "saved"


def releases(store: Store) -> Counter[str]:
    with store.reading() as session:
        return Counter(session.exec(select(Release.reason)).all())


def test_twenty_threads_fill_fifty_items_exactly(tmp_path: Path) -> None:
    store = made(tmp_path, PAIRS, items=50)
    names = [f"annotator-{number}" for number in range(20)]
    with ThreadPoolExecutor(20) as pool:
        found = list(pool.map(lambda name: invited(Store(store.path), name), names))
    assert exact(held(store), 2)
    assert sorted(one.items for each in found for one in each) == [0] * 10 + [10] * 10


def enter(path: Path, names: list[str]) -> None:
    """What one process does: invite people one by one, without the command's lock on the folder of projects."""
    from annotate_app.enrolment import invite

    store = open_store(path)
    for name in names:
        with store.writing() as session:
            invite(session, store, [name])


def test_several_processes_fill_fifty_items_exactly(tmp_path: Path) -> None:
    store = made(tmp_path, PAIRS, items=50)
    store.close()
    crews = [[f"crew-{crew}-{number}" for number in range(4)] for crew in range(4)]
    with ProcessPoolExecutor(4, multiprocessing.get_context("spawn")) as pool:
        list(pool.map(enter, [store.path] * 4, crews))
    found = held(store)
    assert exact(found, 2)
    assert len({person for people in found.values() for person in people}) == 10


def test_an_item_has_fewer_only_where_people_run_out(tmp_path: Path) -> None:
    store = made(tmp_path, PAIRS, "ann", "bob", "cat", items=20)
    found = held(store)
    assert sorted(len(people) for people in found.values()) == [1] * 10 + [2] * 10
    assert all(len(set(people)) == len(people) for people in found.values())
    assert len(row(store, "cat")) == 10


def test_who_is_new_gets_the_items_with_most_free_places_and_chance_decides_between_equals(tmp_path: Path) -> None:
    store = made(tmp_path, PAIRS, "ann", "bob", items=20)
    assert set(row(store, "ann")).isdisjoint(row(store, "bob"))
    other = made(tmp_path, PAIRS, "ann", "bob", items=20, name="other")
    order = {name: [row(each, name) for each in (store, other)] for name in ("ann", "bob")}
    assert order["ann"][0] != sorted(order["ann"][0])


def test_more_items_come_behind_the_others_without_repeats_and_keep_sides_even(tmp_path: Path) -> None:
    wanted = rules(overlap=2, items_each=11, repeats=2, repeat_gap=3, checks=2)
    store = made(tmp_path, wanted, "ann", items=40, controls=10)
    for more in (5, 6, 7):
        invited(store, "ann", more=more)
        assert all(abs(lead) <= 1 for lead in leads(store, "ann").values())
    ann = annotator_id(store, "ann")
    with store.reading() as session:
        shown = session.exec(select(Presentation).where(Presentation.annotator_id == ann)).all()
        session.expunge_all()
    assert Counter(one.role for one in shown) == {"first": 29, "repeat": 2}
    assert sum(one.instructed != "" for one in shown) == 2
    assert [one.position for one in shown] == list(range(1, 32))
    assert {one.batch for one in shown if one.position > 13} == {2, 3, 4}
    assert len({one.item_code for one in shown}) == 29


def leads(store: Store, name: str) -> dict[str, int]:
    """By how many A comes first more often than B, in each stratum."""
    found: Counter[str] = Counter()
    with store.reading() as session:
        query = select(Item.stratum, Presentation.first).join(Presentation)
        me = annotator_id(store, name)
        for stratum, side in session.exec(query.where(Presentation.annotator_id == me, Presentation.role == "first")):
            found[stratum] += 1 if side == "A" else -1
    return dict(found)


LATER = 73.0


def test_an_abandoned_place_goes_to_who_comes_next_and_its_rows_stay(tmp_path: Path) -> None:
    store = made(tmp_path, rules(overlap=1, items_each=4, repeats=2, repeat_gap=2), "ann", items=4)
    ann, before = annotator_id(store, "ann"), row(store, "ann")
    finish(store, "ann", 1)
    draft = next(place for place in store.places(ann) if place.open)
    store.keep(ann, draft.presentation, 1, Entry(said("tone", 2, "A")))
    (late,) = invited(store, "early", hours=71)
    assert late.items == 0, "not yet abandoned"
    (next_one,) = invited(store, "next", hours=LATER)
    assert next_one.items == 3
    assert set(row(store, "next")) == set(before) - {before[0]}
    assert set(row(store, "ann")) == {before[0]}, "neither the items nor their repeats are ann's any more"
    assert exact(held(store), 1)
    with store.reading() as session:
        assert len(session.exec(select(Presentation).where(Presentation.annotator_id == ann)).all()) == 6
        answers = session.connection().exec_driver_sql("SELECT count(*) FROM answer WHERE value = '2'").scalar_one()
    assert answers == 1, "the draft is kept"
    assert store.submit(ann, draft.presentation, 1, complete()).outcome == "late"
    assert releases(store)["abandoned"] >= 3


def test_a_place_with_a_finished_sheet_is_never_taken(tmp_path: Path) -> None:
    store = made(tmp_path, rules(overlap=1), "ann", items=3)
    me = annotator_id(store, "ann")
    finish(store, "ann", 1)
    second = store.places(me)[1]
    store.leave(me, second.presentation, 1, "skipped", "other", Entry({}))
    invited(store, "next", hours=LATER)
    assert len(row(store, "ann")) == 2
    assert len(row(store, "next")) == 1


def test_free_places_go_first_and_then_those_of_who_was_away_for_longest(tmp_path: Path) -> None:
    store = made(tmp_path, rules(overlap=1, items_each=2), "old", items=6)
    invited(store, "newer")
    (free,) = invited(store, "next", hours=LATER)
    assert (free.items, releases(store)) == (2, Counter())
    older, newer = set(row(store, "old")), set(row(store, "newer"))
    invited(store, "last", hours=LATER)
    assert releases(store) == {"abandoned": 2}
    assert set(row(store, "last")) == older
    assert set(row(store, "newer")) == newer


def test_who_comes_back_keeps_the_places(tmp_path: Path) -> None:
    store = made(tmp_path, rules(overlap=1), "ann", items=3)
    invited(store, "ann")
    place = store.places(annotator_id(store, "ann"))[0]
    store.opened(place)
    assert invited(store, "next", hours=71)[0].items == 0
    assert len(row(store, "ann")) == 3


def test_nobody_gets_an_item_again_that_they_lost(tmp_path: Path) -> None:
    store = made(tmp_path, rules(overlap=1), "ann", items=3)
    invited(store, "bob", hours=LATER)
    assert row(store, "ann") == []
    assert invited(store, "ann", more=3, hours=2 * LATER)[0].items == 3, "her row as it was drawn"
    assert row(store, "ann") == []
    assert len(row(store, "bob")) == 3


def keeping(policy: str) -> AnnotationProtocol:
    return msgspec.structs.replace(rules(overlap=2), withdrawal=policy)


@pytest.mark.parametrize(("policy", "free"), [("keep", 3), ("remove", 5)])
def test_places_of_who_withdrew_are_free_at_once(tmp_path: Path, policy: str, free: int) -> None:
    """Finished ones too where a withdrawal removes what was answered: else the item would stay short for good."""
    store = made(tmp_path, keeping(policy), "ann", "bob", items=5)
    finish(store, "ann", 2)
    store.withdraw(annotator_id(store, "ann"))
    assert invited(store, "next")[0].items == free
    assert releases(store) == {"withdrawn": free}
    assert exact(held(store), 2)
    assert len(row(store, "bob")) == 5


def test_places_of_who_failed_practice_are_free_at_once(tmp_path: Path) -> None:
    practice = Practice((lesson({"tone.score": ("0",)}),), 1.0, 1)
    store = made(tmp_path, rules(practice, overlap=1), "ann", items=3)
    finish(store, "ann", 1)
    assert invited(store, "next")[0].items == 3
    assert releases(store) == {"abandoned": 3}


def test_a_place_given_up_counts_as_free_before_any_other_is_doubled(tmp_path: Path) -> None:
    """Eight items, each before one person: those of who withdrew come first."""
    store = made(tmp_path, rules(overlap=2, items_each=4), "ann", "bob", items=8)
    lost = set(row(store, "ann"))
    store.withdraw(annotator_id(store, "ann"))
    invited(store, "next")
    assert set(row(store, "next")) == lost


def test_no_overlap_gives_everything_to_everybody_and_takes_nothing(tmp_path: Path) -> None:
    store = made(tmp_path, rules(), "ann", items=5)
    invited(store, "bob", hours=LATER)
    assert len(row(store, "ann")) == len(row(store, "bob")) == 5
    assert releases(store) == Counter()


def test_who_answers_while_the_place_is_taken_either_keeps_it_or_is_late(tmp_path: Path) -> None:
    store = made(tmp_path, rules(overlap=1), "ann", items=1)
    ann = annotator_id(store, "ann")
    place = store.places(ann)[0]
    with ThreadPoolExecutor(2) as pool:
        answered = pool.submit(lambda: store.submit(ann, place.presentation, 1, complete()).outcome)
        taken = pool.submit(lambda: invited(Store(store.path), "next", hours=LATER)[0].items)
    assert (answered.result(), taken.result()) in (("saved", 0), ("late", 1))
    assert exact(held(store), 1)
