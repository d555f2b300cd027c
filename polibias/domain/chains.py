"""Event chains of annotation projects: what happened, each event holding the hash of the one before.

A chain is tamper-evident: nobody can change, remove or reorder an event without rewriting all that follow. It
is no proof until the last hash is published outside.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from json.encoder import encode_basestring_ascii
from typing import Any, NamedTuple, Protocol

from polibias.domain.ids import canonical
from polibias.errors import DamagedRecord

GENESIS = "0" * 64
"""What a chain starts from that no lock came before."""


class Link(NamedTuple):
    """An event as a row of its table; `body` is canonical JSON."""

    number: int
    at: str
    kind: str
    annotator: str
    item: str
    body: str
    prev: str
    hash: str


class Linked(Protocol):
    """Whatever has the fields of a `Link`."""

    @property
    def number(self) -> int: ...
    @property
    def prev(self) -> str: ...
    @property
    def hash(self) -> str: ...


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


def check_chain(events: Iterable[Linked], genesis: str, where: str) -> str:
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


def chain_lines(events: Iterable[Link]) -> Iterator[bytes]:
    """A chain as the lines of a file."""
    for event in events:
        yield canonical(event._asdict()) + b"\n"


def parse_chain(lines: Iterable[bytes], genesis: str, where: str) -> list[Link]:
    """The chain that these lines are. Raises DamagedRecord unless every byte is what its events and genesis demand."""
    found = []
    for number, line in enumerate(lines, start=1):
        try:
            link = Link(**json.loads(line))
            same = canonical(link._asdict()) + b"\n" == line
        except (ValueError, TypeError):
            same = False
        if not same:
            raise DamagedRecord(f"{where}:{number}: not an event as it was written; restore it from a copy")
        found.append(link)
    check_chain(found, genesis, where)
    return found
