"""Which items still need annotators, and whose abandoned places may go to somebody else.

Every function works inside a transaction that writes: two people enrolled at once take turns, so that no item ever
gets more annotators than its overlap. Nothing that was answered is ever taken away.
"""

import datetime
from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import func
from sqlmodel import Session, col, select

from annotate_app.chain import now, stamp
from annotate_app.protocol import Assignment
from annotate_app.schema import Annotator, Event, Item, Presentation, Release, Sheet, Withdrawal
from polibias.domain.ids import tagged_hash


class Held(NamedTuple):
    """A place in somebody's row that counts towards an item's overlap."""

    presentation: int
    item: str
    annotator: int


class Share(NamedTuple):
    """What a person gets: items by code with their stratum, and the places taken over from others for it."""

    strata: dict[str, str]
    taken_over: list[Held]


def choose(
    session: Session, seed: int, annotator: Annotator, wanted: Assignment, size: int, barred: Collection[str]
) -> Share:
    """At most `size` items (0 for all) for a person: those with most free places first, chance deciding between equals.

    Places that were abandoned are taken over only once no free ones are left. `barred` are pair codes that this
    person must not see; an item that they ever had is not given again.
    """
    had = set(session.exec(select(Presentation.item_code).where(Presentation.annotator_id == annotator.id)).all())
    study = session.exec(select(Item).where(Item.lesson == "")).all()
    free = {item.code: item.stratum for item in study if item.code not in had and item.pair not in barred}
    held = places_held(session)
    taken = Counter(one.item for one in held)
    limit = wanted.overlap or len(held) + 1
    stale = {one.item: one for one in held if one in set(_abandoned(session, held, wanted.reopen_after_hours))}

    def rank(code: str) -> tuple[int, int, str]:
        full = taken[code] >= limit
        return int(full), taken[code], tagged_hash("annotation-slot/1", [seed, annotator.identity, code])

    open_to_me = [code for code in sorted(free, key=rank) if taken[code] < limit or code in stale]
    chosen = open_to_me[: size or len(open_to_me)]
    return Share({code: free[code] for code in chosen}, [stale[code] for code in chosen if taken[code] >= limit])


def places_held(session: Session) -> list[Held]:
    """Every first presentation of a study item that was not released."""
    released = select(Release.presentation_id)
    query = select(Presentation).where(Presentation.role == "first", col(Presentation.id).not_in(released))
    return [Held(one.id or 0, one.item_code, one.annotator_id) for one in session.exec(query).all()]


def _abandoned(session: Session, held: list[Held], hours: float) -> list[Held]:
    """The held places without a finished sheet whose annotator was not active for so long, oldest first."""
    finished = set(session.exec(select(Sheet.presentation_id).where(Sheet.state != "draft")).all())
    since = stamp(datetime.datetime.now(datetime.UTC) - datetime.timedelta(hours=hours))
    latest = last_activity(session)
    gone = set(session.exec(select(Withdrawal.annotator_id)).all())
    idle = [one for one in held if one.annotator in gone or latest.get(one.annotator, "") <= since]
    return [one for one in idle if one.presentation not in finished]


def last_activity(session: Session) -> dict[int, str]:
    """When each annotator was last heard of, being invited included."""
    rows = session.exec(
        select(Annotator.id, func.max(Event.at))
        .join(Event, onclause=col(Event.annotator) == col(Annotator.name))
        .where(Event.kind != "released")
        .group_by(col(Annotator.id))
    ).all()
    return {number: str(at) for number, at in rows if number is not None}


def release(session: Session, held: Held) -> None:
    """Give a place up; what was drafted there is kept."""
    gone = session.get(Withdrawal, held.annotator) is not None
    fields = {"presentation_id": held.presentation, "reason": "withdrawn" if gone else "abandoned", "at": now()}
    session.add(Release.model_validate(fields))
    session.flush()
