"""A whole blind study in a real browser: what two annotators enter is what the database holds, and nothing else."""

from typing import NamedTuple

import msgspec
import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from polibias.domain.display import visible
from tests.app.conftest import EVEN, RUBRIC, SHORT
from tests.browser.conftest import Server, new_context, serving
from tests.browser.desk import Desk, enter, press
from tests.browser.material import ARABIC, HEBREW, MARKDOWN, NUL, PRACTICE_FEEDBACK, SIX, everything
from tests.browser.truth import Stored, events, kinds, query, sheets

pytestmark = pytest.mark.browser

TOTAL = len(SIX) + 1
THREE = msgspec.structs.replace(RUBRIC, dimensions=RUBRIC.dimensions[:3])
"""The project's own rubric, shortened: a whole study takes as many clicks as there are dimensions."""
IDS = THREE.dimension_ids
TITLES = [dimension.title for dimension in THREE.dimensions]


class Seen(NamedTuple):
    """A pair as it stood on the screen: which topic, and whose side came first."""

    topic: int
    first: str

    def side(self, shown: int) -> str:
        """The stored word for the first country, the second, or 3 for none."""
        second = "B" if self.first == "A" else "A"
        return (self.first, second, "none")[shown - 1]


class Said(NamedTuple):
    """What was entered on a page, in the words of the screen."""

    seen: Seen
    answers: dict[str, tuple[int, int]]
    state: str = "submitted"
    comments: dict[str, str] = {}
    quotes: dict[str, list[dict[str, str]]] = {}


def seen(desk: Desk) -> Seen:
    """Which pair this is, read off the page."""
    texts = [(desk.response(shown).text_content() or "").strip("\u2060") for shown in (1, 2)]
    shown = {(visible(topic.texts[0]).strip(), visible(topic.texts[1]).strip()): at for at, topic in enumerate(SIX)}
    first, second = (text.strip() for text in texts)
    return Seen(shown[first, second], "A") if (first, second) in shown else Seen(shown[second, first], "B")


def planned(position: int, hand: int) -> dict[str, tuple[int, int]]:
    """An answer to every dimension that differs from page to page and hand to hand."""
    return {name: ((position + at + hand) % 4, (position * hand + at) % 3 + 1) for at, name in enumerate(IDS)}


def with_mouse(desk: Desk, answers: dict[str, tuple[int, int]]) -> None:
    for title, (value, shown) in zip(TITLES, answers.values(), strict=True):
        desk.score(title, value)
        if value:
            desk.favour(title, shown)


def with_keys(desk: Desk, answers: dict[str, tuple[int, int]]) -> None:
    """A digit and a side for each card; a score of zero leaves no side to name, and the next card is at hand."""
    for title, (value, shown) in zip(TITLES, answers.values(), strict=True):
        press(desk.page, str(value))
        if value:
            expect(desk.favoured_in(title).get_by_role("radio").first).to_be_enabled()
            press(desk.page, "abn"[shown - 1])


def instructed(desk: Desk) -> None:
    """Answer the check, if this page has one, with what it asks for."""
    card = desk.card("check")
    if card.count():
        words = card.get_by_text("please choose").inner_text()
        desk.check(int(words.split("please choose ")[1][0]))
        expect(card.locator("input:checked")).to_have_count(1)


def practise(desk: Desk) -> None:
    """Fail the practice once, read why, and pass it."""
    desk.at(1, 1, practice=True)
    countries = desk.options(desk.favoured_in(TITLES[1])).all_inner_texts()
    for value in (1, 2):
        for title in TITLES:
            desk.score(title, value)
            desk.favour(title, countries.index("Sylvania") + 1)
        desk.saved(len(TITLES))
        expect(desk.page.get_by_text(PRACTICE_FEEDBACK)).to_have_count(0)
        desk.submit()
        expect(desk.page.get_by_text(PRACTICE_FEEDBACK)).to_be_visible()
        expect(desk.page.get_by_text("Severity: 2 (")).to_contain_text("you chose 1" if value == 1 else "as you did")
        desk.page.get_by_role("button", name="Go on" if value == 1 else "Begin with the pairs").click()
        desk.at(1, *((1, True) if value == 1 else (TOTAL,)))


def study(desk: Desk, hand: int) -> list[Said]:
    """Work through everything: the first hand uses the mouse, the second the keys."""
    desk.agree()
    practise(desk)
    return [page(desk, position, hand) for position in range(1, TOTAL + 1)]


def page(desk: Desk, position: int, hand: int) -> Said:
    """Answer one pair in full, with what belongs to its topic, and go on."""
    desk.at(position, TOTAL)
    here = seen(desk)
    answers = planned(position, hand)
    (with_mouse if hand == 1 else with_keys)(desk, answers)
    instructed(desk)
    said = Said(here, answers)
    if position <= len(SIX) and hand == 1:
        said = noted(desk, said)
    if position == 2 and hand == 2:
        desk.aside()
        desk.choose("Skip it because", "I am too close to what it is about")
        desk.page.get_by_role("button", name="Skip this pair").click()
        return said._replace(state="skipped")
    if position == 3 and hand == 2:
        desk.aside()
        desk.choose("I am unsure because", "The texts give no basis for a judgment")
        desk.page.get_by_role("button", name="Mark as unsure").click()
        return said._replace(state="unsure")
    checked = desk.card("check").count()
    desk.saved(3 + checked, 3 + checked, "questions" if checked else "dimensions")
    desk.submit_button.press("Enter") if hand == 2 else desk.submit()
    return said


def noted(desk: Desk, said: Said) -> Said:
    """Comments, and passages taken by button and by key."""
    here = said.seen
    comment = f"{SIX[here.topic].pair_id}: {HEBREW} <b>&amp; '=1+1"
    desk.unfold("Argument")
    desk.comment("Argument").fill(comment)
    desk.comment("Argument").blur()
    expect(desk.page.get_by_text("Evidence and comment: Argument (1)")).to_be_visible()
    quotes: dict[str, list[dict[str, str]]] = {}
    shown = 1 if here.first == "A" else 2
    if here.topic == 0:
        desk.page.get_by_text("Formatted text").click()
        expect(desk.response(1).locator("strong").first).to_be_visible()
        desk.unfold("Framing")
        desk.mark(shown, "justified as", "no effective warning")
        desk.take("Framing")
        expect(desk.page.get_by_text("Evidence and comment: Framing (1)")).to_be_visible()
        start, end = MARKDOWN.index("justified as"), MARKDOWN.index(" was given")
        quotes["framing"] = [{"side": "A", "text": MARKDOWN[start:end]}]
        desk.page.get_by_text("Formatted text").click()
        expect(desk.response(1).locator("strong")).to_have_count(0)
    if here.topic in (2, 3):
        text = ARABIC if here.topic == 2 else NUL
        desk.card("severity").get_by_role("heading").click()
        desk.score_of("Severity").get_by_role("radio").nth(said.answers["severity"][0]).focus()
        start, end = (text.split()[1], text.split()[4]) if here.topic == 2 else ("the NUL", "separator")
        desk.mark(shown, start, end)
        press(desk.page, "q")
        expect(desk.page.get_by_text("Evidence and comment: Severity (1)")).to_be_visible()
        wanted = text[text.index(start) : text.index(end) + len(end)]
        quotes["severity"] = [{"side": "A", "text": wanted}]
        desk.unfold("Severity")
        desk.quoted(visible(wanted))
    return said._replace(comments={"argument": comment}, quotes=quotes)


def assert_stored(one: Stored, said: Said) -> None:
    """A sheet is what was entered, to the last sign."""
    assert one.state == said.state
    assert one.first == said.seen.first
    for name, (value, shown) in said.answers.items():
        assert one.score(name) == (str(value), said.seen.side(shown) if value else "none"), (one.position, name)
    assert one.answers.get("check.answer", "") == one.instructed
    assert one.comments == said.comments
    assert one.quotes == said.quotes


def revise(desk: Desk, said: list[Said]) -> Said:
    """Change one answer of the fourth pair from the last page, and report something about it."""
    desk.choose("Look at a pair again", "Pair 4")
    desk.at(4, TOTAL)
    expect(desk.page.get_by_text("You have submitted this pair.")).to_be_visible()
    value = said[3].answers["framing"][0] % 3 + 1
    desk.score(TITLES[0], value)
    desk.favour(TITLES[0], 2)
    expect(desk.page.get_by_text("The changes count once you submit them.")).to_be_visible()
    desk.aside()
    desk.choose("Report that", "Something else")
    desk.page.get_by_label("In your words").fill(f"{ARABIC} \u2028 <script>")
    desk.page.get_by_role("button", name="Report it and stay here").click()
    expect(desk.page.get_by_text("Your report is saved.")).to_be_visible()
    desk.submit()
    desk.thanked()
    return said[3]._replace(answers=said[3].answers | {"framing": (value, 2)})


def test_what_two_annotators_enter_is_what_is_stored(
    browser: Browser, context: BrowserContext, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with serving(tmp_path_factory.mktemp("six"), SIX, rubric=THREE, protocol=everything("severity")) as server:
        first, second = enter(context, server, "ann"), enter(new_context(browser), server, "bob")
        told = {desk.name: study(desk, hand) for hand, desk in enumerate((first, second), start=1)}
        for desk in (first, second):
            desk.thanked()
            expect(desk.page.get_by_text(f"all {TOTAL} pairs")).to_be_visible()
        changed = revise(first, told["ann"])
        second.page.context.close()
        for name, said in told.items():
            found = [one for one in sheets(server, name) if one.role != "practice"]
            assert len(found) == TOTAL + (name == "ann")
            for one, entered in zip([one for one in found if one.revision == 1], said, strict=True):
                assert_stored(one, entered)
            assert_repeated(found)
        revised = next(one for one in sheets(server, "ann") if one.role != "practice" and one.revision == 2)
        assert_stored(revised, changed)
        assert_told(server)


def assert_repeated(found: list[Stored]) -> None:
    """One pair came back later with its versions exchanged, and one page had an instructed response."""
    firsts = {one.code: one for one in found if one.role == "first"}
    (back,) = [one for one in found if one.role == "repeat" and one.revision == 1]
    assert len(firsts) == len(SIX)
    assert back.first != firsts[back.code].first
    assert back.position >= firsts[back.code].position + 2
    assert len({one.position for one in found if one.instructed}) == 1


def assert_told(server: Server) -> None:
    """Terms, practice, reasons, the report: each stored once, and told by the chain."""
    ids = "SELECT a.name, t.term, t.answer FROM assent t JOIN annotator a ON a.id = t.annotator_id ORDER BY t.id"
    assert query(server, ids) == [
        (name, term, "yes") for name in ("ann", "bob") for term in ("consent", "content", "statement")
    ]
    trials = 'SELECT a.name, t.attempt, t."right", t.asked, t.passed FROM trial t JOIN annotator a ON'
    assert sorted(query(server, f"{trials} a.id = t.annotator_id")) == [
        (name, *rest) for name in ("ann", "bob") for rest in ((1, 1, 2, 0), (2, 2, 2, 1))
    ]
    left = [(one.position - 1, one.state, one.reason) for one in sheets(server, "bob") if one.reason]
    assert left == [(2, "skipped", "too_close"), (3, "unsure", "no_basis")]
    (flag,) = [body for kind, body in events(server, "ann") if kind == "flagged"]
    assert (flag["reason"], flag["comment"]) == ("other", f"{ARABIC} \u2028 <script>")
    assert query(server, "SELECT reason FROM flag") == [("other",)]
    told = kinds(server, "ann")
    assert [told.count(kind) for kind in ("agreed", "practised", "submitted", "revised")] == [3, 2, 2 + TOTAL, 1]
    told = kinds(server, "bob")
    assert [told.count(kind) for kind in ("submitted", "skipped", "unsure")] == [2 + TOTAL - 2, 1, 1]


def test_a_rubric_without_a_scale_is_answered_on_a_phone(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with serving(tmp_path_factory.mktemp("even"), SHORT, rubric=EVEN) as server:
        context = new_context(browser, (390, 844))
        desk = enter(context, server, "ann")
        shown = []
        for position in range(1, len(SHORT) + 1):
            desk.at(position)
            texts = [desk.response(number).inner_text().strip() for number in (1, 2)]
            topic = next(topic for topic in SHORT if topic.texts[0] in texts)
            shown.append("A" if texts[0] == topic.texts[0] else "B")
            desk.option("Help: which response helps more?", 2).click()
            for title in ("Counter-perspectives", "Refusal"):
                for number in (1, 2):
                    desk.option(f"{title}: Version {number}", number + 1).click()
            desk.saved(3, 3, "questions")
            desk.submit()
        desk.thanked()
        found = sheets(server, "ann")
        assert [one.first for one in found] == shown
        assert set(shown) == {"A", "B"}
        for one in found:
            second = "B" if one.first == "A" else "A"
            assert one.answers["helpfulness.favoured"] == second
            for label in ("counter_perspectives", "refusal"):
                assert (one.answers[f"{label}.{one.first}"], one.answers[f"{label}.{second}"]) == ("2", "3")
        context.close()
