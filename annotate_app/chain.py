"""The event chain: what happened in a project, each event holding the hash of the one before.

A chain is tamper-evident: nobody can change, remove or reorder an event without rewriting all that follow. It
is no proof until the last hash is published outside.
"""

import datetime
import hashlib
import json
from collections.abc import Iterable
from json.encoder import encode_basestring_ascii
from typing import Any, Literal, NamedTuple

from sqlmodel import Session, col, select

from annotate_app.schema import Event
from annotate_app.timing import Moment
from polibias.domain.ids import canonical
from polibias.errors import DamagedRecord

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

GENESIS = "0" * 64
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


def event_hash(event: dict[str, Any]) -> str:
    """SHA-256 over the canonical form of everything but the hash itself.

    The form is put together here: the general encoder takes longer, and a chain has very many events.
    """
    quoted = encode_basestring_ascii
    form = (
        f'{{"annotator":{quoted(event["annotator"])},"at":{quoted(event["at"])},"body":{quoted(event["body"])},'
        f'"item":{quoted(event["item"])},"kind":{quoted(event["kind"])},"number":{event["number"]},'
        f'"prev":{quoted(event["prev"])}}}'
    )
    return hashlib.sha256(form.encode("ascii")).hexdigest()


class Link(NamedTuple):
    """An event as a row of its table, read without the models of it."""

    number: int
    at: str
    kind: str
    annotator: str
    item: str
    body: str
    prev: str
    hash: str


def check(events: Iterable[Event | Link], genesis: str, where: str) -> str:
    """The hash of the last event. Raises DamagedRecord, naming `where`, at the first event that does not fit."""
    prev = genesis
    for number, event in enumerate(events, start=1):
        fields = {name: getattr(event, name) for name in Link._fields if name != "hash"}
        if event.number != number or event.prev != prev or event.hash != event_hash(fields):
            raise DamagedRecord(
                f"{where}: event {event.number} does not follow the one before it; restore it from a copy"
            )
        prev = event.hash
    return prev


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
