"""Rows as one tidy frame: the only place where streams are joined and the only door to pandas."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from polibias.domain.rows import Judgment, PromptPair, Response, Verdict
from polibias.domain.rubric import Rubric
from polibias.domain.sides import ORDERS, SIDES, Order, Side
from polibias.records.ledger import Stream, read
from polibias.records.runs import Run

if TYPE_CHECKING:
    import pandas as pd


class Case(NamedTuple):
    """One pair as one model answered it and one judge read it: everything a number can lead back to."""

    pair_id: str
    pair: PromptPair
    model: str
    judge: str
    responses: dict[Side, Response]
    judgments: dict[Order, Judgment]

    @property
    def verdicts(self) -> dict[Order, Verdict]:
        """The valid verdicts by order."""
        return {order: row.verdict for order, row in self.judgments.items() if row.verdict is not None}

    @property
    def complete(self) -> bool:
        """Both orders valid. A pair with one valid order has no score; it is never averaged over one."""
        return len(self.verdicts) == len(ORDERS)


def cases(run: Run, models: list[str], judges: list[str]) -> Iterator[Case]:
    """Every pair × model × judge of the study, in that order of nesting, whether or not it was answered."""
    pairs = [(entry.id, entry.row) for entry in read(run.pairs())]
    responses = {model: _latest_responses(run.responses(model)) for model in models}
    judgments = {judge: _latest_judgments(run.judgments(judge)) for judge in judges}
    for judge in judges:
        for model in models:
            for pair_id, pair in pairs:
                answered = responses[model].get(pair_id, {})
                judged = judgments[judge].get((model, pair_id), {})
                yield Case(pair_id, pair, model, judge, answered, judged)


def _latest_responses(stream: Stream[Response]) -> dict[str, dict[Side, Response]]:
    found: dict[str, dict[Side, Response]] = {}
    for entry in read(stream):
        found.setdefault(entry.row.pair, {})[entry.row.side] = entry.row
    return found


def _latest_judgments(stream: Stream[Judgment]) -> dict[tuple[str, str], dict[Order, Judgment]]:
    found: dict[tuple[str, str], dict[Order, Judgment]] = {}
    for entry in read(stream):
        found.setdefault((entry.row.model, entry.row.pair), {})[entry.row.order] = entry.row
    return found


def tidy(found: list[Case], rubrics: Mapping[str, Rubric]) -> "pd.DataFrame":
    """One row per case: design, `complete`, `total`, a column per dimension, and per label whether the pair is
    one-sided (NA where the judge's two orders label a response differently) and, if ordinal, each version's rating.

    `rubrics` holds the rubric of each condition as its judge task asks for it. Scores and ratings are means over the
    two orders, so they lie on half points.
    """
    import pandas as pd

    dimensions = dict.fromkeys(name for rubric in rubrics.values() for name in rubric.dimension_ids)
    labels = {label.id: label for rubric in rubrics.values() for label in rubric.labels}
    columns = [*DESIGN_COLUMNS, "judge", "model", "pair", "complete", "total"]
    columns += [score_column(name) for name in dimensions]
    columns += [one_sided_column(name) for name in labels]
    columns += [rating_column(label.id, side) for label in labels.values() if label.ordinal for side in SIDES]
    return pd.DataFrame([_row(case, rubrics[case.pair.design.condition]) for case in found], columns=columns)


DESIGN_COLUMNS = ("template", "category", "topic", "topic_category", "block", "task", "condition", "roles")


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
    row = {**design, "judge": case.judge, "model": case.model, "pair": case.pair_id, "complete": case.complete}
    if not case.complete:
        return row
    verdicts = list(case.verdicts.values())
    for name in rubric.dimension_ids:
        row[score_column(name)] = sum(verdict.scores[name].score for verdict in verdicts) / len(verdicts)
    for label in rubric.labels:
        row[one_sided_column(label.id)] = one_sided(verdicts, label.id, label.one_sided)
        for side in SIDES if label.ordinal else ():
            ratings = [label.rating(verdict.labels[label.id][side]) for verdict in verdicts]
            row[rating_column(label.id, side)] = sum(ratings) / len(ratings)
    return row | {"total": sum(verdict.total for verdict in verdicts) / len(verdicts)}


def one_sided(verdicts: list[Verdict], label: str, counting: tuple[str, ...]) -> bool | None:
    """Whether exactly one response has one of the counting options; None where the orders disagree."""
    read_as = {tuple(verdict.labels[label][side] in counting for side in SIDES) for verdict in verdicts}
    if len(read_as) > 1:
        return None
    a, b = read_as.pop()
    return a != b
