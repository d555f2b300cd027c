"""Which countries are favoured when their names are hidden, and whether a judge just prefers a placeholder.

A country's side is what it is in `parties`: placeholder X is A, whoever acts. Source: paper, App. H.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from polibias.analysis.cells import BLOCKS, absent, cell, possible
from polibias.analysis.copied import Copied
from polibias.analysis.findings import Cell, Column, Table, TableRow
from polibias.analysis.pbi import WEIGHTED
from polibias.stats.directions import direction_agreement, side_shares
from polibias.stats.estimate import Estimate
from polibias.stats.intervals import NO_SPREAD
from polibias.stats.proportion import share
from polibias.stats.ranks import DECIMALS

FICTIONAL = "fictional"
UNTESTED = "withheld: whether the judge prefers a placeholder cannot be told"
SAME_ACTOR = "the same country acts in both versions, so that no side is a country"
TOTAL = 0.5
"""How far a judge that is otherwise even moves the share by always naming one placeholder."""
ALIKE = 6
"""So many clusters without any difference say as much as a 95% interval: two-sided, 2 in 2**6."""
SIDES_CAPTION = (
    "Of the pairs of a country that name a side, the share that names the country, with names shown and with names "
    "hidden, over the same pairs. Further from one half: how much further that share is with names hidden; a negative "
    "number is a move towards balance. What moves it may be a prior view of the judge or what the judge rightly knows: "
    "this cannot tell. Descriptive.{weighted}"
)
SIDE_COLUMNS = (
    Column("shown", "Names shown", "share"),
    Column("hidden", "Names hidden", "share"),
    Column("change", "Further from one half", "share"),
)


class Preference(NamedTuple):
    """Whether a judge prefers a placeholder, from fictional pairs: the share that favours X, and its change.

    `withheld` says why directions of masked pairs are not reported, '' if they are.
    """

    share: Estimate
    change: Estimate
    withheld: str


def preference(one: Copied) -> Preference:
    """A preference shows where hiding fictional names moves the favoured side to a placeholder and beyond one half."""
    if not one.placed.any():
        nothing = Estimate(None, 0, 0, "", reason=SAME_ACTOR)
        return Preference(nothing, nothing, f"withheld: {SAME_ACTOR}")
    hidden, shown, clusters, weights = one.sides(one.placed & (one.frame["topic_category"] == FICTIONAL).to_numpy())
    favoured = side_shares(hidden, clusters, *one.draws("placeholder"), weights)["favouring_a"]
    change = direction_agreement(hidden, shown, clusters, *one.draws("placeholder change"), weights)[
        "favouring_a_difference"
    ]
    return Preference(possible(favoured), possible(change, -1.0), withheld(favoured, change))


def withheld(favoured: Estimate, change: Estimate) -> str:
    """Why the directions of a judge are withheld, given the share of masked fictional pairs for X and its change.

    Also where it cannot be told: where there is no interval, where the share's leaves the scale on both sides of one
    half, and where even a judge that always names one placeholder would be found out in fewer than 80% of such studies.
    """
    share, moved = limits(favoured), limits(change)
    if share is None or moved is None:
        return f"{UNTESTED} ({(favoured if share is None else change).reason})"
    if share[0] > 0.5 and moved[0] > 0:
        return "withheld: in fictional pairs the judge prefers the placeholder Country X"
    if share[1] < 0.5 and moved[1] < 0:
        return "withheld: in fictional pairs the judge prefers the placeholder Country Y"
    if share[0] <= 0.5 <= share[1] and (share[0] < 0 or share[1] > 1):
        return f"{UNTESTED} ({possible(favoured).reason})"
    if change.detectable is not None and change.detectable > TOTAL:
        return f"{UNTESTED} (too few fictional pairs: even one who always names the same might not be found)"
    return ""


def limits(estimate: Estimate) -> tuple[float, float] | None:
    """The ends of an interval; twice the value where many clusters agree on it; None where nothing can be said."""
    if estimate.low is not None and estimate.high is not None:
        return estimate.low, estimate.high
    if estimate.value is not None and estimate.reason == NO_SPREAD and estimate.clusters >= ALIKE:
        return estimate.value, estimate.value
    return None


class Seen(NamedTuple):
    """A country's share of favouring pairs in one block, with names shown and hidden."""

    country: str
    block: str
    shown: Estimate
    hidden: Estimate

    @property
    def change(self) -> float | None:
        """How much further from one half the share lies with names hidden; rounded, so that 2/3 is as far as 1/3."""
        if self.shown.value is None or self.hidden.value is None:
            return None
        return round(abs(self.hidden.value - 0.5) - abs(self.shown.value - 0.5), DECIMALS)


def seen(one: Copied) -> Iterator[Seen]:
    """Every country of every block, in the order of its name, from pairs in whose versions the two change places."""
    parties = [(case.pair.parties.A, case.pair.parties.B) for case in one.cases]
    for block in BLOCKS:
        inside = one.placed & (one.frame["block"] == block).to_numpy()
        names = sorted({name for both, chosen in zip(parties, inside, strict=True) if chosen for name in both})
        for name in names:
            sign = np.array([1.0 if a == name else -1.0 if b == name else 0.0 for a, b in parties])
            own = inside & (sign != 0)
            hidden, shown, clusters, weights = one.sides(own)
            shares = (
                side_shares(side * sign[own], clusters, *one.draws(f"{block} {name} {what}"), weights)["favouring_a"]
                for what, side in (("shown", shown), ("hidden", hidden))
            )
            yield Seen(name, block, *shares)


def towards(one: Copied) -> Cell:
    """Countries are no sample of any others, so the share has no interval."""
    changes = [found.change for found in seen(one) if found.block == "main" and found.change is not None]
    nearer = share(sum(change < 0 for change in changes), len(changes), "Main country with a share both ways")
    why = nearer.reason or "no interval: the countries are all there are"
    return cell(replace(nearer, low=None, high=None, method="share of countries", reason=why), {})


def sides_table(copies: Sequence[Copied], preferences: Mapping[tuple[str, str], Preference]) -> Table:
    """Per country, how often pairs that name a side name it."""
    rows: list[TableRow] = []
    for one in copies:
        reason = preferences[one.judge, one.name].withheld
        if reason:
            every = one.keys | {"block": "all", "country": "all"}
            rows.append(TableRow(every, dict.fromkeys(("shown", "hidden", "change"), absent(reason))))
            continue
        rows += [
            TableRow(one.keys | {"block": BLOCKS[found.block], "country": found.country}, _side_cells(one, found))
            for found in seen(one)
        ]
    keys = ("judge", "copy", "block", "country")
    caption = SIDES_CAPTION.format(weighted=WEIGHTED if any(one.tables.weighted for one in copies) else "")
    return Table("copied_sides", "Favoured country, names shown and hidden", caption, keys, SIDE_COLUMNS, tuple(rows))


def _side_cells(one: Copied, found: Seen) -> dict[str, Cell]:
    where = one.where | {"block": found.block, "party": found.country}
    change = absent("no share in one of the two")
    if found.change is not None:
        both = min(found.shown.n, found.hidden.n)
        change = cell(
            Estimate(
                found.change, both, both, "difference of distances", reason="no interval: a distance is only described"
            ),
            {},
        )
    return {
        "shown": cell(possible(found.shown), where | {"directed_before": "yes"}),
        "hidden": cell(possible(found.hidden), where | {"directed": "yes"}),
        "change": change,
    }
