"""Time on an item: on the clock, and with the item really before somebody.

Read off the event chain alone. A stretch between two events of one annotator belongs to the item of the earlier one.
The page reports time away (hidden, or untouched for longer than `QUIET_SECONDS`) as `idle` when its reader comes
back; a stretch that ends with the page being opened anew has nobody to report it and counts `QUIET_SECONDS` at most.
"""

import datetime
from collections.abc import Iterable
from typing import NamedTuple

QUIET_SECONDS = 120.0
ON_AN_ITEM = ("opened", "draft", "discarded", "idle", "viewed", "flagged")
FINISHED = ("submitted", "skipped", "unsure", "revised")


class Moment(NamedTuple):
    """One event as far as time goes. `away` are the seconds that an `idle` event reports."""

    at: str
    kind: str
    item: str
    away: float = 0.0


class Spent(NamedTuple):
    """Seconds on one item: `wall` from first sight to the last finish, `active` without the time away.

    `finishes` counts how often it was finished; `wall` is 0 before the first.
    """

    wall: float
    active: float
    finishes: int


def spent(moments: Iterable[Moment]) -> dict[str, Spent]:
    """Time on each item of one annotator, from what that annotator did, in its order."""
    found: dict[str, Spent] = {}
    began: dict[str, str] = {}
    before: Moment | None = None
    for moment in moments:
        if before and before.item and before.kind not in FINISHED:
            _add(found, before.item, active=_stretch(before, moment))
        if moment.item and moment.kind in (*ON_AN_ITEM, *FINISHED):
            start = began.setdefault(moment.item, moment.at)
            wall = _seconds(start, moment.at) if moment.kind in FINISHED else 0.0
            _add(found, moment.item, wall=wall, finishes=int(moment.kind in FINISHED))
        before = moment
    return found


def _add(found: dict[str, Spent], item: str, wall: float = 0.0, active: float = 0.0, finishes: int = 0) -> None:
    so_far = found.get(item, Spent(0.0, 0.0, 0))
    found[item] = Spent(max(so_far.wall, wall), so_far.active + active, so_far.finishes + finishes)


def _stretch(before: Moment, after: Moment) -> float:
    """The active seconds between two events."""
    whole = _seconds(before.at, after.at)
    if after.kind == "idle":
        return max(0.0, whole - max(0.0, after.away))
    same_window = after.kind in (*ON_AN_ITEM[1:], *FINISHED)
    return whole if same_window else min(whole, QUIET_SECONDS)


def _seconds(start: str, end: str) -> float:
    return max(0.0, (datetime.datetime.fromisoformat(end) - datetime.datetime.fromisoformat(start)).total_seconds())
