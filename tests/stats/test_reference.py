"""Published values and those worked out by hand, each through `agreement` as a user would ask for it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polibias.stats.agreement import agreement
from polibias.stats.estimate import Estimate
from polibias.stats.icc import icc, mean_squares
from polibias.stats.kappa import kappa, pair_tables
from polibias.stats.ratings import Ratings

CASES: dict[str, dict[str, Any]] = {
    case["id"]: case
    for case in json.loads(
        (Path(__file__).parent.parent / "cases" / "agreement_reference.json").read_text(encoding="utf-8")
    )
}


def units(case: dict[str, Any]) -> list[list[float | None]]:
    """The case's units × raters: as given, from a table of two raters, or from each unit's count per category."""
    scale = case["scale"]
    if "table" in case:
        cells = [(i, j, n) for i, row in enumerate(case["table"]) for j, n in enumerate(row)]
        return [[scale[i], scale[j]] for i, j, n in cells for _ in range(n)]
    if "counts" in case:
        return [[category for category, n in zip(scale, row, strict=True) for _ in range(n)] for row in case["counts"]]
    rows: list[list[float | None]] = case["units"]
    return rows


def rated(case: dict[str, Any]) -> Ratings:
    table = units(case)
    return Ratings(np.array(table, dtype=float), tuple(case["scale"]), [f"{n:04d}" for n in range(len(table))])


@pytest.fixture(scope="module", params=list(CASES))
def answered(request: pytest.FixtureRequest) -> tuple[dict[str, Any], dict[str, Estimate]]:
    case = CASES[request.param]
    return case, agreement(rated(case), 20, 1)


def test_values(answered: tuple[dict[str, Any], dict[str, Estimate]]) -> None:
    case, found = answered
    values = {name: found[name].value for name in case["expected"]}
    expected = {
        name: None if value is None else pytest.approx(value, abs=case["tolerance"])
        for name, value in case["expected"].items()
    }
    assert values == expected
    assert all(found[name].reason for name, value in values.items() if value is None)


def test_units_counted_and_f_limits(answered: tuple[dict[str, Any], dict[str, Estimate]]) -> None:
    case, found = answered
    assert {name: found[name].n for name in case.get("n", {})} == case.get("n", {})
    for name, limits in case.get("f_limits", {}).items():
        interval = found[name].beside[-1]
        assert (interval.low, interval.high) == pytest.approx(tuple(limits), abs=case["f_tolerance"])


def test_shrout_and_fleiss_mean_squares() -> None:
    case = CASES["shrout_fleiss_1979"]
    found = mean_squares(icc(rated(case)).columns.sum(axis=0, keepdims=True), 4)
    printed = {name: getattr(found, name)[0] for name in case["mean_squares"]}
    assert printed == {name: pytest.approx(value, abs=1e-9) for name, value in case["mean_squares"].items()}


def test_cohens_own_weights() -> None:
    case = CASES["cohen_1968"]
    columns, _ = pair_tables(rated(case))
    weighted = kappa(3, np.array(case["custom"]["disagreement"], dtype=float))
    assert weighted(columns.sum(axis=0, keepdims=True))[0] == pytest.approx(case["custom"]["kappa"], abs=1e-9)
