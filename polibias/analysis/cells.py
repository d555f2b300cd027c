"""From estimates to table cells, each with the marks that select the cases it was computed from."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from polibias.analysis.findings import Beside, Cell, Column, TableRow
from polibias.domain.display import numbered
from polibias.domain.rows import Design
from polibias.stats.estimate import Estimate

BLOCKS = {"main": "Main", "control": "Controls"}


def categories_of(designs: Iterable[Design]) -> list[str]:
    """The categories of country pairs, those of Main first."""
    found = dict.fromkeys((one.block != "main", one.topic_category) for one in designs)
    return [category for _, category in sorted(found, key=lambda one: one[0])]


def cell(estimate: Estimate, where: Mapping[str, str]) -> Cell:
    """An estimate as a cell; `where` selects its cases."""
    beside = tuple(Beside(one.method, one.low, one.high, one.reason) for one in estimate.beside)
    return Cell(
        value=estimate.value,
        n=estimate.n,
        clusters=estimate.clusters,
        method=estimate.method,
        low=estimate.low,
        high=estimate.high,
        reason=estimate.reason,
        beside=beside,
        detectable=estimate.detectable,
        effective_n=estimate.effective_n,
        where=dict(where),
    )


def possible(estimate: Estimate, lowest: float = 0.0, highest: float = 1.0) -> Estimate:
    """The estimate without an interval that few clusters make leave the scale, and why it has none.

    The ends are those of a share unless given.
    """
    if estimate.low is None or estimate.high is None or (estimate.low >= lowest and estimate.high <= highest):
        return estimate
    reason = f"no interval: with {numbered(estimate.clusters, 'cluster')} it would leave the scale"
    return replace(estimate, low=None, high=None, detectable=None, reason=reason)


def count(n: int, where: Mapping[str, str]) -> Cell:
    """A plain number of cases."""
    return cell(Estimate(float(n), n, n, "count"), where)


def absent(reason: str) -> Cell:
    """A cell that has nothing to say, and why."""
    return cell(Estimate(None, 0, 0, "", reason=reason), {})


def only(rows: list[TableRow], columns: tuple[Column, ...]) -> tuple[TableRow, ...]:
    """The rows with the cells of these columns alone."""
    return tuple(TableRow(row.keys, {column.id: row.cells[column.id] for column in columns}) for row in rows)


def signed(value: float) -> str:
    """A change as a reader sees it in a sentence."""
    return f"{value:+.2f}".replace("-", "−")
