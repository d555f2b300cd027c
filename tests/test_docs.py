"""What the guides show is what works."""

import re
import tomllib
from pathlib import Path

import msgspec

from polibias import flow
from polibias.domain.study import Study
from polibias.progress import QuietWatcher
from polibias.records.runs import Run
from polibias.records.verify import verify
from tests.conftest import ROOT, study_text


def blocks(name: str) -> list[str]:
    return re.findall(r"```toml\n(.*?)```", (ROOT / "docs" / name).read_text("utf-8"), re.DOTALL)


def test_study_file_of_the_guide_is_valid() -> None:
    (text,) = blocks("studies.md")
    study = msgspec.convert(tomllib.loads(text), type=Study)
    assert [spec.name for spec in (*study.models, *study.judges)] == ["my-model", "my-judge"]


def test_scenario_and_countries_of_the_guide_run(tmp_path: Path) -> None:
    """A template and two countries added by adding files reach a sealed run."""
    scenario, countries = blocks("add-data.md")
    data = tmp_path / "data"
    for folder in ("rubrics", "prompts", "scenarios", "countries"):
        (data / folder).mkdir(parents=True)
    for path in (*(ROOT / "data" / "rubrics").glob("*"), *(ROOT / "data" / "prompts").rglob("*.toml")):
        place = data / path.relative_to(ROOT / "data")
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(path.read_bytes())
    (data / "scenarios" / "mine.toml").write_text(scenario, "utf-8")
    (data / "countries" / "mine.toml").write_text(countries, "utf-8")
    items = '[[items]]\ntemplates = ["MY-001"]\npairs = ["ruritania-graustark"]\ntasks = ["*"]\n'
    study = tmp_path / "mine.toml"
    study.write_text(study_text(items=items), "utf-8")
    run = Run(tmp_path / "runs" / "mine")
    flow.run_study(flow.plan(str(study), data), run, QuietWatcher())
    assert verify(run) == []
    assert "In 2028, the armed forces of Graustark shelled" in run.pairs().path.read_text("utf-8")


def test_architecture_names_every_room() -> None:
    """Each module is in the picture, and the picture names none that is not there."""
    picture = (ROOT / "docs" / "architecture.md").read_text("utf-8").split("## Rooms")[1].split("## Laws")[0]
    package = ROOT / "polibias"
    for path in package.rglob("*.py"):
        if path.name != "__init__.py":
            assert path.stem in picture, path
