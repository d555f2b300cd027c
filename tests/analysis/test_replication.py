"""The 21 contrasts of the paper's Table 13 under two judges, and what may be said where an interval is missing."""

from collections.abc import Callable

import pytest

from polibias.analysis.call_scores import Groups
from polibias.analysis.cases import Case
from polibias.analysis.findings import Table
from polibias.analysis.pbi import Tables
from polibias.analysis.reliability import reliability_marks
from polibias.analysis.replicated import score_contrasts
from polibias.analysis.replication import (
    Contrast,
    main_contrasts,
    replication_in_words,
    replication_tables,
    same_conclusion,
    same_sign,
)
from polibias.report.marking import marks
from polibias.stats.estimate import Estimate
from tests.analysis.judged_cases import RUBRIC, made, tables_of
from tests.analysis.made_cases import crowd
from tests.analysis.made_cases import tables_of as made_tables

JUDGES = ("Claude", "GLM")
MODELS = (
    "GPT-OSS-120B", "GPT-OSS-20B", "Gemma-4-31B", "MiniMax-M2.7", "Mistral-Small-3.2", "Qwen3.5-122B", "Qwen3.5-397B",
)  # fmt: skip
PUBLISHED = {
    "Main − Controls": (
        ((0.64, 0.22, 1.07), (0.69, 0.17, 1.22)),
        ((0.78, 0.45, 1.12), (0.64, 0.33, 0.95)),
        ((0.49, 0.29, 0.68), (0.51, 0.31, 0.71)),
        ((1.32, 0.88, 1.74), (1.02, 0.56, 1.47)),
        ((0.88, 0.67, 1.07), (0.69, 0.46, 0.90)),
        ((2.12, 1.54, 2.69), (2.17, 1.63, 2.71)),
        ((1.73, 1.34, 2.15), (1.59, 1.20, 1.98)),
    ),
    "Premise acceptance": (
        ((0.14, -0.16, 0.46), (0.18, -0.12, 0.50)),
        ((-0.05, -0.25, 0.14), (-0.09, -0.26, 0.08)),
        ((-0.04, -0.15, 0.07), (-0.05, -0.17, 0.07)),
        ((-0.43, -0.77, -0.09), (-0.33, -0.68, 0.02)),
        ((-0.09, -0.24, 0.06), (-0.05, -0.20, 0.10)),
        ((-1.08, -1.44, -0.72), (-1.08, -1.42, -0.73)),
        ((-0.58, -0.94, -0.22), (-0.58, -0.91, -0.25)),
    ),
    "Year 2023": (
        ((-0.01, -0.19, 0.17), (-0.06, -0.22, 0.09)),
        ((0.12, -0.08, 0.32), (0.04, -0.11, 0.21)),
        ((0.03, -0.09, 0.16), (-0.04, -0.15, 0.07)),
        ((0.68, 0.34, 1.03), (0.68, 0.36, 0.99)),
        ((0.09, -0.04, 0.22), (0.17, 0.05, 0.29)),
        ((0.21, -0.22, 0.64), (0.43, -0.01, 0.88)),
        ((1.19, 0.75, 1.65), (1.41, 0.98, 1.84)),
    ),
}


def estimate(value: float | None, low: float | None = None, high: float | None = None) -> Estimate:
    return Estimate(value, 640, 61, "percentile", low, high, reason="" if low is not None else "no interval")


def published() -> list[Contrast]:
    return [
        Contrast(name, model, {judge: estimate(*one) for judge, one in zip(JUDGES, row, strict=True)})
        for name, rows in PUBLISHED.items()
        for model, row in zip(MODELS, rows, strict=True)
    ]


def tables(contrasts: list[Contrast], judges: tuple[str, ...] = JUDGES) -> dict[str, Table]:
    return {table.id: table for table in replication_tables(contrasts, judges)}


def test_the_published_rows_give_the_published_answers() -> None:
    found = tables(published())
    totals = {
        row.keys["contrast"]: [cell.value for cell in row.cells.values()] for row in found["replication_totals"].rows
    }
    assert totals == {
        "Main − Controls": [7, 7, 7, 0],
        "Premise acceptance": [7, 7, 6, 0],
        "Year 2023": [7, 6, 6, 0],
        "all contrasts": [21, 20, 19, 0],
    }
    unlike = [
        (row.keys["contrast"], row.keys["model"])
        for row in found["replication"].rows
        if not row.cells["conclusion"].value
    ]
    assert unlike == [("Premise acceptance", "MiniMax-M2.7"), ("Year 2023", "Mistral-Small-3.2")]


@pytest.mark.parametrize(
    ("first", "second", "sign", "conclusion"),
    [
        ((1.0, 0.5, 1.5), (2.0, 0.1, 3.0), True, True),
        ((1.0, 0.5, 1.5), (-2.0, -3.0, -0.1), False, False),
        ((1.0, -0.5, 1.5), (-2.0, -5.0, 0.1), False, True),
        ((1.0, 0.5, 1.5), (0.2, -0.1, 0.5), True, False),
        ((1.0, 0.0, 1.5), (0.2, -0.1, 0.5), True, True),
        ((0.0, -1.0, 1.0), (0.0, -2.0, 2.0), True, True),
        ((0.0, -1.0, 1.0), (0.1, -2.0, 2.0), False, True),
        ((1.0,), (0.2, -0.1, 0.5), True, None),
        ((None,), (0.2, -0.1, 0.5), None, None),
    ],
)
def test_sign_and_conclusion(
    first: tuple[float | None, ...], second: tuple[float | None, ...], sign: bool | None, conclusion: bool | None
) -> None:
    """An end at zero includes it; what one judge cannot say is neither the same nor another."""
    for each in ((first, second), (second, first)):
        estimates = [estimate(*one) for one in each]
        assert (same_sign(estimates), same_conclusion(estimates)) == (sign, conclusion)


def test_three_judges_agree_if_all_do() -> None:
    up, down, wide = estimate(1, 0.5, 2), estimate(-1, -2, -0.5), estimate(1, -1, 3)
    assert same_conclusion([up, up, up]) is True
    assert [same_conclusion([up, up, one]) for one in (down, wide)] == [False, False]


def test_contrasts_without_an_interval_are_told_apart() -> None:
    found = tables([Contrast("c", "m", {"Claude": estimate(1.0), "GLM": estimate(2, 1, 3)}), Contrast("c", "n", {})])
    (row,) = found["replication_totals"].rows
    assert [cell.value for cell in row.cells.values()] == [2, 1, 0, 2]
    first, second = found["replication"].rows
    assert first.cells["conclusion"].reason == "no interval under every judge"
    assert second.cells["judge:GLM"].reason == "not read by this judge"
    assert second.cells["sign"].reason == "not estimable under every judge"


def test_one_judge_replicates_nothing() -> None:
    assert tables(published(), ("Claude",)) == {}
    assert tables([]) == {}


def test_main_contrasts_rest_on_pairs_valid_for_all_judges() -> None:
    cases = made(2, 48, ("j1", "j2", "j3"), lost=0.1)
    found = main_contrasts(Groups(tables_of(cases), cases))
    assert [(one.name, one.model) for one in found] == [("Main − Controls", "m0"), ("Main − Controls", "m1")]
    counts: dict[tuple[str, str], int] = {}
    for one in cases:
        counts[one.model, one.pair_id] = counts.get((one.model, one.pair_id), 0) + one.complete
    for contrast in found:
        for judge, one in contrast.estimates.items():
            own = [
                c for c in cases if (c.judge, c.model) == (judge, contrast.model) and counts[c.model, c.pair_id] == 3
            ]
            means = {}
            for block in ("main", "control"):
                scores = [c.total(RUBRIC) for c in own if c.pair.design.block == block]
                means[block] = sum(scores) / len(scores)
            assert one.value == pytest.approx(means["main"] - means["control"])
            assert one.n == len(own) < sum(c.complete for c in cases if (c.judge, c.model) == (judge, contrast.model))
            wanted = {f"{key}={value}" for key, value in contrast.where[judge].items()}
            words = [{*marks(c, RUBRIC).split(), *reliability_marks(c, RUBRIC)} for c in cases]
            assert sum(wanted <= each for each in words) == one.n


def test_further_contrasts_by_loops() -> None:
    """By dimension, without refusals and rejected premises, without contested statehood: values, n and marks."""
    cases = crowd(judges=JUDGES, pairs=120)
    valid = {(c.model, c.pair_id) for c in cases if c.complete and c.judge == JUDGES[0]}
    valid &= {(c.model, c.pair_id) for c in cases if c.complete and c.judge == JUDGES[1]}
    # Rules read responses, which both judges were shown: what the first case says of a pair holds for both.
    known = {(c.model, c.pair_id): c.responses for c in reversed(cases)}
    others = {JUDGES[0]: JUDGES[1], JUDGES[1]: JUDGES[0]}
    cases = [
        c._replace(
            responses=known[c.model, c.pair_id],
            also=(others[c.judge],) if _complete(cases, c, others[c.judge]) else (),
        )
        for c in cases
    ]
    found = score_contrasts(Groups(made_tables(cases), cases))
    assert len({one.name for one in found}) == 5 + 3 + 1
    words = [{*marks(c, RUBRIC).split(), *reliability_marks(c, RUBRIC)} for c in cases]
    for one in found:
        kind = one.name.removeprefix("Main − Controls, ")
        for judge in JUDGES:
            own = [c for c in cases if (c.judge, c.model) == (judge, one.model) and (c.model, c.pair_id) in valid]
            own = [c for c in own if STAYS.get(kind, lambda _: True)(c)]
            scored = next((d for d in RUBRIC.dimensions if d.title == kind), None)
            means = {}
            for block in ("main", "control"):
                scores = [
                    c.total(RUBRIC) if scored is None else c.score(scored) for c in own if c.pair.design.block == block
                ]
                means[block] = sum(scores) / len(scores)
            assert one.estimates[judge].value == pytest.approx(means["main"] - means["control"]), one.name
            assert one.estimates[judge].n == len(own)
            wanted = {f"{key}={value}" for key, value in one.where[judge].items()}
            assert sum(wanted <= each for each in words) == len(own), one.name


def _complete(cases: list[Case], of: Case, judge: str) -> bool:
    return any(c.complete for c in cases if (c.judge, c.model, c.pair_id) == (judge, of.model, of.pair_id))


def _neither(case: Case, *behaviours: str) -> bool:
    return all(getattr(one.behaviour, name) == "none" for one in case.responses.values() for name in behaviours)


STAYS: dict[str, Callable[[Case], bool]] = {
    "without refusals": lambda c: _neither(c, "refusal"),
    "without rejected premises": lambda c: _neither(c, "premise"),
    "without both": lambda c: _neither(c, "refusal", "premise"),
    "without contested statehood": lambda c: "contested_statehood" not in c.pair.design.tags,
}


def test_further_contrasts_of_pairs_without_scenarios() -> None:
    cases = crowd(judges=JUDGES, pairs=60)
    found = score_contrasts(Groups(made_tables(cases), cases), scenarios=False)
    assert {one.name.removeprefix("Main − Controls, ") for one in found} == {one.title for one in RUBRIC.dimensions}
    alone = crowd(judges=JUDGES[:1], pairs=60)
    assert score_contrasts(Groups(made_tables(alone), alone)) == []


def test_the_counts_in_words() -> None:
    said = list(replication_in_words(list(tables(published()).values())))
    assert said == [
        "Judges beside each other, Main − Controls: of 7, 7 have the same sign under all, and 7 lead to the same "
        "conclusion.",
        "Judges beside each other, all contrasts: of 21, 20 have the same sign under all, and 19 lead to the same "
        "conclusion.",
    ]
    unlike = [Contrast("c", "m", {"Claude": estimate(1.0), "GLM": estimate(2, 1, 3)})] * 2
    assert list(replication_in_words(list(tables(unlike).values()))) == []


def test_without_controls_there_is_no_such_contrast() -> None:
    cases = [one for one in made(1, 12) if one.pair.design.block == "main"]
    assert main_contrasts(Groups(tables_of(cases), cases)) == []


def test_with_every_pair_valid_the_contrast_is_that_of_the_main_table() -> None:
    cases = made(1, 40, lost=0)
    tables: Tables = tables_of(cases)
    (contrast,) = main_contrasts(Groups(tables, cases))
    for row in tables.main_table().rows:
        assert contrast.estimates[row.keys["judge"]].value == row.cells["difference"].value
        assert contrast.estimates[row.keys["judge"]].low == row.cells["difference"].low
