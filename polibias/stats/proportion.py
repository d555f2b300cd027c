"""A share of independent cases."""

import math

from scipy.special import ndtri

from polibias.stats.estimate import Estimate


def share(hits: int, n: int, what: str = "case") -> Estimate:
    """hits / n with the 95% Wilson (1927) score interval; not estimable without cases.

    The interval ends exactly at 0 or 1 where no case or every case hits, whatever rounding makes of the formula.
    """
    if n == 0:
        return Estimate(None, 0, 0, "", reason=f"no {what}")
    z = float(ndtri(0.975))
    p, shrink = hits / n, 1 + z * z / n
    centre = (p + z * z / (2 * n)) / shrink
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / shrink
    low, high = (0.0 if hits == 0 else centre - half), (1.0 if hits == n else centre + half)
    return Estimate(p, n, n, "Wilson interval", low, high)
