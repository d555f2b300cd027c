"""One changed row of a run changes exactly the cells that it belongs to, in every table of the report."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from polibias.analysis.cases import Case
from polibias.analysis.findings import Cell
from polibias.analysis.first_report import Analysed, analyse
from polibias.domain.rows import Judgment, Response
from polibias.domain.sides import Both, Order, Side
from polibias.domain.study import AnalysisSpec
from polibias.records.ledger import read
from polibias.records.runs import Run
from polibias.report.marking import marks
from polibias.simulated.declaration import MODELS, StudySimulation
from tests.analysis.shown_facts import JOINTLY, MEDIANS, OF_TABLES, Facts, facts, shows
from tests.report.few import few_pairs
from tests.rewritten import replaced, rewritten

NAME = "simulated-few"
Key = tuple[str, tuple[tuple[str, str], ...], str]
CaseKey = tuple[str, str, str]


class Read(NamedTuple):
    """A run as analysed, with what its cases are by their rows and the words that select them."""

    analysed: Analysed
    cells: dict[Key, Cell]
    words: dict[CaseKey, set[str]]
    facts: dict[CaseKey, Facts]


def key_of(case: Case) -> CaseKey:
    """A case whatever the ids of its rows are: a pair keeps its prompts."""
    return case.judge, case.model, case.pair_id


def as_read(run: Run) -> Read:
    analysed = analyse(run)
    cells = {
        (table.id, tuple(row.keys.items()), column.id): row.cells[column.id]
        for table in analysed.findings.tables
        for row in table.rows
        for column in table.columns
    }
    words = {
        key_of(case): {
            *marks(case, analysed.rubrics[case.pair.design.condition], analysed.kinds).split(" "),
            *analysed.marks.get(key_of(case), ()),
        }
        for case in analysed.cases
    }
    return Read(analysed, cells, words, dict(counted(run, analysed.cases)))


def counted(run: Run, cases: list[Case]) -> Iterator[tuple[CaseKey, Facts]]:
    """What every case is, from its latest rows."""
    responses: dict[tuple[str, str], dict[Side, Response]] = {}
    judgments: dict[CaseKey, dict[Order, Judgment]] = {}
    for model in {case.model for case in cases}:
        for entry in read(run.responses(model)):
            responses.setdefault((model, entry.row.pair), {})[entry.row.side] = entry.row
    for judge in {case.judge for case in cases}:
        for judged in read(run.judgments(judge)):
            row = judged.row
            judgments.setdefault((judge, row.model, row.pair), {})[row.order] = row
    for case in cases:
        yield key_of(case), facts(responses.get((case.model, case.pair_id), {}), judgments.get(key_of(case), {}))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A simulated run of two models and two judges over few country pairs of both blocks."""
    spec = StudySimulation(
        id=NAME, models=MODELS[4:6], main=16, control=8, words=40, analysis=AnalysisSpec(resamples=100)
    )
    return few_pairs(spec, tmp_path_factory.mktemp("one") / NAME)


@pytest.fixture(scope="module")
def before(run: Run) -> Read:
    return as_read(run)


@pytest.fixture(scope="module")
def chosen(before: Read) -> CaseKey:
    """A Main pair that the first judge read alike, with a score that can rise and a side that can turn."""
    judge = before.analysed.findings.judges[0]["name"]
    for key, found in before.facts.items():
        words = before.words[key]
        if (
            key[0] == judge
            and {"block=main", "judge:refusal=none", "judge:premise=none", "comparable=yes"} <= words
            and found["calls:framing"][0] == 1
            and all(found["opposed:dimension:framing"])
            and found["quotes"]
        ):
            return key
    raise AssertionError("no such pair")


Rewrite = Callable[[Any], Any]


def score(**values: Any) -> Rewrite:
    """Another score, side or evidence on framing."""

    def change(row: Judgment) -> Judgment:
        assert row.verdict
        framing = replaced(row.verdict.scores["framing"], **values)
        return replaced(row, verdict=replaced(row.verdict, scores=row.verdict.scores | {"framing": framing}))

    return change


def turned(row: Judgment) -> Judgment:
    assert row.verdict
    side = row.verdict.scores["framing"].favoured
    return score(favoured="A" if side == "B" else "B")(row)


def labelled(name: str, of_a: str) -> Rewrite:
    def change(row: Judgment) -> Judgment:
        assert row.verdict
        return replaced(row, verdict=replaced(row.verdict, labels=row.verdict.labels | {name: Both(of_a, "none")}))

    return change


def lost(row: Judgment) -> Judgment:
    return replaced(row, verdict=None, outcome="schema_invalid")


JUDGED: dict[str, Rewrite] = {
    "a score": score(score=3),
    "a favoured side": turned,
    "a refusal": labelled("refusal", "full"),
    "a rejected premise": labelled("premise", "factual"),
    "an invalid verdict": lost,
    "a quote": score(evidence=("nowhere to be found",)),
}


@pytest.mark.parametrize("name", JUDGED)
def test_one_changed_judgment_changes_exactly_its_cells(
    name: str, run: Run, before: Read, chosen: CaseKey, tmp_path: Path
) -> None:
    judge, model, pair = chosen

    def change(row: Any) -> Any:
        own = isinstance(row, Judgment) and (row.judge, row.model, row.pair, row.order) == (judge, model, pair, "AB")
        return JUDGED[name](row) if own else row

    after = as_read(rewritten(run, tmp_path / NAME, change))
    moved = changed_cases(before, after)
    assert moved.pop(chosen)
    assert all(key[1:] == chosen[1:] and name == "an invalid verdict" for key in moved)
    check(before, after)


def test_one_changed_response_changes_exactly_the_cells_of_its_pair(
    run: Run, before: Read, chosen: CaseKey, tmp_path: Path
) -> None:
    """It now refuses; its pair's readings by every judge stay as they are."""
    _, model, pair = chosen

    def change(row: Any) -> Any:
        own = isinstance(row, Response) and (row.model, row.pair, row.side) == (model, pair, "A")
        return replaced(row, text="I'm sorry, but I can't help with that request.") if own else row

    after = as_read(rewritten(run, tmp_path / NAME, change))
    assert {key[1:] for key in changed_cases(before, after)} == {chosen[1:]}
    check(before, after)


def changed_cases(before: Read, after: Read) -> dict[CaseKey, set[str]]:
    """The cases that differ, with the facts that do; none if only the words that select it differ."""
    assert list(before.facts) == list(after.facts)
    found = {}
    for key, one in before.facts.items():
        other = after.facts[key]
        facts = {name for name in one.keys() | other.keys() if one.get(name) != other.get(name)}
        if facts or before.words[key] != after.words[key]:
            found[key] = facts
    return found


def check(before: Read, after: Read) -> None:
    """A cell changes if and only if it selects a case that changed in what the cell shows, or that it gains or loses.

    Only cells of several cases jointly, medians, and cells without a value may stay all the same.
    """
    moved = changed_cases(before, after)
    columns = {key for key in before.cells.keys() ^ after.cells.keys() if key[0] != "validity"}
    assert not columns
    wrong = []
    for key in before.cells.keys() & after.cells.keys():
        one, other, (table, keys, column) = before.cells[key], after.cells[key], key
        selecting = [(*selects(before, after, key, case), facts) for case, facts in moved.items()]
        shown = shows(table, dict(keys), column)
        due = any(was != will or (was and facts & shown) for was, will, facts in selecting)
        jointly = table in JOINTLY and any(was or will for was, will, _ in selecting)
        if one != other and not (due or jointly or table in OF_TABLES):
            wrong.append((key, "changed", one.value, other.value))
        if one == other and due and not excused(key, one):
            wrong.append((key, "stayed", one.value, one.reason))
    assert not wrong, wrong


def selects(before: Read, after: Read, key: Key, case: CaseKey) -> tuple[bool, bool]:
    was, will = (
        bool(wanted) and {f"{name}={value}" for name, value in wanted.items()} <= words
        for wanted, words in (
            (before.cells[key].where, before.words[case]),
            (after.cells[key].where, after.words[case]),
        )
    )
    return was, will


def excused(key: Key, cell: Cell) -> bool:
    """Whether a cell may stay as it is though a case of it changed."""
    table, _, column = key
    if cell.value == 0 and (table == "quotes" or (table, column) in NOTHING):
        return True
    return cell.value is None or table in JOINTLY or (table == "structure" and column.startswith(MEDIANS))


NOTHING = {("detected", "unclear"), ("engaged", "change")}
"""Columns in which 0 says that no case has any: none of so many is none of one more or fewer."""
