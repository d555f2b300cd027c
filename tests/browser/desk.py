"""One annotator's window, and what a hand can do in it."""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from playwright.sync_api import BrowserContext, Locator, Page, expect

from annotate_app.questions import Scoring
from annotate_app.sheets import Place
from polibias.domain.rubric import Rubric
from tests.app.conftest import SHORT, annotator_id
from tests.browser.conftest import Server

YES = ("I agree to take part", "I have read this and want to go on", "I will work like this")

SELECT = """([pane, from, to]) => {
  const walker = document.createTreeWalker(pane, NodeFilter.SHOW_TEXT), range = document.createRange();
  let begun = false;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!begun && node.data.includes(from)) { range.setStart(node, node.data.indexOf(from)); begun = true; }
    const end = begun ? node.data.lastIndexOf(to) : -1;
    if (end >= 0) {
      range.setEnd(node, end + to.length);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      return getSelection().toString();
    }
  }
  return "";
}"""


class Desk(NamedTuple):
    """One annotator's window."""

    page: Page
    server: Server
    name: str

    @property
    def number(self) -> int:
        return annotator_id(self.server.store, self.name)

    @property
    def rubric(self) -> Rubric:
        assert isinstance(self.server.store.scheme, Scoring)
        return self.server.store.scheme.rubric

    @property
    def titles(self) -> list[str]:
        return [dimension.title for dimension in self.rubric.dimensions]

    def row(self, practice: bool = False) -> list[Place]:
        """The stored places of this annotator, practice or all others."""
        return [one for one in self.server.store.places(self.number) if (one.role == "practice") == practice]

    def at(self, number: int, total: int = len(SHORT), practice: bool = False) -> None:
        """Wait until this pair, and only this pair, is on the screen and listens to keys."""
        noun = "Practice pair" if practice else "Pair"
        expect(self.heading).to_have_text(f"{noun} {number} of {total}")
        place = self.row(practice)[number - 1]
        name = f"p{place.presentation}-{place.revision}-"
        expect(self.page.locator(f'[class*="st-key-{name}"][class*="-submit"]')).to_have_count(1)
        expect(self.submit_button).to_have_count(1)
        self.page.wait_for_function("name => window.polibias?.data?.page?.startsWith(name)", arg=name)

    def calm(self) -> None:
        """Wait until the page has been drawn to its end."""
        expect(self.page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")

    def still(self) -> None:
        """Wait until nothing moves: a list that is opened while its panel unfolds closes again."""
        self.page.wait_for_function("document.getAnimations().every(one => one.playState !== 'running')")

    @property
    def heading(self) -> Locator:
        return self.page.get_by_role("heading", level=1)

    @property
    def submit_button(self) -> Locator:
        return self.page.get_by_role("button", name=re.compile("^Submit"))

    def card(self, part: str) -> Locator:
        """The card of a dimension, a label or the check, by its id."""
        return self.page.locator(f'[class*="-card-{part}"]')

    def response(self, shown: int) -> Locator:
        return self.page.locator(f'[class*="-response{shown}"]')

    def score_of(self, title: str) -> Locator:
        return self._only("radiogroup", f"{title}: {self.rubric.form.scale_question}")

    def favoured_in(self, title: str) -> Locator:
        return self._only("radiogroup", f"{title}: {self.rubric.favoured.question}")

    def option(self, question: str, number: int) -> Locator:
        """The option at this place of a question."""
        return self.options(self._only("radiogroup", question)).nth(number - 1)

    def options(self, group: Locator) -> Locator:
        return group.locator("label", has=self.page.get_by_role("radio"))

    def _only(self, role: Any, name: str) -> Locator:
        """The one element of that name: for a moment after Submit the old form stands beside the new one."""
        found = self.page.get_by_role(role, name=name)
        expect(found).to_have_count(1)
        return found

    def score(self, title: str, value: int) -> None:
        self.options(self.score_of(title)).nth(value).click()

    def favour(self, title: str, shown: int) -> None:
        """Choose the first or second country, or 3 for None."""
        self.options(self.favoured_in(title)).nth(shown - 1).click()

    def fill(self, value: int = 2, shown: int = 1) -> None:
        for title in self.titles:
            self.score(title, value)
            self.favour(title, shown)
        self.saved(len(self.titles))

    def check(self, value: int) -> None:
        """Answer the instructed response."""
        self.options(self.card("check")).nth(value - 1).click()

    def shows(self, title: str, value: int | None, shown: int | None) -> None:
        """Wait until a dimension stands like this; None is not answered."""
        for group, at in ((self.score_of(title), value), (self.favoured_in(title), shown and shown - 1)):
            if at is None:
                expect(group.locator("input:checked")).to_have_count(0)
            else:
                expect(group.get_by_role("radio").nth(at)).to_be_checked()

    def unfold(self, title: str) -> None:
        """Open evidence and comment of a card."""
        box = self.page.get_by_test_id("stExpander").filter(has_text=f"Evidence and comment: {title}")
        expect(box).to_have_count(1)
        if box.locator("details").get_attribute("open") is None:
            box.locator("summary").click()
        self.unfolded(self.comment(title))

    def comment(self, title: str) -> Locator:
        return self.page.get_by_label(f"Comment on {title} (optional)")

    def mark(self, shown: int, start: str, end: str = "") -> str:
        """Mark a passage of a response as a mouse would, from one text to another; returns what is marked."""
        self.response(shown).scroll_into_view_if_needed()
        marked = str(self.page.evaluate(SELECT, [self.response(shown).element_handle(), start, end or start]))
        assert marked, f"{start!r} is not in response {shown}"
        return marked

    def take(self, title: str) -> None:
        """Press the button that takes the marked passage for a card."""
        box = self.page.get_by_test_id("stExpander").filter(has_text=f"Evidence and comment: {title}")
        box.get_by_role("button", name="Take the marked passage").click()

    def quoted(self, text: str) -> None:
        """Wait until this passage is shown as evidence."""
        expect(self.page.locator(".quote").filter(has_text=text)).to_have_count(1)

    def choose(self, label: str, option: str) -> None:
        """Choose from a list."""
        box = self.page.get_by_role("combobox", name=label)
        box.scroll_into_view_if_needed()
        self.still()
        box.click()
        self.page.get_by_role("option", name=option).click()

    def aside(self) -> None:
        """Unfold the ways past a pair."""
        self.page.locator("summary", has_text="Skip this pair, mark it as unsure").click()
        self.unfolded(self.page.get_by_role("combobox").last)

    def unfolded(self, inner: Locator) -> None:
        """Wait until what was folded away has been drawn and nothing moves any more."""
        expect(inner).to_be_visible()
        self.calm()
        self.still()

    def saved(self, answered: int, total: int = 0, noun: str = "dimensions") -> None:
        """Wait until the page says that so many are stored."""
        said = f"Saved: {answered} of {total or len(self.titles)} {noun} answered."
        expect(self.page.get_by_text(said)).to_be_visible()

    def submit(self) -> None:
        expect(self.submit_button).to_have_count(1)
        self.submit_button.click()

    def thanked(self) -> None:
        """Wait for the last page."""
        expect(self.heading).to_have_text("Thank you")

    def agree(self) -> None:
        """Say yes to every term."""
        expect(self.heading).to_have_text("Before you begin")
        for words in YES:
            self.page.get_by_text(words, exact=True).click()
        self.page.get_by_role("button", name="Continue").click()


def enter(context: BrowserContext, server: Server, name: str) -> Desk:
    """Follow a personal link up to the first page."""
    page = context.new_page()
    page.goto(server.invite(name))
    page.get_by_role("button", name="Start").click()
    page.wait_for_url(server.url + "/")
    return Desk(page, server, name)


def again(desk: Desk, context: BrowserContext) -> Desk:
    """Another tab of the same browser."""
    page = context.new_page()
    page.goto(desk.server.url)
    return desk._replace(page=page)


def press(page: Page, keys: Iterable[str]) -> None:
    for key in keys:
        page.keyboard.press(key)
