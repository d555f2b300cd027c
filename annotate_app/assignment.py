"""Who sees what in which order, and which version first: pure functions of seed, annotator and item codes.

Every draw sorts by a keyed hash instead of using a random number generator, so that an export can draw
again and compare. Order and side come from differently tagged hashes: one tells nothing about the other.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeVar

from polibias.domain.ids import tagged_hash
from polibias.domain.sides import Side, other

T = TypeVar("T")


class Placement(NamedTuple):
    """One item at one place of one annotator's row. `position` counts from 1, `first` is the side shown first."""

    position: int
    item: str
    first: Side


def draw(seed: int, annotator: str, strata: Mapping[str, str]) -> list[Placement]:
    """All of one annotator's placements, by position. `strata` maps item codes to opaque stratum codes."""
    sides = first_sides(seed, annotator, strata)
    return [
        Placement(position, item, sides[item]) for position, item in enumerate(order(seed, annotator, strata), start=1)
    ]


def order(seed: int, annotator: str, items: Iterable[str]) -> list[str]:
    """The items in this annotator's order."""
    return sorted(items, key=lambda item: tagged_hash("annotation-order/1", [seed, annotator, item]))


def first_sides(seed: int, annotator: str, strata: Mapping[str, str]) -> dict[str, Side]:
    """Which side each item shows first: A and B differ by at most one, over all items and within each stratum."""

    def rank(item: str) -> tuple[str, str]:
        return strata[item], tagged_hash("annotation-side/1", [seed, annotator, item])

    start: Side = "A" if int(tagged_hash("annotation-first-side/1", [seed, annotator]), 16) % 2 else "B"
    return {item: start if place % 2 == 0 else other(start) for place, item in enumerate(sorted(strata, key=rank))}


def sample(seed: int, items: Iterable[T], size: int) -> list[T]:
    """At most `size` of the items, every choice equally likely, in no telling order."""
    return sorted(items, key=lambda item: tagged_hash("annotation-sample/1", [seed, item]))[:size]
