"""Who is where: counts and times for the coordinator, never an answer."""

from typing import NamedTuple

from sqlmodel import col, select

from annotate_app import chain
from annotate_app.schema import Annotator, Event
from annotate_app.sheets import Place, places
from annotate_app.store import Store


class Standing(NamedTuple):
    """One annotator's progress. `last_activity` is UTC, None if there was none beyond being invited."""

    annotator: str
    submitted: int
    total: int
    last_activity: str | None


class Status(NamedTuple):
    """A project's progress. `events` and `head` are length and last hash of its event chain."""

    project: str
    annotators: list[Standing]
    events: int
    head: str


def status(store: Store) -> Status:
    """Progress by annotator. Raises DamagedRecord if the event chain was changed."""
    with store.reading() as session:
        events = session.exec(select(Event).order_by(col(Event.number))).all()
        head = chain.check(events, store.project.genesis, str(store.path))
        latest = {event.annotator: event.at for event in events if event.kind != "invited"}
        people = session.exec(select(Annotator).order_by(col(Annotator.name))).all()
        rows = [_standing(one.name, places(session, one.id or 0), latest.get(one.name)) for one in people]
    return Status(store.project.name, rows, len(events), head)


def _standing(annotator: str, row: list[Place], last_activity: str | None) -> Standing:
    return Standing(annotator, sum(1 for place in row if place.submitted), len(row), last_activity)
