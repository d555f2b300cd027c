"""A response that runs in circles is told from one that repeats itself on purpose, is long, or is cut."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polibias.detectors import loop as rules
from polibias.detectors.loop import Loop, find_loop
from tests.conftest import ROOT
from tests.detectors.texts import WORDS, cases, prose

CASES = cases("loops.json")
UNITS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=60).map(lambda words: " ".join(words) + ". ")


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_cases(text: str, expected: bool) -> None:
    assert (find_loop(text) is not None) == expected


def test_the_finding_can_be_told_to_a_person() -> None:
    sound, unit = prose(300), "So the answer must be no. "
    assert find_loop(sound + unit * 25 + "So the answer") == Loop("cycle", len(sound), 7, 25)
    assert find_loop('{"framing":' + " " * 900) == Loop("whitespace", 11, 1, 900)
    counted = "".join(f"Count {n} follows the reasons given for the count before it. " for n in range(90))
    found = find_loop(sound + counted)
    assert found is not None
    assert (found.kind, found.period) == ("drift", 12)
    assert abs(found.start - len(sound)) <= len("Count 0 follows the reasons given for the count before it. ")
    assert 88 <= found.repeats <= 90


def test_a_loop_starts_where_sound_text_ends() -> None:
    """White space after the loop and a second loop do not move the start; the first of several is given."""
    text = prose(200) + "It is so. " * 40 + prose(200) + "It is not. " * 40 + " " * 900
    found = find_loop(text)
    assert found is not None
    assert found.start == len(prose(200))


@pytest.mark.parametrize(
    ("unit", "turns"),
    [(9, rules.MANY_TURNS), (rules.FEW_TOKENS // rules.FEW_TURNS, rules.FEW_TURNS), (3, rules.MANY_TOKENS // 3)],
)
def test_limits_of_exact_cycles(unit: int, turns: int) -> None:
    """Exactly enough is a loop, a token less is not."""
    tokens = WORDS[:unit] * turns
    before, after = prose(100) + "Now ", " then."
    assert find_loop(before + " ".join(tokens) + after) is not None
    assert find_loop(before + " ".join(tokens[:-1]) + after) is None


@pytest.mark.parametrize(
    ("sign", "least"), [("-", rules.MIN_CHARS_WORDLESS), ("·", rules.MIN_CHARS_WORDLESS), ("x", rules.MIN_CHARS)]
)
def test_limits_of_runs(sign: str, least: int) -> None:
    assert find_loop(f"before\n{sign * least}\nafter") is not None
    assert find_loop(f"before\n{sign * (least - 1)}\nafter") is None


def test_limits_of_white_space() -> None:
    assert find_loop("a" + " " * rules.BLANKS + "b") is None
    assert find_loop("a" + " " * (rules.BLANKS + 1) + "b") is not None
    assert find_loop("a" + "\n" * rules.BLANKS_AT_END) is None
    assert find_loop("a" + "\n" * (rules.BLANKS_AT_END + 1)) is not None


@given(UNITS, st.integers(0, 1500), st.integers(0, 5), st.integers(0, 400))
@settings(deadline=None)
def test_a_loop_is_found_whatever_surrounds_it(unit: str, before: int, seed: int, after: int) -> None:
    """Appended to any text, with any text after it, at any offset."""
    loop = unit * (rules.MANY_TURNS + rules.MIN_CHARS // len(unit) + rules.MANY_TOKENS // len(unit.split()))
    found = find_loop(prose(before, seed) + loop + prose(after, seed + 1))
    assert found is not None
    assert found.kind == "cycle"
    assert found.start <= len(prose(before, seed))


@given(UNITS, st.integers(0, 300), st.integers(0, 1000))
@settings(deadline=None)
def test_a_cut_in_the_last_turn_changes_nothing(unit: str, before: int, cut: int) -> None:
    whole = prose(before) + unit * 80
    found, found_cut = find_loop(whole), find_loop(whole + unit[: cut % len(unit)])
    assert found is not None
    assert found_cut is not None
    assert found_cut[:3] == found[:3]


@given(st.lists(st.lists(st.sampled_from(WORDS), min_size=6, max_size=14, unique=True).map(" ".join), unique=True))
@settings(deadline=None)
def test_distinct_sentences_never_loop(sentences: list[str]) -> None:
    assert find_loop(". ".join(sentences)) is None


@given(st.text(max_size=600), st.integers(1, 12))
@settings(deadline=None)
def test_any_text_has_one_answer_that_lies_in_it(text: str, times: int) -> None:
    found = find_loop(text * times)
    assert found == find_loop(text * times)
    assert found is None or (0 <= found.start < len(text * times) and found.period > 0 and found.repeats > 1)


SEGMENTS = st.tuples(st.lists(st.sampled_from(["alpha", "beta", "gamma"]), min_size=1, max_size=40), st.integers(1, 30))


@given(st.lists(SEGMENTS, min_size=1, max_size=5), st.booleans())
@settings(deadline=None, max_examples=100)
def test_exact_cycles_agree_with_the_definition(segments: list[tuple[list[str], int]], symbols: bool) -> None:
    """Every pair of position and period is tried: the same verdict, start, period and number of turns."""
    tokens = [token for unit, times in segments for token in unit * times][:900]
    if symbols:
        tokens = [{"alpha": "<->", "beta": "/", "gamma": "=="}[token] for token in tokens]
    found = find_loop(" ".join(tokens))
    assert (found if found and found.kind == "cycle" else None) == defined(tokens, wordless=symbols)


def defined(tokens: list[str], wordless: bool) -> Loop | None:
    """The first stretch, with its least period, that is periodic, often enough and long enough."""
    starts = [sum(len(token) + 1 for token in tokens[:at]) for at in range(len(tokens) + 1)]
    found = [
        (first, period, (end - first) // period)
        for period in range(1, len(tokens) // 4 + 1)
        for first, end in stretches(tokens, period)
        if starts[end] - 1 - starts[first] >= (rules.MIN_CHARS_WORDLESS if wordless else rules.MIN_CHARS)
        and ((end - first >= max(8 * period, rules.MANY_TOKENS)) or (end - first >= max(4 * period, rules.FEW_TOKENS)))
    ]
    first, period, turns = min(found, default=(0, 0, 0))
    return Loop("cycle", starts[first], period, turns) if found else None


def stretches(tokens: list[str], period: int) -> list[tuple[int, int]]:
    """Maximal stretches in which every token equals the one a period later."""
    found, first = [], 0
    for at in range(len(tokens) - period + 1):
        if at == len(tokens) - period or tokens[at] != tokens[at + period]:
            found.append((first, at + period))
            first = at + 1
    return found


def test_texts_that_people_wrote_do_not_loop() -> None:
    """The licence, this project's pages, its code and its data: law, lists, tables and boilerplate."""
    written = [ROOT / "LICENSE", *ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.rglob("polibias/**/*.py")]
    written += ROOT.glob("data/**/*.toml")
    assert len(written) > 50
    assert [path.name for path in written if find_loop(path.read_text("utf-8"))] == []


def test_hostile_text_is_read_to_the_end() -> None:
    """Nothing raises, nothing backtracks: near-periodic words, noise, lone surrogates, control characters."""
    drawn = random.Random(7)
    words = ["a", "ab"]
    while len(words[-1]) < 20_000:
        words.append(words[-1] + words[-2])
    noise = "".join(chr(drawn.randrange(0x21, 0x7F)) for _ in range(30_000))
    for text in (words[-1], words[-1].replace("a", "{").replace("b", "}"), noise, "\ud800\x00\u200b" * 20):
        assert find_loop(text) is None
    assert find_loop("\ud800 \x00" * 9_000) is not None
