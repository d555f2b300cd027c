"""The null baseline and what conditions change as sentences, each beside what it is compared with."""

from collections.abc import Iterator, Sequence

from polibias.analysis.ablations import CHANGES, FIRST, GAP, NULL, SECOND
from polibias.analysis.cells import signed
from polibias.analysis.findings import Cell, Table, TableRow


def ablations_in_words(tables: Sequence[Table]) -> Iterator[str]:
    """The null baseline and every change as sentences, each beside what it is compared with."""
    for row in (row for table in tables if table.id in (NULL, CHANGES) for row in table.rows):
        first, second, difference = (row.cells[name] for name in (FIRST, SECOND, "difference"))
        who = f"{row.keys['model']}, judged by {row.keys['judge']}, {row.keys['block']}, {row.keys['ablation']}"
        if first.value is None or second.value is None or difference.value is None:
            yield f"{who}: nothing can be compared ({difference.reason})."
            continue
        told = _told(row, first.value, second.value)
        yield f"{who}: {told}, difference {signed(difference.value)}{_bounds(difference)}."


def _told(row: TableRow, first: float, second: float) -> str:
    """Both values of a row, or both gaps between the blocks."""
    null, n = "zero" in row.cells, row.cells["difference"].n
    if row.keys["block"] == GAP:
        whose = "with swapped countries" if null else "of this condition"
        against = "of null pairs" if null else "of the official pairs"
        return f"the gap {whose} is {signed(first)}, that {against} of the same {n} items {signed(second)}"
    beside = "pairs with swapped countries score" if null else "pairs score"
    against = "null pairs" if null else "the official pairs"
    return f"{beside} {first:.2f}, {against} of the same {n} items {second:.2f}"


def _bounds(difference: Cell) -> str:
    if difference.low is None or difference.high is None:
        return f"; nothing follows from it: {difference.reason}"
    said = f", 95% interval {signed(difference.low)} to {signed(difference.high)}"
    if difference.low > 0 or difference.high < 0:
        return said
    least = difference.detectable
    told = "" if least is None else f"; one of {least:.2f} would have been found in 80% of such studies"
    return f"{said}: no difference was shown{told}"
