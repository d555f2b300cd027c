"""Additive sums per cluster: the one partition that values, intervals and tests share."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Sums = NDArray[np.float64]


def cluster_codes(keys: Sequence[str]) -> tuple[NDArray[np.intp], int]:
    """Each row's cluster number, and how many clusters there are; numbered in the order of sorted keys.

    Raises ValueError for an empty key: a row without a cluster belongs to none.
    """
    if any(not key for key in keys):
        raise ValueError("a row has no cluster key")
    names, codes = np.unique(np.asarray(keys, dtype=np.str_), return_inverse=True)
    return codes.astype(np.intp), len(names)


def cluster_sums(columns: NDArray[np.float64], codes: NDArray[np.intp], clusters: int) -> Sums:
    """Sums of each column within each cluster: rows × columns in, clusters × columns out."""
    sums = np.zeros((clusters, columns.shape[1]))
    np.add.at(sums, codes, columns)
    return sums
