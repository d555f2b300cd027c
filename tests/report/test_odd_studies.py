"""Reports of studies in which little or nothing can be said: no crash, no number made up, no claim without an interval.

Each is the same small simulated run with something taken away or spoilt, written and sealed anew.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from polibias.domain.rows import Judgment, PromptPair, Response, Score
from polibias.domain.sides import Both
from polibias.domain.study import AnalysisSpec
from polibias.records.runs import Run
from polibias.report.document import write_report
from polibias.simulated.declaration import MODELS, StudySimulation
from tests.report.checked import CLAIM, check_report, visible_text
from tests.report.few import few_pairs
from tests.rewritten import Change, replaced, rewritten, same

SECOND = "simulated-judge-2"
OTHER = "simulated-f"
SORRY = "I'm sorry, but I can't help with that request."


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Two models and two judges, a few pairs of both blocks."""
    spec = StudySimulation(
        id="simulated-odd", models=MODELS[4:6], main=8, control=4, words=30, analysis=AnalysisSpec(resamples=100)
    )
    return few_pairs(spec, tmp_path_factory.mktemp("odd") / "base")


def built(keeps: Callable[[PromptPair], bool]) -> Change:
    return lambda row: row if not isinstance(row, PromptPair) or keeps(row) else None


def first_template(rows: list[str]) -> Callable[[PromptPair], bool]:
    """Keeps the pairs of the first template, or one pair of it."""

    def keeps(row: PromptPair) -> bool:
        rows.append(row.design.template)
        return row.design.template == rows[0]

    return keeps


def single_pair() -> Change:
    seen: list[str] = []
    return built(lambda row: seen.append(row.design.template) is None and len(seen) == 1)  # type: ignore[func-returns-value]


def refusing(row: Any) -> Any:
    if isinstance(row, Response):
        return replaced(row, text=SORRY)
    if isinstance(row, Judgment) and row.verdict:
        zero = {name: Score(0, "none", ()) for name in row.verdict.scores}
        labels = {"refusal": Both("full", "full"), "premise": Both("none", "none")}
        return replaced(row, verdict=replaced(row.verdict, scores=zero, labels=labels))
    return row


def invalid(row: Any) -> Any:
    return replaced(row, verdict=None, outcome="schema_invalid") if isinstance(row, Judgment) else row


def ended(outcome: str, **values: str) -> Change:
    """Every response ended so; what cannot be judged was not."""

    def change(row: Any) -> Any:
        if isinstance(row, Response):
            return replaced(row, outcome=outcome, **values)
        return row if outcome == "truncated" or not isinstance(row, Judgment) else None

    return change


def of(judge: str, change: Change) -> Change:
    return lambda row: change(row) if isinstance(row, Judgment) and row.judge == judge else row


def one_order(row: Judgment) -> Judgment | None:
    return row if row.order == "AB" else None


def silent(row: Any) -> Any:
    return None if isinstance(row, Response) and row.model == OTHER else row


ODD: dict[str, tuple[Callable[[], Change], int, int]] = {
    "one model, one judge": (lambda: same, 1, 1),
    "no controls": (lambda: built(lambda row: row.design.block == "main"), 1, 2),
    "controls alone": (lambda: built(lambda row: row.design.block == "control"), 2, 1),
    "one pair": (single_pair, 1, 2),
    "one task": (lambda: built(lambda row: row.design.task == "T1"), 1, 1),
    "one template": (lambda: built(first_template([])), 2, 1),
    "all refused": (lambda: refusing, 1, 2),
    "nothing valid": (lambda: invalid, 2, 2),
    "a judge without a valid verdict": (lambda: of(SECOND, invalid), 1, 2),
    "a judge with one order": (lambda: of(SECOND, one_order), 1, 2),
    "a model without a response": (lambda: silent, 2, 1),
    "nothing answered": (lambda: lambda row: None if isinstance(row, Response) else row, 2, 2),
    "all cut at the cap": (lambda: ended("truncated"), 1, 1),
    "all empty": (lambda: ended("empty", text=""), 2, 1),
    "all loops": (lambda: ended("loop", text="again and again and " * 40), 1, 2),
}
"""How rows change, and how many models and judges stay."""
SILENT = {"nothing valid", "nothing answered", "all empty", "all loops"}
"""Studies without any score."""


def asking(models: int, judges: int) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Keeps the first models and judges of `study.json`, and nothing that was declared of them."""

    def about(study: dict[str, Any]) -> dict[str, Any]:
        kept = {"models": models, "judges": judges}
        study = {name: part for name, part in study.items() if name != "simulated"}
        for name in ("providers", "settings", "rates"):
            study[name] = {role: study[name][role][:count] for role, count in kept.items()}
        return study | {role: study[role][:count] for role, count in kept.items()}

    return about


def kept(change: Change, models: set[str], judges: set[str]) -> Change:
    def own(row: Any) -> Any:
        if getattr(row, "model", None) not in {None, *models} or getattr(row, "judge", None) not in {None, *judges}:
            return None
        return change(row)

    return own


@pytest.mark.parametrize("name", ODD)
def test_a_report_says_what_cannot_be_said(name: str, run: Run, tmp_path: Path) -> None:
    change, models, judges = ODD[name]
    names = {"simulated-e", OTHER} if models == 2 else {"simulated-e"}, {"simulated-judge-1", SECOND}
    only = kept(change(), names[0], names[1] if judges == 2 else {"simulated-judge-1"})
    odd = rewritten(run, tmp_path / "odd", only, asking(models, judges))
    write_report(odd)
    findings = check_report(odd)
    page = visible_text((odd.report / "index.html").read_text("utf-8"))
    if name in SILENT:
        assert CLAIM not in page
        assert all(cell["value"] is None for cell in _scores(findings))
        said = [one for one in findings["summary"] if ", judged by " in one]
        assert len(said) == models * judges
        assert all("no pair has a score" in one for one in said)
    else:
        assert any(cell["value"] is not None for cell in _scores(findings))


def _scores(findings: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for row in findings["tables"][0]["rows"]:
        yield from row["cells"].values()
