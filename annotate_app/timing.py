"""Time on an item: on the clock, and with the item really before somebody.

Read off the event chain alone. A stretch between two events of one annotator belongs to the item of the earlier one.
The page reports time away (hidden, or untouched for longer than `QUIET_SECONDS`) as `idle` when its reader comes
back; a stretch that ends with the page being opened anew has nobody to report it and counts `QUIET_SECONDS` at most.
The very click with which somebody comes back can be stored before the report: what the report's own stretch cannot
hold is taken from the stretch that the click ended.
"""

import datetime
from collections.abc import Iterable
from typing import NamedTuple

QUIET_SECONDS = 120.0
ON_AN_ITEM = ("opened", "draft", "discarded", "idle", "viewed", "flagged")
SAME_WINDOW = ON_AN_ITEM[1:]
FINISHED = ("submitted", "skipped", "unsure", "revised")
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


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


NOTHING = Spent(0.0, 0.0, 0)


def spent(moments: Iterable[Moment]) -> dict[str, Spent]:
    """Time on each item of one annotator, from what that annotator did, in its order."""
    found: dict[str, Spent] = {}
    began: dict[str, datetime.datetime] = {}
    before, then, last = Moment("", "", ""), EPOCH, ("", 0.0)
    for moment in moments:
        at = datetime.datetime.fromisoformat(moment.at)
        if moment.kind == "idle" and moment.item == last[0]:
            wall, active, finishes = found[moment.item]
            late = min(max(0.0, moment.away - _seconds(then, at)), last[1])
            found[moment.item] = Spent(wall, active - late, finishes)
            last = moment.item, last[1] - late
        if before.item and before.kind not in FINISHED:
            wall, active, finishes = found.get(before.item, NOTHING)
            last = before.item, _stretch(then, at, moment)
            found[before.item] = Spent(wall, active + last[1], finishes)
        if moment.item and (moment.kind in FINISHED or moment.kind in ON_AN_ITEM):
            start = began.setdefault(moment.item, at)
            wall, active, finishes = found.setdefault(moment.item, NOTHING)
            if moment.kind in FINISHED:
                found[moment.item] = Spent(max(wall, _seconds(start, at)), active, finishes + 1)
        before, then = moment, at
    return found


def _stretch(then: datetime.datetime, at: datetime.datetime, after: Moment) -> float:
    """The active seconds between two events, `after` being the later one."""
    whole = _seconds(then, at)
    if after.kind == "idle":
        return max(0.0, whole - max(0.0, after.away))
    same_window = after.kind in FINISHED or after.kind in SAME_WINDOW
    return whole if same_window else min(whole, QUIET_SECONDS)


def _seconds(start: datetime.datetime, end: datetime.datetime) -> float:
    return max(0.0, (end - start).total_seconds())
