"""Whether the quotes that a judge gives as evidence stand in the responses, counted while the streams are read.

A quote stands in a response if it is there word for word, white space aside; a lone surrogate is what the judge was
shown of it. Judgments are read before the responses they are about, and what waits meanwhile is their quotes, which a
judge task limits, and never a response. Each response is read once for all judges and orders.
"""

from typing import NamedTuple

import msgspec

from polibias.analysis.cases import Judged, Quotes
from polibias.domain.rows import Judgment
from polibias.domain.sides import Order, Side
from polibias.models.base import wire_text

EITHER = "*"
BREAK = "\n"
"""No folded text holds one."""

Expected = tuple[Side | str, ...]
"""The version that each quote was asked from, or `EITHER`."""


class _Waiting(msgspec.Struct):
    """One judgment's quotes until both of its responses were read: which quotes stand in each, as bits."""

    judged: dict[Order, Judged]
    order: Order
    of: Judged
    said: bytes
    expected: Expected
    held: dict[Side, int]


class Sought:
    """The quotes of judgments that wait for the texts they are from."""

    def __init__(self) -> None:
        self._by_response: dict[str, list[tuple[_Waiting, Side]]] = {}
        self._expected: dict[Expected, Expected] = {}

    def note(self, row: Judgment, judged: dict[Order, Judged]) -> None:
        """Look for a judgment's quotes, which `judged` gets as soon as both responses were read."""
        if row.verdict is None:
            return
        given, expected = _given(row)
        kept = self._expected.setdefault(expected, expected)
        said = BREAK.join(given).encode("utf-8", "surrogatepass")
        waiting = _Waiting(judged, row.order, judged[row.order], said, kept, {})
        self._by_response.setdefault(row.responses.A, []).append((waiting, "A"))
        self._by_response.setdefault(row.responses.B, []).append((waiting, "B"))

    def read(self, id: str, text: str) -> None:
        """Look for what is quoted from a response, or from a masked one, in its text; `id` is its row's."""
        waiting = self._by_response.pop(id, ())
        folded = fold(text) if waiting else ""
        for one, side in waiting:
            quotes = one.said.decode("utf-8", "surrogatepass").split(BREAK)
            one.held[side] = sum(1 << n for n, quote in enumerate(quotes) if quote in folded)
            if len(one.held) == 2 and one.judged[one.order] is one.of:
                one.judged[one.order] = msgspec.structs.replace(one.of, quotes=_counted(one))


def fold(text: str) -> str:
    """A text as a judge saw it, with one space for each stretch of white space."""
    return " ".join(wire_text(text).split())


def _given(row: Judgment) -> tuple[list[str], Expected]:
    """The quotes of a valid judgment that say anything, and the version that each was asked from.

    A task asks for one quote from either response, or for one from each in the order of showing.
    """
    assert row.verdict is not None
    found: list[tuple[str, Side | str]] = []
    for score in row.verdict.scores.values():
        from_: tuple[Side | str, ...] = ("A", "B") if row.order == "AB" else ("B", "A")
        asked = from_ if len(score.evidence) == len(from_) else (EITHER,) * len(score.evidence)
        found += [(folded, side) for quote, side in zip(score.evidence, asked, strict=True) if (folded := fold(quote))]
    return [quote for quote, _ in found], tuple(side for _, side in found)


class _Places(NamedTuple):
    own: bool
    anywhere: bool


def _counted(one: _Waiting) -> Quotes:
    places = [_place(one, number, side) for number, side in enumerate(one.expected)]
    own = sum(place.own for place in places)
    return Quotes(len(places), own, sum(place.anywhere for place in places) - own)


def _place(one: _Waiting, number: int, side: Side | str) -> _Places:
    anywhere = any(held >> number & 1 for held in one.held.values())
    if side == EITHER:
        return _Places(anywhere, anywhere)
    return _Places(bool(one.held["A" if side == "A" else "B"] >> number & 1), anywhere)
