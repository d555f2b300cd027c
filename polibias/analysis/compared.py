"""A run beside those that it took replies over from: what its conditions change, and comparisons of two users.

The other runs are those that its `study.json` names, in the state that it names; where one is not here, that is said.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from polibias.analysis.ablations import ablation_tables
from polibias.analysis.ablations_in_words import ablations_in_words
from polibias.analysis.asked import judge_prompts
from polibias.analysis.favoured import Other, other_marks
from polibias.analysis.findings import Cell, Table
from polibias.analysis.gathered import Gathered, gather
from polibias.analysis.replicated import ablation_contrasts
from polibias.analysis.replication import Contrast
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
    """Tables, the words by which their cells select pairs of this run (by judge, model and pair), and what to say.

    `contrasts` are those of conditions, for the comparison of judges; `other` is the run beside, where another judge
    task read the same conditions.
    """

    tables: list[Table]
    marks: Marks
    sentences: list[str]
    notes: list[str]
    contrasts: Sequence[Contrast] = ()
    other: Other | None = None


class _Found(NamedTuple):
    """A run beside this one, and whether another judge task read what both asked."""

    name: str
    run: Gathered
    otherwise: bool


def compared(run: Run, about: Mapping[str, Any], own: Gathered, spec: AnalysisSpec) -> Compared:
    """What this run's conditions show beside the run that it rests on; nothing where it has none of its own."""
    name = run.folder.resolve().name
    notes: list[str] = []
    found = next(_beside(run, about, own, notes), None)
    runs = {name: own} if found is None else {name: own, found.name: found.run}
    base = name if found is None else found.name
    official = None if found is None else found.run
    other = Other(found.name, found.run) if found is not None and found.otherwise else None
    ablated = ablation_tables(runs, base, spec, name)
    users = sycophancy_tables(own, spec, official, ("", base))
    marks = {key[1:]: words for key, words in ablated.marks.items() if key[0] in ("", name)}
    more = (sycophancy_marks(own, official) if users else {}, other_marks(own.cases, other) if other else {})
    for key, words in (entry for each in more for entry in each.items()):
        marks[key] = [*marks.get(key, ()), *words]
    sentences = [*ablations_in_words(ablated.tables), *sycophancy_in_words(users, own.titles)]
    tables = [_of_this_run(one) for one in (*ablated.tables, *users)]
    return Compared(tables, marks, sentences, notes, ablation_contrasts(ablated.reads), other)


def _beside(run: Run, about: Mapping[str, Any], own: Gathered, notes: list[str]) -> Iterator[_Found]:
    """The first run that this one rests on, if this one asks anything that it did not, or asks judges otherwise."""
    for name, manifest in about["reuse"].items():
        other = Run(run.folder.parent / name)
        try:
            its = read_named(other.study, STUDY_TAG)
            otherwise = _otherwise(about, its, own.originals)
            if not otherwise and not set(own.originals) - set(its["study"]["conditions"]):
                return
            if manifest_hash(other.folder) == manifest:
                yield _Found(name, gather(other), otherwise)
                return
        except PoliBiasError:
            pass
        notes.append(MISSING.format(name=name))


def _otherwise(about: Mapping[str, Any], its: Mapping[str, Any], conditions: Sequence[str]) -> bool:
    """Whether a condition that both runs asked is read by another judge task in each."""
    own, others = judge_prompts(about), judge_prompts(its)
    return any(own[name] != others[name] for name in conditions if name in others)


def _of_this_run(table: Table) -> Table:
    """The table without links to pairs that another run has."""
    replace = msgspec.structs.replace

    def linked(one: Cell) -> Cell:
        return replace(one, where={}) if "run" in one.where else one

    rows = (replace(row, cells={name: linked(one) for name, one in row.cells.items()}) for row in table.rows)
    return replace(table, rows=tuple(rows))
