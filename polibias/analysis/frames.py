"""Rows as one tidy frame: the only place where streams are joined and the only door to pandas."""

from collections.abc import Collection, Iterable, Mapping
from math import nan
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec

from polibias.analysis.cases import Answered, Case, Guessed, Judged, PairFacts
from polibias.analysis.quoted import Sought
from polibias.analysis.use import Use, rates_of
from polibias.detectors.signals import RATED, behaviour
from polibias.detectors.structure import Structure, structure
from polibias.domain.masked import Status
from polibias.domain.rows import (
    JudgeGuess,
    Judgment,
    MaskedResponse,
    Response,
    Score,
    Seen,
    Verdict,
)
from polibias.domain.rubric import Rubric
from polibias.domain.sides import ORDERS, SIDES, Both, Order, Side
from polibias.domain.study import Rate
from polibias.generate import JUDGEABLE
from polibias.records.ledger import Stream
from polibias.records.runs import Run
from polibias.records.shelf import Shelfmark, located

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")


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
    """
    models, judges = ([entry["name"] for entry in about[role]] for role in ("models", "judges"))
    reading = _Reading(table)
    pairs = reading.pairs(run)
    uses = {"models": [Use() for _ in models], "judges": [Use() for _ in judges]}
    judged = {
        judge: (
            reading.judgments(run.judgments(judge), use, rate),
            reading.guesses(run.judge_guesses(judge), use, rate),
        )
        for judge, use, rate in zip(judges, uses["judges"], rates_of(about, "judges"), strict=True)
    }
    responses = {
        model: reading.responses(run.responses(model), use, rate)
        for model, use, rate in zip(models, uses["models"], rates_of(about, "models"), strict=True)
    }
    for model, found in responses.items():
        _add_copies(found, pairs, reading.masked(run.masked(model)))
    complete = {judge: _complete(judgments) for judge, (judgments, _) in judged.items()}
    cases: dict[tuple[str, str, str], Case] = {}
    for judge, (judgments, guesses) in judged.items():
        for model in models:
            for id, pair in pairs:
                own = responses[model].get(id, {}), judgments.get((model, id), {})
                original, guess = cases.get((judge, model, pair.copy_of)), guesses.get((model, id))
                also = tuple(name for name in judges if name != judge and (model, id) in complete[name])
                cases[judge, model, id] = Case(id, pair, model, judge, *own, original, guess, also)
    return Collected(list(cases.values()), reading.first, reading.last, uses)


def collect_judged(run: Run, about: Mapping[str, Any], judges: Collection[str]) -> list[Case]:
    """The cases of some judges without their responses, and without what is counted in these; copies are left out.

    For what rests on verdicts alone, at a fraction of the time. `about` is the run's `study.json`.
    """
    reading = _Reading({})
    pairs = [(id, pair) for id, pair in reading.pairs(run) if not pair.copy_of]
    models, asked = ([entry["name"] for entry in about[role]] for role in ("models", "judges"))
    found = []
    for judge in (name for name in asked if name in judges):
        judgments = reading.judgments(run.judgments(judge), Use(), None)
        found += [
            Case(id, pair, model, judge, {}, judgments.get((model, id), {})) for model in models for id, pair in pairs
        ]
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


class _Reading:
    """One pass over a run. Equal values are kept once: designs, names and scores repeat from row to row."""

    def __init__(self, table: Mapping[str, Collection[str]]) -> None:
        self.first = self.last = ""
        self._table = table
        self._sought = Sought()
        self._known: dict[Any, Any] = {}
        self._labels: dict[tuple[tuple[str, Both[str]], ...], dict[str, Both[str]]] = {}

    def pairs(self, run: Run) -> list[tuple[str, PairFacts]]:
        found = []
        for mark, entry in located(run.pairs()):
            row = entry.row
            facts = PairFacts(
                self._one(row.design),
                self._one(row.parties),
                self._one(row.acting),
                self._one(row.facing),
                row.inclusion,
                row.copy_of,
                row.level,
                mark,
            )
            found.append((self._one(entry.id), facts))
        return found

    def responses(self, stream: Stream[Response], use: Use, rate: Rate | None) -> dict[str, dict[Side, Answered]]:
        """The latest response of each pair and side."""
        found: dict[str, dict[Side, Answered]] = {}
        for mark, entry in located(stream):
            self._note(entry.seen)
            self._sought.read(entry.id, entry.row.text)
            use.add(entry.row, entry.seen, rate)
            row = entry.row
            read = self._one(behaviour(row.text, row.design.task))
            ended = Answered(self._one(row.outcome), row.fallback, mark, read, self._structure(row))
            found.setdefault(self._one(row.pair), {})[self._one(row.side)] = ended
        return found

    def masked(self, stream: Stream[MaskedResponse]) -> dict[str, dict[Side, tuple[Status, Shelfmark]]]:
        """What became of the latest masked response of each pair and side."""
        found: dict[str, dict[Side, tuple[Status, Shelfmark]]] = {}
        for mark, entry in located(stream):
            self._sought.read(entry.id, entry.row.text)
            found.setdefault(self._one(entry.row.pair), {})[self._one(entry.row.side)] = entry.row.outcome, mark
        return found

    def guesses(self, stream: Stream[JudgeGuess], use: Use, rate: Rate | None) -> dict[tuple[str, str], Guessed]:
        """The latest guess at each model's pair."""
        found: dict[tuple[str, str], Guessed] = {}
        for mark, entry in located(stream):
            self._note(entry.seen)
            use.add(entry.row, entry.seen, rate)
            row = entry.row
            guessed = Guessed(self._one(row.outcome), self._one(row.result), len(row.options), mark)
            found[self._one(row.model), self._one(row.pair)] = guessed
        return found

    def judgments(
        self, stream: Stream[Judgment], use: Use, rate: Rate | None
    ) -> dict[tuple[str, str], dict[Order, Judged]]:
        """The latest judgment of each model, pair and order; its quotes are counted when its responses are read."""
        found: dict[tuple[str, str], dict[Order, Judged]] = {}
        for mark, entry in located(stream):
            self._note(entry.seen)
            use.add(entry.row, entry.seen, rate)
            row = entry.row
            own = found.setdefault((self._one(row.model), self._one(row.pair)), {})
            own[self._one(row.order)] = Judged(self._one(row.outcome), self._bare(row.verdict), mark)
            self._sought.note(row, own)
        return found

    def _structure(self, row: Response) -> Structure | None:
        """Without the passage that gives the rating."""
        if row.outcome not in JUDGEABLE:
            return None
        found = structure(row.text, self._table, row.design.task == RATED)
        provisions = self._one(frozenset(map(self._one, found.provisions)))
        rating = self._one(found.rating._replace(evidence=None))
        return self._one(found._replace(provisions=provisions, rating=rating))

    def _note(self, seen: Seen) -> None:
        if seen.at:
            self.first = min(self.first or seen.at, seen.at)
            self.last = max(self.last, seen.at)

    def _one(self, value: T) -> T:
        """The first value that is equal to this one."""
        known: T = self._known.setdefault(value, value)
        return known

    def _bare(self, verdict: Verdict | None) -> Verdict | None:
        """The verdict without its quotes."""
        if verdict is None:
            return None
        scores = {self._one(name): self._one(Score(one.score, one.favoured)) for name, one in verdict.scores.items()}
        labels = self._labels.setdefault(tuple(verdict.labels.items()), verdict.labels)
        return Verdict(scores, labels)


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
