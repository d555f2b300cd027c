"""What can be judged: the responses that count, of every pair and of every copy of one."""

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from polibias import generate as generation
from polibias.domain.masked import Level
from polibias.domain.rows import MaskedResponse, PromptPair, Response
from polibias.domain.sides import SIDES, Both, Side
from polibias.records.ledger import read
from polibias.records.runs import Run
from polibias.records.shelf import Shelf, Shelfmark, located


class Ready(NamedTuple):
    """Where the two texts of a pair lie, and at which level they are masked."""

    marks: Both[Shelfmark]
    level: Level | Literal[""] = ""

    @property
    def kind(self) -> type[Response] | type[MaskedResponse]:
        """Of which kind the two rows are."""
        return MaskedResponse if self.level else Response


class Answered(NamedTuple):
    """A pair with the two texts that judges read, the ids of their rows, and the model that wrote them."""

    pair_id: str
    pair: PromptPair
    model: str
    ids: Both[str]
    texts: Both[str]


def judgeable(run: Run, model: str) -> dict[str, Both[Shelfmark]]:
    """Where the responses lie that count, of every pair that can be compared: the last of either side, of one round."""
    latest: dict[str, dict[Side, tuple[Shelfmark, int, bool]]] = {}
    for mark, entry in located(run.responses(model)):
        row = entry.row
        latest.setdefault(row.pair, {})[row.side] = mark, row.fallback, row.outcome in generation.JUDGEABLE
    return {
        pair: Both(a[0], b[0])
        for pair, by_side in latest.items()
        if (a := by_side.get("A")) and (b := by_side.get("B")) and a[1] == b[1] and a[2] and b[2]
    }


def ready(run: Run, model: str, copies: bool = True) -> dict[str, Ready]:
    """As `judgeable`, with the copies: one without a mask is read as it was answered, a masked one if it is whole.

    Without `copies` there are none, and the pairs need not be gone through.
    """
    own = judgeable(run, model)
    found = {pair: Ready(marks) for pair, marks in own.items()}
    masked: dict[str, Both[Shelfmark]] | None = None
    for entry in read(run.pairs()) if copies else ():
        source = own.get(entry.row.copy_of)
        if source is None:
            continue
        if not entry.row.level:
            found[entry.id] = Ready(source)
            continue
        masked = _masked(run, model, own) if masked is None else masked
        if entry.id in masked:
            found[entry.id] = Ready(masked[entry.id], entry.row.level)
    return found


def _masked(run: Run, model: str, own: Mapping[str, Both[Shelfmark]]) -> dict[str, Both[Shelfmark]]:
    """Where the masked responses lie of every pair of which both are whole and made from the responses that count."""
    counting = {mark.id.hex() for marks in own.values() for mark in (marks.A, marks.B)}
    found: dict[str, dict[Side, Shelfmark]] = {}
    for mark, entry in located(run.masked(model)):
        if entry.row.whole and entry.row.response in counting:
            found.setdefault(entry.row.pair, {})[entry.row.side] = mark
    return {pair: Both(sides["A"], sides["B"]) for pair, sides in found.items() if len(sides) == len(SIDES)}


def answered_pairs(run: Run, found: Mapping[str, Ready]) -> Iterator[Answered]:
    """These pairs in their own order with their texts, which are read when they are needed."""
    with Shelf() as shelf:
        for entry in read(run.pairs()):
            one = found.get(entry.id)
            if one is not None:
                a, b = (shelf.row(one.marks[side], one.kind) for side in SIDES)
                ids = Both(one.marks.A.id.hex(), one.marks.B.id.hex())
                yield Answered(entry.id, entry.row, a.model, ids, Both(a.text, b.text))
