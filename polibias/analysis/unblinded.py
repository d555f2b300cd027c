"""People's labels of a run's pairs, where an annotation project's export has joined them to its pairs."""

from collections.abc import Mapping, Sequence

from polibias.domain.rows import Annotation
from polibias.records.ledger import read
from polibias.records.manifest import require_unchanged
from polibias.records.runs import Run

PairLabels = Mapping[tuple[str, str], Sequence[Annotation]]
"""What people said by pair and model: by project, annotator and showing, each in its newest state."""


def people(run: Run) -> dict[tuple[str, str], list[Annotation]]:
    """Every label that was exported into the run and not withdrawn; empty where nobody annotated, or nothing is out.

    Raises DamagedRecord unless the exports are as they were sealed.
    """
    require_unchanged(run, run.annotations_folder)
    found: dict[tuple[str, str], list[Annotation]] = {}
    for path in sorted(run.annotations_folder.glob("*.jsonl")):
        latest = {entry.key: entry.row for entry in read(run.annotations(path.stem))}
        for row in latest.values():
            if row.status != "withdrawn":
                found.setdefault((row.pair, row.model), []).append(row)
    for rows in found.values():
        rows.sort(key=lambda row: (row.project, row.annotator, row.showing))
    return found
