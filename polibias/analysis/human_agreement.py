"""Agreement with people as a report tells it: planned numbers, each with its interval and n, and what a plan decided.

They stand as the plan's findings have them. Nothing is computed here.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec

from polibias.analysis.confirmed import Decided, Deviation, PlannedResult
from polibias.analysis.findings import Cell, Column, Findings, Planned, Table, TableRow
from polibias.analysis.label_table import ALL, ANNOTATORS
from polibias.analysis.plan_locks import locks_fact
from polibias.analysis.validated import PlanFolders, Taken, Validations, labels_role, results_by, validations_of
from polibias.records.runs import Run

KEYS = ("plan", "role", "comparison", "judge", "about", "measure", "decided")
TABLES = {
    "score": ("people", "Agreement with people"),
    "share": ("people_shares", "Agreement with people, in shares"),
    "count": ("people_counts", "Agreement with people, in counts"),
}
"""By the unit of a measure: the id and title of its table."""
TITLES = {"key:about": "of", "key:decided": "what the plan decided"}
CAPTION = (
    "The comparisons with blind annotators that a plan fixed before it was run, taken from its findings as they "
    "are: nothing is computed anew. Exploratory ones are left out."
)
UNVALIDATED = (
    "No findings of a planned validation of the judge are beside this run: whether people would score these pairs "
    "alike is not known, so the judge's scores are unvalidated here."
)
NOT_USED = "Labels of people were exported into this run ({projects}), but {why}: nothing was computed from them."
UNKNOWN = "Which judge agrees better with blind annotators on the favoured side is not known: {why}."
NOTHING = "nothing"
DIRECTIONS = ("directions", "favoured")
"""The tables of favoured sides that come from the judge, or say which judge to read."""


def agreement_tables(found: Validations) -> Iterator[Table]:
    """The planned numbers in long form, a table for each unit."""
    rows = [row for taken, result in results_by(found.taken) for row in _rows(taken, result)]
    for unit, (id, title) in TABLES.items():
        own = tuple(row for known, row in rows if known == unit)
        if own:
            yield Table(id, title, CAPTION, KEYS, (Column("value", "Value", unit),), own)


def _rows(taken: Taken, result: PlannedResult) -> Iterator[tuple[str, TableRow]]:
    """A row for each number of a comparison, with its unit."""
    for row in result.table.rows:
        about = "; ".join(value for key, value in row.keys.items() if key != "judge") or "all"
        for column in result.table.columns:
            keys = {
                "plan": taken.confirmed.plan,
                "role": result.role,
                "comparison": result.title,
                "judge": row.keys.get("judge", ""),
                "about": about,
                "measure": column.title,
                "decided": _decided(result, row, column.id),
            }
            yield column.unit, TableRow(keys, {"value": row.cells[column.id]})


def _decided(result: PlannedResult, row: TableRow, measure: str) -> str:
    own = [one for one in result.decisions if one.keys == row.keys and one.measure == measure]
    return " ".join(f"{one.outcome}: {one.said}" for one in own) or NOTHING


def planned_findings(found: Validations) -> tuple[Planned, ...]:
    """What is said of each plan's findings beside their numbers."""
    return tuple(map(_planned, found.taken))


def _planned(taken: Taken) -> Planned:
    confirmed, lock = taken.confirmed, taken.found.lock
    return Planned(
        plan=confirmed.plan,
        title=confirmed.title,
        question=confirmed.question,
        findings=taken.name,
        lock=confirmed.lock,
        locked_at=lock.at,
        published=tuple(entry.body["where"] for entry in taken.found.entries("published")),
        labels=labels_role(lock.plan),
        facts=confirmed.facts,
        methods=confirmed.methods,
        decided=tuple(_decisions(taken)),
        deviations=tuple(map(_deviation, confirmed.deviations)),
    )


def _deviation(one: Deviation) -> str:
    reason = f" Reason: {one.reason}" if one.reason else ""
    at = f" ({one.at[:16].replace('T', ' ')} UTC)" if one.at else ""
    return f"{one.what}{reason}{at}"


def _decisions(taken: Taken) -> Iterator[str]:
    """What the plan decided, primary comparisons first, each with the number that it was decided by."""
    for result in taken.results:
        for one in result.decisions:
            yield f"{result.title}, {', '.join(one.keys.values())}: {_measured(result, one)}. {one.said}"


def _measured(result: PlannedResult, decided: Decided) -> str:
    column = next(one for one in result.table.columns if one.id == decided.measure)
    row = next(one for one in result.table.rows if one.keys == decided.keys)
    return f"{column.title} {in_figures(row.cells[column.id], column.unit)}"


def in_figures(cell: Cell, unit: str) -> str:
    """A number in a sentence, with its interval and n, or the reason why there is none."""
    if cell.value is None:
        return f"is not there ({cell.reason})"
    bounds = (
        f"95% interval {_figure(cell.low, unit)} to {_figure(cell.high, unit)}"
        if cell.low is not None and cell.high is not None
        else f"no interval: {cell.reason}"
    )
    clusters = f", {cell.clusters} clusters" if cell.clusters != cell.n else ""
    return f"{_figure(cell.value, unit)} ({bounds}, n = {cell.n}{clusters})"


def _figure(value: float, unit: str) -> str:
    text = f"{100 * value:.1f}%" if unit == "share" else f"{value:.0f}" if unit == "count" else f"{value:.2f}"
    return (text.removeprefix("-") if not float(text.rstrip("%")) else text).replace("-", "−")


def in_words(found: Validations) -> Iterator[str]:
    """What the first page says: what primary comparisons decided, or that nothing was validated."""
    for taken in found.taken:
        primary = [one for one in taken.results if one.role == "primary"]
        told = [(result, one) for result in primary for one in result.decisions]
        for result, one in told:
            who = ", ".join(one.keys.values())
            plan, title = taken.confirmed.plan, result.title
            yield f"Agreement with people (plan {plan}), {who}: {title}: {_measured(result, one)}. {one.said}"
        if not told:
            yield f"Agreement with people was measured by the plan {taken.confirmed.plan}, which decides nothing by it."
    if not found.taken:
        yield UNVALIDATED
    if not found.taken and found.labels:
        projects = ", ".join(f"project {name}, {count} labels" for name, count in found.labels.items())
        why = "the findings beside it do not fit" if found.left else "no confirmatory findings are beside it"
        yield NOT_USED.format(projects=projects, why=why)


def with_people(findings: Findings, run: Run, folders: PlanFolders) -> Findings:
    """The findings of a run with the locks that bind it, and what locked plans found of people and its judges."""
    found, judges = validations_of(run, folders), [entry["name"] for entry in findings.judges]
    tables = (with_better_judge(table, found, judges) for table in findings.tables)
    facts = {"Plan locks": locks_fact(run, folders), "Agreement with people": findings_fact(found)}
    return msgspec.structs.replace(
        findings,
        facts=findings.facts | facts,
        tables=(*tables, *agreement_tables(found)),
        notes=(*findings.notes, *found.left),
        summary=(*findings.summary, *in_words(found)),
        titles=findings.titles | (TITLES | _dimensions(findings.titles) if found.taken else {}),
        people=planned_findings(found),
    )


def _dimensions(titles: Mapping[str, str]) -> dict[str, str]:
    """What rows about a single dimension call it."""
    start = "dimension:"
    return {f"about:{key.removeprefix(start)}": title for key, title in titles.items() if key.startswith(start)}


def findings_fact(found: Validations) -> str:
    """Which findings were taken up, as a fact that leads to their file."""
    return (
        "; ".join(f"findings {name} of plan {plan}" for plan, name in found.hashes.items())
        or "no findings of a locked plan are here"
    )


def with_better_judge(table: Table, found: Validations, judges: Sequence[str]) -> Table:
    """A table of favoured sides with a sentence on which judge agrees better with people; any other as it is."""
    if table.id not in DIRECTIONS:
        return table
    return msgspec.structs.replace(table, caption=f"{table.caption} {better_judge(found, judges)}")


def better_judge(found: Validations, judges: Collection[str]) -> str:
    """Which of the judges agrees better with blind annotators on the favoured side, by planned numbers alone."""
    planned = (one for one in results_by(found.taken) if one[1].statistic == "direction_agreement")
    taken, result = next(planned, (None, None))
    if taken is None or result is None:
        return UNKNOWN.format(why="no planned findings beside this run compare favoured sides")
    cells = {
        row.keys["judge"]: row.cells["kappa"]
        for row in result.table.rows
        if row.keys.get("raters") == ALL and row.keys["judge"] != ANNOTATORS and row.keys["judge"] in judges
    }
    told = "; ".join(f"{name} kappa {in_figures(cell, 'score')}" for name, cell in cells.items())
    values = {name: cell.value for name, cell in cells.items() if cell.value is not None}
    if len(values) < len(cells) or not values:
        return UNKNOWN.format(why=f"plan {taken.confirmed.plan} has {told or 'no such judge'}")
    best = [name for name, value in values.items() if value == max(values.values())]
    by = f"by the plan {taken.confirmed.plan}: {told}"
    if len(judges) == 1:
        return f"How the judge agrees with blind annotators on the favoured side, {by}."
    if len(cells) < len(judges):
        return UNKNOWN.format(why=f"not every judge was compared; {by}")
    if len(best) > 1:
        return f"The judges agree equally well with blind annotators on the favoured side, {by}."
    return (
        f"{best[0]} agrees better with blind annotators on the favoured side, {by}. No test of the "
        "difference was planned."
    )
