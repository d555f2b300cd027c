"""A scripted run with two judges, sealed once; each test works on a copy of it."""

import shutil
from pathlib import Path

import pytest

from polibias import flow
from polibias.planning import plan as read_study
from polibias.progress import QuietWatcher
from polibias.records.runs import Run
from tests.conftest import ROOT, study_text
from tests.prereg.validation import (
    ITEMS,
    JUDGES,
    MARK,
    MODELS,
    Places,
    create,
    finish,
    give_all,
    label,
    lock,
    write_plan,
)


@pytest.fixture(scope="session")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The run, which no test may change."""
    folder = tmp_path_factory.mktemp("prereg")
    path = folder / "small.toml"
    path.write_text(study_text(items=ITEMS, models=MODELS + JUDGES), "utf-8")
    found = Run(folder / "runs" / "small")
    flow.run_study(read_study(str(path), ROOT / "data"), found, QuietWatcher(), flow.Wanted("seal"))
    return found


@pytest.fixture
def places(scripted: Run, tmp_path: Path) -> Places:
    """A copy of the run in a folder of its own."""
    shutil.copytree(scripted.folder, tmp_path / "runs" / "small")
    return Places(tmp_path, Run(tmp_path / "runs" / "small"))


@pytest.fixture(scope="session")
def finished(scripted: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two validations whose labels were given and exported, which no test may change: `open`, and `held` with a box."""
    folder = tmp_path_factory.mktemp("finished")
    for name in ("open", "held"):
        shutil.copytree(scripted.folder, folder / name / "runs" / "small")
        found = Places(folder / name, Run(folder / name / "runs" / "small"))
        write_plan(found, split=name == "held")
        lock(found, split=name == "held")
        store = create(found)
        if name == "held":
            give_all(found, store, MARK)
        else:
            for person in ("ann", "bob"):
                label(store, person)
        finish(found)
    return folder


@pytest.fixture
def labelled(finished: Path, tmp_path: Path) -> Places:
    """A copy of the one without held-out pairs."""
    return copied(finished / "open", tmp_path / "open")


@pytest.fixture
def boxed(finished: Path, tmp_path: Path) -> Places:
    """A copy of the one whose held-out labels lie in a box."""
    return copied(finished / "held", tmp_path / "held")


def copied(source: Path, folder: Path) -> Places:
    """A validation copied to a new folder."""
    shutil.copytree(source, folder, symlinks=True)
    return Places(folder, Run(folder / "runs" / "small"))
