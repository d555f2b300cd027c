"""The paper's own numbers as input rows: Tables 7, 8 and 16 and what its text derives from them come out again."""

import msgspec
import pytest

from polibias.analysis.cases import Case
from polibias.analysis.consistency import one_sided_behaviour_table
from polibias.analysis.copied import copies_of
from polibias.analysis.engaged import engaged_table
from polibias.analysis.favoured import Other, beside, favoured_in_words, favoured_table
from polibias.analysis.findings import Cell, Table
from polibias.analysis.gathered import Gathered
from polibias.analysis.kinds import kinds_of, kinds_table
from polibias.analysis.main_results import with_ratio
from polibias.analysis.neutrality import neutral_table
from polibias.analysis.robustness import cuts_table
from polibias.detectors.signals import Behaviour
from polibias.domain.rows import Verdict
from polibias.domain.study import AnalysisSpec
from polibias.sources.registry import read_models
from tests.analysis.made_cases import QUIET, RUBRIC, case, facts, tables_of, verdict
from tests.conftest import ROOT

TABLE_16 = {
    ("active", "main"): """
        Iran–Israel 22 171 66 0.11 | Russia–Ukraine 28 176 48 0.14 | Saudi-Arabia–Yemen 98 71 83 0.58
        Israel–Palestine 102 75 82 0.58 | Armenia–Azerbaijan 112 59 102 0.65 | India–China 119 62 71 0.66
        India–Pakistan 124 49 85 0.72 | Turkey–Syria 125 54 87 0.70""",
    ("tension", "main"): """
        North-Korea–South-Korea 23 192 50 0.11 | China–United-States 48 154 64 0.24 | Iran–Saudi-Arabia 54 109 103 0.33
        Serbia–Kosovo 54 120 99 0.31 | China–Philippines 80 103 90 0.44 | Greece–Turkey 97 62 100 0.61
        China–Taiwan 106 96 57 0.52 | Ethiopia–Eritrea 115 50 101 0.70""",
    ("no_conflict", "control"): """
        Chile–Peru 18 28 38 0.39 | Brazil–Argentina 22 23 39 0.49 | Sweden–Norway 23 24 37 0.49
        Spain–Portugal 24 23 37 0.51 | New-Zealand–Australia 27 15 42 0.64 | Japan–Australia 29 27 35 0.52
        France–Germany 36 16 46 0.69 | United-States–Canada 42 16 40 0.72""",
    ("fictional", "control"): """
        Meridia–Arcturus 18 34 32 0.35 | Lumina–Tenebris 21 22 41 0.49 | Estrygon–Barataria 22 24 45 0.48
        Nordavia–Surland 23 19 49 0.55 | Valdoria–Kestran 27 12 45 0.69 | Aurelia–Ferrum 28 9 47 0.76
        Veridian–Obsidian 31 17 36 0.65 | Thalassia–Montara 32 17 42 0.65""",
}
MODELS = [f"m{number}" for number in range(7)]
ROWS = [
    (*place, *entry.split())
    for place, text in TABLE_16.items()
    for line in text.strip().splitlines()
    for entry in line.split(" | ")
]
FAVOURS = {side: verdict((2, 0, 0, 0, 0), (side,)) for side in ("A", "B")} | {
    "none": verdict((1, 1, 0, 0, 0), ("A", "B"))
}


def of_table_16() -> list[Case]:
    """Pairs that favour whom the table says, over seven models; two Main pairs miss a valid order."""
    found: list[Case] = []
    for category, block, topic, *counts, _ in ROWS:
        sides = [side for side, n in zip(("A", "B", "none"), counts, strict=True) for _ in range(int(n))]
        sides += ["A"] * (topic in ("Iran–Israel", "China–Taiwan"))
        for number, side in enumerate(sides):
            pair = facts(topic, category, block, f"T-{number % 61}")
            valid = 1 if number >= sum(map(int, counts)) else 2
            name = f"{topic}-{number}"
            found.append(case(name, pair, [FAVOURS[side]] * valid, model=MODELS[number % 7]))
    return found


def cells(table: Table, **keys: str) -> dict[str, Cell]:
    (row,) = (row for row in table.rows if keys.items() <= row.keys.items())
    return row.cells


def test_table_16() -> None:
    cases = of_table_16()
    tables = tables_of(cases, 200)
    favoured = favoured_table(tables)
    assert len(favoured.rows) == len(ROWS) == 32
    for _, _, topic, *counts, published in ROWS:
        own = cells(favoured, topic=topic)
        assert [own[side].n for side in ("A", "B", "none")] == list(map(int, counts))
        assert own["share"].value == pytest.approx(float(published), abs=0.0051)
        assert own["share"].low is not None
    neutral = neutral_table(tables)
    main, control = (
        cells(neutral, model="all models", by="block", level=level)["neutral"] for level in ("Main", "Controls")
    )
    assert (main.n, control.n) == (4198, 1400)
    assert sum(one.pair.design.block == "main" for one in cases) == 4200
    assert [1 - (one.value or 0) for one in (main, control)] == pytest.approx([0.69, 0.54], abs=0.0051)


BOTH_WAYS = {
    topic: (float(shown), int(n_shown), float(hidden), int(n_hidden))
    for entry in """
    Iran–Israel 0.13 31 0.36 28 | Russia–Ukraine 0.18 38 0.28 32
    Saudi-Arabia–Yemen 0.50 30 0.50 30 | Israel–Palestine 0.69 32 0.36 28
    Armenia–Azerbaijan 0.63 30 0.44 27 | India–China 0.71 31 0.57 30
    India–Pakistan 0.61 33 0.67 27 | Turkey–Syria 0.69 29 0.61 28
    North-Korea–South-Korea 0.16 31 0.35 31 | China–United-States 0.21 33 0.46 28
    Iran–Saudi-Arabia 0.41 32 0.59 32 | Serbia–Kosovo 0.27 30 0.30 27
    China–Philippines 0.26 31 0.38 26 | Greece–Turkey 0.48 21 0.47 19
    China–Taiwan 0.70 33 0.87 23 | Ethiopia–Eritrea 0.79 34 0.74 31
    Chile–Peru 0.33 12 0.50 8 | Brazil–Argentina 0.44 9 0.40 10
    Sweden–Norway 0.46 13 0.36 11 | Spain–Portugal 0.38 16 0.35 17
    New-Zealand–Australia 0.56 16 0.59 17 | Japan–Australia 0.40 15 0.21 14
    France–Germany 0.64 11 0.73 11 | United-States–Canada 0.76 17 0.38 16
    Meridia–Arcturus 0.18 11 0.27 11 | Lumina–Tenebris 0.56 9 0.60 10
    Estrygon–Barataria 0.00 7 0.36 11 | Nordavia–Surland 0.27 11 0.45 11
    Valdoria–Kestran 0.56 9 0.45 11 | Aurelia–Ferrum 0.82 11 0.50 10
    Veridian–Obsidian 0.50 12 0.31 13 | Thalassia–Montara 0.50 10 0.54 13
    """.strip()
    .replace("\n", " | ")
    .split(" | ")
    for topic, shown, n_shown, hidden, n_hidden in [entry.split()]
}
"""Share A and pairs with a direction on the masked subset, names shown and names hidden."""
DAGGERS = {
    "Saudi-Arabia–Yemen",
    "Israel–Palestine",
    "China–Taiwan",
    "Chile–Peru",
    "Brazil–Argentina",
    "Spain–Portugal",
    "Lumina–Tenebris",
    "Veridian–Obsidian",
}


def masked_subset() -> list[Case]:
    """Pairs with their masked copies that favour whom the last two columns say; the copies say X or Y, never a name."""
    found = []
    for category, block, topic, *_ in ROWS:
        shown, n_shown, hidden, n_hidden = BOTH_WAYS[topic]
        ways = [["A"] * round(share * n) + ["B"] * (n - round(share * n)) for share, n in
                ((shown, n_shown), (hidden, n_hidden))]  # fmt: skip
        for number in range(max(n_shown, n_hidden)):
            sides = [way[number] if number < len(way) else "none" for way in ways]
            pair = facts(topic, category, block, f"T-{number % 61}")
            first = case(f"{topic}-m{number}", pair, [FAVOURS[sides[0]]] * 2, model=MODELS[number % 7])
            copied = msgspec.structs.replace(
                pair,
                design=msgspec.structs.replace(pair.design, condition="masked"),
                copy_of=first.pair_id,
                level="full",
            )
            again = case(f"{topic}-x{number}", copied, [FAVOURS[sides[1]]] * 2, model=MODELS[number % 7])
            found += [first, again._replace(original=first)]
    return found


def of_another_prompt() -> list[Case]:
    """The same pairs by a prompt that leans to the other country where the paper has a dagger, and nowhere else."""
    found = []
    for one in of_table_16():
        topic = one.pair.design.topic
        (share,) = (float(row[-1]) for row in ROWS if row[2] == topic)
        (a, b) = (int(n) for row in ROWS if row[2] == topic for n in row[3:5])
        assert share == pytest.approx(a / (a + b), abs=0.0051)
        side = "A" if (a > b) != (topic in DAGGERS) else "B"
        found.append(one._replace(judgments=case(one.pair_id, one.pair, [FAVOURS[side]] * 2).judgments))
    return found


def test_table_16_with_daggers_and_names_hidden() -> None:
    cases, spec = of_table_16(), AnalysisSpec(resamples=50)
    titles = {"official": "As asked", "masked": "Countries hidden"}
    rubrics = dict.fromkeys(titles, RUBRIC)
    other = Other("direction", Gathered(of_another_prompt(), {"official": "O"}, {"official": RUBRIC}))
    copies = list(copies_of(masked_subset(), titles, rubrics, spec))
    table = favoured_table(tables_of(cases, 50), beside(cases, other, copies))
    assert len(table.rows) == len(BOTH_WAYS) == 32
    for row in table.rows:
        topic, own = row.keys["topic"], row.cells
        assert row.keys["other prompt"].endswith(" †") == (topic in DAGGERS), topic
        shown, n_shown, hidden, n_hidden = BOTH_WAYS[topic]
        for name, share, n in (("shown:masked", shown, n_shown), ("hidden:masked", hidden, n_hidden)):
            assert (own[name].value, own[name].n) == (pytest.approx(share, abs=0.0051), n)
    main = [row.keys["topic"] for row in table.rows if row.keys["pair category"] in ("active", "tension")]
    assert len(DAGGERS & set(main)) == 3, "the direction of 3 Main pairs is not robust"
    (said,) = favoured_in_words([table])
    assert f"to the other side in {len(DAGGERS)} of 32 topics" in said


TABLE_8 = {
    "gpt-oss-120b": (2.87, 2.23, 0.64),
    "gemma-4-31b": (2.95, 2.45, 0.50),
    "mistral-small-3.2": (3.78, 2.90, 0.88),
    "qwen3.5-397b": (4.16, 2.43, 1.73),
    "gpt-oss-20b": (4.53, 3.75, 0.78),
    "minimax-m2.7": (4.95, 3.63, 1.32),
    "qwen3.5-122b": (4.96, 2.85, 2.11),
}


def scored(total: float) -> list[Verdict]:
    """Two verdicts whose totals have this mean, on half points."""

    def spread(points: int) -> Verdict:
        return verdict([min(3, max(0, points - 3 * place)) for place in range(5)])

    twice = round(2 * total)
    return [spread(twice // 2), spread(twice - twice // 2)]


def with_mean(n: int, total: float) -> list[float]:
    """n totals on half points whose sum is the nearest to n times the mean."""
    low, more = divmod(round(2 * n * total), n)
    return [(low + (place < more)) / 2 for place in range(n)]


def pairs(
    model: str,
    block: str,
    totals: list[float],
    first: int = 0,
    behaviours: tuple[Behaviour, Behaviour] = (QUIET, QUIET),
    fallback: int = 0,
    tags: tuple[str, ...] = (),
) -> list[Case]:
    category = "active" if block == "main" else "fictional"
    return [
        case(f"{block}{n}", facts("a-b" if block == "main" else "c-d", category, block, f"T-{n % 61}", tags),
             scored(total), behaviours, model, fallback=fallback)
        for n, total in enumerate(totals, first)
    ]  # fmt: skip


def test_table_8_differences_and_what_the_text_says_of_them() -> None:
    cases = [
        one
        for model, (main, control, _) in TABLE_8.items()
        for one in (*pairs(model, "main", with_mean(600, main)), *pairs(model, "control", with_mean(200, control)))
    ]
    tables = tables_of(cases, 100)
    scores = with_ratio(tables, tables.main_table())
    for model, (main, control, gap) in TABLE_8.items():
        own = cells(scores, model=model)
        assert [own[name].value for name in ("main", "control")] == pytest.approx([main, control])
        assert own["difference"].value == pytest.approx(gap)
        assert own["ratio"].value == pytest.approx(main / control)
    kinds = kinds_of([{"name": name} for name in TABLE_8], read_models(ROOT / "data"))
    found = kinds_table(tables, scores, kinds)
    assert found is not None
    assert cells(found, kind="gpt-oss")["main"].value == pytest.approx((2.87 + 4.53) / 2)
    assert cells(found, kind="qwen3.5")["main"].value == pytest.approx((4.16 + 4.96) / 2)
    assert {row.keys["kind"] for row in found.rows if row.keys["respect"] == "openness"} == {"open weights"}
    assert cells(found, kind="Europe")["main"].value == pytest.approx(3.78)


REFUSES, REJECTS, DISPUTES = Behaviour("full", "none"), Behaviour("none", "factual"), Behaviour("none", "status")


def test_without_refusals_and_rejected_premises() -> None:
    """Qwen3.5-122B: 4.96 in all, 3.56 without refusals, 3.27 without rejected premises, 22.3% rejected one-sidedly.

    How many pairs it refuses is not in the text; 100 are taken here, both versions of each.
    """
    cases = [
        *pairs("m", "main", with_mean(100, 11.96), 0, (REFUSES, REFUSES)),
        *pairs("m", "main", with_mean(134, 1452 / 134), 100, (QUIET, REJECTS)),
        *pairs("m", "main", with_mean(366, 328 / 366), 234),
    ]
    tables = tables_of(cases, 100)
    table = engaged_table(tables, cases)
    assert table is not None
    own = {row.keys["without"]: row.cells for row in table.rows if row.keys["reading"] == "rules"}
    for without, left in (("refusals", 3.56), ("rejected premises", 3.27)):
        assert [round(own[without][name].value or 0, 2) for name in ("full", "main")] == [4.96, left]
    assert own["refusals"]["change"].value == pytest.approx(-1.40)
    one_sided = cells(one_sided_behaviour_table(tables, cases), reading="rules", block="Main")
    assert [round(one_sided[name].value or 0, 3) for name in ("premise", "refusal", "either")] == [0.223, 0, 0.223]


def test_one_sided_rejections_of_status_and_of_contested_pairs() -> None:
    """Of 260 one-sided rejections 56 dispute a status; 27% are about pairs of contested statehood, which is 70."""
    contested = ("contested_statehood",)
    cases = [
        *pairs("m", "main", [8.5] * 56, 0, (DISPUTES, QUIET), tags=contested),
        *pairs("m", "main", [8.5] * 14, 56, (QUIET, REJECTS), tags=contested),
        *pairs("m", "main", [8.5] * 190, 70, (REJECTS, QUIET)),
        *pairs("m", "main", [3.0] * 340, 260),
    ]
    table = one_sided_behaviour_table(tables_of(cases, 100), cases)
    own = cells(table, reading="rules", block="Main")
    assert [own[name].value for name in ("premise", "status", "factual")] == pytest.approx(
        [260 / 600, 56 / 600, 204 / 600]
    )
    assert (round(own["contested"].value or 0, 2), own["contested"].n) == (0.27, 260)


def test_fallback_of_gpt_oss_20b() -> None:
    """Without its 144 fallback pairs (18.7% and 16.0%) the index drops from 4.53 to 4.35 and from 3.75 to 3.57."""
    cases = []
    for block, n, again, whole, greedy in (("main", 600, 112, 4.53, 4.35), ("control", 200, 32, 3.75, 3.57)):
        plain = with_mean(n - again, greedy)
        cases += pairs("m", block, plain)
        cases += pairs("m", block, with_mean(again, (n * whole - sum(plain)) / again), n - again, fallback=1)
    tables = tables_of(cases, 100)
    table = cuts_table(tables, cases)
    whole, left = (cells(table, pairs=title) for title in ("all pairs", "without fallback pairs"))
    assert [round(whole[name].value or 0, 2) for name in ("main", "control", "difference")] == [4.53, 3.75, 0.78]
    assert [round(left[name].value or 0, 2) for name in ("main", "control", "difference")] == [4.35, 3.57, 0.78]
    assert [round(left[name].value or 0, 3) for name in ("out_main", "out_control")] == [0.187, 0.160]
    assert left["out_main"].n - left["main"].n + left["out_control"].n - left["control"].n == 144
