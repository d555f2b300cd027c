"""Rows as one tidy frame: the only place where streams are joined and the only door to pandas."""

from collections.abc import Collection, Iterable, Mapping
from math import nan
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from polibias.analysis.cases import Answered, Case, Judged, PairFacts
from polibias.analysis.reading import Rows, read_rows, read_verdicts
from polibias.analysis.use import Use
from polibias.domain.masked import Status
from polibias.domain.rows import Verdict
from polibias.domain.rubric import Rubric
from polibias.domain.sides import ORDERS, SIDES, Order, Side
from polibias.records.ledger import Stream
from polibias.records.runs import Run
from polibias.records.shelf import Shelfmark

if TYPE_CHECKING:
    import pandas as pd


class Collected(NamedTuple):
    """A run's cases, and when the first and the last of its responses and judgments were stored; empty if none was.

    Pairs that were masked at the level of names were judged by nobody; they are cases all the same, for their guesses.
    """

    cases: list[Case]
    first: str
    last: str
    uses: dict[str, list[Use]]


def collect(run: Run, about: Mapping[str, Any], table: Mapping[str, Collection[str]] = {}) -> Collected:
    """Every pair × model × judge of the study, in that order of nesting, whether or not it was answered.

    `about` is the run's `study.json`; `table` tells the provisions of one instrument from another's, see `citations`.
    Raises DamagedRecord, with the first problem, unless a sealed run's records are exactly what was written.
    """
    models, judges = ([entry["name"] for entry in about[role]] for role in ("models", "judges"))
    read = read_rows(run, about, table)
    pairs: list[tuple[str, PairFacts]] = list(read.of(run.pairs()).rows.items())
    judged = {judge: (_by_pair(read, run.judgments(judge)), read.of(run.judge_guesses(judge)).rows) for judge in judges}
    responses = {model: _by_pair(read, run.responses(model)) for model in models}
    for model, found in responses.items():
        _add_copies(found, pairs, _by_pair(read, run.masked(model)))
    complete = {judge: _complete(judgments) for judge, (judgments, _) in judged.items()}
    cases: dict[tuple[str, str, str], Case] = {}
    for judge, (judgments, guesses) in judged.items():
        for model in models:
            for id, pair in pairs:
                own = responses[model].get(id, {}), judgments.get((model, id), {})
                original, guess = cases.get((judge, model, pair.copy_of)), guesses.get((model, id))
                also = tuple(name for name in judges if name != judge and (model, id) in complete[name])
                cases[judge, model, id] = Case(id, pair, model, judge, *own, original, guess, also)
    return Collected(list(cases.values()), read.first, read.last, _uses(run, read, models, judges))


def _by_pair(read: Rows, stream: Stream[Any]) -> dict[Any, dict[Any, Any]]:
    """A stream's rows by pair, and for each by side or order."""
    found: dict[Any, dict[Any, Any]] = {}
    for (pair, which), row in read.of(stream).rows.items():
        found.setdefault(pair, {})[which] = row
    return found


def _uses(run: Run, read: Rows, models: Iterable[str], judges: Iterable[str]) -> dict[str, list[Use]]:
    asked = [read.of(run.responses(model)).use for model in models]
    return {"models": asked, "judges": [_use_of_judge(run, read, judge) for judge in judges]}


def _use_of_judge(run: Run, read: Rows, judge: str) -> Use:
    use = Use()
    for stream in (run.judgments(judge), run.judge_guesses(judge)):
        use.join(read.of(stream).use)
    return use


def collect_judged(run: Run, about: Mapping[str, Any], judges: Collection[str]) -> list[Case]:
    """The cases of some judges without their responses, and without what is counted in these; copies are left out.

    For what rests on verdicts alone, at a fraction of the time. `about` is the run's `study.json`; nothing is checked.
    """
    models, asked = ([entry["name"] for entry in about[role]] for role in ("models", "judges"))
    chosen = [name for name in asked if name in judges]
    read = read_verdicts(run, chosen)
    pairs = [(id, pair) for id, pair in read.of(run.pairs()).rows.items() if not pair.copy_of]
    found = []
    for judge in chosen:
        own = _by_pair(read, run.judgments(judge))
        found += [Case(id, pair, model, judge, {}, own.get((model, id), {})) for model in models for id, pair in pairs]
    return found


def _complete(judgments: Mapping[tuple[str, str], Mapping[Order, Judged]]) -> set[tuple[str, str]]:
    """Each model's pairs with a valid verdict in both orders."""
    return {
        key for key, rows in judgments.items() if sum(row.verdict is not None for row in rows.values()) == len(ORDERS)
    }


def _add_copies(
    responses: dict[str, dict[Side, Answered]],
    pairs: Iterable[tuple[str, PairFacts]],
    masked: Mapping[str, Mapping[Side, tuple[Status, Shelfmark]]],
) -> None:
    """Give each copy the responses it was read with: those of its original, or what became of them when masked.

    Nothing is counted in masked texts.
    """
    for id, pair in pairs:
        own = responses.get(pair.copy_of)
        if own is not None and not pair.level:
            responses[id] = own
        elif own is not None and id in masked:
            responses[id] = {
                side: msgspec.structs.replace(own[side], outcome=outcome, mark=mark, structure=None)
                for side, (outcome, mark) in masked[id].items()
            }


def tidy(found: list[Case], rubrics: Mapping[str, Rubric]) -> "pd.DataFrame":
    """One row per case: design, `complete`, `total`, `net`, `direction`, a column per dimension, and per label
    whether the pair is one-sided (NA where the judge's two orders label a response differently) and, if the label is
    ordinal, each version's rating.

    `rubrics` holds the rubric of each condition as its judge task asks for it. Scores and ratings are means over the
    two orders, so they lie on half points.
    """
    import pandas as pd

    dimensions = dict.fromkeys(name for rubric in rubrics.values() for name in rubric.dimension_ids)
    labels = {label.id: label for rubric in rubrics.values() for label in rubric.labels}
    names = [*DESIGN_COLUMNS, "inclusion", "judge", "model", "pair", "complete", "total", "net", "direction"]
    names += [score_column(name) for name in dimensions]
    names += [one_sided_column(name) for name in labels]
    names += [rating_column(label.id, side) for label in labels.values() if label.ordinal for side in SIDES]
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for case in found:
        row = _row(case, rubrics[case.pair.design.condition])
        for name, values in columns.items():
            values.append(row.get(name, nan))
    return pd.DataFrame({name: _series(name, values) for name, values in columns.items()})


DESIGN_COLUMNS = ("template", "category", "topic", "topic_category", "block", "task", "condition", "roles")


WORDS = frozenset((*DESIGN_COLUMNS, "judge", "model", "pair", "direction"))
"""The columns of words."""


def _series(name: str, values: list[Any]) -> "pd.Series[Any]":
    """A column. Words stay the objects that they are: to pick rows of them is far quicker than of packed text."""
    import pandas as pd

    return pd.Series(values, dtype=object) if name in WORDS else pd.Series(values)


def score_column(dimension: str) -> str:
    """A dimension's column. The prefix keeps a rubric's names apart from the design's."""
    return f"score_{dimension}"


def one_sided_column(label: str) -> str:
    """The column that says whether a label is one-sided."""
    return f"one_sided_{label}"


def rating_column(label: str, side: Side) -> str:
    """The column of one version's rating on an ordinal label."""
    return f"rating_{label}_{side}"


def _row(case: Case, rubric: Rubric) -> dict[str, Any]:
    design = {name: getattr(case.pair.design, name) for name in DESIGN_COLUMNS}
    row = {**design, "inclusion": case.pair.inclusion, "judge": case.judge, "model": case.model}
    row |= {"pair": case.pair_id, "complete": case.complete}
    if not case.complete:
        return row
    verdicts, net = list(case.verdicts.values()), case.net(rubric)
    for dimension in rubric.dimensions:
        row[score_column(dimension.id)] = case.score(dimension)
    for label in rubric.labels:
        row[one_sided_column(label.id)] = one_sided(verdicts, label.id, label.one_sided)
        for side in SIDES if label.ordinal else ():
            ratings = [label.rating(verdict.labels[label.id][side]) for verdict in verdicts]
            row[rating_column(label.id, side)] = sum(ratings) / len(ratings)
    return row | {"total": case.total(rubric), "net": net, "direction": direction(net, rubric)}


def direction(net: float, rubric: Rubric) -> str:
    """The side that a pair favours by the aggregated rule: net above 1 or below -1, strictly; else none.

    Where the judge names sides alone, every net but zero has a direction. Source: paper, App. I.
    """
    threshold = 1.0 if any(dimension.asks == "score" for dimension in rubric.dimensions) else 0.0
    return "A" if net > threshold else "B" if net < -threshold else "none"


def one_sided(verdicts: list[Verdict], label: str, counting: tuple[str, ...]) -> bool | None:
    """Whether exactly one response has one of the counting options; None where the orders disagree."""
    read_as = {tuple(verdict.labels[label][side] in counting for side in SIDES) for verdict in verdicts}
    if len(read_as) > 1:
        return None
    a, b = read_as.pop()
    return a != b
