"""From declared raters through the app and the plan to printed numbers: what was declared is what a rehearsal finds.

Everything is seeded. What is expected comes from the integrals of `stats/power.py`, never from the engine.
"""

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotate_app.create import Keys
from annotate_app.sealed import KEY_BYTES
from polibias import flow
from polibias.analysis.rehearsal import HUMAN_KAPPA, JUDGE_KAPPA
from polibias.domain.rows import Annotation
from polibias.planning import plan as read_study
from polibias.progress import QuietWatcher
from polibias.records.ledger import read
from polibias.records.runs import Run
from polibias.records.verify import verify
from polibias.simulate import RaterSpec
from polibias.stats.clusters import cluster_codes, cluster_sums
from polibias.stats.estimate import Estimate
from polibias.stats.intervals import Defined, estimates, ratio
from polibias.stats.power import MARGINALS, TRUTH, chances, kappa_between, loading_alike, thresholds
from polibias.stats.proportion import share
from polibias.stats.resampling import Resampling
from tests.conftest import ROOT, study_text
from tests.prereg.planted import POINTS, gap_of, kappa_of, label_as, mean_of, names_in, plant
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
resamples = 200

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
    with pytest.MonkeyPatch.context() as patched:  # codes, and with them orders and first sides, come from a secret
        patched.setattr("annotate_app.create.Keys", lambda _, pairs: Keys(b"7" * KEY_BYTES, pairs))
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
    assert low is not None
    assert high is not None
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


def test_everybody_names_the_planted_side(rehearsed: Places) -> None:
    """A version's country never turns into the other one on the way from screen or judge to table."""
    for row in table(rehearsed, "sides"):
        assert row["cells"]["same_side"]["value"] == 1.0, row["keys"]


def labels_of(places: Places, name: str) -> list[Annotation]:
    return [entry.row for entry in read(places.run.annotations("mine")) if entry.row.annotator == name]


def mean_score(row: Annotation) -> float:
    return float(np.mean([score.score for score in row.scores.values()]))


def contrast(first: list[tuple[str, float]], second: list[tuple[str, float]]) -> Estimate:
    """Mean of the first values minus that of the second; each value has its cluster."""
    rows = [(pair, value, 1.0, 0.0, 0.0) for pair, value in first] + [(pair, 0.0, 0.0, v, 1.0) for pair, v in second]
    codes, count = cluster_codes([row[0] for row in rows])
    defined = {"difference": Defined(lambda s: ratio(s[:, 0], s[:, 1]) - ratio(s[:, 2], s[:, 3]), "nothing")}
    sums = cluster_sums(np.array([row[1:] for row in rows]), codes, count)
    return estimates(defined, sums, len(rows), Resampling(100, SEED))["difference"]


def test_the_side_shown_first_changes_scores_as_declared(rehearsed: Places) -> None:
    """The exported `first` is the one that decided what an annotator added.

    A first minus B first, of the annotator minus FAIR on the pairs that both scored, which takes the truth out.
    """
    fair = {(row.pair, row.model): mean_score(row) for row in labels_of(rehearsed, FAIR.name)}
    for spec in (STERN, SWAYED):
        rows = [row for row in labels_of(rehearsed, spec.name) if row.status == "submitted"]
        above = [(row.first, row.pair, mean_score(row) - fair[row.pair, row.model]) for row in rows]
        found = contrast(*([(pair, value) for first, pair, value in above if first == side] for side in ("A", "B")))
        declared = mean_of(spec, ("A",)) - mean_of(spec, ("B",))
        assert holds(declared, found.low, found.high), (spec.name, declared, found)


@pytest.mark.parametrize("couple", [*combinations(PEOPLE.values(), 2)], ids=lambda two: f"{two[0].name} {two[1].name}")
def test_a_stern_annotator_is_as_stern_as_declared(rehearsed: Places, couple: tuple[RaterSpec, RaterSpec]) -> None:
    """The difference of two annotators on the pairs that both scored."""
    rows = [{(row.pair, row.model): row for row in labels_of(rehearsed, spec.name) if row.scores} for spec in couple]
    both = [[(pair[0], mean_score(own[pair])) for pair in sorted(rows[0].keys() & rows[1].keys())] for own in rows]
    found = contrast(*both)
    assert holds(mean_of(couple[0]) - mean_of(couple[1]), found.low, found.high), found


def test_the_share_unsure_is_what_was_declared(rehearsed: Places) -> None:
    left = {name: sum(row.status == "unsure" for row in labels_of(rehearsed, name)) for name in PEOPLE}
    for spec in PEOPLE.values():
        found = share(left[spec.name], SAMPLED)
        assert holds(spec.unsure, found.low, found.high)
    facts = rehearsed.findings("mine-rehearsal-project")["facts"]
    assert facts["Labels that do not count"] == f"{sum(left.values())} unsure"
    assert facts["Labels"] == f"{3 * SAMPLED} done, {3 * SAMPLED} planned"


def test_the_rehearsal_without_labels_finds_what_it_declares(rehearsed: Places) -> None:
    """Its judges are declared beside one another; beside annotators theory has them in between."""
    cuts = thresholds(MARGINALS)
    people, judge = (
        chances(loading, loading * TRUTH, cuts)
        for loading in (loading_alike(kappa, POINTS, cuts) for kappa in (HUMAN_KAPPA, JUDGE_KAPPA))
    )
    beside = kappa_between(judge, people, POINTS)
    declared = {"judge_human": beside, "human_human": HUMAN_KAPPA, "gap": beside - HUMAN_KAPPA}
    for row in table(rehearsed, "gap", "simulated"):
        for name, value in declared.items():
            cell = row["cells"][name]
            assert holds(value, cell["low"], cell["high"]), (row["keys"], name, value, cell)


def test_a_rehearsal_says_that_it_is_one_and_logs_nothing(rehearsed: Places) -> None:
    lock_file = json.loads((rehearsed.prereg / "mine.lock.json").read_text("utf-8"))
    assert rehearsed.findings("mine-rehearsal-project")["kind"] == "rehearsal"
    assert lock_file["log"]["entries"] == 1


def test_nothing_of_simulated_raters_is_confirmed(rehearsed: Places, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in rehearsed.prereg.iterdir()}
    assert rehearsed.prereg_command("run") == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert len(told.err.splitlines()) == 1
    assert "simulated-fair" in told.err
    assert "rehearse" in told.err
    assert not (rehearsed.validations / "mine").exists()
    assert {path: path.read_bytes() for path in rehearsed.prereg.iterdir()} == before
