"""Sealed runs as a plan of validation reads them: their cases, and what a comparison means by the names it gives."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from polibias.analysis.asked import rubrics_of
from polibias.analysis.cases import Case
from polibias.analysis.frames import collect, collect_judged
from polibias.domain.plan import AnalysisRules, Comparison
from polibias.domain.rubric import Rubric
from polibias.errors import InputError
from polibias.records.documents import read_named
from polibias.records.runs import STUDY_TAG, Run
from polibias.records.verify import require_whole
from polibias.stats.estimate import Estimate


class Gathered(NamedTuple):
    """The cases of one run, and its conditions, copies among them: each one's title, and its rubric as it was asked."""

    cases: list[Case]
    titles: Mapping[str, str]
    rubrics: Mapping[str, Rubric]

    @property
    def originals(self) -> list[str]:
        """The conditions that are no copies."""
        copies = {case.pair.design.condition for case in self.cases if case.pair.copy_of}
        return [name for name in self.titles if name not in copies]

    @property
    def judges(self) -> list[str]:
        """In the order of the study."""
        return list(dict.fromkeys(case.judge for case in self.cases))


def gather_judged(run: Run, judges: Collection[str]) -> Gathered:
    """The run as some judges read it, without responses and copies. Raises what `gather` raises."""
    about = _about(run)
    return Gathered(collect_judged(run, about, judges), about["study"]["conditions"], rubrics_of(about))


def gather(run: Run) -> Gathered:
    """The run's cases. Raises InputError unless it is sealed, DamagedRecord unless it is what was written."""
    about = _about(run)
    return Gathered(collect(run, about).cases, about["study"]["conditions"], rubrics_of(about))


def _about(run: Run) -> dict[str, Any]:
    """What a run that is sealed and whole was asked."""
    if not run.sealed:
        raise InputError(f"{run.folder}: not sealed yet; a plan computes from what nobody can change any more")
    require_whole(run)
    found: dict[str, Any] = read_named(run.study, STUDY_TAG)
    return found


class Reading(NamedTuple):
    """One condition of a run, without what a plan leaves out."""

    run: Gathered
    condition: str
    block: str = ""

    @property
    def rubric(self) -> Rubric:
        return self.run.rubrics[self.condition]

    def of(self, judge: str) -> list[Case]:
        """The condition's pairs as every model answered them and one judge read them, whether or not it is valid."""
        return [
            case
            for case in self.run.cases
            if (case.judge, case.pair.design.condition) == (judge, self.condition)
            and self.block in ("", case.pair.design.block)
        ]


class Question(NamedTuple):
    """A comparison with all that it may be about: runs by name, which of them are inputs and which the outcomes."""

    runs: Mapping[str, Gathered]
    inputs: str
    outcomes: Sequence[str]
    comparison: Comparison
    rules: AnalysisRules
    judges: Sequence[str]

    @property
    def reading(self) -> Reading:
        """What is compared: the plan's first outcome unless the comparison names something."""
        return self._named(self.comparison.condition or [*self.outcomes, self.inputs][0])

    @property
    def against(self) -> Reading:
        """What it is compared with. Raises InputError if the comparison does not say."""
        if not self.comparison.against:
            raise InputError(
                f"comparison '{self.comparison.id}': {self.comparison.statistic} compares two conditions; "
                "name the other one under against"
            )
        return self._named(self.comparison.against)

    def _named(self, name: str) -> Reading:
        """A run's name is its condition of that name, or else the only one that is no copy; any other is a condition.

        Conditions are looked for in the outcomes first. Raises InputError for a name that says nothing, or too little.
        """
        block = self.comparison.block
        run = self.runs.get(name)
        if run is not None and name not in run.titles:
            return Reading(run, self._only(name, run), block)
        order = (name, *self.outcomes, self.inputs)
        for run in (self.runs[one] for one in order if one in self.runs):
            if name in run.titles:
                return Reading(run, name, block)
        known = dict.fromkeys([*self.runs, *(title for run in self.runs.values() for title in run.titles)])
        raise InputError(
            f"comparison '{self.comparison.id}': neither a run nor a condition is called '{name}'; "
            f"known are {', '.join(known)}"
        )

    def _only(self, name: str, run: Gathered) -> str:
        if len(run.originals) == 1:
            return run.originals[0]
        raise InputError(
            f"comparison '{self.comparison.id}': run '{name}' has several conditions; "
            f"name one of {', '.join(run.originals)}"
        )

    def drawn(self, *about: str) -> tuple[int, int, str]:
        """Resamples, seed, and the name of the stream of draws of a row that is about this."""
        return self.rules.resamples, self.rules.seed, " ".join([self.comparison.id, *about])

    def unread(self, reading: Reading, judge: str) -> str:
        """Why nothing can be said of a judge; '' if it was asked about the condition."""
        own = reading.of(judge)
        if own:
            return ""
        if judge not in reading.run.judges:
            return f"judge '{judge}' is none of the run's"
        return f"'{reading.condition}' has no such pair"


def cluster_of(case: Case, rules: AnalysisRules) -> str:
    """The cluster that a pair is drawn with. A pair is one as all models answered it."""
    if rules.cluster == "pair":
        return case.pair_id
    return case.pair.design.template if rules.cluster == "template" else case.pair.design.topic


def none(reason: str) -> Estimate:
    """Not estimable, and why."""
    return Estimate(None, 0, 0, "", reason=reason)


def counted(n: int) -> Estimate:
    """A plain number of cases."""
    return Estimate(float(n), n, n, "count")


def narrowed(rubric: Rubric, dimension: str) -> Rubric:
    """The rubric with one dimension alone; whole without a name."""
    if not dimension:
        return rubric
    return msgspec.structs.replace(rubric, dimensions=tuple(one for one in rubric.dimensions if one.id == dimension))
