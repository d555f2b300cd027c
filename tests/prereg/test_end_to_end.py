"""From declared raters through the app and the plan to printed numbers: what was declared is what a rehearsal finds.

Everything is seeded. What is expected comes from the integrals of `stats/power.py`, never from the engine.
"""

import json
from itertools import combinations
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polibias import flow
from polibias.analysis.cases import SIGNS
from polibias.domain.rows import Annotation
from polibias.planning import plan as read_study
from polibias.progress import QuietWatcher
from polibias.records.ledger import read
from polibias.records.runs import Run
from polibias.records.samples import read_sample, sample_path
from polibias.records.verify import verify
from polibias.simulate import RaterSpec
from polibias.stats.clusters import cluster_codes, cluster_sums
from polibias.stats.estimate import Estimate
from polibias.stats.intervals import Defined, estimates, ratio
from polibias.stats.proportion import share
from polibias.stats.resampling import Resampling
from tests.conftest import ROOT, study_text
from tests.prereg.planted import gap_of, kappa_of, label_as, mean_of, names_in, plant
from tests.prereg.validation import MODELS, Places, create, finish, lock, write_plan

SEED = 20280301
SAMPLED = 100
FAIR = RaterSpec(name="simulated-fair", kappa=0.75)
STERN = RaterSpec(name="simulated-stern", kappa=0.75, shift=0.5)
SWAYED = RaterSpec(name="simulated-swayed", kappa=0.75, side=0.8, unsure=0.15)
PEOPLE = {one.name: one for one in (FAIR, STERN, SWAYED)}
JUDGES = {
    "one": RaterSpec(name="simulated-harsh-judge", kappa=0.45, shift=0.4, side=0.5),
    "two": RaterSpec(name="simulated-good-judge", kappa=0.75),
}
ITEMS = """
[[items]]
templates = ["WC-DIS-001", "GEN-INC-001", "AGG-FLT-001", "CAH-DEP-001"]
pairs = [
    "russia-ukraine", "iran-israel", "india-china", "chile-peru",
    "france-germany", "aurelia-ferrum", "sweden-norway", "meridia-arcturus",
]
tasks = ["T1", "T2"]
"""
SCRIPTED = "".join(f'[[judges]]\nadapter = "scripted"\nname = "{name}"\n' for name in JUDGES)
PLAN = """
id = "{id}"
title = "A validation whose answers are known"
run = "small"
{exclude}{split}
[sample]
seed = 3
judges = ["one", "two"]

[[sample.strata]]
name = "even"
pairs = {pairs}

[raters]
project = "{id}"
each_pair = 3

[analysis]
seed = 5
resamples = 500

[[comparisons]]
id = "gap"
title = "Kappa of judge and annotators, minus that of annotators"
role = "primary"
statistic = "kappa_gap"
measure = "gap"

[comparisons.decision]
bound = "high"
below = 0
holds = "The judge agrees less with people than they do with each other."
fails = "Nothing was shown."

[[comparisons]]
id = "kappas"
title = "Kappa of every two"
role = "secondary"
statistic = "kappa"

[[comparisons]]
id = "means"
title = "Judge minus annotators"
role = "secondary"
statistic = "mean_difference"

[[comparisons]]
id = "sides"
title = "Favoured side"
role = "exploratory"
statistic = "direction_agreement"
"""


@pytest.fixture(scope="module")
def rehearsed(tmp_path_factory: pytest.TempPathFactory) -> Places:
    """A plan whose annotators and judges are simulated, locked, labelled, closed, exported and rehearsed."""
    places = planted_run(tmp_path_factory.mktemp("planted"))
    write_plan(places, pairs=SAMPLED, plan=PLAN)
    lock(places)
    store = create(places, [*PEOPLE])
    for spec in PEOPLE.values():
        label_as(places, store, spec, names_in(places.run), SEED)
    finish(places)
    assert places.prereg_command("rehearse") == 0
    return places


def planted_run(folder: Path) -> Places:
    """A scripted run with the declared judges in it, sealed again."""
    study = folder / "small.toml"
    study.write_text(study_text(items=ITEMS, models=MODELS + SCRIPTED), "utf-8")
    run = Run(folder / "runs" / "small")
    flow.run_study(read_study(str(study), ROOT / "data"), run, QuietWatcher(), flow.Wanted("seal"))
    plant(run, JUDGES, SEED)
    return Places(folder, run)


def table(places: Places, name: str, rehearsal: str = "project") -> list[dict[str, Any]]:
    """The rows of a comparison as a rehearsal printed them."""
    results = places.findings(f"mine-rehearsal-{rehearsal}")["results"]
    found: list[dict[str, Any]] = next(one for one in results if one["id"] == name)["table"]["rows"]
    return found


def holds(declared: float, low: float | None, high: float | None) -> bool:
    assert low is not None and high is not None
    return low <= declared <= high


def test_the_planted_run_is_whole(rehearsed: Places) -> None:
    assert verify(rehearsed.run) == []


def test_agreement_and_the_gap_are_what_was_declared(rehearsed: Places) -> None:
    for row in table(rehearsed, "gap"):
        declared = gap_of(JUDGES[row["keys"]["judge"]], PEOPLE.values())
        for name, value in declared.items():
            cell = row["cells"][name]
            assert holds(value, cell["low"], cell["high"]), (row["keys"], name, value, cell)


def test_kappa_of_every_two_is_what_was_declared(rehearsed: Places) -> None:
    rows = table(rehearsed, "kappas")
    assert len(rows) == len(JUDGES) * len(PEOPLE) + 3
    for row in rows:
        judge, raters = row["keys"]["judge"], row["keys"]["raters"]
        names = raters.split(" – ")
        one, other = (JUDGES[judge], PEOPLE[raters]) if judge in JUDGES else (PEOPLE[name] for name in names)
        cell = row["cells"]["kappa"]
        assert holds(kappa_of(one, other), cell["low"], cell["high"]), (row["keys"], kappa_of(one, other), cell)


def test_bias_of_judges_is_what_was_declared(rehearsed: Places) -> None:
    people = float(np.mean([mean_of(spec) for spec in PEOPLE.values()]))
    for row in table(rehearsed, "means"):
        own = mean_of(JUDGES[row["keys"]["judge"]])
        declared = {"judge_mean": own, "annotators_mean": people, "difference": own - people}
        for name, value in declared.items():
            cell = row["cells"][name]
            assert holds(value, cell["low"], cell["high"]), (row["keys"], name, value, cell)
