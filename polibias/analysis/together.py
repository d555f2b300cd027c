"""Several statistics of one group's pairs from one draw of clusters, each resting on the pairs that it is about."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from polibias.analysis.cells import BLOCKS, cell, possible
from polibias.analysis.detected import EVERY_MODEL
from polibias.analysis.findings import Cell
from polibias.analysis.pbi import WITHIN_BLOCKS, Tables
from polibias.stats.bias_index import NO_PAIR, TWO_MEANS, Sample, drawn, mean_of, sample_estimates
from polibias.stats.clusters import Sums, cluster_codes
from polibias.stats.estimate import Estimate
from polibias.stats.intervals import Defined, Strata, ratio
from polibias.stats.resampling import Resampling, stream_seed

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Chosen = NDArray[np.bool_]


class Together:
    """Statistics of the same pairs, gathered first and estimated at once.

    Weights, clusters and strata are those of `tables`, as for its own means. A statistic rests on the pairs that it
    chooses: they are its n, and a cluster without any of them is none of its clusters.
    """

    def __init__(self, tables: Tables, rows: "pd.DataFrame") -> None:
        self.tables = tables
        self.rows = rows
        self._columns: dict[str, Sequence[NDArray[Any]]] = {}
        self._defined: dict[str, Defined] = {}
        self._weights = (1 / rows["inclusion"]).to_numpy(dtype=np.float64) if tables.weighted else None

    def share(self, name: str, hits: NDArray[Any], of: Chosen, reason: str) -> None:
        """The mean over the chosen pairs of values in [0, 1]; its interval is made of the logit."""
        self._add(name, (hits * of, of), Defined(mean_of(0, 1), reason, "logit"), of)

    def mean(self, name: str, values: Floats, of: Chosen, reason: str = NO_PAIR) -> None:
        """The mean over the chosen pairs."""
        self._add(name, (values * of, of), Defined(mean_of(0, 1), reason), of)

    def difference(self, name: str, values: Floats, first: Chosen, second: Chosen, reason: str) -> None:
        """The mean over some pairs minus the mean over others; the two may overlap."""
        columns = (values * first, first, values * second, second)
        self._add(name, columns, Defined(_difference, reason, contrast=True, arms=TWO_MEANS), first | second)

    def quotient(self, name: str, values: Floats, first: Chosen, second: Chosen, reason: str) -> None:
        """The mean over some pairs divided by the mean over others."""
        columns = (values * first, first, values * second, second)
        self._add(name, columns, Defined(_quotient, reason, arms=TWO_MEANS), first | second)

    def statistic(self, name: str, columns: Sequence[NDArray[Any]], defined: Defined, of: Chosen) -> None:
        """Any other function of the sums of `columns`, which are zero outside the chosen pairs."""
        self._add(name, columns, defined, of)

    def estimates(self, stream: str) -> dict[str, Estimate]:
        """Every statistic, from the draws of the row called `stream`."""
        clusters = self.rows[self.tables.spec.cluster].to_list()
        main = inside(self.rows, "main").astype(np.intp)
        strata: Strata | None = main if self.tables.spec.cluster in WITHIN_BLOCKS else None
        sample = drawn(clusters, None if self._weights is None else self._weights.tolist(), None, strata)
        spec = self.tables.spec
        draws = Resampling(spec.resamples, stream_seed(spec.seed, stream))
        found: dict[str, Estimate] = {}
        for names in self._alike(sample):
            columns = [column for name in names for column in self._columns[name]]
            defined, start = {}, 0
            for name in names:
                width = len(self._columns[name])
                defined[name] = self._defined[name]._replace(columns=slice(start, start + width))
                start += width
            found |= sample_estimates(defined, np.column_stack(columns).astype(np.float64), sample, draws)
        return {name: found[name] for name in self._defined}

    def _alike(self, sample: Sample) -> list[list[str]]:
        """The names of statistics that rest on the same clusters, and so on the same draws, together.

        The engine draws once for each set of clusters and resamples all columns that it is given; given apart, each
        set resamples its own alone.
        """
        codes, count = cluster_codes(sample.clusters)
        codes = codes if sample.strata is None else codes + count * sample.strata
        width = count if sample.strata is None else count * (int(sample.strata.max(initial=0)) + 1)
        found: dict[bytes, list[str]] = {}
        for name, columns in self._columns.items():
            told = np.zeros(width, dtype=bool)
            for column in columns:
                told[codes[column != 0]] = True
            found.setdefault(told.tobytes(), []).append(name)
        return list(found.values())

    def _add(self, name: str, columns: Sequence[NDArray[Any]], defined: Defined, of: Chosen) -> None:
        self._columns[name] = columns
        self._defined[name] = defined._replace(n=int(of.sum()), effective_n=self._effective(of))

    def _effective(self, of: Chosen) -> float | None:
        """Kish's n of the chosen pairs."""
        if self._weights is None or not of.any():
            return None
        chosen = self._weights[of]
        return float(chosen.sum() ** 2 / (chosen**2).sum())


def _difference(sums: Sums) -> Floats:
    return ratio(sums[:, 0], sums[:, 1]) - ratio(sums[:, 2], sums[:, 3])


def _quotient(sums: Sums) -> Floats:
    return ratio(ratio(sums[:, 0], sums[:, 1]), ratio(sums[:, 2], sums[:, 3]))


def stream_of(keys: Mapping[str, str], *what: str) -> str:
    """The name of a row's draws. With ``"total"`` alone it is that of the table of scores, and so are its draws."""
    return "\n".join([*(f"{key}={keys[key]}" for key in sorted(keys)), *what])


def groups_and_all(tables: Tables) -> Iterator[tuple[dict[str, str], "pd.DataFrame"]]:
    """The groups of the tables; before each judge's, its pairs of all models together where there are several."""
    names = [key for key in tables.keys if key != "model"]
    several = tables.everything["model"].nunique() > 1
    told = set()
    for keys, rows in tables.groups():
        shared = {name: keys[name] for name in names}
        if several and tuple(shared.values()) not in told:
            told.add(tuple(shared.values()))
            together = tables.frame
            for name, value in shared.items():
                together = together[together[name] == value]
            yield {key: shared.get(key, EVERY_MODEL) for key in tables.keys}, together
        yield keys, rows


def marks_of(keys: Mapping[str, str], **more: str) -> dict[str, str]:
    """What selects the complete pairs of a group: its keys without that for all models, and `more`."""
    return {key: value for key, value in keys.items() if value != EVERY_MODEL} | {"complete": "yes"} | more


def blocks_of(tables: Tables) -> dict[str, str]:
    """The blocks that the study asked, with their titles."""
    return {block: title for block, title in BLOCKS.items() if block in tables.blocks_asked}


def inside(rows: "pd.DataFrame", block: str) -> Chosen:
    """Which rows lie in a block."""
    return (rows["block"] == block).to_numpy(dtype=bool)


def shared(estimate: Estimate, where: Mapping[str, str]) -> Cell:
    """A share as a cell, without an interval that no share can have."""
    return cell(possible(estimate), where)
