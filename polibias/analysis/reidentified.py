"""Whether judges can tell of which two countries a masked pair is, beside what chance alone would give.

Source: paper, App. H.
"""

from collections.abc import Iterator, Mapping, Sequence

from polibias.analysis.cases import Case
from polibias.analysis.cells import categories_of, cell, count
from polibias.analysis.findings import Cell, Column, Table, TableRow
from polibias.domain.reidentification import OUTCOMES, ReidOutcome, chance
from polibias.stats.estimate import Estimate
from polibias.stats.proportion import share

EVERY = "all pairs"
CHANCE = "by chance"
COLUMNS = (
    *(Column(name, name.replace("_", " ").capitalize(), "share") for name in OUTCOMES),
    Column("invalid", "No valid answer", "count"),
)
CAPTION = (
    "Each judge names the two countries of each masked pair from a list of candidates, ordered anew for every pair, or "
    "says that it cannot tell. Both: each in its place. Swapped: each in the other's. One: exactly one in its place. "
    "None: something is named, nothing in its place. Shares of the valid answers; Wilson intervals treat pairs as "
    "independent. By chance: two different candidates drawn at random. Where names alone are hidden the task is the "
    "same; the difference is what hiding everything else does."
)


def reidentified_table(cases: Sequence[Case], titles: Mapping[str, str]) -> Table | None:
    """By judge, copy and category; None if nobody was asked."""
    guessed = [case for case in cases if case.guess is not None]
    if not guessed:
        return None
    rows = [TableRow(keys, _cells(own, where)) for keys, where, own in _groups(guessed, titles)]
    rows += [_by_chance(size) for size in sorted({case.guess.candidates for case in guessed if case.guess})]
    title = "Re-identification by judges"
    return Table("reidentified", title, CAPTION, ("judge", "copy", "pair category"), COLUMNS, tuple(rows))


def _groups(
    cases: Sequence[Case], titles: Mapping[str, str]
) -> Iterator[tuple[dict[str, str], dict[str, str], list[Case]]]:
    """Every judge's guesses at every copy, by category and then together: keys, marks and cases."""
    for judge in dict.fromkeys(case.judge for case in cases):
        for name in dict.fromkeys(case.pair.design.condition for case in cases):
            own = [case for case in cases if (case.judge, case.pair.design.condition) == (judge, name)]
            if not own:
                continue
            keys, where = {"judge": judge, "copy": titles[name]}, {"judge": judge, "copy": name, "guessed": "yes"}
            for category in categories_of(case.pair.design for case in own):
                chosen = [case for case in own if case.pair.design.topic_category == category]
                yield keys | {"pair category": category}, where | {"topic_category": category}, chosen
            yield keys | {"pair category": EVERY}, where, own


def _cells(cases: Sequence[Case], where: Mapping[str, str]) -> dict[str, Cell]:
    cells = {name: cell(result_share(cases, name), where) for name in OUTCOMES}
    return cells | {"invalid": count(invalid_guesses(cases), {**where, "guessed": "no"})}


def result_share(cases: Sequence[Case], result: ReidOutcome) -> Estimate:
    """How often the guesses at these pairs came out so, of the valid ones."""
    found = [case.guess.result for case in cases if case.guess is not None and case.guess.result is not None]
    return share(found.count(result), len(found), "valid answer")


def invalid_guesses(cases: Sequence[Case]) -> int:
    """How many answers were none."""
    return sum(case.guess is not None and case.guess.result is None for case in cases)


def _by_chance(candidates: int) -> TableRow:
    expected = chance(candidates)
    cells = {name: cell(Estimate(float(expected[name]), 0, 0, "by chance"), {}) for name in OUTCOMES}
    keys = {"judge": CHANCE, "copy": f"{candidates} candidates", "pair category": EVERY}
    return TableRow(keys, cells | {"invalid": count(0, {})})
