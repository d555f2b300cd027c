"""A scripted run with two judges, sealed once; each test works on a copy of it."""

import shutil
from pathlib import Path

import pytest

from polibias import flow
from polibias.planning import plan as read_study
from polibias.progress import QuietWatcher
from polibias.records.runs import Run
from tests.conftest import ROOT, study_text
from tests.prereg.validation import ITEMS, JUDGES, MODELS, Places


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
