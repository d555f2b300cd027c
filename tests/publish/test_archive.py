"""An archive stands for itself: it verifies after unpacking, has nothing else in it, and is the same bytes twice."""

import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from polibias import flow
from polibias.domain.rows import Annotation, Score, Seen
from polibias.domain.sides import Both
from polibias.errors import DamagedRecord
from polibias.planning import plan
from polibias.progress import QuietWatcher
from polibias.publish import archive as archiving
from polibias.publish.archive import write_archive
from polibias.records.documents import read_named, write_named
from polibias.records.ledger import Ledger, read
from polibias.records.manifest import manifest_hash, seal
from polibias.records.runs import STUDY_TAG, Run
from polibias.sources.library import Library
from tests.conftest import ROOT, polibias, spoil


def unpacked(file: Path, folder: Path) -> Path:
    with zipfile.ZipFile(file) as archive:
        assert archive.testzip() is None
        archive.extractall(folder)
    return folder / "small-archive"


def names(file: Path) -> list[str]:
    with zipfile.ZipFile(file) as archive:
        return archive.namelist()


def card_of(file: Path) -> str:
    with zipfile.ZipFile(file) as archive:
        return archive.read("small-archive/DATA_CARD.md").decode("utf-8")


def annotated(run: Run) -> None:
    """Add one sealed annotation."""
    response = next(read(run.responses("fake")))
    row = Annotation(
        project="first",
        annotator="somebody",
        item="i1",
        showing="first",
        pair=response.row.pair,
        responses=Both(response.id, response.id),
        design=response.row.design,
        model="fake",
        rubric="r",
        position=1,
        first="A",
        revision=1,
        status="submitted",
        scores={"framing": Score(1, "A")},
    )
    with Ledger(run.annotations("first")) as ledger:
        ledger.append(row, Seen("2028-01-01T00:00:00.000Z"))
        ledger.commit()
    seal(run, run.annotations_folder, {"run": manifest_hash(run.folder)})


def test_it_verifies_after_unpacking(sealed_run: Run, tmp_path: Path) -> None:
    """By its folder and by the run in it, also beside the run itself; the printed line names the file."""
    annotated(sealed_run)
    done = polibias("archive", sealed_run.folder, "--data", ROOT / "data", cwd=tmp_path)
    file = sealed_run.folder.with_name("small-archive.zip")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{file}: {len(names(file))} files, {file.stat().st_size:,} bytes\n"
    folder = unpacked(file, sealed_run.folder.parent)
    assert polibias("verify", sealed_run.folder, cwd=tmp_path).returncode == 0
    for place in (folder, folder / "run"):
        checked = polibias("verify", place, cwd=tmp_path)
        assert (checked.returncode, checked.stderr) == (0, "")
    spoil(folder / "run" / "annotations" / "first.jsonl", "somebody", "somebore")
    assert polibias("verify", folder, cwd=tmp_path).returncode == 1


def test_every_file_of_the_run_and_nothing_else_is_in_it(sealed_run: Run, tmp_path: Path) -> None:
    stored = {path for path in sealed_run.folder.rglob("*") if path.is_file()}
    made = write_archive(sealed_run, tmp_path / "a.zip", ROOT / "data")
    found = names(made.path)
    own = {f"small-archive/run/{path.relative_to(sealed_run.folder).as_posix()}" for path in stored}
    data = {name.removeprefix("small-archive/data/") for name in found if name.startswith("small-archive/data/")}
    assert set(found) == own | {f"small-archive/data/{name}" for name in data} | {
        "small-archive/DATA_CARD.md",
        "small-archive/packages.txt",
    }
    assert "prompts/judge/pair.toml" in data
    assert "prompts/judge/null.toml" not in data
    assert "scenarios/war_crimes.toml" in data
    assert not any(name.startswith(("models/", "prices/")) for name in data)
    folder = unpacked(made.path, tmp_path / "x")
    assert all((folder / "data" / name).read_bytes() == (ROOT / "data" / name).read_bytes() for name in data)
    assert Library(folder / "data").problems == []


def test_the_data_in_it_makes_the_same_pairs(sealed_run: Run, write_study: Callable[..., Path], tmp_path: Path) -> None:
    folder = unpacked(write_archive(sealed_run, tmp_path / "a.zip", ROOT / "data").path, tmp_path / "x")
    again = plan(str(write_study()), folder / "data")
    assert list(again.prompt_pairs) == [entry.row for entry in read(Run(folder / "run").pairs())]
    assert flow.refusal(again, Run(folder / "run")) == ""


def test_same_run_same_bytes(sealed_run: Run, tmp_path: Path) -> None:
    """Wherever the run lies and whenever it is archived."""
    other = Run(tmp_path / "copy" / "renamed")
    shutil.copytree(sealed_run.folder, other.folder)
    first, second = (
        write_archive(run, tmp_path / f"{n}.zip", ROOT / "data").path.read_bytes()
        for n, run in enumerate((sealed_run, other))
    )
    assert first == second
    assert str(tmp_path).encode() not in first
    with zipfile.ZipFile(tmp_path / "0.zip") as archive:
        assert archive.namelist() == sorted(archive.namelist())
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


@pytest.mark.skipif(shutil.which("unzip") is None, reason="no unzip here")
def test_stock_unzip_reads_it(sealed_run: Run, tmp_path: Path) -> None:
    made = write_archive(sealed_run, tmp_path / "a.zip", ROOT / "data")
    subprocess.run(["unzip", "-q", made.path, "-d", tmp_path / "x"], check=True)
    assert (tmp_path / "x" / "small-archive" / "run" / "study.json").read_bytes() == sealed_run.study.read_bytes()


def test_the_card_says_what_it_is(sealed_run: Run, tmp_path: Path) -> None:
    annotated(sealed_run)
    card = card_of(write_archive(sealed_run, tmp_path / "a.zip", ROOT / "data").path)
    for part in (
        "# Data card: A small study",
        manifest_hash(sealed_run.folder),
        "| responses | fake | 8 | ok 8 |",
        "| judgments | fake-judge | 8 | ok 8 |",
        "| annotations | first | 1 |  |",
        "| model | fake | scripted, no model | scripted-1 |",
        "Condition `official`: Countries swapped; judge task `pair`",
        "GPL-3.0-or-later",
        "polibias verify small-archive/run",
        "see that\nthese names identify nobody",
        next(read(sealed_run.responses("fake"))).seen.at,
    ):
        assert part in card, part
    assert "**not** in this archive" not in card


@pytest.mark.parametrize(
    ("file", "old", "new", "why"),
    [
        ("scenarios/war_crimes.toml", "2028", "2029", None),
        ("rubrics/poli-bias.toml", "Framing", "Phrasing", "rubric 'poli-bias' is not the one of this run"),
        ("prompts/judge/pair.toml", "You assess", "You weigh", "judge task 'pair' is not the one of this run"),
        ("prompts/tasks.toml", "[[task]]", "[[tusk]]", "data entries of this run are not in it as they were"),
    ],
)
def test_other_data_is_left_out_and_named(
    sealed_run: Run, data: Path, tmp_path: Path, file: str, old: str, new: str, why: str | None
) -> None:
    """Nothing of a data folder goes in unless all that the run was made from is in it, word for word."""
    if why is None:
        path = data / file
        path.write_text(path.read_text("utf-8").replace('id = "WC-DIS-001"', 'id = "WC-DIS-009"'), "utf-8")
        why = "data entries of this run are not in it as they were"
    else:
        spoil(data / file, old, new)
    done = polibias("archive", sealed_run.folder, "--out", tmp_path / "a.zip", "--data", data, cwd=tmp_path)
    assert done.returncode == 0
    assert f"{why}); the card says so" in done.stdout
    card = card_of(tmp_path / "a.zip")
    assert f"{why}. The prompts as sent" in card
    assert str(tmp_path) not in card
    assert not any(name.startswith("small-archive/data/") for name in names(tmp_path / "a.zip"))
    assert polibias("verify", unpacked(tmp_path / "a.zip", tmp_path / "x"), cwd=tmp_path).returncode == 0


def test_an_imported_set_goes_along(data: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("a,b\nWhy tea?,Why coffee?\nWhy cats?,Why dogs?\n", "utf-8")
    told = ["--map", "prompt_a=a,prompt_b=b", "--credit", "Somebody | CC0", "--data", data]
    assert polibias("import", "pairs", "mine.csv", *told, cwd=tmp_path).returncode == 0
    (tmp_path / "s.toml").write_text(
        'id = "small"\ntitle = "T"\nrubric = "even-handedness"\njudge_prompt = "even-handedness"\npair_set = "mine"\n'
        f'panel = "{ROOT / "studies" / "panels" / "scripted.toml"}"\n',
        "utf-8",
    )
    run = Run(tmp_path / "runs" / "small")
    flow.run_study(plan(str(tmp_path / "s.toml"), data), run, QuietWatcher())
    made = write_archive(run, tmp_path / "a.zip", data)
    kept = sorted(name for name in names(made.path) if name.startswith("small-archive/data/"))
    assert kept == [
        "small-archive/data/pairs/mine.jsonl",
        "small-archive/data/prompts/judge/even-handedness.toml",
        "small-archive/data/rubrics/even-handedness.toml",
    ]
    assert "Somebody \\| CC0" in card_of(made.path)


def test_packages_are_those_of_the_run(sealed_run: Run, tmp_path: Path) -> None:
    """The versions that the run says it was made with; a run that says nothing has no such file."""
    import msgspec
    import numpy

    with zipfile.ZipFile(write_archive(sealed_run, tmp_path / "a.zip", ROOT / "data").path) as archive:
        lines = archive.read("small-archive/packages.txt").decode().splitlines()
    assert {f"numpy=={numpy.__version__}", f"msgspec=={msgspec.__version__}"} <= set(lines)
    assert "pytest" not in {line.partition("==")[0] for line in lines}
    about = read_named(sealed_run.study, STUDY_TAG)
    body = {name: value for name, value in about.items() if name != "hash"}
    write_named(sealed_run.study, STUDY_TAG, body | {"software": {"polibias": "0.1.0"}})
    shutil.rmtree(sealed_run.report)
    seal(sealed_run, sealed_run.folder, {"study": "small"})
    made = write_archive(sealed_run, tmp_path / "b.zip", ROOT / "data")
    assert "small-archive/packages.txt" not in names(made.path)
    assert made.notes == ("the run does not say which packages it was made with",)
    assert "were not recorded" in card_of(made.path)


def test_open_and_changed_runs_and_taken_places_are_refused(
    sealed_run: Run, write_study: Callable[..., Path], tmp_path: Path
) -> None:
    run = Run(tmp_path / "runs" / "open")
    flow.run_study(plan(str(write_study(id="open")), ROOT / "data"), run, QuietWatcher(), flow.Wanted("judge"))
    inside, taken = sealed_run.folder / "a.zip", tmp_path / "taken.zip"
    taken.write_text("mine")
    for arguments, why in (
        ([run.folder], "not sealed yet"),
        ([sealed_run.folder, "--out", inside], "lies within the run"),
        ([sealed_run.folder, "--out", taken], "nothing is overwritten"),
    ):
        done = polibias("archive", *arguments, cwd=tmp_path)
        assert (done.returncode, why in done.stderr, done.stderr.count("\n")) == (2, True, 1)
    assert taken.read_text() == "mine"
    page = sealed_run.report / "index.html"
    page.write_text(page.read_text("utf-8") + " ", "utf-8")
    done = polibias("archive", sealed_run.folder, cwd=tmp_path)
    assert (done.returncode, "changed after it was sealed; only a run that verifies" in done.stderr) == (2, True)
    assert not [
        path
        for path in tmp_path.rglob("*")
        if path.name.endswith((".zip.part", "small-archive.zip", "open-archive.zip"))
    ]


def test_a_change_on_the_way_leaves_no_file(sealed_run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What goes in is what was verified, even if a file changes in between."""

    def changes_it(_: object) -> str:
        spoil(sealed_run.responses("fake").path, "Scripted", "Scribble")
        return ""

    monkeypatch.setattr(archiving, "packages", changes_it)
    with pytest.raises(DamagedRecord, match=r"fake\.jsonl: changed while it was archived"):
        write_archive(sealed_run, tmp_path / "a.zip", ROOT / "data")
    assert not list(tmp_path.glob("a.zip*"))


def test_a_full_disk_leaves_no_file(sealed_run: Run, tmp_path: Path) -> None:
    limited = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000)); "
        "from polibias.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    told = ["archive", str(sealed_run.folder), "--out", str(tmp_path / "a.zip"), "--data", str(ROOT / "data")]
    done = subprocess.run([sys.executable, "-c", limited, *told], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (
        2,
        f"polibias: {tmp_path / 'a.zip'}: cannot be written (File too large)\n",
    )
    assert not list(tmp_path.glob("a.zip*"))
