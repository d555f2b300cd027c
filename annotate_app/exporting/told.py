"""What the event chain tells: the facts that a project's tables must repeat, and the times that only it holds."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import msgspec

from annotate_app.chain import NOT_THEIR_OWN
from annotate_app.timing import FINISHED, Moment
from polibias.domain.chains import Link
from polibias.records.openings import Opening

Place = tuple[str, int]
"""An annotator's name and a position in that person's row."""


class Finish(NamedTuple):
    """One finished revision as the chain keeps it: all of it; `item` is the code of what was answered."""

    at: str
    kind: str
    item: str
    body: dict[str, Any]


class Reported(NamedTuple):
    """What somebody reported about the item of a place, and when."""

    item: str
    reason: str
    comment: str
    at: str


class Agreed(NamedTuple):
    """What somebody said to a term, and when."""

    term: str
    answer: str
    text_hash: str
    at: str


class Where(msgspec.Struct, frozen=True):
    """The part of an event's body that says where it was, and for how long nobody was there."""

    position: int = 0
    seconds: float = 0.0


WHERE = msgspec.json.Decoder(Where)


class Told:
    """The facts of a chain, gathered event by event in their order. `closings` counts how often the study closed.

    `released` says by annotator and item which place was given up and why. `moments` are by annotator, each at the
    position it belongs to; who did nothing yet has none.
    """

    def __init__(self, events: Iterable[Link]) -> None:
        self.created: list[dict[str, Any]] = []
        self.invited: set[str] = set()
        self.assigned: dict[str, list[list[Any]]] = defaultdict(list)
        self.finishes: dict[Place, list[Finish]] = defaultdict(list)
        self.drafts: set[Place] = set()
        self.flags: dict[Place, list[Reported]] = defaultdict(list)
        self.terms: dict[str, list[Agreed]] = defaultdict(list)
        self.trials: dict[str, list[dict[str, int]]] = defaultdict(list)
        self.withdrawn: dict[str, tuple[str, dict[str, Any]]] = {}
        self.released: dict[tuple[str, str], tuple[int, str]] = {}
        self.closed_at, self.closings = "", 0
        self.interims: list[Opening] = []
        self.moments: dict[str, list[Moment]] = defaultdict(list)
        for event in events:
            self._take(event)

    def _take(self, event: Link) -> None:
        where = _where(event.body)
        place = (event.annotator, where.position)
        if event.kind == "draft":  # by far the most of all events: what was drafted is not read
            self.drafts.add(place)
        elif event.kind == "discarded":
            self.drafts.discard(place)
        elif event.kind in GATHERED:
            GATHERED[event.kind](self, event, place, json.loads(event.body))
        if event.kind not in NOT_THEIR_OWN:  # what others did to somebody's row takes no time
            item = str(where.position) if where.position else ""
            self.moments[event.annotator].append(Moment(event.at, event.kind, item, where.seconds))


def _where(body: str) -> Where:
    try:
        return WHERE.decode(body)
    except (msgspec.MsgspecError, ValueError):  # a lone surrogate in what was drafted
        said = json.loads(body)
        return Where(said.get("position", 0), said.get("seconds", 0.0))


Body = dict[str, Any]
Gather = Callable[[Told, Link, Place, Body], None]


def _created(told: Told, _: Link, __: Place, body: Body) -> None:
    told.created.append(body)


def _invited(told: Told, event: Link, _: Place, __: Body) -> None:
    told.invited.add(event.annotator)


def _assigned(told: Told, event: Link, _: Place, body: Body) -> None:
    told.assigned[event.annotator] += [[body["batch"], *one] for one in body["row"]]


def _finished(told: Told, event: Link, place: Place, body: Body) -> None:
    del body["position"]
    told.finishes[place].append(Finish(event.at, event.kind, event.item, body))
    told.drafts.discard(place)


def _flagged(told: Told, event: Link, place: Place, body: Body) -> None:
    told.flags[place].append(Reported(event.item, body["reason"], body["comment"], event.at))


def _agreed(told: Told, event: Link, _: Place, body: Body) -> None:
    told.terms[event.annotator].append(Agreed(body["term"], body["answer"], body["text_hash"], event.at))


def _practised(told: Told, event: Link, _: Place, body: Body) -> None:
    told.trials[event.annotator].append(body)


def _withdrawn(told: Told, event: Link, _: Place, body: Body) -> None:
    told.withdrawn.setdefault(event.annotator, (event.at, body))


def _released(told: Told, event: Link, _: Place, body: Body) -> None:
    reason = "withdrawn" if event.annotator in told.withdrawn else "abandoned"
    told.released[event.annotator, event.item] = (body["presentation"], reason)


def _closed(told: Told, event: Link, _: Place, __: Body) -> None:
    told.closed_at, told.closings = told.closed_at or event.at, told.closings + 1


def _interim(told: Told, event: Link, _: Place, body: Body) -> None:
    told.interims.append(Opening(event.at, body["reason"], body["annotations"]))


GATHERED: dict[str, Gather] = {
    "created": _created,
    "invited": _invited,
    "assigned": _assigned,
    **dict.fromkeys(FINISHED, _finished),
    "flagged": _flagged,
    "agreed": _agreed,
    "declined": _agreed,
    "practised": _practised,
    "withdrawn": _withdrawn,
    "released": _released,
    "closed": _closed,
    "interim": _interim,
}
