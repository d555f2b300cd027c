"""Every command of the guide to validation, in its order, on a scripted run of the demonstration."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate_app.cli import main as annotate
from annotate_app.database import find
from annotate_app.store import open_store
from polibias.cli import main
from tests.app.conftest import annotator_id
from tests.conftest import ROOT
from tests.prereg.validation import label

GUIDE = (ROOT / "docs" / "validate-a-judge.md").read_text("utf-8")
PANEL = """
[[models]]
adapter = "scripted"
name = "smollm2-135m"
max_tokens = 128

[[judges]]
adapter = "scripted"
name = "smollm2-135m-judge"
"""


def commands() -> list[list[list[str]]]:
    """The commands of each console block."""
    blocks = re.findall(r"```console\n(.*?)```", GUIDE, re.S)
    return [[shlex.split(line.removeprefix("$ ")) for line in block.splitlines()] for block in blocks]


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the shipped plans, and the demonstration's run by scripted models."""
    (tmp_path / "prereg").mkdir()
    plan = (ROOT / "prereg" / "demo.toml").read_text("utf-8")
    (tmp_path / "prereg" / "demo.toml").write_text(plan, "utf-8")
    split = re.findall(r"```toml\n(.*?)```", GUIDE, re.S)[0]
    second = plan.replace('id = "demo"', 'id = "calibrated"').replace('"validation"', '"calibrated"')
    (tmp_path / "prereg" / "calibrated.toml").write_text(second.replace("[raters]", f"{split}\n[raters]"), "utf-8")
    (tmp_path / "panel.toml").write_text(PANEL, "utf-8")
    monkeypatch.chdir(tmp_path)
    study = str(ROOT / "studies" / "demo.toml")
    assert main(["run", study, "--panel", "panel.toml", "--data", str(ROOT / "data"), "--quiet"]) == 0
    return tmp_path


def serve(project: str) -> None:
    """What people do while the app serves: agree to the terms, and score every pair."""
    store = open_store(find(project, Path("projects")))
    for name in ("ann", "bob"):
        store.assent(annotator_id(store, name), dict.fromkeys(store.protocol.terms(), "yes"))
        label(store, name)


def test_every_command_of_the_guide_does_what_it_says(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    public = ""
    for words in (command for block in commands() for command in block):
        if words[:2] == ["polibias-annotate", "serve"]:
            serve(words[2])
            continue
        program = {"polibias": main, "polibias-annotate": annotate}[words[0]]
        expected = (0, 1) if words[1] == "split" else (0,)  # scripted responses are much alike
        assert program([public if word == "PUBLIC" else word for word in words[1:]]) in expected, words
        told = capsys.readouterr().out
        if words[1:3] == ["prereg", "key"]:
            public = re.search(r"public key: ([0-9a-f]{64})", told)[1]  # type: ignore[index]
    for plan in ("demo", "calibrated"):
        assert (demo / "validations" / plan / "index.html").exists()
