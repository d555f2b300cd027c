"""How a guess at the two countries of a masked pair came out, and how it would come out by chance alone."""

from fractions import Fraction
from typing import Literal

ReidOutcome = Literal["both", "swapped", "one", "none", "cannot_tell"]

OUTCOMES: tuple[ReidOutcome, ...] = ("both", "swapped", "one", "none", "cannot_tell")
CANNOT_TELL = "cannot_tell"


def outcome(x: str, y: str, guess_x: str, guess_y: str) -> ReidOutcome:
    """What became of a guess, where `x` and `y` are the countries behind the placeholders.

    `both`: each is named in its place. `swapped`: both are named, each in the other's place. `one`: exactly one is
    named in its place, whatever stands in the other. `none`: something is named, and nothing in its place; one of the
    two countries may stand in the other's. `cannot_tell`: neither placeholder is named.
    """
    if guess_x == guess_y == CANNOT_TELL:
        return "cannot_tell"
    if (guess_x, guess_y) == (y, x):
        return "swapped"
    right = (guess_x == x) + (guess_y == y)
    return "both" if right == 2 else "one" if right else "none"


def chance(candidates: int) -> dict[ReidOutcome, Fraction]:
    """The probability of each outcome for somebody who draws two different ones of n candidates at random, in order.

    There are n(n-1) such draws, all equally likely. One of them is `both` and one is `swapped`. For `one`, one of two
    places holds its country and the other any of the n-2 that are neither: 2(n-2) draws. What is left is `none`:
    (n-1)(n-2) draws. Whoever draws never says `cannot_tell`. Raises ValueError for less than two candidates.
    """
    if candidates < 2:
        raise ValueError("two different candidates cannot be drawn from less than two")
    draws = candidates * (candidates - 1)
    return {
        "both": Fraction(1, draws),
        "swapped": Fraction(1, draws),
        "one": Fraction(2 * (candidates - 2), draws),
        "none": Fraction((candidates - 1) * (candidates - 2), draws),
        "cannot_tell": Fraction(0),
    }
