"""The clustered sign-flip test: is a total this far from zero rare if each cluster's sum could as well be negative?

Its null hypothesis is symmetry around zero, cluster by cluster, which is more than a mean of zero.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polibias.stats.resampling import one_thread, stream_seed

MOST_EXACT = 16
FLIPS = 99_999
TIE = 1e-9
BLOCK = 20_000
WORD = 64

Floats = NDArray[np.float64]


class SignFlip(NamedTuple):
    """A two-sided p-value, and the smallest one that these clusters and flips could have given (`floor`).

    `direction` is the sign of the total: 1, -1, or 0 for a tie. `p` None means not estimable, and `reason` says why.
    """

    p: float | None
    floor: float
    clusters: int
    flips: int
    method: str
    direction: int
    reason: str = ""


def sign_flip(cluster_sums: Sequence[float] | Floats, seed: int, row: str, flips: int = FLIPS) -> SignFlip:
    """Test that the clusters' sums are symmetric around zero.

    Parameters
    ----------
    cluster_sums
        One sum per cluster, such as Main minus Controls summed over a template's pairs.
    seed, row
        The study's seed and the table row's name, which give random flips a stream of their own.
    flips
        How many random flips to draw above 16 clusters. Up to 16 clusters all 2^C are counted instead.

    Returns
    -------
    SignFlip
        Exact p is the share of all flips whose absolute total reaches the observed one; with random flips it is
        (b + 1) / (B + 1), so that it is never zero. Flips within 1e-9 of the clusters' absolute sum are ties and count.

    Raises
    ------
    ValueError
        For a sum that is not finite.

    Notes
    -----
    A cluster whose sum is zero flips to itself, so the floor is 2^(1 - clusters other than zero), or 1 / (B + 1) if
    that is larger. One cluster, or zeros only, give p = 1 with floor 1. No cluster at all is not estimable.
    Source: Fisher 1935, section 21; Phipson & Smyth 2010 for the added one.
    """
    sums = np.asarray(cluster_sums, dtype=np.float64)
    if not np.isfinite(sums).all():
        raise ValueError("a cluster sum is not finite")
    clusters, total = len(sums), float(sums.sum())
    tolerance = TIE * float(np.abs(sums).sum())
    direction = 0 if abs(total) <= tolerance else int(np.sign(total))
    if not clusters:
        return SignFlip(None, 1.0, 0, 0, "", 0, "no cluster")
    least = min(1.0, 2.0 ** (1 - np.count_nonzero(sums)))
    reached = abs(total) - tolerance
    if clusters <= MOST_EXACT:
        count = 2**clusters
        p = _reaching(sums, [_all_flips(clusters)], reached) / count
        return SignFlip(p, least, clusters, count, f"all {count:,} sign flips of {clusters} clusters", direction)
    stream = stream_seed(seed, row)
    p = (_reaching(sums, _random_flips(stream, clusters, flips), reached) + 1) / (flips + 1)
    method = f"{flips:,} random sign flips of {clusters} clusters, seed {stream:032x}"
    return SignFlip(p, max(least, 1 / (flips + 1)), clusters, flips, method, direction)


def _reaching(sums: Floats, blocks: Sequence[Floats] | Iterator[Floats], reached: float) -> int:
    """How many flips have an absolute total of at least `reached`; a flip is 1 where a cluster changes its sign."""
    with one_thread():
        return sum(int((np.abs(sums.sum() - 2 * (block @ sums)) >= reached).sum()) for block in blocks)


def _all_flips(clusters: int) -> Floats:
    numbers = np.arange(2**clusters)[:, None]
    return ((numbers >> np.arange(clusters)) & 1).astype(np.float64)


def _random_flips(stream: int, clusters: int, flips: int) -> Iterator[Floats]:
    """Random flips in blocks, one raw bit for each cluster."""
    bits, words = np.random.PCG64(stream), -(-clusters // WORD)
    for start in range(0, flips, BLOCK):
        size = min(BLOCK, flips - start)
        raw = np.asarray(bits.random_raw(size * words)).astype("<u8").reshape(size, words)
        yield np.unpackbits(raw.view(np.uint8), axis=1, bitorder="little")[:, :clusters].astype(np.float64)
