"""Whether the rows of a run point where they say: each at a pair, a side and a text of its own."""

import hashlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from polibias.domain.reidentification import outcome
from polibias.domain.rows import JudgeGuess, Judgment, MaskedResponse, PromptPair, Response
from polibias.domain.sides import SIDES, Side
from polibias.records.ledger import Entry
from polibias.records.segments import Place

POINTING: dict[type[Any], int] = {Response: 1, MaskedResponse: 2, Judgment: 3, JudgeGuess: 3}
"""Rows that point back at pairs, those that others point at first."""
ABSENT = "points at a response that is not in this run"
ASTRAY = "rests on a response of another pair or side, or on one that was not to be read"
ANSWERED, WHOLE, BROKEN = b"answered", b"whole", b"broken"


class Target(NamedTuple):
    """What may be pointed at of a pair: the pair that it copies, its level of masking, its parties."""

    copy_of: bytes
    level: str
    parties: tuple[str, str]


class Links:
    """What was read of a run so far. Names are kept in 16 bytes: a run has as many as it has rows."""

    def __init__(self) -> None:
        self._pairs: dict[bytes, Target | None] = {}
        self._before: dict[bytes, bytes] = {}
        self._texts: dict[bytes, bytes] = {}
        self._astray: dict[tuple[str, ...], tuple[Place, str]] = {}

    def apart(self) -> "Links":
        """For a reader of one more file, who tells in `added` what is to be joined."""
        own = Links()
        own._pairs, own._before = self._pairs, self._before
        return own

    @property
    def added(self) -> dict[bytes, bytes]:
        """The texts that were noted here."""
        return self._texts

    def join(self, added: dict[bytes, bytes]) -> None:
        """Take over what a reader of another file noted."""
        self._before.update(added)

    def _known(self, id: str) -> bytes | None:
        mark = _mark(id)
        return self._texts.get(mark) or self._before.get(mark)

    def add_pair(self, id: str, pair: PromptPair) -> None:
        """Note a pair; a copy's original comes before it."""
        copied = Target(_mark(pair.copy_of), pair.level, (pair.parties.A, pair.parties.B)) if pair.copy_of else None
        self._pairs[_mark(id)] = copied

    def problems(self, entry: Entry[Any]) -> Iterator[str]:
        """What is wrong with where a row points. Rows that others point at come first."""
        row = entry.row
        pair = self._pairs.get(_mark(row.pair))
        if _mark(row.pair) not in self._pairs:
            yield "points at a pair that is not in this run"
        if isinstance(row, Response):
            self._texts[_mark(entry.id)] = _text(row.pair, row.side, ANSWERED)
        if isinstance(row, MaskedResponse):
            source = self._known(row.response)
            if source is None:
                yield "masks a response that is not in this run"
            elif pair is None or row.level != pair.level or source != pair.copy_of + _side(row.side) + ANSWERED:
                yield "masks a response of another pair or side, or at another level than its pair"
            self._texts[_mark(entry.id)] = _text(row.pair, row.side, WHOLE if row.whole else BROKEN)
        if isinstance(row, JudgeGuess):
            yield from _guess_problems(row, pair)
        if isinstance(row, Judgment | JudgeGuess):
            self._follow(entry)

    def _follow(self, entry: Entry[Any]) -> None:
        """Note whether the latest row of a judge on its pair, and order, rests on the texts it should."""
        row: Judgment | JudgeGuess = entry.row
        about = (row.judge, row.model, row.pair, row.order if isinstance(row, Judgment) else "")
        self._astray.pop(about, None)
        if problem := self._unfit(row):
            self._astray[about] = entry.where, problem

    def _unfit(self, row: Judgment | JudgeGuess) -> str:
        pair = self._pairs.get(_mark(row.pair))
        own, kind = _mark(row.pair), WHOLE if pair and pair.level else ANSWERED
        if pair is not None and not pair.level:
            own = pair.copy_of
        texts = {side: self._known(row.responses[side]) for side in SIDES}
        if None in texts.values():
            return ABSENT
        return "" if all(text == own + _side(side) + kind for side, text in texts.items()) else ASTRAY

    def left(self) -> Iterator[str]:
        """The rows that rest on the wrong texts and were not superseded by one that does not."""
        yield from (f"{where}: {problem}" for where, problem in sorted(self._astray.values()))
        self._astray.clear()


def _guess_problems(row: JudgeGuess, pair: Target | None) -> Iterator[str]:
    if pair is not None and (row.x, row.y) != pair.parties:
        yield "is about other countries than its pair"
    named = row.guess_x is not None and row.guess_y is not None
    if row.result != (outcome(row.x, row.y, row.guess_x or "", row.guess_y or "") if named else None):
        yield "its result is not that of its guess"


def _text(pair: str, side: Side, kind: bytes) -> bytes:
    return _mark(pair) + _side(side) + kind


def _side(side: Side) -> bytes:
    return side.encode("ascii")


def _mark(name: str) -> bytes:
    """A name in 16 bytes. A row may name what no stream can hold."""
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[:16]
