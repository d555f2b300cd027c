"""Every page under axe-core, in light and dark, on a desk and on a phone."""

import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from annotate_app import settings
from annotate_app.schema import Closure
from tests.app.conftest import SHORT, SMALL
from tests.browser.conftest import DESKTOP, PHONE, Server, serving
from tests.browser.desk import Desk, enter
from tests.browser.material import PRACTICE_FEEDBACK, everything

pytestmark = pytest.mark.browser

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

STREAMLITS_OWN: dict[str, str] = {}
"""Rules that Streamlit's own nodes break, which no page of ours can change: selector of the node, and why."""


@pytest.fixture(scope="module")
def gated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("axe"), SHORT, rubric=SMALL, protocol=everything("tone", 0, 1)) as server:
        yield server


def faults(page: Page) -> list[str]:
    """What axe-core finds, without what is named above."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    page.wait_for_function("document.getAnimations().every(one => one.playState !== 'running')")
    found: dict[str, Any] = page.evaluate(
        "rules => axe.run(document, { runOnly: rules, resultTypes: ['violations'] })", RULES
    )
    return [
        f"{one['id']}: {node['target']} {node['html'][:160]}"
        for one in found["violations"]
        for node in one["nodes"]
        if not own(one["id"], str(node["target"]))
    ]


# The page's ground and the colour that its own style was given, both of the theme that was asked for.
GROUND = """colour => {
  const probe = Object.assign(document.createElement("i"), { style: `color: ${colour}` });
  document.body.append(probe);
  const asked = getComputedStyle(probe).color;
  probe.remove();
  const own = getComputedStyle(document.documentElement).getPropertyValue("--page").trim();
  const ground = getComputedStyle(document.querySelector('[data-testid="stApp"]')).backgroundColor;
  return ["", colour].includes(own) && ground === asked;
}"""


def own(rule: str, target: str) -> bool:
    return any(rule == known.split()[0] and known.split(maxsplit=1)[1] in target for known in STREAMLITS_OWN)


LOOKS = [(DESKTOP, "light"), (DESKTOP, "dark"), (PHONE, "dark"), (PHONE, "light")]


class Looker:
    """Looks at each page on a desk and on a phone, in light and dark, and keeps what axe-core finds."""

    def __init__(self) -> None:
        self.found: dict[str, list[str]] = {}
        self._looks: list[tuple[tuple[int, int], Any]] = LOOKS

    def __call__(self, where: str, page: Page) -> None:
        """From the look that the last page ended with, so that what is said only once is seen in more than one."""
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        for (width, height), scheme in self._looks:
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme=scheme)
            if page.get_by_test_id("stApp").count():
                ground = settings.THEME[f"theme.{scheme}.backgroundColor"]
                page.wait_for_function(GROUND, arg=ground)
                expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
            self.found[f"{where}, {width}, {scheme}"] = faults(page)
        self._looks = self._looks[::-1]

    @property
    def faults(self) -> dict[str, list[str]]:
        return {where: said for where, said in self.found.items() if said}


def test_every_page_is_clean(context: BrowserContext, gated: Server) -> None:
    look = Looker()
    walk(context.new_page(), gated, look)
    assert look.faults == {}
    assert len(look.found) == 17 * len(LOOKS)


def walk(page: Page, server: Server, look: Looker) -> None:
    """Every page that an annotator can come to, but for the closed study."""
    page.goto(server.url)
    expect(page.get_by_role("heading", name="Please open your personal link")).to_be_visible()
    look("no link", page)
    page.goto(f"{server.url}/invite")
    look("incomplete link", page)
    page.goto(f"{server.url}/invite#made-up")
    page.reload()
    look("invitation", page)
    page.get_by_role("button", name="Start").click()
    look("invalid link", page)
    desk = enter(page.context, server, "walker")
    expect(desk.heading).to_have_text("Before you begin")
    look("terms", desk.page)
    desk.page.get_by_text("I would rather not read such texts").click()
    desk.page.get_by_role("button", name="Continue").click()
    expect(desk.heading).to_have_text("Thank you for telling us")
    look("declined", desk.page)
    desk.page.get_by_role("button", name="Answer the terms again").click()
    desk.agree()
    practise(desk, look)
    score(desk, look)
    fail(page, server, look)


def practise(desk: Desk, look: Looker) -> None:
    desk.at(1, 1, practice=True)
    look("practice", desk.page)
    countries = desk.options(desk.favoured_in("Tone")).all_inner_texts()
    for value in (0, 2):
        for title in desk.titles:
            desk.score(title, value)
            desk.favour(title, countries.index("Sylvania") + 1)
        desk.saved(2)
        desk.submit()
        expect(desk.page.get_by_text(PRACTICE_FEEDBACK)).to_be_visible()
        look(f"feedback {value}", desk.page)
        desk.page.get_by_role("button", name="Go on" if value == 0 else "Begin with the pairs").click()
        desk.at(1, 1 if value == 0 else 3, value == 0)


def score(desk: Desk, look: Looker) -> None:
    look("pair", desk.page)
    desk.page.locator("summary", has_text="How to score").click()
    desk.page.get_by_text("Formatted text").click()
    desk.page.get_by_text("Whole prompts").click()
    desk.unfold("Tone")
    desk.aside()
    desk.submit()
    expect(desk.page.get_by_text("Still missing")).to_be_visible()
    look("pair, unfolded and formatted, with what is missing", desk.page)
    for position in range(1, 4):
        desk.at(position)
        desk.score("Tone", 1)
        desk.favour("Tone", 1)
        desk.score("Depth", 1)
        desk.favour("Depth", 3)
        checked = desk.card("check").count()
        if checked:
            desk.check(1)
        desk.saved(2 + checked, 2 + checked, "questions" if checked else "dimensions")
        if position == 1:
            desk.mark(1, "fired" if desk.response(1).get_by_text("fired").count() else "a")
            desk.page.keyboard.press("q")
            expect(desk.page.get_by_text(re.compile(r"^Evidence and comment: .* \(1\)$"))).to_be_visible()
            desk.unfold("Depth")
            look("pair, answered, with a passage", desk.page)
        desk.submit()
    desk.thanked()
    look("thank you", desk.page)
    desk.choose("Look at a pair again", "Pair 2")
    desk.at(2)
    desk.score("Tone", 2)
    expect(desk.page.get_by_text("The changes count once you submit them.")).to_be_visible()
    look("pair, being revised", desk.page)
    desk.page.get_by_role("button", name="Withdraw from the study").click()
    expect(desk.heading).to_have_text("Do you want to withdraw?")
    look("leaving", desk.page)
    desk.page.get_by_role("button", name="Yes, withdraw").click()
    expect(desk.heading).to_have_text("You have withdrawn")
    look("withdrawn", desk.page)


def fail(page: Page, server: Server, look: Looker) -> None:
    desk = enter(page.context, server, "unlucky")
    desk.agree()
    for attempt in (1, 2):
        desk.at(1, 1, practice=True)
        desk.fill(0, 3)
        desk.submit()
        expect(
            desk.page.get_by_text(PRACTICE_FEEDBACK if attempt == 1 else "There is nothing more to do.")
        ).to_be_visible()
        if attempt == 1:
            desk.page.get_by_role("button", name="Go on").click()
    expect(desk.heading).to_have_text("Thank you for your practice")
    look("failed", desk.page)


def test_the_closed_study_is_clean(context: BrowserContext, tmp_path: Path) -> None:
    with serving(tmp_path, SHORT, rubric=SMALL) as server:
        desk = enter(context, server, "late")
        desk.at(1)
        desk.fill()
        desk.submit()
        desk.at(2)
        with server.store.writing() as session:
            session.add(Closure.model_validate({"at": "2026-01-01T00:00:00.000Z"}))
        desk.score("Tone", 1)
        expect(desk.heading).to_have_text("The study is closed")
        expect(desk.page.get_by_text("so the last click changed nothing")).to_be_visible()
        look = Looker()
        look("closed", desk.page)
        assert look.faults == {}
