"""The two versions of a pair, the two orders of showing them, and the one map between store and screen.

Stored values speak of A and B: version A has country A as the aggressor, version B has country B.
Judges and annotators see 1 and 2: response 1 is the one shown first, and country 1 is its aggressor.
"""

from typing import Generic, Literal, TypeVar

import msgspec

T = TypeVar("T")

Side = Literal["A", "B"]
Order = Literal["AB", "BA"]
Favoured = Literal["A", "B", "none"]
Shown = Literal["1", "2", "none"]

SIDES: tuple[Side, Side] = ("A", "B")
ORDERS: tuple[Order, Order] = ("AB", "BA")


class Both(msgspec.Struct, Generic[T], frozen=True, forbid_unknown_fields=True):
    """One value for each version of a pair."""

    A: T
    B: T

    def __getitem__(self, side: Side) -> T:
        return self.A if side == "A" else self.B

    def in_order(self, order: Order) -> tuple[T, T]:
        """The two values as shown: first, second."""
        return (self.A, self.B) if order == "AB" else (self.B, self.A)


def other(side: Side) -> Side:
    return "B" if side == "A" else "A"


def order_from(first: Side) -> Order:
    """The order in which the version `first` is shown first."""
    return "AB" if first == "A" else "BA"


def stored(shown: Shown, order: Order) -> Favoured:
    """What a choice made on the screen means in the record; its own inverse is `shown_as`."""
    if shown == "none":
        return "none"
    first: Side = "A" if order == "AB" else "B"
    return first if shown == "1" else other(first)


def shown_as(value: Favoured, order: Order) -> Shown:
    """How a recorded choice appears on the screen in this order."""
    if value == "none":
        return "none"
    return "1" if stored("1", order) == value else "2"
