"""No way to a held-out label before it is opened: no file, no command, no message, no loader."""

import csv
import json
import sqlite3
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet
import pytest

from annotate_app.cli import main as annotate
from polibias.analysis.annotated import read_annotations
from polibias.analysis.planned_labels import judged_pairs
from polibias.cli import main
from polibias.errors import InputError
from polibias.records.ledger import read
from polibias.records.locks import read_lock
from polibias.records.runs import Run
from polibias.records.samples import read_sample, read_split, sample_path, split_path
from tests.prereg.validation import MARK, Places, create, export, give_all, lock, write_plan


def held(places: Places) -> set[str]:
    return {*read_split(split_path(places.plan()))[0].held_out}


def codes(places: Places) -> set[str]:
    """The opaque codes of held-out items."""
    items = json.loads((places.folder / "sealed" / "mine.json").read_text("utf-8"))["items"]
    return {code for code, one in items.items() if one["pair"] in held(places)}


def outside(places: Places) -> Iterator[tuple[Path, bytes]]:
    """Every file that left the project; sealed file, key and database are their keepers'."""
    for path in places.folder.rglob("*"):
        if path.is_file() and path.relative_to(places.folder).parts[0] not in ("projects", "sealed", "holder.key"):
            yield path, path.read_bytes()


def assert_silent(places: Places, text: str) -> None:
    assert MARK not in text
    assert not any(code in text for code in codes(places))


def test_no_file_that_left_the_project_tells_of_a_held_out_item(boxed: Places) -> None:
    for path, data in outside(boxed):
        assert MARK.encode() not in data, path
        assert not any(code.encode() in data for code in codes(boxed)), path
    folder = boxed.run.annotations_folder
    lines = [*csv.DictReader((folder / "mine.csv").read_text("utf-8").splitlines())]
    assert lines
    assert not {line["pair"] for line in lines} & held(boxed)
    table = pyarrow.parquet.read_table(folder / "mine.parquet")
    assert not {*table.column("pair").to_pylist()} & held(boxed)
    assert_silent(boxed, f"{table.to_pylist()} {table.schema.metadata}")
    assert not (folder / "mine.chain").exists()


def test_annotators_are_counted_without_held_out_items(boxed: Places) -> None:
    text = (boxed.run.annotations_folder / "mine.annotators.csv").read_text("utf-8")
    lines = [*csv.DictReader(text.splitlines())]
    sampled = read_sample(sample_path(boxed.plan()))[0].pairs
    expected = sum(one.pair not in held(boxed) for one in sampled)
    assert [line["items"] for line in lines] == [str(expected)] * 2


def test_a_look_before_the_end_shows_none_and_packs_none(places: Places) -> None:
    write_plan(places, split=True)
    lock(places, split=True)
    give_all(places, create(places), MARK)
    assert export(places, "mine", "--interim", "to see that it works") == 0
    assert not (places.run.annotations_folder / "mine.box").exists()
    for path, data in outside(places):
        assert MARK.encode() not in data, path
    assert not {entry.row.pair for entry in read(places.run.annotations("mine"))} & held(places)


def test_no_loader_and_no_analysis_finds_one(boxed: Places) -> None:
    assert read_annotations(boxed.run, "mine", held(boxed)) == []
    with pytest.raises(InputError, match="not opened"):
        judged_pairs(read_lock(boxed.plan()))
    box = boxed.run.annotations_folder / "mine.box"
    stream = boxed.run.annotations("mine")._replace(path=box)
    with pytest.raises(InputError) as told:
        [*read(stream)]
    assert_silent(boxed, str(told.value))


def test_no_command_prints_one(boxed: Places, capsys: pytest.CaptureFixture[str]) -> None:
    folder, runs = boxed.run.annotations_folder, str(boxed.run.folder)
    projects = ["--projects", str(boxed.folder / "projects")]
    for path in sorted(folder.iterdir()):
        main(["agreement", str(path), "--where", "dimension=framing", "--categories", "0,1,2,3"])
    for more in ([], ["--json"]):
        main(["prereg", "status", *more, *boxed.options])
    for action in ("run", "rehearse", "export"):
        boxed.prereg_command(action)
    boxed.prereg_command("open", "--key", str(boxed.key))
    main(["verify", runs])
    main(["report", runs])
    main(["archive", runs, "--out", str(boxed.folder / "run.zip")])
    for arguments in (["status", "mine"], ["status", "mine", "--json"], ["backup", "mine", "--out", "copy.db"]):
        arguments[-1] = str(boxed.folder / "projects" / "copy.db") if arguments[-1] == "copy.db" else arguments[-1]
        annotate([*arguments, *projects])
    export(boxed)
    said = capsys.readouterr()
    assert MARK not in said.out + said.err
    assert "fault" not in said.err
    for path, data in outside(boxed):
        assert MARK.encode() not in data, path
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                assert not any(MARK.encode() in archive.read(name) for name in archive.namelist())


def test_messages_about_a_box_quote_none_of_it(boxed: Places, capsys: pytest.CaptureFixture[str]) -> None:
    assert boxed.prereg_command("freeze") == 0
    box = boxed.run.annotations_folder / "mine.box"
    before = box.read_bytes()
    for edited in (b"", before[:-1], before[:40] + b"x" + before[41:]):
        box.write_bytes(edited)
        capsys.readouterr()
        assert boxed.prereg_command("open", "--key", str(boxed.key)) == 2
        told = capsys.readouterr().err
        assert len(told.splitlines()) == 1
        assert_silent(boxed, told)
    box.write_bytes(before)
    assert not read_lock(boxed.plan()).entries("opened")


def test_the_database_does_not_tell_which_items_are_held_out(boxed: Places) -> None:
    path = boxed.folder / "projects" / "mine" / "blind.db"
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    own = [*database.execute("select code, stratum, pair from item where lesson = ''")]
    dump = "\n".join(database.iterdump())
    database.close()
    assert not any(pair in dump for pair in held(boxed))
    assert read_lock(boxed.plan()).lock.split not in dump
    strata = {stratum: {code for code, one, _ in own if one == stratum} for _, stratum, _ in own}
    assert codes(boxed) not in strata.values()


def test_a_renamed_project_is_exported_under_its_own_name_and_its_box_stays(boxed: Places) -> None:
    for kind in ("projects", "sealed"):
        for path in (boxed.folder / kind).glob("mine*"):
            path.rename(path.with_name(path.name.replace("mine", "other")))
    before = (boxed.run.annotations_folder / "mine.box").read_bytes()
    assert export(boxed, "other") == 0
    assert not Run(boxed.run.folder).annotations("other").path.exists()
    assert (boxed.run.annotations_folder / "mine.box").read_bytes() == before
