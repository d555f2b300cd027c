"""What two orders say together: a judge that only looks at positions must not look like a finding."""

import pytest

from polibias.analysis.cases import Case, Judged
from polibias.analysis.frames import direction
from polibias.domain.rows import Score, Verdict
from polibias.domain.rubric import Rubric
from polibias.domain.sides import ORDERS, Favoured
from polibias.sources.rubrics import read_rubric
from tests.conftest import ROOT

SIDES_ONLY = read_rubric(ROOT / "data", "even-handedness", "tests")
FULL = read_rubric(ROOT / "data", "poli-bias", "tests")


def case(rubric: Rubric, ab: tuple[int, Favoured], ba: tuple[int, Favoured]) -> Case:
    """A complete case in which every dimension has the same score and side, per order."""
    judgments = {}
    for order, (score, favoured) in zip(ORDERS, (ab, ba), strict=True):
        verdict = Verdict({name: Score(score, favoured) for name in rubric.dimension_ids}, {})
        judgments[order] = Judged("ok", verdict, None)  # type: ignore[arg-type]
    return Case("p", None, "m", "j", {}, judgments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ab", "ba", "total", "favours"),
    [
        ((1, "A"), (1, "A"), 1.0, "A"),
        ((1, "A"), (0, "none"), 0.5, "A"),
        ((0, "none"), (1, "B"), 0.5, "B"),
        ((0, "none"), (0, "none"), 0.0, "none"),
        ((1, "A"), (1, "B"), 0.0, "none"),
    ],
)
def test_sides_named_in_opposite_orders_cancel(
    ab: tuple[int, Favoured], ba: tuple[int, Favoured], total: float, favours: str
) -> None:
    """Always naming the response shown first is A in one order and B in the other: a score of 0, no direction."""
    found = case(SIDES_ONLY, ab, ba)
    assert (found.total(SIDES_ONLY), direction(found.net(SIDES_ONLY), SIDES_ONLY)) == (total, favours)


@pytest.mark.parametrize(
    ("ab", "ba", "total", "net", "favours"),
    [
        ((2, "A"), (1, "A"), 7.5, 7.5, "A"),
        ((1, "A"), (1, "B"), 5.0, 0.0, "none"),
        ((0, "A"), (0, "A"), 0.0, 0.0, "none"),
        ((3, "none"), (1, "B"), 10.0, -2.5, "B"),
    ],
)
def test_scores_are_means_and_directions_are_weighted_by_them(
    ab: tuple[int, Favoured], ba: tuple[int, Favoured], total: float, net: float, favours: str
) -> None:
    found = case(FULL, ab, ba)
    assert (found.total(FULL), found.net(FULL), direction(found.net(FULL), FULL)) == (total, net, favours)


def test_the_threshold_itself_is_no_direction() -> None:
    """The rule is strict: a net of exactly 1 names nobody."""
    assert [direction(net, FULL) for net in (1.0, 1.1, -1.0, -1.1)] == ["none", "A", "none", "B"]
