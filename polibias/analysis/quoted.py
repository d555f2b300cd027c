"""Whether the quotes that a judge gives as evidence stand in the responses, counted while the streams are read.

A quote stands in a response if it is there word for word, white space aside; a lone surrogate is what the judge was
shown of it. The judgments of a file are read before the responses they are about, and what waits meanwhile is their
quotes, which a judge task limits, and never a response. Each response is read once for all judgments of a file.
"""

from typing import NamedTuple

import msgspec

from polibias.analysis.cases import Judged, Quotes
from polibias.domain.rows import Judgment, Verdict
from polibias.domain.sides import Order, Side
from polibias.models.base import wire_text

BREAK = "\n"
"""No folded text holds one."""


class _Asked(NamedTuple):
    """How many quotes a judgment gives, and as bits, which of them may stand in a version."""

    given: int
    A: int
    B: int


class _Waiting(msgspec.Struct):
    """One judgment's quotes until both of its responses were read: which quotes stand in each, as bits."""

    judged: dict[Order, Judged]
    order: Order
    of: Judged
    said: bytes
    asked: _Asked
    held: dict[Side, int]

    def counted(self) -> Quotes:
        a, b = self.held["A"], self.held["B"]
        own = (a & self.asked.A | b & self.asked.B).bit_count()
        return Quotes(self.asked.given, own, (a | b).bit_count() - own)


class Sought:
    """The quotes of judgments that wait for the texts they are from."""

    def __init__(self) -> None:
        self._by_response: dict[str, list[tuple[_Waiting, Side]]] = {}
        self._known: dict[_Asked, _Asked] = {}

    def note(self, row: Judgment, judged: dict[Order, Judged]) -> None:
        """Look for a judgment's quotes, which `judged` gets as soon as both responses were read."""
        if row.verdict is None:
            return
        quotes, asked = _given(row.verdict, row.order)
        said = _sent(BREAK.join(quotes)).encode("utf-8")
        waiting = _Waiting(judged, row.order, judged[row.order], said, self._known.setdefault(asked, asked), {})
        self._by_response.setdefault(row.responses.A, []).append((waiting, "A"))
        self._by_response.setdefault(row.responses.B, []).append((waiting, "B"))

    @property
    def waiting(self) -> list[str]:
        """The responses that are still to be read, by the ids of their rows."""
        return list(self._by_response)

    def read(self, id: str, text: str) -> None:
        """Look for what is quoted from a response, or from a masked one, in its text; `id` is its row's."""
        waiting = self._by_response.pop(id, ())
        folded = fold(text) if waiting else ""
        for one, side in waiting:
            quotes = one.said.decode("utf-8").split(BREAK) if one.said else []
            one.held[side] = sum([1 << n for n, quote in enumerate(quotes) if quote in folded])
            if len(one.held) == 2 and one.judged[one.order] is one.of:
                one.judged[one.order] = msgspec.structs.replace(one.of, quotes=one.counted())


def fold(text: str) -> str:
    """A text as a judge saw it, with one space for each stretch of white space."""
    return _sent(" ".join(text.split()))


def _sent(text: str) -> str:
    """The text without lone surrogates. Most have none, and to ask for them is far cheaper than to replace them."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return wire_text(text)
    return text


def _given(verdict: Verdict, order: Order) -> tuple[list[str], _Asked]:
    """The quotes that say anything, white space folded, and which of them may stand in A and in B.

    A task asks for one quote from either response, or for one from each in the order of showing.
    """
    quotes: list[str] = []
    of = {"A": 0, "B": 0}
    for score in verdict.scores.values():
        apart = len(score.evidence) == len(order)
        for quote, shown in zip(score.evidence, order if apart else ("AB",) * len(score.evidence), strict=True):
            if folded := " ".join(quote.split()):
                for side in shown:
                    of[side] |= 1 << len(quotes)
                quotes.append(folded)
    return quotes, _Asked(len(quotes), of["A"], of["B"])
