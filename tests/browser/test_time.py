"""Time away from a page is told apart from time on it."""

import datetime
import json

import pytest
from playwright.sync_api import BrowserContext, expect

from annotate_app.chain import stamp
from annotate_app.timing import Moment, spent
from tests.browser.conftest import Server
from tests.browser.desk import Desk, enter, press
from tests.browser.truth import events, query, until

pytestmark = pytest.mark.browser

HOUR = 3600.0
# The page's clock can be put forward; everything else on the page goes on as ever.
CLOCK = "window.ahead = 0; const real = Date.now; Date.now = () => real() + window.ahead;"


def away(desk: Desk, seconds: float) -> None:
    desk.page.evaluate("seconds => { window.ahead += seconds * 1000; }", seconds)


def idles(desk: Desk) -> list[float]:
    return [body["seconds"] for kind, body in events(desk.server, desk.name) if kind == "idle"]


def order(desk: Desk) -> list[str]:
    return [kind for kind, _ in events(desk.server, desk.name) if kind in ("idle", "draft", "submitted")]


@pytest.mark.parametrize("back", ["pointer", "click", "key"])
def test_an_hour_away_is_reported_before_anything_else(context: BrowserContext, server: Server, back: str) -> None:
    """However somebody comes back: by moving the mouse, by a click on Submit itself, by its key."""
    context.add_init_script(CLOCK)
    desk = enter(context, server, f"back-{back}")
    desk.at(1)
    desk.fill()
    away(desk, 100)
    desk.score("Tone", 1)
    desk.saved(2)
    assert idles(desk) == []
    away(desk, HOUR)
    if back == "pointer":
        desk.page.mouse.move(300, 300)
        until(desk.page, lambda: len(idles(desk)) == 1)
        desk.submit()
    elif back == "click":
        desk.submit_button.evaluate(
            "b => { b.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true })); b.click(); }"
        )
    else:
        press(desk.page, "s")
    desk.at(2)
    until(desk.page, lambda: len(idles(desk)) == 1)
    (seconds,) = idles(desk)
    assert HOUR <= seconds < HOUR + 600
    until(desk.page, lambda: sorted(order(desk)[-2:]) == ["idle", "submitted"])
    assert active_with_the_hour(desk) < HOUR / 2


def active_with_the_hour(desk: Desk) -> float:
    """The active seconds on the pair, had the server's clock been put forward like the page's."""
    sql = "SELECT at, kind, item, body FROM event WHERE annotator = ? ORDER BY number"
    moments, item = [], ""
    for at, kind, code, body in query(desk.server, sql, desk.name):
        away = json.loads(body)["seconds"] if kind == "idle" else 0.0
        moments.append(Moment(at, kind, code, away))
        item = code if kind == "submitted" else item
    ended = next(n for n, one in enumerate(moments) if one.kind in ("idle", "submitted"))
    return spent([*moments[:ended], *map(an_hour_later, moments[ended:])])[item].active


def an_hour_later(moment: Moment) -> Moment:
    at = datetime.datetime.fromisoformat(moment.at) + datetime.timedelta(seconds=HOUR)
    return moment._replace(at=stamp(at))


def test_a_page_in_the_background_is_not_worked_on(context: BrowserContext, server: Server) -> None:
    context.add_init_script(
        CLOCK + "window.away = false;Object.defineProperty(document, 'hidden', { get: () => window.away });"
    )
    desk = enter(context, server, "elsewhere")
    desk.at(1)
    desk.page.evaluate("window.away = true; document.dispatchEvent(new Event('visibilitychange'))")
    away(desk, HOUR)
    desk.page.evaluate("document.dispatchEvent(new Event('scroll'))")
    expect(desk.submit_button).to_be_visible()
    assert idles(desk) == []
    desk.page.evaluate("window.away = false; document.dispatchEvent(new Event('visibilitychange'))")
    until(desk.page, lambda: len(idles(desk)) == 1)
    assert HOUR <= idles(desk)[0] < HOUR + 600
