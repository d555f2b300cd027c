"""The annotations of a run as an append-only stream: what changed is a new row that supersedes the old one."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from polibias.domain.rows import Annotation, Seen
from polibias.errors import DamagedRecord
from polibias.records.ledger import Entry, Ledger, Stream, read
from polibias.records.runs import annotation_key

Rows = Sequence[tuple[Annotation, Seen]]


class Planned(NamedTuple):
    """The rows to stand in the stream, each as it will be stored and whether it is new there."""

    rows: list[tuple[Annotation, Seen, bool]]

    @property
    def new(self) -> int:
        return sum(new for *_, new in self.rows)


def plan(stream: Stream[Annotation], current: Rows, taken_back: Rows) -> Planned:
    """What to store so that the `current` rows stand, and those to take back that an earlier export wrote.

    Raises DamagedRecord if the stream is damaged, has an annotation that is in neither, or knows a later state of one.
    """
    before = {entry.key: entry for entry in read(stream)}
    if not before:
        return Planned([(row, seen, True) for row, seen in current])
    keyed = [(annotation_key(row), row, seen) for row, seen in current]
    keyed += [one for row, seen in taken_back if (one := (annotation_key(row), row, seen))[0] in before]
    unknown = before.keys() - {key for key, *_ in keyed}
    if unknown:
        entry = min((before[key] for key in unknown), key=lambda entry: entry.number)
        raise DamagedRecord(
            f"{entry.where}: an annotation of '{entry.row.annotator}' that the project does not know; "
            "is its database an older copy?"
        )
    return Planned([_planned(before.get(key), row, seen) for key, row, seen in keyed])


def _planned(elder: Entry[Annotation] | None, row: Annotation, seen: Seen) -> tuple[Annotation, Seen, bool]:
    if elder is None:
        return row, seen, True
    _check_newer(elder, row)
    if msgspec.structs.replace(elder.row, supersedes="") == row:
        return elder.row, elder.seen, False
    return msgspec.structs.replace(row, supersedes=elder.id), seen, True


def _check_newer(elder: Entry[Annotation], row: Annotation) -> None:
    """What is stored stands for no earlier state than that of an earlier export."""
    back = elder.row.status == "withdrawn" != row.status
    if elder.row.revision > row.revision or back:
        raise DamagedRecord(
            f"{elder.where}: a later answer of '{row.annotator}' at place {row.position} than the project's database "
            "has: it is an older copy; restore a newer one, or move the annotations folder away"
        )


def store(stream: Stream[Annotation], planned: Planned) -> None:
    """Append what is new, as one group."""
    with Ledger(stream) as ledger:
        for row, seen, new in planned.rows:
            if new:
                ledger.append(row, seen)
        ledger.commit()
