"""Laws of the draw: even in every margin at any size, equal and exactly known chances, the same for ever."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil, floor, prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polibias import sampling
from polibias.domain.ids import tagged_hash
from polibias.domain.study import Draw, Part
from polibias.errors import InputError
from polibias.sampling import (
    BLOCK_MARGINS,
    COMMON_MARGINS,
    FACTORS,
    Candidate,
    Coin,
    Drawn,
    Flow,
    balance,
    draw,
    part,
    rounded,
    sample,
)

OFFICIAL = {"main": 600, "control": 200}
SEED = 20280101
TOPICS = ["aggression"] * 5 + ["crimes"] * 19 + ["genocide"] * 6 + ["maritime"] * 3 + ["war"] * 28
KINDS = {"main": ["active"] * 8 + ["tension"] * 8, "control": ["no_conflict"] * 8 + ["fictional"] * 8}


def product(topics: Sequence[str], kinds: dict[str, list[str]], tasks: int) -> list[Candidate]:
    """Every template × pair × task: a template per topic, a pair per kind, in each block."""
    return [
        Candidate(f"t{t}", topic, f"{block}-{p}", kind, block, f"T{k}")
        for t, topic in enumerate(topics)
        for block, found in kinds.items()
        for p, kind in enumerate(found)
        for k in range(1, tasks + 1)
    ]


EVERYTHING = product(TOPICS, KINDS, 4)


@pytest.fixture(scope="module")
def official() -> list[Drawn]:
    return draw(EVERYTHING, OFFICIAL, SEED)


def names(drawn: Sequence[Drawn]) -> set[Candidate]:
    return {one.candidate for one in drawn}


def cells(drawn: Sequence[Drawn], *factors: str, block: str = "") -> Counter[tuple[str, ...]]:
    found = [one.candidate for one in drawn if block in ("", one.candidate.block)]
    return Counter(tuple(getattr(one, factor) for factor in factors) for one in found)


def spectrum(counts: Counter[tuple[str, ...]]) -> dict[int, int]:
    """How many cells hold how many items."""
    return dict(Counter(counts.values()))


@pytest.mark.parametrize("seed", [SEED, 7])
def test_official_draw_has_the_numbers_of_the_protocol(seed: int) -> None:
    drawn = draw(EVERYTHING, OFFICIAL, seed)
    assert len(names(drawn)) == len(drawn) == 800
    assert [spectrum(cells(drawn, name, block="main")) for name in ("template", "topic", "task", "topic_category")] == [
        {10: 51, 9: 10},
        {37: 8, 38: 8},
        {150: 4},
        {300: 2},
    ]
    assert [
        spectrum(cells(drawn, name, block="control")) for name in ("template", "topic", "task", "topic_category")
    ] == [
        {4: 17, 3: 44},
        {12: 8, 13: 8},
        {50: 4},
        {100: 2},
    ]
    assert spectrum(cells(drawn, "template", "task", block="main")) == {3: 112, 2: 132}
    assert spectrum(cells(drawn, "template", "task", block="control")) == {1: 200}
    assert spectrum(cells(drawn, "template", "topic", block="main")) == {1: 600}
    assert spectrum(cells(drawn, "template")) == {13: 54, 14: 7}
    assert {(one.candidate.block, one.inclusion) for one in drawn} == {("main", 600 / 3904), ("control", 200 / 3904)}


def test_draw_is_pinned(official: list[Drawn]) -> None:
    """A change here is another algorithm: give it another name."""
    assert sampling.ALGORITHM == "balanced-draw-1"
    assert tagged_hash("test/1", official) == "67ad61286ce86f61a2a1b29e35f7ed0e699e23cdae5507e318ec5d4275312623"
    kept = part(official, SEED, "null", items=100, over=["task", "block"])
    assert tagged_hash("test/1", kept) == "a12f460948a095a71bc77d0b4dca606eab0c007f0efe8758a57e9575e1a5c4c9"


def test_order_is_that_of_the_candidates_and_changes_nothing(official: list[Drawn]) -> None:
    order = {one: place for place, one in enumerate(EVERYTHING)}
    places = [order[one.candidate] for one in official]
    assert places == sorted(places)
    backwards = draw(EVERYTHING[::-1], {"control": 200, "main": 600}, SEED)
    assert backwards == official[::-1]
    assert names(draw(EVERYTHING, OFFICIAL, SEED + 1)) != names(official)


@st.composite
def blocks(make: st.DrawFn) -> tuple[list[Candidate], dict[str, int]]:
    topics = make(st.lists(st.sampled_from("xyz"), min_size=1, max_size=9))
    kinds = {name: make(st.lists(st.sampled_from("pqr"), min_size=1, max_size=7)) for name in ("main", "control")}
    tasks = make(st.integers(1, 5))
    most = {name: len(topics) * len(found) * tasks for name, found in kinds.items()}
    return product(topics, kinds, tasks), {name: make(st.integers(0, size)) for name, size in most.items()}


@settings(max_examples=50, deadline=None)
@given(blocks(), st.integers(0, 2**53 - 1))
def test_every_margin_is_even_at_any_size(given_: tuple[list[Candidate], dict[str, int]], seed: int) -> None:
    """Counted here and not by `balance`: each cell holds its share rounded down or up, over the whole product."""
    candidates, sizes = given_
    drawn = draw(candidates, sizes, seed)
    chosen = names(drawn)
    assert len(chosen) == len(drawn)
    assert Counter(one.block for one in chosen) == Counter({name: n for name, n in sizes.items() if n})
    total = Counter(one.block for one in candidates)
    share = {name: Fraction(n, total[name]) for name, n in sizes.items()}
    margins = [("block", *margin) for margin in BLOCK_MARGINS] + list(COMMON_MARGINS)
    for margin in margins:
        expected: defaultdict[tuple[str, ...], Fraction] = defaultdict(Fraction)
        found: Counter[tuple[str, ...]] = Counter()
        for one in candidates:
            cell = tuple(getattr(one, factor) for factor in margin)
            expected[cell] += share[one.block]
            found[cell] += one in chosen
        assert all(found[cell] in (floor(value), ceil(value)) for cell, value in expected.items()), margin
    assert all(row.even for row in balance(drawn, candidates))


def outcomes(coins: list[list[tuple[bool, Fraction]]]) -> Iterator[Coin]:
    """A coin for every way the throws can fall. `coins` receives each way's throws and their chances."""
    waiting: list[list[bool]] = [[]]
    while waiting:
        prefix, throws = waiting.pop(), list[tuple[bool, Fraction]]()

        def coin(yes: int, no: int, prefix: list[bool] = prefix, throws: list[tuple[bool, Fraction]] = throws) -> bool:
            says = prefix[len(throws)] if len(throws) < len(prefix) else True
            throws.append((says, Fraction(yes if says else no, yes + no)))
            return says

        coins.append(throws)
        yield coin
        said = [says for says, _ in throws]
        waiting += [[*said[:place], False] for place in range(len(prefix), len(throws))]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.integers(0, 12), min_size=3, max_size=3), min_size=2, max_size=2))
def test_rounding_keeps_every_expectation_exactly(table: list[list[int]]) -> None:
    """All ways the coins can fall, weighted by their chances, give the values back; each way keeps every total."""
    places = [(r, c) for r in range(2) for c in range(3)]
    flows = [Flow(Fraction(table[r][c], 6), (f"row {r}",), (f"column {c}", f"half {c // 2}")) for r, c in places]
    coins: list[list[tuple[bool, Fraction]]] = []
    chance, expected = Fraction(0), [Fraction(0)] * 6
    for coin in outcomes(coins):
        found = rounded(flows, coin)
        weight = prod((odds for _, odds in coins[-1]), start=Fraction(1))
        chance += weight
        expected = [sum_ + weight * value for sum_, value in zip(expected, found, strict=True)]
        for group in {name for flow in flows for name in (*flow.left, *flow.right)}:
            members = [place for place, flow in enumerate(flows) if group in (*flow.left, *flow.right)]
            value = sum((flows[place].value for place in members), start=Fraction(0))
            assert sum(found[place] for place in members) in (floor(value), ceil(value))
    assert chance == Fraction(1)
    assert expected == [flow.value for flow in flows]


@pytest.mark.parametrize(
    ("templates", "kinds", "tasks", "n"), [(2, "pq", 2, 3), (2, "ppq", 2, 5), (3, "pq", 1, 2), (2, "pp", 3, 4)]
)
def test_every_item_has_exactly_the_same_chance(
    monkeypatch: pytest.MonkeyPatch, templates: int, kinds: str, tasks: int, n: int
) -> None:
    """Exact, for one order of the cells: categories of unequal size make no item likelier than another."""
    candidates = product(["x"] * templates, {"main": list(kinds)}, tasks)
    coins: list[list[tuple[bool, Fraction]]] = []
    expected: defaultdict[Candidate, Fraction] = defaultdict(Fraction)
    for coin in outcomes(coins):
        monkeypatch.setattr(sampling, "keyed_coin", lambda *_, coin=coin: coin)
        drawn = draw(candidates, {"main": n}, 1)
        weight = prod((odds for _, odds in coins[-1]), start=Fraction(1))
        for one in drawn:
            expected[one.candidate] += weight
    assert set(expected.values()) == {Fraction(n, len(candidates))}
    assert len(expected) == len(candidates)


def test_chances_hold_over_seeds() -> None:
    """With the real coins: 400 seeds, every item within five standard errors of its stored probability."""
    candidates = product(["x", "x", "y"], {"main": ["p", "p", "q"], "control": ["r"]}, 2)
    seeds, found, stored = 400, Counter[Candidate](), dict[Candidate, float]()
    for seed in range(seeds):
        for one in draw(candidates, {"main": 5, "control": 2}, seed):
            found[one.candidate] += 1
            stored[one.candidate] = one.inclusion
    assert set(stored.values()) == {5 / 18, 2 / 6}
    for item in candidates:
        error = (stored[item] * (1 - stored[item]) / seeds) ** 0.5
        assert abs(found[item] / seeds - stored[item]) < 5 * error


def test_parts_have_the_numbers_of_the_protocol(official: list[Drawn]) -> None:
    null = part(official, SEED, "null", items=100, over=["task", "block"])
    assert cells(null, "block") == {("main",): 75, ("control",): 25}
    assert spectrum(cells(null, "task", block="main")) == {19: 3, 18: 1}
    assert spectrum(cells(null, "task", block="control")) == {6: 3, 7: 1}
    framing = part(official, SEED, "sycophancy", each=2, over=["topic", "task"], block="main")
    assert (len(framing), spectrum(cells(framing, "topic", "task"))) == (128, {2: 64})
    masking = part(official, SEED, "masking", items=150, over=["topic_category", "task"])
    assert set(spectrum(cells(masking, "topic_category", "task"))) == {9, 10}
    assert spectrum(cells(masking, "topic_category")) == {37: 2, 38: 2}
    retest = part(official, SEED, "retest", items=50, over=["topic_category"])
    assert spectrum(cells(retest, "topic_category")) == {12: 2, 13: 2}
    for kept in (null, framing, masking, retest):
        assert names(kept) < names(official)
        assert [one.candidate for one in kept] == [one.candidate for one in official if one.candidate in names(kept)]
    # 128 items over 61 templates are 1.8 to 2.3 each, 50 are 0.7 to 1.2: spread as far as they go.
    assert (len(cells(framing, "template")), max(cells(framing, "template").values())) == (61, 3)
    assert max(cells(retest, "template").values()) <= 2


def test_stored_chances_of_a_part_multiply(official: list[Drawn]) -> None:
    masking = part(official, SEED, "masking", items=150, over=["topic_category"])
    chances = {(one.candidate.block, one.inclusion) for one in masking}
    assert chances == {("main", 600 / 3904 * (37.5 / 300)), ("control", 200 / 3904 * (37.5 / 100))}
    framing = part(official, SEED, "sycophancy", each=2, over=["topic", "task"], block="main")
    size = cells(official, "topic", "task")
    for one in framing:
        assert one.inclusion == 600 / 3904 * (2 / size[one.candidate.topic, one.candidate.task])
    # Inverse chances add up to the product that the strata were drawn from.
    assert sum(1 / one.inclusion for one in framing) == pytest.approx(3904)


def test_chances_of_a_part_hold_over_seeds() -> None:
    """Given the draw, every item's share of 400 seeds is its stored probability over the draw's."""
    drawn = draw(
        product(["x", "x", "y", "z"], {"main": ["p", "p", "q"], "control": ["r"]}, 2), {"main": 10, "control": 5}, 3
    )
    seeds, found, stored = 400, Counter[Candidate](), dict[Candidate, float]()
    parents = {one.candidate: one.inclusion for one in drawn}
    for seed in range(seeds):
        for one in part(drawn, seed, "some", items=5, over=["task", "block"]):
            found[one.candidate] += 1
            stored[one.candidate] = one.inclusion / parents[one.candidate]
    assert set(stored) == set(parents)
    assert sum(stored.values()) == pytest.approx(5)
    for item, chance in stored.items():
        assert abs(found[item] / seeds - chance) < 5 * (chance * (1 - chance) / seeds) ** 0.5


@settings(max_examples=50, deadline=None)
@given(blocks(), st.integers(0, 1000), st.data())
def test_parts_are_as_even_as_their_strata_allow(
    given_: tuple[list[Candidate], dict[str, int]], seed: int, data: st.DataObject
) -> None:
    drawn = draw(given_[0], given_[1], seed)
    factors = data.draw(
        st.lists(st.sampled_from([name for name in FACTORS if name != "block"]), unique=True, max_size=3)
    )
    strata = cells(drawn, *factors)
    items = data.draw(st.integers(0, len(strata) * min(strata.values(), default=0)))
    if items == 0:
        return
    kept = part(drawn, seed, "some", items=items, over=factors)
    achieved = cells(kept, *factors)
    assert len(names(kept)) == len(kept) == items
    assert {achieved[cell] for cell in strata} <= {items // len(strata), -(-items // len(strata))}
    expected: defaultdict[str, Fraction] = defaultdict(Fraction)
    for one in drawn:
        chance = Fraction(items, len(strata) * strata[tuple(getattr(one.candidate, name) for name in factors)])
        expected[one.candidate.template] += chance
    found = cells(kept, "template")
    assert all(found[(name,)] in (floor(value), ceil(value)) for name, value in expected.items())


def test_names_separate_parts_and_parts_of_parts_nest(official: list[Drawn]) -> None:
    first = part(official, SEED, "one", items=100, over=["block"])
    assert first == part(official, SEED, "one", items=100, over=["block"])
    assert names(first) != names(part(official, SEED, "two", items=100, over=["block"]))
    inner = part(first, SEED, "inner", items=20, over=["block"])
    assert names(inner) < names(first)
    assert {one.inclusion for one in inner} == {one.inclusion * float(Fraction(1, 5)) for one in first}


def test_nothing_and_everything_can_be_drawn() -> None:
    candidates = product(["x", "y"], {"main": ["p"], "control": ["q"]}, 2)
    assert draw([], {}, 1) == draw([], {"main": 0}, 1) == []
    assert draw(candidates, {"main": 0, "control": 0}, 1) == []
    everything = draw(candidates, {"main": 4, "control": 4}, 1)
    assert everything == [Drawn(one, 1.0) for one in candidates]
    assert part(everything, 1, "all", items=8) == everything


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"main": 1}, "block 'control': no size is given; say how many of its 4 items to draw, or 0"),
        ({"main": 5, "control": 0}, "block 'main': 5 items of 4; ask for fewer"),
        ({"main": -1, "control": 0}, "block 'main': -1 items cannot be drawn"),
        ({"main": 1, "control": 0, "other": 3}, "block 'other': 3 items of 0"),
    ],
)
def test_sizes_that_cannot_be_drawn_are_said(sizes: dict[str, int], message: str) -> None:
    candidates = product(["x", "y"], {"main": ["p"], "control": ["q"]}, 2)
    with pytest.raises(InputError) as raised:
        draw(candidates, sizes, 1)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_block_with_holes_or_repeats_is_refused() -> None:
    candidates = product(["x", "y"], {"main": ["p"]}, 2)
    for wrong in (candidates[1:], [*candidates, candidates[0]], [*candidates[1:], candidates[1]]):
        with pytest.raises(InputError, match="name every combination once"):
            draw(wrong, {"main": 2}, 1)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({}, "give either items or each"),
        ({"items": 2, "each": 1}, "give either items or each"),
        ({"items": -1, "each": 1}, "give either items or each"),
        ({"items": 2, "over": ["colour"]}, "no factor 'colour'; there are template, category, topic"),
        ({"items": 2, "over": ["name"]}, "no factor 'name'"),
        ({"items": 900}, "900 items of 800; ask for fewer, or draw more"),
        ({"each": 1, "block": "other"}, "1 items of 0 in block 'other'"),
        ({"each": 10, "over": ["topic", "task"], "block": "main"}, "10 items of 9 in main-"),
        ({"items": 500, "over": ["topic_category"]}, "125 items of 100 in "),
    ],
)
def test_rules_that_cannot_be_kept_are_said(official: list[Drawn], rule: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as raised:
        part(official, SEED, "some", **rule)  # type: ignore[arg-type]
    assert message in str(raised.value)
    assert str(raised.value).startswith("part 'some': ")


def test_a_studys_rule_is_draw_and_part(official: list[Drawn]) -> None:
    rule = Draw(SEED, main=600, control=200)
    assert sample(EVERYTHING, rule, "here") == official
    first = Part("sycophancy", each=2, over=("topic", "task"), block="main")
    expected = part(official, SEED, "sycophancy", each=2, over=["topic", "task"], block="main")
    assert sample(EVERYTHING, Draw(SEED, 600, 200, (first,)), "here") == expected
    inner = part(expected, SEED, "few", items=16, over=["topic"])
    assert sample(EVERYTHING, Draw(SEED, 600, 200, (first, Part("few", items=16, over=("topic",)))), "here") == inner
    half = sample(EVERYTHING[:256], Draw(SEED, main=7), "here")
    assert cells(half, "block") == {("main",): 7, ("control",): 128}
    with pytest.raises(InputError, match=r"^here: block 'main': 4000 items of 3904"):
        sample(EVERYTHING, Draw(SEED, 4000, 200), "here")


def test_a_set_that_is_no_product_can_be_sampled_by_a_part() -> None:
    """Imported pairs have names of their own; several may share template, topic and task."""
    found = [Candidate("t", "x", f"p{n % 3}", "k", "main", f"T{n % 2}", f"pair-{n}") for n in range(12)]
    assert sample(found, Draw(1), "here") == [Drawn(one, 1.0) for one in found]
    kept = sample(found, Draw(1, parts=(Part("some", items=6, over=("task",)),)), "here")
    assert spectrum(cells(kept, "task")) == {3: 2}
    assert {one.inclusion for one in kept} == {0.5}
    with pytest.raises(InputError, match="or take all and then a part"):
        sample(found, Draw(1, main=3), "here")
