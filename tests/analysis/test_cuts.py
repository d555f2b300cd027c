"""The cut tables by their definitions written out in loops, over made-up cases; and what their cells select."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import mean

import msgspec
import pytest
from scipy.stats import spearmanr

from polibias.analysis.cases import Case
from polibias.analysis.cuts import cut_marks, cut_tables, side_tables
from polibias.analysis.dimension_relations import correlation_table
from polibias.analysis.findings import Cell, Table
from polibias.analysis.frames import direction
from polibias.analysis.kinds import ModelKind
from polibias.analysis.main_results import with_ratio
from polibias.domain.sides import SIDES
from polibias.report.marking import marks
from tests.analysis.made_cases import DIMENSIONS, RUBRIC, crowd, tables_of

KINDS = {
    "m1": ModelKind("fam", "up to 40 billion", "United States", "open weights"),
    "m2": ModelKind("fam", "over 200 billion", "China", "open weights"),
}
Answer = bool | None
"""None: the judge's orders disagree."""


def all_tables(cases: list[Case], resamples: int = 60, cluster: str = "template") -> dict[str, Table]:
    tables = tables_of(cases, resamples, cluster)
    scores, dimensions = tables.main_table(), tables.dimension_table()
    by_topic = tables.factor_table("topic", "By pair")
    found = [
        with_ratio(tables, scores),
        *cut_tables(tables, cases, KINDS, scores, dimensions, by_topic),
        *side_tables(tables, cases),
    ]
    return {one.id: one for one in found if one is not None}


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return crowd()


@pytest.fixture(scope="module")
def found(cases: list[Case]) -> dict[str, Table]:
    return all_tables(cases)


def cells(table: Table, **keys: str) -> dict[str, Cell]:
    (row,) = (row for row in table.rows if keys.items() <= row.keys.items())
    return row.cells


def of(cases: Iterable[Case], **wanted: str) -> list[Case]:
    """Complete cases of a judge, model, block, topic or category."""

    def fits(case: Case) -> bool:
        own = {"judge": case.judge, "model": case.model}
        design = case.pair.design
        own |= {name: getattr(design, name) for name in ("block", "topic", "category", "topic_category")}
        return all(own[key] == value for key, value in wanted.items())

    return [case for case in cases if case.complete and fits(case)]


def total(case: Case) -> float:
    return sum(mean(verdict.scores[name].score for verdict in case.verdicts.values()) for name in DIMENSIONS)


def weigh(case: Case) -> float:
    return 1 / case.pair.inclusion


def weighted(cases: Sequence[Case], value: Callable[[Case], float]) -> float:
    return sum(weigh(case) * value(case) for case in cases) / sum(map(weigh, cases))


def readings(case: Case, reading: str, label: str) -> Iterator[tuple[str, str]]:
    """The labels of A and B: once by rules, once per order of the judge."""
    if reading == "rules":
        yield tuple(getattr(case.responses[side].behaviour, label) for side in SIDES)  # type: ignore[misc]
        return
    for verdict in case.verdicts.values():
        yield verdict.labels[label].A, verdict.labels[label].B


def asked(case: Case, reading: str, label: str, question: Callable[[str, str], object]) -> object:
    answers = {question(*labels) for labels in readings(case, reading, label)}
    return answers.pop() if len(answers) == 1 else None


def alone(case: Case, reading: str, label: str) -> Answer:
    """Exactly one response does it; which one must be clear as well."""
    counting = ("full",) if label == "refusal" else ("factual", "status", "both")
    pair = asked(case, reading, label, lambda a, b: (a in counting, b in counting))
    return None if pair is None else pair in ((True, False), (False, True))


def share_of(answers: Iterable[Answer]) -> tuple[float, int]:
    clear = [answer for answer in answers if answer is not None]
    return mean(clear), len(clear)


GROUPS = [(judge, model) for judge in ("j1", "j2") for model in ("m1", "m2")]


@pytest.mark.parametrize(("judge", "model"), GROUPS)
def test_ratio_and_largest_gap(cases: list[Case], found: dict[str, Table], judge: str, model: str) -> None:
    main, control = (of(cases, judge=judge, model=model, block=block) for block in ("main", "control"))
    own = cells(found["pbi"], judge=judge, model=model)
    assert own["ratio"].value == pytest.approx(mean(map(total, main)) / mean(map(total, control)))
    assert (own["ratio"].n, own["ratio"].where) == (own["difference"].n, own["difference"].where)

    def score(case: Case, name: str) -> float:
        return mean(verdict.scores[name].score for verdict in case.verdicts.values())

    gaps = {
        name: mean(score(one, name) for one in main) - mean(score(one, name) for one in control) for name in DIMENSIONS
    }
    first, second = sorted(gaps, key=lambda name: -gaps[name])[:2]
    largest = cells(found["largest_gap"], judge=judge, model=model, dimension=first, next=second)
    assert largest["difference"].value == pytest.approx(gaps[first])
    assert largest["lead"].value == pytest.approx(gaps[first] - gaps[second])
    assert largest["lead"].low is not None


def test_heat_is_ordered_and_the_scores_of_the_topics(cases: list[Case], found: dict[str, Table]) -> None:
    rows = [row for row in found["heat"].rows if row.keys["judge"] == "j1"]
    assert [row.keys["block"] for row in rows] == ["Main"] * 3 + ["Controls"] * 2
    for row in rows:
        means = {m: mean(map(total, of(cases, judge="j1", model=m, topic=row.keys["topic"]))) for m in ("m1", "m2")}
        assert {name: row.cells[name].value for name in means} == pytest.approx(means)
        assert row.cells["all models"].value == pytest.approx(mean(means.values()))
    main = [row.cells["all models"].value or 0 for row in rows[:3]]
    assert main == sorted(main, reverse=True)


def test_kinds_are_plain_means_over_models(found: dict[str, Table]) -> None:
    pbi = {model: cells(found["pbi"], judge="j1", model=model)["main"].value or 0 for model in ("m1", "m2")}
    family = cells(found["model_kinds"], judge="j1", respect="family")
    assert family["main"].value == pytest.approx(mean(pbi.values()))
    assert (family["main"].low, family["main"].clusters) == (None, 2)
    small = cells(found["model_kinds"], judge="j1", respect="size", kind="up to 40 billion", models="m1")
    assert small["main"].value == pytest.approx(pbi["m1"])


WITHOUT = {"refusals": ["refusal"], "rejected premises": ["premise"], "either": ["refusal", "premise"]}


@pytest.mark.parametrize("reading", ["rules", "judge"])
@pytest.mark.parametrize(("judge", "model"), GROUPS)
def test_engaged(cases: list[Case], found: dict[str, Table], judge: str, model: str, reading: str) -> None:
    main, control = (of(cases, judge=judge, model=model, block=block) for block in ("main", "control"))
    for without, labels in WITHOUT.items():

        def stays(case: Case, labels: list[str] = labels) -> bool:
            return all(set(read) == {"none"} for label in labels for read in readings(case, reading, label))

        own = cells(found["engaged"], judge=judge, model=model, reading=reading, without=without)
        left = [case for case in main if stays(case)]
        assert own["main"].value == pytest.approx(mean(map(total, left)))
        assert own["main"].n == len(left)
        assert own["full"].value == pytest.approx(mean(map(total, main)))
        assert own["change"].value == pytest.approx(mean(map(total, left)) - mean(map(total, main)))
        assert own["kept"].value == pytest.approx(len(left) / len(main))
        others = [case for case in control if stays(case)]
        assert own["difference"].value == pytest.approx(mean(map(total, left)) - mean(map(total, others)))
        assert own["difference"].n == len(left) + len(others)


def test_the_full_index_has_the_draws_of_the_main_table(found: dict[str, Table]) -> None:
    for table in ("engaged", "cuts"):
        for row in found[table].rows:
            if table == "engaged" or row.keys["pairs"] == "all pairs":
                there = cells(found["pbi"], judge=row.keys["judge"], model=row.keys["model"])
                here = row.cells["full" if table == "engaged" else "main"]
                assert here == there["main"]


@pytest.mark.parametrize("reading", ["rules", "judge"])
@pytest.mark.parametrize("block", ["main", "control"])
@pytest.mark.parametrize(("judge", "model"), GROUPS)
def test_one_sided(
    cases: list[Case], found: dict[str, Table], judge: str, model: str, reading: str, block: str
) -> None:
    pairs = of(cases, judge=judge, model=model, block=block)
    title = {"main": "Main", "control": "Controls"}[block]
    own = cells(found["one_sided_behaviour"], judge=judge, model=model, reading=reading, block=title)

    def agrees(name: str, expected: tuple[float, int]) -> None:
        assert own[name].value == pytest.approx(expected[0])
        assert own[name].n == expected[1]

    for label in ("refusal", "premise"):
        agrees(label, share_of(alone(case, reading, label) for case in pairs))

    def kind(case: Case, wanted: str) -> Answer:
        one = alone(case, reading, "premise")
        return one and asked(case, reading, "premise", lambda a, b: a if b == "none" else b) == wanted

    for wanted in ("factual", "status", "both"):
        agrees(wanted, share_of(kind(case, wanted) for case in pairs))

    def either(case: Case) -> Answer:
        answers = [alone(case, reading, label) for label in ("refusal", "premise")]
        return None if None in answers else any(answers)

    agrees("either", share_of(map(either, pairs)))
    rejected = [case for case in pairs if alone(case, reading, "premise")]
    agrees("contested", share_of("contested_statehood" in case.pair.design.tags for case in rejected))


@pytest.mark.parametrize("reading", ["rules", "judge"])
@pytest.mark.parametrize(("judge", "model"), GROUPS)
def test_consistency(cases: list[Case], found: dict[str, Table], judge: str, model: str, reading: str) -> None:
    pairs = of(cases, judge=judge, model=model, block="main")
    own = cells(found["consistency"], judge=judge, model=model, reading=reading, block="Main")
    answer = {id(case): asked(case, reading, "refusal", lambda a, b: (a != "full", b != "full")) for case in pairs}
    clear = [case for case in pairs if answer[id(case)] is not None]
    corners = {"both": (True, True), "only_a": (True, False), "only_b": (False, True), "neither": (False, False)}
    for name, corner in corners.items():
        assert own[name].value == sum(answer[id(case)] == corner for case in clear)
    n = len(clear)
    both, neither = own["both"].n, own["neither"].n
    assert own["alike"].value == pytest.approx((both + neither) / n)
    assert own["helpful"].value == pytest.approx(both / n)
    assert own["answered"].value == pytest.approx(sum(map(sum, (answer[id(case)] for case in clear))) / (2 * n))  # type: ignore[arg-type]
    paired = [answer[id(c)] == (True, True) and direction(c.net(RUBRIC), RUBRIC) == "none" for c in clear]
    assert own["paired"].value == pytest.approx(mean(paired))
    assert {own[name].n for name in ("alike", "helpful", "answered", "paired")} == {n}
    quiet = [asked(case, reading, "refusal", lambda a, b: (a != "none", b != "none")) for case in pairs]
    assert own["unrefused"].value == pytest.approx(share_of(None if q is None else not any(q) for q in quiet)[0])  # type: ignore[arg-type]
    for name, label, wanted in (
        ("full", "refusal", ("full",)),
        ("partial", "refusal", ("partial",)),
        ("rejecting", "premise", ("factual", "status", "both")),
    ):
        each = [asked(c, reading, label, lambda a, b, w=wanted: (a in w, b in w)) for c in pairs]  # type: ignore[misc]
        known = [sum(one) / 2 for one in each if one is not None]  # type: ignore[arg-type]
        assert own[name].value == pytest.approx(mean(known))
        assert own[name].n == len(known)


@pytest.mark.parametrize(("judge", "model"), GROUPS)
def test_cuts_and_two_ways(cases: list[Case], found: dict[str, Table], judge: str, model: str) -> None:
    main, control = (of(cases, judge=judge, model=model, block=block) for block in ("main", "control"))
    cuts: dict[str, Callable[[Case], bool]] = {
        "without contested statehood": lambda case: case.pair.design.topic == "china-taiwan",
        "without fallback pairs": lambda case: case.responses["A"].fallback > 0,
    }
    for title, goes in cuts.items():
        own = cells(found["cuts"], judge=judge, model=model, pairs=title)
        left = [[case for case in block if not goes(case)] for block in (main, control)]
        means = [mean(map(total, block)) for block in left]
        assert [own["main"].value, own["control"].value] == pytest.approx(means)
        assert own["difference"].value == pytest.approx(means[0] - means[1])
        assert own["difference"].n == sum(map(len, left))
        assert own["out_main"].value == pytest.approx(1 - len(left[0]) / len(main))
        assert own["out_control"].value == pytest.approx(1 - len(left[1]) / len(control))
    untagged = cells(found["cuts"], judge=judge, model=model, pairs="without unequal ICC membership")
    assert {(one.value, one.reason) for one in untagged.values()} == {(None, "no pair of this study has this property")}
    gap = cells(found["two_ways"], judge=judge, model=model, quantity="Main − Controls")
    there = cells(found["pbi"], judge=judge, model=model)["difference"]
    assert (gap["template"].low, gap["template"].high) == (there.low, there.high)
    assert gap["template"].value == pytest.approx(gap["topic"].value)
    widths = {name: (gap[name].high or 0) - (gap[name].low or 0) for name in ("template", "topic", "wider")}
    assert widths["wider"] == pytest.approx(max(widths["template"], widths["topic"]))


def test_correlations_as_another_library_has_them(cases: list[Case]) -> None:
    table = correlation_table(tables_of(cases), cases, each=True)
    assert table is not None
    for judge, model in [*GROUPS, ("j1", "all models")]:
        keys = {"judge": judge} | ({} if model == "all models" else {"model": model})
        plain = [
            case
            for case in of(cases, block="main", **keys)
            if all(set(read) == {"none"} for label in ("refusal", "premise") for read in readings(case, "rules", label))
        ]
        for a, b in (("framing", "severity"), ("normative", "attribution")):
            lists = [[case.score(one) for case in plain] for one in RUBRIC.dimensions if one.id in (a, b)]
            cell = cells(table, judge=judge, model=model, dimension=a, other=b)["rho"]
            assert cell.value == pytest.approx(spearmanr(*lists).statistic, abs=1e-12)
            assert cell.n == len(plain)
            assert cell.low is not None
    few = correlation_table(tables_of(cases), cases)
    assert few is not None
    assert {row.keys["model"] for row in few.rows} == {"all models"}


def test_profile_of_one_sided_pairs(cases: list[Case], found: dict[str, Table]) -> None:
    for model in ("m1", "all models"):
        keys = {"judge": "j1"} | ({} if model == "all models" else {"model": model})
        pairs = of(cases, block="main", **keys)
        for title, wanted in (("one-sided", True), ("all others", False)):
            own = [c for c in pairs if any(alone(c, "rules", name) for name in ("refusal", "premise")) == wanted]
            cell = cells(found["one_sided_profile"], judge="j1", model=model, pairs=title)
            assert cell["total"].value == pytest.approx(mean(map(total, own)))
            assert cell["nearly"].value == pytest.approx(mean(total(case) >= 13 for case in own))
            framing = mean(mean(v.scores["framing"].score for v in case.verdicts.values()) for case in own)
            assert cell["score_framing"].value == pytest.approx(framing)
            assert cell["total"].n == len(own)


def test_neutral_and_favoured(cases: list[Case], found: dict[str, Table]) -> None:
    def favours(case: Case) -> str:
        nets = [
            sum(one.score * {"A": 1, "B": -1, "none": 0}[one.favoured] for one in verdict.scores.values())
            for verdict in case.verdicts.values()
        ]
        return "A" if mean(nets) > 1 else "B" if mean(nets) < -1 else "none"

    levels = [("block", "block", "main", "Main"), ("pair category", "topic_category", "tension", "tension")]
    levels += [("category", "category", "aggression", "aggression"), ("topic", "topic", "iran-israel", "iran-israel")]
    for by, factor, value, level in levels:
        pairs = of(cases, judge="j2", **{factor: value})
        own = cells(found["neutral"], judge="j2", model="all models", by=by, level=level)["neutral"]
        assert own.value == pytest.approx(mean(favours(case) == "none" for case in pairs))
        assert own.n == len(pairs)
    own = cells(found["neutral"], judge="j2", model="m1", by="block", level="Controls")["neutral"]
    expected = [favours(case) == "none" for case in of(cases, judge="j2", model="m1", block="control")]
    assert own.value == pytest.approx(mean(expected))
    for topic in ("iran-israel", "meridia-arcturus"):
        sides = [favours(case) for case in of(cases, judge="j1", topic=topic)]
        row = cells(found["favoured"], judge="j1", topic=topic)
        assert {name: row[name].value for name in ("A", "B", "none")} == {n: sides.count(n) for n in ("A", "B", "none")}
        assert row["share"].value == pytest.approx(sides.count("A") / (sides.count("A") + sides.count("B")))


def test_involvement(cases: list[Case], found: dict[str, Table]) -> None:
    countries = {row.keys["country"] for row in found["involvement"].rows}
    assert countries == {"iran", "israel", "china", "taiwan", "india"}
    for judge, model in GROUPS:
        main = of(cases, judge=judge, model=model, block="main")
        for country in countries:
            inside = [total(case) for case in main if country in (case.pair.parties.A, case.pair.parties.B)]
            others = [total(case) for case in main if country not in (case.pair.parties.A, case.pair.parties.B)]
            own = cells(found["involvement"], judge=judge, model=model, country=country)
            assert own["pairs"].value == pytest.approx(mean(inside))
            assert own["difference"].value == pytest.approx(mean(inside) - mean(others))
            assert own["difference"].low is not None


def selected(cases: list[Case]) -> list[set[str]]:
    return [{*marks(case, RUBRIC).split(" "), *cut_marks(case, RUBRIC, KINDS)} for case in cases]


def test_a_cell_leads_to_exactly_its_pairs(cases: list[Case], found: dict[str, Table]) -> None:
    words = selected(cases)
    assert not any(" " in word for own in words for word in own)
    for table in found.values():
        for row in table.rows:
            for name, cell in row.cells.items():
                wanted = {f"{key}={value}" for key, value in cell.where.items()}
                if cell.where:
                    assert sum(wanted <= own for own in words) == cell.n, (table.id, row.keys, name, wanted)


@pytest.mark.parametrize("cluster", ["topic", "pair"])
def test_other_clusters(cases: list[Case], found: dict[str, Table], cluster: str) -> None:
    """Clusters change intervals and no value."""
    for id, table in all_tables(cases, 30, cluster).items():
        for row, own in zip(found[id].rows, table.rows, strict=True):
            for name, cell in own.cells.items():
                assert (cell.value is None) == (row.cells[name].value is None)
                assert cell.value is None or cell.value == pytest.approx(row.cells[name].value)


def test_weights(cases: list[Case]) -> None:
    """Unequal chances within a block weigh every pair by its inverse."""
    changed = [
        case._replace(pair=msgspec.structs.replace(case.pair, inclusion=0.25 if int(case.pair_id[1:]) % 3 else 0.5))
        for case in cases
    ]
    found = all_tables(changed)
    main = of(changed, judge="j1", model="m1", block="main")
    control = of(changed, judge="j1", model="m1", block="control")
    own = cells(found["pbi"], judge="j1", model="m1")
    assert own["ratio"].value == pytest.approx(weighted(main, total) / weighted(control, total))
    assert own["ratio"].effective_n is not None
    kept = cells(found["cuts"], judge="j1", model="m1", pairs="without fallback pairs")
    greedy = [case for case in main if not case.responses["A"].fallback]
    assert kept["main"].value == pytest.approx(weighted(greedy, total))
    inside = [case for case in main if "iran" in (case.pair.parties.A, case.pair.parties.B)]
    others = [case for case in main if case not in inside]
    iran = cells(found["involvement"], judge="j1", model="m1", country="iran")
    assert iran["pairs"].value == pytest.approx(weighted(inside, total))
    assert iran["difference"].value == pytest.approx(weighted(inside, total) - weighted(others, total))


def test_one_changed_judgment_changes_only_cells_that_hold_its_pair(cases: list[Case], found: dict[str, Table]) -> None:
    place = next(n for n, case in enumerate(cases) if case.complete and case.pair.design.block == "main")
    old = cases[place]
    first = next(iter(old.verdicts))
    verdict = old.verdicts[first]
    scores = {name: one.__class__(3 - one.score, one.favoured) for name, one in verdict.scores.items()}
    judged = old.judgments[first].__class__("ok", verdict.__class__(scores, verdict.labels), old.judgments[first].mark)
    changed = [*cases]
    changed[place] = old._replace(judgments=old.judgments | {first: judged})
    words = {*marks(old, RUBRIC).split(" "), *cut_marks(old, RUBRIC, KINDS)}
    after = {*marks(changed[place], RUBRIC).split(" "), *cut_marks(changed[place], RUBRIC, KINDS)}
    moved = 0
    for id, table in all_tables(changed).items():
        before = {tuple(row.keys.items()): row for row in found[id].rows}
        for row in table.rows:
            for name, cell in row.cells.items():
                earlier = before.get(tuple(row.keys.items()))
                if earlier is not None and earlier.cells[name] != cell:
                    moved += 1
                    wanted = {f"{key}={value}" for key, value in cell.where.items()}
                    assert wanted <= words or wanted <= after, (id, row.keys, name)
    assert moved > 20
