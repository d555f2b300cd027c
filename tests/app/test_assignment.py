"""Order and first side: laws of the draws."""

from collections import Counter
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from annotate_app.assignment import draw, first_sides, order, sample

SEEDS = st.integers(0, 2**31)
NAMES = st.text(max_size=8)
STRATA = st.dictionaries(st.text(st.characters(codec="ascii"), max_size=6), st.sampled_from("pqr"), max_size=40)


@given(SEEDS, NAMES, STRATA)
def test_every_item_has_one_place_and_a_second_draw_is_the_same(
    seed: int, annotator: str, strata: dict[str, str]
) -> None:
    placements = draw(seed, annotator, strata)
    assert sorted(placement.item for placement in placements) == sorted(strata)
    assert [placement.position for placement in placements] == list(range(1, len(strata) + 1))
    assert placements == draw(seed, annotator, dict(reversed(strata.items())))


@given(SEEDS, NAMES, STRATA)
def test_first_sides_differ_by_at_most_one_overall_and_within_each_stratum(
    seed: int, annotator: str, strata: dict[str, str]
) -> None:
    sides = first_sides(seed, annotator, strata)
    groups = [list(strata), *([item for item in strata if strata[item] == name] for name in "pqr")]
    for group in groups:
        found = Counter(sides[item] for item in group)
        assert abs(found["A"] - found["B"]) <= 1


def test_two_hundred_annotators_get_unrelated_orders_and_sides() -> None:
    items = {f"item-{number:02d}": "pq"[number % 5 == 0] for number in range(50)}
    rows = [draw(20280101, f"annotator-{number}", items) for number in range(200)]
    taus = [_tau([int(place.item[-2:]) for place in row]) for row in rows]
    assert abs(sum(taus) / len(taus)) < 0.02
    assert 0.065 < sum(map(abs, taus)) / len(taus) < 0.091
    shown_first = [place.first for row in rows for place in row]
    assert 0.45 < shown_first.count("A") / len(shown_first) < 0.55
    early = [place.first for row in rows for place in row if place.position <= 25]
    assert 0.45 < early.count("A") / len(early) < 0.55
    assert len({tuple(place.item for place in row) for row in rows}) == 200


def test_an_item_shows_either_side_first_to_about_half_of_the_annotators() -> None:
    items = {f"item-{number}": "p" for number in range(7)}
    rows = [first_sides(3, f"annotator-{number}", items) for number in range(400)]
    for item in items:
        assert 150 < sum(row[item] == "A" for row in rows) < 250


@given(SEEDS, st.integers(0, 50))
def test_a_sample_is_part_of_every_larger_sample(seed: int, size: int) -> None:
    items = [f"i{number}" for number in range(40)]
    assert sample(seed, items, size) == sample(seed, list(reversed(items)), size + 1)[:size]


def test_order_depends_on_seed_and_annotator() -> None:
    items = [f"i{number}" for number in range(30)]
    drawn = {tuple(order(seed, name, items)) for seed in (1, 2) for name in ("ann", "bob")}
    assert len(drawn) == 4


def _tau(ranks: list[int]) -> float:
    """Kendall's tau to the import order, by its definition."""
    signs = [1 if later > earlier else -1 for earlier, later in combinations(ranks, 2)]
    return sum(signs) / len(signs)
