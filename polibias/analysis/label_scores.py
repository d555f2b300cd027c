"""Rows of the statistics about scores: kappa and its gap, agreement, mean difference, and pair totals."""

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import combinations

import numpy as np

from polibias.analysis.crosscheck import Check
from polibias.analysis.label_checks import (
    Rows,
    Theirs,
    checks,
    gap,
    pingouin_icc,
    rows_of,
    sklearn_exact,
    sklearn_kappa,
    stacked,
)
from polibias.analysis.label_table import ALL, ANNOTATORS, LabelTable
from polibias.analysis.labelled import Floats
from polibias.analysis.measured import Measured
from polibias.errors import InputError
from polibias.stats.estimate import Estimate
from polibias.stats.gap import kappa_gap, rater_matrix
from polibias.stats.icc import FEW_RATERS
from polibias.stats.icc_gap import GAP_FORMS, NO_RATER, icc_gap
from polibias.stats.kappa import NO_PAIR
from polibias.stats.ratings import Ratings
from polibias.stats.stacked import complete_calls, stacked_agreement, stacked_kappa

POWERS = {"quadratic": 2, "linear": 1, "none": None}
SHARES = ("exact", "within_one", "mean_difference", "annotators_exact", "annotators_within_one")


def gap_rows(table: LabelTable) -> list[Measured]:
    """Quadratic kappa of each judge with annotators, of annotators, and the gap, by the rules of the plan."""
    rules = table.rules
    if rules.weights != "quadratic":
        raise InputError(
            f"comparison {table.comparison}: kappa_gap has quadratic weights, the plan says '{rules.weights}'; "
            'set weights = "quadratic" or compare by kappa'
        )
    rows = []
    for judge in table.judges:
        calls = table.calls(judge).scores
        found = kappa_gap(table.ratings, calls, *table.draws(judge), rules.judge_score, rules.pooling)
        rows.append(Measured(table.keys(judge=judge), found, _gap_checks(table, calls, found) if table.check else ()))
    return rows


def kappa_rows(table: LabelTable) -> list[Measured]:
    """Kappa of each judge with each annotator, and of each couple of annotators with a common unit."""
    if table.rules.weights != "quadratic" and table.rules.judge_score == "mean":
        raise InputError(
            f"comparison {table.comparison}: the mean of two calls may be no point of the scale, which kappa with "
            f'\'{table.rules.weights}\' weights needs; set judge_score = "calls" or weights = "quadratic"'
        )
    rows = [_judge_kappa(table, judge, place) for judge in table.judges for place in range(len(table.names))]
    if not table.names:
        rows = [_no_kappa(table, judge, NO_RATER) for judge in table.judges]
    couples = list(combinations(range(len(table.names)), 2))
    shared = [couple for couple in couples if _common(table.ratings.values[:, couple])]
    if not shared:
        return [*rows, _no_kappa(table, ANNOTATORS, NO_PAIR if couples else FEW_RATERS)]
    return [*rows, *(_couple_kappa(table, couple) for couple in shared)]


def agreement_rows(table: LabelTable) -> list[Measured]:
    """Exact and within-one agreement and mean difference of each judge, and the annotators' own agreement."""
    rows = []
    for judge in table.judges:
        calls = table.calls(judge).scores
        found = stacked_agreement(table.ratings, calls, *table.draws(judge))
        estimates = {name: found[name] for name in SHARES}
        checked = _share_checks(table, calls, estimates) if table.check else ()
        rows.append(Measured(table.keys(judge=judge), estimates, checked))
    return rows


def difference_rows(table: LabelTable) -> list[Measured]:
    """Mean score of each judge and of annotators on the same units, and the difference."""
    rows = []
    for judge in table.judges:
        found = stacked_agreement(table.ratings, table.calls(judge).scores, *table.draws(judge))
        means = {name: found[name] for name in ("judge_mean", "annotators_mean")}
        rows.append(Measured(table.keys(judge=judge), means | {"difference": found["mean_difference"]}))
    return rows


def total_rows(table: LabelTable) -> list[Measured]:
    """Intraclass correlations of pair totals: judge and annotators, annotators, and the gaps."""
    pairs = table.pairs()
    people = pairs.spread(table.ratings.values).sum(axis=1)
    size, points = len(table.labelled.dimensions), table.labelled.points
    human = Ratings(people, (points[0] * size, points[-1] * size), pairs.clusters, pairs.weights)
    rows = []
    for judge in table.judges:
        own = pairs.spread(table.calls(judge).scores).sum(axis=1).mean(axis=1)
        found = icc_gap(human, own, *table.draws(judge))
        checked = checks("pingouin", found, partial(_icc_checks, human, own)) if table.check else ()
        rows.append(Measured(table.keys(judge=judge), found, checked))
    return rows


def _common(couple: Floats) -> bool:
    return bool((~np.isnan(couple)).all(axis=1).any())


def _no_kappa(table: LabelTable, judge: str, reason: str) -> Measured:
    return Measured(table.keys(judge=judge, raters=ALL), {"kappa": Estimate(None, 0, 0, "", reason=reason)})


def _judge_kappa(table: LabelTable, judge: str, place: int) -> Measured:
    rules, rater = table.rules, table.names[place]
    draws, calls = table.draws(judge, rater), table.calls(judge).scores
    one = table.of(table.ratings.values[:, [place]])
    if rules.weights == "quadratic":
        found = kappa_gap(one, calls, *draws, rules.judge_score)["judge_human"]
    else:
        found = stacked_kappa(calls, one, POWERS[rules.weights], *draws)
    compared = _compared(table, calls) if table.check else calls
    return _kappa_row(table, (judge, rater), found, compared, one.values[:, 0])


def _couple_kappa(table: LabelTable, couple: tuple[int, int]) -> Measured:
    name = " – ".join(table.names[place] for place in couple)
    draws = table.draws(ANNOTATORS, name)
    both = table.of(table.ratings.values[:, couple])
    if table.rules.weights == "quadratic":
        found = rater_matrix(both, *draws)[0, 1]
    else:
        second = table.of(both.values[:, [1]])
        found = stacked_kappa(both.values[:, [0]], second, POWERS[table.rules.weights], *draws, NO_PAIR)
    return _kappa_row(table, (ANNOTATORS, name), found, both.values[:, [0]], both.values[:, 1])


def _kappa_row(table: LabelTable, about: tuple[str, str], found: Estimate, first: Floats, second: Floats) -> Measured:
    estimates = {"kappa": found}
    checked: tuple[Check, ...] = ()
    if table.check:
        rows = [rows_of(first, second, table.weights)]
        checked = checks("sklearn", estimates, lambda: [("kappa", _theirs(table, rows), "kappa")])
    return Measured(table.keys(judge=about[0], raters=about[1]), estimates, checked)


def _compared(table: LabelTable, calls: Floats) -> Floats:
    """What is compared with a label: each call, or their mean."""
    whole = complete_calls(calls)
    return whole if table.rules.judge_score == "calls" else whole.mean(axis=1, keepdims=True)


def _theirs(table: LabelTable, couples: list[Rows]) -> Theirs:
    weights = None if table.rules.weights == "none" else table.rules.weights
    return sklearn_kappa(couples, table.labelled.points, weights)


def _couples(table: LabelTable, calls: Floats) -> tuple[list[Rows], list[Rows]]:
    """The judge with each annotator, and annotators two by two, written out."""
    labels = table.ratings.values.T
    with_judge = [rows_of(calls, label, table.weights) for label in labels]
    return with_judge, [rows_of(*couple, table.weights) for couple in combinations(labels, 2)]


def _gap_checks(table: LabelTable, calls: Floats, found: Mapping[str, Estimate]) -> tuple[Check, ...]:
    """No library pools annotators' kappa over several couples: then neither it nor the gap has a check."""
    with_judge, among = _couples(table, _compared(table, calls))
    pooled = table.rules.pooling == "pooled"

    def theirs() -> Iterable[tuple[str, Theirs, str]]:
        first = _theirs(table, stacked(with_judge) if pooled else with_judge)
        second = {} if pooled and len(among) > 1 else _theirs(table, among)
        yield from (("judge_human", first, "kappa"), ("human_human", second, "kappa"))
        yield "gap", gap(first, second), "kappa"

    return checks("sklearn", found, theirs)


def _share_checks(table: LabelTable, calls: Floats, found: Mapping[str, Estimate]) -> tuple[Check, ...]:
    with_judge, among = _couples(table, complete_calls(calls))
    named = (("exact", with_judge), ("annotators_exact", among))
    return checks("sklearn", found, lambda: [(name, sklearn_exact(couples), "exact") for name, couples in named])


def _icc_checks(human: Ratings, judge: Floats) -> Iterable[tuple[str, Theirs, str]]:
    labels = human.values.T
    first = pingouin_icc([rows_of(judge, label, human.weights) for label in labels])
    second = pingouin_icc([rows_of(*couple, human.weights) for couple in combinations(labels, 2)])
    for form in GAP_FORMS:
        yield f"{form}_judge_human", first, form
        yield f"{form}_human_human", second, form
        yield f"{form}_gap", gap(first, second), form
