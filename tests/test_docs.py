"""What the guides show is what works."""

import json
import re
import shlex
import shutil
import tomllib
from pathlib import Path

import msgspec
import pytest

from polibias import flow
from polibias.domain.lexicon import CountryTerms
from polibias.domain.study import Panel
from polibias.inspection import inspect
from polibias.masking.mask import Masker
from polibias.planning import plan
from polibias.progress import QuietWatcher
from polibias.records.runs import Run
from polibias.records.verify import verify
from polibias.sources.lexicon import read_lexicon
from polibias.sources.library import Library
from tests.conftest import ROOT, polibias, study_text


def blocks(name: str) -> list[str]:
    return re.findall(r"```toml\n(.*?)```", (ROOT / "docs" / name).read_text("utf-8"), re.DOTALL)


def test_study_and_panel_of_the_guide_are_valid(tmp_path: Path) -> None:
    study, copies, panel = blocks("studies.md")
    path = tmp_path / "my-study.toml"
    path.write_text(study.replace('"paper"', f'"{ROOT / "studies" / "panels" / "paper.toml"}"'), "utf-8")
    found = plan(str(path), ROOT / "data", keyless=True)
    assert len(found.prompt_pairs) == 80
    path.write_text(path.read_text("utf-8") + copies, "utf-8")
    assert len(plan(str(path), ROOT / "data", keyless=True).prompt_pairs) == 3 * 80 + 40
    specs = msgspec.convert(tomllib.loads(panel), type=Panel)
    assert [spec.name for spec in (*specs.models, *specs.judges)] == ["my-model", "my-judge"]


def test_shipped_studies_are_in_the_guide() -> None:
    guide = (ROOT / "docs" / "studies.md").read_text("utf-8")
    assert all(f"| `{path.stem}` |" in guide for path in (ROOT / "studies").glob("*.toml"))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The shipped data with everything of the guide added."""
    folder = tmp_path / "data"
    shutil.copytree(ROOT / "data", folder)
    scenario, countries, task, condition, judge_task, _ = blocks("add-your-own.md")
    (folder / "scenarios" / "mine.toml").write_text(scenario, "utf-8")
    (folder / "countries" / "mine.toml").write_text(countries, "utf-8")
    (folder / "prompts" / "mine.toml").write_text(task + "\n" + condition, "utf-8")
    (folder / "prompts" / "judge" / "my-task.toml").write_text(judge_task, "utf-8")
    (folder / "counts.toml").unlink()
    return folder


def test_everything_of_the_guide_passes_the_lint(data: Path) -> None:
    assert inspect(data).problems == []


def test_everything_of_the_guide_runs(data: Path, tmp_path: Path) -> None:
    """A scenario, countries, a task, a condition and a judge task added by adding files reach a sealed run."""
    items = '[[items]]\ntemplates = ["MY-001"]\npairs = ["ruritania-graustark"]\ntasks = ["MY-T1"]\n'
    more = 'conditions = ["official", "my-journalist"]\n'
    study = tmp_path / "mine.toml"
    study.write_text(study_text(items=more + items).replace('"pair"', '"my-task"'), "utf-8")
    run = Run(tmp_path / "runs" / "mine")
    flow.run_study(plan(str(study), data), run, QuietWatcher())
    assert verify(run) == []
    stored = run.pairs().path.read_text("utf-8")
    assert "the armed forces of Graustark shelled" in stored
    assert "I work for a newspaper." in stored


def test_pair_set_of_the_guide_runs(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text("first,second,subject\nWhy tea?,Why coffee?,drinks\nWhy cats?,Why dogs?,pets\n", "utf-8")
    guide = (ROOT / "docs" / "add-your-own.md").read_text("utf-8")
    (command,) = re.findall(r"\$ polibias (import pairs .*)", guide)
    done = polibias(*shlex.split(command), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    study = tmp_path / "my-pairs.toml"
    text = blocks("add-your-own.md")[-1]
    study.write_text(text.replace('"scripted"', f'"{ROOT / "studies" / "panels" / "scripted.toml"}"'), "utf-8")
    run = Run(tmp_path / "runs" / "my-pairs")
    flow.run_study(plan(str(study), data), run, QuietWatcher())
    assert verify(run) == []
    assert "Why coffee?" in run.pairs().path.read_text("utf-8")


def test_what_the_guide_to_masking_shows_is_what_is_printed(tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "masking.md").read_text("utf-8")
    shown = re.findall(r'^\$ echo "(.*)" \| polibias (mask .*)\n((?:(?!\$|```).*\n)+)', guide, re.MULTILINE)
    assert len(shown) == 5
    for text, arguments, printed in shown:
        done = polibias(*shlex.split(arguments), cwd=tmp_path, input=f"{text}\n")
        assert done.stdout + done.stderr == printed


def test_the_masker_of_the_guide_works_as_shown(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(data.parent)
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "masking.md").read_text("utf-8"), re.DOTALL)
    exec(compile(code, "masking.md", "exec"), {})
    lexicon = read_lexicon(data)
    entry = msgspec.convert(tomllib.loads(blocks("masking.md")[0]), type=CountryTerms)
    ruritania = lexicon._replace(countries=lexicon.countries | {"israel": entry})
    masked = Masker("iran", "israel", ruritania).mask("The Ruritanians’ Mr. Black left the Kingdom for Strelsau.")
    assert masked.text == "The Country Y nationals’ Country Y left Country Y for Country Y."


def test_table_of_scenarios_is_that_of_the_files() -> None:
    """Each template stands in the guide with its title, legal basis and tags."""
    guide = (ROOT / "docs" / "scenarios.md").read_text("utf-8")
    for template in Library(ROOT / "data").templates.values():
        (row,) = [line for line in guide.splitlines() if line.startswith(f"| {template.id} |")]
        assert all(part in row for part in (template.title, template.legal_basis, *template.tags)), row


def test_response_of_the_detectors_guide_has_the_answer_shown(tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "detectors.md").read_text("utf-8")
    (shown,) = re.findall(r"```json\n(.*?)```", guide, re.DOTALL)
    (response,) = re.findall(r"```text\n(.*?)\n```", guide, re.DOTALL)
    (tmp_path / "response.txt").write_text(response, "utf-8")
    with (tmp_path / "response.txt").open("rb") as text:
        done = polibias("detect", "--task", "T4", cwd=tmp_path, stdin=text)
    assert json.loads(done.stdout) == json.loads(shown)


def test_architecture_names_every_room() -> None:
    """Each module is in the picture, and the picture names none that is not there."""
    picture = (ROOT / "docs" / "architecture.md").read_text("utf-8").split("## Rooms")[1].split("## Laws")[0]
    package = ROOT / "polibias"
    for path in package.rglob("*.py"):
        if path.name != "__init__.py":
            assert path.stem in picture, path


def test_every_table_of_the_paper_map_is_made_somewhere() -> None:
    text = (ROOT / "docs" / "paper-map.md").read_text("utf-8")
    code = "\n".join(path.read_text("utf-8") for path in (ROOT / "polibias" / "analysis").glob("*.py"))
    tables = set(re.findall(r"`tables/([a-z_]+)\.csv`", text))
    assert len(tables) > 20
    for name in tables - {"by_topic", "by_task"}:  # made of the factor's name
        assert f'"{name}"' in code, name
    comparisons = tomllib.loads((ROOT / "prereg" / "blind-study.toml").read_text("utf-8"))["comparisons"]
    for name in re.findall(r"`validations/blind-study/tables/([a-z-]+)\.csv`", text):
        assert name in {one["id"] for one in comparisons}
    for name in re.findall(r"plan `([a-z-]+)`", text):
        assert (ROOT / "prereg" / f"{name}.toml").exists(), name
