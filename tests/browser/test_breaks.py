"""Servers that are killed and connections that break: a click is either stored or still on the screen to be made again.

What the page calls saved is in the database, and comes back with a reload.
"""

import signal
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.app.conftest import SHORT, SMALL
from tests.browser.conftest import Server, serving
from tests.browser.desk import Desk, enter
from tests.browser.truth import kinds, sheets, states, until

pytestmark = pytest.mark.browser

# Every connection that the page opens is kept, so that a test can close it under the page's hands.
KEEP_SOCKETS = """
window.sockets = [];
const Plain = window.WebSocket;
window.WebSocket = class extends Plain {
  constructor(...wishes) { super(...wishes); window.sockets.push(this); }
};
"""
DROP = "window.sockets.at(-1).close()"
DROPPED = f"""(control, delay) => {{
  if (delay < 0) {DROP};
  control.click();
  if (delay >= 0) setTimeout(() => {DROP}, delay);
}}"""
UNHEARD = f"""(control, broken) => {{
  window.sockets.at(-1).send = () => {{}};
  control.click();
  setTimeout(() => {{
    if (broken !== "reload") {DROP};
    if (broken !== "drop") location.reload();
  }}, 50);
}}"""
DELAYS = (-1, 0, 5, 20, 60)
"""Milliseconds from a click to the break; -1 is a click on a connection that is gone already."""


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """An app that a test may kill as long as it starts it again."""
    with serving(tmp_path_factory.mktemp("own"), SHORT, rubric=SMALL) as server:
        yield server


def restart(desk: Desk) -> None:
    """Kill the server, start it again, and wait until the open window has found it."""
    desk.server.stop()
    with desk.page.expect_websocket():
        desk.server.start()
    expect(desk.submit_button).to_be_enabled()


def test_a_killed_server_loses_no_click(context: BrowserContext, own_server: Server) -> None:
    desk = enter(context, own_server, "survivor")
    desk.at(1)
    desk.fill(2, 2)
    own_server.stop()
    own_server.start()
    desk.page.reload()
    desk.at(1)
    desk.saved(2)
    for title in desk.titles:
        desk.shows(title, 2, 2)
    desk.submit()
    desk.at(2)
    assert {one.score(name)[0] for one in sheets(own_server, desk.name) for name in ("tone", "depth")} == {"2"}


def test_a_window_left_open_over_a_restart_goes_on(context: BrowserContext, own_server: Server) -> None:
    """It reconnects by itself, and its next click counts although the new server has never drawn this page."""
    desk = enter(context, own_server, "patient")
    desk.at(1)
    desk.score("Tone", 1)
    desk.favour("Tone", 1)
    desk.score("Depth", 1)
    desk.saved(1)
    restart(desk)
    desk.score("Tone", 2)
    desk.favour("Depth", 1)
    desk.saved(2)
    assert [(one.score("tone")[0], one.score("depth")[0]) for one in sheets(own_server, desk.name)] == [("2", "1")]
    restart(desk)
    desk.submit()
    desk.at(2)
    assert [(one.score("tone")[0], one.score("depth")[0]) for one in sheets(own_server, desk.name)] == [("2", "1")]
    assert states(own_server, desk.name) == [(1, 1, "submitted")]


def killed_at(desk: Desk, click: Callable[[], None]) -> None:
    """Let a click reach a server that cannot answer any more, and let the window find the next server."""
    desk.server.signal(signal.SIGSTOP)
    click()
    restart(desk)


@pytest.mark.parametrize("what", ["choice", "submit", "skip"])
def test_a_server_killed_between_click_and_answer(context: BrowserContext, own_server: Server, what: str) -> None:
    desk = enter(context, own_server, f"killed-{what}")
    desk.at(1)
    desk.fill(1, 2)
    if what == "choice":
        killed_at(desk, lambda: desk.score("Tone", 2))
        until(desk.page, lambda: [one.score("tone")[0] for one in sheets(own_server, desk.name)] == ["2"])
        desk.shows("Tone", 2, 2)
        desk.saved(2)
    elif what == "submit":
        killed_at(desk, desk.submit)
    else:
        desk.aside()
        desk.choose("Skip it because", "Another reason")
        desk.calm()
        killed_at(desk, desk.page.get_by_role("button", name="Skip this pair").click)
    on_or_done(desk, "2" if what == "choice" else "1")


def on_or_done(desk: Desk, tone: str) -> None:
    """The pair is either still open with its draft or finished once; both on the screen and in the database."""
    desk.page.reload()
    expect(desk.heading).to_have_text("Pair 1 of 3")
    desk.at(1)
    desk.saved(2)
    (one,) = sheets(desk.server, desk.name)
    assert (one.state, one.score("tone")[0]) == ("draft", tone)
    desk.submit()
    desk.at(2)
    desk.shows("Tone", None, None)
    assert states(desk.server, desk.name) == [(1, 1, "submitted")]
    assert kinds(desk.server, desk.name).count("submitted") == 1


@pytest.mark.parametrize("delay", DELAYS)
def test_a_connection_dropped_right_after_submit(context: BrowserContext, own_server: Server, delay: int) -> None:
    """The page never goes on without the answer: after a reload the pair is submitted, or open with its draft."""
    context.add_init_script(KEEP_SOCKETS)
    desk = enter(context, own_server, f"dropped-{delay}")
    desk.at(1)
    desk.fill(1, 2)
    with desk.page.expect_websocket():
        desk.submit_button.evaluate(DROPPED, delay)
    expect(desk.submit_button).to_be_enabled()
    desk.calm()
    desk.page.reload()
    expect(desk.submit_button).to_be_enabled()
    (one,) = sheets(own_server, desk.name)
    assert one.score("tone")[0] == "1"
    if one.state == "draft":
        desk.at(1)
        desk.saved(2)
        desk.submit()
    desk.at(2)
    desk.shows("Tone", None, None)
    assert states(own_server, desk.name) == [(1, 1, "submitted")]
    assert kinds(own_server, desk.name).count("submitted") == 1


@pytest.mark.parametrize("delay", DELAYS)
def test_a_connection_dropped_right_after_a_choice(context: BrowserContext, own_server: Server, delay: int) -> None:
    """Once the window is back, what stands on the screen is what is stored."""
    context.add_init_script(KEEP_SOCKETS)
    desk = enter(context, own_server, f"choosing-{delay}")
    desk.at(1)
    desk.score("Tone", 1)
    desk.favour("Tone", 1)
    desk.saved(1)
    radio = desk.score_of("Tone").get_by_role("radio").nth(2)
    with desk.page.expect_websocket():
        radio.evaluate(DROPPED, delay)
    stored_as_shown(desk)
    desk.score("Depth", 0)
    desk.favour("Depth", 3)
    desk.saved(2)
    (one,) = sheets(own_server, desk.name)
    assert (one.score("tone"), one.score("depth")) == (("2", one.first), ("0", "none"))


def stored_as_shown(desk: Desk) -> None:
    """Without another click the window finds the server, draws itself anew, and the last choice is stored."""
    until(desk.page, lambda: [one.score("tone")[0] for one in sheets(desk.server, desk.name)] == ["2"])
    desk.shows("Tone", 2, 1)
    desk.saved(1)


@pytest.mark.parametrize("broken", ["drop", "reload", "both"])
def test_a_click_that_never_arrived_is_made_again(context: BrowserContext, own_server: Server, broken: str) -> None:
    """Its connection broke before it went out, and the page may be loaded anew before it can tell."""
    context.add_init_script(KEEP_SOCKETS)
    desk = enter(context, own_server, f"unheard-{broken}")
    desk.at(1)
    desk.fill(1, 2)
    desk.calm()
    radio = desk.score_of("Tone").get_by_role("radio").nth(2)
    radio.evaluate(UNHEARD, broken)
    until(desk.page, lambda: [one.score("tone")[0] for one in sheets(own_server, desk.name)] == ["2"])
    desk.at(1)
    desk.shows("Tone", 2, 2)
    desk.saved(2)
    desk.submit()
    desk.at(2)
    desk.shows("Tone", None, None)


def test_clicks_without_a_network_wait_for_it(context: BrowserContext, own_server: Server) -> None:
    """A page that lost the network takes no click that it could lose, and goes on by itself afterwards."""
    context.add_init_script(KEEP_SOCKETS)
    desk = enter(context, own_server, "train")
    desk.at(1)
    desk.fill(1, 1)
    context.set_offline(True)
    desk.page.evaluate(DROP)
    expect(desk.score_of("Tone").get_by_role("radio").first).to_be_disabled()
    expect(desk.submit_button).to_be_disabled()
    with desk.page.expect_websocket():
        context.set_offline(False)
    expect(desk.submit_button).to_be_enabled()
    desk.score("Tone", 2)
    expect(desk.page.get_by_text("Saved: 2 of 2")).to_be_visible()
    desk.submit()
    desk.at(2)
    assert [(one.state, one.score("tone")[0]) for one in sheets(own_server, desk.name)] == [("submitted", "2")]


def test_the_server_ends_calmly(own_server: Server) -> None:
    assert own_server.stop(signal.SIGINT) == 0
    assert "Traceback" not in own_server.complaints
    own_server.start()
