"""What a condition changes: every condition of some runs beside the official pairs of the same items.

The null perturbation is the baseline: two responses to the same scenario with the same roles, of which one prompt has
another first line. Its score is what the official one is compared with; of other conditions the change is told. Pairs
of items and scores are those of `contrasted`, so that a plan that names the same contrast finds the same numbers.
Source: paper, App. D and F.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from polibias.analysis.cases import Case
from polibias.analysis.cells import BLOCKS, cell, possible, signed
from polibias.analysis.contrasted import Couple, couples, score_contrast, weights_of
from polibias.analysis.detected import EVERY_MODEL
from polibias.analysis.findings import Cell, Column, Table, TableRow
from polibias.analysis.gathered import Gathered, Question, cluster_of
from polibias.analysis.pbi import CLUSTERS
from polibias.domain.plan import AnalysisRules, Comparison
from polibias.domain.sides import SIDES
from polibias.domain.study import AnalysisSpec
from polibias.stats.contrasts import paired
from polibias.stats.estimate import Estimate

NULL, NULL_DIMENSIONS, CHANGES = "null", "null_dimensions", "ablations"
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
    "95% intervals: jackknife-t over {clusters}, then the percentile bootstrap over them; n is the number of items, all "
    "models' together in the first rows. Items with unequal chances to be drawn are weighted by the inverse."
)
KEYS = ("judge", "model", "ablation", "block")


class Side(NamedTuple):
    """One condition of one run, alone, and what marks call the run: "" if the report is about it."""

    run: str
    condition: str
    held: Gathered

    @property
    def where(self) -> dict[str, str]:
        """The marks of its pairs."""
        return {"condition": self.condition} | ({"run": self.run} if self.run else {})

    def of(self, model: str) -> Gathered:
        """The pairs of one model; of all without a name."""
        cases = [case for case in self.held.cases if model in ("", case.model)]
        return self.held._replace(cases=cases)


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
    official = _official(runs[base])
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


def _official(run: Gathered) -> str:
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


class Asked(NamedTuple):
    """One row's question: a contrast in one judge's reading of one model, or of all ("")."""

    contrast: Contrast
    judge: str
    model: str
    spec: AnalysisSpec

    @property
    def keys(self) -> dict[str, str]:
        return {"judge": self.judge, "model": self.model or EVERY_MODEL}

    def question(self, by: str = "") -> Question:
        """As a plan would ask it; all its draws are named by contrast, model, judge and block."""
        rules = AnalysisRules(seed=self.spec.seed, resamples=self.spec.resamples, cluster=self.spec.cluster)
        runs = {FIRST: self.contrast.first.of(self.model), SECOND: self.contrast.second.of(self.model)}
        comparison = Comparison(
            id=f"{self.contrast.id} {self.keys['model']}",
            title=self.contrast.title,
            role="exploratory",
            statistic="score_contrast",
            by="dimension" if by else "",
            condition=FIRST,
            against=SECOND,
        )
        return Question(runs, SECOND, [FIRST], comparison, rules, [self.judge])

    def where(self, side: Side, block: str, word: str = "used") -> dict[str, str]:
        """The marks of a side's pairs in a block: those that the contrast used, or left out."""
        model = {"model": self.model} if self.model else {}
        return {"judge": self.judge, **model, "block": block, **side.where, f"contrast:{self.contrast.id}": word}


class Ablations(NamedTuple):
    """The tables, and the words by which their cells select a pair, by run, judge, model and pair.

    The run is the name in `runs`.
    """

    tables: list[Table]
    marks: dict[tuple[str, str, str, str], list[str]]


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
    found = contrasts_of(runs, base, report)
    nulls, others = ([one for one in found if one.null is kind] for kind in (True, False))
    scored = [_null_rows(ask) for one in nulls for ask in _asked(one, spec)]
    changed = [row for one in others for ask in _asked(one, spec) for row in _change_rows(ask)]
    about = ABOUT.format(clusters=CLUSTERS[spec.cluster])
    unit = _unit(runs[base])
    tables = []
    if nulls:
        caption = NULL_CAPTION.format(about=about)
        columns = _columns(NULL_COLUMNS, unit)
        whole, apart = ([row for rows in scored for row in rows[place]] for place in (0, 1))
        tables.append(Table(NULL, "Null perturbation", caption, KEYS, columns, tuple(whole)))
        keys = (*KEYS, "dimension")
        tables.append(Table(NULL_DIMENSIONS, "Null perturbation by dimension", caption, keys, columns, tuple(apart)))
    if others:
        columns, title = _columns(CHANGE_COLUMNS, unit), "What a condition changes"
        tables.append(Table(CHANGES, title, CHANGE_CAPTION.format(about=about), KEYS, columns, tuple(changed)))
    return Ablations(tables, _marks(found, base if report is None else report))


def _columns(named: Sequence[tuple[str, str, str]], unit: str) -> tuple[Column, ...]:
    return tuple(Column(id, title, own or unit) for id, title, own in named)


def _unit(run: Gathered) -> str:
    return run.rubrics[_official(run)].report.unit if _official(run) else "score"


def _asked(contrast: Contrast, spec: AnalysisSpec) -> Iterator[Asked]:
    """By the judges of both sides, all of the first if they share none, and by model; all models together come first."""
    sides = (contrast.first.held, contrast.second.held)
    shared = [judge for judge in sides[0].judges if judge in sides[1].judges] or sides[0].judges
    models = list(dict.fromkeys(case.model for side in sides for case in side.cases))
    for judge in shared:
        for model in ("", *models) if len(models) > 1 else models:
            yield Asked(contrast, judge, model, spec)


def _null_rows(ask: Asked) -> tuple[list[TableRow], list[TableRow]]:
    """A row for each block, and one for each dimension in it."""
    return _scored(ask, ""), _scored(ask, "dimension")


def _scored(ask: Asked, by: str) -> list[TableRow]:
    rows = []
    for measured in score_contrast(ask.question(by)):
        block = _block(measured.keys["block"])
        if block in _blocks(ask):
            told = {name: cell(one, _side(ask, name, block)) for name, one in measured.estimates.items()}
            rows.append(TableRow(_keys(ask, measured.keys), told))
    return rows


def _side(ask: Asked, column: str, block: str) -> dict[str, str]:
    """The marks of a column's pairs: of the first side unless it is about the second alone."""
    first, second = ask.contrast.first, ask.contrast.second
    chosen = second if column in ("against", "zero", "rejected_against") else first
    found = ask.where(chosen, block, "left" if column == "left_out" else "used")
    return found | ({f"declared:{ask.contrast.id}": "yes"} if column == "declared" else {})


def _keys(ask: Asked, measured: Mapping[str, str]) -> dict[str, str]:
    found = {**ask.keys, "ablation": ask.contrast.title, "block": measured["block"]}
    return found | ({"dimension": measured["dimension"]} if "dimension" in measured else {})


def _block(title: str) -> str:
    return next(block for block, known in BLOCKS.items() if known == title)


def _blocks(ask: Asked) -> set[str]:
    """The blocks that either side was asked in."""
    sides = (ask.contrast.first.held, ask.contrast.second.held)
    return {case.pair.design.block for side in sides for case in side.cases}


def _change_rows(ask: Asked) -> list[TableRow]:
    rows, question = [], ask.question()
    shared = couples(question, ask.judge)
    for whole, declared in zip(score_contrast(question, looped=True), score_contrast(question), strict=True):
        block = _block(whole.keys["block"])
        if block not in _blocks(ask):
            continue
        own = {name: one for name, one in shared.items() if one.first.pair.design.block == block and one.complete}
        found = {name: one for name, one in whole.estimates.items() if name != "zero"}
        found |= {"declared": declared.estimates["difference"], **_rejections(question, own, ask.judge, block)}
        cells = {name: cell(one, _side(ask, name, block)) for name, one in found.items()}
        rows.append(TableRow(_keys(ask, whole.keys), cells))
    return rows


def _rejections(question: Question, own: Mapping[str, Couple], judge: str, block: str) -> dict[str, Estimate]:
    """How often exactly one response of a pair rejects the premise, in both conditions and the difference."""
    first = {name: rejected_alone(one.first) for name, one in own.items()}
    second = {name: rejected_alone(one.second) for name, one in own.items()}
    clusters = {name: cluster_of(one.first, question.rules) for name, one in own.items()}
    found = paired(first, second, clusters, *question.drawn(judge, block, "rejected"), weights_of(own))
    return {
        "rejected": possible(found.first),
        "rejected_against": possible(found.second),
        "rejected_difference": possible(found.difference, -1.0),
    }


def rejected_alone(case: Case) -> float:
    """1 if exactly one response of an answered pair rejects the premise as rules read it, else 0."""
    a, b = (case.responses[side].behaviour.premise != "none" for side in SIDES)
    return float(a != b)


def _marks(contrasts: Sequence[Contrast], report: str) -> dict[tuple[str, str, str, str], list[str]]:
    found: dict[tuple[str, str, str, str], list[str]] = {}
    for contrast in contrasts:
        sides = (contrast.first, contrast.second)
        for judge in contrast.first.held.judges:
            for couple in couples(Asked(contrast, judge, "", AnalysisSpec()).question(), judge).values():
                used = couple.complete and (couple.declared or not contrast.null)
                words = [f"contrast:{contrast.id}={'used' if used else 'left'}"]
                words += [f"declared:{contrast.id}=yes"] if used and couple.declared else []
                for side, case in zip(sides, couple, strict=True):
                    found.setdefault((side.run or report, judge, case.model, case.pair_id), []).extend(words)
    return found


def ablations_in_words(tables: Sequence[Table]) -> Iterator[str]:
    """The null baseline and every change as sentences, each beside what it is compared with."""
    for row in (row for table in tables if table.id in (NULL, CHANGES) for row in table.rows):
        first, second, difference = (row.cells[name] for name in (FIRST, SECOND, "difference"))
        who = f"{row.keys['model']}, judged by {row.keys['judge']}, {row.keys['block']}, {row.keys['ablation']}"
        if first.value is None or second.value is None or difference.value is None:
            yield f"{who}: nothing can be compared ({difference.reason})."
            continue
        null = "zero" in row.cells
        beside = "pairs with swapped countries score" if null else "pairs score"
        against = "null pairs" if null else "the official pairs"
        values = f"{beside} {first.value:.2f}, {against} of the same {difference.n} items {second.value:.2f}"
        yield f"{who}: {values}, difference {signed(difference.value)}{_bounds(difference)}."


def _bounds(difference: Cell) -> str:
    if difference.low is None or difference.high is None:
        return f"; nothing follows from it: {difference.reason}"
    said = f", 95% interval {signed(difference.low)} to {signed(difference.high)}"
    if difference.low > 0 or difference.high < 0:
        return said
    least = difference.detectable
    told = "" if least is None else f"; one of {least:.2f} would have been found in 80% of such studies"
    return f"{said}: no difference was shown{told}"
