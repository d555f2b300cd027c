"""Every stored byte matters: a change anywhere is found and named."""

import json
import os
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from polibias import flow
from polibias.domain.ids import canonical
from polibias.errors import DamagedRecord
from polibias.planning import plan
from polibias.progress import QuietWatcher
from polibias.records.ledger import line_hash
from polibias.records.runs import Run
from polibias.records.verify import verify
from polibias.report.document import write_report
from tests.conftest import ROOT, SCRIPTED


@pytest.fixture
def copy(sealed_run: Run, tmp_path: Path) -> Run:
    shutil.copytree(sealed_run.folder, tmp_path / "copy" / "small")
    return Run(tmp_path / "copy" / "small")


def every_file(run: Run) -> list[Path]:
    return sorted(path for path in run.folder.rglob("*") if path.is_file())


def test_untouched_run_holds(sealed_run: Run) -> None:
    assert verify(sealed_run) == []


def test_any_changed_byte_of_any_sealed_file_is_found(copy: Run) -> None:
    """Random single-byte changes in every file, first and last byte and line ends included."""
    draw = random.Random(20280101)
    for path in every_file(copy):
        original = path.read_bytes()
        places = {0, len(original) - 1, *(draw.randrange(len(original)) for _ in range(6))}
        for place in places:
            changed = bytearray(original)
            changed[place] ^= 1 << draw.randrange(8)
            path.write_bytes(changed)
            problems = verify(copy)
            assert problems, (path, place)
            assert any(str(path) in problem for problem in problems), (path, place, problems)
        path.write_bytes(original)
    assert verify(copy) == []


@pytest.mark.parametrize("where", [0, 3, -1])
def test_changed_row_is_named(copy: Run, where: int) -> None:
    """File and row are named, for a hashed field and for a time, also in the last row."""
    stream = copy.responses("fake").path
    lines = stream.read_bytes().splitlines(keepends=True)
    number = range(len(lines))[where] + 1
    for old, new in ((b"Scripted", b"Scribbled"), (b'"at":"2', b'"at":"3')):
        changed = list(lines)
        changed[where] = changed[where].replace(old, new, 1)
        stream.write_bytes(b"".join(changed))
        assert any(problem.startswith(f"{stream}:{number}: ") for problem in verify(copy)), (old, verify(copy))


@pytest.mark.parametrize("broken", [b"{\n", b"[]\n", b"\xff\n"])
def test_two_damaged_lines_in_a_row_are_named(copy: Run, broken: bytes) -> None:
    """A broken link followed by a line that is no row at all: the first is named, nothing crashes."""
    stream = copy.responses("fake").path
    lines = stream.read_bytes().splitlines(keepends=True)
    fields = json.loads(lines[2])
    lines[2:4] = [canonical({**fields, "prev": "0" * 64}) + b"\n", broken]
    stream.write_bytes(b"".join(lines))
    assert any(problem.startswith((f"{stream}:2: ", f"{stream}:3: ")) for problem in verify(copy))


def test_removed_added_and_foreign_files_are_found(copy: Run) -> None:
    stream = copy.responses("fake").path
    stream.rename(stream.with_name("moved.jsonl"))
    assert len(verify(copy)) == 2
    stream.with_name("moved.jsonl").rename(stream)
    (copy.folder / "note.txt").write_text("x")
    assert verify(copy) == [f"{copy.folder / 'note.txt'}: not in the manifest"]


def test_missing_manifests_are_found(copy: Run) -> None:
    (copy.report / "manifest.json").unlink()
    assert verify(copy) == [f"{copy.report / 'manifest.json'}: no such file"]


def test_odd_things_in_a_sealed_run_are_named_never_a_crash(copy: Run, tmp_path: Path) -> None:
    """Links, pipes, folders and files that only look like ours: one line each."""
    stream = copy.responses("fake").path
    outside = tmp_path / "outside.jsonl"
    stream.rename(outside)
    for make in (
        lambda: stream.symlink_to(outside),
        lambda: stream.symlink_to("nowhere"),
        lambda: os.mkfifo(stream),
        lambda: stream.mkdir(),
    ):
        make()
        assert any(str(stream) in problem for problem in verify(copy))
        stream.rmdir() if stream.is_dir() and not stream.is_symlink() else stream.unlink()
    outside.rename(stream)
    for name in ("anything.head", "responses/manifest.json", "report/pairs/manifest.json", "x.part"):
        (copy.folder / name).write_text("x")
        assert verify(copy) == [f"{copy.folder / name}: not in the manifest"]
        (copy.folder / name).unlink()
    (copy.folder / "empty").mkdir()
    assert verify(copy) == [f"{copy.folder / 'empty'}: not in the manifest"]
    (copy.folder / "empty").rmdir()
    assert verify(copy) == []


@pytest.mark.parametrize("new", [b"1e206", b"NaN", b"1" * 5000, b"[" * 5000])
def test_a_number_that_is_none_is_named(copy: Run, new: bytes) -> None:
    stream = copy.responses("fake").path
    stream.write_bytes(re.sub(rb'"temperature":[0-9.]+', b'"temperature":' + new, stream.read_bytes(), count=1))
    assert any(problem.startswith(f"{stream}:1: ") for problem in verify(copy))


def test_report_refuses_changed_records(copy: Run) -> None:
    stream = copy.judgments("fake-judge").path
    stream.write_bytes(b"".join(stream.read_bytes().splitlines(keepends=True)[:-1]))
    with pytest.raises(DamagedRecord, match="rows were sealed"):
        write_report(copy)


def test_swapped_streams_of_an_open_run_are_found(write_study: Callable[..., Path], tmp_path: Path) -> None:
    """A stream under another model's name holds rows that say whose they are."""
    models = SCRIPTED.replace(
        "[[judges]]", '[[models]]\nadapter = "scripted"\nname = "other"\nmax_tokens = 9\n\n[[judges]]'
    )
    study = plan(str(write_study(models=models)), ROOT / "data")
    run = Run(tmp_path / "runs" / "small")
    flow.run_study(study, run, QuietWatcher(), flow.Wanted("generate"))
    assert verify(run) == []
    one, two = run.responses("fake").path, run.responses("other").path
    for suffix in ("", ".head"):
        a, b = (path.with_name(path.name + suffix) for path in (one, two))
        data = a.read_bytes()
        a.write_bytes(b.read_bytes())
        b.write_bytes(data)
    assert any("a row of 'other' in another's stream" in problem for problem in verify(run))


def test_rewritten_chain_is_found(copy: Run) -> None:
    """Even with every hash of the stream made again, the manifest tells."""
    stream = copy.responses("fake").path
    lines = [json.loads(line) for line in stream.read_bytes().splitlines()]
    del lines[2]
    chain, out = "0" * 64, b""
    for fields in lines:
        data = canonical({**fields, "prev": chain}) + b"\n"
        out, chain = out + data, line_hash(data)
    stream.write_bytes(out)
    assert verify(copy) == [f"{stream}:{len(lines)}: {len(lines) + 1} rows were sealed, {len(lines)} are here"]


@pytest.mark.parametrize("field", ["text", "outcome", "model", "pair", "side", "request", "key", "id", "prev"])
def test_changed_field_of_an_open_run_is_found(copy: Run, field: str) -> None:
    """Without a seal, each row still answers for itself and the chain for the rest."""
    copy.manifest.unlink()
    shutil.rmtree(copy.report)
    stream = copy.responses("fake").path
    lines = stream.read_bytes().splitlines(keepends=True)
    tip = f"{len(lines):012d} {sum(map(len, lines)):015d} {line_hash(lines[-1])}\n"
    for path, rows in ((stream, tip),):
        path.with_name(path.name + ".head").write_text(rows)
    for other in (copy.pairs().path, copy.judgments("fake-judge").path):
        own = other.read_bytes().splitlines(keepends=True)
        other.with_name(other.name + ".head").write_text(
            f"{len(own):012d} {sum(map(len, own)):015d} {line_hash(own[-1])}\n"
        )
    assert verify(copy) == []
    fields = json.loads(lines[-1])
    place = fields if field in fields else fields["row"]
    place[field] = _changed(place[field])
    stream.write_bytes(b"".join(lines[:-1]) + canonical(fields) + b"\n")
    assert any(problem.startswith(f"{stream}:") for problem in verify(copy))


def _changed(value: object) -> object:
    if isinstance(value, dict):
        return {**value, "revision": "other"}
    return str(value)[:-1] + ("0" if str(value)[-1] != "0" else "1")
