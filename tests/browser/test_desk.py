"""The coordinator's desk in a real browser: one link, three pages, nothing of what was answered on the wire."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Page, Response, expect

from annotate_app.ending import close
from annotate_app.questions import Entry
from annotate_app.store import Store
from tests.app.conftest import MODELS, ROOT, RUBRIC, SHORT, annotator_id, enrol, free_port, full, make_project

pytestmark = pytest.mark.browser

SAID = ("comment-secret", "flag-secret", "distress", "broken")
PAGES = ("Progress", "Items", "Events")
SIZES = {"desktop": (1280, 900), "phone": (390, 844), "narrow": (320, 640)}


class Desk:
    """A desk that serves, and the project behind it."""

    def __init__(self, store: Store, link: str) -> None:
        self.store = store
        self.link = link

    @property
    def url(self) -> str:
        return self.link.partition("/desk#")[0]

    def enter(self, page: Page) -> None:
        """Follow the link up to the first page."""
        page.goto(self.link)
        page.get_by_role("button", name="Start").click()
        self.at(page, "Progress")

    def at(self, page: Page, title: str) -> None:
        """Wait until this page is drawn to its end."""
        expect(page.get_by_role("heading", level=1, name=f"first: {title.lower()}")).to_be_visible()
        expect(page.get_by_role("table")).to_be_visible()

    def go(self, page: Page, title: str) -> None:
        page.get_by_role("link", name=title, exact=True).click()
        self.at(page, title)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A desk on a project in which ann is done, bob at work, and cyd was only invited."""
    place = make_project(tmp_path, SHORT, MODELS[:1])
    store = place.store
    enrol(store, "ann", "bob", "cyd")
    for name, places in (("ann", 3), ("bob", 1)):
        me = annotator_id(store, name)
        for one in store.places(me)[:places]:
            store.opened(one)
            store.submit(me, one.presentation, 1, full(comment="comment-secret"))
    bob = annotator_id(store, "bob")
    second = store.places(bob)[1]
    store.flag(bob, second.presentation, "broken", "flag-secret")
    store.leave(bob, second.presentation, 1, "skipped", "distress", Entry({}))
    process = subprocess.Popen(
        [sys.executable, "-m", "annotate_app.cli", "serve", "first", "--desk", "--port", str(free_port())],
        cwd=tmp_path,
        env={"PATH": "", "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout
        said = re.search(r"http://\S+/desk#\S+", process.stdout.readline())
        assert said
        yield Desk(store, said[0])
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


def test_the_link_leads_to_three_pages_and_the_address_bar_forgets_it(desk: Desk, page: Page) -> None:
    desk.enter(page)
    assert "#" not in page.url
    expect(page.get_by_role("row", name=re.compile("^bob at work 1 of 3"))).to_be_visible()
    desk.go(page, "Items")
    expect(page.get_by_role("row")).to_have_count(1 + 3)
    desk.go(page, "Events")
    expect(page.get_by_role("row", name=re.compile("skipped bob"))).to_be_visible()
    page.reload()
    desk.at(page, "Events")


def test_refresh_shows_what_happened_since(desk: Desk, page: Page) -> None:
    desk.enter(page)
    cyd = annotator_id(desk.store, "cyd")
    desk.store.submit(cyd, desk.store.places(cyd)[0].presentation, 1, full())
    close(desk.store)
    expect(page.get_by_role("row", name=re.compile("^cyd invited 0 of 3"))).to_be_visible()
    page.get_by_role("button", name="Refresh").click()
    expect(page.get_by_role("row", name=re.compile("^cyd at work 1 of 3"))).to_be_visible()
    expect(page.get_by_text("Closed at")).to_be_visible()


def test_events_are_filtered_by_person_and_kind(desk: Desk, page: Page) -> None:
    desk.enter(page)
    desk.go(page, "Events")
    page.get_by_role("combobox", name=re.compile("Annotator")).click()
    page.get_by_role("option", name="bob").click()
    expect(page.get_by_role("row", name=re.compile(r"\bann\b"))).to_have_count(0)
    expect(page.get_by_role("row", name=re.compile(r"\bbob\b"))).not_to_have_count(0)
    page.get_by_role("combobox", name=re.compile("Kind of event")).click()
    page.get_by_role("option", name="skipped").click()
    expect(page.get_by_role("row")).to_have_count(2)
    expect(page.get_by_text("1 event, newest first.")).to_be_visible()


def test_nothing_that_was_answered_is_on_the_wire(desk: Desk, page: Page) -> None:
    """Every message and page of a whole visit; the control is that what may be seen is among them."""
    sent: list[bytes] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: sent.append(_bytes(frame))))
    page.on("response", lambda answer: sent.append(answer.body()) if _own(answer) else None)
    desk.enter(page)
    for title in PAGES[1:]:
        desk.go(page, title)
    page.get_by_role("button", name="Refresh").click()
    desk.at(page, "Events")
    item = desk.store.view(desk.store.places(1)[0]).item
    texts = [getattr(getattr(item, part), side) for part in ("prompts", "responses", "acting") for side in "AB"]
    wire = b"\n".join(sent)
    for words in (item.code, "skipped", "ann"):
        assert words.encode() in wire
    for words in (*SAID, *texts, *RUBRIC.dimension_ids, *(one.title for one in RUBRIC.dimensions)):
        assert words.encode() not in wire


def _bytes(frame: str | bytes) -> bytes:
    return frame if isinstance(frame, bytes) else frame.encode()


def _own(answer: Response) -> bool:
    """Whether this is no file of Streamlit's own."""
    return answer.status == 200 and "/static/" not in answer.url


def test_without_the_link_there_is_nothing_to_see(desk: Desk, page: Page) -> None:
    for path in ("/", "/items", "/events"):
        page.goto(desk.url + path)
        expect(page.get_by_text("Please open that link.")).to_be_visible()
        expect(page.get_by_role("table")).to_have_count(0)
    page.goto(desk.url + "/desk")
    expect(page.get_by_role("alert")).to_contain_text("The link is incomplete")
    page.goto("about:blank")
    page.goto(desk.url + "/desk#guess")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("heading", name="This link is not valid")).to_be_visible()


def test_one_link_opens_several_browsers_and_its_cookie_is_no_scripts(desk: Desk, page: Page) -> None:
    desk.enter(page)
    (cookie,) = [one for one in page.context.cookies() if one["name"].startswith("desk_")]
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
    browser = page.context.browser
    assert browser
    other = browser.new_context()
    try:
        desk.enter(other.new_page())
    finally:
        other.close()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_is_accessible_and_fits(desk: Desk, page: Page, size: str, scheme: Any) -> None:
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=scheme)
    page.goto(desk.link)
    expect(page.get_by_role("button", name="Start")).to_be_visible()
    assert violations(page) == []
    desk.enter(page)
    for title in PAGES:
        if title != "Progress":
            desk.go(page, title)
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_what_is_not_accessible_would_be_found(desk: Desk, page: Page) -> None:
    desk.enter(page)
    page.evaluate("document.querySelector('.desk').append(document.createElement('img'))")
    assert violations(page) == ["image-alt: <img>"]


def violations(page: Page) -> list[str]:
    """What axe finds wrong, as rule and element; nothing is left out, not even what is Streamlit's own."""
    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {node['html'][:120]}" for one in found for node in one["nodes"]]
