"""The alternative annotator test: would the judge do as well as any one annotator, as seen by the others?

Each annotator is left out in turn, and the judge and that annotator are compared by how well they match the rest.
Source: Calderon, Reichart & Dror 2025. Their test takes units as independent; this one is a t-test over clusters by the
jackknife of the same mean over units. With each unit as its own cluster the two are the same to the last digit, which a
t-test over cluster means is not, nor a sign flip: that would need differences symmetric around epsilon.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from polibias.stats.clusters import Sums, cluster_codes, cluster_sums
from polibias.stats.estimate import Estimate
from polibias.stats.intervals import Defined, estimates, jackknife, ratio
from polibias.stats.multiplicity import benjamini_yekutieli
from polibias.stats.resampling import Resampling, stream_seed

LEAST_ANNOTATORS = 3
LEAST_UNITS = 30
PASSING_RATE = 0.5
EPSILON = 0.2
FALSE_DISCOVERIES = 0.05
DECIMALS = 9
NO_UNIT = "no unit with a judge score, an annotator's and another's"

Scoring = Literal["accuracy", "rmse"]
Floats = NDArray[np.float64]


class Comparison(NamedTuple):
    """The judge against one annotator: the column's number, and the units and clusters that they share with others.

    `judge` is the share of units in which the judge matches the others at least as well as the annotator does,
    `annotator` the other way round. `p` is of the hypothesis that annotator - judge is epsilon or more, `adjusted` for
    all annotators, and `wins` whether that is rejected. None where not estimable; `reason` says why.
    """

    column: int
    n: int
    clusters: int
    judge: float | None
    annotator: float | None
    p: float | None
    adjusted: float | None
    wins: bool | None
    reason: str = ""


class AlternativeTest(NamedTuple):
    """The share of annotators whom the judge beats, its mean chance to do as well, and why no verdict may be drawn.

    `notes` are blocking: with any of them `passes` is None whatever the numbers are.
    """

    winning_rate: float | None
    advantage: Estimate
    epsilon: float
    comparisons: tuple[Comparison, ...]
    notes: tuple[str, ...]
    reason: str = ""

    @property
    def passes(self) -> bool | None:
        """Whether the judge beats at least half of the annotators, as published; None if that may not be said."""
        return None if self.notes or self.winning_rate is None else self.winning_rate >= PASSING_RATE


def alternative_test(
    human: Floats,
    judge: Floats,
    clusters: Sequence[str] | None,
    resamples: int,
    seed: int,
    row: str,
    epsilon: float = EPSILON,
    scoring: Scoring = "accuracy",
    level: float = FALSE_DISCOVERIES,
) -> AlternativeTest:
    """Compare the judge with each annotator, as seen by the other annotators.

    Parameters
    ----------
    human, judge
        Ratings, units × annotators and one per unit, NaN where missing. An annotator is compared on the units that it,
        the judge and another annotator rated.
    clusters
        Each unit's cluster, or None to take units as independent, as published.
    resamples, seed, row
        Of the bootstrap that stands beside the advantage's jackknife.
    epsilon
        What the annotator's cost is worth: 0.2 for experts, 0.15 for skilled annotators, 0.1 for crowd workers.
    scoring
        How well someone matches the others: the share of them with the same label, or the negative root mean squared
        distance.
    level
        The false discovery rate of the Benjamini-Yekutieli correction over annotators.

    Returns
    -------
    AlternativeTest
        Annotators without a p-value count neither for nor against the judge. If all differences of an annotator are
        the same, p is 0 below epsilon and 1 above; at epsilon itself, or with one cluster, it is not estimable.
        Fewer than 3 annotators, or than 30 units of one of them, are blocking notes.
    """
    names = [str(unit) for unit in range(len(judge))] if clusters is None else clusters
    compared = [_compared(human, judge, column, scoring) for column in range(human.shape[1])]
    single = [_single(columns, names, epsilon, number) for number, columns in enumerate(compared)]
    adjusted = benjamini_yekutieli([one.p for one in single])
    comparisons = tuple(
        one._replace(adjusted=value, wins=None if value is None else value <= level)
        for one, value in zip(single, adjusted, strict=True)
    )
    decided = [one.wins for one in comparisons if one.wins is not None]
    advantage = _advantage(compared, names, Resampling(resamples, stream_seed(seed, row)))
    rate = sum(decided) / len(decided) if decided else None
    reason = "" if decided else "no annotator has a p-value"
    return AlternativeTest(rate, advantage, epsilon, comparisons, _notes(comparisons), reason)


def _compared(human: Floats, judge: Floats, column: int, scoring: Scoring) -> Floats:
    """Per unit: whether it counts, whether the judge does as well as the annotator, whether the annotator does."""
    own, others = human[:, column], np.delete(human, column, axis=1)
    known = ~np.isnan(others)
    counts = ~np.isnan(own) & ~np.isnan(judge) & known.any(axis=1)
    matches = [_match(values, others, known, scoring) for values in (judge, own)]
    wins = matches[0] >= matches[1], matches[1] >= matches[0]
    return np.column_stack([counts, counts & wins[0], counts & wins[1]]).astype(np.float64)


def _match(values: Floats, others: Floats, known: NDArray[np.bool_], scoring: Scoring) -> Floats:
    """How well each value matches the others. The mean square orders values as its negative root does."""
    apart = np.where(known, others - values[:, None], 0.0)
    points: Floats = (apart == 0) * 1.0 if scoring == "accuracy" else -(apart**2)
    return ratio((points * known).sum(axis=1), known.sum(axis=1) * 1.0).round(DECIMALS)


def _single(columns: Floats, names: Sequence[str], epsilon: float, number: int) -> Comparison:
    used = np.flatnonzero(columns[:, 0])
    codes, clusters = cluster_codes([names[unit] for unit in used.tolist()])
    if not len(used):
        return Comparison(number, 0, 0, None, None, None, None, None, NO_UNIT)
    sums = cluster_sums(columns[used], codes, clusters)
    judge, annotator = (float(share) for share in columns[used, 1:].mean(axis=0))
    p, reason = _p_value(sums, annotator - judge, epsilon)
    return Comparison(number, len(used), clusters, judge, annotator, p, None, None, reason)


def _p_value(sums: Sums, difference: float, epsilon: float) -> tuple[float | None, str]:
    """One-sided: how likely so small a difference is if it were epsilon."""
    if len(sums) < 2:
        return None, "1 cluster; at least 2 are needed"
    spread = jackknife(Defined(_difference, NO_UNIT), sums, difference)
    below = round(difference - epsilon, DECIMALS)
    if not spread.reason:
        return float(stdtr(spread.freedom, (difference - epsilon) / spread.error)), ""
    if below == 0:
        return None, "every cluster differs by epsilon exactly"
    return float(below > 0), ""


def _difference(sums: Sums) -> Floats:
    return ratio(sums[:, 2] - sums[:, 1], sums[:, 0])


def _advantage(compared: Sequence[Floats], names: Sequence[str], draws: Resampling) -> Estimate:
    """The mean over annotators of the share of units in which the judge does as well."""
    columns = np.hstack([np.zeros((len(names), 0)), *(one[:, :2] for one in compared)])
    used = np.flatnonzero(columns.any(axis=1))
    codes, clusters = cluster_codes([names[unit] for unit in used.tolist()])
    sums = cluster_sums(columns[used], codes, clusters)
    return estimates({"rho": Defined(_mean_share, NO_UNIT, "logit")}, sums, len(used), draws)["rho"]


def _mean_share(sums: Sums) -> Floats:
    n, as_well = sums[:, 0::2], sums[:, 1::2]
    shares = np.where(n > 0, ratio(as_well, n), 0.0)
    return ratio(shares.sum(axis=1), (n > 0).sum(axis=1).astype(np.float64))


def _notes(comparisons: Sequence[Comparison]) -> tuple[str, ...]:
    notes = []
    if len(comparisons) < LEAST_ANNOTATORS:
        notes.append(f"{len(comparisons)} annotators; at least {LEAST_ANNOTATORS} are needed")
    notes += [
        f"annotator {one.column + 1} shares {one.n} units; at least {LEAST_UNITS} are needed"
        for one in comparisons
        if one.n < LEAST_UNITS
    ]
    return tuple(notes)
