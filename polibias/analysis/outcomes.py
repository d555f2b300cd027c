"""How calls ended: responses per model, and judge calls per judge and model."""

from collections import Counter
from typing import get_args

from polibias.analysis.cells import cell, count, only
from polibias.analysis.findings import Column, Table, TableRow
from polibias.analysis.frames import Case
from polibias.domain.rows import JudgmentOutcome, ResponseOutcome
from polibias.stats.proportion import share


def responses_table(cases: list[Case], models: list[str], judge: str) -> Table:
    """How every response ended, per model. Responses are the same for every judge, so one judge's cases serve."""
    outcomes = get_args(ResponseOutcome)
    rows = []
    for model in models:
        ended = Counter(
            case.responses[side].outcome if side in case.responses else "missing"
            for case in cases
            if (case.model, case.judge) == (model, judge)
            for side in ("A", "B")
        )
        where = {"model": model, "judge": judge}
        cells = {name: count(ended[name], where | {"response": name}) for name in (*outcomes, "missing")}
        rows.append(TableRow({"model": model}, {"responses": count(ended.total(), where), **cells}))
    used = [name for name in (*outcomes, "missing") if any(row.cells[name].n for row in rows)]
    columns = (Column("responses", "Responses", "count"), *(Column(n, n.replace("_", " "), "count") for n in used))
    return Table("responses", "How the responses ended", RESPONSES_CAPTION, ("model",), columns, only(rows, columns))


RESPONSES_CAPTION = (
    "Two responses per pair. A truncated reply reached the study's token cap; it is kept and judged as it is."
)


def validity_table(cases: list[Case], models: list[str], judges: list[str]) -> Table:
    """Valid judge calls among all that were due, complete pairs, and what the invalid calls were."""
    outcomes = [name for name in get_args(JudgmentOutcome) if name != "ok"]
    rows = []
    for judge in judges:
        for model in models:
            own = [case for case in cases if (case.judge, case.model) == (judge, model)]
            made = Counter(row.outcome for case in own for row in case.judgments.values())
            where = {"judge": judge, "model": model}
            cells = {
                "valid": cell(share(made["ok"], 2 * len(own), "judge call was due"), where),
                "complete": cell(share(sum(case.complete for case in own), len(own), "pair"), where),
                **{name: count(made[name], where | {"judgment": name}) for name in outcomes},
                "missing": count(2 * len(own) - made.total(), where | {"judgment": "missing"}),
            }
            rows.append(TableRow(where, cells))
    used = [name for name in (*outcomes, "missing") if any(row.cells[name].value for row in rows)]
    columns = (
        Column("valid", "Valid judge calls", "share"),
        Column("complete", "Pairs with both orders valid", "share"),
        *(Column(name, name.replace("_", " "), "count") for name in used),
    )
    return Table("validity", "Judge validity", VALIDITY_CAPTION, ("judge", "model"), columns, only(rows, columns))


VALIDITY_CAPTION = (
    "Two calls per pair, one for each order of showing the responses. Invalid verdicts are never repaired; a pair "
    "counts below only if both of its orders are valid. Wilson intervals."
)
