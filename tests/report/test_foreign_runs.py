"""Runs and folders that somebody else handed over: nothing leaves the folder, and nothing unchecked comes in."""

import os
from pathlib import Path

import pytest

from polibias.analysis.reading import read_study
from polibias.errors import DamagedRecord, InputError
from polibias.records.documents import read_document, read_named, write_named
from polibias.records.manifest import MANIFEST, seal
from polibias.records.runs import STUDY_TAG, Run
from polibias.records.verify import verify
from polibias.report.document import replace_folder, write_report


@pytest.mark.parametrize("names", [["../../out"], ["a/b"], [""], ["fake", "fake"], []])
def test_a_name_that_is_no_file_name_is_refused_before_anything_is_written(
    names: list[str], sealed_run: Run, tmp_path: Path
) -> None:
    about = read_named(sealed_run.study, STUDY_TAG)
    body = {key: value for key, value in about.items() if key != "hash"}
    body["models"] = [{**about["models"][0], "name": name} for name in names]
    write_named(sealed_run.study, STUDY_TAG, body)
    (sealed_run.folder / MANIFEST).unlink()
    seal(sealed_run, sealed_run.folder, {})
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(DamagedRecord, match=r"study\.json: models without a name of their own"):
        write_report(sealed_run)
    assert sorted(tmp_path.rglob("*")) == before
    with pytest.raises(DamagedRecord):
        read_study(sealed_run)


@pytest.mark.parametrize("name", ["annotations", "report"])
def test_files_hidden_under_a_name_that_is_sealed_apart_are_found(name: str, sealed_run: Run) -> None:
    assert verify(sealed_run) == []
    hidden = sealed_run.report / name / "evil.html"
    hidden.parent.mkdir()
    hidden.write_text("x", "utf-8")
    assert any("evil.html: not in the manifest" in problem for problem in verify(sealed_run))


def test_a_pipe_in_place_of_a_document_keeps_nobody_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "findings.json")
    with pytest.raises(InputError, match="not a regular file"):
        read_document(tmp_path / "findings.json")


@pytest.mark.parametrize("link", [True, False])
def test_what_stands_in_the_place_of_a_folder_is_replaced_and_nothing_behind_it(link: bool, tmp_path: Path) -> None:
    place, new, other = tmp_path / "report", tmp_path / "new", tmp_path / "other"
    for folder in (new, other):
        folder.mkdir()
        (folder / "index.html").write_text(folder.name, "utf-8")
    if link:
        place.symlink_to(other)
    else:
        place.write_text("a file", "utf-8")
    replace_folder(new, place)
    assert [path.name for path in place.iterdir()] == ["index.html"]
    assert (other / "index.html").read_text("utf-8") == "other"
