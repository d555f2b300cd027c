"""The event chain of a project, as its database keeps it; what makes it a chain is in `polibias.domain.chains`."""

import datetime
import json
from typing import Any, Literal

from sqlmodel import Session, col, select

from annotate_app.schema import Event
from annotate_app.timing import Moment
from polibias.domain.chains import Link, event_hash
from polibias.domain.ids import canonical

Kind = Literal[
    "created",
    "invited",
    "assigned",
    "revoked",
    "redeemed",
    "agreed",
    "declined",
    "practised",
    "opened",
    "draft",
    "submitted",
    "revised",
    "skipped",
    "unsure",
    "flagged",
    "discarded",
    "idle",
    "viewed",
    "released",
    "withdrawn",
    "closed",
    "interim",
]

NOT_THEIR_OWN: tuple[Kind, ...] = ("created", "invited", "assigned", "revoked", "released", "closed", "interim")
"""What happens to annotators without their doing anything."""


def now() -> str:
    """The time as UTC ISO 8601 with milliseconds."""
    return stamp(datetime.datetime.now(datetime.UTC))


def stamp(time: datetime.datetime) -> str:
    return time.astimezone(datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def record(session: Session, genesis: str, kind: Kind, annotator: str, item: str, body: dict[str, Any]) -> None:
    """Append one event inside the caller's transaction, which must be one that writes."""
    last = session.exec(select(Event).order_by(col(Event.number).desc()).limit(1)).first()
    event = {
        "number": last.number + 1 if last else 1,
        "at": now(),
        "kind": kind,
        "annotator": annotator,
        "item": item,
        "body": canonical(body).decode("ascii"),
        "prev": last.hash if last else genesis,
    }
    session.add(Event.model_validate({**event, "hash": event_hash(event)}))
    session.flush()


def body(event: Event | Link) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(event.body)
    return value


def events_of(session: Session, annotator: str) -> list[Moment]:
    """What one annotator did as far as time goes, in its order; what others did to their row takes no time."""
    own = (Event.annotator == annotator, col(Event.kind).not_in(NOT_THEIR_OWN))
    found = session.exec(select(Event).where(*own).order_by(col(Event.number))).all()
    return [
        Moment(event.at, event.kind, event.item, body(event)["seconds"] if event.kind == "idle" else 0.0)
        for event in found
    ]
