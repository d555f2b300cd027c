"""A run beside those that it took replies over from: what its conditions change, and comparisons of two users.

The other runs are those that its `study.json` names, in the state that it names; where one is not here, that is said.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from polibias.analysis.ablations import ablation_tables, official_of
from polibias.analysis.ablations_in_words import ablations_in_words
from polibias.analysis.asked import judge_prompts, rubrics_of
from polibias.analysis.favoured import Other, other_marks
from polibias.analysis.findings import Cell, Table
from polibias.analysis.gathered import Gathered, gather, gather_judged
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
    """A run beside this one. `whole` is all of it, None where nothing but its verdicts counts; `other` is the run where
    another judge task read what both asked.
    """

    name: str
    whole: Gathered | None
    other: Gathered | None


def compared(run: Run, about: Mapping[str, Any], own: Gathered, spec: AnalysisSpec) -> Compared:
    """What this run's conditions show beside the run that it rests on; nothing where it has none of its own."""
    name = run.folder.resolve().name
    notes: list[str] = []
    found = next(_beside(run, about, own, notes), _Found(name, None, None))
    official = found.whole
    runs, base = ({name: own}, name) if official is None else ({name: own, found.name: official}, found.name)
    other = None if found.other is None else Other(found.name, found.other)
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
    """The first run that this one rests on, if this one asks anything that it did not, or asks judges otherwise.

    None for a run that holds the official pairs itself: they are the same ones.
    """
    for name, manifest in about["reuse"].items():
        other = Run(run.folder.parent / name)
        try:
            its = read_named(other.study, STUDY_TAG)
            new = set(own.originals) - set(its["study"]["conditions"])
            otherwise = _otherwise(about, its, own.originals)
            if not otherwise and (not new or official_of(own) in its["study"]["conditions"]):
                return
            if manifest_hash(other.folder) == manifest:
                yield _read(other, name, own, otherwise, bool(new) or _alike(own, its, otherwise))
                return
        except PoliBiasError:
            pass
        notes.append(MISSING.format(name=name))


def _read(other: Run, name: str, own: Gathered, otherwise: Sequence[str], whole: bool) -> _Found:
    if not whole:
        return _Found(name, None, gather_judged(other, own.judges))
    found = gather(other)
    return _Found(name, found, found if otherwise else None)


def _otherwise(about: Mapping[str, Any], its: Mapping[str, Any], conditions: Sequence[str]) -> list[str]:
    """The conditions that both runs asked and that another judge task read in each."""
    own, others = judge_prompts(about), judge_prompts(its)
    return [name for name in conditions if name in others and own[name] != others[name]]


def _alike(own: Gathered, its: Mapping[str, Any], conditions: Sequence[str]) -> bool:
    """Whether scores of the two tasks can be compared in some condition, so that the other run counts as a whole."""
    others = rubrics_of(its)
    return any(own.rubrics[name].dimension_ids == others[name].dimension_ids for name in conditions)


def _of_this_run(table: Table) -> Table:
    """The table without links to pairs that another run has."""
    replace = msgspec.structs.replace

    def linked(one: Cell) -> Cell:
        return replace(one, where={}) if "run" in one.where else one

    rows = (replace(row, cells={name: linked(one) for name, one in row.cells.items()}) for row in table.rows)
    return replace(table, rows=tuple(rows))
