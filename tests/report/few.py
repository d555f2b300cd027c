"""A simulated run over a few country pairs, templates and tasks, so that its report is quickly made."""

from pathlib import Path

import pytest

from polibias.records.runs import Run
from polibias.simulated import study
from polibias.simulated.declaration import StudySimulation
from tests.conftest import ROOT

FEW = {
    '"crimes_against_humanity/*", "genocide/*", "maritime/*", "war_crimes/*"': '"genocide/*"',
    '"pairs/*"': '"iran-israel", "china-taiwan", "france-germany"',
    '"tasks/*"': '"T1", "T4"',
}
"""What the study asks in place of everything."""


def few_pairs(spec: StudySimulation, folder: Path) -> Run:
    """The run in a new folder, sealed, without a report."""
    text = study.STUDY
    for old, new in FEW.items():
        assert old in text
        text = text.replace(old, new)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "STUDY", text)
        return study.write_study(spec, folder, ROOT / "data").run
