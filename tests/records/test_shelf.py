"""A row found again by its place is the row that was read; links are judged by the latest row."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from polibias import flow
from polibias.domain.rows import PromptPair, Response, Seen
from polibias.domain.sides import Both
from polibias.errors import DamagedRecord
from polibias.planning import plan
from polibias.progress import QuietWatcher
from polibias.records import segments
from polibias.records.ledger import Ledger, read
from polibias.records.runs import Run
from polibias.records.shelf import Shelf, located
from polibias.records.verify import verify
from tests.conftest import ROOT


@pytest.fixture
def open_run(write_study: Callable[..., Path], tmp_path: Path) -> Run:
    """A run in which all is judged and nothing is sealed."""
    study = plan(str(write_study()), ROOT / "data")
    run = Run(tmp_path / "runs" / "small")
    flow.run_study(study, run, QuietWatcher(), flow.Wanted("judge"))
    return run


def test_places_lead_back_to_their_rows_in_any_order(sealed_run: Run) -> None:
    found = list(located(sealed_run.responses("fake")))
    assert [entry for _, entry in found] == list(read(sealed_run.responses("fake")))
    with Shelf() as shelf:
        assert all(shelf.row(mark, Response) == entry.row for mark, entry in reversed(found))


def test_a_row_that_changed_since_is_refused(sealed_run: Run) -> None:
    """Another text, another place, another kind or no file at all: never a row, never a crash."""
    stream = sealed_run.responses("fake")
    mark, _ = list(located(stream))[1]
    whole = stream.path.read_bytes()
    for changed in (whole.replace(b"Scripted", b"Scribble"), b" " + whole, whole[:30], b"", b"\xff" * len(whole)):
        stream.path.write_bytes(changed)
        with Shelf() as shelf, pytest.raises(DamagedRecord, match=r"fake\.jsonl: the row at byte \d+ changed"):
            shelf.row(mark, Response)
    stream.path.write_bytes(whole)
    with Shelf() as shelf, pytest.raises(DamagedRecord):
        shelf.row(mark, PromptPair)


def test_only_the_latest_judgment_must_rest_on_responses_of_the_run(open_run: Run) -> None:
    stream = open_run.judgments("fake-judge")
    entry = next(read(stream))
    astray = msgspec.structs.replace(entry.row, responses=Both("\ud800", entry.row.responses.B), supersedes=entry.id)
    with Ledger(stream) as ledger:
        ledger.append(astray, Seen())
        ledger.commit()
    assert verify(open_run) == [f"{stream.path}:9: points at a response that is not in this run"]
    with Ledger(stream) as ledger:
        ledger.append(entry.row, Seen())
        ledger.commit()
    assert verify(open_run) == []


def test_places_lead_into_later_files_of_a_stream(
    sealed_run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segments, "SEGMENT_BYTES", 2000)
    stream = Run(tmp_path / "other").responses("fake")
    with Ledger(stream) as ledger:
        for entry in read(sealed_run.responses("fake")):
            ledger.append(entry.row, entry.seen)
            ledger.commit()
    found = list(located(stream))
    assert len({mark.path for mark, _ in found}) > 2
    with Shelf() as shelf:
        assert all(shelf.row(mark, Response) == entry.row for mark, entry in reversed(found))
