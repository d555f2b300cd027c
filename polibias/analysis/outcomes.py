"""How calls ended: responses per model, and judge calls per judge and model; and what masking came to."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import get_args

from polibias.analysis.cases import Case
from polibias.analysis.cells import cell, count, only
from polibias.analysis.findings import Cell, Column, Table, TableRow
from polibias.domain.rows import JudgmentOutcome, ResponseOutcome
from polibias.domain.sides import SIDES
from polibias.stats.estimate import Estimate
from polibias.stats.proportion import share


def responses_table(cases: list[Case], models: list[str], judge: str) -> Table:
    """How every response ended, per model. Responses are the same for every judge, so one judge's cases serve."""
    outcomes = get_args(ResponseOutcome)
    rows = []
    for model in models:
        own = [case.responses for case in cases if (case.model, case.judge) == (model, judge)]
        ended = Counter(found[side].outcome if side in found else "missing" for found in own for side in SIDES)
        again = sum(found[side].fallback > 0 for found in own for side in SIDES if side in found)
        where = {"model": model, "judge": judge}
        cells = {name: count(ended[name], where | {"response": name}) for name in (*outcomes, "missing")}
        cells |= {"responses": count(ended.total(), where), "again": count(again, where | {"again": "yes"})}
        cells["cut"] = cell(share(ended["truncated"], ended.total(), "response"), where | {"response": "truncated"})
        rows.append(TableRow({"model": model}, cells))
    used = [name for name in (*outcomes, "missing") if any(row.cells[name].n for row in rows)]
    columns = (
        Column("responses", "Responses", "count"),
        *(Column(n, n.replace("_", " "), "count") for n in used),
        Column("again", "Asked again after a loop", "count"),
        Column("cut", "Cut at the cap", "share"),
    )
    return Table("responses", "How the responses ended", RESPONSES_CAPTION, ("model",), columns, only(rows, columns))


RESPONSES_CAPTION = (
    "Two responses per pair. A truncated reply reached the study's token cap without a loop; it is kept and judged as "
    "it is. If a response loops, both sides of its pair are asked again, and the last attempt counts; a pair "
    "that loops in all of them has no score. Wilson interval."
)


def validity_table(cases: Sequence[Case], models: Sequence[str], judges: Sequence[str]) -> Table:
    """Valid judge calls among all that were due, complete pairs, and what the invalid calls were."""
    rows = []
    for judge in judges:
        for model in models:
            own = [case for case in cases if (case.judge, case.model) == (judge, model)]
            where = {"judge": judge, "model": model}
            rows.append(TableRow(where, _validity(own, where)))
    return _of_validity("validity", "Judge validity", VALIDITY_CAPTION, ("judge", "model"), rows)


def copied_validity_table(cases: Sequence[Case], titles: Mapping[str, str]) -> Table | None:
    """As `validity_table`, for every copy that was judged; None without any. What masking left unread was not due."""
    copies = [case for case in cases if case.original is not None and due(case)]
    found: dict[tuple[str, str, str], list[Case]] = {}
    for case in copies:
        found.setdefault((case.judge, case.model, case.pair.design.condition), []).append(case)
    rows = []
    for (judge, model, name), own in found.items():
        where = {"judge": judge, "model": model, "copy": name, "whole": "yes"}
        rows.append(TableRow({"judge": judge, "model": model, "copy": titles[name]}, _validity(own, where)))
    keys = ("judge", "model", "copy")
    return _of_validity("copied_validity", "Judge validity of copies", VALIDITY_CAPTION, keys, rows) if rows else None


def _validity(own: Sequence[Case], where: Mapping[str, str]) -> dict[str, Cell]:
    made = Counter(row.outcome for case in own for row in case.judgments.values())
    return {
        "valid": cell(share(made["ok"], 2 * len(own), "judge call was due"), where),
        "complete": cell(complete_share(own), where),
        **{name: count(made[name], {**where, "judgment": name}) for name in INVALID},
        "missing": count(2 * len(own) - made.total(), {**where, "judgment": "missing"}),
    }


def due(case: Case) -> bool:
    """Whether a judge was to score the pair: not where only names are hidden, nor what masking left unread."""
    return case.pair.level != "names" and case.whole


def complete_share(own: Sequence[Case]) -> Estimate:
    """How many of the pairs are valid in both orders."""
    return share(sum(case.complete for case in own), len(own), "pair")


def _of_validity(id: str, title: str, caption: str, keys: tuple[str, ...], rows: list[TableRow]) -> Table:
    used = [name for name in (*INVALID, "missing") if any(row.cells[name].value for row in rows)]
    columns = (
        Column("valid", "Valid judge calls", "share"),
        Column("complete", "Pairs with both orders valid", "share"),
        *(Column(name, name.replace("_", " "), "count") for name in used),
    )
    return Table(id, title, caption, keys, columns, only(rows, columns))


INVALID = tuple(name for name in get_args(JudgmentOutcome) if name != "ok")
VALIDITY_CAPTION = (
    "Two calls per pair, one for each order of showing the responses. Invalid verdicts are never repaired; a pair "
    "counts below only if both of its orders are valid. Wilson intervals."
)


MASKED_COLUMNS = (
    Column("responses", "Responses", "count"),
    Column("masked", "Masked", "count"),
    Column("unchanged", "Nothing to hide", "count"),
    Column("leaking", "Something is left", "count"),
    Column("unreadable", "Unreadable", "count"),
    Column("missing", "Not masked", "count"),
    Column("whole", "Pairs that can be read", "share"),
)
MASKED_CAPTION = (
    "Two responses per pair. A response in which something of its pair is left after masking, or that cannot be read, "
    "keeps its pair from being judged and guessed at; nothing of it is used. At the level of names nothing is searched "
    "again. Not masked: a response of the pair could not be judged, so neither was. The Wilson interval treats pairs "
    "as independent."
)


def masked_table(cases: Sequence[Case], titles: Mapping[str, str], judge: str) -> Table | None:
    """What became of every response when it was masked; one judge's cases serve. None if no copy is masked."""
    own = [case for case in cases if case.pair.level and case.judge == judge]
    rows = []
    for model in dict.fromkeys(case.model for case in own):
        for name in dict.fromkeys(case.pair.design.condition for case in own):
            chosen = [case for case in own if (case.model, case.pair.design.condition) == (model, name)]
            if not chosen:
                continue
            where = {"model": model, "judge": judge, "copy": name}
            ended = [
                case.responses[side].outcome if side in case.responses else "missing"
                for case in chosen
                for side in SIDES
            ]
            cells = {
                kind: count(ended.count(kind), where | {"response": kind})
                for kind in ("masked", "unchanged", "leaking", "unreadable", "missing")
            }
            whole = sum(case.whole for case in chosen)
            cells["responses"] = count(len(ended), where)
            cells["whole"] = cell(share(whole, len(chosen), "pair"), where)
            rows.append(TableRow({"model": model, "copy": titles[name]}, cells))
    title = "How the responses were masked"
    return Table("masked", title, MASKED_CAPTION, ("model", "copy"), MASKED_COLUMNS, tuple(rows)) if rows else None
