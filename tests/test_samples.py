"""The draw of response pairs: sizes, certainty, evenness, and chances that are exactly what is stored."""

import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polibias.domain.plan import SampleRule, Stratum
from polibias.errors import InputError
from polibias.samples import Chosen, Unit, choose, effective_n, proportional

JUDGES = ("one", "two")


def population(seed: int = 1, pairs: int = 80, models: int = 7) -> list[Unit]:
    dice = random.Random(seed)
    return [
        Unit(
            pair=f"p{number}",
            model=f"m{model}",
            block="main" if number % 4 else "control",
            task=f"T{number % 4 + 1}",
            template=f"t{number % 11}",
            category=f"c{number % 5}",
            topic=f"k{number % 9}",
            topic_category="active" if number % 4 else "fictional",
            disagreement=dice.choice((0.0, 0.5, 1.0, 1.5, 2.0, 4.5)),
        )
        for number in range(pairs)
        for model in range(models)
    ]


def blind_study(seed: int = 20280101) -> SampleRule:
    """The published design: 40 Main and 10 Control pairs, half of each even, half where the judges disagree most."""
    return SampleRule(
        seed,
        JUDGES,
        (
            Stratum("main-even", 20, "uniform", "main"),
            Stratum("main-contested", 20, "disagreement", "main"),
            Stratum("control-even", 5, "uniform", "control"),
            Stratum("control-contested", 5, "disagreement", "control"),
        ),
    )


def by_stratum(chosen: Sequence[Chosen]) -> dict[str, list[Chosen]]:
    found: dict[str, list[Chosen]] = {}
    for one in chosen:
        found.setdefault(one.stratum, []).append(one)
    return found


def test_the_published_design_has_its_sizes_and_no_pair_twice() -> None:
    chosen = choose(population(), blind_study())
    assert {name: len(own) for name, own in by_stratum(chosen).items()} == {
        "main-even": 20,
        "main-contested": 20,
        "control-even": 5,
        "control-contested": 5,
    }
    assert len({one.unit.name for one in chosen}) == 50
    assert all(one.unit.block == one.stratum.partition("-")[0] for one in chosen)


def test_the_contested_half_is_the_furthest_apart_and_stands_for_itself() -> None:
    units = population()
    found = by_stratum(choose(units, blind_study()))["main-contested"]
    assert {one.inclusion for one in found} == {1.0}
    least = min(one.unit.disagreement for one in found)
    furthest = {unit.name for unit in units if unit.block == "main" and unit.disagreement > least}
    assert furthest <= {one.unit.name for one in found}
    assert len(furthest) < 20, "so some are chosen among ties"
    other = by_stratum(choose(units, blind_study(7)))["main-contested"]
    assert {one.unit.name for one in other} != {one.unit.name for one in found}, "ties are drawn by the seed"


def test_the_even_half_is_even_over_models_and_tasks() -> None:
    for seed in range(5):
        found = by_stratum(choose(population(), blind_study(seed)))["main-even"]
        assert sorted(Counter(one.unit.model for one in found).values()) == [2, 3, 3, 3, 3, 3, 3]
        assert max(Counter(one.unit.task for one in found).values()) <= 20 * 1 / 3 + 1
        assert max(Counter((one.unit.model, one.unit.task) for one in found).values()) <= 2


def test_stored_chances_are_those_of_the_draw() -> None:
    """Over many seeds every pair is drawn as often as it should be; so weighted sums are right on average."""
    units, studies = population(pairs=12, models=3), 2000
    drawn: Counter[tuple[str, str]] = Counter()
    chance: dict[tuple[str, str], float] = {}
    rules = (Stratum("a", 4, "uniform", "main"), Stratum("b", 5, "proportional"))
    for seed in range(studies):
        for one in choose(units, SampleRule(seed, JUDGES, rules[:1])):
            drawn[one.unit.name] += 1
            chance[one.unit.name] = one.inclusion
    assert set(chance.values()) == {4 / 27}
    for count in drawn.values():
        assert abs(count / studies - 4 / 27) < 4.5 * (4 / 27 * 23 / 27 / studies) ** 0.5
    wanted = {name: float(value) for name, value in proportional(units, rules[1]).items()}
    drawn.clear()
    for seed in range(studies):
        drawn.update(one.unit.name for one in choose(units, SampleRule(seed, JUDGES, rules[1:])))
    for name, value in wanted.items():
        assert abs(drawn[name] / studies - value) <= 4.5 * (value * (1 - value) / studies) ** 0.5, name


@given(st.lists(st.integers(0, 40), min_size=3, max_size=30), st.integers(1, 30))
def test_proportional_chances_sum_to_the_size_and_none_is_above_one(sizes: list[int], pairs: int) -> None:
    units = [
        unit._replace(pair=f"q{n}", disagreement=n_ / 2)
        for n, (unit, n_) in enumerate(zip(population(), sizes, strict=False))
    ]
    stratum = Stratum("p", pairs, "proportional")
    if sum(size > 0 for size in sizes) < pairs:
        with pytest.raises(InputError, match="judges disagree on"):
            proportional(units, stratum)
        return
    chances = proportional(units, stratum)
    assert sum(chances.values()) == pairs
    assert all(0 <= value <= 1 for value in chances.values())
    open_ = [(unit.disagreement, chances[unit.name]) for unit in units if 0 < chances[unit.name] < 1]
    assert len({value / Fraction(size) for size, value in open_}) <= 1, "below one, proportional"
    if open_:
        least = max(size for size, _ in open_)
        assert all(unit.disagreement >= least for unit in units if chances[unit.name] == 1)


@settings(max_examples=30, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(0, 99))
def test_the_order_of_pairs_changes_nothing(dice: random.Random, seed: int) -> None:
    units = population(pairs=20, models=3)
    shuffled = units[:]
    dice.shuffle(shuffled)
    rule = SampleRule(seed, JUDGES, (Stratum("d", 6, "disagreement"), Stratum("u", 8), Stratum("p", 7, "proportional")))
    assert choose(units, rule) == choose(shuffled, rule)


def test_what_is_certain_comes_first_whatever_the_order_of_writing() -> None:
    rule = blind_study()
    turned = SampleRule(rule.seed, rule.judges, rule.strata[::-1])
    assert set(choose(population(), rule)) == set(choose(population(), turned))


def test_effective_n_is_kishs() -> None:
    unit = population()[0]
    even = [Chosen(unit, "s", 0.25)] * 8
    assert effective_n(even) == 8
    assert effective_n([Chosen(unit, "s", 1.0), Chosen(unit, "s", 0.5)]) == pytest.approx(9 / 5)
    assert effective_n([]) == 0


@pytest.mark.parametrize(
    ("strata", "said"),
    [
        ((Stratum("a", 500, block="main"),), "500 pairs of 420 in block 'main'"),
        ((Stratum("a", 400), Stratum("b", 400)), "stratum 'b': 400 pairs of 160"),
        ((Stratum("a", 1), Stratum("a", 1)), "two strata are named 'a'"),
        ((Stratum("a", 1, over=("colour",)),), "no factor 'colour'; there are model, task"),
    ],
)
def test_a_rule_that_cannot_be_kept_says_so(strata: tuple[Stratum, ...], said: str) -> None:
    with pytest.raises(InputError, match=said):
        choose(population(), SampleRule(1, JUDGES, strata))


def test_nobody_is_drawn_by_a_disagreement_there_is_not() -> None:
    alike = [unit._replace(disagreement=0.0) for unit in population()]
    with pytest.raises(InputError, match="1 pairs, but the judges disagree on 0"):
        choose(alike, SampleRule(1, JUDGES, (Stratum("p", 1, "proportional"),)))
