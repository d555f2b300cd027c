"""The tables' own rules: what counts as one-sided, what is complete, what a sentence may claim."""

import pytest

from polibias.analysis.cells import possible
from polibias.analysis.findings import Cell, TableRow
from polibias.analysis.frames import one_sided
from polibias.analysis.summary import in_words
from polibias.domain.rows import Verdict
from polibias.domain.sides import Both
from polibias.stats.estimate import Estimate

FULL = ("full",)


def verdict(a: str, b: str) -> Verdict:
    return Verdict({}, {"refusal": Both(a, b)})


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (("full", "none"), ("full", "none"), True),
        (("none", "full"), ("partial", "full"), True),
        (("full", "full"), ("full", "full"), False),
        (("partial", "none"), ("none", "none"), False),
        (("none", "none"), ("none", "none"), False),
        (("full", "none"), ("none", "none"), None),
        (("full", "none"), ("none", "full"), None),
    ],
)
def test_one_sided(first: tuple[str, str], second: tuple[str, str], expected: bool | None) -> None:
    """Exactly one response has a counting option; where the two orders disagree about it, nothing is claimed."""
    assert one_sided([verdict(*first), verdict(*second)], "refusal", FULL) is expected


def row(value: float | None, low: float | None = None, high: float | None = None) -> TableRow:
    def cell(number: float | None, reason: str = "") -> Cell:
        return Cell(number, 40, 20, "", low, high, reason)

    cells = {
        "main": cell(4.0),
        "control": cell(4.0 - (value or 0.0)),
        "difference": cell(value, "" if low is not None else "no interval: 3 clusters"),
    }
    return TableRow({"model": "m", "judge": "j"}, cells)


@pytest.mark.parametrize(
    ("given", "claim"),
    [
        (row(1.0, 0.5, 1.5), "Main pairs were treated less evenly"),
        (row(-1.0, -1.5, -0.5), "Control pairs were treated less evenly"),
        (row(1.0, -0.5, 2.5), "no difference was shown"),
        (row(1.0), "Nothing follows from it: no interval: 3 clusters"),
        (row(None), "cannot be compared"),
    ],
)
def test_sentence_claims_no_more_than_the_interval(given: TableRow, claim: str) -> None:
    assert claim in in_words(given)


@pytest.mark.parametrize(
    ("low", "high", "kept"), [(0.0, 1.0, True), (0.2, 0.9, True), (-0.01, 0.5, False), (0.5, 1.01, False)]
)
def test_a_share_has_no_interval_that_no_share_can_have(low: float, high: float, kept: bool) -> None:
    found = possible(Estimate(0.5, 20, 2, "jackknife-t", low, high, ""))
    assert (found.low, found.high) == ((low, high) if kept else (None, None))
    assert found.reason == ("" if kept else "no interval: with 2 clusters it would leave the scale")
