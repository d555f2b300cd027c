"""Splits: exact sizes, nothing of a pair on both sides, the same whatever the order; and what would leak is told."""

import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polibias import flow
from polibias.cli import main
from polibias.domain.plan import SplitRule
from polibias.errors import DamagedRecord, InputError
from polibias.planning import plan as read_study
from polibias.progress import QuietWatcher
from polibias.records.ledger import read
from polibias.records.runs import Run
from polibias.records.samples import read_sample, read_split
from polibias.splits import Member, divide
from tests.chat_server import ChatServer, completion
from tests.conftest import ROOT
from tests.detectors.texts import prose


def members(n: int = 60) -> list[Member]:
    return [
        Member(
            f"p{number}",
            "main" if number % 3 else "control",
            f"T{number % 4}",
            f"t{number % 12}",
            f"c{number % 4}",
            f"k{number % 9}",
            "active",
        )
        for number in range(n)
    ]


@given(st.integers(0, 999), st.integers(1, 30), st.integers(0, 30))
def test_sets_are_disjoint_whole_and_of_the_sizes_asked_for(seed: int, calibration: int, held_out: int) -> None:
    sets = divide(members(), SplitRule(seed, calibration, held_out))
    assert len(sets.calibration) == calibration
    assert len(sets.held_out) == (held_out or 60 - calibration)
    every = [*sets.calibration, *sets.held_out, *sets.left]
    assert sorted(every) == sorted(one.pair for one in members())


def test_sets_are_even_over_what_was_named() -> None:
    kinds = {one.pair: (one.block, one.task) for one in members()}
    for seed in range(10):
        sets = divide(members(), SplitRule(seed, 24, 0, over=("block", "task")))
        cells = Counter(kinds[pair] for pair in sets.calibration)
        assert set(cells.values()) <= {2, 4}, "5 and 10 pairs a cell, of which two fifths"
        assert Counter(kinds[pair][0] for pair in sets.calibration) == {"main": 16, "control": 8}


@given(st.randoms(use_true_random=False))
def test_the_order_of_pairs_changes_nothing(dice: random.Random) -> None:
    shuffled = members()
    dice.shuffle(shuffled)
    rule = SplitRule(4, 20, 30, over=("task", "block"))
    assert divide(members(), rule) == divide(shuffled, rule)


@pytest.mark.parametrize("together", ["template", "topic"])
def test_what_belongs_together_is_never_on_both_sides(together: str) -> None:
    rule = SplitRule(4, 20, 30, together=together)  # type: ignore[arg-type]
    sets = divide(members(), rule)
    groups = {one.pair: getattr(one, together) for one in members()}
    of_calibration, of_held_out = ({groups[pair] for pair in ids} for ids in sets[:2])
    assert not of_calibration & of_held_out
    assert 0 < len(sets.calibration) <= 20
    assert 0 < len(sets.held_out) <= 30


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (SplitRule(1, 60), "60 calibration pairs and at least 1 held out, but the sample has 60 pairs"),
        (SplitRule(1, 40, 21), "40 calibration pairs and 21 held out"),
        (SplitRule(1, 4, over=("model",)), "no factor 'model'"),
        (SplitRule(1, 2, together="template"), "no whole template fits"),
    ],
)
def test_a_rule_that_cannot_be_kept_says_so(rule: SplitRule, said: str) -> None:
    with pytest.raises(InputError, match=said):
        divide(members(), rule)


PLAN = """
id = "mine"
title = "A small split"
run = "small"

[sample]
seed = 3
judges = ["j", "k"]

[[sample.strata]]
name = "all"
pairs = 8

[split]
seed = 5
calibration = 3
"""


@pytest.fixture
def folder(tmp_path: Path, chat_server: ChatServer) -> Path:
    """A folder with a sealed run that has masked copies, whose model writes one text about two of the pairs."""

    def behave(body: dict[str, object], _: int) -> object:
        prompt = str(body["messages"][0]["content"])  # type: ignore[index]
        if "response_format" in body:
            return None
        return completion(body, prose(60, 1 if "Russia" in prompt or "France" in prompt else len(prompt)))

    chat_server.behave = behave  # type: ignore[assignment]
    spec = f'adapter = "openai_http"\nurl = "{chat_server.url}"\nmodel = "served"\n'
    judges = "".join(f'[[judges]]\nname = "{name}"\n{spec}' for name in "jk")
    (tmp_path / "small.toml").write_text(
        f'id = "small"\ntitle = "s"\nrubric = "poli-bias"\n[[items]]\ntemplates = ["WC-DIS-001", "GEN-INC-001"]\n'
        'pairs = ["russia-ukraine", "iran-israel", "france-germany", "aurelia-ferrum"]\ntasks = ["T1"]\n'
        '[[copies]]\nname = "masked"\ntitle = "Hidden"\nmask = "full"\n'
        f'[[models]]\nname = "m"\nmax_tokens = 500\n{spec}{judges}',
        "utf-8",
    )
    study = read_study(str(tmp_path / "small.toml"), ROOT / "data")
    flow.run_study(study, Run(tmp_path / "runs" / "small"), QuietWatcher(), flow.Wanted("seal"))
    (tmp_path / "mine.toml").write_text(PLAN, "utf-8")
    return tmp_path


def command(name: str, folder: Path) -> int:
    return main([name, str(folder / "mine.toml"), "--runs", str(folder / "runs")])


def test_a_split_keeps_copies_with_their_pair_and_tells_responses_that_are_nearly_the_same(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("split", folder) == 2
    assert "no sample yet; draw it with polibias sample" in capsys.readouterr().err
    assert command("sample", folder) == 0
    code = command("split", folder)
    told = capsys.readouterr().out
    sample, name = read_sample(folder / "mine.sample.json")
    made, _ = read_split(folder / "mine.split.json")
    assert (made.sample, len(made.calibration), len(made.held_out), made.left) == (name, 3, 5, ())
    assert {*made.calibration, *made.held_out} == {one.pair for one in sample.pairs}
    pairs = {entry.id: entry.row for entry in read(Run(folder / "runs" / "small").pairs())}
    assert made.copies == {
        id: tuple(copy for copy, row in pairs.items() if row.copy_of == id) for id in pairs if not pairs[id].copy_of
    }
    same = {id for id, row in pairs.items() if row.design.topic in ("russia-ukraine", "france-germany")}
    expected = {(one, other) for one in made.calibration for other in made.held_out if {one, other} <= same}
    assert {(one.calibration, one.held_out) for one in made.alike} == expected
    assert code == bool(expected)
    assert all(one.share == 1 for one in made.alike)
    assert f"templates in both sets: {len(made.templates)}" in told


def test_a_split_is_made_once_and_every_byte_of_it_matters(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command("sample", folder)
    command("split", folder)
    path = folder / "mine.split.json"
    data = path.read_bytes()
    command("split", folder)
    assert path.read_bytes() == data
    (folder / "mine.toml").write_text(PLAN.replace("calibration = 3", "calibration = 4"), "utf-8")
    assert command("split", folder) == 2
    assert "give the changed plan another id" in capsys.readouterr().err
    for place in range(len(data)):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1 << place % 7]) + data[place + 1 :])
        with pytest.raises(DamagedRecord):
            read_split(path)


def test_a_split_needs_the_run_that_the_sample_was_drawn_from(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command("sample", folder)
    (folder / "runs" / "small" / "manifest.json").unlink()
    assert command("split", folder) == 2
    assert "is not the run that the sample was drawn from" in capsys.readouterr().err
    (folder / "mine.toml").write_text(PLAN.partition("[split]")[0], "utf-8")
    assert command("split", folder) == 2
    assert "has no [split]" in capsys.readouterr().err
