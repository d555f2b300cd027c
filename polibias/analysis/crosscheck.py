"""Other libraries' values beside ours: scikit-learn, pingouin and krippendorff, imported only here and only when asked.

A disagreement above 1e-9 is an error unless the library is known to be wrong in that case; then the trap is named.
"""

import importlib
import math
import warnings
from collections.abc import Mapping
from importlib.metadata import version
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from polibias.errors import InputError
from polibias.stats.estimate import Estimate
from polibias.stats.ratings import Ratings, category_index

TOLERANCE = 1e-9
NEEDED = {"sklearn": "scikit-learn", "pingouin": "pingouin", "krippendorff": "krippendorff"}
ICC = {
    "icc_1_1": "ICC(1,1)",
    "icc_a_1": "ICC(A,1)",
    "icc_c_1": "ICC(C,1)",
    "icc_1_k": "ICC(1,k)",
    "icc_a_k": "ICC(A,k)",
    "icc_c_k": "ICC(C,k)",
}
WEIGHTS = {"kappa": None, "kappa_linear": "linear", "kappa_quadratic": "quadratic"}


Found = dict[str, tuple[str, float | None]]


class Check(NamedTuple):
    """One statistic as we and as a library compute it; None is not estimable."""

    name: str
    library: str
    ours: float | None
    theirs: float | None
    trap: str = ""

    @property
    def difference(self) -> float | None:
        if self.ours is None or self.theirs is None:
            return None
        return self.ours - self.theirs

    @property
    def agrees(self) -> bool:
        """Both undefined, or equal within 1e-9; a case that the library is known to get wrong counts as agreeing."""
        if self.trap or (self.ours is None and self.theirs is None):
            return True
        return self.difference is not None and abs(self.difference) <= TOLERANCE

    @property
    def line(self) -> str:
        ours, theirs = ("not estimable" if value is None else f"{value:.12f}" for value in (self.ours, self.theirs))
        apart = "" if self.difference is None else f", difference {self.difference:.1e}"
        verdict = f" ({self.trap})" if self.trap else "" if self.agrees else "  DISAGREES"
        return f"{self.name}: ours {ours}, {self.library} {theirs}{apart}{verdict}"


def crosscheck(estimates: Mapping[str, Estimate], ratings: Ratings) -> list[Check]:
    """Every coefficient that a library computes too. Raises InputError if the libraries are not installed."""
    for module, package in NEEDED.items():
        try:
            importlib.import_module(module)
        except ImportError:
            raise InputError(f"--cross-check needs {package}; install polibias[crosscheck]") from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = {**_sklearn(ratings), **_krippendorff(ratings), **_pingouin(ratings)}
    return [
        Check(name, library, estimates[name].value, value, _trap(name, library, estimates[name].value, value))
        for name, (library, value) in theirs.items()
        if name in estimates
    ]


def _trap(name: str, library: str, ours: float | None, theirs: float | None) -> str:
    """What the library is known to get wrong, where that is the case at hand."""
    if ours is not None or theirs is None:
        return ""
    if library.startswith("pingouin"):
        return "constant ratings have no ICC; the library divides rounding errors"
    if name == "alpha_ratio":
        return "a scale with negative points is no ratio scale; the library does not ask"
    return ""


def _named(package: str) -> str:
    return f"{package} {version(package)}"


def _sklearn(ratings: Ratings) -> Found:
    """Cohen's kappa, averaged over the couples of raters that share a unit; distances are in steps of the scale."""
    from sklearn.metrics import cohen_kappa_score

    index = category_index(ratings.values, ratings.categories)
    steps = np.diff(ratings.categories)
    even = bool(np.allclose(steps, steps[0]))
    couples = [(a, b) for a, b in combinations(index.T, 2) if ((a >= 0) & (b >= 0)).any()]
    labels = list(range(len(ratings.categories)))
    found: Found = {}
    for name, weights in WEIGHTS.items():
        if weights is None or even:
            values = []
            for a, b in couples:
                both = (a >= 0) & (b >= 0)
                values.append(float(cohen_kappa_score(a[both], b[both], labels=labels, weights=weights)))
            found[name] = (_named("scikit-learn"), _finite(np.mean(values) if values else math.nan))
    return found


def _krippendorff(ratings: Ratings) -> Found:
    import krippendorff

    found: Found = {}
    for level in ("nominal", "ordinal", "interval", "ratio"):
        try:
            value = krippendorff.alpha(
                reliability_data=ratings.values.T,
                level_of_measurement=level,
                value_domain=np.asarray(ratings.categories),
            )
        except ValueError:  # its answer to constant ratings, and to no unit with two of them
            value = math.nan
        found[f"alpha_{level}"] = (_named("krippendorff"), _finite(value))
    return found


def _pingouin(ratings: Ratings) -> Found:
    """Intraclass correlations over the units that every rater rated."""
    import pandas as pd
    import pingouin

    whole = ratings.values[~np.isnan(ratings.values).any(axis=1)]
    library = _named("pingouin")
    if len(whole) < 5:  # it refuses fewer
        return {}
    units, raters = np.indices(whole.shape)
    frame = pd.DataFrame({"unit": units.ravel(), "rater": raters.ravel(), "rating": whole.ravel()})
    table = pingouin.intraclass_corr(frame, targets="unit", raters="rater", ratings="rating").set_index("Type")["ICC"]
    return {name: (library, _finite(table[title])) for name, title in ICC.items()}


def _finite(value: Any) -> float | None:
    number = float(value)
    return number if math.isfinite(number) else None
