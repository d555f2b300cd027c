"""The same records give the same report, byte for byte, whatever the machine's settings and wherever the run lies."""

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from polibias.domain.study import AnalysisSpec
from polibias.records.runs import Run
from polibias.report.document import write_report
from polibias.simulated.declaration import MODELS, StudySimulation
from tests.conftest import command, environment
from tests.report.few import few_pairs

ELSEWHERE = {
    "TZ": "Pacific/Kiritimati",
    "LANG": "tr_TR.UTF-8",
    "LC_ALL": "tr_TR.UTF-8",
    "PYTHONHASHSEED": "4711",
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
}
"""Settings of another machine: its time, its language, its order of sets, its threads."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    spec = StudySimulation(
        id="simulated-same", models=MODELS[4:6], main=4, control=2, words=30, analysis=AnalysisSpec(resamples=100)
    )
    return few_pairs(spec, tmp_path_factory.mktemp("same") / "run")


@pytest.fixture(scope="module")
def report(run: Run) -> Mapping[str, bytes]:
    write_report(run)
    found = held(run.report)
    shutil.rmtree(run.report)
    return found


def held(report: Path) -> dict[str, bytes]:
    return {path.relative_to(report).as_posix(): path.read_bytes() for path in report.rglob("*") if path.is_file()}


def test_another_machine_makes_the_same_report(run: Run, report: Mapping[str, bytes], tmp_path: Path) -> None:
    place = tmp_path / "Another Place" / "ı-dosya"
    shutil.copytree(run.folder, place)
    done = subprocess.run(
        command("report", place),
        cwd=tmp_path,
        env={**environment(), **ELSEWHERE},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    other = held(Run(place).report)
    assert other.keys() == report.keys()
    assert [path for path, data in report.items() if other[path] != data] == []
