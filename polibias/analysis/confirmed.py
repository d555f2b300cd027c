"""What a planned analysis found: results in the plan's order with what each decides, deviations, methods."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import msgspec

from polibias.analysis.cells import cell, possible
from polibias.analysis.crosscheck import Check
from polibias.analysis.findings import Table, TableRow
from polibias.analysis.measured import Measured, Measures
from polibias.domain.plan import ROLES, AnalysisRules, Comparison, Plan, Role
from polibias.domain.value import Value
from polibias.stats.estimate import Estimate, Interval

Kind = Literal["confirmatory", "rehearsal"]
Outcome = Literal["holds", "fails", "undecided"]
UNDECIDED = "Not decided: {reason}."
JACKKNIFE = "jackknife"
FINDINGS_TAG = "planned-findings/1"


class Decided(Value, frozen=True):
    """What a row of a comparison decides by one of its numbers, and the rule that was fixed before."""

    keys: dict[str, str]
    measure: str
    outcome: Outcome
    rule: str
    said: str


class PlannedResult(Value, frozen=True):
    """One comparison of the plan."""

    id: str
    title: str
    role: Role
    statistic: str
    table: Table
    decisions: tuple[Decided, ...]


class Deviation(Value, frozen=True):
    """Something that is not as the plan has it, why, and when it was said (UTC), "" for what the records say."""

    what: str
    reason: str
    at: str


class Confirmed(Value, frozen=True):
    """Everything the report of a plan prints. The same lock and records give the same bytes, wherever it is made.

    `inputs` are the manifests that it was computed from, by run; `labels` is the last event of the project whose labels
    count, "" for none. A rehearsal names neither.
    """

    plan: str
    title: str
    question: str
    kind: Kind
    lock: str
    results: tuple[PlannedResult, ...]
    deviations: tuple[Deviation, ...]
    methods: str
    facts: dict[str, str]
    inputs: dict[str, str] = {}
    labels: str = ""


class Checked(NamedTuple):
    """A result with other libraries' values for it, by row. They depend on the machine and are no part of findings."""

    result: PlannedResult
    checks: tuple[tuple[dict[str, str], tuple[Check, ...]], ...]


Measure = Callable[[Comparison], tuple[Measures, list[Measured]]]


def results_of(plan: Plan, rules: AnalysisRules, measure: Measure) -> list[Checked]:
    """Every comparison of the plan: primary ones first, exploratory ones last, each kind in the plan's order."""
    ordered = [one for role in ROLES for one in plan.comparisons if one.role == role]
    return [_result(comparison, rules, *measure(comparison)) for comparison in ordered]


def _result(comparison: Comparison, rules: AnalysisRules, measures: Measures, found: Sequence[Measured]) -> Checked:
    units = {column.id: column.unit for column in measures.columns}
    rows = [
        (dict(one.keys), {name: _printed(name, units[name], value, rules) for name, value in one.estimates.items()})
        for one in found
    ]
    table = Table(
        id=comparison.id,
        title=comparison.title,
        caption=measures.caption,
        keys=measures.keys,
        columns=measures.columns,
        rows=tuple(TableRow(keys, {name: cell(value, {}) for name, value in values.items()}) for keys, values in rows),
    )
    decided = tuple(_decisions(comparison, rows))
    result = PlannedResult(comparison.id, comparison.title, comparison.role, comparison.statistic, table, decided)
    return Checked(result, tuple((dict(one.keys), one.checks) for one in found))


def _printed(name: str, unit: str, estimate: Estimate, rules: AnalysisRules) -> Estimate:
    """The estimate with the plan's interval, which never leaves the scale; a difference of shares may be negative."""
    found = chosen(estimate, rules)
    return possible(found, -1.0 if name.endswith("difference") else 0.0) if unit == "share" else found


def chosen(estimate: Estimate, rules: AnalysisRules) -> Estimate:
    """The estimate with the plan's interval as its own, and the other one beside it."""
    if rules.interval == JACKKNIFE or estimate.value is None:
        return estimate
    planned = next((one for one in estimate.beside if one.method.startswith("percentile")), None)
    if planned is None:
        return estimate
    own = Interval(estimate.method, estimate.low, estimate.high, estimate.reason)
    others = tuple(one for one in estimate.beside if one is not planned)
    own_now = replace(estimate, method=planned.method, low=planned.low, high=planned.high, reason=planned.reason)
    return replace(own_now, beside=(own, *others))


Row = tuple[dict[str, str], Mapping[str, Estimate]]


def _decisions(comparison: Comparison, rows: Sequence[Row]) -> Iterator[Decided]:
    rule = comparison.decision
    if rule is None:
        return
    for keys, values in rows:
        estimate = values[comparison.measure]
        value = getattr(estimate, rule.bound)
        if value is None:
            said = UNDECIDED.format(reason=estimate.reason or "there is no interval")
            yield Decided(keys, comparison.measure, "undecided", rule.rule, said)
        else:
            holds = rule.decides(value)
            outcome: Outcome = "holds" if holds else "fails"
            yield Decided(keys, comparison.measure, outcome, rule.rule, rule.holds if holds else rule.fails)


def as_json(confirmed: Confirmed) -> Any:
    return msgspec.to_builtins(confirmed)
