"""Keys alone are enough, they never answer what is not on the screen, and they leave typing and the browser alone."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.app.conftest import SHORT, SMALL
from tests.browser.conftest import Server, serving
from tests.browser.desk import Desk, enter, press
from tests.browser.material import PRACTICE_FEEDBACK, everything
from tests.browser.truth import kinds, sheets, states, until

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def gated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(
        tmp_path_factory.mktemp("keys"), SHORT, rubric=SMALL, protocol=everything("tone", 0, 0, 0.0)
    ) as server:
        yield server


NAMED = """() => { const one = document.activeElement, labels = [...one.labels ?? []].map(label => label.innerText);
  return [one.ariaLabel, ...labels, one.matches("a, button, summary") ? one.innerText : ""].join(); }"""
"""What the control with the focus is called; the page and a panel that scrolls, which can have it too, are none."""


def tab_to(desk: Desk, words: str) -> None:
    """Press Tab until the focus is on a control that is called so."""
    for _ in range(60):
        press(desk.page, ["Tab"])
        if words in str(desk.page.evaluate(NAMED)):
            return
    raise AssertionError(f"Tab never comes to {words!r}")


def answered(desk: Desk, position: int, practice: bool = False) -> None:
    """Answer both cards with single keys and submit with S."""
    desk.at(position, 1 if practice else len(SHORT), practice)
    press(desk.page, "2a1n")
    desk.saved(2)
    press(desk.page, "s")


def test_from_the_invitation_to_the_last_page(context: BrowserContext, gated: Server) -> None:
    page = context.new_page()
    page.goto(gated.invite("typist"))
    expect(page.get_by_role("button", name="Start")).to_be_focused()
    press(page, ["Enter"])
    page.wait_for_url(gated.url + "/")
    desk = Desk(page, gated, "typist")
    expect(desk.heading).to_have_text("Before you begin")
    desk.calm()
    expect(desk.heading).to_be_focused()
    for words in ("I agree", "I have read this", "I will work like this"):
        tab_to(desk, words)
        press(page, ["Space"])
        expect(page.get_by_role("radio", name=words)).to_be_checked()
    tab_to(desk, "Continue")
    press(page, ["Enter"])
    answered(desk, 1, practice=True)
    expect(page.get_by_text(PRACTICE_FEEDBACK)).to_be_visible()
    desk.calm()
    press(page, "s")
    answered(desk, 1)
    desk.at(2)
    press(page, "p")
    desk.at(1)
    press(page, "f")
    answered(desk, 2)
    desk.at(3)
    tab_to(desk, "Skip this pair, mark it as unsure")
    press(page, ["Enter"])
    desk.unfolded(page.get_by_role("combobox").last)
    tab_to(desk, "Skip it because")
    press(page, ["ArrowDown"])
    expect(page.get_by_role("option").first).to_be_visible()
    press(page, ["ArrowDown", "Enter"])
    desk.calm()
    tab_to(desk, "Skip this pair")
    press(page, ["Enter"])
    desk.thanked()
    found = sheets(gated, "typist")
    assert [(one.role, one.state) for one in found] == [
        ("practice", "submitted"), ("first", "submitted"), ("first", "submitted"), ("first", "skipped")
    ]  # fmt: skip
    for one in found[:3]:
        assert (one.score("tone"), one.score("depth")) == (("2", one.first), ("1", "none"))


def test_the_marked_card_moves_with_j_and_k_and_takes_the_digits(context: BrowserContext, server: Server) -> None:
    desk = enter(context, server, "mover")
    desk.at(1)
    expect(desk.card("tone")).to_have_attribute("data-current", "true")
    press(desk.page, "j")
    expect(desk.card("depth")).to_have_attribute("data-current", "true")
    press(desk.page, "j2kb")
    desk.shows("Depth", 2, None)
    desk.shows("Tone", None, 2)
    desk.saved(0)
    expect(desk.card("depth")).to_have_attribute("data-current", "true")
    press(desk.page, "9")
    desk.shows("Depth", 2, None)


def test_single_keys_do_nothing_while_typing_or_with_a_modifier_or_switched_off(
    context: BrowserContext, server: Server
) -> None:
    desk = enter(context, server, "careful")
    desk.at(1)
    page = desk.page
    field = page.get_by_label("Comment on the pair (optional)")
    field.focus()
    press(page, "2abnjkspfq")
    expect(field).to_have_value("2abnjkspfq")
    field.blur()
    desk.aside()
    page.get_by_label("In your words").focus()
    press(page, "0123a")
    expect(page.get_by_label("In your words")).to_have_value("0123a")
    page.get_by_role("combobox", name="Report that").focus()
    press(page, "2as")
    press(page, ["Escape"])
    page.evaluate("document.activeElement.blur()")
    for modifier in ("Control", "Alt", "Meta"):
        press(page, [f"{modifier}+2", f"{modifier}+a", f"{modifier}+s"])
    page.get_by_text("Single-key shortcuts").click()
    expect(desk.card("tone")).to_have_attribute("data-current", "false")
    page.evaluate("document.activeElement.blur()")
    press(page, "2as")
    page.get_by_text("Single-key shortcuts").click()
    expect(desk.card("tone")).to_have_attribute("data-current", "true")
    press(page, "1")
    desk.saved(0)
    desk.shows("Tone", 1, None)
    until(page, lambda: sheets(server, desk.name)[0].score("tone")[0] is not None)
    (one,) = sheets(server, desk.name)
    assert (one.state, one.score("tone"), one.score("depth")) == ("draft", ("1", None), (None, None))
    assert one.comments == {"": "2abnjkspfq"}


HEARD = """() => { window.taken = []; window.addEventListener('keydown', event => {
  if (event.key.startsWith('Arrow')) window.taken.push(event.defaultPrevented); }); }"""


def test_alt_and_arrow_stay_the_browsers_own(context: BrowserContext, server: Server) -> None:
    """Word by word through a comment, or back in the browser: never to another pair."""
    desk = enter(context, server, "walker")
    answered(desk, 1)
    desk.at(2)
    before = states(server, desk.name)
    desk.page.evaluate(HEARD)
    field = desk.page.get_by_label("Comment on the pair (optional)")
    for focus in (field.focus, field.blur):
        focus()
        for key in ("ArrowLeft", "ArrowRight"):
            wish = {"key": key, "altKey": True, "bubbles": True, "cancelable": True}
            desk.page.evaluate("e => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', e))", wish)
    assert desk.page.evaluate("window.taken") == [False] * 4
    desk.calm()
    desk.at(2)
    assert states(server, desk.name) == before


BLIND_KEYS = """keys => { for (const key of keys) document.body.dispatchEvent(
  new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })); }"""


@pytest.mark.parametrize("keys", ["s2", "s2a1b", "ss22", "sssss"])
def test_keys_pressed_before_the_next_pair_is_there_never_answer_it(
    context: BrowserContext, server: Server, keys: str
) -> None:
    """In the same instant as S: what they mean, they mean for the pair that was on the screen."""
    desk = enter(context, server, f"hasty-{keys}")
    desk.at(1)
    desk.fill(0, 3)
    desk.page.evaluate(BLIND_KEYS, list(keys))
    desk.at(2)
    desk.calm()
    desk.shows("Tone", None, None)
    desk.shows("Depth", None, None)
    press(desk.page, "1")
    desk.saved(0)
    first, second = sheets(server, desk.name)
    assert (first.position, first.state) == (1, "submitted")
    assert (second.score("tone"), second.score("depth")) == (("1", None), (None, None))
    assert kinds(server, desk.name).count("submitted") == 1
