"""Hostile text wherever a study, a pair or a reply can bring it: it is shown as text and never acts, in any format."""

import csv
import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from pyarrow import parquet

from polibias.domain.display import HIDDEN
from polibias.domain.rows import Judgment, PromptPair, Response
from polibias.domain.sides import Both
from polibias.domain.study import AnalysisSpec
from polibias.records.runs import Run
from polibias.report.document import write_report
from polibias.simulated.declaration import MODELS, StudySimulation
from tests.report.few import few_pairs
from tests.report.parts import called, strings
from tests.rewritten import replaced, rewritten

BREAKING = "</script><script>alert(1)</script><img src=x onerror=alert(2)></style><b onclick='x'>"
STYLE = "\\3c script} * { background: url(//192.0.2.1/x) } </svg>"
SIGNS = "\x00\x07\u2028\u2029\u202e\u2066\ufeff"
TEX = r"\input{/etc/passwd} \write18{x} ^^5cinput $x$ 100% _a_ #1 ~ {"
MARKDOWN = "[x](javascript:alert(1)) `code` | cell | <img src=x>"
FORMULAS = ("=1+1", "+1", "-1+1", "@x", "\t=1", "＝1")
LONG = "w" * 5000
EVERYTHING = f"{BREAKING} {STYLE} {SIGNS} {TEX} {MARKDOWN}"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    spec = StudySimulation(
        id="simulated-hostile", models=MODELS[4:5], main=4, control=2, words=30, analysis=AnalysisSpec(resamples=100)
    )
    folder = tmp_path_factory.mktemp("hostile")
    found = rewritten(few_pairs(spec, folder / "base"), folder / "hostile", spoilt, spoilt_study)
    write_report(found)
    return found


def spoilt(row: Any) -> Any:
    """Names of countries, texts, quotes and notes."""
    if isinstance(row, PromptPair):
        return replaced(row, acting=Both(EVERYTHING, FORMULAS[0]), facing=Both(FORMULAS[3], EVERYTHING))
    if isinstance(row, Response):
        return replaced(row, text=f"{EVERYTHING}\ud800 {LONG}", note=EVERYTHING)
    if isinstance(row, Judgment):
        if row.design.task == "T1" and row.verdict:
            scores = {name: replaced(one, evidence=(EVERYTHING, "\udc00")) for name, one in row.verdict.scores.items()}
            return replaced(row, verdict=replaced(row.verdict, scores=scores))
        return replaced(row, outcome="schema_invalid", verdict=None, text=f"{EVERYTHING}\ud800", note=EVERYTHING)
    return row


def spoilt_study(study: dict[str, Any]) -> dict[str, Any]:
    """Titles and what providers say of themselves; ids and names have patterns of their own."""
    about = json.loads(json.dumps(study))
    about["study"]["title"] = EVERYTHING
    about["study"]["conditions"] = {"official": FORMULAS[0]}
    for number, one in enumerate(about["rubric"]["dimensions"]):
        one["title"] = (*FORMULAS, EVERYTHING)[number]
    for one in about["rubric"]["labels"]:
        one["title"] = f"{FORMULAS[1]} {EVERYTHING}"
    report = about["rubric"]["report"]
    about["rubric"]["report"] = report | {"index": EVERYTHING, "topic": EVERYTHING, "caution": EVERYTHING}
    for role in ("models", "judges"):
        about["providers"][role] = [EVERYTHING for _ in about["providers"][role]]
        about["settings"][role] = [{EVERYTHING: EVERYTHING} for _ in about["settings"][role]]
        for one in about[role]:
            one["revision"] = EVERYTHING
    return about


class Elements(HTMLParser):
    """The names of a page's elements and of their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes.update(name for name, _ in attrs)


OWN = {
    *("html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "h3", "p", "strong", "ul", "ol", "li", "a"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td", "dl", "div", "dt", "dd", "nav", "section", "figure"),
    *("figcaption", "svg", "g", "path", "line", "text", "rect", "defs", "clippath", "span", "details", "summary"),
    *("footer", "header", "pre", "code", "wbr", "em", "small", "br", "desc", "lineargradient", "stop", "circle"),
}


def test_pages_hold_no_element_but_their_own(run: Run) -> None:
    drawings = sorted((run.report / "charts").iterdir())
    assert len(drawings) > 3
    for path in (run.report / "index.html", *drawings):
        text = path.read_text("utf-8")
        found = Elements(text)
        assert found.names <= OWN
        assert not any(name.startswith("on") or name in ("style", "src") for name in found.attributes)
        assert "alert(1)" in text or path in drawings
        assert not HIDDEN.search(text)


def test_parts_of_the_list_of_pairs_are_data_alone(run: Run) -> None:
    for path in (run.report / "pairs").glob("*.js"):
        text = path.read_text("utf-8")
        assert not re.search("[\u2028\u2029\ud800-\udfff]", text)
        assert not any(HIDDEN.search(one) for one in strings(called(path)))


def test_tex_holds_no_command_but_its_own(run: Run) -> None:
    own = {"begin", "end", "centering", "caption", "label", "toprule", "midrule", "bottomrule"}
    for path in (run.report / "tables").glob("*.tex"):
        text = path.read_text("utf-8")
        commands = set(re.findall(r"\\([a-zA-Z]+)", text)) - {"textbackslash", "textasciicircum", "textasciitilde"}
        assert commands <= own, path
        assert "^^" not in text
        assert not re.search(r"(?<!\\)[%#_]", text.replace(r"\label{tab:", "")), path


def test_no_cell_of_a_csv_is_a_formula_and_parquet_keeps_the_text(run: Run) -> None:
    guarded = 0
    for path in (run.report / "tables").glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            written = list(csv.DictReader(file))
        kept = parquet.read_table(path.with_suffix(".parquet")).to_pylist()
        for line, row in zip(written, kept, strict=True):
            for name, value in line.items():
                number = isinstance(row[name], (int, float))
                assert number or not value or value[0] not in "=+-@\t\r\n＝", (path, name, value)
                if isinstance(row[name], str) and value != row[name]:
                    assert value == f"'{row[name]}"
                    guarded += 1
    assert guarded


def test_model_cards_hold_no_markup(run: Run) -> None:
    for path in (run.report / "model-cards").iterdir():
        text = path.read_text("utf-8")
        assert "alert(1)" in text
        assert not re.search(r"(?<!\\)<[a-zA-Z/]", text)
        assert not re.search(r"(?<!\\)\[x\]", text)
        assert not re.search("[\x00\u2028\u202e]", text)
