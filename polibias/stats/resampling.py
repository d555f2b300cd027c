"""Intervals from cluster sums: one set of draws serves every statistic of a table row.

A resample of clusters is a vector of counts, so a statistic's resamples are one matrix product. Draws come
from the raw 64-bit stream of PCG64 through our own bounded mapping, because only the raw stream is promised to
stay the same between numpy versions.
"""

import hashlib
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polibias.stats.clusters import Sums
from polibias.stats.estimate import Estimate

ALGORITHM = "pcg64-multiply-shift-1"
FEWEST_CLUSTERS = 10
UNDEFINED_LIMIT = 0.01

BLOCK_DRAWS = 2_000_000

Statistic = Callable[[Sums], NDArray[np.float64]]


class Defined(NamedTuple):
    """A statistic, from sums (rows × columns) to one value per row, NaN where undefined; and why it may be."""

    statistic: Statistic
    undefined: str


def stream_seed(seed: int, row: str) -> int:
    """The seed of one table row's own stream, so that adding a row never changes another."""
    return int.from_bytes(hashlib.sha256(f"{ALGORITHM}\n{seed}\n{row}".encode()).digest()[:16], "big")


def bounded(bits: np.random.PCG64, limit: int, size: int) -> NDArray[np.int64]:
    """`size` unbiased integers below `limit` (at most 2**32), by multiply-shift with rejection (Lemire 2019)."""
    threshold = (2**32 - limit) % limit
    kept: list[NDArray[np.int64]] = []
    missing = size
    while missing > 0:
        high = (bits.random_raw(missing) >> np.uint64(32)) * np.uint64(limit)
        good = (high & np.uint64(0xFFFFFFFF)) >= np.uint64(threshold)
        kept.append((high[good] >> np.uint64(32)).astype(np.int64))
        missing -= int(good.sum())
    return np.concatenate(kept) if kept else np.zeros(0, dtype=np.int64)


def bootstrap_counts(bits: np.random.PCG64, clusters: int, resamples: int) -> NDArray[np.float64]:
    """How often each cluster is drawn in each resample: resamples × clusters."""
    draws = bounded(bits, clusters, resamples * clusters)
    rows = np.repeat(np.arange(resamples, dtype=np.int64), clusters)
    counts = np.bincount(rows * clusters + draws, minlength=resamples * clusters)
    return counts.reshape(resamples, clusters).astype(np.float64)


def resampled_sums(sums: Sums, resamples: int, seed: int) -> NDArray[np.float64]:
    """The summed clusters of each resample, resamples × columns; drawn in blocks, so that memory stays small."""
    bits, clusters = np.random.PCG64(seed), len(sums)
    block = max(1, BLOCK_DRAWS // clusters)
    starts = range(0, resamples, block)
    return np.concatenate([bootstrap_counts(bits, clusters, min(block, resamples - start)) @ sums for start in starts])


def estimates(statistics: Mapping[str, Defined], sums: Sums, n: int, resamples: int, seed: int) -> dict[str, Estimate]:
    """Each statistic of the summed clusters with its 95% percentile cluster bootstrap interval, all from one draw.

    Below 10 clusters there is no interval: percentile intervals are then far too short.
    """
    clusters = len(sums)
    total = sums.sum(axis=0, keepdims=True)
    drawn = resampled_sums(sums, resamples, seed) if clusters >= FEWEST_CLUSTERS else None
    return {
        name: _estimate(float(defined.statistic(total)[0]), drawn, defined, n, clusters, f"seed {seed:032x}")
        for name, defined in statistics.items()
    }


def _estimate(
    value: float, drawn: NDArray[np.float64] | None, defined: Defined, n: int, clusters: int, seed: str
) -> Estimate:
    if not np.isfinite(value):
        return Estimate(None, n, clusters, "", reason=defined.undefined)
    if drawn is None:
        counted = f"{clusters} cluster{'' if clusters == 1 else 's'}"
        reason = f"no interval: {counted}; fewer than {FEWEST_CLUSTERS} make a bootstrap interval too short"
        return Estimate(value, n, clusters, "point estimate", reason=reason)
    values = defined.statistic(drawn)
    kept = values[np.isfinite(values)]
    if len(kept) < (1 - UNDEFINED_LIMIT) * len(values):
        reason = f"no interval: undefined in {len(values) - len(kept)} of {len(values)} resamples"
        return Estimate(value, n, clusters, "point estimate", reason=reason)
    low, high = np.quantile(kept, [0.025, 0.975])
    method = f"percentile cluster bootstrap, {len(values)} resamples, {seed}"
    return Estimate(value, n, clusters, method, float(low), float(high))


def ratio(top: NDArray[np.float64], bottom: NDArray[np.float64]) -> NDArray[np.float64]:
    """top / bottom, NaN where the denominator is zero."""
    out = np.full(np.broadcast(top, bottom).shape, np.nan)
    np.divide(top, bottom, out=out, where=bottom != 0)
    return out
