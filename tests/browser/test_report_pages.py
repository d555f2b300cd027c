"""The report in a browser, opened from disk: nothing asked for outside its folder, foreign text inert, a keyboard
enough, and what the page computes itself equal to what records say."""

import difflib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from polibias import flow
from polibias.analysis.texts import Texts
from polibias.domain.rows import Annotation, Score
from polibias.domain.sides import Both
from polibias.planning import plan
from polibias.progress import QuietWatcher
from polibias.records.ledger import Ledger, read
from polibias.records.manifest import seal
from polibias.records.runs import Run
from polibias.report.document import write_report
from tests.browser.conftest import DESKTOP, PHONE, new_context
from tests.browser.test_axe import AXE, RULES
from tests.conftest import ROOT, SCRIPTED, study_text
from tests.report.parts import listed, marks, readings

pytestmark = pytest.mark.browser

ITEMS = """
[[items]]
templates = ["WC-DIS-001", "GEN-INC-001"]
pairs = ["russia-ukraine", "china-taiwan", "lumina-tenebris"]
tasks = ["T1", "T4"]
"""
MODELS = SCRIPTED + '\n[[models]]\nadapter = "scripted"\nname = "hostile"\nscript = "hostile"\nmax_tokens = 50\n'


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run with one honest and one hostile model, and the labels of one annotator."""
    folder = tmp_path_factory.mktemp("report")
    (folder / "small.toml").write_text(study_text(items=ITEMS, models=MODELS), "utf-8")
    found = Run(folder / "runs" / "small")
    flow.run_study(plan(str(folder / "small.toml"), ROOT / "data"), found, QuietWatcher())
    judged = next(entry.row for entry in read(found.judgments("fake-judge")) if entry.row.verdict)
    label = Annotation(
        project="blind", annotator="ann-1", item="i", showing="first", pair=judged.pair, responses=judged.responses,
        design=judged.design, model=judged.model, rubric=judged.rubric, position=1, first="A", revision=1,
        status="submitted", scores={"framing": Score(2, "A", ("Scripted reply",))},
        labels={"refusal": Both("none", "full")}, comments={"": "for the coordinator alone"},
    )  # fmt: skip
    with Ledger(found.annotations("blind")) as ledger:
        ledger.append(label, next(read(found.judgments("fake-judge"))).seen)
        ledger.commit()
    seal(found, found.annotations_folder, {"projects": {}}, at="2030-01-01T00:00:00Z")
    write_report(found)
    return found


@pytest.fixture
def page(run: Run, browser: Browser) -> Iterator[Page]:
    context = new_context(browser, DESKTOP)
    yield from watched(context, run)
    context.close()


def watched(context: BrowserContext, run: Run) -> Iterator[Page]:
    """A page; at its end nothing was complained about, and nothing was asked for outside the report's folder."""
    page, said, asked = context.new_page(), [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: asked.append(request.url))
    yield page
    assert not said
    assert asked
    assert all(url.startswith(run.report.as_uri() + "/") for url in asked), asked


def open_list(page: Page, run: Run, fragment: str = "") -> None:
    page.goto("about:blank")
    page.goto((run.report / "pairs.html").as_uri() + fragment)
    page.wait_for_selector("h1[tabindex]")


def open_case(page: Page, run: Run, name: str) -> None:
    open_list(page, run, f"#case={name}")
    page.wait_for_selector("pre")


def test_a_cell_leads_to_its_rows_and_from_there_to_its_pair(page: Page, run: Run) -> None:
    """Every cell of the scores, as the page counts."""
    findings = json.loads((run.report / "findings.json").read_text("utf-8"))
    words = marks(run.report)
    tables = {table["id"]: table for table in findings["tables"]}
    told = 0
    for id in ("pbi", "by_topic"):
        for row in tables[id]["rows"][:5]:
            for cell in row["cells"].values():
                wanted = {f"{key}={value}" for key, value in cell["where"].items()}
                number = sum(wanted <= one for one in words)
                open_list(page, run, "#" + urlencode(sorted(cell["where"].items())))
                shown = re.search(r": ([\d,]+) rows?\.", page.inner_text("#chosen"))
                assert shown
                assert int(shown[1]) == number == page.locator("tbody tr").count()
                told += number
    assert told
    open_list(page, run, "#model=hostile")
    title = page.locator("tbody a").first.inner_text()
    page.locator("tbody a").first.click()
    page.wait_for_selector("pre")
    assert page.inner_text("h1") == title
    page.get_by_role("link", name="Back to the list").click()
    page.wait_for_selector("#chosen")
    assert "Model hostile: " in page.inner_text("#chosen")


def test_hostile_text_is_shown_whole_and_runs_nothing(page: Page, run: Run) -> None:
    told = 0
    for name, found in readings(run.report).items():
        if found["answered"]["model"] == "hostile":
            open_case(page, run, name)
            page.wait_for_selector("#differing")
            boxes = page.locator("pre[aria-label$=', response']")
            texts = [row["text"] for row in found["answered"]["responses"]]
            assert [box.text_content() for box in boxes.all()] == texts
            assert (
                page.evaluate("document.querySelectorAll('#content img, #content script, #content iframe').length") == 0
            )
            told += sum("<" in text for text in texts)
    assert told


def test_words_that_differ_are_marked_and_no_others(page: Page, run: Run) -> None:
    """What is not marked is the same in both prompts; what is marked is no more than another comparison finds."""
    for name, found in list(readings(run.report).items())[::3]:
        open_case(page, run, name)
        prompts = found["pair"]["prompts"]
        rest, marked = [], []
        for box in page.locator("pre[aria-label$=', prompt']").all():
            rest.append(box.evaluate(UNMARKED).split())
            marked.append(sum(len(one.split()) for one in box.locator("mark.differs").all_inner_texts()))
        assert rest[0] == rest[1]
        other = difflib.SequenceMatcher(None, *(re.findall(r"[\w'’-]+|[^\w\s]", text) for text in prompts), False)
        changed = sum(i2 - i1 for kind, i1, i2, _, _ in other.get_opcodes() if kind != "equal")
        assert 0 < marked[0] <= changed


UNMARKED = """box => {
  const copy = box.cloneNode(true);
  copy.querySelectorAll("mark.differs").forEach(one => one.remove());
  return copy.textContent.replace(/'s\\\\b/g, "");
}"""


def test_quotes_are_found_as_the_records_find_them(page: Page, run: Run) -> None:
    """A quote leads to the response that holds it, white space aside, and one that no response holds says so."""
    said = readings(run.report)
    quotes = 0
    for name, found in list(said.items())[::3]:
        texts = [row["text"] for row in found["answered"]["responses"]]
        held = holds(texts)
        open_case(page, run, name)
        for quote in page.locator("td.evidence q").all():
            outside = "(in neither response)" in (quote.locator("xpath=..").text_content() or "")
            own = quote.text_content() or ""
            assert outside == (not held.hold(own)), own
            quotes += 1
    assert quotes


def holds(texts: list[str]) -> Texts:
    """What records say of these two responses."""
    made: Any = {side: type("Row", (), {"text": text})() for side, text in zip("AB", texts, strict=True)}
    return Texts(Both("", ""), made, {}, None)


GAPS = ["a  b\n c", "\u3000wide\u00a0gap ", "⟨U+000B⟩ok", "tabs\tand\u2009thin", "x\ufeffy", "plain words here", ""]


def test_the_page_treats_white_space_as_records_do(page: Page, run: Run) -> None:
    """The two rules in the page's script, run on their own."""
    source = (ROOT / "polibias/report/templates/pairs/quotes.js").read_text("utf-8")
    open_list(page, run)
    texts = ["so a b c then", "wide gap, x\ufeffy", "tabs and thin plain  words\nhere", "\tok"]
    for text in texts:
        for quote in GAPS:
            found = page.evaluate(f"([quote, text]) => {{ {source}; return held(quote, plain(text)); }}", [quote, text])
            raw = quote.replace("⟨U+000B⟩", "\x0b")
            assert (found is not None) == holds([text, ""]).hold(raw), (quote, text)
            if found and quote.strip():
                part = text[found["start"] : found["end"]]
                assert " ".join(part.split()) == " ".join(raw.split())


def test_what_people_said_stands_beside_what_judges_said(page: Page, run: Run) -> None:
    found = [name for name, one in readings(run.report).items() if one["answered"]["people"]]
    assert len(found) == 1
    open_case(page, run, found[0])
    people = page.locator("section", has=page.get_by_role("heading", name="ann-1, blind"))
    assert people.locator("td.figure").all_inner_texts() == ["2"]
    assert "version A none, version B full" in (people.last.text_content() or "")
    assert "coordinator" not in (page.text_content("body") or "")
    people.get_by_role("button").first.click()
    assert page.locator("mark.led").first.inner_text().startswith("Scripted")


def test_a_keyboard_is_enough(page: Page, run: Run) -> None:
    """Choose a model, open the first pair, switch the marks off, and go back, without a mouse."""
    open_list(page, run)
    page.locator("#choose-model").focus()
    page.keyboard.press("ArrowDown")
    page.wait_for_function("location.hash.includes('model=')")
    page.wait_for_function("document.activeElement.id === 'choose-model'")
    page.locator("tbody a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("pre")
    assert page.evaluate("document.activeElement.tagName") == "H1"
    assert page.locator("mark.differs").count() > 1
    page.locator("#differing").focus()
    page.keyboard.press("Space")
    assert page.locator("pre mark.differs").count() == 0
    page.keyboard.press("Space")
    page.go_back()
    page.wait_for_selector("#chosen")
    assert "Model fake: " in page.inner_text("#chosen")


def test_a_part_that_is_missing_or_damaged_is_named(run: Run, browser: Browser, tmp_path: Path) -> None:
    import shutil

    folder = tmp_path / "copied"
    shutil.copytree(run.report, folder)
    context = new_context(browser, DESKTOP)
    page = context.new_page()
    name = listed(folder)["cases"][0][0]
    for spoil in (lambda: (folder / "pairs/0.js").write_text("1;"), (folder / "pairs/0.js").unlink):
        spoil()
        page.goto("about:blank")
        page.goto((folder / "pairs.html").as_uri() + f"#case={name}")
        page.wait_for_selector("p.reason")
        assert "pairs/0.js is missing or damaged. Copy the whole folder of the report." in page.inner_text("#content")
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_pages_keep_the_rules_of_accessibility(run: Run, browser: Browser, size: tuple[int, int], scheme: str) -> None:
    context = new_context(browser, size, color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    names = [name for name, one in readings(run.report).items() if one["answered"]["people"]]
    for address in ("index.html", "pairs.html", f"pairs.html#case={names[0]}"):
        page.goto("about:blank")
        page.goto(run.report.as_uri() + "/" + address)
        page.wait_for_selector("pre" if "case" in address else "table")
        page.evaluate(AXE)
        found = page.evaluate("rules => axe.run(document, { runOnly: rules, resultTypes: ['violations'] })", RULES)
        assert [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]] == []
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), address
    context.close()


COMPARED = [
    ("one two three", "one four three", ["two"], ["four"]),
    ("", "new words", [], ["new words"]),
    ("same. same", "same. same", [], []),
    ("Iran then attacked Israel.", "Israel then attacked Iran.", ["Iran", "Israel"], ["Israel", "Iran"]),
    ("条約に違反", "条約を違反", ["に"], ["を"]),
    ("it's a co-op", "its a co-op", ["it's"], ["its"]),
]


@pytest.mark.parametrize(("one", "other", "gone", "new"), COMPARED)
def test_the_comparison_by_hand(page: Page, run: Run, one: str, other: str, gone: list[str], new: list[str]) -> None:
    open_list(page, run)
    assert compared(page, one, other) == (gone, new)


def compared(page: Page, one: str, other: str) -> tuple[list[str], list[str]]:
    """What the page's comparison marks in each of two texts."""
    source = (ROOT / "polibias/report/templates/pairs/differing.js").read_text("utf-8")
    found = page.evaluate(f"([one, other]) => {{ {source}; return differing(one, other); }}", [one, other])
    return tuple(
        [text[at["start"] : at["end"]] for at in ranges] for text, ranges in zip((one, other), found, strict=True)
    )  # type: ignore[return-value]


def test_long_texts_are_compared_in_bounded_time_and_rightly(page: Page, run: Run) -> None:
    """Texts that are too long to be compared whole: what is left unmarked is the same in both, and nothing hangs."""
    import numpy as np

    open_list(page, run)
    dice = np.random.default_rng(1)
    base = [f"w{number}" for number in dice.integers(0, 900, 4000)]
    changed = [word if dice.random() > 0.1 else "X" for word in base]
    marked = compared(page, " ".join(base), " ".join(changed))
    share = sum(len(one.split()) for one in marked[0]) / len(base)
    assert 0.08 < share < 0.13
    for one, other in (("a " * 60_000, "b " * 60_000), ("a b " * 30_000, "b a c " * 20_000)):
        assert compared(page, one, other)[0]
