"""Shared fixtures: a small scripted study, and a chat server that counts what it is asked."""

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from polibias import flow
from polibias.planning import plan
from polibias.progress import QuietWatcher
from polibias.records.runs import Run
from tests.chat_server import ChatServer

ROOT = Path(__file__).resolve().parent.parent

# The gate draws the same examples every time, so that passing depends on the code alone; `make search` draws new ones.
settings.register_profile("gate", derandomize=True, deadline=None)
settings.register_profile("search", max_examples=2000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "gate"))

ITEMS = """
[[items]]
templates = ["WC-DIS-001", "GEN-INC-001"]
pairs = ["russia-ukraine", "france-germany"]
tasks = ["T1"]
"""

SCRIPTED = """
[[models]]
adapter = "scripted"
name = "fake"
max_tokens = 50

[[judges]]
adapter = "scripted"
name = "fake-judge"
"""


def copies_text(again: int) -> str:
    """Copies of a study's pairs: masked, masked at the level of names, and so many judged again."""
    return f"""
[draw]
seed = 7

[[copies]]
name = "masked"
title = "Countries hidden"
mask = "full"

[[copies]]
name = "names-masked"
title = "Names alone hidden"
mask = "names"

[[copies]]
name = "retest"
title = "Judged a second time"
replicate = 1
items = {again}
over = ["topic_category"]

[reidentify]
task = "countries"
seed = 11
"""


def study_text(id: str = "small", items: str = ITEMS, models: str = SCRIPTED) -> str:
    return f"""
id = "{id}"
title = "A small study"
rubric = "poli-bias"
judge_prompt = "pair"
{items}
{models}
"""


@pytest.fixture
def write_study(tmp_path: Path) -> Callable[..., Path]:
    """A function that writes a study file and returns its path."""

    def write(**parts: str) -> Path:
        path = tmp_path / "small.toml"
        path.write_text(study_text(**parts), "utf-8")
        return path

    return write


@pytest.fixture
def sealed_run(write_study: Callable[..., Path], tmp_path: Path) -> Run:
    """A finished run of the small scripted study, with its report."""
    study = plan(str(write_study()), ROOT / "data")
    run = Run(tmp_path / "runs" / study.study.id)
    flow.run_study(study, run, QuietWatcher())
    return run


@pytest.fixture
def chat_server() -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server


def polibias(*arguments: str | Path, cwd: Path, **options: object) -> subprocess.CompletedProcess[str]:
    """Run the command as a person would, with warnings as errors, and return what it printed."""
    return subprocess.run(command(*arguments), cwd=cwd, env=environment(), capture_output=True, text=True, **options)


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-W", "error", "-m", "polibias.cli", *map(str, arguments)]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A copy of the data folder that a test may spoil."""
    shutil.copytree(ROOT / "data", tmp_path / "data")
    return tmp_path / "data"


def spoil(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


@contextlib.contextmanager
def disk_of(kib: int, place: Path) -> Iterator[Path]:
    """A file system of so many KiB; only root can make one, and the test is skipped for others."""
    folder = place / "disk"
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", folder], capture_output=True)
    if made.returncode:
        pytest.skip("a small file system needs root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)
