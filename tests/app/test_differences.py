"""Two texts collapsed to what differs: nothing lost, nothing invented, the same from both sides."""

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate_app import differences as rules
from annotate_app.differences import differences, tokens

WORDS = [
    *("Russia", "Ukraine", "the", "army", "of", "shells", "don’t", "1991", ".", ", ", "\n\n", "\r\n", " ", "  "),
    *("俄", "罗斯", "攻击", "روسيا", "مُحَمَّد", "नमस्ते", "ไทย", "각", "e\u0301", "\u0301", "\ud800"),
    *("🇷🇺", "🇺🇦", "👨\u200d👩"),
]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=30).map("".join) | st.text(max_size=40)
LONG = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, str]:
    """A text and the same with some words exchanged, taken out or put in."""
    first = draw(st.lists(st.sampled_from(WORDS), max_size=60))
    second = list(first)
    for at in sorted(draw(st.sets(st.integers(0, 59), max_size=5)), reverse=True):
        second[at : at + draw(st.integers(0, 2))] = draw(st.lists(st.sampled_from(WORDS), max_size=2))
    return "".join(first), "".join(second)


PAIRS = edited() | st.tuples(TEXTS, TEXTS)


def check_laws(first: str, second: str) -> None:
    found = differences(first, second)
    assert "".join(stretch.first for stretch in found) == first
    assert "".join(stretch.second for stretch in found) == second
    assert differences(second, first) == tuple(stretch.swapped() for stretch in found)
    assert all(stretch.first or stretch.second for stretch in found)
    assert all((stretch.first == stretch.second) == (stretch.kind != "different") for stretch in found)
    assert not splits_a_mark([stretch.first for stretch in found])
    assert not splits_a_mark([stretch.second for stretch in found])


def splits_a_mark(parts: list[str]) -> bool:
    """Whether a part starts with a combining mark although something stands before it."""
    filled = [part for part in parts if part]
    return any(unicodedata.category(part[0]).startswith("M") for part in filled[1:])


@given(PAIRS)
def test_laws(pair: tuple[str, str]) -> None:
    check_laws(*pair)


@pytest.mark.parametrize("largest", [0, 40])
@given(pair=PAIRS)
def test_laws_hold_where_texts_are_too_large(largest: int, pair: tuple[str, str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rules, "LARGEST", largest)
        patch.setattr(rules, "ROW", 3)
        check_laws(*pair)


@given(TEXTS)
def test_equal_texts_do_not_differ(text: str) -> None:
    assert all(stretch.kind != "different" for stretch in differences(text, text))


@given(TEXTS)
def test_tokens_joined_are_the_text(text: str) -> None:
    assert "".join(tokens(text)) == text


@given(TEXTS, TEXTS)
def test_no_alignment_is_longer(first: str, second: str) -> None:
    """Against the recursive definition of a longest common subsequence."""
    mine, theirs = tokens(first), tokens(second)
    table = [[0] * (len(theirs) + 1) for _ in range(len(mine) + 1)]
    for i, one in enumerate(mine):
        for j, two in enumerate(theirs):
            table[i + 1][j + 1] = table[i][j] + 1 if one == two else max(table[i][j + 1], table[i + 1][j])
    matched = list(rules._matches(mine, theirs))
    assert len(matched) == table[-1][-1]
    assert all(mine[i] == theirs[j] for i, j in matched)
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(matched))


def shown(first: str, second: str) -> str:
    """The stretches as one line: differences as [first|second], what is left out as <words>."""
    forms = {"same": "{0.first}", "different": "[{0.first}|{0.second}]", "elided": "<{0.words}>"}
    return "".join(forms[stretch.kind].format(stretch) for stretch in differences(first, second))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("", "", ""),
        ("", "a", "[|a]"),
        ("a b", "a b", "a b"),
        (LONG, LONG, "<17>"),
        ("Russia shelled it.", "Ukraine shelled it.", "[Russia|Ukraine] shelled it."),
        ("Russian Federation", "United States", "[Russian Federation|United States]"),
        ("of Ukraine, and", "of the Russian Federation, and", "of [Ukraine|the Russian Federation], and"),
        (f"A {LONG}.", f"B {LONG}.", "[A|B] one two three four five<12>"),
        (f"{LONG} A", f"{LONG} B", "<12>thirteen fourteen fifteen sixteen seventeen [A|B]"),
        (
            f"A {LONG} A",
            f"B {LONG} B",
            "[A|B] one two three four five<7>thirteen fourteen fifteen sixteen seventeen [A|B]",
        ),
        (f"A {LONG[:60]} A", f"B {LONG[:60]} B", f"[A|B] {LONG[:60]} [A|B]"),
        ("俄罗斯军队炮击了乌克兰", "乌克兰军队炮击了俄罗斯", "[俄罗斯|乌克兰]军队炮击了[乌克兰|俄罗斯]"),
        ("قصف الجيش الروسي مدينة", "قصف الجيش الأوكراني مدينة", "قصف الجيش [الروسي|الأوكراني] مدينة"),
        ("flag 🇷🇺", "flag 🇺🇦", "flag [🇷🇺|🇺🇦]"),
        ("cafe", "cafe\u0301", "[cafe|cafe\u0301]"),
        ("的e", "的e\u0301", "的[e|e\u0301]"),
    ],
)
def test_shown(first: str, second: str, expected: str) -> None:
    assert shown(first, second) == expected


def test_a_text_too_large_for_the_table_is_cut_where_rows_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [f"word{number}" for number in range(2000)]
    first = " ".join([*words[:50], "Russia", *words[50:1500], "army", *words[1500:]])
    second = " ".join([*words[:50], "Ukraine", *words[50:1500], "fleet", *words[1500:]])
    whole = shown(first, second)
    monkeypatch.setattr(rules, "LARGEST", 1000)
    assert shown(first, second) == whole
    assert whole.count("|") == 2


def test_texts_that_are_large_and_have_nothing_in_common_but_repetition_differ_throughout() -> None:
    first, second = "x" + " a b" * 15_000 + " y", "z" + " b a" * 15_000 + " w"
    (only,) = differences(first, second)
    assert only.kind == "different"


def test_a_long_pair_with_differences_all_over() -> None:
    base = " ".join(f"Russia{' and' * (n % 3)} w{n} the" for n in range(4000))
    swapped = base.replace("Russia", "the United States")
    assert len(base) > 60_000
    check_laws(base, swapped)
    found = differences(base, swapped)
    assert {(s.first, s.second) for s in found if s.kind == "different"} <= {
        ("Russia", "the United States"),
        ("", "the United States "),
        ("Russia", "United States"),
    }
