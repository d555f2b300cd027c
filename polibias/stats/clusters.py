"""Additive sums per cluster: the one partition that values, intervals and tests share."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Sums = NDArray[np.float64]


def cluster_codes(keys: Sequence[str]) -> tuple[NDArray[np.intp], int]:
    """Each row's cluster number, and how many clusters there are; numbered in the order of sorted keys.

    Raises ValueError for an empty key: a row without a cluster belongs to none.
    """
    numbers = {key: number for number, key in enumerate(sorted(set(keys)))}
    if any(not key for key in numbers):
        raise ValueError("a row has no cluster key")
    return np.array([numbers[key] for key in keys], dtype=np.intp), len(numbers)


def cluster_sums(columns: NDArray[np.float64], codes: NDArray[np.intp], clusters: int) -> Sums:
    """Sums of each column within each cluster: rows × columns in, clusters × columns out."""
    if not len(codes):
        return np.zeros((clusters, columns.shape[1]))
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(clusters))
    return np.add.reduceat(columns[order], starts, axis=0)
