"""What a planned comparison comes to before it is a table: rows of estimates, other libraries' values beside them."""

from collections.abc import Mapping
from typing import NamedTuple

from polibias.analysis.crosscheck import Check
from polibias.analysis.findings import Column
from polibias.stats.estimate import Estimate


class Measured(NamedTuple):
    """One row: what it is about, such as the judge and the dimension, and an estimate for each measure."""

    keys: Mapping[str, str]
    estimates: Mapping[str, Estimate]
    checks: tuple[Check, ...] = ()


class Measures(NamedTuple):
    """What a statistic gives: the columns of its table, the keys of its rows, and what it says of itself."""

    columns: tuple[Column, ...]
    keys: tuple[str, ...]
    caption: str
