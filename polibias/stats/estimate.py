"""The one answer type of every statistic."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Interval:
    """A 95% interval and how it was made, or the reason why there is none."""

    method: str
    low: float | None = None
    high: float | None = None
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        return {"method": self.method, "low": self.low, "high": self.high, "reason": self.reason}


@dataclass(frozen=True)
class Estimate:
    """A value with its primary interval, or the reason why there is none.

    `value` None means not estimable and `reason` says why; `low` and `high` None mean no interval, again with
    a reason. `n` counts units, `clusters` the independent groups they fall into. `beside` holds other intervals of the
    same value. `detectable` is the smallest true value that would have been told from zero with 80% power; it is given
    where the interval includes zero and zero is what the statistic is compared with. `effective_n` is Kish's n where
    units have unequal weights.
    """

    value: float | None
    n: int
    clusters: int
    method: str
    low: float | None = None
    high: float | None = None
    reason: str = ""
    beside: tuple[Interval, ...] = ()
    detectable: float | None = None
    effective_n: float | None = None

    def as_json(self) -> dict[str, Any]:
        """The printed form: value, reason, low, high, n, clusters, method, and what else there is."""
        printed: dict[str, Any] = {
            "value": self.value,
            "reason": self.reason,
            "low": self.low,
            "high": self.high,
            "n": self.n,
            "clusters": self.clusters,
            "method": self.method,
        }
        if self.beside:
            printed["beside"] = [interval.as_json() for interval in self.beside]
        if self.detectable is not None:
            printed["detectable"] = self.detectable
        if self.effective_n is not None:
            printed["effective_n"] = self.effective_n
        return printed
