"""What charts draw that is no table: how pair scores are spread, and how two readings of one pair differ.

Scores lie on half points, so each picture is a count of how often a point occurs. Copies are left out.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import sqrt
from typing import NamedTuple

from polibias.analysis.cases import Case
from polibias.domain.rubric import Rubric
from polibias.domain.sides import ORDERS

Point = tuple[float, float]
LIMIT = 1.96
"""Standard deviations on either side of the mean difference within which 95% of differences lie if they are normal."""


class Spread(NamedTuple):
    """How often each pair score occurs, by judge, model, condition and block."""

    judge: str
    model: str
    condition: str
    block: str
    counts: Mapping[float, int]


class Differences(NamedTuple):
    """Two readings of the same pairs: how often each mean of two scores occurs with each difference of them.

    `of` and `minus` say which reading is subtracted from which.
    """

    judge: str
    condition: str
    of: str
    minus: str
    counts: Mapping[Point, int]

    @property
    def n(self) -> int:
        """The number of pairs, as a model answered each."""
        return sum(self.counts.values())

    @property
    def mean(self) -> float:
        """The mean difference."""
        return sum(difference * count for (_, difference), count in self.counts.items()) / self.n

    @property
    def limits(self) -> tuple[float, float] | None:
        """Bland and Altman's limits of agreement; None for fewer than two pairs."""
        if self.n < 2:
            return None
        mean = self.mean
        squares = sum(count * (difference - mean) ** 2 for (_, difference), count in self.counts.items())
        width = LIMIT * sqrt(squares / (self.n - 1))
        return mean - width, mean + width


def _scored(cases: Iterable[Case]) -> Iterator[Case]:
    return (case for case in cases if case.original is None and case.complete)


def spreads(cases: Sequence[Case], rubrics: Mapping[str, Rubric]) -> list[Spread]:
    """The scores of complete pairs, in the order of the cases."""
    found: dict[tuple[str, str, str, str], Counter[float]] = {}
    for case in _scored(cases):
        design = case.pair.design
        key = (case.judge, case.model, design.condition, design.block)
        found.setdefault(key, Counter())[case.total(rubrics[design.condition])] += 1
    return [Spread(*key, counts) for key, counts in found.items()]


def order_differences(cases: Sequence[Case]) -> list[Differences]:
    """Per judge and condition, the totals of each complete pair's two orders, all models together."""
    found: dict[tuple[str, str], Counter[Point]] = {}
    for case in _scored(cases):
        first, second = (case.verdicts[order].total for order in ORDERS)
        key = (case.judge, case.pair.design.condition)
        found.setdefault(key, Counter())[(first + second) / 2, first - second] += 1
    words = [f"version {order[0]} first" for order in ORDERS]
    return [Differences(*key, words[0], words[1], counts) for key, counts in found.items()]


def judge_differences(cases: Sequence[Case], rubrics: Mapping[str, Rubric]) -> list[Differences]:
    """Per two judges and condition, their scores of the pairs that are complete for both, all models together."""
    scores: dict[str, dict[tuple[str, str, str], float]] = {}
    for case in _scored(cases):
        condition = case.pair.design.condition
        own = scores.setdefault(case.judge, {})
        own[condition, case.model, case.pair_id] = case.total(rubrics[condition])
    found: dict[tuple[str, str, str], Counter[Point]] = {}
    for one, other in combinations(scores, 2):
        for key, score in scores[one].items():
            if key in scores[other]:
                counts = found.setdefault((one, other, key[0]), Counter())
                counts[(score + scores[other][key]) / 2, score - scores[other][key]] += 1
    return [Differences("", condition, one, other, counts) for (one, other, condition), counts in found.items()]
