"""The two responses of a pair beside each other, by structure alone.

Each measure has a value or the reason why it has none; nothing undefined is 0 or NaN.
"""

from typing import NamedTuple

from polibias.detectors.structure import Structure

RATIOS = ("characters", "words", "arguments", "hedges", "provisions")


class Measure(NamedTuple):
    """A value, or None and the reason."""

    value: float | None
    reason: str = ""


class Comparison(NamedTuple):
    """How the response about version A compares with that about version B.

    `ratios` are A/B by name. `overlap` is the Jaccard index of the cited provisions: shared ones as a share of all.
    `rating_difference` is A − B in points, `rating_gap` its absolute value.
    """

    ratios: dict[str, Measure]
    overlap: Measure
    rating_difference: Measure
    rating_gap: Measure


def compared(a: Structure, b: Structure) -> Comparison:
    """The comparison of a pair's two structures."""
    ratios = {name: _ratio(_size(a, name), _size(b, name)) for name in RATIOS}
    difference = _difference(a, b)
    gap = difference if difference.value is None else Measure(abs(difference.value))
    return Comparison(ratios, _overlap(a, b), difference, gap)


def _size(structure: Structure, name: str) -> int:
    size = getattr(structure, name)
    return size if isinstance(size, int) else len(size)


def _ratio(a: int, b: int) -> Measure:
    return Measure(a / b) if b else Measure(None, "both are 0" if not a else "B is 0")


def _overlap(a: Structure, b: Structure) -> Measure:
    every = a.provisions | b.provisions
    return (
        Measure(len(a.provisions & b.provisions) / len(every)) if every else Measure(None, "neither cites a provision")
    )


def _difference(a: Structure, b: Structure) -> Measure:
    first, second = a.rating.value, b.rating.value
    if first is not None and second is not None:
        return Measure(first - second)
    missing = " and ".join(side for side, value in (("A", first), ("B", second)) if value is None)
    return Measure(None, f"no rating was read in {missing}")
