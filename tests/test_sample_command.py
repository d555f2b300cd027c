"""`polibias sample`: from a plan and a sealed run to a file of response pairs, once, and on to annotators."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlmodel import Session, create_engine, select

from annotate_app.cli import main as annotate
from annotate_app.schema import Item
from polibias import flow
from polibias.analysis.frames import collect
from polibias.cli import main
from polibias.errors import DamagedRecord
from polibias.planning import plan as read_study
from polibias.progress import QuietWatcher
from polibias.records.documents import read_named
from polibias.records.runs import STUDY_TAG, Run
from polibias.records.samples import read_sample
from tests.conftest import ROOT, study_text
from tests.prereg.validation import ITEMS, JUDGES, MODELS

PLAN = """
id = "mine"
title = "A small blind study"
run = "small"

[sample]
seed = 3
judges = ["one", "two"]

[[sample.strata]]
name = "main-even"
pairs = 6
block = "main"

[[sample.strata]]
name = "main-contested"
pairs = 4
block = "main"
rule = "disagreement"

[[sample.strata]]
name = "any"
pairs = 5
rule = "proportional"
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("sampled")
    path = folder / "small.toml"
    path.write_text(study_text(items=ITEMS, models=MODELS + JUDGES), "utf-8")
    found = Run(folder / "runs" / "small")
    flow.run_study(read_study(str(path), ROOT / "data"), found, QuietWatcher(), flow.Wanted("seal"))
    return found


@pytest.fixture
def sample(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, Path]]:
    """A function that writes a plan, draws by it, and gives exit code, what was printed, and the sample's place."""

    def draw(text: str = PLAN, *options: str) -> tuple[int, str, Path]:
        path = tmp_path / "mine.toml"
        path.write_text(text, "utf-8")
        code = main(["sample", str(path), "--runs", str(run.folder.parent), *options])
        told = capsys.readouterr()
        return code, told.out + told.err, tmp_path / "mine.sample.json"

    return draw


def test_a_sample_holds_what_was_planned_and_what_it_was_drawn_from(
    sample: Callable[..., tuple[int, str, Path]], run: Run
) -> None:
    code, said, path = sample()
    assert code == 0, said
    drawn, name = read_sample(path)
    assert name in said
    assert {one.name: (one.pairs, one.pool) for one in drawn.strata} == {
        "main-even": (6, 28),
        "main-contested": (4, 32),
        "any": (5, 54),
    }
    assert (drawn.run, drawn.condition, drawn.eligible) == ("small", "official", 64)
    cases = collect(run, read_named(run.study, STUDY_TAG)).cases
    rubric = read_study(str(run.folder.parent.parent / "small.toml"), ROOT / "data").rubric
    totals = {(case.judge, case.pair_id, case.model): case.total(rubric) for case in cases}
    apart = {
        (pair, model): abs(totals["one", pair, model] - totals["two", pair, model])
        for judge, pair, model in totals
        if judge == "one"
    }
    contested = [apart[one.pair, one.model] for one in drawn.pairs if one.stratum == "main-contested"]
    main = {(case.pair_id, case.model) for case in cases if case.pair.design.block == "main"}
    assert sorted(contested) == sorted(apart[name] for name in main)[-4:], "by the definition of the pair score"
    assert all(one.inclusion == 6 / 28 for one in drawn.pairs if one.stratum == "main-even")


def test_a_plan_is_drawn_once(sample: Callable[..., tuple[int, str, Path]]) -> None:
    sample()
    path = sample()[2]
    before = path.read_bytes()
    code, said, _ = sample()
    assert (code, path.read_bytes()) == (0, before)
    code, said, _ = sample(PLAN.replace("seed = 3", "seed = 4"))
    assert code == 2
    assert "was drawn by another plan" in said
    assert path.read_bytes() == before


def test_every_byte_of_a_sample_matters(sample: Callable[..., tuple[int, str, Path]]) -> None:
    path = sample()[2]
    data = path.read_bytes()
    for place in range(len(data)):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1 << place % 7]) + data[place + 1 :])
        with pytest.raises(DamagedRecord):
            read_sample(path)
    path.write_bytes(data + b" ")
    code, said, _ = sample()
    assert (code, said.count("\n")) == (2, 1)
    assert "changed after it was written" in said


def test_named_pairs_are_left_out_and_their_files_are_in_the_sample(
    sample: Callable[..., tuple[int, str, Path]], tmp_path: Path
) -> None:
    code, said, path = sample()
    assert code == 0, said
    first = read_sample(path)[0]
    path.rename(tmp_path / "first.sample.json")
    gone = {one.pair for one in first.pairs}
    (tmp_path / "practice.txt").write_text(f"# seen in practice\n{min(gone)}\n", "utf-8")
    few = PLAN.replace("pairs = 6", "pairs = 2").replace("pairs = 4", "pairs = 2").replace("pairs = 5", "pairs = 2")
    text = few.replace("seed = 3", 'seed = 3\nexclude = ["first.sample.json", "practice.txt"]')
    code, said, path = sample(text)
    assert code == 0, said
    second = read_sample(path)[0]
    assert not {one.pair for one in second.pairs} & gone
    assert second.left_out == {"named by an excluded file": 2 * len(gone)}
    assert set(second.excluded) == {"first.sample.json", "practice.txt"}


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        (('judges = ["one", "two"]', 'judges = ["one", "three"]'), "has no judge 'three'; it has one, two"),
        (('judges = ["one", "two"]', 'judges = ["one", "one"]'), "compares judge 'one' with itself"),
        (('run = "small"', 'run = "other"'), "other: no run here"),
        (("pairs = 6", "pairs = 99"), "stratum 'main-even': 99 pairs of 28"),
        (('id = "mine"', 'id = "yours"'), "its id is 'yours'"),
        (("seed = 3", 'seed = 3\nexclude = ["none.txt"]'), "none.txt: no such file"),
        (('rule = "proportional"', 'rule = "random"'), "Invalid enum value 'random'"),
        (('run = "small"', 'run = "small"\ncondition = "null"'), "has no condition 'null'; it has official"),
        (('rule = "proportional"', 'rule = "proportional"\nover = ["colour"]'), "no factor 'colour'"),
    ],
)
def test_a_plan_that_cannot_be_drawn_by_says_why_in_one_line(
    changed: tuple[str, str], problem: str, sample: Callable[..., tuple[int, str, Path]]
) -> None:
    code, said, path = sample(PLAN.replace(*changed, 1))
    assert (code, said.count("\n")) == (2, 1)
    assert problem in said
    assert not path.exists()


def test_annotators_get_the_sample_and_nothing_else(
    sample: Callable[..., tuple[int, str, Path]], run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = sample()[2]
    places = ["--projects", str(tmp_path / "projects"), "--sealed", str(tmp_path / "sealed")]
    assert annotate(["create", str(run.folder), "--project", "blind", "--sample", str(path), *places]) == 0
    drawn = read_sample(path)[0]
    sealed = json.loads((tmp_path / "sealed" / "blind.json").read_text("utf-8"))
    assert {(one["pair"], one["model"]) for one in sealed["items"].values()} == {
        (one.pair, one.model) for one in drawn.pairs
    }
    with Session(create_engine(f"sqlite:///{tmp_path / 'projects' / 'blind' / 'blind.db'}")) as session:
        strata = [item.stratum for item in session.exec(select(Item))]
    assert len(set(strata)) == 3
    assert not {"main-even", "main-contested", "any"} & set(strata), "what a stratum is stays sealed"
    drawn_elsewhere = path.read_text("utf-8").replace(drawn.manifest, "0" * 64)
    path.write_text(drawn_elsewhere, "utf-8")
    capsys.readouterr()
    assert annotate(["create", str(run.folder), "--project", "again", "--sample", str(path), *places]) == 2
    assert capsys.readouterr().err.count("\n") == 1
