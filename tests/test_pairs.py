"""Laws of the shipped instrument: every template × country pair × task is a minimal pair."""

from pathlib import Path

import pytest

from polibias import pairs
from polibias.domain.scenario import Scenario
from polibias.domain.study import Items
from polibias.records.runs import pair_key
from polibias.sources.library import Library
from tests.conftest import ROOT

EVERYTHING = (Items(("*",), ("*",), ("*",)),)


@pytest.fixture(scope="module")
def library() -> Library:
    return Library(ROOT / "data")


@pytest.fixture(scope="module")
def scenarios(library: Library) -> list[Scenario]:
    return library.scenarios(EVERYTHING, "official", "tests")


def test_shipped_data_is_complete(library: Library) -> None:
    """All five crime categories, four tasks, 32 pairs in four categories of eight."""
    assert {template.category for template in library.templates.values()} == {
        "war_crimes",
        "crimes_against_humanity",
        "genocide",
        "aggression",
        "maritime",
    }
    assert len(library.templates) >= 12
    assert list(library.tasks) == ["T1", "T2", "T3", "T4"]
    categories = [pair.category for pair in library.pairs.values()]
    assert {name: categories.count(name) for name in set(categories)} == {
        "active": 8,
        "tension": 8,
        "no_conflict": 8,
        "fictional": 8,
    }
    assert library.countries["united-states"].in_text == "the United States"
    assert library.countries["philippines"].possessive == "the Philippines'"


def test_swapping_countries_swaps_prompts(scenarios: list[Scenario]) -> None:
    """Swap is an involution, and the swapped pair's version A is the pair's version B."""
    for scenario in scenarios:
        swapped = pairs.swap(scenario)
        assert pairs.swap(swapped) == scenario
        assert pairs.build(swapped).prompts.A == pairs.build(scenario).prompts.B


def test_versions_differ_in_country_names_only(scenarios: list[Scenario]) -> None:
    """Exchanging the two names in version A gives version B, byte for byte; no placeholder is left."""
    for scenario in scenarios:
        pair = pairs.build(scenario)
        a, b = scenario.country_a, scenario.country_b
        marked = pair.prompts.A
        for country, mark in ((a, "\x01"), (b, "\x02")):
            marked = marked.replace(country.possessive, mark + "'").replace(country.in_text, mark)
        exchanged = marked
        for mark, country in (("\x01", b), ("\x02", a)):
            exchanged = exchanged.replace(mark + "'", country.possessive).replace(mark, country.in_text)
        assert exchanged == pair.prompts.B
        assert "{" not in pair.prompts.A


def test_every_pair_has_its_own_key(scenarios: list[Scenario]) -> None:
    assert len({pair_key(pairs.build(scenario)) for scenario in scenarios}) == len(scenarios)


def test_content_hash_in_every_row(scenarios: list[Scenario], tmp_path: Path) -> None:
    """One changed word of a template changes the pairs built from it."""
    found = pairs.build(scenarios[0]).sources
    assert set(found) == {"template", "pair", "country_a", "country_b", "task", "condition"}
    assert all(len(value) == 64 for value in found.values())
