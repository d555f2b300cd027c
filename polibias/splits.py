"""Which pairs of a sample calibrate and which are held out: a seeded split in which whatever belongs together stays so.

Order and coins come from keyed hashes, so a split does not depend on the order in which pairs are given.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from polibias.domain.ids import tagged_hash
from polibias.domain.plan import SplitRule
from polibias.errors import InputError
from polibias.sampling import even, keyed_coin, rounded

ALGORITHM = "calibration-split-1"
FACTORS = ("block", "task", "template", "category", "topic", "topic_category")


class Member(NamedTuple):
    """A pair of the sample with its factors."""

    pair: str
    block: str
    task: str
    template: str
    category: str
    topic: str
    topic_category: str


class Sets(NamedTuple):
    """The pairs of either set, and those in neither, each sorted."""

    calibration: tuple[str, ...]
    held_out: tuple[str, ...]
    left: tuple[str, ...]


def divide(members: Iterable[Member], rule: SplitRule) -> Sets:
    """The two sets. Raises InputError if there are fewer pairs than asked for, or a factor is not known."""
    pairs = sorted(members)
    for factor in rule.over:
        if factor not in FACTORS:
            raise InputError(f"split: no factor '{factor}'; there are {', '.join(FACTORS)}")
    if rule.calibration + max(rule.held_out, 1) > len(pairs):
        wanted = f"{rule.calibration} calibration pairs and {rule.held_out or 'at least 1'} held out"
        raise InputError(f"split: {wanted}, but the sample has {len(pairs)} pairs; ask for fewer, or draw more")
    draw = _pairs if rule.together == "pair" else _groups
    calibration = draw(pairs, rule.calibration, rule, "calibration")
    rest = [one for one in pairs if one not in calibration]
    held_out = draw(rest, rule.held_out, rule, "held out") if rule.held_out else set(rest)
    if not calibration or not held_out:
        raise InputError(f"split: no whole {rule.together} fits into a set of this size; ask for more pairs")
    left = set(rest) - held_out
    return Sets(*(tuple(sorted(one.pair for one in chosen)) for chosen in (calibration, held_out, left)))


def _pairs(pairs: Sequence[Member], size: int, rule: SplitRule, purpose: str) -> set[Member]:
    """Exactly so many, as even over the factors as integers allow; every pair with the same chance."""
    order = _shuffled(pairs, rule.seed, purpose)
    flows = [even([getattr(one, name) for name in rule.over], Fraction(size, len(pairs))) for one in order]
    drawn = rounded(flows, keyed_coin(rule.seed, ["split", purpose]))
    return {one for one, number in zip(order, drawn, strict=True) if number}


def _groups(pairs: Sequence[Member], size: int, rule: SplitRule, purpose: str) -> set[Member]:
    """Whole groups in a drawn order, as many as fit."""
    groups: dict[str, list[Member]] = {}
    for one in pairs:
        groups.setdefault(getattr(one, rule.together), []).append(one)
    chosen: set[Member] = set()
    for name in sorted(groups, key=lambda name: tagged_hash(ALGORITHM, [rule.seed, purpose, name])):
        if len(chosen) + len(groups[name]) <= size:
            chosen |= set(groups[name])
    return chosen


def _shuffled(pairs: Iterable[Member], seed: int, purpose: str) -> list[Member]:
    return sorted(pairs, key=lambda one: tagged_hash(ALGORITHM, [seed, purpose, one.pair]))
