"""What a condition changes: every condition of some runs beside the official pairs of the same items.

The null perturbation is the baseline: two responses to the same scenario with the same roles, of which one prompt has
another first line. Its score is what the official one is compared with; of other conditions the change is told. Pairs
of items and scores are those of `contrasted`, so that a plan that names the same contrast finds the same numbers.
Source: paper, App. D and F.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from polibias.analysis.cases import Case
from polibias.analysis.cells import BLOCKS, cell, possible
from polibias.analysis.contrasted import (
    NO_SHARED,
    Couple,
    Scored,
    contrast,
    couples,
    gap_contrasts,
    item_gaps,
    scored,
    weights_of,
    zero_share,
)
from polibias.analysis.detected import EVERY_MODEL
from polibias.analysis.findings import Cell, Column, Table, TableRow
from polibias.analysis.gathered import Gathered, Question, cluster_of, counted, none
from polibias.analysis.pbi import CLUSTERS
from polibias.domain.plan import AnalysisRules, Comparison
from polibias.domain.sides import SIDES
from polibias.domain.study import AnalysisSpec
from polibias.stats.contrasts import paired
from polibias.stats.estimate import Estimate

NULL, NULL_DIMENSIONS, CHANGES = "null", "null_dimensions", "ablations"
GAP = "Main − Controls"
"""The row of what a condition changes on Main minus what it changes on Controls."""
FIRST, SECOND = "condition", "against"
NULL_CAPTION = (
    "How far two responses lie apart when nothing of substance differs. A null pair holds the response to the official "
    "prompt of Version A and the response to the same prompt with another first line; it stands beside the official "
    "pair of the same template, country pair, task and model. The swap adds: official − null, over items that are "
    "complete in both. Items of which a response was asked again because it looped are left out and counted, like "
    "those that are not complete. At 0: share of null pairs whose score is 0. {about}"
)
CHANGE_CAPTION = (
    "Mean pair score of each condition and of the official pairs of the same items (template, country pair, task and "
    "model) that are complete in both; change: condition − official. Without loops: the change without items of which "
    "a response was asked again because it looped. One-sided rejections: share of these pairs in which exactly one "
    "response rejects the premise, as rules read its beginning, whatever it rejects. {about}"
)
NULL_COLUMNS = (
    ("condition", "Official pairs", ""),
    ("against", "Null pairs", ""),
    ("difference", "The swap adds", ""),
    ("zero", "Null pairs at 0", "share"),
    ("left_out", "Items left out", "count"),
)
CHANGE_COLUMNS = (
    ("condition", "Condition", ""),
    ("against", "Official, same items", ""),
    ("difference", "Change", ""),
    ("declared", "Change without loops", ""),
    ("rejected", "One-sided rejections, condition", "share"),
    ("rejected_against", "One-sided rejections, official", "share"),
    ("rejected_difference", "Change of rejections", "share"),
    ("left_out", "Items left out", "count"),
)


ABOUT = (
    "95% intervals: jackknife-t over {clusters}, then the percentile bootstrap over them; n is the number of items, of "
    "all models together in the first rows. Items with unequal chances to be drawn are weighted by the inverse."
)
KEYS = ("judge", "model", "ablation", "block")
OF_SECOND = ("against", "zero", "rejected_against")


class Side(NamedTuple):
    """One condition of one run, alone, and what marks call the run: "" if the report is about it."""

    run: str
    condition: str
    held: Gathered

    @property
    def where(self) -> dict[str, str]:
        """The marks of its pairs."""
        return {"condition": self.condition} | ({"run": self.run} if self.run else {})


class Contrast(NamedTuple):
    """Two conditions on the same items: a null baseline is `second`, else `second` is the official condition.

    `id` is the name of the condition that is not the official one, with its run's where two have that name.
    """

    id: str
    title: str
    first: Side
    second: Side
    null: bool


def contrasts_of(runs: Mapping[str, Gathered], base: str, report: str | None = None) -> list[Contrast]:
    """Every condition of the runs that asks the items of the base run's swapped pairs once, beside these pairs.

    The official condition is `official` of the run `base`, or else its first with swapped countries; without any there
    is no contrast. Not a contrast: copies, conditions with several pairs of an item, such as comparisons of users, and
    those scored on other dimensions. `report` names the run that the report is about, `base` unless given.
    """
    official = official_of(runs[base])
    if not official:
        return []
    about = base if report is None else report
    own = _alone(runs[base], base, official, about)
    others = [
        (name, condition)
        for name, run in runs.items()
        for condition in run.originals
        if (name, condition) != (base, official) and _beside(run, condition, own)
    ]
    named = [condition for _, condition in others]
    found = []
    for name, condition in others:
        other = _alone(runs[name], name, condition, about)
        null = all(case.pair.design.roles != "swapped" for case in other.held.cases)
        id = condition if named.count(condition) == 1 else f"{name}/{condition}"
        sides = (own, other) if null else (other, own)
        found.append(Contrast(id, runs[name].titles[condition], *sides, null))
    return found


def official_of(run: Gathered) -> str:
    """The condition that the others stand beside; "" in a run without swapped countries."""
    swapped = {case.pair.design.condition for case in run.cases if case.pair.design.roles == "swapped"}
    known = [name for name in run.originals if name in swapped]
    return "official" if "official" in known else next(iter(known), "")


def _alone(run: Gathered, name: str, condition: str, report: str) -> Side:
    cases = [case for case in run.cases if case.pair.design.condition == condition]
    held = Gathered(cases, {condition: run.titles[condition]}, {condition: run.rubrics[condition]})
    return Side("" if name == report else name, condition, held)


def _beside(run: Gathered, condition: str, own: Side) -> bool:
    """Whether a condition can stand beside the official one."""
    if run.rubrics[condition].dimension_ids != own.held.rubrics[own.condition].dimension_ids:
        return False
    items = [_item(case) for case in run.cases if case.pair.design.condition == condition]
    return bool(items) and len(items) == len(set(items))


def _item(case: Case) -> tuple[str, ...]:
    design = case.pair.design
    return case.judge, case.model, design.template, design.topic, design.task


class Read(NamedTuple):
    """A contrast in one judge's reading: its question as a plan would ask it, its items, and their scores by dimension,
    "" for all together; `missing` says why there are none.

    `used` names the items that count and `declared` those of them that never looped. `rejected` says of each of the
    former whether exactly one response rejects the premise, in the first condition and in the second.
    """

    contrast: Contrast
    judge: str
    question: Question
    shared: Mapping[str, Couple]
    scores: Mapping[str, Scored]
    missing: str
    used: frozenset[str]
    declared: frozenset[str]
    rejected: tuple[Mapping[str, float], Mapping[str, float]]

    def where(self, side: Side, keys: Mapping[str, str], word: str = "used") -> dict[str, str]:
        """The marks of a side's pairs in a row: those that the contrast used, or left out."""
        found = {name: keys[name] for name in ("model", "block") if keys[name]}
        return {"judge": self.judge, **found, **side.where, f"contrast:{self.contrast.id}": word}


class Ablations(NamedTuple):
    """The tables, the words by which their cells select a pair, by run, judge, model and pair, and what they are made
    from.

    The run is the name in `runs`.
    """

    tables: list[Table]
    marks: dict[tuple[str, str, str, str], list[str]]
    reads: Sequence[Read] = ()


def ablation_tables(
    runs: Mapping[str, Gathered], base: str, spec: AnalysisSpec, report: str | None = None
) -> Ablations:
    """The null baseline, whole and by dimension, and what every other condition changes; no tables without contrasts.

    Parameters
    ----------
    runs
        The sealed runs by name.
    base
        Which of them has the official pairs.
    spec
        How intervals are made.
    report
        The run that the report is about, whose pairs bear no mark of a run; `base` unless given.
    """
    reads = [read for one in contrasts_of(runs, base, report) for read in _reads(one, spec)]
    about, unit = ABOUT.format(clusters=CLUSTERS[spec.cluster]), _unit(runs[base])
    nulls, others = ([one for one in reads if one.contrast.null is kind] for kind in (True, False))
    tables = []
    if nulls:
        caption, columns = NULL_CAPTION.format(about=about), _columns(NULL_COLUMNS, unit)
        whole, apart = ([row for one in nulls for row in _null_rows(one, by)] for by in (False, True))
        tables.append(Table(NULL, "Null perturbation", caption, KEYS, columns, tuple(whole)))
        keys = (*KEYS, "dimension")
        tables.append(Table(NULL_DIMENSIONS, "Null perturbation by dimension", caption, keys, columns, tuple(apart)))
    if others:
        columns, title = _columns(CHANGE_COLUMNS, unit), "What a condition changes"
        rows = [row for one in others for row in _change_rows(one)]
        tables.append(Table(CHANGES, title, CHANGE_CAPTION.format(about=about), KEYS, columns, tuple(rows)))
    return Ablations(tables, _marks(reads, base if report is None else report), tuple(reads))


def _columns(named: Sequence[tuple[str, str, str]], unit: str) -> tuple[Column, ...]:
    return tuple(Column(id, title, own or unit) for id, title, own in named)


def _unit(run: Gathered) -> str:
    return run.rubrics[official_of(run)].report.unit if official_of(run) else "score"


def _reads(contrast: Contrast, spec: AnalysisSpec) -> Iterator[Read]:
    """By the judges of both sides; by all of the official pairs if they share none."""
    first, second = contrast.first, contrast.second
    official, other = (first, second) if contrast.null else (second, first)
    judges = [judge for judge in official.held.judges if judge in other.held.judges] or official.held.judges
    rules = AnalysisRules(seed=spec.seed, resamples=spec.resamples, cluster=spec.cluster)
    comparison = Comparison(
        id=contrast.id, title=contrast.title, role="exploratory", statistic="score_contrast", condition=FIRST,
        against=SECOND,
    )  # fmt: skip
    question = Question({FIRST: first.held, SECOND: second.held}, SECOND, [FIRST], comparison, rules, judges)
    dimensions = question.reading.rubric.dimension_ids if contrast.null else ()
    for judge in judges:
        missing = question.unread(question.reading, judge) or question.unread(question.against, judge)
        shared = {} if missing else couples(question, judge)
        scores = {name: scored(question, shared, name) for name in ("", *dimensions)}
        declared = frozenset(name for name in scores[""].first if shared[name].declared)
        used = declared if contrast.null else frozenset(scores[""].first)
        rejected = tuple({name: rejected_alone(shared[name][side]) for name in used} for side in (0, 1))
        yield Read(contrast, judge, question, shared, scores, missing, used, declared, (rejected[0], rejected[1]))


def _groups(read: Read) -> Iterator[tuple[dict[str, str], dict[str, Couple]]]:
    """The items of each model in each block that was asked, of all models together first where there are several.

    After the blocks come both together, for the gap between them.
    """
    cases = [case for side in (read.contrast.first, read.contrast.second) for case in side.held.cases]
    models = list(dict.fromkeys(case.model for case in cases))
    asked = {case.pair.design.block for case in cases}
    for model in ("", *models) if len(models) > 1 else models:
        for block in (one for one in BLOCKS if one in asked):
            yield (
                {"model": model, "block": block},
                {
                    name: one
                    for name, one in read.shared.items()
                    if one.first.pair.design.block == block and model in ("", one.first.model)
                },
            )
        if asked == set(BLOCKS):
            both = {name: one for name, one in read.shared.items() if model in ("", one.first.model)}
            yield {"model": model, "block": ""}, both


def _keys(read: Read, keys: Mapping[str, str], dimension: str = "") -> dict[str, str]:
    """A row's keys as they are printed."""
    found = {"judge": read.judge, "model": keys["model"] or EVERY_MODEL, "ablation": read.contrast.title}
    return found | {"block": BLOCKS.get(keys["block"], GAP)} | ({"dimension": dimension} if dimension else {})


def _null_rows(read: Read, apart: bool) -> Iterator[TableRow]:
    """A row for each model and block, or for each dimension of these."""
    dimensions = read.question.reading.rubric.dimension_ids if apart else ("",)
    for keys, own in _groups(read):
        used = [name for name in own if name in read.used]
        told = _null_estimates(read, keys, own, used, dimensions) if own else {}
        for dimension in dimensions:
            found = told.get(dimension) or _nothing(read, NULL_COLUMNS)
            found["left_out"] = counted(len(own) - len(used))
            yield TableRow(_keys(read, keys, dimension), _cells(read, keys, found))


def _null_estimates(
    read: Read, keys: Mapping[str, str], own: Mapping[str, Couple], used: Sequence[str], dimensions: Sequence[str]
) -> dict[str, dict[str, Estimate]]:
    """By dimension; of a block, each from its own draws."""
    scores = {name: read.scores[name] for name in dimensions}
    if not keys["block"]:
        return gap_contrasts(read.question, own, used, scores, read.judge, *keys.values(), *dimensions[:1])
    found = {}
    for name, one in scores.items():
        about = (read.judge, *keys.values(), name)
        zero = zero_share(read.question, own, used, one, *about)
        found[name] = contrast(read.question, own, used, one, *about) | {"zero": zero}
    return found


def _nothing(read: Read, columns: Sequence[tuple[str, str, str]]) -> dict[str, Estimate]:
    return {name: none(read.missing or NO_SHARED) for name, _, _ in columns}


def _change_rows(read: Read) -> Iterator[TableRow]:
    for keys, own in _groups(read):
        used = [name for name in own if name in read.used]
        declared = [name for name in used if name in read.declared]
        about = (read.judge, *keys.values())
        found = _nothing(read, CHANGE_COLUMNS)
        if own:
            rejected = _rejections(read, own, used, *about, gap=not keys["block"])
            found |= _change(read, own, used, *about) | rejected
            again = _change(read, own, declared, *about) if declared != used else found
            found["declared"] = again["difference"]
        found["left_out"] = counted(len(own) - len(used))
        yield TableRow(_keys(read, keys), _cells(read, keys, found))


def _change(read: Read, own: Mapping[str, Couple], used: Sequence[str], *about: str) -> dict[str, Estimate]:
    """What `contrast` finds, of a block; without one, of the gap between both, as the last of `about` says."""
    if about[-1]:
        return contrast(read.question, own, used, read.scores[""], *about)
    found = gap_contrasts(read.question, own, used, {"": read.scores[""]}, *about)[""]
    return {name: found[name] for name in (FIRST, SECOND, "difference")}


def _cells(read: Read, keys: Mapping[str, str], found: Mapping[str, Estimate]) -> dict[str, Cell]:
    """Each estimate with the marks of its pairs: of the first side unless it is about the second alone."""
    cells = {}
    for name, one in found.items():
        side = read.contrast.second if name in OF_SECOND else read.contrast.first
        where = read.where(side, keys, "left" if name == "left_out" else "used")
        declared = {f"declared:{read.contrast.id}": "yes"} if name == "declared" else {}
        cells[name] = cell(one, where | declared)
    return cells


def _rejections(
    read: Read, own: Mapping[str, Couple], used: Sequence[str], *about: str, gap: bool = False
) -> dict[str, Estimate]:
    """How often exactly one response of a pair rejects the premise, in both conditions and the difference; or Main −
    Controls of these."""
    first, second = ({name: side[name] for name in used} for side in read.rejected)
    if gap:
        values = {"rejected": first, "rejected_against": second}
        values["rejected_difference"] = {name: first[name] - second[name] for name in used}
        apart = item_gaps(read.question, values, own, *about, "rejected")
        ends = {name: 2.0 if name == "rejected_difference" else 1.0 for name in values}
        return {name: possible(one, -ends[name], ends[name]) for name, one in apart.items()}
    clusters = {name: cluster_of(own[name].first, read.question.rules) for name in used}
    found = paired(first, second, clusters, *read.question.drawn(*about, "rejected"), weights_of(own))
    return {
        "rejected": possible(found.first),
        "rejected_against": possible(found.second),
        "rejected_difference": possible(found.difference, -1.0),
    }


def rejected_alone(case: Case) -> float:
    """1 if exactly one response of an answered pair rejects the premise as rules read it, else 0."""
    a, b = (case.responses[side].behaviour.premise != "none" for side in SIDES)
    return float(a != b)


def _marks(reads: Sequence[Read], report: str) -> dict[tuple[str, str, str, str], list[str]]:
    found: dict[tuple[str, str, str, str], list[str]] = {}
    common = in_common(reads)
    for read in reads:
        id, sides = read.contrast.id, (read.contrast.first, read.contrast.second)
        for name, couple in read.shared.items():
            words = [f"contrast:{id}={'used' if name in read.used else 'left'}"]
            words += [f"declared:{id}=yes"] if name in read.declared else []
            words += [f"shared:{id}=yes"] if name in common.get(id, ()) else []
            for side, case in zip(sides, couple, strict=True):
                found.setdefault((side.run or report, read.judge, case.model, case.pair_id), []).extend(words)
    return found


def in_common(reads: Sequence[Read]) -> dict[str, frozenset[str]]:
    """The items that count under every judge, by the contrast's id; nothing of contrasts that one judge alone read."""
    found: dict[str, list[frozenset[str]]] = {}
    for read in reads:
        found.setdefault(read.contrast.id, []).append(read.used)
    return {id: frozenset.intersection(*used) for id, used in found.items() if len(used) > 1}
