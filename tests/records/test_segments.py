"""A long stream lies in many files, which are one chain: nothing in it can be moved, cut, swapped or taken away."""

import itertools
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from polibias.domain.rows import Annotation, Seen
from polibias.errors import DamagedRecord
from polibias.records import segments
from polibias.records.ledger import Ledger, read
from polibias.records.manifest import read_manifest, reopen, seal
from polibias.records.runs import Run
from polibias.records.segments import committed_head, line_hash, segment_files
from polibias.records.verify import verify
from tests.records.rows import BOTH, DESIGN, SMALL, numbered, open_run, response, store, stream, texts


@pytest.fixture(autouse=True)
def _small_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "SEGMENT_BYTES", SMALL)


def test_a_full_file_is_followed_by_the_next(tmp_path: Path) -> None:
    """Each file but the last has reached the limit, a line's `prev` reaches across, one head counts them all."""
    place = stream(tmp_path)
    store(place, list(numbered(8)))
    files = segment_files(place.path)
    assert [path.name for path in files[:3]] == ["responses.jsonl", "responses~0002.jsonl", "responses~0003.jsonl"]
    assert all(SMALL <= path.stat().st_size < 2 * SMALL for path in files[:-1])
    for before, after in itertools.pairwise(files):
        last = before.read_bytes().splitlines(keepends=True)[-1]
        assert f'"prev":"{line_hash(last)}"'.encode() in after.read_bytes().splitlines()[0]
    head = committed_head(place.path)
    assert head is not None
    assert (head.rows, head.size) == (8, sum(path.stat().st_size for path in files))
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [*(f.name for f in files), "responses.jsonl.head"]
    )
    entries = list(read(place))
    assert [entry.row.text for entry in entries] == [f"text {n}" for n in range(8)]
    assert entries[-1].where == (files[-1], len(files[-1].read_bytes().splitlines()))


def test_a_group_is_never_divided(tmp_path: Path) -> None:
    place = stream(tmp_path)
    with Ledger(place) as ledger:
        for row in numbered(10):
            ledger.append(row, Seen())
        ledger.commit()
        assert segment_files(place.path) == [place.path]
        ledger.append(response("next", 10), Seen())
        ledger.commit()
    assert [len(path.read_bytes().splitlines()) for path in segment_files(place.path)] == [10, 1]


def test_reopening_goes_on_in_the_last_file(tmp_path: Path) -> None:
    place, whole = stream(tmp_path / "a"), stream(tmp_path / "b")
    for row in numbered(9):
        store(place, [row])
    store(whole, list(numbered(9)))
    assert [path.read_bytes() for path in segment_files(place.path)] == [
        path.read_bytes() for path in segment_files(whole.path)
    ]


def test_names_with_dots_and_digits_are_streams_of_their_own(tmp_path: Path) -> None:
    """No name can be that of another stream's second file."""
    names = ["m", "m.0002", "m-0002", "m.jsonl", "m_2"]
    run = open_run(tmp_path / "run", names)
    assert verify(run) == []
    assert {found.path.stem for found in run.streams()} == {"pairs", *names}
    seal(run, run.folder, {})
    assert verify(run) == []


def test_start_over_takes_every_file_away(tmp_path: Path) -> None:
    run = open_run(tmp_path / "run")
    run.start_over()
    assert [path for path in run.folder.rglob("*") if path.is_file()] == [run.study]


Spoil = Callable[[list[Path]], Path]


def _lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def remove_first(files: list[Path]) -> Path:
    files[0].unlink()
    return files[0]


def remove_middle(files: list[Path]) -> Path:
    files[1].unlink()
    return files[1]


def remove_last(files: list[Path]) -> Path:
    files[-1].unlink()
    return files[-1]


def swap(files: list[Path]) -> Path:
    one, two = files[1].read_bytes(), files[2].read_bytes()
    files[1].write_bytes(two)
    files[2].write_bytes(one)
    return files[1]


def duplicate_last(files: list[Path]) -> Path:
    added = segments.segment_path(files[0], len(files) + 1)
    shutil.copy(files[-1], added)
    return added


def duplicate_middle(files: list[Path]) -> Path:
    for path in reversed(files[2:]):
        path.rename(segments.segment_path(files[0], files.index(path) + 2))
    shutil.copy(files[1], files[2])
    return files[2]


def truncate_first_at_a_line(files: list[Path]) -> Path:
    files[0].write_bytes(b"".join(_lines(files[0])[:-1]))
    return files[0]


def cut_first_within_a_line(files: list[Path]) -> Path:
    files[0].write_bytes(files[0].read_bytes()[:-5])
    return files[0]


def truncate_last(files: list[Path]) -> Path:
    files[-1].write_bytes(b"".join(_lines(files[-1])[:-1]))
    return files[-1]


def empty_middle(files: list[Path]) -> Path:
    files[1].write_bytes(b"")
    return files[1]


def edit_first_line_of_second(files: list[Path]) -> Path:
    files[1].write_bytes(files[1].read_bytes().replace(b'"text":"m', b'"text":"n', 1))
    return files[1]


def relink_first_line_of_second(files: list[Path]) -> Path:
    data = files[1].read_bytes()
    files[1].write_bytes(
        data.replace(data[data.index(b'"prev":') : data.index(b',"row"')], b'"prev":"%b"' % (b"0" * 64))
    )
    return files[1]


def renumber_last(files: list[Path]) -> Path:
    files[-1].rename(segments.segment_path(files[0], len(files) + 1))
    return files[-1]


def misname_last(files: list[Path]) -> Path:
    wrong = files[0].with_name(f"{files[0].stem}~{len(files)}.jsonl")
    files[-1].rename(wrong)
    return wrong


def number_one(files: list[Path]) -> Path:
    wrong = files[0].with_name(f"{files[0].stem}~0001.jsonl")
    shutil.copy(files[0], wrong)
    return wrong


def foreign(files: list[Path]) -> Path:
    """Another stream's file in the place of one of this one."""
    other = list(files[0].parent.glob("other~0002.jsonl"))
    shutil.copy(other[0], files[1])
    return files[1]


def folder_in_place(files: list[Path]) -> Path:
    files[1].unlink()
    files[1].mkdir()
    return files[1]


SPOILS: list[Spoil] = [
    remove_first,
    remove_middle,
    remove_last,
    swap,
    duplicate_last,
    duplicate_middle,
    truncate_first_at_a_line,
    cut_first_within_a_line,
    truncate_last,
    empty_middle,
    edit_first_line_of_second,
    relink_first_line_of_second,
    renumber_last,
    misname_last,
    number_one,
    foreign,
    folder_in_place,
]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return open_run(tmp_path / "run", ["m", "other"])


@pytest.mark.parametrize("spoil", SPOILS)
def test_damage_to_an_open_stream_is_found_by_every_reader(run: Run, spoil: Spoil) -> None:
    """Reading, opening and `verify` all name the file."""
    named = str(spoil(segment_files(run.responses("m").path)))
    with pytest.raises(DamagedRecord) as found:
        list(read(run.responses("m")))
    assert Path(named).name in str(found.value)
    with pytest.raises(DamagedRecord) as found:
        Ledger(run.responses("m"))
    assert Path(named).name in str(found.value)
    assert any(Path(named).name in problem for problem in verify(run))


@pytest.mark.parametrize("spoil", SPOILS)
def test_damage_to_a_sealed_stream_is_found(run: Run, spoil: Spoil) -> None:
    seal(run, run.folder, {})
    assert verify(run) == []
    named = spoil(segment_files(run.responses("m").path))
    assert any(problem.startswith(str(named)) or f"{named.name}:" in problem for problem in verify(run))


def test_an_added_file_is_found_without_a_head(run: Run) -> None:
    """Also where nothing says how far the stream was committed, files that do not fit are found."""
    files = segment_files(run.responses("m").path)
    seal(run, run.folder, {})
    duplicate_last(files)
    with pytest.raises(DamagedRecord, match=r"no longer follows it"):
        list(read(run.responses("m")))


def test_both_swapped_files_are_named(run: Run) -> None:
    seal(run, run.folder, {})
    files = segment_files(run.responses("m").path)
    swap(files)
    problems = verify(run)
    assert len(problems) == 2
    assert problems[0].startswith(f"{files[0]}:2: {files[1]}:1 no longer follows it: ")
    assert problems[1] == f"{files[2]}: changed after it was sealed"


def test_a_missing_end_can_be_set_aside(run: Run) -> None:
    """As with rows cut from a single file: what is missing is asked again."""
    place = run.responses("m")
    files = segment_files(place.path)
    gone = len(_lines(files[-1]))
    remove_last(files)
    with Ledger(place, set_aside=True) as ledger:
        assert ledger.warning == f"{place.path}: {gone} committed rows are missing"
        assert ledger.head.rows == 8 - gone
    assert verify(run) == []


def test_every_file_is_listed_with_its_rows_and_its_last_hash(run: Run) -> None:
    seal(run, run.folder, {})
    files = segment_files(run.responses("m").path)
    listed = {run.folder / file.path: file for file in read_manifest(run.folder).files}
    for path in files:
        lines = _lines(path)
        assert (listed[path].rows, listed[path].chain) == (len(lines), line_hash(lines[-1]))
    assert sum(listed[path].rows for path in files) == 8


def test_a_kill_while_heads_are_taken_away_leaves_a_sealed_run(run: Run) -> None:
    """A state left beside a sealed stream is no damage if it says what the manifest says; any other is."""
    head = run.folder / "responses" / "m.jsonl.head"
    left = head.read_bytes()
    seal(run, run.folder, {})
    head.write_bytes(left)
    assert verify(run) == []
    head.write_bytes(segments.EMPTY.line())
    assert verify(run) == [f"{head}: not in the manifest"]


def annotation(number: int) -> Annotation:
    place = ("p", BOTH, DESIGN, "m", "r", number)
    return Annotation("one", "ann", f"item{number}", "first", *place, "A", 1, "submitted")


@pytest.fixture
def annotated(run: Run) -> Iterator[Run]:
    seal(run, run.folder, {})
    with Ledger(run.annotations("one")) as ledger:
        for number in range(9):
            ledger.append(annotation(number), Seen())
            ledger.commit()
    seal(run, run.annotations_folder, {})
    return run


def test_sealed_annotations_are_reopened_through_all_files(annotated: Run) -> None:
    place = annotated.annotations("one")
    assert len(segment_files(place.path)) > 2
    reopen(annotated, place)
    with Ledger(place) as ledger:
        assert ledger.head.rows == 9
        ledger.append(annotation(9), Seen())
        ledger.commit()
    seal(annotated, annotated.annotations_folder, {})
    assert verify(annotated) == []


class Change(NamedTuple):
    spoil: Spoil
    named: int


@pytest.mark.parametrize(
    "change", [Change(remove_first, 0), Change(remove_last, -1), Change(duplicate_last, -1), Change(truncate_last, -1)]
)
def test_changed_annotations_are_not_reopened(annotated: Run, change: Change) -> None:
    place = annotated.annotations("one")
    named = change.spoil(segment_files(place.path))
    with pytest.raises(DamagedRecord, match=named.name):
        reopen(annotated, place)
    assert any(named.name in problem for problem in verify(annotated))


def test_all_annotations_gone_is_damage_too(annotated: Run) -> None:
    place = annotated.annotations("one")
    for path in segment_files(place.path):
        path.unlink()
    with pytest.raises(DamagedRecord, match="not as it was sealed"):
        reopen(annotated, place)


def test_a_line_longer_than_any_is_refused_without_being_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = stream(tmp_path)
    store(place, list(numbered(1)))
    monkeypatch.setattr(segments, "LONGEST_LINE", 1000)
    with place.path.open("ab") as file:
        file.write(b"x" * 5000)
    with pytest.raises(DamagedRecord, match=r"responses\.jsonl:2: longer than any line"):
        texts(place)
