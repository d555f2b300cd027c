"""Whatever is changed of a lock, its log, its sample, its split, its plan, its run or its labels is found out."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polibias.analysis.confirmatory import confirm
from polibias.cli import main
from polibias.errors import DamagedRecord, InputError, PoliBiasError
from polibias.records.documents import write_file
from polibias.records.ledger import Ledger, line_hash, read
from polibias.records.locks import lock_path, log_path, read_lock
from polibias.records.manifest import read_manifest, seal
from polibias.records.samples import sample_path, split_path
from polibias.records.segments import Head, head_path
from tests.prereg.conftest import copied
from tests.prereg.validation import Places, export


@pytest.fixture(scope="module")
def held(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Places:
    """A validation whose labels were opened; every test of a changed byte puts the byte back."""
    places = copied(finished / "held", tmp_path_factory.mktemp("tampering") / "held")
    assert places.prereg_command("freeze") == 0
    assert places.prereg_command("open", "--key", str(places.key)) == 0
    return places


def status(places: Places, *more: str) -> int:
    return main(["prereg", "status", *more, *places.options])


def files_of(places: Places) -> list[Path]:
    """Every file that a plan's numbers rest on."""
    plan = places.plan()
    beside = [plan, lock_path(plan), log_path(plan), sample_path(plan), split_path(plan)]
    return beside + sorted(path for path in places.run.folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("where", [lock_path, log_path])
def test_every_byte_of_lock_and_log_counts(held: Places, where: Callable[[Path], Path]) -> None:
    path = where(held.plan())
    before = path.read_bytes()
    try:
        for at in range(len(before)):
            for edited in (bytes([before[at] ^ 1]), b"", bytes([before[at]]) + b" "):
                path.write_bytes(before[:at] + edited + before[at + 1 :])
                with pytest.raises(DamagedRecord):
                    read_lock(held.plan())
    finally:
        path.write_bytes(before)


@settings(max_examples=60)
@given(data=st.data())
def test_any_byte_of_anything_that_numbers_rest_on_counts(held: Places, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(files_of(held)))
    before = path.read_bytes()
    at = data.draw(st.integers(0, max(0, len(before) - 1)))
    put = data.draw(st.one_of(st.just(b""), st.binary(min_size=1, max_size=1), st.sampled_from([b" ", b"\n", b"\r\n"])))
    edited = before[:at] + put + before[at + data.draw(st.integers(0, 1)) :]
    if edited == before:
        return
    path.write_bytes(edited)
    try:
        with pytest.raises(InputError):
            confirm(held.plan(), held.run.folder.parent)
    finally:
        path.write_bytes(before)


def _doubled(data: bytes) -> bytes:
    return data.replace(b"{", b'{"hash":"x",', 1)


def _reordered(data: bytes) -> bytes:
    value = json.loads(data.splitlines()[0])
    return json.dumps(dict(reversed(value.items())), separators=(",", ":")).encode() + b"\n"


CHANGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "half": lambda data: data[: len(data) // 2],
    "no last line end": lambda data: data[:-1],
    "last line gone": lambda data: b"".join(data.splitlines(keepends=True)[:-1]),
    "twice": lambda data: data + data,
    "double key": _doubled,
    "reordered": _reordered,
    "spaced": lambda data: json.dumps(json.loads(data.splitlines()[0])).encode() + b"\n",
    "escaped": lambda data: data.replace(b'"at"', b'"\\u0061t"').replace(b'"plan"', b'"\\u0070lan"'),
    "crlf": lambda data: data.replace(b"\n", b"\r\n"),
    "byte-order mark": lambda data: b"\xef\xbb\xbf" + data,
    "utf-16": lambda data: data.decode().encode("utf-16"),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("where", [lock_path, log_path, sample_path, split_path])
def test_no_other_form_of_the_same_file_passes(held: Places, where: Callable[[Path], Path], change: str) -> None:
    path = where(held.plan())
    before = path.read_bytes()
    path.write_bytes(CHANGES[change](before))
    try:
        assert path.read_bytes() != before
        with pytest.raises(DamagedRecord):
            read_lock(held.plan())
        assert status(held) == 1
    finally:
        path.write_bytes(before)


@pytest.mark.parametrize("where", [lock_path, log_path, sample_path, split_path])
def test_files_that_are_gone_or_only_point_elsewhere_or_are_swapped(
    held: Places, where: Callable[[Path], Path], tmp_path: Path
) -> None:
    path, other = where(held.plan()), log_path(held.plan()) if where != log_path else sample_path(held.plan())
    before, others = path.read_bytes(), other.read_bytes()
    try:
        path.unlink()
        assert status(held) == 1
        (tmp_path / "same").write_bytes(before)
        path.symlink_to(tmp_path / "same")
        assert status(held) == 1
        path.unlink()
        path.write_bytes(others)
        other.write_bytes(before)
        with pytest.raises(DamagedRecord):
            read_lock(held.plan())
    finally:
        path.unlink(missing_ok=True)
        path.write_bytes(before)
        other.write_bytes(others)


def test_a_lock_that_is_gone_is_missed_by_labels_reports_and_fingerprints(
    labelled: Places, capsys: pytest.CaptureFixture[str]
) -> None:
    fingerprint = read_lock(labelled.plan()).hash
    lock_path(labelled.plan()).unlink()
    assert status(labelled) == 1  # the log alone is left
    log_path(labelled.plan()).unlink()
    assert status(labelled) == 1  # the labels' manifest alone is left
    capsys.readouterr()
    assert labelled.prereg_command("run") == 2
    assert "is gone" in capsys.readouterr().err
    assert status(labelled, str(labelled.plan()), "--fingerprint", fingerprint) == 1
    shutil.rmtree(labelled.run.annotations_folder)
    assert status(labelled) == 0
    assert labelled.prereg_command("lock") == 0  # with nothing left but the fingerprint
    assert status(labelled, str(labelled.plan()), "--fingerprint", fingerprint) == 1


def test_a_plan_that_is_gone_is_missed(labelled: Places) -> None:
    labelled.plan().unlink()
    assert status(labelled) == 1
    for path in labelled.prereg.iterdir():
        path.unlink()
    assert status(labelled) == 1


def test_a_report_misses_its_lock_and_its_log(labelled: Places, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(labelled.prereg, labelled.folder / "older")
    assert labelled.prereg_command("run") == 0
    assert status(labelled) == 0
    shutil.rmtree(labelled.prereg)
    (labelled.folder / "older").rename(labelled.prereg)
    capsys.readouterr()
    assert labelled.prereg_command("run") == 2
    assert "does not know" in capsys.readouterr().err
    assert status(labelled) == 1


def test_an_older_log_cannot_hide_an_opening(boxed: Places, capsys: pytest.CaptureFixture[str]) -> None:
    assert boxed.prereg_command("freeze") == 0
    shutil.copytree(boxed.prereg, boxed.folder / "older")
    assert boxed.prereg_command("open", "--key", str(boxed.key)) == 0
    shutil.rmtree(boxed.prereg)
    (boxed.folder / "older").rename(boxed.prereg)
    assert status(boxed) == 1
    capsys.readouterr()
    assert (boxed.prereg_command("open", "--key", str(boxed.key)), export(boxed)) == (2, 2)
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 2
    assert all("names an entry that the log" in line for line in told)
    assert boxed.prereg_command("run") == 2


def grow(places: Places) -> None:
    """Judge a pair again and seal the run once more."""
    run, stream = places.run, places.run.judgments("one")
    last = [*read(stream)][-1]
    lines = stream.path.read_bytes().splitlines(keepends=True)
    write_file(head_path(stream.path), Head(len(lines), sum(map(len, lines)), line_hash(lines[-1])).line())
    with run.locked():
        with Ledger(stream) as ledger:
            ledger.append(last.row, last.seen)
            ledger.commit()
        seal(run, run.folder, read_manifest(run.folder).about)


def test_a_run_may_grow_and_may_not_change(labelled: Places) -> None:
    grow(labelled)
    confirm(labelled.plan(), labelled.run.folder.parent)
    path = labelled.run.judgments("one").path
    path.write_bytes(path.read_bytes().replace(b"a", b"b", 1))
    with pytest.raises(PoliBiasError, match="does not begin with what was locked"):
        confirm(labelled.plan(), labelled.run.folder.parent)
