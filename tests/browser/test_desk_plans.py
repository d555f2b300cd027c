"""The desk's pages on plans in a real browser, with a stand-in for `polibias`: what is seen, run and kept inert."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from annotate_app.ending import close
from annotate_app.store import Store
from tests.app.conftest import MODELS, ROOT, SHORT, enrol, free_port, make_project
from tests.app.plans import HELD, HOSTILE, LOCK, Fake, cell, plan, result, told
from tests.browser.test_desk import SIZES, violations

pytestmark = pytest.mark.browser

# The desk as `polibias-annotate serve first --desk` starts it, but for the command that it asks, at every drawing.
START = """
import sys
from annotate_app import cli, desk_plans
desk_plans.COMMAND, desk_plans.FRESH = tuple(sys.argv[2:]), -1.0
sys.exit(cli.main(["serve", "first", "--desk", "--port", sys.argv[1]]))
"""
RUN = "Run the planned analysis"


class Desk:
    """A desk, the project behind it, and what its `polibias` says."""

    def __init__(self, fake: Fake, store: Store, link: str) -> None:
        self.fake = fake
        self.store = store
        self.link = link

    def open(self, page: Page, title: str) -> None:
        """Follow the link, and go to a page."""
        page.goto(self.link)
        page.get_by_role("button", name="Start").click()
        page.get_by_role("link", name=title, exact=True).click()
        self.at(page, title)

    def at(self, page: Page, title: str) -> None:
        """Wait until this page is drawn to its end."""
        expect(page.get_by_role("heading", level=1, name=f"first: {title.lower()}")).to_be_visible()
        expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("desk")
    place = make_project(folder, SHORT, MODELS[:1])
    enrol(place.store, "ann")
    fake = Fake(folder / "fake")
    process = subprocess.Popen(
        [sys.executable, "-c", START, str(free_port()), *fake.command],
        cwd=folder,
        env={"PATH": "", "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout
        said = re.search(r"http://\S+/desk#\S+", process.stdout.readline())
        assert said
        yield Desk(fake, place.store, said[0])
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


def say(desk: Desk, page: Page, title: str, *plans: Any) -> None:
    """Let the status be this from now on, and look at a page of it."""
    desk.fake.says(*plans)
    desk.open(page, title)


def test_splits_show_each_set_and_its_whole_hash(desk: Desk, page: Page) -> None:
    say(desk, page, "Splits", plan(held_out={**HELD, "state": "opened", "openings": 2}))
    expect(page.get_by_role("row", name=re.compile("^sample 50 open 2026-11-01"))).to_be_visible()
    expect(page.get_by_role("alert").filter(has_text="opened 2 times")).to_be_visible()
    whole = page.get_by_text("34" * 32, exact=True)
    expect(whole).to_be_hidden()
    page.locator("summary", has_text="34343434").click()
    expect(whole).to_be_visible()


def test_the_folders_that_the_command_gets_are_those_of_where_serve_was_started(desk: Desk, page: Page) -> None:
    say(desk, page, "Splits", plan())
    folder = desk.fake.folder.parent
    where = [f"--{name}={folder / name}" for name in ("prereg", "runs", "validations")]
    assert desk.fake.asked[-1] == ["prereg", "status", "--json", *where]


def test_an_analysis_is_started_followed_and_read(desk: Desk, page: Page) -> None:
    own = plan(project="first")
    say(desk, page, "Plans", own)
    expect(page.get_by_text("once first is closed")).to_be_visible()
    expect(page.get_by_role("button", name=RUN)).to_be_disabled()
    close(desk.store)
    desk.fake.shut()
    desk.fake.rules(after=told(plan(project="first", state="reported", findings=desk.fake.finds())))
    page.get_by_role("button", name="Refresh").click()
    page.get_by_role("button", name=RUN).click()
    expect(page.get_by_text("The analysis of blind-study is running").first).to_be_visible()
    expect(page.get_by_text("read 88 labels")).to_be_visible()
    expect(page.get_by_role("button", name=RUN)).to_be_disabled()
    assert violations(page) == []
    desk.fake.let_go()
    expect(page.get_by_role("heading", name="Confirmatory findings")).to_be_visible()
    expect(page.get_by_text("The analysis has ended.")).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("^glm-4.7 Gap −0.08 .−0.20, 0.04. jackknife"))).to_have_count(2)
    expect(page.get_by_role("heading", level=3, name="topics by title exploratory")).to_be_visible()
    desk.fake.rules(run=(2, "polibias: the plan was changed\n"))
    (desk.fake.folder / "gate").unlink()
    page.get_by_role("button", name=RUN).click()
    expect(page.get_by_role("alert").filter(has_text="polibias: the plan was changed")).to_be_visible()


def test_hostile_words_are_words(desk: Desk, page: Page) -> None:
    """A plan's Markdown too: no HTML of it counts, no link runs code, and nothing is fetched from elsewhere."""
    ours, away = desk.link.partition("/desk#")[0], dict[str, Any]()
    page.on("request", lambda one: None if one.url.startswith((ours, "data:")) else away.update({one.url: "sent"}))
    page.on("requestfailed", lambda one: away.update({one.url: one.failure}))
    odd = result("gap", "primary", title=HOSTILE)
    odd["table"]["rows"][0]["cells"]["none"] = cell(None, reason=HOSTILE)
    path = desk.fake.finds(results=[odd], deviations=[{"what": HOSTILE, "reason": HOSTILE}])
    document = f"# Plan\n\n{HOSTILE}\n\n![x](http://elsewhere.invalid/x.png)\n"
    say(
        desk, page, "Plans", plan(title=HOSTILE, question=HOSTILE, problems=[HOSTILE], findings=path, document=document)
    )
    page.locator("summary", has_text="The plan as it was locked").click()
    expect(page.get_by_role("heading", level=3, name="Plan", exact=True)).to_be_visible()
    expect(page.get_by_role("alert").filter(has_text=HOSTILE)).to_be_visible()
    expect(page.locator("#evil")).to_have_count(0)
    expect(page.locator('[href^="javascript"]')).to_have_count(0)
    assert page.evaluate("window.evil") is None
    assert away == {"http://elsewhere.invalid/x.png": "csp"}  # asked for by the document, and refused


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_pages_are_accessible_and_fit(desk: Desk, page: Page, size: str, scheme: Any) -> None:
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=scheme)
    wide = "|" + " considerable |" * 8
    full = plan(
        held_out={**HELD, "openings": 2},
        findings=desk.fake.finds(),
        problems=["a file was changed"],
        anchored=["https://x.example"],
        document=f"# The title\n\n{wide}\n|{'---|' * 8}\n{wide}\n\n`{LOCK}`\n",
    )
    say(desk, page, "Plans", full, plan(plan="masking", title="Masks", state="drafted", lock="", sets=[]))
    page.locator("summary", has_text="The plan as it was locked").click()
    expect(page.get_by_role("heading", level=3, name="The title")).to_be_visible()
    page.wait_for_function("document.getAnimations().every(one => one.playState !== 'running')")
    for title in ("Plans", "Splits"):
        page.get_by_role("link", name=title, exact=True).click()
        desk.at(page, title)
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    expect(page.get_by_text(LOCK)).to_have_count(0)
