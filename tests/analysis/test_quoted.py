"""A quote stands in a response or it does not: by hand, and in a whole run against a search in its texts."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from polibias import flow
from polibias.analysis.asked import rubrics_of
from polibias.analysis.between_judges import between_judges_tables
from polibias.analysis.call_scores import Groups
from polibias.analysis.cases import Case, Judged, Quotes
from polibias.analysis.findings import Table
from polibias.analysis.frames import collect, tidy
from polibias.analysis.pbi import Tables
from polibias.analysis.quoted import Sought, fold
from polibias.analysis.reliability import reliability_marks, reliability_tables
from polibias.analysis.texts import texts
from polibias.domain.rows import Design, Judgment, Request, Score, Usage, Verdict
from polibias.domain.sides import Both, Order
from polibias.domain.study import AnalysisSpec
from polibias.models.scripted import Draw
from polibias.planning import plan
from polibias.progress import QuietWatcher
from polibias.records.documents import read_named
from polibias.records.ledger import read
from polibias.records.runs import STUDY_TAG, Run
from polibias.records.shelf import Shelf
from polibias.report.marking import marks
from tests.conftest import ITEMS, ROOT, SCRIPTED, copies_text

DESIGN = Design("t", "c", "a-b", "active", "main", "T1", "official", "swapped")
TEXTS = {"ra": "The raid\n\tbroke  the law. It was\u2028grave.", "rb": "The raid was lawful."}


def judgment(order: Order, *evidence: tuple[str, ...]) -> Judgment:
    scores = {f"d{n}": Score(1, "A", one) for n, one in enumerate(evidence)}
    request = Request("scripted", "1", {})
    return Judgment(
        "p",
        Both("ra", "rb"),
        order,
        DESIGN,
        "m",
        "j",
        "r",
        "q",
        request,
        "ok",
        "",
        "stop",
        Verdict(scores, {}),
        Usage(),
    )


def counted(row: Judgment, order: tuple[str, ...] = ("ra", "rb")) -> Quotes | None:
    sought, judged = Sought(), {row.order: Judged("ok", row.verdict, None)}  # type: ignore[arg-type]
    sought.note(row, judged)
    for id in order:
        sought.read(id, TEXTS[id])
    return judged[row.order].quotes


@pytest.mark.parametrize(
    ("order", "evidence", "expected"),
    [
        ("AB", [("broke the law", "was lawful")], Quotes(2, 2, 0)),
        ("BA", [("broke the law", "was lawful")], Quotes(2, 0, 2)),
        ("BA", [(" was \n lawful ", "It was grave")], Quotes(2, 2, 0)),
        ("AB", [("The raid", "The raid"), ("", "  ")], Quotes(2, 2, 0)),
        ("AB", [("was lawful",), ("The raid broke",), ("the raid",)], Quotes(3, 2, 0)),
        ("AB", [("broke ... law", '"was lawful"')], Quotes(2, 0, 0)),
        ("AB", [()], Quotes(0, 0, 0)),
    ],
)
def test_quotes_are_looked_for_word_for_word(order: Order, evidence: list[tuple[str, ...]], expected: Quotes) -> None:
    """One quote from each response, in the order of showing; a single one may be from either. Case and marks count."""
    assert counted(judgment(order, *evidence)) == expected
    assert counted(judgment(order, *evidence), ("rb", "ra")) == expected


def test_a_judge_saw_no_lone_surrogate() -> None:
    assert fold("a\ud800  b") == "a\ufffd b" == fold("a\ufffd b")
    assert fold(" \n ") == ""


def test_quotes_of_a_judgment_that_was_superseded_are_not_its_successors() -> None:
    sought, judged = Sought(), {}
    for row in (judgment("AB", ("broke", "lawful")), judgment("AB", ("made up",))):
        judged["AB"] = Judged("ok", row.verdict, None)  # type: ignore[arg-type]
        sought.note(row, judged)  # type: ignore[arg-type]
    for id, text in TEXTS.items():
        sought.read(id, text)
    assert judged["AB"].quotes == Quotes(1, 0, 0)


def test_without_both_texts_nothing_is_counted() -> None:
    assert counted(judgment("AB", ("broke", "lawful")), ("ra",)) is None


TWO = (
    SCRIPTED
    + """
[[judges]]
adapter = "scripted"
name = "second-judge"
script = "hostile"

[[models]]
adapter = "scripted"
name = "other"
script = "hostile"
max_tokens = 50
"""
)


def quoting(self: Draw, schema: dict[str, Any]) -> Any:
    """As the scripted judge answers, but with quotes of which one in ten stands in a scripted response."""
    if schema.get("type") == "string" and "enum" not in schema:
        return f"Scripted \n reply {self.below(10)}"
    return INSTANCE(self, schema)


INSTANCE = Draw.instance


@pytest.fixture
def run(write_study: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Two models, two judges, copies; one judge and one model write everything that may be written."""
    monkeypatch.setattr(Draw, "instance", quoting)
    items = ITEMS.replace('tasks = ["T1"]', 'tasks = ["T1", "T2"]')
    study = plan(str(write_study(items=items, models=copies_text(4) + TWO)), ROOT / "data")
    made = Run(tmp_path / "runs" / study.study.id)
    flow.run_study(study, made, QuietWatcher())
    return made


def collected(run: Run) -> list[Case]:
    return collect(run, read_named(run.study, STUDY_TAG)).cases


def test_a_run_counts_what_a_search_in_its_texts_finds(run: Run) -> None:
    """Copies too: a masked pair's quotes are from the masked responses, which lie in a stream of their own."""
    seen, masked = Quotes(0, 0, 0), 0
    with Shelf() as shelf:
        for case in collected(run):
            found = texts(case, shelf)
            for order, row in found.judgments.items():
                quotes = case.judgments[order].quotes
                if row.verdict is None:
                    assert quotes is None
                    continue
                assert quotes is not None
                given = [(n, q) for s in row.verdict.scores.values() for n, q in enumerate(s.evidence) if fold(q)]
                own = sum(fold(q) in fold(found.responses[order[n]].text) for n, q in given)  # type: ignore[index]
                anywhere = sum(any(fold(q) in fold(r.text) for r in found.responses.values()) for _, q in given)
                assert quotes == Quotes(len(given), own, anywhere - own)
                seen = Quotes(*(a + b for a, b in zip(seen, quotes, strict=True)))
                masked += bool(case.pair.level)
    assert seen.given > seen.own > 0 < seen.elsewhere
    assert masked


def test_every_cell_of_a_real_run_leads_to_its_pairs(run: Run) -> None:
    about = read_named(run.study, STUDY_TAG)
    cases = collected(run)
    rubrics = {"official": rubrics_of(about)["official"]}
    found = [case for case in cases if case.original is None]
    tables = Tables(tidy(found, rubrics), rubrics, AnalysisSpec(resamples=100))
    made: list[Table] = [*reliability_tables(Groups(tables, found)), *between_judges_tables(Groups(tables, found))]
    assert len(made) == 6
    words = [
        {*marks(case, rubrics["official"]).split(), *reliability_marks(case, rubrics["official"])} for case in found
    ]
    for table in made:
        for row in table.rows:
            for column, cell in row.cells.items():
                wanted = {f"{key}={value}" for key, value in cell.where.items()}
                assert sum(wanted <= each for each in words) == cell.n, (table.id, row.keys, column)
                assert cell.value is not None or cell.reason


def test_cases_know_which_other_judges_are_complete(run: Run) -> None:
    complete: dict[tuple[str, str], set[str]] = {}
    for judge in ("fake-judge", "second-judge"):
        orders: dict[tuple[str, str], int] = {}
        for entry in read(run.judgments(judge)):
            key = (entry.row.model, entry.row.pair)
            orders[key] = orders.get(key, 0) + (entry.row.verdict is not None)
        for key, valid in orders.items():
            complete.setdefault(key, set()).update({judge} if valid == 2 else ())
    for case in collected(run):
        assert set(case.also) == complete.get((case.model, case.pair_id), set()) - {case.judge}
