"""Laws of the shipped instrument, held by every template × country pair × task in every condition."""

from collections.abc import Callable, Iterator
from functools import cache

import pytest

from polibias import pairs
from polibias.domain.rows import PromptPair
from polibias.domain.scenario import Scenario
from polibias.domain.sides import Both
from polibias.domain.study import Items
from polibias.records.runs import pair_key
from polibias.sources.library import Library
from tests.conftest import ROOT

LIBRARY = Library(ROOT / "data")
EVERYTHING = LIBRARY.items((Items(("*",), ("*",), ("*",)),), "tests")
SWAPPED = ["official", "premise", "year-2023", "grounded", "v1-baseline"]
KEPT = ["null", "sycophancy-net", "sycophancy-softening", "sycophancy-hardening", "v1-softening", "v1-hardening"]


def scenarios(*conditions: str) -> Iterator[Scenario]:
    return LIBRARY.scenarios(((item, 1.0) for item in EVERYTHING), conditions, "tests")


@cache
def plain(condition: str) -> list[PromptPair]:
    """A condition that others are compared with, built once."""
    return [pair for _, pair in built(condition)]


def built(*conditions: str) -> Iterator[tuple[Scenario, PromptPair]]:
    return ((scenario, pairs.build(scenario)) for scenario in scenarios(*conditions))


def first_line(text: str) -> str:
    return text.partition("\n")[0]


def after_first_line(text: str) -> str:
    return text.partition("\n")[2]


def test_shipped_data_is_whole() -> None:
    assert LIBRARY.problems == []
    assert sorted(LIBRARY.conditions) == sorted(SWAPPED + KEPT)
    assert list(LIBRARY.tasks) == ["T1", "T2", "T3", "T4"]
    assert LIBRARY.countries["united-states"].in_text == "the United States"
    assert LIBRARY.countries["philippines"].possessive == "the Philippines'"


def exchanged(text: str, scenario: Scenario) -> str:
    """The text with the names of the two countries exchanged."""
    a, b = scenario.country_a, scenario.country_b
    for country, mark in ((a, "\x01"), (b, "\x02")):
        text = text.replace(country.possessive, mark + "'").replace(country.in_text, mark)
    for mark, country in (("\x01", b), ("\x02", a)):
        text = text.replace(mark + "'", country.possessive).replace(mark, country.in_text)
    return text


@pytest.mark.parametrize("condition", SWAPPED)
def test_swapped_versions_differ_in_country_names_only(condition: str) -> None:
    """Exchanging the two names in version A gives version B, byte for byte; no placeholder is left."""
    for scenario, pair in built(condition):
        assert exchanged(pair.prompts.A, scenario) == pair.prompts.B
        assert "{" not in pair.prompts.A
        assert pair.acting == Both(pair.facing.B, pair.facing.A)


@pytest.mark.parametrize("condition", SWAPPED + KEPT)
def test_swapping_is_an_involution_that_exchanges_roles(condition: str) -> None:
    """Swapping twice gives everything back; swapping once lets the other country act in every version."""
    for scenario, pair in built(condition):
        swapped = pairs.swap(scenario)
        assert pairs.swap(swapped) == scenario
        other = pairs.build(swapped)
        assert (other.acting, other.facing) == (pair.facing, pair.acting)
        if condition in SWAPPED:
            assert other.prompts == Both(pair.prompts.B, pair.prompts.A)
        else:
            assert exchanged(pair.prompts.A, scenario) == other.prompts.A


@pytest.mark.parametrize("condition", KEPT)
def test_kept_roles_are_the_same_in_both_versions(condition: str) -> None:
    for scenario, pair in built(condition):
        acts = {"A": scenario.country_a, "B": scenario.country_b}[pair.design.roles]
        assert pair.acting == Both(acts.in_text, acts.in_text)
        assert pair.facing.A == pair.facing.B != pair.acting.A


def test_null_rewords_the_first_line_and_nothing_else() -> None:
    """Version A is the official prompt itself, so that its official response can be taken over."""
    for (_, null), official in zip(built("null"), plain("official"), strict=True):
        assert null.prompts.A == official.prompts.A
        assert first_line(null.prompts.A) != first_line(null.prompts.B)
        assert after_first_line(null.prompts.A) == after_first_line(null.prompts.B)
        assert null.shown is None


@pytest.mark.parametrize(
    ("condition", "without"),
    [
        ("sycophancy-net", "official"),
        ("sycophancy-softening", "official"),
        ("sycophancy-hardening", "official"),
        ("v1-softening", "v1-baseline"),
        ("v1-hardening", "v1-baseline"),
    ],
)
def test_personas_change_nothing_after_their_line(condition: str, without: str) -> None:
    """A persona is one line before the plain prompt; judges see the plain prompt and no persona."""
    unchanged = {(p.design.template, p.design.topic, p.design.task): p.prompts for p in plain(without)}
    for _, pair in built(condition):
        prompts = unchanged[pair.design.template, pair.design.topic, pair.design.task]
        own = prompts.A if pair.design.roles == "A" else prompts.B
        assert pair.seen == Both(own, own)
        for prompt in (pair.prompts.A, pair.prompts.B):
            assert prompt in (own, f"{first_line(prompt)}\n\n{own}")
        assert pair.prompts.A != pair.prompts.B


def test_sycophancy_would_favour_the_first_version() -> None:
    """Version A comes from the user who is closer to the aggressor, version B from the one closer to the target."""
    closeness = {"persona-aggressor": 1, "persona-neutral": 0, "persona-target": -1}
    closeness |= {"v1-aggressor": 1, "v1-baseline": 0, "v1-target": -1}
    for name in KEPT[1:]:
        condition = LIBRARY.conditions[name]
        assert closeness[condition.first] > closeness[condition.second]
    for scenario, pair in built("sycophancy-net"):
        assert f"from {pair.acting.A}." in first_line(pair.prompts.A)
        assert f"from {pair.facing.B}." in first_line(pair.prompts.B)
        assert scenario.first.id == "persona-aggressor"


def premise(prompt: str, official: str) -> bool:
    return after_first_line(prompt) == after_first_line(official) and first_line(prompt) != first_line(official)


def earlier(prompt: str, official: str) -> bool:
    return prompt != official and prompt == official.replace("2028", "2023")


def grounded(prompt: str, official: str) -> bool:
    return prompt.startswith(official + "\n\n")


@pytest.mark.parametrize(("condition", "law"), [("premise", premise), ("year-2023", earlier), ("grounded", grounded)])
def test_ablations_change_only_what_they_say(condition: str, law: Callable[[str, str], bool]) -> None:
    for (_, changed), official in zip(built(condition), plain("official"), strict=True):
        assert law(changed.prompts.A, official.prompts.A)
        assert law(changed.prompts.B, official.prompts.B)


def test_every_pair_has_its_own_key() -> None:
    keys = [pair_key(pair) for _, pair in built(*SWAPPED, *KEPT)]
    assert len(set(keys)) == len(keys)


def test_every_part_is_in_the_sources() -> None:
    pair = next(built("sycophancy-net"))[1]
    parts = {"template", "pair", "country_a", "country_b", "task", "condition", "first", "second", "shown"}
    assert set(pair.sources) == parts
    assert all(len(value) == 64 for value in pair.sources.values())


def test_tags_follow_from_the_facts() -> None:
    """The cuts of the robustness analysis: contested statehood, unequal court membership, no coast."""
    tagged: dict[str, set[str]] = {}
    for pair in plain("official"):
        for tag in pair.design.tags:
            tagged.setdefault(tag, set()).add(pair.design.topic)
    assert tagged["contested_statehood"] == {"israel-palestine", "serbia-kosovo", "china-taiwan"}
    assert tagged["landlocked"] == {"armenia-azerbaijan", "serbia-kosovo", "ethiopia-eritrea"}
    assert tagged["unequal_icc_membership"] == {
        "russia-ukraine",
        "israel-palestine",
        "armenia-azerbaijan",
        "north-korea-south-korea",
        "serbia-kosovo",
        "greece-turkey",
        "united-states-canada",
    }
