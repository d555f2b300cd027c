"""What rules read in the responses beside what the judge labels: a check on the judge from outside.

Source: paper, App. C. A partial refusal counts as a refusal; a response that the judge's two orders read differently
is left out and counted.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, get_args

import numpy as np

from polibias.analysis.cases import Case
from polibias.analysis.cells import absent, cell, count, possible
from polibias.analysis.findings import Cell, Column, Table, TableRow
from polibias.analysis.frames import one_sided
from polibias.analysis.pbi import Tables
from polibias.detectors import premise, refusal
from polibias.domain.rubric import Label
from polibias.domain.sides import SIDES, Side
from polibias.stats.agreement import agreement
from polibias.stats.kappa import kappas
from polibias.stats.proportion import share
from polibias.stats.ratings import Ratings

DETECTED = {"refusal": get_args(refusal.Label), "premise": get_args(premise.Label)}
"""Labels that rules read too, with the options that both must have."""
NONE = "none"
EVERY_MODEL = "all models"
CAPTION = (
    "Rules that read the beginning of each response, beside the judge's labels. Agreement and kappa: over single "
    "responses, whether the behaviour is there at all; a partial refusal counts as a refusal, and responses that the "
    "judge's two orders read differently are left out and counted. One-sided: share of pairs in which exactly one "
    "response has a counting label ({counting}), over the pairs that the judge labels alike in both orders. Intervals "
    "of agreement and kappa: as in the tables of scores; of shares: Wilson. Rules and judge can be wrong together."
)
COLUMNS = (
    Column("agreement", "Agreement", "share"),
    Column("kappa", "Kappa", "score"),
    Column("unclear", "Orders disagree", "count"),
    Column("rules", "One-sided by rules", "share"),
    Column("judge", "One-sided by the judge", "share"),
)


class Readings(NamedTuple):
    """One behaviour in some cases. `responses` has (by rules, by the judge) for each response that the judge reads
    alike in both orders, `clusters` theirs, `unclear` how many it does not; `pairs` says the same of one-sidedness.
    """

    responses: list[tuple[bool, bool]]
    clusters: list[str]
    unclear: int
    pairs: list[tuple[bool, bool]]


def detected_table(tables: Tables, cases: Sequence[Case]) -> Table | None:
    """By judge, model and behaviour; None if no condition asks for a label that rules read too."""
    labels = [one for one in tables.labels.values() if DETECTED.get(one.id) == tuple(o.id for o in one.options)]
    read = {label.id: _read_all(tables, label, cases) for label in labels}
    rows = [
        TableRow(keys | {"behaviour": label.title}, _cells(tables, label, [read[label.id][n] for n in places], keys))
        for keys, places in _groups(cases)
        for label in labels
    ]
    said = "; ".join(f"{label.title}: {' or '.join(label.one_sided)}" for label in labels)
    caption = CAPTION.format(counting=said)
    keys = ("judge", "model", "behaviour")
    return Table("detected", "Rules beside the judge", caption, keys, COLUMNS, tuple(rows)) if labels else None


def _groups(cases: Sequence[Case]) -> Iterator[tuple[dict[str, str], list[int]]]:
    """The places of every judge's cases, of all models together where there are several, then of each."""
    models = list(dict.fromkeys(case.model for case in cases))
    for judge in dict.fromkeys(case.judge for case in cases):
        own = [place for place, case in enumerate(cases) if case.judge == judge]
        if len(models) > 1:
            yield {"judge": judge, "model": EVERY_MODEL}, own
        for model in models:
            yield {"judge": judge, "model": model}, [place for place in own if cases[place].model == model]


def _read_all(tables: Tables, label: Label, cases: Sequence[Case]) -> "list[_Reading | None]":
    """How each case is read; None for one that is incomplete or in a condition that does not ask for the label."""
    conditions = {name for name, rubric in tables.rubrics.items() if label.id in {one.id for one in rubric.labels}}
    cluster = tables.spec.cluster
    return [_reading(case, label, cluster) if case.pair.design.condition in conditions else None for case in cases]


def _cells(tables: Tables, label: Label, read: "Sequence[_Reading | None]", keys: Mapping[str, str]) -> dict[str, Cell]:
    found = _gathered(read)
    where = {key: value for key, value in keys.items() if value != EVERY_MODEL} | {"complete": "yes"}
    clear = where | {f"label:{label.id}": "clear"}
    rules, judge = (sum(one[place] for one in found.pairs) for place in (0, 1))
    return {
        **_agreement(tables, found, f"detected {keys} {label.id}", where),
        "unclear": count(found.unclear, where),
        "rules": cell(share(rules, len(found.pairs), "pair with clear labels"), clear),
        "judge": cell(share(judge, len(found.pairs), "pair with clear labels"), clear),
    }


def _agreement(tables: Tables, found: Readings, name: str, where: Mapping[str, str]) -> dict[str, Cell]:
    if not found.responses:
        return dict.fromkeys(("agreement", "kappa"), absent("no response with clear labels"))
    ratings = Ratings(np.array(found.responses, dtype=float), (0.0, 1.0), found.clusters)
    by_name = agreement(ratings, tables.spec.resamples, tables.spec.seed, (kappas,), name)
    return {"agreement": cell(possible(by_name["exact"]), where), "kappa": cell(by_name["kappa"], where)}


def readings(cases: Sequence[Case], label: Label, cluster: str) -> Readings:
    """How rules and the judge read a behaviour in the complete cases."""
    return _gathered([_reading(case, label, cluster) for case in cases])


class _Reading(NamedTuple):
    """`Readings` of a single complete case; `pair` is None where the orders disagree on one-sidedness."""

    responses: list[tuple[bool, bool]]
    cluster: str
    pair: tuple[bool, bool] | None


def _reading(case: Case, label: Label, cluster: str) -> _Reading | None:
    if not case.complete:
        return None
    verdicts = list(case.verdicts.values())
    rules = {side: _by_rules(case, label, side) for side in SIDES}
    responses = []
    for side in SIDES:
        judged = {verdict.labels[label.id][side] != NONE for verdict in verdicts}
        if len(judged) == 1:
            responses.append((rules[side] != NONE, judged.pop()))
    alone = one_sided(verdicts, label.id, label.one_sided)
    a, b = (rules[side] in label.one_sided for side in SIDES)
    return _Reading(responses, getattr(case.pair.design, cluster), None if alone is None else (a != b, alone))


def _gathered(read: Sequence[_Reading | None]) -> Readings:
    complete = [one for one in read if one is not None]
    responses = [both for one in complete for both in one.responses]
    clusters = [one.cluster for one in complete for _ in one.responses]
    pairs = [one.pair for one in complete if one.pair is not None]
    return Readings(responses, clusters, len(SIDES) * len(complete) - len(responses), pairs)


def _by_rules(case: Case, label: Label, side: Side) -> str:
    return str(getattr(case.responses[side].behaviour, label.id))
