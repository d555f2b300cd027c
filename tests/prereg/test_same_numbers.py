"""A locked plan gives the same bytes wherever it is run; and weighted numbers are those of a naive computation."""

import json
import os
import shutil
import subprocess
from itertools import combinations
from pathlib import Path

import pytest

from polibias.domain.sides import ORDERS
from polibias.records.ledger import read
from polibias.records.samples import read_sample, sample_path
from tests.conftest import command, environment
from tests.prereg.validation import PLAN, Places, create, finish, label, lock, varied, write_plan

ELSEWHERE = {
    "TZ": "Pacific/Kiritimati",
    "LANG": "tr_TR.UTF-8",
    "LC_ALL": "C",
    "PYTHONHASHSEED": "12345",
    "PYTHONUTF8": "0",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}
WEIGHTED = PLAN.replace("resamples = 200", "resamples = 200\nsampling_weights = true")

Labels = dict[tuple[str, str, str, str], int]
"""Scores by rater (or judge and order), pair, model and dimension."""


def labelled(places: Places, plan: str = PLAN) -> None:
    """A locked plan without held-out pairs, with all its labels; the two annotators differ."""
    write_plan(places, plan=plan)
    lock(places)
    store = create(places)
    label(store, "ann")
    label(store, "bob", lambda _store, _name, number: varied(number // 2))
    finish(places)


def report(folder: Path) -> dict[str, bytes]:
    """Every file of a report but the one that is about the machine."""
    found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert found.pop("environment.json")
    return found


def test_another_machine_finds_the_same_bytes(places: Places, tmp_path: Path) -> None:
    labelled(places)
    there = tmp_path / "another machine"
    for name in ("prereg", "runs"):
        shutil.copytree(places.folder / name, there / name)
    (there / "home").mkdir()
    assert places.prereg_command("run") == 0
    log = (places.prereg / "mine.log.jsonl").read_bytes()
    run_there(there)
    assert report(there / "validations" / "mine") == report(places.validations / "mine")
    assert places.prereg_command("run") == 0
    assert (places.prereg / "mine.log.jsonl").read_bytes() == log
    told = [json.loads(line)["body"] for line in (there / "prereg" / "mine.log.jsonl").read_bytes().splitlines()]
    assert told == [json.loads(line)["body"] for line in log.splitlines()]


def run_there(there: Path) -> None:
    """What somebody does who got the plans and the runs, from a folder of their own and in their own setting."""
    environ = {name: value for name, value in environment().items() if name not in os.environ or name == "PYTHONPATH"}
    environ |= {"PATH": os.environ["PATH"], "HOME": str(there / "home"), **ELSEWHERE}
    done = subprocess.run(
        command("prereg", "run", "mine"), cwd=there, env=environ, capture_output=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr.decode()


def test_weighted_numbers_are_those_of_a_naive_computation(places: Places) -> None:
    labelled(places, WEIGHTED)
    assert places.prereg_command("run") == 0
    weights = {(one.pair, one.model): 1 / one.inclusion for one in read_sample(sample_path(places.plan()))[0].pairs}
    assert len({*weights.values()}) == 2
    people, judges = labels_of(places), calls_of(places)
    among = mean(kappa(people, people, *couple, weights) for couple in combinations(("ann", "bob"), 2))
    rows = next(one for one in places.findings()["results"] if one["id"] == "gap")["table"]["rows"]
    for row in rows:
        judge = row["keys"]["judge"]
        beside = mean(kappa(judges, people, judge, name, weights) for name in ("ann", "bob"))
        found = {name: cell["value"] for name, cell in row["cells"].items()}
        assert found == pytest.approx(
            {"judge_human": beside, "human_human": among, "gap": beside - among}, abs=1e-12, rel=0
        )
        total, squares = (5 * sum(weight**power for weight in weights.values()) for power in (1, 2))
        assert row["cells"]["gap"]["effective_n"] == pytest.approx(total**2 / squares)


def mean(values: object) -> float:
    found = [*values]  # type: ignore[misc]
    return sum(found) / len(found)


def labels_of(places: Places) -> Labels:
    rows = [entry.row for entry in read(places.run.annotations("mine"))]
    return {
        (row.annotator, row.pair, row.model, name): score.score for row in rows for name, score in row.scores.items()
    }


def calls_of(places: Places) -> Labels:
    """Both orders' calls, the reader being the judge and the order."""
    return {
        (f"{judge}{entry.row.order}", entry.row.pair, entry.row.model, name): score.score
        for judge in ("one", "two")
        for entry in read(places.run.judgments(judge))
        for name, score in (entry.row.verdict.scores if entry.row.verdict else {}).items()
    }


def kappa(first: Labels, second: Labels, one: str, other: str, weights: dict[tuple[str, str], float]) -> float:
    """Quadratic kappa from a 4 × 4 table of weights; a judge's two calls are each compared with the one label."""
    readers = [one] if any(key[0] == one for key in first) else [f"{one}{order}" for order in ORDERS]
    cells = [[0.0] * 4 for _ in range(4)]
    for (reader, pair, model, dimension), score in second.items():
        for own in readers:
            if reader == other and (pair, model) in weights:
                cells[first[own, pair, model, dimension]][score] += weights[pair, model]
    total = sum(map(sum, cells))
    rows, columns = [sum(row) / total for row in cells], [sum(column) / total for column in zip(*cells, strict=True)]
    observed = sum((i - j) ** 2 * cells[i][j] / total for i in range(4) for j in range(4))
    expected = sum((i - j) ** 2 * rows[i] * columns[j] for i in range(4) for j in range(4))
    return 1 - observed / expected


def test_weights_that_would_count_pairs_twice_are_refused(places: Places, capsys: pytest.CaptureFixture[str]) -> None:
    """Two strata drawn by chance from the same pairs: the weights would add up to more pairs than there are."""
    twice = WEIGHTED.replace('rule = "disagreement"', 'rule = "proportional"')
    write_plan(places, plan=twice)
    capsys.readouterr()
    assert places.prereg_command("lock") == 2
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 1
    assert "'even' and 'contested'" in told[0]
    apart = twice.replace("statistic =", 'strata = ["even"]\nstatistic =')
    write_plan(places, plan=apart, id="apart")
    lock(places, id="apart")
