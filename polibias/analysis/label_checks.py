"""What scikit-learn and pingouin say to the numbers of a planned comparison, from its rows written out one by one.

The libraries are imported only here and only when asked; what a library does not compute has no check.
"""

import importlib
import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np

from polibias.analysis.crosscheck import ICC, NEEDED, Check
from polibias.analysis.labelled import Floats
from polibias.stats.estimate import Estimate

QUARTERS = 4
"""The mean of two calls that are half points is a quarter point; libraries take whole numbers."""
LEAST_UNITS = 5
CONSTANT = "constant numbers have no ICC; the library divides rounding errors"

Theirs = Mapping[str, float | None]


class Rows(NamedTuple):
    """A couple of raters, one row for each two ratings that are compared, with the weight of its unit."""

    first: Floats
    second: Floats
    weight: Floats


def rows_of(first: Floats, second: Floats, weight: Floats | None) -> Rows:
    """Units × calls beside one label for each, written out. Units with a missing call or without a label are left out.

    Either may have one dimension; without weights all are 1.
    """
    calls = first[:, None] if first.ndim == 1 else first
    known = np.isfinite(calls).all(axis=1) & np.isfinite(second)
    own = np.ones(len(second)) if weight is None else weight
    times = calls.shape[1]
    return Rows(calls[known].ravel(), np.repeat(second[known], times), np.repeat(own[known], times))


def stacked(couples: Sequence[Rows]) -> list[Rows]:
    """The rows of all couples as those of one."""
    return [Rows(*(np.concatenate(parts) for parts in zip(*couples, strict=True)))] if couples else []


def sklearn_kappa(couples: Sequence[Rows], points: Sequence[float], weights: str | None) -> Theirs:
    """Mean over the couples with rows, as `kappa`; nothing for a scale that is not in half points."""
    grid = np.asarray(points, dtype=np.float64) * QUARTERS
    if (grid % (QUARTERS // 2)).any():
        return {}
    labels = np.arange(round(grid[0]), round(grid[-1]) + 1)
    return {"kappa": _mean_over(couples, lambda one: _cohen(one, labels, weights))}


def sklearn_exact(couples: Sequence[Rows]) -> Theirs:
    """Mean over the couples with rows of the share of equal ratings, as `exact`."""
    return {"exact": _mean_over(couples, _accuracy)}


def pingouin_icc(couples: Sequence[Rows]) -> Theirs:
    """Mean over the couples with rows of ICC(A,1) and ICC(C,1); nothing if one has fewer than five or has weights."""
    shared = [one for one in couples if len(one.first)]
    if any(len(one.first) < LEAST_UNITS or len(set(one.weight.tolist())) > 1 for one in shared):
        return {}
    tables = [_icc_table(one) for one in shared]
    names = ("icc_a_1", "icc_c_1")
    return {name: _finite(np.mean([table[name] for table in tables])) if tables else None for name in names}


def checks(
    library: str, estimates: Mapping[str, Estimate], theirs: Callable[[], Iterable[tuple[str, Theirs, str]]]
) -> tuple[Check, ...]:
    """A check for each estimate that the library has a value for; none if the library is not installed.

    `theirs` gives the name of an estimate, what the library found, and under which name it has it.
    """
    try:
        importlib.import_module(library)
    except ImportError:
        return ()
    named = f"{NEEDED[library]} {version(NEEDED[library])}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [(name, values[as_named]) for name, values, as_named in theirs() if as_named in values]
    return tuple(_check(name, named, estimates[name].value, value) for name, value in found)


def gap(first: Theirs, second: Theirs) -> Theirs:
    """The first minus the second of all that both have; None if one of them is."""
    return {name: _minus(first[name], second[name]) for name in first if name in second}


def _check(name: str, library: str, ours: float | None, theirs: float | None) -> Check:
    trapped = library.startswith("pingouin") and ours is None and theirs is not None
    return Check(name, library, ours, theirs, CONSTANT if trapped else "")


def _minus(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first - second


def _mean_over(couples: Sequence[Rows], coefficient: Callable[[Rows], float]) -> float | None:
    values = [coefficient(one) for one in couples if len(one.first)]
    return _finite(np.mean(values)) if values else None


def _cohen(rows: Rows, labels: Any, weights: str | None) -> float:
    from sklearn.metrics import cohen_kappa_score

    first, second = (np.rint(values * QUARTERS).astype(int) for values in (rows.first, rows.second))
    return float(cohen_kappa_score(first, second, labels=labels, weights=weights, sample_weight=rows.weight))


def _accuracy(rows: Rows) -> float:
    from sklearn.metrics import accuracy_score

    _, names = np.unique(np.concatenate([rows.first, rows.second]), return_inverse=True)
    first, second = np.split(names, 2)
    return float(accuracy_score(first, second, sample_weight=rows.weight))


def _icc_table(rows: Rows) -> dict[str, float]:
    import pandas as pd
    import pingouin

    units = np.arange(len(rows.first))
    frame = pd.DataFrame(
        {
            "unit": np.tile(units, 2),
            "rater": np.repeat([0, 1], len(units)),
            "rating": np.concatenate([rows.first, rows.second]),
        }
    )
    table = pingouin.intraclass_corr(frame, targets="unit", raters="rater", ratings="rating").set_index("Type")["ICC"]
    return {name: float(table[title]) for name, title in ICC.items()}


def _finite(value: Any) -> float | None:
    number = float(value)
    return number if math.isfinite(number) else None
