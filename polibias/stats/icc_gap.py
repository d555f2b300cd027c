"""Intraclass correlations of judge and annotators, of annotators among themselves, and how far they lie apart.

Like the gap of kappas (`gap`), but for numbers such as a pair's total score, which have no fixed categories.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polibias.stats.clusters import Sums, cluster_codes, cluster_sums
from polibias.stats.estimate import Estimate
from polibias.stats.icc import FEW_RATERS, FORMS, NO_SPREAD, icc, mean_squares
from polibias.stats.intervals import Defined, Statistic, estimates, ratio
from polibias.stats.ratings import Ratings
from polibias.stats.resampling import Resampling, stream_seed

GAP_FORMS = ("icc_a_1", "icc_c_1")
NO_TOTALS = "no pair has both totals"
ONE_TOTAL = "a couple of raters shares one pair only"
NO_RATER = "no annotator"
PARTS = 6
"""Columns of a couple, as `icc` makes them for two raters."""

Floats = NDArray[np.float64]


class _Couples(NamedTuple):
    """Columns of a group of couples, how many units they rest on, and why the group may have no coefficient."""

    columns: Floats
    used: NDArray[np.bool_]
    reason: str


def icc_gap(human: Ratings, judge: Floats, resamples: int, seed: int, row: str) -> dict[str, Estimate]:
    """ICC(A,1) and ICC(C,1) of judge and annotators, of annotators among themselves, and the gaps, from one draw.

    Parameters
    ----------
    human
        Annotators' numbers, units × annotators, NaN where missing; of `categories` only the two ends matter.
    judge
        The judge's number for each unit.
    resamples, seed, row
        Of the one set of draws.

    Returns
    -------
    dict
        For each of the two forms `<form>_judge_human`, the mean over annotators; `<form>_human_human`, the mean over
        couples of annotators; `<form>_gap`, the first minus the second, which carries the detectable effect. Couples
        that share no unit are left out of a mean. Their n counts units with a judge's number and an annotator's, with
        two annotators', and with either. Not estimable without such units, if a couple shares one unit only, or if
        a couple's numbers do not vary.
    """
    labels = human.values.T
    with_judge = _couples(human, [(judge, label) for label in labels], NO_RATER)
    among = _couples(human, list(combinations(labels, 2)), FEW_RATERS)
    columns = np.hstack([with_judge.columns, among.columns])
    used = with_judge.used | among.used
    codes, count = cluster_codes([human.clusters[unit] for unit in np.flatnonzero(used).tolist()])
    defined: dict[str, Defined] = {}
    for form in GAP_FORMS:
        defined |= _statistics(form, with_judge, among)
    weights = None if human.weights is None else human.weights[used]
    kish = None if weights is None or not len(weights) else float(weights.sum() ** 2 / (weights**2).sum())
    draws = Resampling(resamples, stream_seed(seed, row))
    return estimates(defined, cluster_sums(columns[used], codes, count), int(used.sum()), draws, effective_n=kish)


def _couples(human: Ratings, couples: Sequence[tuple[Floats, Floats]], none: str) -> _Couples:
    """Couples that share no unit have no columns."""
    blocks = [icc(human._replace(values=np.column_stack(couple))).columns for couple in couples]
    shared = [block for block in blocks if block.any()]
    columns = np.hstack([np.zeros((len(human.values), 0)), *shared])
    few = any(block[:, 0].sum() < 2 for block in shared)
    reason = none if not couples else NO_TOTALS if not shared else ONE_TOTAL if few else NO_SPREAD
    return _Couples(columns, np.asarray(columns.any(axis=1), dtype=np.bool_), reason)


def _statistics(form: str, with_judge: _Couples, among: _Couples) -> dict[str, Defined]:
    split = with_judge.columns.shape[1]
    first, second = _mean_icc(form, slice(0, split)), _mean_icc(form, slice(split, None))
    reasons = (with_judge.reason, among.reason)
    either = next((reason for reason in reasons if reason != NO_SPREAD), NO_SPREAD)
    return {
        f"{form}_judge_human": Defined(first, reasons[0], "fisher", n=int(with_judge.used.sum())),
        f"{form}_human_human": Defined(second, reasons[1], "fisher", n=int(among.used.sum())),
        f"{form}_gap": Defined(lambda sums: first(sums) - second(sums), either, contrast=True),
    }


def _mean_icc(form: str, part: slice) -> Statistic:
    """Mean over couples that share a unit; undefined as soon as one of them is."""

    def statistic(sums: Sums) -> Floats:
        own = sums[:, part]
        couples = own.reshape(len(sums) * (own.shape[1] // PARTS), PARTS)
        found = FORMS[form](mean_squares(couples, 2)).reshape(len(sums), -1)
        shared = couples[:, 0].reshape(found.shape) > 0
        return ratio(np.where(shared, found, 0.0).sum(axis=1), shared.sum(axis=1).astype(np.float64))

    return statistic
