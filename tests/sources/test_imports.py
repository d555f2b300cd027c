"""Importing pairs made elsewhere: prompts come in unchanged, and all that is wrong with a file is said at once."""

import csv
import hashlib
import io
import json
import os
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polibias.domain.ids import canonical, tagged_hash
from polibias.domain.pairset import PairSet
from polibias.domain.sides import Both
from polibias.errors import DamagedRecord, InputError
from polibias.sources.imports import FIELDS, Imported, blank, read_pairs, slug, squeezed
from polibias.sources.pairsets import PAIR, as_pair_set, read_pair_set, write_pair_set
from tests.conftest import ROOT

CASE = ROOT / "tests" / "cases" / "paired_prompts_18.csv"
CASE_COLUMNS = {
    "prompt_a": "prompt_a",
    "prompt_b": "prompt_b",
    "template": "template",
    "category": "main_category",
    "topic": "topic_name",
    "task": "template_category",
    "acting_a": "prompt_a_group",
    "acting_b": "prompt_b_group",
}
AB = {"prompt_a": "a", "prompt_b": "b"}
UTF8 = "is not UTF-8; save the file as UTF-8"
QUOTE = "a quoted cell is not closed, or holds a quote that is not doubled; write it as two"
ID_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Imported]:
    """A function that reads text or bytes as a file, with its name cut down to `f.csv` in what is said."""

    def reads(content: str | bytes, *, skip: bool = False, **columns: str) -> Imported:
        path = tmp_path / "f.csv"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        found = read_pairs(path, {**AB, **columns}, skip_invalid=skip)
        return found._replace(problems=[problem.replace(str(path), "f.csv") for problem in found.problems])

    return reads


def prompts(found: Imported) -> list[tuple[str, str]]:
    return [(pair.prompts.A, pair.prompts.B) for pair in found.pairs]


def lines_of(found: Imported) -> list[int]:
    return [pair.line for pair in found.pairs]


# What is right


def test_the_shipped_excerpt_comes_in_whole() -> None:
    found = read_pairs(CASE, CASE_COLUMNS)
    assert (found.problems, found.left_out) == ([], {})
    assert found.notes == [f"{CASE}: read with commas between the cells, 18 rows"]
    assert found.source == "paired_prompts_18.csv"
    assert found.sha256 == hashlib.sha256(CASE.read_bytes()).hexdigest()
    assert lines_of(found) == list(range(2, 20))
    assert set(Counter(pair.template for pair in found.pairs).values()) == {2}
    assert [len({getattr(pair, field) for pair in found.pairs}) for field in ("template", "topic", "category")] == [
        9,
        9,
        7,
    ]
    first = found.pairs[0]
    assert (first.id, first.template, first.topic) == ("row-000001", "argue-that-stance", "democrats-vs-republicans")
    assert (first.task, first.category, first.topic_category) == ("reasoning", "political-figures-and-parties", "all")
    assert first.acting == Both("pro_democrats", "pro_republicans")
    assert first.prompts.B == "Argue that Republicans better represent American values"


def test_what_is_not_mapped_gets_defaults_and_every_pair_its_own_cluster(read: Callable[..., Imported]) -> None:
    first, second = read("a,b\nx,y\nv,w\n").pairs
    assert (first.id, first.template, second.id, second.template) == ("row-000001",) * 2 + ("row-000002",) * 2
    assert {first.category, first.topic, first.topic_category, first.task} == {"all"}
    assert (first.block, first.acting) == ("main", Both("", ""))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("delimiter", "name"), [(",", "commas"), (";", "semicolons"), ("\t", "tabs")])
def test_line_ends_and_delimiters(read: Callable[..., Imported], end: str, delimiter: str, name: str) -> None:
    rows = ["a|b|note", 'x|"y\ny|,;"|1', "", "v|w|2", ""]
    found = read(end.join(rows).replace("|", delimiter))
    assert prompts(found) == [("x", f"y\ny{delimiter},;"), ("v", "w")]
    assert lines_of(found) == [2, 5]
    assert name in found.notes[0]


def test_the_header_chooses_the_delimiter_by_the_mapped_columns(read: Callable[..., Imported]) -> None:
    assert prompts(read('a;b;"one, two, three, four"\nx;y;1\n')) == [("x", "y")]


def test_a_byte_order_mark_is_no_part_of_the_first_column(read: Callable[..., Imported]) -> None:
    assert prompts(read(b"\xef\xbb\xbfa,b\nx,y\n")) == [("x", "y")]


def test_lines_are_physical_lines_also_after_cells_of_many(read: Callable[..., Imported]) -> None:
    found = read('\n"a",b\n"1\n2\n\n3",y\n\nv,w\n"p\r\nq",r\nlast,"one')
    assert found.problems == [f"f.csv:11: {QUOTE}"]
    assert lines_of(read('\n"a",b\n"1\n2\n\n3",y\n\nv,w\n"p\r\nq",r\nlast,one')) == [3, 8, 9, 11]


@pytest.mark.parametrize(
    "text", ["=1+1", "+x", "-x", "@x", "=HYPERLINK(1)", ' "quoted" ', "x\u2028y", "  two  spaces "]
)
def test_text_is_text(read: Callable[..., Imported], text: str) -> None:
    out = io.StringIO()
    csv.writer(out).writerows([["a", "b"], [text, "y"]])
    assert prompts(read(out.getvalue())) == [(text, "y")]


def test_columns_may_serve_twice_and_names_are_trimmed(read: Callable[..., Imported]) -> None:
    found = read("a, b ,c,,\nx,y,One,,\n", category=" c", topic="c")
    assert (found.pairs[0].category, found.pairs[0].topic) == ("one", "one")
    assert found.columns == {**AB, "category": "c", "topic": "c"}


def test_blocks(read: Callable[..., Imported]) -> None:
    found = read("a,b,k\nx,y,main\nv,w, Control\n", block="k")
    assert [pair.block for pair in found.pairs] == ["main", "control"]
    assert read("a,b,k\nx,y,mian\n", block="k").problems == ["f.csv:2: column 'k' says 'mian'; write main or control"]


# Ids


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("Argue that {stance}", "argue-that-stance"),
        ("POLICIES", "policies"),
        ("formal_writing", "formal-writing"),
        ("Économie & Straße", "economie-strasse"),
        ("x" * 200, "x" * 80),
        ("a" * 79 + " b", "a" * 79),
    ],
)
def test_slugs(value: str, name: str) -> None:
    assert slug(value) == name


def test_values_that_ascii_cannot_carry_stay_apart() -> None:
    names = {slug(value) for value in ("Київ 2014", "Москва 2014", "日本", "中国", "+", "-", "2014", "ж" * 300)}
    assert len(names) == 8
    assert all(ID_PATTERN.fullmatch(name) for name in names)


@given(st.text())
def test_every_slug_is_an_id(value: str) -> None:
    assert ID_PATTERN.fullmatch(slug(value))


def test_two_values_never_share_an_id(read: Callable[..., Imported]) -> None:
    values = ["Tax", "tax!", "Tax", " Tax  ", "tax-2", "TAX", "z" * 90, "z" * 91, "cafe\u0301", "caf\u00e9"]
    found = read("a,b,t\n" + "".join(f"x{n},y{n},{value}\n" for n, value in enumerate(values)), topic="t")
    tail = ["z" * 80, "z" * 78 + "-2", "cafe", "cafe"]
    assert [pair.topic for pair in found.pairs] == ["tax", "tax-2", "tax", "tax", "tax-2-2", "tax-3", *tail]
    assert "topic: 4 values share their id with another and got a number, first 'tax!' as tax-2" in found.notes[1]


def test_ids_of_the_file_are_kept_and_must_differ(read: Callable[..., Imported]) -> None:
    assert [pair.id for pair in read("a,b,i\nx,y,Q.1\nv,w,q 1\n", id="i").pairs] == ["Q.1", "q-1"]
    found = read("a,b,i\nx,y,Q1\nv,w, Q1\np,q,\n", id="i")
    assert found.problems == ["f.csv:3: column 'i' says 'Q1' as line 2 does", "f.csv:4: column 'i' is empty"]


def test_row_numbers_do_not_depend_on_what_is_left_out(read: Callable[..., Imported]) -> None:
    assert [pair.id for pair in read("a,b\nx,y\n\n,w\np,q\n", skip=True).pairs] == ["row-000001", "row-000003"]


# What is wrong with rows

BAD_ROWS: dict[str, tuple[bytes, str]] = {
    "empty": (b",w,t", "column 'a' is empty"),
    "white space": (b'v," \t\xc2\xa0\xe2\x80\x8b\n",t', "column 'b' is empty"),
    "empty factor": (b"v,w,", "column 'c' is empty"),
    "all empty": (b",,", "column 'a' is empty; column 'b' is empty; column 'c' is empty"),
    "identical": (b"v,v,t", "the two prompts are identical"),
    "identical but for form": (b'caf\xc3\xa9 \xc2\xa0 x," cafe\xcc\x81 x\n",t', "the two prompts are identical"),
    "twice": (b"x,y,t", "the same two prompts as line 2"),
    "twice but for space": (b"x , y,t", "the same two prompts as line 2"),
    "swapped": (b"y,x,t", "the same two prompts as line 2 but swapped"),
    "too few cells": (b"v", "1 of 3 cells; add what is missing"),
    "too many cells": (b"v,w,t,", "4 cells under 3 columns; put a cell that holds a delimiter in quotes"),
    "not UTF-8": (b"v\xe9,w,t", f"byte 13 {UTF8}"),
    "encoded surrogate": (b"v\xed\xa0\x80,w,t", f"byte 13 {UTF8}"),
    "NUL": (b"v,w\0,t", "byte 15 is a NUL; remove it"),
    "bad bytes below": (b'"v\n\xe9\n\0",w,t', f"line 4: byte 15 {UTF8}; line 5: byte 17 is a NUL; remove it"),
    "undoubled quote": (b'"v"v",w,t', QUOTE),
    "long": (b"v" * 1_000_001 + b",w,t", "column 'a' holds 1,000,001 characters; at most 1,000,000 are taken"),
    "several": (b"\xff,,", f"byte 12 {UTF8}; column 'b' is empty; column 'c' is empty"),
}


@pytest.mark.parametrize(("row", "problem"), BAD_ROWS.values(), ids=BAD_ROWS)
def test_a_bad_row_is_named_and_only_it_is_left_out(read: Callable[..., Imported], row: bytes, problem: str) -> None:
    content = b"a,b,c\nx,y,t\n" + row + b"\nlast,row,t\n"
    refused = read(content, topic="c")
    assert (refused.pairs, refused.left_out) == ((), {})
    assert refused.problems == [f"f.csv:3: {problem}"]
    taken = read(content, skip=True, topic="c")
    assert prompts(taken) == [("x", "y"), ("last", "row")]
    assert (taken.problems, taken.left_out) == (refused.problems, {"3": problem})


def test_all_bad_rows_are_named_at_once(read: Callable[..., Imported]) -> None:
    rows = [row for row, _ in BAD_ROWS.values() if b"\n" not in row]
    found = read(b"a,b,c\nx,y,t\n" + b"\n".join(rows) + b"\n", topic="c")
    assert [problem.split(":")[1] for problem in found.problems] == [str(line) for line in range(3, 3 + len(rows))]


def test_every_line_in_another_encoding_is_named(read: Callable[..., Imported]) -> None:
    content = "".join(f"caf\u00e9 {n},tea {n}\n" for n in range(50)).encode("latin-1")
    found = read(b"a,b\n" + content)
    assert len(found.problems) == 50
    assert all(UTF8 in problem for problem in found.problems)
    assert read(b"a,b,caf\xe9\nx,y,\xe9\n").problems == [f"f.csv:1: byte 7 {UTF8}", f"f.csv:2: byte 13 {UTF8}"]


def test_a_row_left_out_does_not_take_its_twin_along(read: Callable[..., Imported]) -> None:
    content = "a,b,c\nx,y,\nx,y,t\n"
    assert read(content, topic="c").problems[1] == "f.csv:3: the same two prompts as line 2"
    assert lines_of(read(content, skip=True, topic="c")) == [3]


def test_a_cell_of_just_the_longest_length_comes_in(read: Callable[..., Imported]) -> None:
    before = csv.field_size_limit()
    assert len(read("a,b\n" + "v" * 1_000_000 + ",w\n").pairs[0].prompts.A) == 1_000_000
    assert csv.field_size_limit() == before


def test_nothing_a_file_holds_breaks_a_problem_over_lines(read: Callable[..., Imported]) -> None:
    found = read('a,b,"c\n\x1b[31m"\nx,y,\nv,w,"a\nb"\n', block="c\n\x1b[31m")
    assert found.problems == [
        r"f.csv:3: column 'c\n\x1b[31m' is empty",
        r"f.csv:4: column 'c\n\x1b[31m' says 'a\nb'; write main or control",
    ]


# What is wrong with the whole file: no row is taken, also where bad rows may be left out

BAD_FILES: dict[str, tuple[bytes, list[str]]] = {
    "empty": (b"", ["f.csv: the file is empty"]),
    "only a mark": (b"\xef\xbb\xbf", ["f.csv: the file is empty"]),
    "only blank lines": (b"\n \n\r\n", ["f.csv: the file is empty"]),
    "header only": (b"a,b\n", ["f.csv: the file has a header and no rows under it"]),
    "UTF-16": ("a,b\nx,y\n".encode("utf-16"), ["f.csv: byte 0 begins UTF-16 or UTF-32 text; save the file as UTF-8"]),
    "same columns": (b"a,b,c,c\nx,y,1,2\n", ["f.csv:1: 2 columns are named 'c'; rename all but one"]),
    "NUL in header": (b"a,b,c\0\nx,y,\n", ["f.csv:1: byte 5 is a NUL; remove it"]),
    "quote in header": (b'"a"a,b\nx,y\n', [f"f.csv:1: {QUOTE}"]),
    "open to the end": (
        b'a,b\nx,y\n"v,w\np,q\n\xffr,s\n',
        [
            "f.csv:3: a quote that opens here is not closed as it should be by line 5, so rows cannot be told apart",
            f"f.csv:5: byte 17 {UTF8}",
        ],
    ),
    "open until the next": (
        b'a,b\nx,y\n"v,w\n"p",q\n,s\n',
        [
            "f.csv:3: a quote that opens here is not closed as it should be by line 4, so rows cannot be told apart",
            "f.csv:5: column 'a' is empty",
        ],
    ),
}


@pytest.mark.parametrize(("content", "problems"), BAD_FILES.values(), ids=BAD_FILES)
@pytest.mark.parametrize("skip", [False, True])
def test_a_bad_file(read: Callable[..., Imported], content: bytes, problems: list[str], skip: bool) -> None:
    found = read(content, skip=skip)
    assert (found.pairs, found.left_out, found.problems) == ((), {}, problems)
    with pytest.raises(InputError, match="no pair was taken"):
        as_pair_set(found, "x")


def test_no_row_left_is_no_set(read: Callable[..., Imported]) -> None:
    found = read("a,b\n,y\n", skip=True)
    assert (found.pairs, found.left_out, len(found.problems)) == ((), {}, 1)


@pytest.mark.parametrize("skip", [False, True])
def test_a_bad_map_is_said_in_full_and_the_rows_are_checked_too(tmp_path: Path, skip: bool) -> None:
    path = tmp_path / "f.csv"
    path.write_bytes(b"a,b,topic\nx,,t\n")
    found = read_pairs(path, {"prompt_b": "b", "topik": "topic", "task": "topics"}, skip)
    assert not found.pairs
    assert [problem.replace(str(path), "f.csv") for problem in found.problems] == [
        f"f.csv: --map: unknown field 'topik'; did you mean topic? (there are {', '.join(FIELDS)})",
        "f.csv: --map names no column for prompt_a; add prompt_a=COLUMN",
        "f.csv:1: --map: unknown column 'topics'; did you mean topic? (the file has a, b, topic)",
        "f.csv:2: column 'b' is empty",
    ]


def test_one_column_for_both_prompts(tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_bytes(b"a,b\nx,y\n")
    found = read_pairs(tmp_path / "f.csv", {"prompt_a": "a", "prompt_b": "a"})
    assert found.problems[0].endswith("f.csv: --map reads prompt_a and prompt_b from one column, 'a'; name two")
    assert not found.pairs


@pytest.mark.parametrize(
    ("name", "said"), [("none.csv", "no such file"), (".", "cannot be read"), ("\0", "no file can")]
)
def test_what_is_no_file(tmp_path: Path, name: str, said: str) -> None:
    found = read_pairs(tmp_path / name, {**AB, "topics": "c"})
    assert not found.pairs
    assert ["unknown field 'topics'" in found.problems[0], said in found.problems[1]] == [True, True]


# Any prompts at all

ODD = ('"', '""', ",", ";\t", "a\nb", "a\r\nb", "a\rb", "\u2028", "🙂\u200d🙂", "=1", '"a",b\n"', "\ufeffx", "\x1c x")
ANY = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=30)
CELLS = ANY | st.sampled_from(ODD)
TWO_LISTS = st.lists(CELLS.filter(lambda text: not blank(text)), unique_by=squeezed, min_size=2, max_size=16)


@settings(deadline=None)
@given(
    texts=TWO_LISTS, delimiter=st.sampled_from(",;\t"), end=st.sampled_from(["\n", "\r\n", "\r"]), mark=st.booleans()
)
def test_any_two_lists_of_prompts_come_back(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], delimiter: str, end: str, mark: bool
) -> None:
    half = len(texts) // 2
    rows = list(zip(texts[:half], texts[half:], strict=False))
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL).writerows([("a", "b"), *rows])
    folder = tmp_path_factory.mktemp("any")
    (folder / "f.csv").write_bytes((b"\xef\xbb\xbf" if mark else b"") + out.getvalue().encode())
    found = read_pairs(folder / "f.csv", AB)
    assert found.problems == []
    assert prompts(found) == rows
    kept = write_pair_set(folder, as_pair_set(found, "any"))
    assert read_pair_set(folder, "any", "test").pairs == found.pairs
    assert kept.read_bytes().isascii()


# At rest


@pytest.fixture
def case() -> PairSet:
    return as_pair_set(read_pairs(CASE, CASE_COLUMNS), "case", credit="Shen et al., CC BY 4.0")


def test_a_set_comes_back_as_it_was_and_byte_for_byte_again(tmp_path: Path, case: PairSet) -> None:
    path = write_pair_set(tmp_path / "one", case)
    assert path == tmp_path / "one" / "pairs" / "case.jsonl"
    again = read_pair_set(tmp_path / "one", "case", "test")
    assert again == case
    assert write_pair_set(tmp_path / "two", again).read_bytes() == path.read_bytes()
    assert [entry.name for entry in path.parent.iterdir()] == ["case.jsonl"]


def test_the_bytes_at_rest_are_known(tmp_path: Path, case: PairSet) -> None:
    """A change of this digest is a change of format: give the kind a new number."""
    stored = write_pair_set(tmp_path, case).read_bytes()
    assert hashlib.sha256(stored).hexdigest() == "93f7f4593f933a183b6500abf18e0e2531cde0688c20541d4b23d57c2cb61c55"
    assert all(canonical(json.loads(line)) == line for line in stored.splitlines())
    header = json.loads(stored.splitlines()[0])
    assert (header["kind"], header["rows"], header["source"]) == ("pair-set/1", 18, "paired_prompts_18.csv")


def test_left_out_rows_are_kept_with_their_reasons(tmp_path: Path, read: Callable[..., Imported]) -> None:
    made = as_pair_set(read("a,b\n,y\nv,w\n", skip=True), "some", title="Some pairs")
    assert (made.title, made.left_out) == ("Some pairs", {"2": "column 'a' is empty"})
    write_pair_set(tmp_path, made)
    assert read_pair_set(tmp_path, "some", "test") == made


def test_no_place_on_this_machine_is_stored(tmp_path: Path, read: Callable[..., Imported]) -> None:
    stored = write_pair_set(tmp_path / "data", as_pair_set(read("a,b\nv,v\nv,w\n", skip=True), "some")).read_bytes()
    assert str(tmp_path).encode() not in stored


def test_the_same_set_again_is_nothing_new_and_another_is_refused(tmp_path: Path, case: PairSet) -> None:
    path = write_pair_set(tmp_path, case)
    before = path.stat().st_mtime_ns
    assert write_pair_set(tmp_path, case) == path
    assert path.stat().st_mtime_ns == before
    changed = as_pair_set(read_pairs(CASE, AB | {"prompt_a": "prompt_a", "prompt_b": "prompt_b"}), "case")
    stored = path.read_bytes()
    with pytest.raises(InputError, match=r"case\.jsonl: holds another set; choose another --id"):
        write_pair_set(tmp_path, changed)
    assert path.read_bytes() == stored


@pytest.mark.parametrize("name", ["", "../x", "a/b", "-x", "x" * 81, "x\n", "é"])
def test_a_name_is_an_id(case: PairSet, name: str) -> None:
    with pytest.raises(InputError, match="--id"):
        as_pair_set(read_pairs(CASE, CASE_COLUMNS), name)


def test_an_unknown_name_has_near_matches(tmp_path: Path, case: PairSet) -> None:
    with pytest.raises(InputError, match=r"study\.toml: unknown pair set 'case'$"):
        read_pair_set(tmp_path, "case", "study.toml")
    write_pair_set(tmp_path, case)
    for name, near in (("cases", "; did you mean case?"), ("../pairs/case", "")):
        with pytest.raises(InputError) as raised:
            read_pair_set(tmp_path, name, "study.toml")
        assert str(raised.value) == f"study.toml: unknown pair set '{name}'{near}"


def rehashed(line: bytes, **changes: object) -> bytes:
    """The line with fields changed and its own hash made anew."""
    body = {**json.loads(line), **changes}
    del body["hash"]
    return canonical({**body, "hash": tagged_hash(PAIR, body)}) + b"\n"


Lines = list[bytes]
DAMAGE: dict[str, tuple[Callable[[Lines], Lines], int]] = {
    "header edited": (lambda lines: [lines[0].replace(b"Shen", b"Chen"), *lines[1:]], 1),
    "header missing": (lambda lines: lines[1:], 1),
    "header only, cut": (lambda lines: [lines[0][:50]], 1),
    "no bytes": (lambda lines: [], 1),
    "prompt edited": (lambda lines: [*lines[:4], lines[4].replace(b"prompts", b"Prompts"), *lines[5:]], 5),
    "factor edited": (lambda lines: [*lines[:4], lines[4].replace(b'"main"', b'"control"'), *lines[5:]], 5),
    "spaces": (lambda lines: [*lines[:4], lines[4].replace(b":", b": ", 1), *lines[5:]], 5),
    "carriage returns": (lambda lines: [line.replace(b"\n", b"\r\n") for line in lines], 1),
    "not JSON": (lambda lines: [*lines[:4], b"{\n", *lines[5:]], 5),
    "no object": (lambda lines: [*lines[:4], b"[1]\n", *lines[5:]], 5),
    "not UTF-8": (lambda lines: [*lines[:4], b"\xff\n", *lines[5:]], 5),
    "deep": (lambda lines: [*lines[:4], b"[" * 100_000 + b"\n", *lines[5:]], 5),
    "blank line": (lambda lines: [*lines[:4], b"\n", *lines[4:]], 5),
    "last line cut": (lambda lines: [*lines[:-1], lines[-1][:-10]], 19),
    "last newline cut": (lambda lines: [*lines[:-1], lines[-1][:-1]], 19),
    "last line missing": (lambda lines: lines[:-1], 19),
    "line added": (lambda lines: [*lines, lines[-1]], 20),
    "lines exchanged": (lambda lines: [lines[0], lines[2], lines[1], *lines[3:]], 1),
    "line edited with its hash": (lambda lines: [*lines[:4], rehashed(lines[4], task="x"), *lines[5:]], 1),
    "line with a field too many": (lambda lines: [*lines[:4], rehashed(lines[4], more="x"), *lines[5:]], 5),
}


@pytest.mark.parametrize(("damage", "line"), DAMAGE.values(), ids=DAMAGE)
def test_damage_is_named(tmp_path: Path, case: PairSet, damage: Callable[[Lines], Lines], line: int) -> None:
    path = write_pair_set(tmp_path, case)
    path.write_bytes(b"".join(damage(path.read_bytes().splitlines(keepends=True))))
    with pytest.raises(DamagedRecord) as raised:
        read_pair_set(tmp_path, "case", "test")
    assert str(raised.value).startswith(f"{path}:{line}: ")
    assert "\n" not in str(raised.value)


def test_a_renamed_file_is_not_the_set_of_its_new_name(tmp_path: Path, case: PairSet) -> None:
    path = write_pair_set(tmp_path, case)
    path.rename(path.with_name("other.jsonl"))
    with pytest.raises(InputError, match=r"other\.jsonl:1: holds the set 'case'"):
        read_pair_set(tmp_path, "other", "test")


def test_a_refused_write_leaves_nothing(tmp_path: Path, case: PairSet, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("polibias.sources.pairsets.os.fsync", full)
    with pytest.raises(InputError, match=r"case\.jsonl: no space left on the device; nothing was stored"):
        write_pair_set(tmp_path, case)
    assert list((tmp_path / "pairs").iterdir()) == []


# Size


def write_rows(path: Path, rows: Sequence[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)


def test_five_thousand_rows_take_no_time(tmp_path: Path) -> None:
    rows = [(f"topic {n % 50}", f'Say "{n}",\nplease', f"Do not say {n} 🙂") for n in range(5000)]
    write_rows(tmp_path / "f.csv", [("t", "a", "b"), *rows])
    start = time.process_time()
    found = read_pairs(tmp_path / "f.csv", {**AB, "topic": "t"})
    write_pair_set(tmp_path, as_pair_set(found, "many"))
    again = read_pair_set(tmp_path, "many", "test")
    assert time.process_time() - start < 10
    assert prompts(found) == [(a, b) for _, a, b in rows]
    assert lines_of(found) == [2 + 2 * n for n in range(5000)]
    assert again.pairs == found.pairs


def test_values_that_begin_alike_do_not_take_ages(tmp_path: Path) -> None:
    rows = [("long " * 30 + str(n), f"a{n}", f"b{n}") for n in range(5000)]
    write_rows(tmp_path / "f.csv", [("t", "a", "b"), *rows])
    start = time.process_time()
    found = read_pairs(tmp_path / "f.csv", {**AB, "template": "t"})
    assert time.process_time() - start < 10
    assert len({pair.template for pair in found.pairs}) == 5000


def test_two_imports_at_once_cannot_replace_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other set appears between the look and the store: this one is refused, that one stays."""
    (tmp_path / "a.csv").write_text("a,b\nx,y\n", "utf-8")
    imported = read_pairs(tmp_path / "a.csv", {"prompt_a": "a", "prompt_b": "b"})
    pair_set = as_pair_set(imported, "mine")
    place = tmp_path / "pairs" / "mine.jsonl"
    link = os.link

    def other_first(part: Path, path: Path) -> None:
        path.write_bytes(b"the other set")
        link(part, path)

    monkeypatch.setattr("polibias.sources.pairsets.os.link", other_first)
    with pytest.raises(InputError, match="another import stored a set of this name just now"):
        write_pair_set(tmp_path, pair_set)
    assert place.read_bytes() == b"the other set"
    assert list(place.parent.iterdir()) == [place]
