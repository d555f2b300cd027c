"""A run beside those that it took replies over from: what its conditions change, and comparisons of two users.

The other runs are those that its `study.json` names, in the state that it names; where one is not here, that is said.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from polibias.analysis.ablations import ablation_tables, ablations_in_words
from polibias.analysis.findings import Cell, Table
from polibias.analysis.gathered import Gathered, gather
from polibias.analysis.sycophancy import sycophancy_in_words, sycophancy_marks, sycophancy_tables
from polibias.domain.study import AnalysisSpec
from polibias.errors import PoliBiasError
from polibias.records.documents import read_named
from polibias.records.manifest import manifest_hash
from polibias.records.runs import STUDY_TAG, Run

MISSING = (
    "The run '{name}', from which replies were taken over, is not here in that state: nothing is compared with it."
)

Marks = Mapping[tuple[str, str, str], list[str]]


class Compared(NamedTuple):
    """Tables, the words by which their cells select pairs of this run (by judge, model and pair), and what to say."""

    tables: list[Table]
    marks: Marks
    sentences: list[str]
    notes: list[str]


def compared(run: Run, about: Mapping[str, Any], own: Gathered, spec: AnalysisSpec) -> Compared:
    """What this run's conditions show beside the run that it rests on; nothing where it has none of its own."""
    name = run.folder.resolve().name
    notes: list[str] = []
    runs = {name: own, **dict(_beside(run, about, own, notes))}
    base = next((one for one in runs if one != name), name)
    official = runs[base] if base != name else None
    ablated = ablation_tables(runs, base, spec, name)
    users = sycophancy_tables(own, spec, official, ("", base))
    marks = {key[1:]: words for key, words in ablated.marks.items() if key[0] in ("", name)}
    for key, words in (sycophancy_marks(own, official) if users else {}).items():
        marks[key] = [*marks.get(key, ()), *words]
    sentences = [*ablations_in_words(ablated.tables), *sycophancy_in_words(users, own.titles)]
    return Compared([_of_this_run(one) for one in (*ablated.tables, *users)], marks, sentences, notes)


def _beside(run: Run, about: Mapping[str, Any], own: Gathered, notes: list[str]) -> Iterator[tuple[str, Gathered]]:
    """The first run that this one rests on, if this one asks anything that it did not."""
    for name, manifest in about["reuse"].items():
        other = Run(run.folder.parent / name)
        try:
            asked = read_named(other.study, STUDY_TAG)["study"]["conditions"]
            if not set(own.originals) - set(asked):
                return
            if manifest_hash(other.folder) == manifest:
                yield name, gather(other)
                return
        except PoliBiasError:
            pass
        notes.append(MISSING.format(name=name))


def _of_this_run(table: Table) -> Table:
    """The table without links to pairs that another run has."""
    replace = msgspec.structs.replace

    def linked(one: Cell) -> Cell:
        return replace(one, where={}) if "run" in one.where else one

    rows = (replace(row, cells={name: linked(one) for name, one in row.cells.items()}) for row in table.rows)
    return replace(table, rows=tuple(rows))
