"""A line is the canonical form of its row, made from one serialisation, and nothing else is ever stored."""

import json
import tracemalloc
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polibias.domain.ids import canonical, plain, tagged_hash
from polibias.domain.rows import PromptPair, Request, Seen, StoredRow, Usage
from polibias.errors import DamagedRecord
from polibias.records.index import Index
from polibias.records.ledger import Ledger, Stream, read, request_key, row_id
from polibias.records.lines import KINDS, make_line, parse_line
from polibias.records.runs import pair_key
from polibias.records.segments import GENESIS, Place
from tests.records.rows import PAIR, response, stream

ANY_TEXT = st.text(st.characters(exclude_categories=[]), max_size=30)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(ANY_TEXT | st.sampled_from(["request", "side"]), ANY_JSON, max_size=4), ANY_TEXT)
def test_a_line_put_together_is_the_canonical_form_of_the_whole(body: dict[str, object], text: str) -> None:
    """Whatever text and parameters: the naive serialisation and its hashes give the same bytes, which read back."""
    row = msgspec.structs.replace(response(text), request=Request("a", "r", body))
    place, seen = stream(Path("none")), Seen("t", 0.1)
    names = {"id": row_id(row), "key": request_key(row.request), "kind": "response/2", "prev": GENESIS}
    assert names["id"] == tagged_hash("response/2", row)
    expected = canonical({**names, "row": plain(row), "seen": plain(seen)}) + b"\n"
    made = make_line(place, GENESIS, row, seen)
    assert made == (names["id"], names["key"], expected)
    entry = parse_line(place, Place(place.path, 1), made.line, GENESIS)
    assert canonical(plain(entry.row)) == canonical(plain(row))
    assert (entry.id, entry.key, entry.seen) == (made.id, made.key, seen)


def test_rows_with_a_request_have_fields_around_it() -> None:
    """What putting a line together from parts rests on."""
    with_request = [kind for kind in KINDS if "request" in kind.__struct_fields__]
    assert len(with_request) == 3
    for kind in with_request:
        assert min(kind.__struct_fields__) < "request" < max(kind.__struct_fields__)


def fractions(kind: type[object]) -> set[str]:
    """The fields of a kind of row, and of what it holds but its request, that may be fractional numbers."""
    found = set()
    for field in msgspec.structs.fields(kind):  # type: ignore[arg-type]
        members = getattr(field.type, "__args__", (field.type,))
        inner = [one for one in members if isinstance(one, type) and issubclass(one, msgspec.Struct)]
        found |= {field.name} if float in members else set()
        found |= {f"{field.name}.{name}" for one in inner if one is not Request for name in fractions(one)}
    return found


def test_the_quick_way_knows_every_fraction_beside_a_request() -> None:
    for kind in (kind for kind in KINDS if "request" in kind.__struct_fields__):
        assert fractions(kind) == {"usage.cost"}


@pytest.mark.parametrize("cost", [0.0, 1e-5, 3.2e-05, 0.25, 1e16, None])
@pytest.mark.parametrize("parameter", [0.0, 1e-7, 0.7, 1e22])
@pytest.mark.parametrize("text", ["é — 🙂 \x7f", "\ud800", "plain"])
def test_no_other_form_of_a_number_or_sign_is_taken(text: str, parameter: float, cost: float | None) -> None:
    """What another writer of JSON makes of the same values is no stored line."""
    row = response(text)
    request = msgspec.structs.replace(row.request, body={"p": parameter})
    row = msgspec.structs.replace(row, request=request, usage=Usage(cost=cost))
    place = stream(Path("none"))
    made = make_line(place, GENESIS, row, Seen())
    assert parse_line(place, Place(place.path, 1), made.line, GENESIS).row == row
    for one, other in (
        (b"e-0", b"e-"),
        (b"e+", b"e"),
        (b"1e-05", b"0.00001"),
        (b"\\u007f", b"\x7f"),
        (b"\\u00e9", "é".encode()),
    ):
        if one in made.line:
            with pytest.raises(DamagedRecord):
                parse_line(place, Place(place.path, 1), made.line.replace(one, other), GENESIS)


def odd_rows() -> list[tuple[type[StoredRow], StoredRow, Seen]]:
    usual = response("x")
    replace = msgspec.structs.replace
    return [
        (type(usual), replace(usual, outcome="splendid"), Seen()),
        (type(usual), replace(usual, text=7), Seen()),
        (type(usual), replace(usual, design=None), Seen()),
        (type(usual), usual, Seen("", 1)),  # would come back as 1.0
        (PromptPair, replace(PAIR, inclusion=1), Seen()),
        (PromptPair, usual, Seen()),
    ]


@pytest.mark.parametrize(("kind", "row", "seen"), odd_rows())
def test_what_would_not_read_back_is_not_stored(
    tmp_path: Path, kind: type[StoredRow], row: StoredRow, seen: Seen
) -> None:
    key = pair_key if kind is PromptPair and isinstance(row, PromptPair) else lambda row: "0" * 64
    place: Stream[StoredRow] = Stream(tmp_path / "rows.jsonl", kind, key)
    with Ledger(place) as ledger:
        with pytest.raises(DamagedRecord, match=r"could not be read back was not stored \(id [0-9a-f]{64}\)"):
            ledger.append(row, seen)
        assert (ledger.queued, ledger.head.rows, len(ledger.index)) == (0, 0, 0)
        ledger.commit()
    assert list(read(place)) == []


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"a": float("nan")}])
def test_a_number_that_json_has_not_is_not_stored(tmp_path: Path, value: object) -> None:
    with Ledger(stream(tmp_path)) as ledger:
        with pytest.raises(ValueError, match="JSON compliant"):
            ledger.append(msgspec.structs.replace(response("x"), request=Request("a", "r", {"n": value})), Seen())
        assert ledger.queued == 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"n":0', b'"n":0.0'),
        (b'"n":0', b'"n":-0'),
        (b'"n":0', b'"n": 0'),
        (b'"n":0', b'"n":0,"n":0'),
        (b'"text":"x"', b'"text":"\\u0078"'),
        (b'"text":"x"', b'"extra":1,"text":"x"'),
        (b'"note":"",', b""),
    ],
)
def test_another_spelling_of_the_same_row_is_damage(old: bytes, new: bytes) -> None:
    """However tolerant a decoder is, a line that is not the canonical one is refused."""
    place = stream(Path("none"))
    line = make_line(place, GENESIS, response("x"), Seen()).line
    assert old in line
    with pytest.raises(DamagedRecord, match=r"none/responses\.jsonl:3: "):
        parse_line(place, Place(place.path, 3), line.replace(old, new), GENESIS)


def test_no_number_is_too_long_to_keep(tmp_path: Path) -> None:
    """What the fast decoder would round or refuse goes the slow way."""
    numbers = [10**30, -(2**64), 2**63, 1e22, 1e-7, -0.0, 5e-324, 0.1 + 0.2]
    row = msgspec.structs.replace(response("x"), request=Request("a", "r", {"n": numbers}))
    with Ledger(stream(tmp_path)) as ledger:
        ledger.append(row, Seen())
        ledger.commit()
    (entry,) = read(stream(tmp_path))
    assert json.dumps(entry.row.request.body["n"]) == json.dumps(numbers)


def test_the_index_knows_answers_and_latest_rows() -> None:
    index = Index()
    a, b, one, two, three = ("a" * 64, "b" * 64, "1" * 64, "2" * 64, "3" * 64)
    assert (index.has_answer(a), index.latest(a, ("s",)), bool(index)) == (False, "", False)
    index.note(a, ("s",), one, answered=False)
    assert (index.has_answer(a), index.latest(a, ("s",)), index.answered(), len(index)) == (False, one, 0, 1)
    index.note(a, ("s",), two, answered=True)
    index.note(a, ("t", "A"), three, answered=False)  # once answered, a request stays so
    index.note(b, ("s",), one, answered=False)
    assert (index.has_answer(a), index.has_answer(b)) == (True, False)
    assert [index.latest(a, subject) for subject in (("s",), ("t", "A"), ("t",))] == [two, three, ""]
    assert (index.answered(), len(index)) == (2, 3)


def test_a_hundred_thousand_rows_are_known_in_25_megabytes() -> None:
    index = Index()
    tracemalloc.start()
    for number in range(100_000):
        index.note(f"{number:064x}", (f"{number // 2:064x}", "AB"[number % 2]), f"{number:064x}", answered=True)
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert index.answered() == 100_000
    assert used < 25e6


def test_reading_holds_one_row_at_a_time(tmp_path: Path) -> None:
    with Ledger(stream(tmp_path)) as ledger:
        for number in range(200):
            ledger.append(response(f"{number}" + "x" * 50_000, number), Seen())
            ledger.commit()
    tracemalloc.start()
    assert sum(1 for _ in read(stream(tmp_path))) == 200
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2e6  # of ten million bytes
