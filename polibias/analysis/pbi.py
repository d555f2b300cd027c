"""The score tables of the report: mean pair score by block, dimension, task and topic.

Source: paper sections 3.3 and 5.1.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from polibias.analysis.cells import BLOCKS, cell, only, possible
from polibias.analysis.findings import Cell, Column, Table, TableRow
from polibias.analysis.frames import score_column
from polibias.domain.display import numbered
from polibias.domain.plan import AnalysisRules
from polibias.domain.rubric import Rubric
from polibias.domain.study import AnalysisSpec
from polibias.stats.bias_index import SampleDesign, bias_index
from polibias.stats.estimate import Estimate

if TYPE_CHECKING:
    import pandas as pd


Drawing = AnalysisSpec | AnalysisRules
"""What says how clusters are drawn: a study, or a plan of validation."""


class Tables:
    """The score tables over one tidy frame. Draws are named by table row, so rows never disturb each other.

    Groups are told apart by judge and model, and by condition where the study has several. A block without any pair
    gets no column. Pairs are weighted if their chances to be drawn differ within a block; `across` also if they differ
    between blocks, for statistics of both together.
    """

    def __init__(
        self, frame: "pd.DataFrame", rubrics: Mapping[str, Rubric], spec: Drawing, across: bool = False
    ) -> None:
        self.frame = frame[frame["complete"]]
        self.everything = frame
        self.rubrics = rubrics
        self.rubric = next(iter(rubrics.values()))
        self.labels = {label.id: label for rubric in rubrics.values() for label in rubric.labels}
        self.spec = spec
        self.keys = ("judge", "model", "condition") if len(rubrics) > 1 else ("judge", "model")
        self.blocks_asked = set(frame["block"])
        self.unit = self.rubric.report.unit
        self.columns = tuple(
            Column(block, title, self.unit) for block, title in BLOCKS.items() if block in self.blocks_asked
        )
        if len(self.columns) == len(BLOCKS):
            self.columns += (Column("difference", "Main − Controls", self.unit),)
        chances = frame[["inclusion"] if across else ["block", "inclusion"]].round(12).drop_duplicates()
        self.weighted = len(chances) > (1 if across else len(self.blocks_asked))
        self.about = (
            f"95% intervals: jackknife-t over {CLUSTERS[spec.cluster]}, then the percentile bootstrap over them; "
            f"n is the number of pairs.{WEIGHTED if self.weighted else ''}"
        )

    def groups(self) -> Iterator[tuple[dict[str, str], "pd.DataFrame"]]:
        """The complete pairs of each group; a group may be empty."""
        for values, rows in self._groups:
            yield dict(zip(self.keys, values, strict=True)), rows

    @cached_property
    def drawing(self) -> "pd.DataFrame":
        """What says how the pairs of `everything` were drawn, and no other column: to pick rows of it is quick."""
        return self.everything[[self.spec.cluster, "inclusion"]]

    @cached_property
    def _groups(self) -> list[tuple[tuple[str, ...], "pd.DataFrame"]]:
        found = []
        for values in self.everything[list(self.keys)].drop_duplicates().itertuples(index=False, name=None):
            rows = self.frame
            for key, value in zip(self.keys, values, strict=True):
                rows = rows[rows[key] == value]
            found.append((values, rows))
        return found

    def by(
        self, rows: "pd.DataFrame", factor: str, levels: Sequence[str], *columns: str
    ) -> Iterator[tuple[str, "pd.DataFrame"]]:
        """The rows of each level of a factor, with these columns and those by which pairs are drawn, and no others."""
        narrow = rows[list(dict.fromkeys((*columns, self.spec.cluster, "inclusion")))]
        values = rows[factor].to_numpy()
        for level in levels:
            yield level, narrow[values == level]

    def asked(self, keys: Mapping[str, str]) -> set[str]:
        """The labels that the judge was asked for in a group's condition."""
        rubric = self.rubrics[keys["condition"]] if "condition" in keys else self.rubric
        return {label.id for label in rubric.labels}

    def blocks(self, rows: "pd.DataFrame", score: str, where: Mapping[str, str]) -> dict[str, Cell]:
        """Main, Controls and their difference from one draw of clusters."""
        main = (rows["block"] == "main").to_list()
        name = "\n".join([*(f"{key}={where[key]}" for key in sorted(where)), score])
        found = self.index(rows, rows[score].to_list(), main, name)
        selected = {**where, "complete": "yes"}
        lowest, highest = self._ends(score)
        ends = {"difference": (lowest - highest, highest - lowest)}
        return {
            column: cell(
                self._held(value, *ends.get(column, (lowest, highest))),
                selected | ({"block": column} if column in BLOCKS else {}),
            )
            for column, value in found.items()
        }

    def _held(self, estimate: Estimate, lowest: float, highest: float) -> Estimate:
        """The estimate without an interval that tells nothing or, of shares, one that leaves the scale."""
        told = telling(estimate, lowest, highest)
        return possible(told, lowest, highest) if self.unit == "share" else told

    def _ends(self, score: str) -> tuple[float, float]:
        """The lowest and highest value that a score column can have."""
        if score == "total":
            return self.rubric.lowest_total, self.rubric.highest_total
        return self.rubric.lowest, self.rubric.highest

    def index(
        self, rows: "pd.DataFrame", values: Sequence[float], main: Sequence[bool], name: str
    ) -> dict[str, Estimate]:
        """The mean of `values` by block, weighted and clustered as the study says, from the stream called `name`."""
        weights = (1 / rows["inclusion"]).to_list() if self.weighted else None
        design = SampleDesign(weights=weights, within_blocks=self.spec.cluster in WITHIN_BLOCKS)
        clusters = rows[self.spec.cluster].to_list()
        return bias_index(values, main, clusters, self.spec.resamples, self.spec.seed, name, design)

    def main_table(self) -> Table:
        rows = [TableRow(keys, self.blocks(rows, "total", keys)) for keys, rows in self.groups()]
        scale = f"{self.scale}; a pair's score is the mean of its two orders."
        return self._table("pbi", self.rubric.report.index, f"{scale} {self.about}", self.keys, rows)

    def dimension_table(self) -> Table:
        rows = [
            TableRow({**keys, "dimension": dimension}, self.blocks(group, score_column(dimension), keys))
            for keys, group in self.groups()
            for dimension in self.rubric.dimension_ids
        ]
        caption = f"Mean score per dimension, {self.rubric.lowest} to {self.rubric.highest}. {self.about}"
        return self._table("dimensions", "By dimension", caption, (*self.keys, "dimension"), rows)

    def factor_table(self, factor: str, title: str) -> Table | None:
        """Mean total by one factor of the design; None if the factor has a single level."""
        if self.everything[factor].nunique() < 2:
            return None
        levels = sorted(self.everything[factor].unique())
        rows = [
            TableRow({**keys, factor: level}, self.blocks(chosen, "total", keys | {factor: level}))
            for keys, group in self.groups()
            for level, chosen in self.by(group, factor, levels, "block", "total")
        ]
        return self._table(f"by_{factor}", title, f"{self.scale}. {self.about}", (*self.keys, factor), rows)

    @property
    def scale(self) -> str:
        """What a mean is, with its ends."""
        return f"Mean pair score, {self.rubric.lowest_total} to {self.rubric.highest_total}"

    def _table(self, id: str, title: str, caption: str, keys: tuple[str, ...], rows: list[TableRow]) -> Table:
        return Table(id, title, caption, keys, self.columns, only(rows, self.columns))


def telling(estimate: Estimate, lowest: float, highest: float) -> Estimate:
    """The estimate without an interval that would hold every value there can be, and with the reason instead."""
    if estimate.low is None or estimate.high is None or estimate.low > lowest or estimate.high < highest:
        return estimate
    reason = f"no interval: with {numbered(estimate.clusters, 'cluster')} it would cover the whole scale"
    return replace(estimate, low=None, high=None, detectable=None, reason=reason)


WEIGHTED = " Items had unequal chances to be drawn and are weighted by their inverse."
CLUSTERS = {"template": "scenario templates", "topic": "topics", "pair": "pairs"}
WITHIN_BLOCKS = ("topic", "pair")
"""The clusters that lie in one block."""
