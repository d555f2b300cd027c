"""One person across projects: who saw a pair unmasked never names it, who saw it masked never scores it."""

import fcntl
import os
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from annotate_app.create import BUILDING
from annotate_app.enrolment import check_names
from annotate_app.exposure import barred_pairs, enrolling, identity
from annotate_app.protocol import Practice
from annotate_app.schema import Item
from annotate_app.store import Store, open_store
from polibias.errors import InputError
from tests.app.conftest import WITHOUT_TERMS, annotator_id
from tests.app.projects import NAMING, complete, invited, lesson, made, make, rules


def masked(folder: Path, *names: str, items: int = 6, **wanted: object) -> Store:
    """A project in which countries are named; its pairs are the first ones of `blind`."""
    return made(folder, rules(**wanted), *names, scheme=NAMING, items=items, name="masked")


def blind(folder: Path, *names: str, items: int = 6) -> Store:
    return made(folder, WITHOUT_TERMS, *names, items=items, name="blind")


def pairs(store: Store, name: str) -> set[str]:
    """The pairs that somebody has in a project."""
    found = set()
    with store.reading() as session:
        for place in store.places(annotator_id(store, name)):
            item = session.get_one(Item, store.view(place).item.code)
            found.add(item.pair)
    return found


def every_pair(store: Store) -> set[str]:
    with store.reading() as session:
        return {pair for (pair,) in session.connection().exec_driver_sql("SELECT pair FROM item WHERE lesson = ''")}


def test_who_named_the_countries_of_a_pair_never_scores_it_and_the_other_way_round(tmp_path: Path) -> None:
    one, two = masked(tmp_path, "ann", items=4), blind(tmp_path, "bob")
    assert len(every_pair(one) & every_pair(two)) == 4
    invited(two, "ann")
    assert pairs(two, "ann") == every_pair(two) - every_pair(one)
    assert invited(one, "bob")[0].items == 0
    assert barred_pairs(two.path, "cat") == frozenset()
    invited(two, "cat")
    assert pairs(two, "cat") == every_pair(two)


def test_more_items_are_barred_too(tmp_path: Path) -> None:
    one = masked(tmp_path, "ann", items=2)
    two = made(tmp_path, rules(items_each=2), "ann", items=5, name="blind")
    assert invited(two, "ann", more=5)[0].items == 3
    assert pairs(two, "ann").isdisjoint(pairs(one, "ann"))


def test_two_projects_of_one_kind_bar_nothing(tmp_path: Path) -> None:
    one = blind(tmp_path, "ann")
    two = made(tmp_path, WITHOUT_TERMS, "ann", name="again")
    assert pairs(two, "ann") <= pairs(one, "ann")


@pytest.mark.parametrize("name", ["ANN LEE", "Ann  Lee", "Ann\u2009Lee", "Ａｎｎ Ｌｅｅ", "ann lee", "aNN\u00a0lEE"])
def test_however_a_name_is_typed_it_is_one_person(tmp_path: Path, name: str) -> None:
    one, two = masked(tmp_path, "Ann Lee"), blind(tmp_path)
    assert identity(name) == identity("Ann Lee")
    assert barred_pairs(two.path, name) == every_pair(one)


def test_two_spellings_in_one_project_are_one_person_too(tmp_path: Path) -> None:
    store = blind(tmp_path, "Straße", "Ａｎｎ")
    assert [one.annotator for one in invited(store, "STRASSE", "ann")] == ["Straße", "Ａｎｎ"]
    with pytest.raises(InputError, match="named twice"):
        check_names(["ann", "ANN"])


@given(st.text(max_size=8))
@example("ͅ\u0345ᾳ")
@example("ﬁ İ ẞ ǅ ſ K Å")
def test_the_name_that_is_compared_is_its_own_name(name: str) -> None:
    assert identity(identity(name)) == identity(name)


def test_invitations_to_two_projects_at_once_take_turns(tmp_path: Path) -> None:
    one, two = masked(tmp_path), blind(tmp_path)
    gate = threading.Barrier(2)

    def enter(store: Store) -> None:
        gate.wait()
        invited(store, "ann")

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(enter, (one, two)))
    assert pairs(one, "ann").isdisjoint(pairs(two, "ann"))
    assert len(pairs(one, "ann") | pairs(two, "ann")) == 6


def test_the_folder_is_held_for_as_long_as_the_block_lasts(tmp_path: Path) -> None:
    other = os.open(tmp_path, os.O_RDONLY)
    with enrolling(tmp_path), pytest.raises(BlockingIOError):
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(other)


def test_a_project_whose_pairs_were_coded_with_another_key_stops_the_invitation(tmp_path: Path) -> None:
    one = masked(tmp_path, "ann")
    (tmp_path / "sealed").rename(tmp_path / "elsewhere")
    two = blind(tmp_path)
    assert every_pair(one).isdisjoint(every_pair(two))
    with pytest.raises(InputError, match="another key") as refused:
        invited(two, "Ann")
    assert str(refused.value).count("\n") == 0
    assert invited(two, "bob")[0].items == 6, "whom the other project does not know"


def test_a_project_that_cannot_be_read_stops_the_invitation(tmp_path: Path) -> None:
    one, two = masked(tmp_path, "ann"), blind(tmp_path)
    with closing(sqlite3.connect(one.path, isolation_level=None)) as other:
        other.execute("UPDATE alembic_version SET version_num = '0000'")
    with pytest.raises(InputError, match="polibias-annotate upgrade"):
        invited(two, "ann")


def test_what_a_killed_create_left_is_no_project(tmp_path: Path) -> None:
    two = blind(tmp_path)
    left = tmp_path / "projects" / f"{BUILDING}x"
    left.mkdir()
    (left / "blind.db").write_bytes(b"")
    assert invited(two, "ann")[0].items == 6


def test_practice_items_bar_nothing(tmp_path: Path) -> None:
    """They belong to no pair."""
    practice = Practice((lesson({}),))
    one = masked(tmp_path, "ann", items=1, practice=practice)
    two = made(tmp_path, rules(practice), "ann", items=3, name="blind")
    assert len(store_row(two, "ann")) == 1 + 2
    assert barred_pairs(two.path, "ann") == every_pair(one)


def store_row(store: Store, name: str) -> list[int]:
    return [place.presentation for place in store.places(annotator_id(store, name))]


def test_a_place_that_was_lost_unseen_bars_nothing_and_a_seen_one_does(tmp_path: Path) -> None:
    one = masked(tmp_path, "ann", items=4, overlap=1)
    ann = annotator_id(one, "ann")
    place = one.places(ann)[0]
    one.opened(place)
    with one.reading() as session:
        seen = session.get_one(Item, one.view(place).item.code).pair
    two = blind(tmp_path)
    assert barred_pairs(two.path, "ann") == every_pair(one), "what she has before her she may look at"
    invited(one, "next", hours=73)
    assert one.places(ann) == []
    assert barred_pairs(two.path, "ann") == {seen}
    assert barred_pairs(two.path, "next") == every_pair(one)


def test_answers_bar_as_sightings_do(tmp_path: Path) -> None:
    """A finished place is never lost but to a withdrawal, and what was answered was seen."""
    one = masked(tmp_path, "ann", items=3, overlap=1)
    ann = annotator_id(one, "ann")
    place = one.places(ann)[0]
    assert one.submit(ann, place.presentation, 1, complete(NAMING)).outcome == "saved"
    one.withdraw(ann)
    invited(one, "next")
    two = blind(tmp_path)
    assert len(barred_pairs(two.path, "ann")) == 1


def test_a_project_is_opened_by_its_own_path_only_once(tmp_path: Path) -> None:
    made_here = make(tmp_path, WITHOUT_TERMS)
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "projects")
    store = open_store(link / "study" / "blind.db")
    invited(store, "ann")
    assert barred_pairs(made_here.database, "ann") == frozenset()
