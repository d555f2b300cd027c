"""Who sees what in which order, and which version first: laws of the draws."""

import re
from collections import Counter
from collections.abc import Iterable
from itertools import combinations, groupby, permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from annotate_app.assignment import Draw, Placement, first_sides, order, practice, room, sample, share
from annotate_app.protocol import Assignment
from annotate_app.questions import CHECK_VALUES
from polibias.domain.sides import Side, other

APP = Path(__file__).resolve().parents[2] / "annotate_app"
CODES = st.text(st.characters(codec="ascii"), max_size=6)
STRATA = st.dictionaries(CODES, st.sampled_from("pqr"), max_size=40)
CANDIDATES = ("fr", "de", "il", "ir")
DRAWS = st.builds(Draw, st.integers(0, 2**63 - 1), st.text(max_size=8), st.integers(1, 3), st.just(CANDIDATES))
WANTED = st.builds(
    Assignment,
    repeats=st.integers(0, 12),
    repeat_gap=st.integers(1, 15),
    checks=st.integers(0, 12),
)


@given(DRAWS, STRATA, WANTED)
def test_every_item_comes_first_once_and_a_second_draw_is_the_same(
    draw: Draw, strata: dict[str, str], wanted: Assignment
) -> None:
    row = share(draw, strata, wanted, {})
    assert sorted(one.item for one in row if one.role == "first") == sorted(strata)
    assert [one.position for one in row] == list(range(1, len(row) + 1))
    assert row == share(draw, dict(reversed(strata.items())), wanted, {})


@given(DRAWS, STRATA, WANTED)
def test_the_order_depends_on_seed_person_and_item_alone(
    draw: Draw, strata: dict[str, str], wanted: Assignment
) -> None:
    firsts = [one.item for one in share(draw, strata, wanted, {}) if one.role == "first"]
    assert firsts == order(draw, strata)
    some = [item for item in firsts if strata[item] == "p"]
    assert order(draw._replace(batch=9, candidates=()), some) == some


@given(DRAWS, STRATA)
def test_first_sides_differ_by_at_most_one_over_all_and_within_each_stratum(draw: Draw, strata: dict[str, str]) -> None:
    sides = first_sides(draw, strata)
    for group in (list(strata), *([item for item in strata if strata[item] == name] for name in "pqr")):
        assert abs(_lead(sides[item] for item in group)) <= 1


@given(DRAWS, st.lists(STRATA, min_size=1, max_size=4))
def test_over_several_shares_first_sides_stay_balanced_within_each_stratum(
    draw: Draw, shares: list[dict[str, str]]
) -> None:
    lead: Counter[str] = Counter()
    for batch, strata in enumerate(shares, start=1):
        items = {f"{batch}-{item}": stratum for item, stratum in strata.items()}
        for item, side in first_sides(draw._replace(batch=batch), items, lead).items():
            lead[items[item]] += 1 if side == "A" else -1
        assert all(abs(value) <= 1 for value in lead.values())


@given(DRAWS, STRATA, WANTED)
def test_repeats_come_late_enough_on_the_other_side_and_move_nothing(
    draw: Draw, strata: dict[str, str], wanted: Assignment
) -> None:
    row = share(draw, strata, wanted, {})
    firsts = {one.item: one for one in row if one.role == "first"}
    again = [one for one in row if one.role == "repeat"]
    assert len(again) == min(wanted.repeats, room(len(strata), wanted.repeat_gap)) == len({one.item for one in again})
    for one in again:
        before = firsts[one.item]
        assert one.position - before.position >= wanted.repeat_gap
        assert one.first == other(before.first)
        assert one.check == ""
    plain = share(draw, strata, Assignment(checks=wanted.checks), {})
    assert [one[1:] for one in plain] == [one[1:] for one in row if one.role == "first"]


@given(DRAWS, STRATA, WANTED)
def test_instructed_responses_stand_on_so_many_items_and_never_on_the_first(
    draw: Draw, strata: dict[str, str], wanted: Assignment
) -> None:
    row = share(draw, strata, wanted, {})
    checked = [one for one in row if one.check]
    assert len(checked) == min(wanted.checks, max(0, len(strata) - 1))
    assert all(one.check in CHECK_VALUES and one.role == "first" and one.position > 1 for one in checked)


@given(DRAWS, STRATA)
def test_practice_keeps_its_order_and_balances_sides(draw: Draw, strata: dict[str, str]) -> None:
    row = practice(draw, list(strata))
    assert [(one.position, one.item) for one in row] == list(enumerate(strata, start=1))
    assert abs(_lead(one.first for one in row)) <= 1
    assert all(one.role == "practice" and sorted(one.options) == sorted(CANDIDATES) for one in row)


def _lead(sides: Iterable[Side]) -> int:
    found = Counter(sides)
    return found["A"] - found["B"]


STUDY = {f"item-{number:02d}": "control" if number >= 40 else "main" for number in range(50)}


@pytest.fixture(scope="module")
def crowd() -> list[list[Placement]]:
    """Two hundred annotators, each with all fifty items, forty of one stratum and ten of another."""
    return [share(Draw(20280101, f"annotator-{n}", 1), STUDY, Assignment(), {}) for n in range(200)]


def test_two_hundred_annotators_get_unrelated_orders(crowd: list[list[Placement]]) -> None:
    taus = [_tau([int(one.item[-2:]) for one in row]) for row in crowd]
    assert abs(sum(taus) / len(taus)) < 0.02
    assert 0.065 < sum(map(abs, taus)) / len(taus) < 0.091
    assert len({tuple(one.item for one in row) for row in crowd}) == len(crowd)
    first = Counter(row[0].item for row in crowd)
    assert chisquare([first[item] for item in STUDY]).pvalue > 0.01


def test_the_first_side_is_even_and_tells_neither_rank_nor_stratum_nor_item(crowd: list[list[Placement]]) -> None:
    def share_of_a(found: list[Placement]) -> float:
        return sum(one.first == "A" for one in found) / len(found)

    every = [one for row in crowd for one in row]
    assert 0.45 < share_of_a(every) < 0.55
    for stratum in ("main", "control"):
        assert 0.45 < share_of_a([one for one in every if STUDY[one.item] == stratum]) < 0.55
    ranks = [sum(row[rank].first == "A" for row in crowd) for rank in range(len(STUDY))]
    items = [sum(one.first == "A" for one in every if one.item == item) for item in STUDY]
    for counts in (ranks, items):
        assert all(65 <= count <= 135 for count in counts), "five standard deviations"
        both = [*counts, *(len(crowd) - count for count in counts)]
        assert chisquare(both, ddof=len(counts) - 1).pvalue > 0.001
    pairs = [row[rank].first == row[rank + 1].first for row in crowd for rank in range(len(STUDY) - 1)]
    assert 0.46 < sum(pairs) / len(pairs) < 0.54, "a side tells little about the next one"


def test_repeats_and_checks_fall_everywhere() -> None:
    wanted = Assignment(repeats=5, repeat_gap=10, checks=2)
    rows = [share(Draw(5, f"annotator-{n}", 1), STUDY, wanted, {}) for n in range(600)]
    again = Counter(one.item for row in rows for one in row if one.role == "repeat")
    checks = Counter(one.item for row in rows for one in row if one.check)
    values = Counter(one.check for row in rows for one in row if one.check)
    for found, keys in ((again, STUDY), (checks, STUDY), (values, CHECK_VALUES)):
        assert chisquare([found[key] for key in keys]).pvalue > 0.001


def test_candidates_are_listed_in_every_order_alike() -> None:
    three = CANDIDATES[:3]
    rows = [share(Draw(5, f"a-{n}", 1, three), {f"i{k}": "p" for k in range(10)}, Assignment(), {}) for n in range(300)]
    found = Counter(one.options for row in rows for one in row)
    assert chisquare([found[each] for each in permutations(three)]).pvalue > 0.01
    repeated = share(Draw(5, "ann", 1, CANDIDATES), STUDY, Assignment(repeats=5), {})
    both = [list(group) for _, group in groupby(sorted(repeated, key=lambda one: one.item), lambda one: one.item)]
    assert any(one.options != two.options for one, two in (pair for pair in both if len(pair) == 2))


@given(st.integers(0, 2**31), st.integers(0, 50))
def test_a_sample_is_part_of_every_larger_sample(seed: int, size: int) -> None:
    items = [f"i{number}" for number in range(40)]
    assert sample(seed, items, size) == sample(seed, list(reversed(items)), size + 1)[:size]


def test_the_app_uses_no_random_number_generator() -> None:
    for path in sorted(APP.rglob("*.py")):
        text = path.read_text("utf-8")
        assert not re.search(r"\brandom\.|\bimport random\b|\bfrom random\b|\.shuffle\(|func\.random|numpy", text), path


def _tau(ranks: list[int]) -> float:
    """Kendall's tau to the import order, by its definition."""
    signs = [1 if later > earlier else -1 for earlier, later in combinations(ranks, 2)]
    return sum(signs) / len(signs)
