"""What a reader sees: at every width, with every kind of text, and where the page stands after a click."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from polibias.domain.display import visible
from tests.app.conftest import HOSTILE, LONG, SHIPPED, SHORT
from tests.browser.conftest import PHONE, Server, new_context, serving
from tests.browser.desk import Desk, enter
from tests.browser.material import ARABIC, HEBREW, SIX, everything
from tests.browser.truth import sheets

pytestmark = pytest.mark.browser

ZOOMED = (640, 450)
"""A window of 1280 by 900 pixels at 200 %."""
WIDE = (
    "document.documentElement.scrollWidth > window.innerWidth || [...document.querySelectorAll("
    "'[data-testid=stMain], [class*=st-key-panel]')].some(one => one.scrollWidth > one.clientWidth + 1)"
)
SIGNS = "text => text.replace(/[\\\\s\\u2060]+/g, '')"
CONTROLS = "button, input, textarea, summary, [role=combobox]"


@pytest.fixture(scope="module")
def hard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """An app with pairs that are hard to show, the project's own rubric, and one check."""
    with serving(tmp_path_factory.mktemp("hard"), SIX, protocol=unasked()) as server:
        yield server


def unasked():
    """Everything but terms and practice."""
    import msgspec

    made = everything("severity", repeats=0, checks=0)
    return msgspec.structs.replace(made, consent="", content="", statement="", practice=SHIPPED.practice)


def to_topic(desk: Desk, text: str) -> int:
    """Go on, by skipping, until this text is on the screen; returns whose response it is on the screen."""
    for position in range(1, len(SIX) + 1):
        desk.at(position, len(SIX))
        for shown in (1, 2):
            if signs(desk.response(shown).text_content() or "") == signs(visible(text)):
                return shown
        desk.aside()
        desk.choose("Skip it because", "Another reason")
        desk.calm()
        desk.page.get_by_role("button", name="Skip this pair").click()
    raise AssertionError("no page shows it")


def signs(text: str) -> str:
    """Everything that can be seen of a text but white space."""
    return "".join(text.replace("\u2060", "").split())


def reachable(page: Page) -> list[str]:
    """Controls of the page that cannot be brought into sight, or only a part of them."""
    lost = []
    main = page.get_by_test_id("stMain")
    for control in main.locator(CONTROLS).all():
        if not control.is_visible():
            continue
        control.scroll_into_view_if_needed()
        box = control.bounding_box()
        assert box is not None
        size = page.viewport_size
        assert size is not None
        if box["x"] < 0 or box["x"] + box["width"] > size["width"] + 1 or box["y"] + box["height"] <= 0:
            lost.append(control.evaluate("one => one.outerHTML.slice(0, 120)"))
    return lost


@pytest.mark.parametrize("size", [PHONE, ZOOMED], ids=["phone", "zoom"])
def test_a_small_window_shows_everything_without_scrolling_sideways(
    browser: Browser, hard: Server, size: tuple[int, int]
) -> None:
    context = new_context(browser, size)
    desk = enter(context, hard, f"small-{size[0]}")
    page = desk.page
    desk.at(1, len(SIX))
    assert not page.evaluate(WIDE)
    desk.aside()
    desk.unfold("Framing")
    page.locator("summary", has_text="How to score").click()
    desk.still()
    assert not page.evaluate(WIDE)
    assert reachable(page) == []
    for title in desk.titles:
        desk.score_of(title).scroll_into_view_if_needed()
        expect(page.locator(".scale")).to_be_in_viewport(ratio=0.95)
        expect(desk.submit_button).to_be_in_viewport()
        uncovered(desk, title)
    desk.fill(1, 2)
    page.get_by_text("Formatted text").click()
    page.get_by_text("Whole prompts").click()
    desk.calm()
    assert not page.evaluate(WIDE)
    desk.submit()
    desk.at(2, len(SIX))
    expect(desk.heading).to_be_in_viewport()
    assert not page.evaluate(WIDE)
    context.close()


def uncovered(desk: Desk, title: str) -> None:
    """Every point of the scale can be hit: nothing that stays in sight lies over it."""
    for radio in desk.options(desk.score_of(title)).all():
        radio.click(trial=True)


@pytest.mark.parametrize("formatted", [False, True], ids=["literal", "formatted"])
def test_a_very_long_response_is_shown_whole_and_the_way_on_stays_in_sight(
    context: BrowserContext, hard: Server, formatted: bool
) -> None:
    desk = enter(context, hard, f"long-{formatted}")
    if formatted:
        desk.at(1, len(SIX))
        desk.page.get_by_text("Formatted text").click()
    assert len(LONG) > 60_000
    shown = to_topic(desk, LONG)
    expect(desk.submit_button).to_be_in_viewport()
    desk.page.keyboard.press("End")
    desk.page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, main.scrollHeight)")
    expect(desk.heading).not_to_be_in_viewport()
    for one in (desk.submit_button, desk.page.locator(".scale")):
        expect(one).to_be_in_viewport(ratio=1)
    desk.fill(2, shown)
    desk.submit()
    expect(desk.page.get_by_text("is submitted and saved.")).to_be_visible()
    top(desk)


def top(desk: Desk) -> None:
    """Wait until the page and its panel stand at their top and the heading has the focus."""
    expect(desk.heading).to_be_focused()
    expect(desk.heading).to_be_in_viewport(ratio=1)
    for place in ("[data-testid=stMain]", ".st-key-panel"):
        desk.page.wait_for_function("place => (document.querySelector(place)?.scrollTop ?? 0) < 1", arg=place)


def test_after_next_the_page_is_at_its_top(context: BrowserContext, server: Server) -> None:
    desk = enter(context, server, "reader")
    desk.page.set_viewport_size({"width": 1280, "height": 500})
    for position in range(1, len(SHORT) + 1):
        desk.at(position)
        top(desk)
        desk.fill()
        desk.page.locator(".st-key-panel").evaluate("panel => panel.scrollTo(0, panel.scrollHeight)")
        desk.page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, main.scrollHeight)")
        desk.submit()
    desk.thanked()
    top(desk)


def test_a_refused_submission_leads_to_what_is_missing(context: BrowserContext, hard: Server) -> None:
    desk = enter(context, hard, "forgetful")
    desk.at(1, len(SIX))
    first, *rest = desk.titles
    for title in rest:
        desk.score(title, 1)
        desk.favour(title, 3)
    desk.saved(len(rest))
    expect(desk.card("framing")).not_to_be_in_viewport()
    desk.submit()
    missing = desk.page.get_by_text("Not submitted yet. Still missing")
    expect(missing).to_be_in_viewport(ratio=1)
    expect(missing).to_contain_text(first)
    expect(desk.card("framing").get_by_role("heading")).to_be_in_viewport(ratio=1)
    expect(desk.card("framing")).to_have_attribute("data-current", "true")
    uncovered(desk, first)
    assert [one.state for one in sheets(hard, desk.name)] == ["draft"]


@pytest.mark.parametrize("formatted", [False, True], ids=["literal", "formatted"])
def test_a_hostile_response_is_inert_and_shown_to_the_last_sign(
    context: BrowserContext, hard: Server, formatted: bool
) -> None:
    asked: list[str] = []
    context.on("page", lambda page: page.on("request", lambda request: asked.append(request.url)))
    desk = enter(context, hard, f"hostile-{formatted}")
    if not formatted:
        shown = to_topic(desk, HOSTILE)
    else:
        shown = to_topic(desk, HOSTILE)
        before = signs(desk.response(shown).text_content() or "")
        desk.page.get_by_text("Formatted text").click()
        expect(desk.response(shown).locator("strong")).to_have_count(1)
        after = signs(desk.response(shown).text_content() or "")
        assert after == before.replace("**bold**", "bold").replace("`code`", "code")
    page, main = desk.page, desk.page.get_by_test_id("stMain")
    assert page.title().startswith("Pair ")
    for inert in ("img", "a[href*=attacker]", "a[href^=javascript]", ".katex", "[class*=response] script"):
        assert main.locator(inert).count() == 0, inert
    shown_names = signs(main.inner_text())
    assert ":red[Ruritania]$a$<b>x</b>" in shown_names
    assert "Graustark_*_" in shown_names
    hosts = {urlsplit(url).netloc for url in asked if urlsplit(url).scheme in ("http", "https", "ws", "wss")}
    assert hosts == {f"127.0.0.1:{hard.port}"}


@pytest.mark.parametrize("formatted", [False, True], ids=["literal", "formatted"])
def test_texts_from_right_to_left_run_from_right_to_left(
    context: BrowserContext, hard: Server, formatted: bool
) -> None:
    """In the pane, in the passage taken as evidence, in the comment."""
    desk = enter(context, hard, f"rtl-{formatted}")
    shown = to_topic(desk, ARABIC)
    if formatted:
        desk.page.get_by_text("Formatted text").click()
        expect(desk.response(shown).locator("p")).to_have_count(1)
    for number, text in ((shown, ARABIC), (3 - shown, HEBREW)):
        assert rightwards(desk, f'[class*="-response{number}"]', text), number
    desk.unfold("Framing")
    word = ARABIC.split()[0]
    desk.mark(shown, word, ARABIC.split()[3])
    desk.take("Framing")
    desk.quoted(word)
    assert rightwards(desk, ".quote", word)
    desk.comment("Framing").fill(HEBREW)
    expect(desk.comment("Framing")).to_have_css("unicode-bidi", "plaintext")
    expect(desk.comment("Framing")).to_have_css("text-align", "start")


# Where the first sign of a text stands: to the right of its last sign on the line, or at the right end of its box.
RIGHTWARDS = """([where, text]) => {
  const walker = document.createTreeWalker(document.querySelector(where), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const at = node.data.indexOf(text.slice(0, 4));
    if (at < 0) continue;
    const sign = document.createRange();
    sign.setStart(node, at); sign.setEnd(node, at + 1);
    const box = node.parentElement.closest('p, div, [data-testid]').getBoundingClientRect();
    return box.right - sign.getBoundingClientRect().right < 60;
  }
  return null;
}"""


def rightwards(desk: Desk, where: str, text: str) -> bool:
    """Whether a text begins at the right edge of its box."""
    found = desk.page.evaluate(RIGHTWARDS, [where, text])
    assert found is not None, text
    return bool(found)
