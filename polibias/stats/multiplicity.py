"""Adjusted p-values for several tests at once; a test without a p-value stays without one and does not count."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def holm(p: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down adjustment, which bounds the chance of any false rejection, whatever the dependence.

    Parameters
    ----------
    p
        P-values in any order; None where there is none.

    Returns
    -------
    list
        In the order given: the running maximum of (m - i + 1) p_(i), at most 1. No p-values give none.

    Raises
    ------
    ValueError
        For a p-value outside 0 to 1, or NaN.

    Notes
    -----
    Source: Holm 1979.
    """
    return _adjusted(p, _step_down)


def benjamini_yekutieli(p: Sequence[float | None]) -> list[float | None]:
    """Benjamini & Yekutieli's step-up adjustment: the false discovery rate, whatever the dependence.

    Parameters
    ----------
    p
        P-values in any order; None where there is none.

    Returns
    -------
    list
        In the order given: the running minimum from above of p_(i) · m (1 + 1/2 + … + 1/m) / i, at most 1.

    Raises
    ------
    ValueError
        For a p-value outside 0 to 1, or NaN.

    Notes
    -----
    Source: Benjamini & Yekutieli 2001, theorem 1.3.
    """
    return _adjusted(p, _step_up)


def _adjusted(p: Sequence[float | None], step: Callable[[Floats], Floats]) -> list[float | None]:
    known = np.array([value for value in p if value is not None], dtype=np.float64)
    if not ((known >= 0) & (known <= 1)).all():
        raise ValueError("a p-value lies outside 0 to 1")
    order = np.argsort(known, kind="stable")
    adjusted = np.empty_like(known)
    adjusted[order] = np.minimum(1.0, step(known[order]))
    values = iter(adjusted.tolist())
    return [None if value is None else next(values) for value in p]


def _step_down(ascending: Floats) -> Floats:
    return np.maximum.accumulate(ascending * np.arange(len(ascending), 0, -1))


def _step_up(ascending: Floats) -> Floats:
    place = np.arange(1, len(ascending) + 1)
    raised = ascending * (len(ascending) * (1 / place).sum()) / place
    return np.minimum.accumulate(raised[::-1])[::-1]
