"""Pairs that are read again, with their countries hidden or just a second time, beside what they were at first.

Source: paper, App. H.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polibias.analysis.cases import SIGNS, Case
from polibias.analysis.frames import tidy
from polibias.analysis.pbi import Drawing, Tables
from polibias.domain.rubric import Rubric

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]


class Sides(NamedTuple):
    """Directions of the same pairs as signs for A, in the copy and in the original, with clusters and weights."""

    hidden: Floats
    shown: Floats
    clusters: list[str]
    weights: Floats | None


class Copied(NamedTuple):
    """One judge's reading of one copy, over the pairs that are complete in it and in the original.

    `frame` has a row for each of `cases`, with the original's score and direction as `before` and `side_before`.
    """

    judge: str
    name: str
    title: str
    masked: bool
    cases: list[Case]
    frame: "pd.DataFrame"
    tables: Tables

    @property
    def placed(self) -> NDArray[np.bool_]:
        """Which pairs have sides that are countries: those in whose versions the two change places."""
        return (self.frame["roles"] == "swapped").to_numpy()

    @property
    def keys(self) -> dict[str, str]:
        return {"judge": self.judge, "copy": self.title}

    @property
    def where(self) -> dict[str, str]:
        return {"judge": self.judge, "copy": self.name, "compared": "yes"}

    @property
    def weights(self) -> Floats | None:
        """Each pair's design weight, None where all are alike."""
        return (1 / self.frame["inclusion"]).to_numpy(np.float64) if self.tables.weighted else None

    def among(self, chosen: Sequence[bool]) -> "Copied":
        """Some of the pairs."""
        kept = np.array(chosen, dtype=np.bool_)
        cases, frame = [case for case, inside in zip(self.cases, chosen, strict=True) if inside], self.frame[kept]
        frame = frame.reset_index(drop=True)
        tables = Tables(frame, self.tables.rubrics, self.tables.spec, across=True)
        return self._replace(cases=cases, frame=frame, tables=tables)

    def sides(self, chosen: NDArray[np.bool_]) -> Sides:
        """The directions of some of the pairs."""
        hidden, shown = (
            np.array([SIGNS[side] for side in self.frame[name][chosen]], dtype=np.float64)
            for name in ("direction", "side_before")
        )
        clusters = self.frame[self.tables.spec.cluster][chosen].to_list()
        return Sides(hidden, shown, clusters, None if self.weights is None else self.weights[chosen])

    def draws(self, name: str) -> tuple[int, int, str]:
        """Resamples, seed and the name of the stream of draws."""
        return self.tables.spec.resamples, self.tables.spec.seed, f"{self.keys} {name}"


def copies_of(
    cases: Sequence[Case], titles: Mapping[str, str], rubrics: Mapping[str, Rubric], spec: Drawing
) -> Iterator[Copied]:
    """Every judge's reading of every copy that is to be judged, also one without any pair that can be compared.

    `titles` are those of the conditions.
    """
    judged = [case for case in cases if case.original is not None and case.pair.level != "names"]
    masked = {(case.judge, case.pair.design.condition): bool(case.pair.level) for case in judged}
    for judge, name in masked:
        own = [case for case in judged if (case.judge, case.pair.design.condition) == (judge, name) and case.compared]
        frame = tidy(own, rubrics)
        before = tidy([case.original for case in own if case.original is not None], rubrics)
        frame["before"], frame["side_before"] = before["total"], before["direction"]
        tables = Tables(frame, rubrics, spec, across=True)
        yield Copied(judge, name, titles[name], masked[judge, name], own, frame, tables)
