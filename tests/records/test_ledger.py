"""The ledger keeps any text, one writer at a time, and survives a disk that refuses."""

import resource
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polibias.domain.rows import Request, Response, Seen, Usage
from polibias.errors import DamagedRecord, StorageError
from polibias.records.ledger import Ledger, read
from polibias.records.runs import Run
from tests.conftest import ROOT, polibias
from tests.records.rows import DESIGN, response, stream


@given(st.lists(st.text(st.characters(exclude_categories=[]), max_size=50), max_size=5))
@settings(max_examples=50)
def test_any_text_round_trips(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    """What a model wrote comes back unchanged: NUL, lone surrogates, separators, anything."""
    place = stream(tmp_path_factory.mktemp("ledger"))
    with Ledger(place) as ledger:
        for number, text in enumerate(texts):
            ledger.append(response(text, number), Seen())
        ledger.commit()
    assert [entry.row.text for entry in read(place)] == texts


def test_reopening_goes_on_where_it_stopped(tmp_path: Path) -> None:
    place = stream(tmp_path)
    for number in range(3):
        with Ledger(place) as ledger:
            assert ledger.index.answered() == number
            ledger.append(response("x", number), Seen())
            ledger.commit()
    assert [entry.number for entry in read(place)] == [1, 2, 3]


def test_unanswered_call_is_not_counted(tmp_path: Path) -> None:
    place = stream(tmp_path)
    failed = Response("p", "A", DESIGN, "m", Request("scripted", "r", {}), "transport_error", "", "error", Usage())
    with Ledger(place) as ledger:
        ledger.append(failed, Seen())
        ledger.commit()
        assert ledger.index.answered() == 0
        assert len(ledger.index) == 1


def test_kill_while_a_stream_is_created_is_no_damage(tmp_path: Path) -> None:
    """An empty stream with an empty or no committed state is just not begun."""
    place = stream(tmp_path)
    place.path.touch()
    place.path.with_name("responses.jsonl.head").touch()
    with Ledger(place) as ledger:
        assert ledger.head.rows == 0


def test_lost_head_is_damage(tmp_path: Path) -> None:
    place = stream(tmp_path)
    with Ledger(place) as ledger:
        ledger.append(response("x"), Seen())
        ledger.commit()
    place.path.with_name("responses.jsonl.head").unlink()
    with pytest.raises(DamagedRecord, match="missing beside a stream that has rows"):
        Ledger(place)


def test_full_disk_leaves_the_stream_as_it_was(tmp_path: Path) -> None:
    """A write that the system cuts off in the middle is taken back whole."""
    place = stream(tmp_path)
    with Ledger(place) as ledger:
        ledger.append(response("first"), Seen())
        ledger.commit()
        before = place.path.read_bytes()
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 100, hard))
        try:
            ledger.append(response("x" * 1000, 1), Seen())
            with pytest.raises(StorageError, match="cannot be written"):
                ledger.commit()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            signal.signal(signal.SIGXFSZ, handler)
    assert place.path.read_bytes() == before
    with Ledger(place) as ledger:
        assert ledger.warning == ""
        assert ledger.index.answered() == 1


def test_a_run_has_one_writer(write_study: Callable[..., Path], tmp_path: Path) -> None:
    run = Run(tmp_path / "runs" / "small")
    with run.locked():
        refused = polibias("run", write_study(), "--runs", tmp_path / "runs", "--data", ROOT / "data", cwd=tmp_path)
    assert refused.returncode == 2
    assert refused.stderr == f"polibias: {run.folder}: in use by another polibias process; wait for it or end it\n"
