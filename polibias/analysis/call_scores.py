"""The calls behind complete pairs as arrays: what each order says in each dimension, for tables on reliability."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polibias.analysis.cases import SIGNS, Case
from polibias.analysis.cells import possible
from polibias.analysis.detected import EVERY_MODEL
from polibias.analysis.pbi import WITHIN_BLOCKS, Tables
from polibias.domain.rubric import Rubric
from polibias.domain.sides import ORDERS, Order
from polibias.stats.bias_index import Sample
from polibias.stats.calls import unit_estimates
from polibias.stats.estimate import Estimate
from polibias.stats.ratings import Family
from polibias.stats.resampling import Resampling, stream_seed

Floats = NDArray[np.float64]
Chosen = NDArray[np.bool_]


class CallScores(NamedTuple):
    """The complete pairs of one judge, in one condition where there are several.

    `scores` and `sides` (1 for A, -1 for B, 0 for none and at score 0, where a side carries no weight) are pairs ×
    orders × dimensions, orders as in `ORDERS`. `places` are the pairs' rows in the frame, `models` who answered.
    """

    rubric: Rubric
    cases: list[Case]
    places: list[int]
    models: NDArray[np.str_]
    scores: Floats
    sides: Floats

    @property
    def sided(self) -> Chosen:
        """Which dimensions ask for the side alone."""
        return np.array([one.asks == "side" for one in self.rubric.dimensions], dtype=np.bool_)

    @property
    def readings(self) -> Floats:
        """What kappa compares: the score, or the side where a dimension asks for it alone."""
        return np.where(self.sided, self.sides, self.scores)

    @property
    def points(self) -> tuple[float, ...]:
        """Every value that a reading can have, ascending."""
        scales = ((-1, 0, 1) if one.asks == "side" else self.rubric.scores for one in self.rubric.dimensions)
        return tuple(sorted({float(point) for scale in scales for point in scale}))

    @property
    def order_totals(self) -> Floats:
        """The sum of scores in each order: pairs × orders."""
        found: Floats = self.scores.sum(axis=2)
        return found

    @property
    def totals(self) -> Floats:
        """Each pair's score, as `Case.total` has it."""
        means = self.readings.mean(axis=1)
        found: Floats = np.where(self.sided, np.abs(means), means).sum(axis=1)
        return found

    @property
    def nets(self) -> Floats:
        """How much more each order favours A than B, score-weighted: pairs × orders."""
        found: Floats = (self.scores * self.sides).sum(axis=2)
        return found

    def among(self, chosen: Chosen | list[int]) -> "CallScores":
        """Some of the pairs."""
        kept = np.arange(len(self.cases))[chosen]
        cases, places = ([part[n] for n in kept.tolist()] for part in (self.cases, self.places))
        return self._replace(
            cases=cases,
            places=places,
            models=self.models[kept],
            scores=self.scores[kept],
            sides=self.sides[kept],
        )


class Groups:
    """The pairs of every judge, model and condition, and how statistics of some of them are estimated.

    `cases` are those of `tables`, in its order; pairs are named by their places in it. `conditions` is ('',) where
    the study has but one.
    """

    def __init__(self, tables: Tables, cases: Sequence[Case]) -> None:
        self.tables = tables
        self.cases = cases
        self.conditions = tuple(tables.rubrics) if "condition" in tables.keys else ("",)
        self.models = list(dict.fromkeys(case.model for case in cases))
        self.judges = list(dict.fromkeys(case.judge for case in cases))
        self._asked: dict[tuple[str, str], list[int]] = {}
        for place, case in enumerate(cases):
            condition = case.pair.design.condition if "condition" in tables.keys else ""
            self._asked.setdefault((case.judge, condition), []).append(place)
        complete = {key: [n for n in places if cases[n].complete] for key, places in self._asked.items()}
        self._calls = {key: _scores(self._rubric(key[1]), cases, places) for key, places in complete.items()}
        frame = tables.everything
        self._clusters: list[str] = frame[tables.spec.cluster].to_list()
        self.main: Chosen = (frame["block"] == "main").to_numpy(np.bool_)
        self._weights = (1 / frame["inclusion"]).to_numpy(np.float64) if tables.weighted else None

    def rows(self) -> Iterator[tuple[str, str]]:
        """Model and condition of every row of a judge: all models together where there are several, then each."""
        together = (EVERY_MODEL,) if len(self.models) > 1 else ()
        for condition in self.conditions:
            yield from ((model, condition) for model in (*together, *self.models))

    def calls(self, judge: str, model: str, condition: str) -> CallScores:
        """A row's complete pairs."""
        found = self._calls.get((judge, condition)) or _scores(self._rubric(condition), (), ())
        return found if model == EVERY_MODEL else found.among(np.asarray(found.models == model))

    def asked(self, judge: str, model: str, condition: str) -> list[int]:
        """A row's pairs, whether or not they are complete."""
        places = self._asked.get((judge, condition), [])
        return [place for place in places if model in (EVERY_MODEL, self.cases[place].model)]

    def sample(self, places: Sequence[int], weighted: bool = True) -> Sample:
        """How pairs were drawn, as for the tables of scores; without weights where these are in the columns."""
        strata = self.main[places].astype(np.intp) if self.tables.spec.cluster in WITHIN_BLOCKS else None
        weights = self._weights[places] if self._weights is not None and weighted else None
        return Sample([self._clusters[place] for place in places], weights, np.zeros(len(places), np.bool_), strata)

    def draws(self, name: str) -> Resampling:
        """The stream of draws of a row."""
        return Resampling(self.tables.spec.resamples, stream_seed(self.tables.spec.seed, name))

    def estimates(self, places: Sequence[int], families: Sequence[Family], name: str) -> dict[str, Estimate]:
        """Statistics of some pairs, all from the stream of draws called `name`."""
        return unit_estimates(families, self.sample(places), self.draws(name))

    def _rubric(self, condition: str) -> Rubric:
        return self.tables.rubrics[condition] if condition else self.tables.rubric


def _scores(rubric: Rubric, cases: Sequence[Case], places: Sequence[int]) -> CallScores:
    own = [cases[place] for place in places]
    said = [one for case in own for order in ORDERS for one in _said(case, order, rubric)]
    both = np.array(said, dtype=np.float64).reshape(len(own), len(ORDERS), len(rubric.dimensions), 2)
    scores, sides = both[..., 0], both[..., 1] * (both[..., 0] != 0)
    models = np.array([case.model for case in own], dtype=np.str_)
    return CallScores(rubric, own, list(places), models, scores, sides)


def _said(case: Case, order: Order, rubric: Rubric) -> list[tuple[int, int]]:
    """Score and side in each dimension of one order of a complete pair."""
    verdict = case.judgments[order].verdict
    assert verdict is not None
    return [(one.score, SIGNS[one.favoured]) for one in map(verdict.scores.__getitem__, rubric.dimension_ids)]


def where(keys: Mapping[str, str], **more: str) -> dict[str, str]:
    """The marks of a row's complete pairs, and more. All models together are no mark; nor is one without a value."""
    found = {key: value for key, value in keys.items() if key != "second_judge" and value != EVERY_MODEL}
    return {key: value for key, value in (found | {"complete": "yes"} | more).items() if value}


def keyed(judge: str, model: str, condition: str, **more: str) -> dict[str, str]:
    """A row's keys in the order of the tables."""
    return {"judge": judge, **more, "model": model} | ({"condition": condition} if condition else {})


def on_scale(found: Mapping[str, Estimate], lowest: float = -1.0) -> dict[str, Estimate]:
    """Estimates without intervals that few clusters make leave the scale, which ends at 1."""
    return {name: possible(one, lowest) for name, one in found.items()}
