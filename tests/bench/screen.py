"""Clicks and sights in a real browser, timed by the page's own clock, alike for every tool that is measured."""

from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

PATIENCE = 30_000
CLICK = "element => { const sent = Date.now(); (element.closest('label') ?? element).click(); return sent / 1000; }"

MIDDLE = """element => {
  element.scrollIntoView({ block: 'center', behavior: 'instant' });
  const box = element.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
}"""


def click(button: Locator) -> float:
    """Click an element once it is enabled; the time (seconds since 1970) at which the page saw the click."""
    expect(button).to_be_enabled(timeout=PATIENCE)
    return float(button.evaluate(CLICK, timeout=PATIENCE))


def chosen(radio: Locator) -> float:
    """Choose an option by its label; the time of the click."""
    expect(radio).to_have_count(1, timeout=PATIENCE)
    return click(radio)


def marked(radio: Locator) -> bool:
    """Whether the screen shows an option as chosen, now or within a second."""
    try:
        expect(radio).to_be_checked(timeout=1000)
    except AssertionError:
        return False
    return True


def position(page: Page, at: str) -> int:
    """Which item stands on the screen, 0 if none can be worked on."""
    return int(page.evaluate(at))


def arrival(page: Page, at: str, wanted: Callable[[str], str]) -> float:
    """Wait until a condition on the position holds, looking at every frame; the time at which it did."""
    held = page.wait_for_function(f"() => ({wanted(at)}) && Date.now()", timeout=PATIENCE, polling="raf")
    return float(held.json_value()) / 1000


def middle(element: Locator) -> tuple[float, float]:
    """Bring an element into view; where the mouse must point to."""
    x, y = element.evaluate(MIDDLE, timeout=PATIENCE)
    return x, y
