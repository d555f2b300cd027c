"""Structure of responses: tables by hand and by definition, the exchange of sides, reasons, and what cells select."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polibias import flow
from polibias.analysis.cases import Answered, Case, PairFacts
from polibias.analysis.findings import Cell, Table
from polibias.analysis.first_report import analyse
from polibias.analysis.frames import tidy
from polibias.analysis.pbi import Tables
from polibias.analysis.structured import (
    RATIOS,
    TITLES,
    counted,
    graver_table,
    known_provisions,
    measures,
    median,
    structure_marks,
    structure_table,
    table_fact,
)
from polibias.detectors.comparison import Measure
from polibias.detectors.rating import Rating
from polibias.detectors.signals import Behaviour
from polibias.detectors.structure import Structure, structure
from polibias.domain.provision import Provision
from polibias.domain.rows import Design
from polibias.domain.sides import SIDES, Both
from polibias.domain.study import AnalysisSpec
from polibias.errors import InputError
from polibias.models.scripted import HOSTILE
from polibias.planning import plan
from polibias.progress import QuietWatcher
from polibias.records.ledger import read
from polibias.records.runs import Run
from polibias.report.marking import marks
from polibias.sources.rubrics import read_rubric
from polibias.stages import judgeable
from tests.conftest import ITEMS, ROOT, SCRIPTED, spoil

RUBRIC = read_rubric(ROOT / "data", "poli-bias", "tests")
SPEC = AnalysisSpec(resamples=200)
NONE = Behaviour("none", "none")


def made(words: int, arguments: int = 1, hedges: int = 0, cited: str = "", rating: float | None = None) -> Structure:
    """A response's structure; `cited` has one letter for each provision."""
    provisions = frozenset(Provision("Rome Statute", letter) for letter in cited)
    found = Rating("absent") if rating is None else Rating("read", rating, rating, rating)
    return Structure(6 * words, words, arguments, hedges, provisions, 0, found)


def case(number: int, a: Structure | None, b: Structure | None, block: str = "main", **given: object) -> Case:
    """A pair that nobody judged, unless `given` says more."""
    task, condition = str(given.get("task", "T1")), str(given.get("condition", "official"))
    topic, roles = str(given.get("topic", f"{block}-1")), str(given.get("roles", "swapped"))
    design = Design(f"T-{number % 5}", "c", topic, "x", block, task, condition, roles)  # type: ignore[arg-type]
    facts = PairFacts(
        design, Both("a", "b"), Both("a", "b"), Both("b", "a"), float(str(given.get("inclusion", 1))), "", "", None
    )  # type: ignore[arg-type]
    again = int(str(given.get("again", 0)))
    answered = {
        side: Answered("ok", again if side == "B" else 0, None, NONE, found)  # type: ignore[arg-type]
        for side, found in zip(SIDES, (a, b), strict=True)
    }
    return Case(f"p{number}", facts, str(given.get("model", "m")), str(given.get("judge", "j")), answered, {})


def tables(cases: list[Case], spec: AnalysisSpec = SPEC) -> Tables:
    rubrics = {one.pair.design.condition: RUBRIC for one in cases}
    return Tables(tidy(cases, rubrics), rubrics, spec)


def table(cases: list[Case], spec: AnalysisSpec = SPEC) -> Table:
    found = structure_table(tables(cases, spec), cases)
    assert found is not None
    return found


def cells(cases: list[Case], measure: str, spec: AnalysisSpec = SPEC) -> dict[str, Cell]:
    (row,) = [row for row in table(cases, spec).rows if row.keys["measure"] == TITLES[measure]]
    return row.cells


def value(found: dict[str, Cell], *columns: str) -> list[float | None]:
    return [found[column].value for column in columns]


MEANS = ("main", "control", "difference")
SMALL = [
    case(0, made(100, 4, 2, "ab", 9.0), made(50, 2, 0, "bc", 7.0), task="T4"),
    case(1, made(30, 3, 0, "", 8.0), made(40, 3, 0, "", None), task="T4"),
    case(2, made(10, 1, 1, "a"), made(10, 2, 4, "a")),
    case(3, made(80, 5, 3, "a", 8.0), made(64, 4, 3, "", 8.0), "control", task="T4"),
    case(4, made(20, 1, 0, "abcd"), made(20, 1, 0, "abc"), "control"),
]
"""Three pairs of Main and two of Controls, by hand."""


def test_the_table_by_hand() -> None:
    words = cells(SMALL, "words")
    assert value(words, *MEANS) == pytest.approx([(0.5 + 0.75 + 1) / 3, (0.8 + 1) / 2, 0.75 - 0.9])
    assert value(words, "median_main", "median_control") == [0.75, pytest.approx(0.9)]
    assert value(words, "level_main", "level_control") == [35.0, 42.0]
    assert value(words, "readable_main", "readable_control") == [1.0, 1.0]
    assert [words[f"median_{block}"].clusters for block in ("main", "control")] == [3, 2]
    arguments = cells(SMALL, "arguments")
    assert value(arguments, *MEANS) == pytest.approx([(0.5 + 1 + 0.5) / 3, (0.8 + 1) / 2, 2 / 3 - 0.9])


def test_none_beside_some_is_0_and_none_beside_none_is_undefined() -> None:
    hedges = cells(SMALL, "hedges")
    assert value(hedges, *MEANS) == pytest.approx([(0 + 0.25) / 2, 1.0, 0.125 - 1])
    assert value(hedges, "readable_main", "readable_control") == pytest.approx([2 / 3, 0.5])
    assert (hedges["main"].n, hedges["control"].n, hedges["difference"].n) == (2, 1, 3)
    assert (hedges["readable_main"].n, hedges["level_main"].n) == (3, 6)
    provisions = cells(SMALL, "provisions")
    assert value(provisions, *MEANS) == pytest.approx([(1 + 1) / 2, (0 + 0.75) / 2, 1 - 0.375])


def test_overlap_is_a_pairs_and_has_no_median_response() -> None:
    overlap = cells(SMALL, "overlap")
    assert value(overlap, *MEANS) == pytest.approx([(1 / 3 + 1) / 2, (0 + 0.75) / 2, 2 / 3 - 0.375])
    assert value(overlap, "readable_main", "median_main", "median_control") == pytest.approx([2 / 3, 2 / 3, 0.375])
    assert (overlap["level_main"].value, overlap["level_main"].n) == (None, 0)
    assert "belongs to a pair" in overlap["level_main"].reason


def test_ratings_are_expected_of_their_task_alone() -> None:
    rating = cells(SMALL, "rating")
    assert value(rating, *MEANS) == [2.0, 0.0, 2.0]
    assert value(rating, "readable_main", "readable_control") == [0.5, 1.0]
    assert (rating["readable_main"].n, rating["readable_control"].n) == (2, 1)
    assert value(rating, "level_main", "level_control") == [8.0, 8.0]
    assert (rating["level_main"].n, rating["level_control"].n) == (3, 2)


def test_a_measure_without_a_value_says_why() -> None:
    silent = [case(n, made(10), made(12), block, task="T4") for n, block in enumerate(("main", "main", "control"))]
    for measure, reason in (
        ("hedges", "Hedges, smaller / larger: no value in any pair (both are 0)"),
        ("overlap", "Overlap of cited provisions: no value in any pair (neither cites a provision)"),
        ("rating", "Distance of ratings, points: no value in any pair (no rating was read in A and B)"),
    ):
        found = cells(silent, measure)
        for column in (*MEANS, "median_main", "median_control"):
            assert (found[column].value, found[column].n, found[column].reason) == (None, 0, reason), column
        assert value(found, "readable_main", "readable_control") == [0.0, 0.0]
    assert cells(silent, "hedges")["level_main"].value == 0.0
    assert cells(silent, "rating")["level_main"].value is None


def test_a_block_without_a_value_is_named_by_the_difference() -> None:
    found = cells([case(0, made(5, 1, 2), made(5, 1, 1)), case(1, made(5), made(5), "control")], "hedges")
    assert value(found, *MEANS) == [0.5, None, None]
    assert found["difference"].reason == found["control"].reason
    assert found["difference"].n == 1


def test_what_was_not_asked_is_not_unreadable() -> None:
    found = cells([case(n, made(10), made(12), block) for n, block in enumerate(("main", "control"))], "rating")
    for one in (found["main"], found["difference"], found["median_main"], found["readable_control"]):
        assert (one.value, one.n) == (None, 0)
        assert one.reason == "no pair with two responses to a task that asks for a rating"


def test_only_comparable_pairs_count_whether_or_not_they_were_judged() -> None:
    lost = case(9, made(1), made(1000))
    others = [
        case(5, made(1), None),
        case(6, None, made(1)),
        case(7, made(1), made(1000), again=1),
        lost._replace(responses={"A": lost.responses["A"]}),
        lost._replace(responses={}),
    ]
    assert table([*SMALL, *others]).rows == table(SMALL).rows
    assert all(not list(structure_marks(one)) for one in others)
    nobody = cells(others, "words")
    assert (nobody["main"].value, nobody["main"].reason) == (None, "no pair with two responses")


def test_a_pair_counts_once_however_many_judges_there_are() -> None:
    twice = [*SMALL, *(one._replace(judge="k") for one in SMALL)]
    assert table(twice) == table(SMALL)


def test_models_and_conditions_stand_apart() -> None:
    cases = [*SMALL, *(one._replace(model="n") for one in SMALL[:4])]
    assert {row.keys["model"] for row in table(cases).rows} == {"m", "n"}
    both = [
        *SMALL,
        *(case(n, made(10), made(20), block, condition="null") for n, block in enumerate(("main", "control"))),
    ]
    found = table(both)
    assert found.keys == ("model", "condition", "measure")
    rows = {(row.keys["condition"], row.keys["measure"]): row.cells for row in found.rows}
    assert value(rows["null", TITLES["words"]], *MEANS) == [0.5, 0.5, 0.0]
    assert value(rows["official", TITLES["words"]], *MEANS) == value(cells(SMALL, "words"), *MEANS)


def test_one_block_alone_has_its_own_columns() -> None:
    ids = {column.id for column in table(SMALL[:3]).columns}
    assert ids == {"main", "readable_main", "median_main", "level_main"}


def crowd(count: int = 60) -> list[Case]:
    dice = np.random.default_rng(11)

    def drawn() -> Structure:
        words, arguments, hedges = (int(dice.integers(low, high)) for low, high in ((50, 400), (1, 9), (0, 5)))
        cited = "".join(letter for letter in "abcde" if dice.random() < 0.3)
        return made(words, arguments, hedges, cited, float(dice.integers(2, 20)) / 2 if dice.random() < 0.9 else None)

    return [
        case(
            n,
            drawn(),
            drawn(),
            "main" if n % 3 else "control",
            task=f"T{1 + n % 4}",
            topic=f"t{n % 6}",
            inclusion=share,
        )
        for n, share in ((n, 0.5 if n % 2 else 1.0) for n in range(count))
    ]


def test_the_table_by_definition_with_weights() -> None:
    cases = crowd()
    found = {row.keys["measure"]: row.cells for row in table(cases).rows}
    for measure, title in TITLES.items():
        for block in ("main", "control"):
            values, weights = [], []
            for one in cases:
                a, b = (one.responses[side].structure for side in SIDES)
                assert a is not None
                assert b is not None
                said = naive(measure, a, b, one.pair.design.task)
                if one.pair.design.block == block and said is not None:
                    values.append(said)
                    weights.append(1 / one.pair.inclusion)
            mean = found[title][block]
            assert mean.value == pytest.approx(np.average(values, weights=weights), abs=1e-12)
            assert mean.n == len(values)
            assert found[title][f"median_{block}"].value == pytest.approx(
                np.median(np.repeat(values, np.array(weights, dtype=int))), abs=1e-12
            )
    words = found[TITLES["words"]]["difference"]
    assert words.low is not None
    assert words.low < words.value < words.high  # type: ignore[operator]
    assert words.beside


def naive(measure: str, a: Structure, b: Structure, task: str) -> float | None:
    """A measure as the caption defines it."""
    if measure == "rating":
        known = task == "T4" and a.rating.value is not None and b.rating.value is not None
        return abs(a.rating.value - b.rating.value) if known else None  # type: ignore[operator]
    if measure == "overlap":
        return (
            len(a.provisions & b.provisions) / len(a.provisions | b.provisions) if a.provisions | b.provisions else None
        )
    sizes = [len(one.provisions) if measure == "provisions" else getattr(one, measure) for one in (a, b)]
    return min(sizes) / max(sizes) if max(sizes) else None


def exchanged(one: Case) -> Case:
    return one._replace(responses={"A": one.responses["B"], "B": one.responses["A"]})


def test_exchanging_the_sides_changes_no_number_but_the_signed_ones() -> None:
    cases = crowd()
    turned = [exchanged(one) for one in cases]
    assert table(turned) == table(cases)
    before, after = (graver_table(tables(some), some) for some in (cases, turned))
    assert before is not None
    assert after is not None
    for one, other in zip(before.rows, after.rows, strict=True):
        assert value(one.cells, "A", "B", "same") == value(other.cells, "B", "A", "same")
        assert one.cells["mean"].value == pytest.approx(-other.cells["mean"].value, abs=1e-12)  # type: ignore[operator]


SIZES = st.integers(0, 5)
STRUCTURES = st.builds(
    made, SIZES, SIZES, SIZES, st.text("abcd", max_size=4), st.none() | st.integers(1, 10).map(float)
)


@given(STRUCTURES, STRUCTURES)
def test_a_measure_is_symmetric_on_its_scale_and_at_its_end_for_equals(a: Structure, b: Structure) -> None:
    for task in ("T1", "T4"):
        found = measures(Both(a, b), task)
        values = {name: measure.value for name, measure in found.items()}
        assert values == {name: measure.value for name, measure in measures(Both(b, a), task).items()}
        assert found.keys() == (TITLES.keys() if task == "T4" else TITLES.keys() - {"rating"})
        for name, measure in found.items():
            assert (measure.value is None) == bool(measure.reason)
            assert measure.value is None or 0 <= measure.value <= (9 if name == "rating" else 1)
        same = measures(Both(a, a), task)
        assert {same[name].value for name in (*RATIOS, "overlap")} <= {1.0, None}
        assert same.get("rating", Measure(0.0)).value in (0.0, None)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 4)), min_size=1, max_size=12))
def test_a_weighted_median_is_that_of_repeated_values(held: list[tuple[int, int]]) -> None:
    values, weights = zip(*held, strict=True)
    assert median(values, weights) == np.median(np.repeat(values, weights))
    assert median(values, [weight / 7 for weight in weights]) == median(values, weights)


def test_which_is_graver_by_topic_where_the_sides_are_exchanged() -> None:
    rated = [
        case(0, made(1, rating=9.0), made(1, rating=7.0), task="T4", topic="x-y"),
        case(1, made(1, rating=6.0), made(1, rating=7.5), task="T4", topic="x-y"),
        case(2, made(1, rating=8.0), made(1, rating=8.0), task="T4", topic="x-y"),
        case(3, made(1, rating=8.0), made(1), "control", task="T4", topic="u-v"),
        case(4, made(1), made(1), "control", topic="s-t"),
    ]
    found = graver_table(tables(rated), rated)
    assert found is not None
    rows = {row.keys["topic"]: row.cells for row in found.rows}
    assert value(rows["x-y"], "A", "B", "same", "mean") == [1.0, 1.0, 1.0, pytest.approx(0.5 / 3)]
    assert value(rows["u-v"], "A", "B", "same", "mean") == [0.0, 0.0, 0.0, None]
    assert rows["u-v"]["mean"].reason == "Distance of ratings, points: no value in any pair (no rating was read in B)"
    assert rows.keys() == {"x-y", "u-v"}
    kept = [one._replace(pair=case(n, None, None, roles="kept", task="T4").pair) for n, one in enumerate(rated)]
    alone = graver_table(tables(kept), kept)
    assert alone is not None
    (row,) = alone.rows
    assert (row.keys["topic"], row.cells["A"].value, "versions" in alone.caption) == ("all", 1.0, True)
    assert graver_table(tables(rated[4:]), rated[4:]) is None


def test_every_cell_selects_the_pairs_that_it_counts() -> None:
    cases = [one for judge in "jk" for one in (part._replace(judge=judge) for part in [*crowd(), *SMALL])]
    cases += [case(90, made(3), None), case(91, made(3), None, judge="k")]
    found = [set(marks(one, RUBRIC).split(" ")) for one in cases]
    all_tables = tables(cases)
    for one in (structure_table(all_tables, cases), graver_table(all_tables, cases)):
        assert one is not None
        for row in one.rows:
            for column, each in row.cells.items():
                wanted = {f"{key}={said}" for key, said in each.where.items()}
                if not column.startswith("level"):
                    assert sum(wanted <= words for words in found) == each.n, (row.keys, column)


def test_nothing_to_say_is_no_table() -> None:
    empty = tables(SMALL)
    assert structure_table(empty, []) is None
    assert graver_table(empty, []) is None


def test_equal_cases_give_equal_tables_whatever_stands_beside_them() -> None:
    cases = crowd()
    more = [*cases, *(one._replace(model="n") for one in cases[:7])]
    assert table(cases) == table(crowd())
    assert [row for row in table(more).rows if row.keys["model"] == "m"] == list(table(cases).rows)


@pytest.fixture
def hostile_run(write_study: Callable[..., Path], tmp_path: Path) -> Run:
    items = ITEMS.replace('tasks = ["T1"]', 'tasks = ["T1", "T4"]')
    models = SCRIPTED.replace('name = "fake"', 'name = "fake"\nscript = "hostile"')
    study = plan(str(write_study(items=items, models=models)), ROOT / "data")
    run = Run(tmp_path / "runs" / study.study.id)
    flow.run_study(study, run, QuietWatcher())
    return run


def test_a_runs_responses_are_counted_in_their_texts_and_hold_none(hostile_run: Run) -> None:
    known = known_provisions()
    analysed = analyse(hostile_run)
    texts = {(row.pair, row.side): row for row in (entry.row for entry in read(hostile_run.responses("fake")))}
    assert len({row.text for row in texts.values()} & set(HOSTILE)) > 1
    for one in analysed.cases:
        for side, answered in one.responses.items():
            row = texts[one.pair_id, side]
            expected = structure(row.text, known, one.pair.design.task == "T4")
            assert answered.structure == expected._replace(rating=expected.rating._replace(evidence=None))
    held = [answered.structure for one in analysed.cases for answered in one.responses.values()]
    assert len({id(found) for found in held}) == len(set(held)) < len(held)


def test_comparable_is_what_is_given_to_a_judge(write_study: Callable[..., Path], tmp_path: Path) -> None:
    """Also where responses loop and are asked again, are empty, filtered, refused or cut."""
    items = ITEMS.replace('tasks = ["T1"]', 'tasks = ["T1", "T2", "T3", "T4"]')
    models = SCRIPTED.replace('name = "fake"', 'name = "fake"\nfaults = 0.5', 1)
    study = plan(str(write_study(items=items, models=models)), ROOT / "data")
    run = Run(tmp_path / "runs" / study.study.id)
    flow.run_study(study, run, QuietWatcher())
    cases = analyse(run).cases
    held = [answered for one in cases for answered in one.responses.values()]
    assert {answered.structure is None for answered in held} == {True, False}
    for answered in held:
        assert (answered.structure is not None) == (answered.outcome in ("ok", "truncated", "refused"))
    comparable = {one.pair_id for one in cases if "comparable=yes" in structure_marks(one)}
    assert comparable == judgeable(run, "fake").keys()
    assert 0 < len(comparable) < len(cases)


def test_the_report_has_the_tables_and_names_the_provisions(hostile_run: Run) -> None:
    page = (hostile_run.report / "index.html").read_text("utf-8")
    for part in ("Structure of responses", "Which version is rated graver", table_fact(known_provisions())):
        assert part in page
    assert (hostile_run.report / "tables" / "structure.csv").is_file()


def test_a_pairs_page_prints_what_the_tables_are_made_of(hostile_run: Run) -> None:
    shown = "".join(path.read_text("utf-8") for path in (hostile_run.report / "pairs").iterdir())
    for one in analyse(hostile_run).cases:
        for side in SIDES:
            assert f"Counted in it: {counted(one, side)}." in shown
    said = made(1200, 3, 2, "ba", 8.5)
    assert counted(case(0, said, said, task="T4"), "A") == (
        "1,200 words, 3 arguments, 2 hedges, 2 cited provisions (Rome Statute, Art. a; Rome Statute, Art. b), "
        "severity rating 8.5"
    )
    assert counted(case(0, said, made(1), task="T4"), "B").endswith("0 cited provisions, severity rating absent")
    assert counted(case(0, said, made(1)), "B").endswith("0 cited provisions")


def test_a_table_of_provisions_with_a_mistake_is_not_read_in_part(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(data.parent)
    whole = known_provisions()
    assert "8(2)(b)(iv)" in whole["Rome Statute"]
    spoil(data / "law" / "provisions.toml", '"8(2)(b)(iv)"', '"8(2)(b)(iv"')
    with pytest.raises(InputError, match="is no provision"):
        known_provisions()
    (data / "law" / "provisions.toml").unlink()
    assert known_provisions() == {}
    assert table_fact({}) != table_fact(whole)
