"""Guesses of judges: counts and shares by hand, invalid answers apart, and chance by going through every draw."""

from collections import Counter
from itertools import permutations

import msgspec
import pytest

from polibias.analysis.cases import Case, Guessed
from polibias.analysis.findings import Table
from polibias.analysis.outcomes import masked_table
from polibias.analysis.reidentified import CHANCE, COLUMNS, EVERY, reidentified_table
from polibias.domain.reidentification import OUTCOMES, ReidOutcome, chance, outcome
from polibias.stats.proportion import share
from tests.analysis.copies import TITLES, case, copy

CANDIDATES = 9


def guessed(results: list[str], judge: str, name: str, category: str) -> list[Case]:
    """Pairs with their copies: one for each result, '-' for an answer that is none and '' for nobody asked."""
    found = []
    for number, result in enumerate(results):
        first = case(f"{category}{number}", (3, "A"), category, judge=judge)
        guess = None
        if result:
            read: ReidOutcome | None = None if result == "-" else result  # type: ignore[assignment]
            guess = Guessed("schema_invalid" if read is None else "ok", read, CANDIDATES, None)  # type: ignore[arg-type]
        found += [first, copy(first, None, name, guess=guess)]
    return found


CASES = [
    *guessed(["both", "both", "swapped", "one", "none", "cannot_tell", "-", "-", ""], "j", "masked", "active"),
    *guessed(["cannot_tell", "cannot_tell", "one"], "j", "masked", "fictional"),
    *guessed(["both"] * 5 + ["one"], "j", "names", "active"),
    *guessed(["none", "-"], "k", "masked", "active"),
    *guessed(["-"], "k", "masked", "tension"),
]


def table(cases: list[Case] = CASES) -> Table:
    found = reidentified_table(cases, TITLES)
    assert found is not None
    return found


def test_every_row_by_hand() -> None:
    hidden, names = TITLES["masked"], TITLES["names"]
    wanted = {
        ("j", hidden, "active"): ([2, 1, 1, 1, 1], 2),
        ("j", hidden, "fictional"): ([0, 0, 1, 0, 2], 0),
        ("j", hidden, EVERY): ([2, 1, 2, 1, 3], 2),
        ("j", names, "active"): ([5, 0, 1, 0, 0], 0),
        ("j", names, EVERY): ([5, 0, 1, 0, 0], 0),
        ("k", hidden, "active"): ([0, 0, 0, 1, 0], 1),
        ("k", hidden, "tension"): ([0, 0, 0, 0, 0], 1),
        ("k", hidden, EVERY): ([0, 0, 0, 1, 0], 2),
    }
    rows = {tuple(row.keys.values()): row.cells for row in table().rows if row.keys["judge"] != CHANCE}
    assert rows.keys() == wanted.keys()
    for key, (counts, invalid) in wanted.items():
        assert rows[key]["invalid"].value == invalid
        for name, number in zip(OUTCOMES, counts, strict=True):
            cell, expected = rows[key][name], share(number, sum(counts), "valid answer")
            assert (cell.value, cell.low, cell.high, cell.n) == (
                expected.value,
                expected.low,
                expected.high,
                sum(counts),
            )
            assert cell.value is not None or cell.reason == "no valid answer"


def test_chance_goes_through_every_draw_of_two_different_candidates() -> None:
    for size in range(2, 8):
        names = [chr(ord("a") + place) for place in range(size)]
        draws = Counter(outcome("a", "b", *draw) for draw in permutations(names, 2))
        found = chance(size)
        assert {name: float(found[name]) for name in OUTCOMES} == {
            name: pytest.approx(draws[name] / draws.total()) for name in OUTCOMES
        }


def test_the_row_of_chance_is_that_of_the_candidates_that_were_listed() -> None:
    (row,) = [row for row in table().rows if row.keys["judge"] == CHANCE]
    assert row.keys["copy"] == f"{CANDIDATES} candidates"
    assert {name: row.cells[name].value for name in OUTCOMES} == {
        "both": 1 / 72,
        "swapped": 1 / 72,
        "one": 14 / 72,
        "none": 56 / 72,
        "cannot_tell": 0,
    }
    assert all(not cell.where for cell in row.cells.values())


def test_shares_of_a_row_are_whole() -> None:
    for row in table().rows:
        values = [row.cells[name].value for name in OUTCOMES]
        assert None in values or sum(value or 0 for value in values) == pytest.approx(1)
    assert [column.id for column in COLUMNS] == [*OUTCOMES, "invalid"]


def test_nobody_asked_no_table() -> None:
    assert reidentified_table(guessed(["", ""], "j", "masked", "active"), TITLES) is None
    assert reidentified_table([case("p", (3, "A"))], TITLES) is None


def test_judges_and_copies_do_not_disturb_each_other() -> None:
    for judge, name in (("j", "masked"), ("j", "names"), ("k", "masked")):
        own = [one for one in CASES if (one.judge, one.pair.design.condition) in ((judge, name), (judge, "official"))]
        keys = {"judge": judge, "copy": TITLES[name]}
        rows = [row for row in table(own).rows if row.keys["judge"] != CHANCE]
        assert rows == [row for row in table().rows if keys.items() <= row.keys.items()]


def masked(results: list[tuple[str, str]], model: str, name: str) -> list[Case]:
    """Pairs with masked copies: what became of each of the two responses, '' for one that was not masked."""
    found = []
    for number, ended in enumerate(results):
        first = case(f"p{number}", (3, "A"), model=model)
        responses = {
            side: msgspec.structs.replace(answered, outcome=status)  # type: ignore[arg-type]
            for (side, answered), status in zip(first.responses.items(), ended, strict=True)
            if status
        }
        found += [first, copy(first, None, name)._replace(responses=responses)]
    return found


def test_what_became_of_every_response_by_hand() -> None:
    cases = [
        *masked([("masked", "masked"), ("masked", "unchanged"), ("leaking", "masked"), ("", "")], "m", "masked"),
        *masked([("unreadable", "unchanged"), ("", "masked")], "n", "masked"),
        *masked([("masked", "masked")], "m", "names"),
    ]
    found = masked_table(cases, TITLES, "j")
    assert found is not None
    rows = {tuple(row.keys.values()): [cell.value for cell in row.cells.values()] for row in found.rows}
    names = [*found.rows[0].cells]
    assert names == ["masked", "unchanged", "leaking", "unreadable", "missing", "responses", "whole"]
    assert rows == {
        ("m", TITLES["masked"]): [4, 1, 1, 0, 2, 8, 0.5],
        ("m", TITLES["names"]): [2, 0, 0, 0, 0, 2, 1.0],
        ("n", TITLES["masked"]): [1, 1, 0, 1, 1, 4, 0.0],
    }
    assert masked_table(cases, TITLES, "another judge") is None
    assert masked_table([case("p", (3, "A"))], TITLES, "j") is None
