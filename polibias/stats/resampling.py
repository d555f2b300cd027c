"""Drawing clusters: bootstrap counts and their exact enumeration, for any statistic of summed clusters.

A resample of clusters is a vector of counts, so a statistic's resamples are one matrix product. Draws come
from the raw 64-bit stream of PCG64 through our own bounded mapping, because only the raw stream is promised to
stay the same between numpy versions.
"""

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, pairwise
from math import factorial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polibias.stats.clusters import Sums

ALGORITHM = "pcg64-multiply-shift-1"
MOST_ENUMERATED = 9
# Arrays much larger than this are given back to the system after each block, and cost more to get again than to fill.
# The draws do not depend on it.
BLOCK_DRAWS = 25_000
HALF = np.uint64(32)
WORD_BITS, MOST_WORDS = 62, 2

Counts = NDArray[np.float64]


class Resampling(NamedTuple):
    """How many resamples, and the seed of the stream they are drawn from."""

    resamples: int
    seed: int


def stream_seed(seed: int, row: str) -> int:
    """The seed of one table row's own stream, so that adding a row never changes another."""
    return int.from_bytes(hashlib.sha256(f"{ALGORITHM}\n{seed}\n{row}".encode()).digest()[:16], "big")


def bounded(bits: np.random.PCG64, limit: int, size: int) -> NDArray[np.int64]:
    """`size` unbiased integers below `limit` (at most 2**32), by multiply-shift with rejection (Lemire 2019)."""
    threshold = np.uint32((2**32 - limit) % limit)
    kept: list[NDArray[np.int64]] = []
    missing = size
    while missing > 0:
        draws = bits.random_raw(missing)
        draws >>= HALF
        draws *= np.uint64(limit)
        low = draws.astype(np.uint32)
        draws >>= HALF
        # Hardly ever is one rejected: the least of them says so sooner than a comparison of each.
        kept.append((draws if low.min() >= threshold else draws[low >= threshold]).view(np.int64))
        missing -= len(kept[-1])
    return kept[0] if len(kept) == 1 else np.concatenate([*kept, np.zeros(0, dtype=np.int64)])


def bootstrap_counts(
    bits: np.random.PCG64, clusters: int, resamples: int, kind: type[np.floating[Any]] = np.float64
) -> Any:
    """How often each cluster is drawn in each resample: resamples × clusters."""
    draws = bounded(bits, clusters, resamples * clusters).reshape(resamples, clusters)
    draws += np.arange(resamples, dtype=np.int64)[:, None] * clusters
    counts = np.bincount(draws.ravel(), minlength=resamples * clusters)
    return counts.reshape(resamples, clusters).astype(kind)


def resampled_sums(sums: Sums, resampling: Resampling, strata: NDArray[np.intp] | None = None) -> Sums:
    """The summed clusters of each resample, resamples × columns; drawn in blocks, so that memory stays small.

    With `strata` each stratum's clusters are drawn among themselves, from one stream, in the order of the strata.
    """
    bits = np.random.PCG64(resampling.seed)
    parts = [sums] if strata is None else [sums[strata == number] for number in np.unique(strata)]
    drawn = np.zeros((resampling.resamples, sums.shape[1]))
    for part in parts:
        drawn += _drawn(part, resampling.resamples, bits)
    return drawn


def _drawn(sums: Sums, resamples: int, bits: np.random.PCG64) -> Sums:
    clusters = len(sums)
    block = max(1, BLOCK_DRAWS // clusters)
    starts = range(0, resamples, block)
    if (packed := _packed(sums)) is not None:
        return _unpacked(packed, [_gathered(packed, bits, min(block, resamples - start)) for start in starts])
    kind = np.float32 if _half_points(sums) else np.float64
    added = sums.astype(kind)
    with one_thread():
        parts = [bootstrap_counts(bits, clusters, min(block, resamples - start), kind) @ added for start in starts]
    return np.concatenate(parts).astype(np.float64)


class _Packed(NamedTuple):
    """Columns of half points, doubled, some to a word; `places` says where each column lies: word, shift and mask.

    A word has room for the sums of every resample, so words are added and never their parts: far fewer steps than to
    count clusters and multiply. Whole numbers are added without error, so both ways give the same sums.
    """

    words: list[NDArray[np.int64]]
    places: list[tuple[int, int, int]]


def _packed(sums: Sums) -> _Packed | None:
    """None for columns that are negative, no half points or too many: these are multiplied."""
    halves = 2 * sums
    most = len(sums) * halves.max(axis=0, initial=0.0)
    if halves.min(initial=0.0) < 0 or (halves != np.rint(halves)).any() or most.max(initial=0.0) >= 2**52:
        return None
    places, word, used = [], 0, 0
    for width in (int(one).bit_length() for one in most):
        word, used = (word, used) if used + width <= WORD_BITS else (word + 1, 0)
        places.append((word, used, (1 << width) - 1))
        used += width
    if word >= MOST_WORDS:
        return None
    words = [np.zeros(len(sums), dtype=np.int64) for _ in range(word + 1)]
    for column, (place, shift, _) in zip(halves.T.astype(np.int64), places, strict=True):
        words[place] += column << shift
    return _Packed(words, places)


def _gathered(packed: _Packed, bits: np.random.PCG64, resamples: int) -> list[NDArray[np.int64]]:
    """The summed words of each resample."""
    clusters = len(packed.words[0])
    draws = bounded(bits, clusters, resamples * clusters)
    starts = np.arange(0, len(draws), clusters)
    return [np.add.reduceat(word[draws], starts) for word in packed.words]


def _unpacked(packed: _Packed, parts: Sequence[Sequence[NDArray[np.int64]]]) -> Sums:
    words = [np.concatenate(blocks) for blocks in zip(*parts, strict=True)]
    return np.column_stack([((words[word] >> shift) & mask) / 2 for word, shift, mask in packed.places])


def _half_points(sums: Sums) -> bool:
    """Whether every sum of a resample is in half points below 2**23, which single precision adds without error."""
    halves = 2 * sums
    most = len(sums) * np.abs(halves).max(initial=0.0)
    return bool(most < 2**24 and (halves == np.rint(halves)).all())


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def one_thread() -> Any:
    """A context in which small matrix products use one thread: two wait for each other longer than they compute."""
    return _controller().limit(limits=1, user_api="blas")


@cache
def enumerated(clusters: int) -> tuple[Counts, NDArray[np.float64]]:
    """Every resample of a few clusters as counts, and its probability under the bootstrap.

    Raises ValueError above 9 clusters, where there are too many.
    """
    if not 1 <= clusters <= MOST_ENUMERATED:
        raise ValueError(f"{clusters} clusters cannot be enumerated; at most {MOST_ENUMERATED} can")
    counts = np.array(list(_compositions(clusters)), dtype=np.float64)
    orders = np.array([factorial(n) for n in range(clusters + 1)], dtype=np.float64)
    ways = factorial(clusters) / orders[counts.astype(np.intp)].prod(axis=1)
    return counts, ways / float(clusters) ** clusters


def _compositions(total: int) -> Iterator[Sequence[int]]:
    """All ways to write `total` as an ordered sum of `total` non-negative integers."""
    for bars in combinations(range(2 * total - 1), total - 1):
        edges = (-1, *bars, 2 * total - 1)
        yield [after - before - 1 for before, after in pairwise(edges)]


def weighted_quantile(values: NDArray[np.float64], weights: NDArray[np.float64], share: float) -> float:
    """The smallest value below or at which at least `share` of the weight lies."""
    return weighted_quantiles(values, weights, (share,))[0]


def weighted_quantiles(
    values: NDArray[np.float64], weights: NDArray[np.float64], shares: Sequence[float]
) -> list[float]:
    """The weighted quantile of each share, from one sorting."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    places = [int(np.searchsorted(reached, share * reached[-1] * (1 - 1e-12))) for share in shares]
    return [float(values[order[min(place, len(values) - 1)]]) for place in places]
