"""Who sees what in which order, and which version first: pure functions of seed, annotator and item codes.

Every draw sorts by a keyed hash instead of using a random number generator, so that an export can draw again and
compare. Each draw has a tag of its own: order tells nothing about side, neither of them about repeats or checks.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeVar

from annotate_app.protocol import Assignment
from annotate_app.questions import CHECK_VALUES
from polibias.domain.ids import tagged_hash
from polibias.domain.sides import Side, other

T = TypeVar("T")
Role = Literal["practice", "first", "repeat"]


class Placement(NamedTuple):
    """One item at one place of one annotator's row.

    `position` counts from 1 within a draw, `first` is the version shown first. `check` is the value that an
    instructed response asks for, '' for none; `options` the order in which candidates are listed, () for none.
    """

    position: int
    item: str
    first: Side
    role: Role = "first"
    check: str = ""
    options: tuple[str, ...] = ()


class Draw(NamedTuple):
    """What one draw depends on. `batch` is 0 for practice, 1 for the first share of items, 2, … for what comes later.

    `candidates` are the ids that a masked item is to be named from, () where nothing is named.
    """

    seed: int
    annotator: str
    batch: int
    candidates: tuple[str, ...] = ()


def practice(draw: Draw, items: Sequence[str]) -> list[Placement]:
    """The practice items in the protocol's order."""
    sides = first_sides(draw, dict.fromkeys(items, ""))
    return [
        Placement(position, item, sides[item], "practice", "", _options(draw, item, "practice"))
        for position, item in enumerate(items, start=1)
    ]


def share(draw: Draw, strata: Mapping[str, str], wanted: Assignment, before: Mapping[str, int]) -> list[Placement]:
    """All placements of one share of items, by position; `strata` maps item codes to opaque stratum codes.

    `before` says for each stratum by how many A came first more often than B in this annotator's earlier shares.
    """
    sides = first_sides(draw, strata, before)
    firsts = order(draw, strata)
    row = [Placement(0, item, sides[item], "first", "", _options(draw, item, "first")) for item in firsts]
    again = {
        item: Placement(0, item, other(sides[item]), "repeat", "", _options(draw, item, "repeat"))
        for item in repeated(draw, firsts, wanted.repeats, wanted.repeat_gap)
    }
    checks = instructed(draw, firsts, wanted.checks)
    checked = [one._replace(check=checks.get(one.item, "")) for one in row]
    placed = _with_repeats(draw, checked, again, wanted.repeat_gap)
    return [one._replace(position=position) for position, one in enumerate(placed, start=1)]


def order(draw: Draw, items: Iterable[str]) -> list[str]:
    """The items in this annotator's order."""
    return sorted(items, key=lambda item: tagged_hash("annotation-order/1", [draw.seed, draw.annotator, item]))


def first_sides(draw: Draw, strata: Mapping[str, str], before: Mapping[str, int] | None = None) -> dict[str, Side]:
    """Which side each item shows first.

    In one share A and B differ by at most one, over all items and within each stratum; later shares keep that
    within each stratum by beginning with the side that is behind.
    """

    def rank(item: str) -> tuple[str, str]:
        return strata[item], tagged_hash("annotation-side/1", [draw.seed, draw.annotator, item])

    ahead = dict(before or {})
    key = [draw.seed, draw.annotator, draw.batch]
    turn: Side = "A" if int(tagged_hash("annotation-first-side/1", key), 16) % 2 else "B"
    sides: dict[str, Side] = {}
    for item in sorted(strata, key=rank):
        lead = ahead.get(strata[item], 0)
        side: Side = turn if lead == 0 else "B" if lead > 0 else "A"
        ahead[strata[item]] = lead + (1 if side == "A" else -1)
        sides[item], turn = side, other(side)
    return sides


def repeated(draw: Draw, firsts: Sequence[str], count: int, gap: int) -> list[str]:
    """The items that come back: at most `count` of those that leave room for the gap, every choice equally likely."""
    early = firsts[: room(len(firsts), gap)]
    return sorted(early, key=lambda item: tagged_hash("annotation-repeat/1", [draw.seed, draw.annotator, item]))[:count]


def room(items: int, gap: int) -> int:
    """How many of so many items can come back with so large a gap."""
    return max(0, items - gap + 1)


def _with_repeats(draw: Draw, row: Sequence[Placement], again: Mapping[str, Placement], gap: int) -> list[Placement]:
    """The row with each repeat after one of the places that are far enough, every such place equally likely."""
    after: dict[int, list[Placement]] = {}
    for place, one in enumerate(row):
        if one.item in again:
            places = range(place + gap - 1, len(row))
            after.setdefault(places[_number(draw, one.item, len(places))], []).append(again[one.item])
    return [each for place, one in enumerate(row) for each in (one, *after.get(place, ()))]


def _number(draw: Draw, item: str, below: int) -> int:
    return int(tagged_hash("annotation-repeat-place/1", [draw.seed, draw.annotator, item]), 16) % below


def instructed(draw: Draw, firsts: Sequence[str], count: int) -> dict[str, str]:
    """The items that carry an instructed response, with its value; never an annotator's first one."""

    def digest(tag: str, item: str) -> str:
        return tagged_hash(tag, [draw.seed, draw.annotator, item])

    later = sorted(firsts[1:], key=lambda item: digest("annotation-check/1", item))[:count]
    values = {item: int(digest("annotation-check-value/1", item), 16) % len(CHECK_VALUES) for item in later}
    return {item: CHECK_VALUES[value] for item, value in values.items()}


def _options(draw: Draw, item: str, role: Role) -> tuple[str, ...]:
    key = [draw.seed, draw.annotator, item, role]
    return tuple(sorted(draw.candidates, key=lambda one: tagged_hash("annotation-options/1", [*key, one])))


def sample(seed: int, items: Iterable[T], size: int) -> list[T]:
    """At most `size` of the items, every choice equally likely, in no telling order."""
    return sorted(items, key=lambda item: tagged_hash("annotation-sample/1", [seed, item]))[:size]
