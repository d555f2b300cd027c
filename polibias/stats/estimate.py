"""The one answer type of every statistic."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Estimate:
    """A value with its interval, or the reason why there is none.

    `value` None means not estimable and `reason` says why; `low` and `high` None mean no interval, again with
    a reason. `n` counts units, `clusters` the independent groups they fall into.
    """

    value: float | None
    n: int
    clusters: int
    method: str
    low: float | None = None
    high: float | None = None
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        """The printed form: value, reason, low, high, n, clusters, method."""
        return {
            "value": self.value,
            "reason": self.reason,
            "low": self.low,
            "high": self.high,
            "n": self.n,
            "clusters": self.clusters,
            "method": self.method,
        }
