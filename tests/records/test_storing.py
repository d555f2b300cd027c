"""Stopped at any system call, by a kill, a power cut or a full disk, no row that was committed is lost."""

import contextlib
import errno
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from polibias.domain.rows import Seen
from polibias.errors import StorageError
from polibias.records import segments
from polibias.records.ledger import Ledger, Stream, problem_in
from polibias.records.segments import segment_files
from tests.conftest import disk_of, environment
from tests.records.rows import SMALL, numbered, response, stream, texts

CALLS = ("open", "pwrite", "fsync", "ftruncate", "replace", "unlink", "close")
ROWS = 6
IN_A_COMMIT = 7  # open a new file, open and flush its folder; write, flush; open and write the head
WORDS = [row.text for row in numbered(ROWS)]


class Killed(BaseException):
    """The process is gone: nothing that runs after it has any effect."""


class Disk:
    """Stands before the system: lets so many calls through, and then fails each one or only the next."""

    def __init__(self, patch: pytest.MonkeyPatch, through: int, failure: Callable[[], BaseException]) -> None:
        self.left, self.failure, self.failed = through, failure, False
        self.for_good = failure is Killed
        self.durable: dict[int, bytes] = {}
        self.names: dict[str, int] = {}
        self.real = {name: getattr(os, name) for name in CALLS}
        for name in CALLS:
            patch.setattr(os, name, self.guarded(name))

    def guarded(self, name: str) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            if self.failed and self.for_good:
                raise self.failure()
            if self.left == 0 and not self.failed and name != "close":
                self.failed = True
                if name == "pwrite":  # what is cut off in the middle has begun
                    fd, data, at = arguments
                    self.real["pwrite"](fd, bytes(data)[: len(data) // 2 if len(data) > 100 else 0], at)
                raise self.failure()
            self.left -= name != "close"
            if name == "fsync":
                self.remember(arguments[0])
            return self.real[name](*arguments, **options)

        return call

    def remember(self, fd: int) -> None:
        """What the disk has for certain: bytes of a flushed file, names of a flushed folder."""
        path = Path(f"/proc/self/fd/{fd}").resolve()
        if path.is_dir():
            self.names = {entry.name: entry.stat().st_ino for entry in path.iterdir()}
        else:
            self.durable[path.stat().st_ino] = path.read_bytes()


@pytest.fixture(autouse=True)
def _small_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "SEGMENT_BYTES", SMALL)


def store_all(place: Stream[Any], said: list[str]) -> None:
    """Store what is missing, in groups of one, and say after each commit that it is stored."""
    with Ledger(place) as ledger:
        for row in list(numbered(ROWS))[ledger.head.rows :]:
            ledger.append(row, Seen())
            ledger.commit()
            said.append(row.text)


def stopped_at(place: Stream[Any], through: int, failure: Callable[[], BaseException]) -> tuple[list[str], Disk]:
    """What was said to be stored until the n-th call failed."""
    said: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        disk = Disk(patch, through, failure)
        with contextlib.suppress(Killed, StorageError):
            store_all(place, said)
    return said, disk


def test_a_kill_before_any_system_call_loses_nothing(tmp_path: Path) -> None:
    """Opened again, the stream holds a beginning of the rows, at least all that were committed, and goes on."""
    through = 0
    while True:
        place = stream(tmp_path / str(through))
        place.path.parent.mkdir()
        said, disk = stopped_at(place, through, Killed)
        with Ledger(place) as ledger:
            assert ledger.head.rows >= len(said), through
        assert all(path.stat().st_size for path in segment_files(place.path)[1:])
        assert texts(place) == WORDS[: len(texts(place))]
        store_all(place, [])
        assert texts(place) == WORDS
        assert all(path.stat().st_size for path in segment_files(place.path))
        if not disk.failed:
            break
        through += 1
    assert through > 6 * ROWS  # every commit's calls were among them


@pytest.mark.parametrize("reopened", [False, True])
def test_a_power_cut_before_any_system_call_loses_nothing(tmp_path: Path, reopened: bool) -> None:
    """Only what was flushed is left, under names that were flushed; the head, which is not, is the newest one.

    Also after a kill and a first reopening, which took rows in that the killed process had not flushed.
    """
    through = 0
    while True:
        place = stream(tmp_path / str(through))
        place.path.parent.mkdir()
        said, disk = stopped_at(place, through, Killed)
        counted = reopen(place, disk) if reopened else len(said)
        head = segments.head_path(place.path)
        newest = head.read_bytes() if head.exists() else b""
        left = stream(tmp_path / f"{through}-left")
        left.path.parent.mkdir()
        for name, inode in disk.names.items():
            (left.path.parent / name).write_bytes(disk.durable.get(inode, b"") if name != head.name else newest)
        with Ledger(left) as ledger:
            assert ledger.head.rows >= counted, through
        store_all(left, [])
        assert texts(left) == WORDS
        if not disk.failed:
            break
        through += 1


def reopen(place: Stream[Any], disk: Disk) -> int:
    """How many rows count once the stream was opened again, on the same disk."""
    with pytest.MonkeyPatch.context() as patch:
        later = Disk(patch, 1000, Killed)
        later.durable, later.names = disk.durable, disk.names
        with Ledger(place) as ledger:
            rows = ledger.head.rows
        disk.names = later.names
        return rows


def no_space() -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_refusal_at_any_system_call_is_one_clear_error_and_the_next_command_goes_on(tmp_path: Path) -> None:
    through = 0
    while True:
        place = stream(tmp_path / str(through))
        place.path.parent.mkdir()
        said, disk = stopped_at(place, through, no_space)
        assert problem_in(place) == ""
        assert texts(place)[: len(said)] == said
        store_all(place, [])
        assert texts(place) == WORDS
        if not disk.failed:
            break
        through += 1


def test_refused_rows_stay_queued_and_the_same_ledger_goes_on(tmp_path: Path) -> None:
    """Whichever call of a commit is refused: the rows are known as not stored, and the next commit stores them."""
    for through in range(IN_A_COMMIT + 1):
        place = stream(tmp_path / str(through))
        with Ledger(place) as ledger:
            for row in list(numbered(3)):
                ledger.append(row, Seen())
                ledger.commit()
            ledger.append(response(WORDS[3], 3), Seen())  # the first of a new file
            before = texts(place)
            with pytest.MonkeyPatch.context() as patch:
                disk = Disk(patch, through, no_space)
                refused = pytest.raises(StorageError, match="no space left on the device")
                with refused if through < IN_A_COMMIT else contextlib.nullcontext():
                    ledger.commit()
            assert disk.failed == (through < IN_A_COMMIT)
            assert ledger.queued == int(disk.failed)
            assert problem_in(place) == ""
            assert texts(place)[:3] == before
            for row in list(numbered(ROWS))[4:]:
                ledger.append(row, Seen())
            ledger.commit()
            assert ledger.queued == 0
        assert texts(place) == WORDS


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    with disk_of(64, tmp_path) as folder:
        yield folder


def test_a_disk_that_is_really_full(small_disk: Path) -> None:
    """Rows until the disk is full; after something else was removed, the same ledger stores the rest."""
    other = small_disk / "other"
    other.write_bytes(b"x" * 20_000)
    place = stream(small_disk)
    rows = [response(f"{n} " + "x" * 3000, n) for n in range(15)]
    with Ledger(place) as ledger:
        with contextlib.suppress(StorageError):
            for row in rows:
                ledger.append(row, Seen())
                ledger.commit()
        with pytest.raises(StorageError, match="no space left on the device; free some and run the same command again"):
            ledger.commit()
        stored = texts(place)
        assert 3 < len(stored) < len(rows)
        assert ledger.queued == 1
        other.unlink()
        ledger.commit()
        assert texts(place) == [row.text for row in rows[: len(stored) + 1]]
    with Ledger(place) as ledger:
        assert ledger.warning == ""
        assert ledger.head.rows == len(stored) + 1


WRITER = """
import sys
from pathlib import Path
from polibias.domain.rows import Seen
from polibias.records import segments
from polibias.records.ledger import Ledger
from tests.records.rows import response, stream
segments.SEGMENT_BYTES = 5000
with Ledger(stream(Path(sys.argv[1]))) as ledger:
    while True:
        for _ in range(3):
            ledger.append(response("x" * 900, ledger.head.rows), Seen())
        ledger.commit()
        print(ledger.head.rows, flush=True)
"""


def test_a_process_killed_while_it_writes_has_kept_its_word(tmp_path: Path) -> None:
    """A real SIGKILL, several times over the same stream: what was said to be stored is there."""
    said = 0
    for after in (1, 7, 30, 64, 101):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, tmp_path], env=environment(), stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        for _ in range(after):
            said = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        rest = process.communicate()[0].split("\n")[:-1]  # a number without its line's end was never said
        said = int(rest[-1]) if rest else said
        with Ledger(stream(tmp_path)) as ledger:
            assert ledger.head.rows >= said
    assert len(segment_files(stream(tmp_path).path)) > 10


def test_rows_are_queued_while_a_commit_waits_for_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A commit in another thread stores what was queued when it began; what comes meanwhile waits for the next."""
    place = stream(tmp_path)
    flushing, go_on = threading.Event(), threading.Event()
    real = os.fsync

    def slowly(fd: int) -> None:
        flushing.set()
        assert go_on.wait(60)
        real(fd)

    with Ledger(place) as ledger:
        ledger.append(response(WORDS[0], 0), Seen())
        monkeypatch.setattr(os, "fsync", slowly)
        thread = threading.Thread(target=ledger.commit)
        thread.start()
        assert flushing.wait(60)
        for row in list(numbered(ROWS))[1:]:
            ledger.append(row, Seen())
        assert ledger.queued == ROWS
        go_on.set()
        thread.join()
        assert ledger.queued == ROWS - 1
        assert texts(place) == WORDS[:1]
        ledger.commit()
    assert texts(place) == WORDS


def test_commits_in_many_threads_keep_the_order(tmp_path: Path) -> None:
    place = stream(tmp_path)
    rows = list(numbered(200))
    with Ledger(place) as ledger:
        threads = []
        for number, row in enumerate(rows):
            ledger.append(row, Seen())
            if number % 5 == 0:
                threads.append(threading.Thread(target=ledger.commit))
                threads[-1].start()
        for thread in threads:
            thread.join()
        ledger.commit()
        assert ledger.queued == 0
    assert texts(place) == [row.text for row in rows]
    assert len(segment_files(place.path)) > 2
