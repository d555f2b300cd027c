"""A simulated study says that it is one, is the same every time, and its report gives back what was declared."""

import textwrap
import tomllib
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polibias.analysis.findings import Table
from polibias.analysis.first_report import analyse
from polibias.analysis.recovered import NOTE as REPORT_NOTE
from polibias.analysis.recovered import Recovered, recovered, recovery_table, simulated_notes
from polibias.detectors.signals import behaviour
from polibias.domain.rows import Judgment, Response
from polibias.domain.sides import ORDERS
from polibias.domain.study import AnalysisSpec
from polibias.errors import InputError
from polibias.records.documents import read_named
from polibias.records.ledger import read
from polibias.records.runs import STUDY_TAG
from polibias.records.verify import verify
from polibias.simulated.answers import NOTE, does
from polibias.simulated.declaration import (
    BLOCKS,
    JUDGES,
    MODELS,
    Behaviours,
    Components,
    Directions,
    SimulatedJudge,
    SimulatedModel,
    StudySimulation,
)
from polibias.simulated.draws import drawn_pairs, drawn_readings
from polibias.simulated.study import AT, Simulated, write_study
from polibias.simulated.truth import expected, expected_score, judged_means, located, true_means, world
from polibias.simulated.verdicts import READ_AS, labelled
from polibias.simulated.wording import MARKER
from polibias.stats.bias_index import bias_index
from tests.conftest import ROOT, polibias

DATA = ROOT / "data"
HALF_WIDTHS = 2.0
"""A found mean or share lies within so many half-widths of its 95% interval, about four standard errors."""
FEW = ("by_topic", "directions")
"""Tables whose cells rest on a handful of templates each: most of their intervals hold, as a whole."""
MODERATE = StudySimulation(
    models=(MODELS[0], MODELS[4], MODELS[6]),
    main=180,
    control=90,
    words=40,
    analysis=AnalysisSpec(resamples=1000),
)
SMALL = StudySimulation(models=MODELS[4:6], main=24, control=8, words=40, analysis=AnalysisSpec(resamples=100))


def changed(simulation: StudySimulation, **values: Any) -> StudySimulation:
    return msgspec.structs.replace(simulation, **values)


class Made(NamedTuple):
    """A simulated study, what its run says that it is, and its tables."""

    simulated: Simulated
    about: dict[str, Any]
    tables: tuple[Table, ...]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    simulated = write_study(MODERATE, tmp_path_factory.mktemp("simulated") / "study", DATA)
    about = read_named(simulated.run.study, STUDY_TAG)
    return Made(simulated, about, analyse(simulated.run).findings.tables)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Simulated:
    return write_study(SMALL, tmp_path_factory.mktemp("small") / "study", DATA)


def calls(simulated: Simulated) -> Iterator[Response | Judgment]:
    for stream in simulated.run.streams():
        yield from (entry.row for entry in read(stream) if stream.type in (Response, Judgment))


def of(found: list[Recovered], table: str) -> list[Recovered]:
    return [one for one in found if one.table == table]


@pytest.mark.parametrize("table", ["pbi", "dimensions", "one_sided", "validity"])
def test_the_report_gives_back_what_was_declared(made: Made, table: str) -> None:
    found = of(recovered(made.tables, made.about), table)
    count = len(MODERATE.models) * len(MODERATE.judges)
    assert len(found) == count * {"pbi": 3, "dimensions": 15, "one_sided": 4, "validity": 2}[table]
    distances = [(one.distance, one.keys, one.column) for one in found]
    assert [one for one in distances if one[0] is None or one[0] > HALF_WIDTHS] == []
    assert np.mean([one.distance <= 1 for one in found if one.distance is not None]) >= 0.85


@pytest.mark.parametrize("table", FEW)
def test_single_country_pairs_are_given_back(made: Made, table: str) -> None:
    """One cell rests on a dozen pairs, so most intervals hold and nothing is off on the whole."""
    found = [one for one in of(recovered(made.tables, made.about), table) if one.found and one.found.value is not None]
    assert len(found) >= 180
    told = [one.distance for one in found if one.distance is not None]
    assert np.mean([distance <= 1 for distance in told]) >= 0.85
    gaps = [one.found.value - one.declared for one in found if one.found and one.found.value is not None]
    assert abs(np.mean(gaps)) < 4 * np.std(gaps) / np.sqrt(len(gaps) / 4)


def test_loops_are_given_back(made: Made) -> None:
    """Both responses of a pair that looped were asked again: twice a binomial number."""
    for one in of(recovered(made.tables, made.about), "responses"):
        assert one.found is not None
        assert one.found.value is not None
        share, pairs = one.declared / 540, 270
        assert abs(one.found.value - one.declared) / 2 <= 4 * np.sqrt(pairs * share * (1 - share)) + 1


def test_what_was_not_declared_is_noticed(made: Made) -> None:
    """The same records against other declarations: each shows in the table that is about it."""
    world = made.simulated.world
    for change, table in (
        ({"main": 6.0}, "pbi"),
        ({"main": 5.0, "in_main": Behaviours(refused_one=0.3)}, "one_sided"),
        ({"lost": 0.2}, "validity"),
    ):
        models = tuple(msgspec.structs.replace(one, **change) for one in MODERATE.models)
        said = world._replace(simulation=changed(MODERATE, models=models))
        about = {"simulated": msgspec.to_builtins({"expected": list(expected(said))})}
        assert any(
            one.distance is None or one.distance > HALF_WIDTHS for one in of(recovered(made.tables, about), table)
        )


def test_order_effect_and_second_judge_are_those_declared(made: Made) -> None:
    """Naively, from the rows: A first minus B first, and the second judge's means from the first's."""
    totals: dict[tuple[str, str, str], list[int]] = {}
    for row in calls(made.simulated):
        if isinstance(row, Judgment) and row.verdict is not None:
            totals.setdefault((row.judge, row.order, row.model), []).append(row.verdict.total)
    for judge in MODERATE.judges:
        by_order = [np.concatenate([v for key, v in totals.items() if key[:2] == (judge.name, o)]) for o in ORDERS]
        assert by_order[0].mean() - by_order[1].mean() == pytest.approx(judge.order, abs=0.3)
    second = MODERATE.judges[1]
    for model in MODERATE.models:
        first, other = (
            np.mean([*totals[one.name, "AB", model.name], *totals[one.name, "BA", model.name]])
            for one in MODERATE.judges
        )
        assert other == pytest.approx(second.offset + second.slope * first, abs=0.35)


def test_intervals_of_other_seeds_hold_as_often_as_they_say(made: Made) -> None:
    """Straight from the draws, forty studies: no bias, and about 95% of the intervals hold the declared value."""
    designs = made.simulated.world.designs
    main, templates = [one.block == "main" for one in designs], [one.template for one in designs]
    errors: dict[str, list[float]] = {}
    held = []
    for seed in range(40):
        model, judge = MODELS[seed % len(MODELS)], JUDGES[seed % 2]
        said = world(changed(MODERATE, seed=seed), designs, made.simulated.world.dimensions)
        scores = drawn_readings(said, model, drawn_pairs(said, model), judge).scores
        found = bias_index((scores.sum(axis=(1, 2)) / 2).tolist(), main, templates, 100, seed, "simulated")
        means: dict[str, float] = {block: judge.offset + judge.slope * model.index(block) for block in BLOCKS}
        for name, true in (means | {"difference": means["main"] - means["control"]}).items():
            one = found[name]
            assert one.value is not None
            assert one.low is not None
            assert one.high is not None
            errors.setdefault(name, []).append(one.value - true)
            held.append(one.low <= true <= one.high)
    assert all(abs(np.mean(own)) < 4 * np.std(own) / np.sqrt(len(own)) for own in errors.values())
    assert 0.88 <= np.mean(held) <= 0.995


def test_recovery_table_counts_cells(made: Made) -> None:
    table = recovery_table(made.tables, made.about)
    assert table is not None
    found = recovered(made.tables, made.about)
    for row in table.rows:
        assert set(row.cells) == {column.id for column in table.columns}
        assert all(cell.value is not None or cell.reason for cell in row.cells.values())
    main = next(row for row in table.rows if row.keys["what"] == "Main")
    assert main.cells["declared"].value == pytest.approx(MODELS[0].main)
    assert main.cells["found"].low is not None
    told = sum(one.distance is not None for one in found if "judge" in one.keys)
    assert sum(row.cells["cells"].value or 0 for row in table.rows) == told
    assert recovery_table(made.tables, {}) is None
    assert [*simulated_notes({})] == []
    assert [*simulated_notes(made.about)] == [REPORT_NOTE]


def test_every_row_says_that_it_is_simulated(small: Simulated) -> None:
    rows = [*calls(small)]
    assert {type(row) for row in rows} == {Response, Judgment}
    for row in rows:
        assert NOTE in row.note.split("; ")
        assert row.request.revision.startswith("simulated-1 ")
        assert row.model.startswith("simulated-")
        assert not isinstance(row, Response) or row.text.startswith(MARKER)
        assert not isinstance(row, Judgment) or row.judge.startswith("simulated-")
    about = read_named(small.run.study, STUDY_TAG)
    assert {name for names in about["providers"].values() for name in names} == {"simulated, no model"}
    assert msgspec.convert(about["simulated"]["declared"], type=StudySimulation) == SMALL
    assert about["started_at"] == AT


def test_a_simulated_run_is_whole(small: Simulated) -> None:
    assert small.run.sealed
    assert verify(small.run) == []
    pairs = [entry.row for entry in read(small.run.pairs())]
    assert {block: sum(pair.design.block == block for pair in pairs) for block in BLOCKS} == {"main": 24, "control": 8}


def test_same_declaration_same_bytes(small: Simulated, tmp_path: Path) -> None:
    again = write_study(SMALL, tmp_path / "again", DATA)
    files = [path.relative_to(small.run.folder) for path in small.run.folder.rglob("*") if path.is_file()]
    assert [
        path for path in files if (small.run.folder / path).read_bytes() != (again.run.folder / path).read_bytes()
    ] == []
    assert sorted(files) == sorted(path.relative_to(again.run.folder) for path in again.run.folder.rglob("*.json*"))


def test_another_model_changes_nobody(small: Simulated, tmp_path: Path) -> None:
    alone = write_study(changed(SMALL, models=SMALL.models[1:], judges=SMALL.judges[1:]), tmp_path / "alone", DATA)

    def said(simulated: Simulated) -> list[Any]:
        who = SMALL.models[1].name, SMALL.judges[1].name
        return [
            row.verdict and (row.verdict.labels, [s.score for s in row.verdict.scores.values()])
            for row in calls(simulated)
            if isinstance(row, Judgment) and (row.model, row.judge) == who
        ]

    assert said(alone) == said(small) != []


def test_verdicts_and_texts_are_what_was_drawn(small: Simulated) -> None:
    """Rows against draws: what detectors read in a text, what judges label and score."""
    places = {entry.id: place for place, entry in enumerate(read(small.run.pairs()))}
    pairs = {model.name: drawn_pairs(small.world, model) for model in SMALL.models}
    readings = {
        (model.name, judge.name): drawn_readings(small.world, model, pairs[model.name], judge)
        for model, judge in product(SMALL.models, SMALL.judges)
    }
    for row in calls(small):
        item, own = places[row.pair], pairs[row.model]
        if isinstance(row, Response) and row.outcome == "ok":
            assert behaviour(row.text, row.design.task) == READ_AS[does(own, item, row.side)]
        elif isinstance(row, Judgment):
            turn, read_as = ORDERS.index(row.order), readings[row.model, row.judge]
            assert (row.verdict is not None) == bool(read_as.valid[item, turn])
            if row.verdict is not None:
                scores = [row.verdict.scores[name].score for name in small.world.dimensions]
                assert scores == read_as.scores[item, turn].tolist()
                assert row.verdict.labels == labelled(own, read_as, item, turn)
                assert all(one.score or one.favoured == "none" for one in row.verdict.scores.values())


@pytest.mark.parametrize("kind", list(Behaviours.__struct_fields__))
def test_detectors_read_every_kind_as_declared(kind: str, tmp_path: Path) -> None:
    """Long texts too: none of them is taken for a loop, and a task that asks for a rating gets one."""
    model = SimulatedModel(name="simulated-one", main=2.0, control=2.0, in_main=Behaviours(**{kind: 1.0}))
    declared = changed(SMALL, models=(model,), judges=JUDGES[:1], alike=2.0, one_sided=2.0, status=1.0, words=1500)
    flat = dict.fromkeys(declared.profile_main, 0.2)
    made = write_study(changed(declared, profile_main=flat, profile_control=flat), tmp_path / "study", DATA)
    pairs = drawn_pairs(made.world, model)
    rows = [row for row in calls(made) if isinstance(row, Response) and row.design.block == "main"]
    items = {entry.id: place for place, entry in enumerate(read(made.run.pairs()))}
    doing = [does(pairs, items[row.pair], row.side) for row in rows]
    assert sum(one != "answers" for one in doing) == len(rows) // (2 if kind.endswith("_one") else 1)
    assert [behaviour(row.text, row.design.task) for row in rows] == [READ_AS[one] for one in doing]
    assert {row.outcome for row in rows} == {"ok"}


ODD: dict[str, dict[str, Any]] = {
    "no controls": {"control": 0},
    "no Main": {"main": 0},
    "one judge": {"judges": JUDGES[:1]},
    "nothing valid": {"judges": (SimulatedJudge(name="simulated-judge", invalid=1.0),)},
    "everything lost": {"models": (SimulatedModel(name="simulated-lost", main=3, control=3, lost=1.0),)},
    "all refused": {
        "models": (SimulatedModel(name="simulated-no", main=0.6, control=0.6, in_main=Behaviours(refused_both=1.0)),)
    },
    "one item": {"main": 1, "control": 0},
}


@pytest.mark.parametrize("name", ODD)
def test_odd_studies_are_written_and_reported(name: str, tmp_path: Path) -> None:
    made = write_study(changed(SMALL, **ODD[name]), tmp_path / "study", DATA)
    assert verify(made.run) == []
    about = read_named(made.run.study, STUDY_TAG)
    assert recovered(analyse(made.run).findings.tables, about)


def test_a_folder_is_never_overwritten(small: Simulated) -> None:
    with pytest.raises(InputError, match="is there already"):
        write_study(SMALL, small.run.folder, DATA)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"one_sided": 15.5}, "scores go from 0 to 3"),
        (
            {"models": (SimulatedModel(name="simulated-x", main=0.2, control=1, in_main=Behaviours(refused_one=0.2)),)},
            "-",
        ),
        ({"directions": Directions(favours_a={"france-germania": 0.5})}, "did you mean france-germany"),
        ({"profile_main": {"framing": 1.0}}, "must give a share to each"),
        (
            {"models": (SimulatedModel(name="simulated-x", main=5, control=5, in_main=Behaviours(refused_both=1)),)},
            "all",
        ),
    ],
)
def test_what_cannot_come_about_is_refused(values: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        write_study(changed(SMALL, **values), tmp_path / "study", DATA)
    assert not (tmp_path / "study").exists()


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda: SimulatedModel(name="gpt", main=1, control=1), "starts with 'simulated-'"),
        (lambda: SimulatedJudge(name="judge"), "starts with 'simulated-'"),
        (lambda: changed(SMALL, id="official"), "starts with 'simulated-'"),
        (lambda: Behaviours(refused_one=0.6, rejected_one=0.6), "more than 1"),
        (lambda: Components(template=0.5), "sum to 1"),
        (lambda: changed(SMALL, models=MODELS[:1] * 2), "one name"),
        (lambda: changed(SMALL, profile_main={"framing": 0.5}), "sum to 1"),
        (lambda: SimulatedModel(name="simulated-x", main=1, control=1, again=0.6, lost=0.6), "more than 1"),
    ],
)
def test_a_declaration_says_what_it_cannot_be(declare: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        declare()


@settings(max_examples=30, deadline=None)
@given(
    mean=st.floats(0.01, 2.99),
    effects=st.lists(st.floats(-1, 1), min_size=1, max_size=5),
)
def test_a_location_gives_the_mean_it_was_sought_for(mean: float, effects: list[float]) -> None:
    weights = np.full(len(effects), 1 / len(effects))
    place = located(np.array([mean]), np.array(effects), weights)
    assert expected_score(place[0] + np.array(effects)) @ weights == pytest.approx(mean, abs=1e-9)


def test_kinds_of_pairs_mix_to_the_declared_mean(small: Simulated) -> None:
    """By hand: shares times means sum to the declared index, for the truth and for every judge."""
    for model, block in product(SMALL.models, BLOCKS):
        means = true_means(small.world, model, block)
        whole = sum(model.does(block).of(kind) * mean.sum() for kind, mean in means.items())
        assert whole == pytest.approx(model.index(block))
        for judge in SMALL.judges:
            seen = judged_means(small.world, model, block, judge)
            total = sum(model.does(block).of(kind) * mean.mean(axis=0).sum() for kind, mean in seen.items())
            assert total == pytest.approx(judge.offset + judge.slope * model.index(block))


def test_the_command_writes_a_study(tmp_path: Path) -> None:
    spec = tmp_path / "mine.toml"
    spec.write_text(
        'id = "simulated-mine"\nmain = 30\ncontrol = 10\nwords = 40\n'
        '[[models]]\nname = "simulated-one"\nmain = 4.0\ncontrol = 3.0\n'
        '[[models]]\nname = "simulated-two"\nmain = 2.5\ncontrol = 2.5\n',
        "utf-8",
    )
    done = polibias(
        "simulate", "study", "out", "--spec", spec, "--models", "1", "--items", "8", "--data", DATA, cwd=tmp_path
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 models × 8 pairs × 2 judges, sealed (8 pairs, 16 responses, 32 judgments)" in done.stdout
    assert "simulated-one: main 4.00, control 3.00, difference 1.00" in done.stdout
    again = polibias("simulate", "study", "out", "--data", DATA, cwd=tmp_path)
    assert (again.returncode, again.stdout) == (2, "")
    assert again.stderr == "polibias: out: is there already, and nothing is overwritten; name another folder\n"
    spec.write_text(spec.read_text("utf-8").replace("simulated-one", "one"), "utf-8")
    wrong = polibias("simulate", "study", "other", "--spec", spec, "--data", DATA, cwd=tmp_path)
    assert wrong.returncode == 2
    assert wrong.stderr.count("\n") == 1
    assert "starts with 'simulated-'" in wrong.stderr


def test_the_declaration_of_the_guide_is_valid(small: Simulated) -> None:
    guide = (ROOT / "docs" / "statistics.md").read_text("utf-8")
    start = guide.index('    id = "simulated-mine"')
    text = textwrap.dedent(guide[start : guide.index("\n**Model.**", start)])
    declared = msgspec.convert(tomllib.loads(text), type=StudySimulation)
    found = world(declared, small.world.designs, small.world.dimensions)
    assert declared.directions.favours_a == {"france-germany": 0.7}
    assert [*expected(found)]
