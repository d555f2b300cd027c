"""The labels of a sample's pairs beside the judges' scores: what every comparison of a plan of validation reads.

A unit is one dimension of one pair as one model answered it. Whatever is missing is NaN and stays NaN.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class LabelUnit(NamedTuple):
    """What a unit is; `inclusion` is the probability with which its pair was drawn, 1 if it was certain."""

    pair: str
    model: str
    dimension: str
    stratum: str
    block: str
    template: str
    topic: str
    inclusion: float


class Calls(NamedTuple):
    """One judge's calls in both orders: units × 2 scores, and units × 2 sides (1 for A, −1 for B, 0 for none).

    Both are NaN where the call of an order is missing or not valid.
    """

    scores: Floats
    sides: Floats


class Labelled(NamedTuple):
    """Labels and calls over the same units; those of a pair follow each other, in the order of the dimensions.

    `scores` and `sides` are units × raters, the sides as in `Calls`. `points` is the whole scale, `dimensions` the
    rubric's in its order. `asks_sides` says that judges and people name a side only, and a score of 1 says that they
    did.
    """

    units: tuple[LabelUnit, ...]
    raters: tuple[str, ...]
    scores: Floats
    sides: Floats
    judges: Mapping[str, Calls]
    points: tuple[float, ...]
    dimensions: tuple[str, ...]
    asks_sides: bool = False

    def among(self, chosen: NDArray[np.bool_]) -> "Labelled":
        """The chosen units alone."""
        kept = tuple(unit for unit, inside in zip(self.units, chosen.tolist(), strict=True) if inside)
        judges = {name: Calls(calls.scores[chosen], calls.sides[chosen]) for name, calls in self.judges.items()}
        return self._replace(units=kept, scores=self.scores[chosen], sides=self.sides[chosen], judges=judges)
