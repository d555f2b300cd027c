"""Which response pairs people get: a stratified draw in which every pair's chance is known.

What is taken for certain, because the judges disagree on it most, is set aside first and stands for itself. The rest
is drawn by controlled rounding (`sampling.py`), uniformly or with probabilities proportional to the disagreement,
which are exact whatever the sizes. Order and coins come from keyed hashes, so a draw does not depend on the order in
which pairs are given. Source: the blind study of the paper; Tillé 2006 for fixed-size draws with unequal chances.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from polibias.domain.ids import tagged_hash
from polibias.domain.plan import FACTORS, SampleRule, Stratum
from polibias.errors import InputError
from polibias.sampling import even, keyed_coin, rounded

ALGORITHM = "response-pairs-1"
GRAIN = 10**9
"""Disagreement is rounded to billionths before it is compared: 0.1 + 0.2 ties with 0.3."""


class Unit(NamedTuple):
    """A pair as one model answered it, with its factors and the distance of the two judges' scores."""

    pair: str
    model: str
    block: str
    task: str
    template: str
    category: str
    topic: str
    topic_category: str
    disagreement: float

    @property
    def name(self) -> tuple[str, str]:
        return self.pair, self.model


class Chosen(NamedTuple):
    """A unit that was drawn, from which stratum, with which probability (1 if it was certain), and out of how many."""

    unit: Unit
    stratum: str
    inclusion: float
    pool: int = 0


def choose(units: Iterable[Unit], rule: SampleRule) -> list[Chosen]:
    """The sample, in the order of the strata and then of a keyed hash.

    Raises InputError for a stratum that asks for more than is left, names an unknown factor, or has no disagreement.
    """
    left = {unit.name: unit for unit in sorted(units)}
    chosen: dict[str, list[Chosen]] = {}
    names = [stratum.name for stratum in rule.strata]
    if len(set(names)) < len(names):
        raise InputError(f"two strata are named '{next(name for name in names if names.count(name) > 1)}'")
    for stratum in sorted(rule.strata, key=lambda one: one.rule != "disagreement"):
        pool = [unit for unit in left.values() if stratum.block in ("", unit.block)]
        if stratum.pairs > len(pool):
            what = f" in block '{stratum.block}'" if stratum.block else ""
            raise InputError(f"stratum '{stratum.name}': {stratum.pairs} pairs of {len(pool)}{what}; ask for fewer")
        chosen[stratum.name] = _drawn(pool, stratum, rule.seed)
        for one in chosen[stratum.name]:
            del left[one.unit.name]
    return [one for name in names for one in chosen[name]]


def _drawn(pool: Sequence[Unit], stratum: Stratum, seed: int) -> list[Chosen]:
    order = _shuffled(pool, seed, stratum.name)
    if stratum.rule == "disagreement":
        furthest = sorted(order, key=lambda unit: -_grains(unit))
        return [Chosen(unit, stratum.name, 1.0, len(pool)) for unit in furthest[: stratum.pairs]]
    for factor in stratum.over:
        if factor not in FACTORS:
            raise InputError(f"stratum '{stratum.name}': no factor '{factor}'; there are {', '.join(FACTORS)}")
    chance = _uniform(order, stratum) if stratum.rule == "uniform" else proportional(order, stratum)
    flows = [even([getattr(unit, name) for name in stratum.over], chance[unit.name]) for unit in order]
    drawn = rounded(flows, keyed_coin(seed, ["sample", stratum.name]))
    return [
        Chosen(unit, stratum.name, float(chance[unit.name]), len(pool))
        for unit, number in zip(order, drawn, strict=True)
        if number
    ]


def _shuffled(units: Iterable[Unit], seed: int, purpose: str) -> list[Unit]:
    return sorted(units, key=lambda unit: tagged_hash(ALGORITHM, [seed, purpose, *unit.name]))


def _grains(unit: Unit) -> int:
    return round(unit.disagreement * GRAIN)


def _uniform(pool: Sequence[Unit], stratum: Stratum) -> dict[tuple[str, str], Fraction]:
    return {unit.name: Fraction(stratum.pairs, len(pool)) for unit in pool}


def proportional(pool: Sequence[Unit], stratum: Stratum) -> dict[tuple[str, str], Fraction]:
    """Chances proportional to disagreement whose sum is the stratum's size; none above 1.

    A pair whose share would be above 1 is certain, and the others share what it leaves, again and again. A pair
    without disagreement has no chance. Raises InputError if fewer pairs disagree than are asked for.
    """
    size = {unit.name: _grains(unit) for unit in pool}
    positive = sum(grains > 0 for grains in size.values())
    if positive < stratum.pairs:
        raise InputError(
            f"stratum '{stratum.name}': {stratum.pairs} pairs, but the judges disagree on {positive}; ask for fewer"
        )
    certain: set[tuple[str, str]] = set()
    while True:
        open_, total = stratum.pairs - len(certain), sum(size[name] for name in size if name not in certain)
        more = {name for name in size if name not in certain and size[name] * open_ > total}
        if not more:
            return {name: Fraction(1) if name in certain else Fraction(size[name] * open_, total) for name in size}
        certain |= more


def effective_n(chosen: Sequence[Chosen]) -> float:
    """The number of equally weighted pairs that would be as precise as the sample. Source: Kish 1965."""
    weights = [1 / one.inclusion for one in chosen]
    return sum(weights) ** 2 / sum(weight**2 for weight in weights) if weights else 0.0
