"""`polibias power` plans what the statistics say, and `polibias simulate` writes ratings that `agreement` reads."""

import csv
import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from polibias.cli import main
from polibias.simulate import RaterSpec, Simulation, simulate
from polibias.stats.power import MARGINALS, Panel, pair_error, planned, planned_by_simulation, precision

PANEL = Panel(0.50, 0.75)
SEED = 20280101
SPEC = """
seed = 3
units = 60
clusters = 12
scale = [-1, 0, 0.5, 2]
marginals = [0.3, 0.3, 0.2, 0.2]
cluster_correlation = 0.1

[[raters]]
name = "simulated-judge"
correlation = 0.5
shift = 0.3

[[raters]]
name = "simulated-person"
kappa = 0.75
unsure = 0.1
"""


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Any:
    """A function that runs the command and returns its exit code, output and errors."""

    def run(*arguments: object) -> tuple[int, str, str]:
        code = main([str(part) for part in arguments])
        return code, *capsys.readouterr()

    return run


def plan(say: Any, *arguments: object) -> dict[str, Any]:
    code, out, err = say("power", *arguments, "--json")
    assert (code, err) == (0, "")
    found: dict[str, Any] = json.loads(out)
    return found


def test_what_a_number_of_pairs_shows(say: Any) -> None:
    expected = planned(PANEL, 50, SEED)
    found = plan(say, "--pairs", 50)
    assert found["asked"] == json.loads(json.dumps(expected.as_json()))
    assert [row["n"] for row in found["table"]] == [25, 50, 100, 200, 400, 800]
    assert found["table"][1]["detectable"] == expected.detectable
    assert found["asked"]["panel"]["marginals"] == list(MARGINALS)
    code, text, _ = say("power", "--pairs", 50)
    assert code == 0
    assert text.startswith(f"50 pairs give a 95% interval of ±{expected.half_width:.3f} for the gap")
    assert f"A true gap of {expected.detectable:.3f} or more" in text
    assert "the gap declared here, -0.250, would show." in text
    assert [line.split()[0] for line in text.splitlines() if "←" in line] == ["50"]


@pytest.mark.parametrize("quantity", ["gap", "judge", "human"])
@pytest.mark.parametrize("clusters", [None, 9, 40])
@pytest.mark.parametrize(("option", "field"), [("--half-width", "half_width"), ("--detectable", "detectable")])
def test_the_answer_is_the_smallest_number_that_reaches_the_target(
    quantity: str, clusters: int | None, option: str, field: str, say: Any
) -> None:
    more = () if clusters is None else ("--clusters", clusters)
    found = plan(say, option, 0.08, "--quantity", quantity, *more)["asked"]
    error = pair_error(PANEL, quantity, SEED)  # type: ignore[arg-type]
    fewer = precision(error, found["n"] - 1, quantity, clusters=clusters)
    assert found[field] <= 0.08 < getattr(fewer, field)
    assert found["clusters"] == (clusters or found["n"])


def test_a_target_that_the_clusters_themselves_reach(say: Any) -> None:
    """Fewer pairs than clusters cannot be."""
    assert plan(say, "--half-width", 0.9, "--clusters", 30)["asked"]["n"] == 30


def test_options_reach_the_panel(say: Any) -> None:
    options = {
        "kappa-judge": 0.4,
        "kappa-human": 0.6,
        "annotators": 3,
        "dimensions": 4,
        "dimension-correlation": 0.3,
        "marginals": "0.5,0.3,0.2",
        "design-factor": 1.5,
        "clusters": 10,
        "seed": 5,
    }
    found = plan(say, "--pairs", 40, *(part for name, value in options.items() for part in (f"--{name}", value)))
    panel = Panel(0.4, 0.6, (0.5, 0.3, 0.2), 4, 3, 0.3)
    assert found["asked"] == json.loads(json.dumps(planned(panel, 40, 5, design_factor=1.5, clusters=10).as_json()))


def test_simulated_studies_stand_beside_the_formula(say: Any) -> None:
    arguments = ("--pairs", 30, "--simulate", 200, "--seed", 4)
    expected = planned_by_simulation(PANEL, 30, 4, simulations=200)
    assert plan(say, *arguments)["simulated"]["error"] == expected.error
    _, text, _ = say("power", *arguments)
    rows = [line.split() for line in text.splitlines() if "←" in line]
    assert [row[0] for row in rows] == ["30", "30"]
    assert rows[1][1] == f"{expected.error:.3f}"
    assert text.count("200 simulated studies") == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "needs at least 6 clusters to fall below p = 0.05."),
        (("--models", 7), "with Holm's correction over 7 models, needs at least 9 clusters"),
        (("--models", 7, "--clusters", 8), "with 8 the smallest p before correction is 0.0078."),
    ],
)
def test_what_a_sign_flip_test_can_reach(options: tuple[object, ...], said: str, say: Any) -> None:
    assert said in say("power", "--pairs", 50, *options)[1]


def test_a_gap_that_would_not_show_and_kappas_without_zero(say: Any) -> None:
    assert "-0.060, would not show reliably." in say("power", "--pairs", 50, "--kappa-judge", 0.69)[1]
    assert "away from a fixed mark" in say("power", "--pairs", 50, "--quantity", "judge")[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name a target: --half-width, --detectable or --pairs"),
        (("--pairs", "1"), "--pairs 1: at least 2 pairs"),
        (("--pairs", "50", "--clusters", "60"), "at least one per cluster"),
        (("--pairs", "50", "--clusters", "1"), "--clusters 1: at least 2 are needed"),
        (("--half-width", "nan"), "--half-width nan: must be a positive number"),
        (("--half-width", "0"), "--half-width 0: must be a positive number"),
        (("--detectable", "inf"), "--detectable inf: must be a positive number"),
        (("--half-width", "1e-9"), "more than 10,000,000 pairs would be needed"),
        (("--half-width", "1e-9", "--clusters", "9"), "more than 10,000,000 pairs would be needed"),
        (("--pairs", "50", "--design-factor", "-1"), "--design-factor -1: must be a positive number"),
        (("--pairs", "50", "--kappa-judge", "0.9", "--kappa-human", "0.3"), "no latent rater has the kappa 0.9 here"),
        (("--pairs", "50", "--kappa-human", "nan"), "no latent rater has the kappa nan here"),
        (("--pairs", "50", "--annotators", "1"), "agreement between annotators needs two of them"),
        (("--pairs", "50", "--annotators", "11"), "--annotators 11: at most 10"),
        (("--pairs", "50", "--dimensions", "21"), "--dimensions 21: at most 20"),
        (("--pairs", "50", "--dimension-correlation", "2"), "--dimension-correlation 2: must lie between 0 and 1"),
        (("--pairs", "50", "--marginals", "0.5,0.4"), "marginals are shares of at least two categories"),
        (("--pairs", "50", "--marginals", "half,half"), "--marginals half,half: write shares that sum to 1"),
        (("--pairs", "50", "--simulate", "2"), "--simulate 2: at least 100"),
        (("--pairs", "10000000", "--simulate", "5000"), "take too long; ask for fewer"),
        (
            ("--pairs", "4", "--dimensions", "1", "--marginals", "0.97,0.03", "--simulate", "200"),
            "all ratings are the same; plan more pairs",
        ),
    ],
)
def test_impossible_plans_are_one_line(arguments: tuple[str, ...], said: str, say: Any) -> None:
    code, out, err = say("power", *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert err.startswith("polibias: ")
    assert err.count("\n") == 1


def test_two_targets_are_refused(say: Any) -> None:
    with pytest.raises(SystemExit) as stopped:
        say("power", "--pairs", 5, "--half-width", 0.1)
    assert stopped.value.code == 2


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def suggested(text: str) -> list[str]:
    """The command that is printed last, as a shell would split it."""
    program, *arguments = shlex.split(text.splitlines()[-1])
    assert program == "polibias"
    return arguments


def test_ratings_are_those_declared_and_agreement_reads_them(tmp_path: Path, say: Any) -> None:
    path = tmp_path / "my ratings.csv"
    options = ("--units", 90, "--clusters", 15, "--raters", 3, "--kappa", 0.6, "--unsure", 0.1, "--icc", 0.2)
    faults = ("--bias", 0.4, "--side-effect", 0.3, "--drift", -0.5)
    code, text, err = say("simulate", "ratings", "--out", path, *options, *faults, "--seed", 9)
    assert (code, err) == (0, "")
    raters = [RaterSpec(name=f"simulated-{n}", kappa=0.6, unsure=0.1) for n in (1, 2)]
    last = RaterSpec(name="simulated-3", kappa=0.6, unsure=0.1, shift=0.4, side=0.3, drift=-0.5)
    declared = Simulation(seed=9, units=90, clusters=15, raters=(*raters, last), cluster_correlation=0.2)
    rows = rows_of(path)
    assert list(rows[0]) == ["unit", "cluster", "rater", "value", "position", "first", "simulated"]
    expected = [
        (r.unit, r.cluster, r.rater, "" if r.value is None else f"{r.value:g}", str(r.position), r.first, "true")
        for r in simulate(declared)
    ]
    assert [tuple(row.values()) for row in rows] == expected
    assert all(row["rater"].startswith("simulated-") for row in rows)
    assert "kappa of simulated-1 and simulated-2" in text
    assert "All 18 lie as near" in text
    assert list(tmp_path.iterdir()) == [path]
    code, out, _ = say(*suggested(text), "--json")
    found = json.loads(out)["kappa_quadratic"]
    assert (code, found["clusters"]) == (0, 15)
    assert found["low"] < found["value"] < found["high"]


def test_a_declared_simulation_with_a_scale_of_its_own(tmp_path: Path, say: Any) -> None:
    spec, path = tmp_path / "spec.toml", tmp_path / "r.csv"
    spec.write_text(SPEC, "utf-8")
    code, text, _ = say("simulate", "ratings", spec, "--out", path)
    assert code == 0
    assert {row["value"] for row in rows_of(path)} == {"", "-1", "0", "0.5", "2"}
    assert "--categories=-1,0,0.5,2" in text
    assert say(*suggested(text), "--resamples", 100)[0] == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--units", 1, "--clusters", 1), "there is too little to tell"),
        (("--units", 10, "--clusters", 5, "--unsure", 1), "too little to tell"),
        (("--units", 10, "--clusters", 10, "--raters", 1), "Agreement needs a second rater."),
    ],
)
def test_small_simulations_say_what_they_cannot_tell(
    options: tuple[object, ...], said: str, tmp_path: Path, say: Any
) -> None:
    code, text, _ = say("simulate", "ratings", "--out", tmp_path / "r.csv", *options)
    assert code == 0
    assert said in text
    assert "nan" not in text
    if "polibias agreement" in text:
        code, text, _ = say(*suggested(text), "--resamples", 100)
        assert code == 0
        assert "nan" not in text


def test_nothing_is_overwritten(tmp_path: Path, say: Any) -> None:
    path = tmp_path / "r.csv"
    path.write_text("mine", "utf-8")
    code, _, err = say("simulate", "ratings", "--out", path)
    assert code == 2
    assert "nothing is overwritten" in err
    assert path.read_text("utf-8") == "mine"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--out", "r.txt"), "name a file that ends in .csv"),
        (("--out", "r.csv", "--kappa", "2"), "Expected `float` <= 1.0 (at raters number 1.kappa)"),
        (("--out", "r.csv", "--kappa", "nan"), "raters number 1.kappa"),
        (("--out", "r.csv", "--drift", "99"), "raters number 2.drift"),
        (("--out", "r.csv", "--units", "5"), "5 units cannot fill 60 clusters"),
        (("--out", "r.csv", "--units", "500000", "--raters", "9"), "more than 2,000,000 ratings"),
        (("--out", "r.csv", "--seed", "-1"), "Expected `int` >= 0 (at seed)"),
        (("none.toml", "--out", "r.csv"), "none.toml: no such file"),
        (("spec.toml", "--out", "r.csv", "--units", "5", "--icc", "0"), "leave out --units, --icc"),
        (("wrong.toml", "--out", "r.csv"), "wrong.toml: rater 'person': the name of"),
        (("wide.toml", "--out", "r.csv"), "reads no points of a scale beyond 1e+06"),
    ],
)
def test_impossible_simulations_are_one_line_and_write_nothing(
    arguments: tuple[str, ...], said: str, tmp_path: Path, say: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("spec.toml").write_text(SPEC, "utf-8")
    Path("wrong.toml").write_text(SPEC.replace("simulated-person", "person"), "utf-8")
    Path("wide.toml").write_text(SPEC.replace("0.5, 2]", "0.5, 2e6]"), "utf-8")
    code, out, err = say("simulate", "ratings", *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert not Path("r.csv").exists()
