"""What charts draw: spreads of scores and differences of readings, by their plain definitions."""

import math

import numpy as np
import pytest

from polibias.analysis.cases import Case
from polibias.analysis.points import Differences, judge_differences, order_differences, spreads
from tests.analysis import copies

SAID = [(3.5, "A"), (3.5, "B"), (0, "none"), None, (15, "A")]


def cases() -> list[Case]:
    """Two judges who read the same five pairs, and copies that must not count."""
    made = [
        copies.case(f"p{place}", said, "active" if place < 3 else "fictional", judge=judge)
        for judge in ("j", "k")
        for place, said in enumerate(SAID if judge == "j" else SAID[::-1])
    ]
    return [*made, copies.copy(made[0], (9, "A")), copies.copy(made[0], (9, "A"), "retest")]


def test_spreads_count_complete_originals() -> None:
    found = {(one.judge, one.block): dict(one.counts) for one in spreads(cases(), copies.RUBRICS)}
    assert found == {
        ("j", "main"): {3.5: 2, 0.0: 1}, ("j", "control"): {15.0: 1},
        ("k", "main"): {15.0: 1, 0.0: 1}, ("k", "control"): {3.5: 2},
    }  # fmt: skip


def test_orders_differ_by_what_each_said() -> None:
    """`copies.reading` gives the lower score with A shown first, the higher with B."""
    first, second = order_differences(cases())
    assert dict(first.counts) == {(3.5, -1.0): 2, (0.0, 0.0): 1, (15.0, 0.0): 1}
    assert (first.judge, first.of, first.minus) == ("j", "version A first", "version B first")
    assert second.n == 4
    assert first.mean == pytest.approx(-0.5)


def test_judges_are_compared_on_the_pairs_valid_for_both() -> None:
    (found,) = judge_differences(cases(), copies.RUBRICS)
    assert (found.of, found.minus, found.n) == ("j", "k", 3)
    assert dict(found.counts) == {(9.25, -11.5): 1, (0.0, 0.0): 1, (9.25, 11.5): 1}


def test_limits_are_those_of_bland_and_altman() -> None:
    """Mean difference ± 1.96 sample standard deviations, from the differences one by one."""
    dice = np.random.default_rng(3)
    gaps = dice.integers(-12, 13, 60) / 2
    counts = {(float(place), float(gap)): int(gap * 2 % 3) + 1 for place, gap in enumerate(gaps)}
    found = Differences("", "official", "j", "k", counts)
    single = np.repeat([gap for _, gap in counts], list(counts.values()))
    assert found.n == len(single)
    assert found.mean == pytest.approx(single.mean())
    assert found.limits == pytest.approx(
        (single.mean() - 1.96 * single.std(ddof=1), single.mean() + 1.96 * single.std(ddof=1))
    )


def test_one_pair_has_no_limits_and_nothing_has_no_points() -> None:
    one = Differences("", "official", "j", "k", {(3.0, 1.0): 1})
    assert one.limits is None
    assert not math.isnan(one.mean)
    assert order_differences([copies.case("p", None)]) == []
    assert judge_differences([copies.case("p", (3, "A"))], copies.RUBRICS) == []
    assert spreads([], copies.RUBRICS) == []
