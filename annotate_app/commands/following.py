"""`status`: who is where and which items still need annotators; never what was answered."""

import argparse
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from annotate_app.commands.shapes import Commands, add_project, counted, table

if TYPE_CHECKING:
    from annotate_app.watch import Board, Coverage, Standing

HEAD = ("annotator", "stage", "submitted", "skipped", "flags", "last activity (UTC)", "")
NUMBERS = (2, 3, 4)


def add(commands: Commands) -> None:
    """Add the command."""
    status = commands.add_parser("status", help="who is where; never what they answered")
    add_project(status)
    status.add_argument("--json", action="store_true", help="print JSON")
    status.set_defaults(command=_status)


def _status(options: argparse.Namespace) -> int:
    from annotate_app.database import find
    from annotate_app.progress import status
    from annotate_app.store import open_store

    found = status(open_store(find(options.project, options.projects)))
    if options.json:
        parts = {name: [one._asdict() for one in getattr(found, name)] for name in ("annotators", "items")}
        print(json.dumps({**found._asdict(), **parts}))
        return 0
    for line in _lines(found):
        print(line)
    return 0


def _lines(found: "Board") -> Iterator[str]:
    closed = f"closed {found.closed_at}" if found.closed_at else "open"
    yield f"{found.project}: {closed}, {counted(len(found.annotators), 'annotator')}"
    yield from table(HEAD, [_row(one) for one in found.annotators], NUMBERS)
    yield _coverage(found.items)
    yield f"{found.events} events, chain whole, last {found.head[:16]}; not anchored outside"


def _row(one: "Standing") -> tuple[str, ...]:
    done, last = f"{one.submitted} / {one.total}", one.last_activity or "-"
    return one.annotator, one.stage, done, str(one.left), str(one.flags), last, "stalled" if one.stalled else ""


def _coverage(items: "list[Coverage]") -> str:
    from annotate_app.progress import totals

    found = totals(items)
    short = f"; {found.short} with fewer people than that" if found.short else ""
    return (
        f"{counted(found.items, 'item')}, {counted(found.wanted, 'annotator')} wanted for each: "
        f"{found.done} done{short}, {counted(sum(one.flags for one in items), 'flag')}"
    )
