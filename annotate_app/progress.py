"""Who is where, and which items still need annotators: counts and times for the coordinator, never an answer."""

import datetime
from collections import Counter
from typing import NamedTuple

from sqlmodel import Session, col, select

from annotate_app import chain
from annotate_app.protocol import AnnotationProtocol
from annotate_app.schema import Annotator, Closure, Event, Flag, Item, Presentation, Release
from annotate_app.sheets import Place, places
from annotate_app.slots import last_activity
from annotate_app.standing import standing_of, states
from annotate_app.store import Store


class Standing(NamedTuple):
    """One annotator's progress over the items of the study, repeats included.

    `stage` is invited, declined, practice, failed, at work, done or withdrawn. `left` counts items skipped or marked
    unsure. `last_activity` is UTC, None if there was none beyond being invited; `stalled` says that it was so long ago
    that open places may go to others.
    """

    annotator: str
    stage: str
    submitted: int
    left: int
    total: int
    flags: int
    last_activity: str | None
    stalled: bool


class Coverage(NamedTuple):
    """One item: how many have it before them, how many are done with it, and how many there should be."""

    item: str
    assigned: int
    done: int
    wanted: int


class Status(NamedTuple):
    """A project's progress. `events` and `head` are length and last hash of its event chain."""

    project: str
    closed_at: str | None
    annotators: list[Standing]
    items: list[Coverage]
    events: int
    head: str


def status(store: Store) -> Status:
    """Progress by annotator and item. Raises DamagedRecord if the event chain was changed."""
    with store.reading() as session:
        events = session.exec(select(Event).order_by(col(Event.number))).all()
        head = chain.check(events, store.project.genesis, str(store.path))
        heard = {event.annotator: event.at for event in events if event.kind not in chain.NOT_THEIR_OWN}
        people = session.exec(select(Annotator).order_by(col(Annotator.name))).all()
        latest, closure = last_activity(session), session.get(Closure, 1)
        rows = [
            _standing(session, store.protocol, one, heard.get(one.name), latest.get(one.id or 0, "")) for one in people
        ]
        items = _coverage(session, store.protocol, len(people))
    return Status(store.project.name, closure.at if closure else None, rows, items, len(events), head)


def _standing(
    session: Session, protocol: AnnotationProtocol, one: Annotator, heard: str | None, latest: str
) -> Standing:
    row = [place for place in places(session, one.id or 0) if place.role != "practice"]
    flags = session.exec(select(Flag).join(Presentation).where(Presentation.annotator_id == one.id)).all()
    finished = Counter(place.state for place in row if not place.open)
    left = finished["skipped"] + finished["unsure"]
    stage = _stage(session, protocol, one, row, heard is not None)
    stalled = stage in ("invited", "practice", "at work") and latest <= _since(protocol)
    return Standing(one.name, stage, finished["submitted"], left, len(row), len(flags), heard, stalled)


def _stage(session: Session, protocol: AnnotationProtocol, one: Annotator, row: list[Place], heard: bool) -> str:
    standing = standing_of(session, one.id or 0)
    if standing.withdrawn:
        return "withdrawn"
    if standing.declined():
        return "declined"
    if standing.failed(protocol):
        return "failed practice"
    if not heard:
        return "invited"
    if any(place.open for place in places(session, one.id or 0) if place.role == "practice"):
        return "practice"
    return "at work" if any(place.open for place in row) else "done"


def _since(protocol: AnnotationProtocol) -> str:
    hours = datetime.timedelta(hours=protocol.assignment.reopen_after_hours)
    return chain.stamp(datetime.datetime.now(datetime.UTC) - hours)


def _coverage(session: Session, protocol: AnnotationProtocol, people: int) -> list[Coverage]:
    released = select(Release.presentation_id)
    query = select(Presentation).where(Presentation.role == "first", col(Presentation.id).not_in(released))
    assigned, done, state = Counter[str](), Counter[str](), states(session)
    for one in session.exec(query).all():
        assigned[one.item_code] += 1
        done[one.item_code] += (one.id or 0) in state
    study = session.exec(select(Item.code).where(Item.lesson == "").order_by(col(Item.code))).all()
    wanted = protocol.assignment.overlap or people
    return [Coverage(code, assigned[code], done[code], wanted) for code in study]
