"""Pairs read again: every cell by a naive definition and by other libraries, its laws, and its reasons."""

from functools import cache
from itertools import product

import numpy as np
import pandas as pd
import pingouin
import pytest
from scipy import stats

from polibias.analysis.cases import Case
from polibias.analysis.findings import Cell, Table
from polibias.analysis.placeholders import SAME_ACTOR, UNTESTED
from polibias.analysis.reread import FEW_MODELS, SHOWN, changes_in_words
from polibias.domain.study import AnalysisSpec
from tests.analysis.copies import BLOCKS, SPEC, TITLES, Said, both, case, cells, copy, exchanged, tables

CATEGORIES = list(BLOCKS)
PARTIES = {
    "active": [("iran", "israel"), ("united-states", "iran")],
    "tension": [("china", "united-states"), ("russia", "ukraine")],
    "no_conflict": [("chile", "peru")],
    "fictional": [("lumina", "tenebris"), ("aurelia", "ferrum")],
}
JUDGES, MODELS, COPIES = ("j", "k"), ("m", "n", "o", "p"), ("masked", "retest")
EVERY = list(product(JUDGES, COPIES))


def crowd(seed: int = 7, items: int = 64, weighted: bool = False, judges: tuple[str, ...] = JUDGES) -> list[Case]:
    """Items of all categories over eight templates, answered by four models, with both copies, some incomplete."""
    dice = np.random.default_rng(seed)
    found = []
    for number in range(items):
        category = CATEGORIES[number // 8 % 4]
        parties = PARTIES[category][number // 32 % len(PARTIES[category])]
        chances = dice.choice([0.1, 0.2, 0.5, 1.0], 3) if weighted else np.ones(3)
        for model, judge in product(MODELS, judges):
            level = 2 * MODELS.index(model) + 3 * (category == "active")
            before = _drawn(dice, level)
            first = case(
                f"p{number}",
                None if dice.random() < 0.05 else before,
                category,
                parties=parties,
                template=f"T-{number % 8}",
                model=model,
                judge=judge,
                inclusion=chances[0],
            )
            found.append(first)
            for name, inclusion, spread in (("masked", chances[1], 3.0), ("retest", chances[2], 1.0)):
                if name == "masked" or number % 3:
                    found.append(
                        copy(first, None if dice.random() < 0.05 else _again(dice, before, spread), name, inclusion)
                    )
    return found


def _drawn(dice: np.random.Generator, level: float) -> Said:
    return _score(dice.normal(4 + level, 2)), str(dice.choice(["A", "B", "none"], p=(0.4, 0.4, 0.2)))


def _again(dice: np.random.Generator, before: Said, spread: float) -> Said:
    side = before[1] if dice.random() > spread / 10 else str(dice.choice(["A", "B", "none"]))
    return _score(before[0] + dice.normal(-0.3 * spread, spread)), side


def _score(value: float) -> float:
    return float(np.clip(round(2 * value) / 2, 0, 15))


@cache
def drawn(weighted: bool = False) -> tuple[list[Case], dict[str, Table]]:
    """A crowd and its tables, which no test changes."""
    cases = crowd(weighted=weighted)
    return cases, tables(cases)


def row(weighted: bool, table: str, judge: str, name: str) -> tuple[pd.DataFrame, dict[str, Cell]]:
    """What is known by hand of one judge's reading of a copy, and the cells of its row."""
    cases, every = drawn(weighted)
    (found,) = [one for one in every[table].rows if one.keys == {"judge": judge, "copy": TITLES[name]}]
    return known(cases, judge, name), found.cells


def known(cases: list[Case], judge: str, name: str) -> pd.DataFrame:
    """By hand: what was said of every pair that is complete in the copy and in the original."""
    rows = []
    for one in cases:
        first = one.original
        if first is None or (one.judge, one.pair.design.condition) != (judge, name):
            continue
        if len(one.verdicts) == len(first.verdicts) == 2:
            rows.append(
                {
                    "after": _mean(one),
                    "before": _mean(first),
                    "hidden": _side(one),
                    "shown": _side(first),
                    "category": one.pair.design.topic_category,
                    "block": one.pair.design.block,
                    "model": one.model,
                    "parties": (one.pair.parties.A, one.pair.parties.B),
                    "weight": 1 / one.pair.inclusion,
                }
            )
    return pd.DataFrame(rows)


def _mean(one: Case) -> float:
    return sum(row.total for row in one.verdicts.values()) / 2


def _side(one: Case) -> int:
    signs = {"A": 1, "B": -1, "none": 0}
    net = sum(s.score * signs[s.favoured] for row in one.verdicts.values() for s in row.scores.values()) / 2
    return int(net > 1) - int(net < -1)


def share(hits: "pd.Series[bool]", weight: "pd.Series[float]") -> float:
    return float(weight[hits].sum() / weight.sum())


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("judge", "name"), EVERY)
def test_shifts_by_definition(judge: str, name: str, weighted: bool) -> None:
    rows, found = row(weighted, "copied_scores", judge, name)
    shift, weight = rows.after - rows.before, rows.weight
    chosen = {"all": rows.block != "", "main": rows.block == "main", "control": rows.block == "control"}
    chosen |= {f"category:{category}": rows.category == category for category in CATEGORIES}
    assert set(found) == {*chosen, "identity"}
    for column, inside in chosen.items():
        assert found[column].value == pytest.approx(np.average(shift[inside], weights=weight[inside])), column
        assert found[column].n == inside.sum() > 0
    main, fictional = chosen["main"], rows.category == "fictional"
    means = [np.average(shift[inside], weights=weight[inside]) for inside in (main, fictional)]
    assert found["identity"].value == pytest.approx(means[0] - means[1])
    assert found["identity"].n == main.sum() + fictional.sum()
    for one in found.values():
        assert one.low is not None
        assert one.low < one.value < one.high  # type: ignore[operator]


def mean_squares(ratings: "np.ndarray[tuple[int, int], np.dtype[np.float64]]", weight: "pd.Series[float]") -> float:
    """ICC(A,1) of McGraw & Wong from mean squares, with weights that sum to n."""
    n, k = ratings.shape
    share = (weight / weight.sum() * n).to_numpy()
    grand = np.average(ratings.mean(axis=1), weights=share)
    unit, rater = ratings.mean(axis=1), np.average(ratings, axis=0, weights=share)
    units = k * (share * (unit - grand) ** 2).sum() / (n - 1)
    raters = n * ((rater - grand) ** 2).sum() / (k - 1)
    rest = ratings - unit[:, None] - rater[None, :] + grand
    error = (share[:, None] * rest**2).sum() / ((n - 1) * (k - 1))
    return float((units - error) / (units + (k - 1) * error + k * (raters - error) / n))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("judge", "name"), EVERY)
def test_agreement_of_scores_by_definition(judge: str, name: str, weighted: bool) -> None:
    rows, found = row(weighted, "copied_agreement", judge, name)
    pairs = rows[["before", "after"]].to_numpy()
    assert found["icc"].value == pytest.approx(mean_squares(pairs, rows.weight), abs=1e-10)
    cov = np.cov(rows.before, rows.after, aweights=rows.weight)
    assert found["pearson"].value == pytest.approx(cov[0, 1] / np.sqrt(cov[0, 0] * cov[1, 1]), abs=1e-10)
    means = [
        [np.average(own[what], weights=own.weight) for _, own in rows.groupby("model")] for what in ("before", "after")
    ]
    assert found["ranking"].value == pytest.approx(stats.spearmanr(*means).statistic)
    assert {found[column].n for column in ("icc", "pearson", "ranking")} == {len(rows)}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("judge", "name"), EVERY)
def test_agreement_of_scores_as_other_libraries_have_it(judge: str, name: str) -> None:
    rows, found = row(False, "copied_agreement", judge, name)
    long = rows[["before", "after"]].reset_index().melt("index")
    table = pingouin.intraclass_corr(long, targets="index", raters="variable", ratings="value").set_index("Type")
    form = "ICC2" if "ICC2" in table.index else "ICC(A,1)"
    assert found["icc"].value == pytest.approx(table.loc[form, "ICC"], abs=1e-9)
    assert found["pearson"].value == pytest.approx(stats.pearsonr(rows.before, rows.after).statistic)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("judge", "name"), EVERY)
def test_sides_by_definition(judge: str, name: str, weighted: bool) -> None:
    rows, found = row(weighted, "copied_agreement", judge, name)
    named = rows[(rows.hidden != 0) & (rows.shown != 0)]
    assert found["same_side"].value == pytest.approx(share(named.hidden == named.shown, named.weight))
    assert found["same_side"].n == len(named)
    if name == "retest":
        for column in ("placeholder", "placeholder_change", "towards"):
            assert (found[column].value, found[column].reason) == (None, SHOWN)
        return
    fictional = rows[rows.category == "fictional"]
    hidden, shown = fictional[fictional.hidden != 0], fictional[fictional.shown != 0]
    x = [share(own[what] > 0, own.weight) for own, what in ((hidden, "hidden"), (shown, "shown"))]
    assert found["placeholder"].value == pytest.approx(x[0])
    assert found["placeholder_change"].value == pytest.approx(x[0] - x[1])
    assert (found["placeholder"].n, found["placeholder_change"].n) == (len(hidden), len(fictional))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("judge", JUDGES)
def test_every_country_by_definition(judge: str, weighted: bool) -> None:
    rows, agreement = row(weighted, "copied_agreement", judge, "masked")
    table = [one for one in drawn(weighted)[1]["copied_sides"].rows if one.keys["judge"] == judge]
    moved = []
    for block, title in (("main", "Main"), ("control", "Controls")):
        inside = rows[rows.block == block]
        for country in sorted({name for two in inside.parties for name in two}):
            (line,) = [one for one in table if (one.keys["block"], one.keys["country"]) == (title, country)]
            values = []
            for what in ("shown", "hidden"):
                own = inside[inside.parties.map(lambda both, country=country: country in both) & (inside[what] != 0)]
                named = own.parties.map(lambda both: both[0]).where(
                    own[what] > 0, own.parties.map(lambda both: both[1])
                )
                values.append(share(named == country, own.weight))
                assert line.cells[what].value == pytest.approx(values[-1])
                assert line.cells[what].n == len(own)
            change = abs(values[1] - 0.5) - abs(values[0] - 0.5)
            assert line.cells["change"].value == pytest.approx(change, abs=1e-9)
            moved += [change < -1e-9] if block == "main" else []
    assert (len(table), len(moved)) == (12, 6)
    found = agreement["towards"]
    assert (found.value, found.n) == (pytest.approx(np.mean(moved)), len(moved))
    assert (found.low, found.high) == (None, None)


def leaning(parties: tuple[str, str], n: int, shown: int, hidden: int, category: str = "active") -> list[Case]:
    """n pairs of which so many favour the first side, with names shown and with names hidden."""
    return [
        pair
        for number in range(n)
        for pair in both(
            f"{parties}-{number}",
            (4, "A" if number < shown else "B"),
            (4, "A" if number < hidden else "B"),
            category,
            parties=parties,
            template=f"T-{number % 8}",
        )
    ]


def even(pairs: int = 32) -> list[Case]:
    """Fictional pairs of a judge to whom placeholders mean nothing: each template favours both sides equally often."""
    return [
        pair
        for number in range(pairs)
        for pair in both(
            f"f{number}",
            (3, "AB"[number // 8 % 2]),
            (3, "AB"[number // 8 % 2]),
            "fictional",
            parties=("lumina", "tenebris"),
            template=f"T-{number % 8}",
        )
    ]


PUBLISHED = [
    *leaning(("israel", "iran"), 36, 28, 18),
    *leaning(("united-states", "china"), 28, 22, 15),
    *leaning(("north-korea", "south-korea"), 20, 3, 7, "tension"),
    *leaning(("russia", "ukraine"), 50, 9, 14),
    *leaning(("serbia", "kosovo"), 20, 8, 6),
    *leaning(("ethiopia", "eritrea"), 21, 7, 14),
    *leaning(("chile", "peru"), 10, 9, 5, "no_conflict"),
    *even(),
]
"""In the shape of the paper's Tables 15 and 16; Ethiopia and Eritrea change places, as far from even as before."""


def test_countries_as_they_are_published() -> None:
    rows = {row.keys["country"]: row for row in tables(PUBLISHED)["copied_sides"].rows}
    printed = {
        country: tuple(round(row.cells[name].value or 0, 2) for name in ("shown", "hidden", "change"))
        for country, row in rows.items()
    }
    assert printed["israel"] == (0.78, 0.5, -0.28)
    assert printed["iran"] == (0.22, 0.5, -0.28)
    assert printed["united-states"] == (0.79, 0.54, -0.25)
    assert printed["south-korea"] == (0.85, 0.65, -0.2)
    assert printed["ukraine"] == (0.82, 0.72, -0.1)
    assert printed["kosovo"] == (0.6, 0.7, 0.1)
    assert printed["ethiopia"] == (0.33, 0.67, 0.0)
    assert printed["chile"] == (0.9, 0.5, -0.4)
    assert {rows["chile"].keys["block"], rows["lumina"].keys["block"]} == {"Controls"}
    towards = cells(PUBLISHED, "copied_agreement")["towards"]
    assert (towards.value, towards.n) == (pytest.approx(8 / 12), 12)


def test_one_third_is_as_far_from_even_as_two_thirds() -> None:
    for shown, hidden in ((7, 14), (14, 7)):
        found = cells([*leaning(("a", "b"), 21, shown, hidden), *even()], "copied_agreement")["towards"]
        assert (found.value, found.n) == (0.0, 2)


def test_a_country_of_two_pairs_is_one_country() -> None:
    """Iran is B in one pair and A in the other."""
    cases = [*leaning(("israel", "iran"), 10, 9, 6), *leaning(("iran", "united-states"), 30, 6, 15), *even()]
    row = cells(cases, "copied_sides", country="iran")
    assert (row["shown"].value, row["shown"].n) == (pytest.approx(7 / 40), 40)
    assert row["hidden"].value == pytest.approx(19 / 40)


def simulated(shown: float, hidden: float, templates: int = 12, pairs: int = 12, seed: int = 3) -> list[Case]:
    """Fictional pairs of a judge who names X with these probabilities, and some Main pairs."""
    dice = np.random.default_rng(seed)
    found = leaning(("israel", "iran"), 16, 12, 8)
    for number in range(templates * pairs):
        before, after = ((5, "A" if dice.random() < chance else "B") for chance in (shown, hidden))
        template = f"T-{number % templates}"
        found += both(f"f{number}", before, after, "fictional", parties=("lumina", "tenebris"), template=template)
    return found


def reason(cases: list[Case]) -> str:
    """Why the directions are withheld, the same wherever they would stand; '' if they are there. Scores always are."""
    every = tables(cases)
    (agreement,), sides = every["copied_agreement"].rows, every["copied_sides"].rows
    assert all(row.cells["main"].value is not None for row in every["copied_scores"].rows)
    assert agreement.cells["pearson"].n == len(cases) // 2
    said = {agreement.cells[name].reason for name in ("same_side", "towards")}
    if agreement.cells["same_side"].value is not None:
        assert {row.keys["country"] for row in sides} == {"israel", "iran", "lumina", "tenebris"}
        return ""
    said |= {cell.reason for row in sides for cell in row.cells.values()}
    assert len(sides) == len(said) == 1
    return said.pop()


@pytest.mark.parametrize("share", [0.75, 0.9, 0.98, 1.0])
@pytest.mark.parametrize("before", [0.5, 0.3])
def test_a_judge_who_prefers_a_placeholder_gets_scores_only(share: float, before: float) -> None:
    prefers = "withheld: in fictional pairs the judge prefers the placeholder Country "
    assert reason(simulated(before, share)) == f"{prefers}X"
    assert reason(simulated(1 - before, 1 - share)) == f"{prefers}Y"


@pytest.mark.parametrize(("shown", "hidden"), [(0.76, 0.5), (0.24, 0.5), (0.5, 0.5), (0.8, 0.8), (0.99, 0.99), (1, 1)])
def test_a_lean_that_the_names_gave_is_no_preference(shown: float, hidden: float) -> None:
    assert reason(simulated(shown, hidden)) == ""


@pytest.mark.parametrize("hidden", [0.5, 0.9])
@pytest.mark.parametrize(("templates", "pairs"), [(1, 12), (2, 6), (3, 1), (4, 1)])
def test_with_too_few_fictional_pairs_it_cannot_be_told(templates: int, pairs: int, hidden: float) -> None:
    for seed in range(5):
        assert reason(simulated(0.5, hidden, templates, pairs, seed)).startswith(UNTESTED)


def test_without_fictional_pairs_it_cannot_be_told() -> None:
    assert reason(leaning(("israel", "iran"), 16, 12, 8) + both("f", (4, "A"), (4, "B"), "no_conflict")) == (
        f"{UNTESTED} (no pair names a side)"
    )


def test_where_one_country_acts_in_both_versions_no_side_is_a_country() -> None:
    cases = [
        pair
        for number in range(40)
        for pair in both(f"p{number}", (4, "A"), (5, "AB"[number % 2]), CATEGORIES[number % 4], roles="A",
                         template=f"T-{number % 8}")
    ]  # fmt: skip
    found = cells(cases, "copied_agreement")
    assert found["icc"].n == 40
    for name in ("placeholder", "placeholder_change"):
        assert found[name].reason == SAME_ACTOR
    for name in ("same_side", "towards"):
        assert found[name].reason == f"withheld: {SAME_ACTOR}"


def values(table: Table, but: tuple[str, ...] = ()) -> dict[tuple[str, ...], dict[str, float | None]]:
    return {
        tuple(row.keys.values()): {
            name: None if cell.value is None else round(cell.value, 9)
            for name, cell in row.cells.items()
            if name not in but
        }
        for row in table.rows
    }


def test_a_copy_that_equals_its_original_changes_nothing() -> None:
    same = [
        one if one.original is None else one._replace(judgments=one.original.judgments) for one in crowd(weighted=True)
    ]
    every = tables(same)
    assert {value for row in values(every["copied_scores"]).values() for value in row.values()} == {0.0}
    for (_, name), row in values(every["copied_agreement"]).items():
        assert (row["icc"], row["pearson"], row["ranking"], row["same_side"]) == (1.0, 1.0, 1.0, 1.0)
        assert (row["placeholder_change"], row["towards"]) == ((0.0, 0.0) if name == TITLES["masked"] else (None, None))
    assert {row["change"] for row in values(every["copied_sides"]).values()} == {0.0}


@pytest.mark.parametrize("weighted", [False, True])
def test_exchanging_the_countries_changes_nothing_but_the_placeholder(weighted: bool) -> None:
    cases, before = drawn(weighted)
    after = tables([exchanged(one) for one in cases])
    for id in ("copied_scores", "copied_sides"):
        assert values(before[id]) == values(after[id])
    turned = ("placeholder", "placeholder_change")
    assert values(before["copied_agreement"], turned) == values(after["copied_agreement"], turned)
    found, other = (values(one["copied_agreement"])["j", TITLES["masked"]] for one in (before, after))
    assert found["placeholder"] == pytest.approx(1 - (other["placeholder"] or 0))
    assert found["placeholder_change"] == pytest.approx(-(other["placeholder_change"] or 0))


def test_judges_and_copies_do_not_disturb_each_other() -> None:
    cases, every = drawn()
    for judge, name in EVERY:
        own = tables([one for one in cases if one.judge == judge and one.pair.design.condition in ("official", name)])
        for id, table in own.items():
            keys = {"judge": judge, "copy": TITLES[name]}
            assert list(table.rows) == [row for row in every[id].rows if keys.items() <= row.keys.items()]


def test_incomplete_pairs_are_left_out() -> None:
    cases, every = drawn()
    halved = [
        one for one in cases if one.original is None or (len(one.verdicts) == 2 and len(one.original.verdicts) == 2)
    ]
    assert len(halved) < len(cases)
    assert tables(halved) == every
    one_order = [
        one if one.compared or one.original is None else one._replace(judgments=dict([*one.judgments.items()][:1]))
        for one in cases
    ]
    assert tables(one_order) == every


def test_without_copies_that_were_judged_there_are_no_tables() -> None:
    first = case("p", (3, "A"))
    assert tables([first]) == {}
    assert tables([first, copy(first, None, "names")]) == {}
    assert tables([first, copy(first, None)]) == {}
    assert list(tables([first, copy(first, (3, "A"), "retest")])) == ["copied_scores", "copied_agreement"]


def test_a_judge_without_a_complete_pair_has_a_row_that_says_so() -> None:
    good = both("p", (3, "A"), (4, "A")) + both("q", (3, "A"), (4, "A"), "fictional")
    every = tables(good + both("p", (3, "A"), None, judge="k"))
    for id in ("copied_scores", "copied_agreement"):
        (_, row) = every[id].rows
        assert row.keys["judge"] == "k"
        assert all(cell.value is None and cell.reason and cell.n == 0 for cell in row.cells.values())
    assert [row.keys["country"] for row in every["copied_sides"].rows if row.keys["judge"] == "k"] == ["all"]


def test_weights_differ_between_blocks_too() -> None:
    """Main drawn with one half, Controls with one quarter: among all pairs a Control pair counts twice."""
    cases = [
        *both("p", (3, "A"), (5, "A"), "active", inclusion=0.5, template="T-1"),
        *both("q", (3, "A"), (2, "A"), "fictional", inclusion=0.25, template="T-2"),
    ]
    found = cells(cases, "copied_scores")
    assert (found["all"].value, found["main"].value, found["control"].value) == (0.0, 2.0, -1.0)
    assert "weighted by their inverse" in tables(cases)["copied_scores"].caption


@pytest.mark.parametrize("cluster", ["template", "topic"])
def test_no_interval_leaves_what_is_possible(cluster: str) -> None:
    ends = {
        "icc": (-1, 1),
        "pearson": (-1, 1),
        "ranking": (-1, 1),
        "placeholder_change": (-1, 1),
        "identity": (-30, 30),
    }
    for seed in range(6):
        small = [one for one in crowd(seed, 64) if one.pair.design.template in ("T-0", "T-1", "T-2")]
        small = [one for one in small if one.model in MODELS[: 2 + seed % 3]]
        for id, table in tables(small, AnalysisSpec(resamples=20, cluster=cluster)).items():  # type: ignore[arg-type]
            for row in table.rows:
                for name, cell in row.cells.items():
                    low, high = ends.get(name, (-15, 15) if id == "copied_scores" else (0, 1))
                    assert (cell.low is None) == (cell.high is None)
                    assert cell.clusters <= cell.n
                    if cell.low is None or cell.high is None:
                        assert cell.reason
                    else:
                        assert low <= cell.low <= cell.high <= high


def test_a_rank_correlation_of_few_models_has_a_reason_and_no_impossible_interval() -> None:
    """Three models, alike but for chance: without one template their order is another."""
    dice = np.random.default_rng(1)
    found = []
    for _ in range(6):
        cases = [
            pair
            for number, model in product(range(12), "mno")
            for pair in both(f"p{number}", *((_score(dice.normal(5, 3)), "A") for _ in range(2)), model=model,
                             template=f"T-{number % 3}", copy="retest")
        ]  # fmt: skip
        found.append(cells(cases, "copied_agreement")["ranking"])
    assert {one.reason for one in found} >= {"no interval: with 3 clusters it would leave the scale"}
    assert all(one.low is None or -1 <= one.low <= (one.high or 0) <= 1 for one in found)


def test_two_models_have_no_ranking() -> None:
    found = cells([one for one in crowd() if one.model in "mn"], "copied_agreement", judge="j", copy=TITLES["retest"])
    assert (found["ranking"].value, found["ranking"].reason) == (None, FEW_MODELS)
    assert found["ranking"].n == found["icc"].n


def test_cells_of_nothing_say_why() -> None:
    found = cells(leaning(("a", "b"), 16, 8, 8), "copied_scores")
    assert (found["identity"].value, found["identity"].reason) == (None, "no fictional pair")
    found = cells(both("p", (3, "A"), (2, "A"), "fictional"), "copied_scores")
    assert (found["identity"].value, found["identity"].reason) == (None, "no Main pair")
    assert found["all"].value == -1.0
    assert SPEC.cluster == "template"


def test_what_copies_change_in_words() -> None:
    """Every judge and copy once; a claim only where an interval bears it, none on identity where nothing is hidden."""
    table = drawn()[1]["copied_scores"]
    said = list(changes_in_words(table))
    assert len(said) == len(table.rows)
    for row_, sentence in zip(table.rows, said, strict=True):
        effect = row_.cells["identity"]
        assert sentence.startswith(f"{row_.keys['copy']}, judged by {row_.keys['judge']}: scores change by ")
        assert ("real countries" in sentence) == (row_.keys["copy"] == TITLES["masked"])
        if "real countries" in sentence:
            assert effect.low is not None
            assert effect.high is not None
            assert ("no effect of identity was shown" in sentence) == (effect.low <= 0 <= effect.high)
    (alone,) = changes_in_words(tables(leaning(("a", "b"), 16, 8, 8))["copied_scores"])
    assert alone.endswith("what hiding real countries adds cannot be told (no fictional pair).")
