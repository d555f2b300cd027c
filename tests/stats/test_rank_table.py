"""Spearman from counts: the same as of the scores themselves, here, in scipy, and in every replicate."""

import numpy as np
import pytest
from scipy.stats import rankdata, spearmanr

from polibias.stats.rank_table import points_of, spearman_of_counts, table_columns
from polibias.stats.ranks import spearman


def lists(seed: int, units: int = 80) -> tuple[np.ndarray, np.ndarray]:
    dice = np.random.Generator(np.random.PCG64(seed))
    x = dice.integers(0, 7, units) / 2
    return x, np.clip(x + dice.integers(-4, 5, units) / 2, 0, 3)


@pytest.mark.parametrize("seed", range(12))
def test_the_same_as_of_the_scores(seed: int) -> None:
    x, y = lists(seed, 15 + 20 * seed)
    points = points_of(x, y)
    found = spearman_of_counts(len(points))(table_columns(x, y, points).sum(axis=0, keepdims=True))[0]
    assert found == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)
    assert found == pytest.approx(spearman(x.tolist(), y.tolist()).value, abs=1e-12)
    assert found == pytest.approx(np.corrcoef(rankdata(x), rankdata(y))[0, 1], abs=1e-12)


def test_every_replicate_has_ranks_of_its_own() -> None:
    """Counts of units say how often each is there; repeated units tie with themselves."""
    x, y = lists(3)
    points = points_of(x, y)
    times = np.random.Generator(np.random.PCG64(1)).integers(0, 4, (6, len(x)))
    found = spearman_of_counts(len(points))(times @ table_columns(x, y, points))
    for row, value in zip(times, found, strict=True):
        assert value == pytest.approx(spearmanr(np.repeat(x, row), np.repeat(y, row)).statistic, abs=1e-12)


def test_by_hand() -> None:
    """Ranks 1, 2.5, 2.5, 4 and 1.5, 1.5, 3, 4: 3.75 / √(4.5 · 4.5)."""
    x, y = np.array([0.0, 1.0, 1.0, 2.0]), np.array([0.0, 0.0, 1.0, 2.0])
    points = points_of(x, y)
    found = spearman_of_counts(3)(table_columns(x, y, points).sum(axis=0, keepdims=True))[0]
    assert found == pytest.approx(3.75 / 4.5)


def test_no_variation_has_no_value() -> None:
    points = np.array([0.0, 1.0])
    flat, steep = np.array([1.0, 1.0, 1.0]), np.array([0.0, 1.0, 1.0])
    for x, y in ((flat, steep), (steep, flat), (flat, flat), (flat[:0], flat[:0])):
        columns = table_columns(x, y, points).sum(axis=0, keepdims=True)
        assert np.isnan(spearman_of_counts(2)(columns)[0])


def test_a_score_off_the_points_is_an_error() -> None:
    for wrong in (0.5, 2.0):
        with pytest.raises(ValueError, match="none of the points"):
            table_columns(np.array([wrong]), np.array([0.0]), np.array([0.0, 1.0]))
    close = table_columns(np.array([0.1 + 0.2]), np.array([0.3]), points_of(np.array([0.3])))
    assert close.sum() == 1
