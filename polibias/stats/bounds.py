"""How much missing labels could matter: the value if each of them were as good, and as bad, as the scale admits."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polibias.stats.kappa import NO_PAIR, NO_VARIATION, disagreement_weights, kappa, pair_tables
from polibias.stats.ratings import Ratings, category_index

LEAST_GAIN = 1e-9

Floats = NDArray[np.float64]


class Bounds(NamedTuple):
    """The lower and the upper value, how many labels were filled in, and out of how many.

    None means not estimable, and `reason` says why.
    """

    low: float | None
    high: float | None
    filled: int
    labels: int
    reason: str = ""


def mean_bounds(values: Floats, lowest: float, highest: float) -> Bounds:
    """The mean if every missing value were the lowest, and if it were the highest of the scale; exact.

    Parameters
    ----------
    values
        Scores of any shape, NaN where missing.
    lowest, highest
        The ends of the scale.

    Returns
    -------
    Bounds
        Not estimable without any value, given or missing. With missing values only they are the ends of the scale.

    Raises
    ------
    ValueError
        For a value outside the scale.

    Notes
    -----
    Source: Manski 1989.
    """
    missing = np.isnan(values)
    given = values[~missing]
    if ((given < lowest) | (given > highest)).any():
        raise ValueError(f"a value lies outside {lowest:g} to {highest:g}")
    if not values.size:
        return Bounds(None, None, 0, 0, "no value")
    low, high = (float(np.where(missing, end, values).mean()) for end in (lowest, highest))
    return Bounds(low, high, int(missing.sum()), values.size)


def kappa_bounds(ratings: Ratings) -> Bounds:
    """Quadratic kappa with the missing labels filled in against agreement, and for it.

    Parameters
    ----------
    ratings
        Units × raters. A missing label is first filled with the category of the greatest, or the least, squared
        distance to the labels that its unit has. Then single labels are changed as long as that moves kappa further.
        A unit without any label is left out and is not counted.

    Returns
    -------
    Bounds
        Not estimable without a couple of labels, or if no label that could be filled in gives variation.

    Raises
    ------
    ValueError
        For a rating that is not on the scale.

    Notes
    -----
    The first filling makes observed disagreement greatest and least, but labels also move the disagreement expected by
    chance, so that changing some of them can go further. What is found cannot be moved by any single label. It is not
    proven to be the very end: in small samples, whose fillings can be listed, it nearly always is.
    """
    category_index(ratings.values, ratings.categories)
    rated = ~np.isnan(ratings.values).all(axis=1)
    known = Ratings(ratings.values[rated], ratings.categories, (), ratings.weight[rated])
    count, size = int(np.isnan(known.values).sum()), known.values.size
    if not size or known.values.shape[1] < 2:
        return Bounds(None, None, count, size, NO_PAIR)
    low, high = _furthest(known, np.argmax, -1), _furthest(known, np.argmin, 1)
    if low is None or high is None:
        return Bounds(None, None, count, size, NO_VARIATION)
    return Bounds(low, high, count, size)


def _furthest(ratings: Ratings, choose: Callable[..., NDArray[np.intp]], sign: int) -> float | None:
    """The greatest (sign 1) or least kappa found by changing one missing label at a time; None if none is defined."""
    values = _filled(ratings.values, ratings.categories, choose)
    total = pair_tables(ratings._replace(values=values))[0].sum(axis=0, keepdims=True)
    best, before = _kappa(total, ratings.categories, sign)[0], None
    missing = np.argwhere(np.isnan(ratings.values)).tolist()
    while best != before:
        before = best
        for unit, rater in missing:
            tables = _tables(ratings, values[unit], unit, rater)
            own = tables[ratings.categories.index(values[unit, rater])]
            found = _kappa(total - own + tables, ratings.categories, sign)
            place = int(found.argmax())
            if found[place] > best + LEAST_GAIN:
                best, total, values[unit, rater] = found[place], total - own + tables[place], ratings.categories[place]
    return sign * float(best) if np.isfinite(best) else None


def _filled(values: Floats, categories: tuple[float, ...], choose: Callable[..., NDArray[np.intp]]) -> Floats:
    """Each missing label becomes the category that is chosen by its squared distance to the unit's labels."""
    points = np.asarray(categories)
    apart = np.nansum((values[:, :, None] - points) ** 2, axis=1)
    return np.where(np.isnan(values), points[choose(apart, axis=1)][:, None], values)


def _tables(ratings: Ratings, labels: Floats, unit: int, rater: int) -> Floats:
    """The unit's tables with each category in turn as the rater's label."""
    candidates = np.repeat(labels[None, :], len(ratings.categories), axis=0)
    candidates[:, rater] = ratings.categories
    weights = np.full(len(candidates), ratings.weight[unit])
    return pair_tables(Ratings(candidates, ratings.categories, (), weights))[0]


def _kappa(tables: Floats, categories: tuple[float, ...], sign: int) -> Floats:
    """Kappa times the sign, below everything where it is undefined."""
    found = sign * kappa(len(categories), disagreement_weights(categories, 2))(tables)
    return np.where(np.isnan(found), -np.inf, found)
