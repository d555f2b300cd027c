"""A run beside the one that it rests on: what its conditions change, and comparisons of two users.

Which run that is, `runs_beside` finds out; where one cannot be compared with, that is said.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from polibias.analysis.ablations import ablation_tables
from polibias.analysis.ablations_in_words import ablations_in_words
from polibias.analysis.favoured import Other, other_marks
from polibias.analysis.findings import Cell, Table
from polibias.analysis.gathered import Gathered
from polibias.analysis.replicated import ablation_contrasts
from polibias.analysis.replication import Contrast
from polibias.analysis.runs_beside import run_beside
from polibias.analysis.sycophancy import sycophancy_in_words, sycophancy_marks, sycophancy_tables
from polibias.domain.study import AnalysisSpec
from polibias.records.runs import Run

Marks = Mapping[tuple[str, str, str], list[str]]


class Compared(NamedTuple):
    """Tables, the words by which their cells select pairs of this run (by judge, model and pair), and what to say.

    `contrasts` are those of conditions, for the comparison of judges; `other` is the run beside, where another judge
    task read the same conditions. `facts` names that run.
    """

    tables: list[Table]
    marks: Marks
    sentences: list[str]
    notes: list[str]
    contrasts: Sequence[Contrast] = ()
    other: Other | None = None
    facts: Mapping[str, str] = {}


def compared(run: Run, about: Mapping[str, Any], own: Gathered, spec: AnalysisSpec) -> Compared:
    """What this run's conditions show beside the run that it rests on; nothing where it has none of its own."""
    name = run.folder.resolve().name
    notes: list[str] = []
    found = run_beside(run, about, own, notes)
    official = found.whole if found else None
    runs, base = {name: own}, name
    if found and official:
        runs, base = runs | {found.name: official}, found.name
    other = Other(found.name, found.other) if found and found.other else None
    ablated = ablation_tables(runs, base, spec, name)
    users = sycophancy_tables(own, spec, official, ("", base))
    marks = {key[1:]: words for key, words in ablated.marks.items() if key[0] in ("", name)}
    more = (sycophancy_marks(own, official) if users else {}, other_marks(own.cases, other) if other else {})
    for key, words in (entry for each in more for entry in each.items()):
        marks[key] = [*marks.get(key, ()), *words]
    sentences = [*ablations_in_words(ablated.tables), *sycophancy_in_words(users, own.titles)]
    tables = [_of_this_run(one) for one in (*ablated.tables, *users)]
    facts = {"Compared with": f"{found.name}, manifest {found.manifest}"} if found else {}
    return Compared(tables, marks, sentences, notes, ablation_contrasts(ablated.reads), other, facts)


def _of_this_run(table: Table) -> Table:
    """The table without links to pairs that another run has."""
    replace = msgspec.structs.replace

    def linked(one: Cell) -> Cell:
        return replace(one, where={}) if "run" in one.where else one

    rows = (replace(row, cells={name: linked(one) for name, one in row.cells.items()}) for row in table.rows)
    return replace(table, rows=tuple(rows))
