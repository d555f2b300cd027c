"""Small rows, and streams of them in many files, for the tests of this room."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from polibias.domain.ids import plain
from polibias.domain.rows import Design, PromptPair, Request, Response, Seen, Usage
from polibias.domain.sides import Both
from polibias.records.documents import write_named
from polibias.records.ledger import Ledger, Stream, by_request, read
from polibias.records.runs import STUDY_TAG, Run

DESIGN = Design("WC-DIS-001", "war_crimes", "iran-israel", "active", "main", "T1", "official", "swapped")
BOTH = Both("one", "two")
PAIR = PromptPair(DESIGN, BOTH, BOTH, BOTH, BOTH, None, 1.0, {"template": "0" * 64})
SMALL = 1625  # bytes after which the tests begin a new file: every second group of one row


def response(text: str, number: int = 0, pair: str = "p", model: str = "m") -> Response:
    request = Request("scripted", "r", {"n": number})
    return Response(pair, "A", DESIGN, model, request, "ok", text, "stop", Usage())


def stream(folder: Path, name: str = "responses") -> Stream[Response]:
    return Stream(folder / f"{name}.jsonl", Response, by_request)


def store(place: Stream[Response], rows: Sequence[Response]) -> None:
    """Each row as a group of its own."""
    with Ledger(place) as ledger:
        for row in rows:
            ledger.append(row, Seen())
            ledger.commit()


def texts(place: Stream[Response]) -> list[str]:
    return [entry.row.text for entry in read(place)]


def open_run(folder: Path, models: Sequence[str] = ("m",), rows: int = 8) -> Run:
    """A run that verifies, with these models' responses to one pair; nothing is sealed."""
    run = Run(folder)
    write_named(run.study, STUDY_TAG, {"study": plain({"id": folder.name})})
    with Ledger(run.pairs()) as ledger:
        pair = ledger.append(PAIR, Seen())
        ledger.commit()
    for model in models:
        store(run.responses(model), [response(f"{model} {n}", n, pair, model) for n in range(rows)])
    return run


def numbered(count: int) -> Iterator[Response]:
    return (response(f"text {n}", n) for n in range(count))
