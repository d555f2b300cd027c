"""What became of each place of a study: how it ended, what was said there, how long it took."""

import json
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from annotate_app.exporting.snapshot import Shown, Snapshot, StoredSheet
from annotate_app.exporting.told import Told
from annotate_app.questions import CHECK, Entry
from annotate_app.timing import Spent, spent
from polibias.domain.rows import AnnotationStatus, Check, Flagged, Showing
from polibias.domain.sides import Side

Status = Literal["submitted", "skipped", "unsure", "draft", "open", "released", "withdrawn"]
STATUSES: tuple[Status, ...] = ("submitted", "skipped", "unsure", "draft", "open", "released", "withdrawn")
FINISHED: tuple[AnnotationStatus, ...] = ("submitted", "skipped", "unsure")
NOTHING = Entry({})


class Outcome(NamedTuple):
    """One place of the study. What was said is there only where `status` is one of `FINISHED`.

    `at` is when it was finished last (UTC), '' if it was not; for a place that was withdrawn, when that happened.
    """

    annotator: str
    item: str
    showing: Showing
    position: int
    first: Side
    status: Status
    revision: int
    reason: str
    entry: Entry
    check: Check
    flags: tuple[Flagged, ...]
    at: str
    spent: Spent | None

    @property
    def finished(self) -> bool:
        return self.status in FINISHED


def outcomes(snapshot: Snapshot, told: Told, removes: bool) -> list[Outcome]:
    """Every place of the study, by annotator's name and position.

    `removes` leaves out the answers of everybody who withdrew.
    """
    times = {name: spent(moments) for name, moments in told.moments.items()}
    found = [_outcome(snapshot, told, removes, one, times) for one in snapshot.study]
    return sorted(found, key=lambda one: (one.annotator, one.position))


def _outcome(
    snapshot: Snapshot, told: Told, removes: bool, one: Shown, times: Mapping[str, Mapping[str, Spent]]
) -> Outcome:
    name = snapshot.people[one.annotator_id].name
    place = (name, one.position)
    last = next((sheet for sheet in reversed(snapshot.sheets.get(one.id, ())) if sheet.state != "draft"), None)
    gone = one.annotator_id in snapshot.withdrawn
    status = _status(snapshot, one, last, gone, removes)
    kept = last if last and status in FINISHED else None
    ended = told.withdrawn[name][0] if status == "withdrawn" else ""
    return Outcome(
        annotator=name,
        item=one.item,
        showing="repeat" if one.role == "repeat" else "first",
        position=one.position,
        first="A" if one.first == "A" else "B",
        status=status,
        revision=last.revision if last else 0,
        reason=kept.reason if kept else "",
        entry=kept.entry if kept else NOTHING,
        check=_check(one, kept.entry) if kept else "",
        flags=() if gone and removes else tuple(_flags(snapshot, one)),
        at=told.finishes[place][-1].at if kept else ended,
        spent=times[name].get(str(one.position)) if kept else None,
    )


def _status(snapshot: Snapshot, one: Shown, last: StoredSheet | None, gone: bool, removes: bool) -> Status:
    """Who withdrew has withdrawn everything that is left out or unfinished; what else was given up is released."""
    if gone and (removes or last is None):
        return "withdrawn"
    if one.id in snapshot.released:
        return "released"
    if last is not None:
        return next(status for status in FINISHED if status == last.state)
    return "draft" if snapshot.sheets.get(one.id) else "open"


def _check(one: Shown, entry: Entry) -> Check:
    """How the instructed response was answered, '' where none was."""
    answer = entry.answers.get(CHECK.id)
    if not one.instructed or answer is None:
        return ""
    return "passed" if answer == one.instructed else "failed"


def _flags(snapshot: Snapshot, one: Shown) -> Iterator[Flagged]:
    for flag in snapshot.flags.get(one.id, ()):
        yield Flagged(flag.reason, json.loads(flag.comment))
