"""One annotator's hard day in a real browser, the same for every tool: reloads, double clicks, two tabs, a dead server.

After each scene what the person clicked is compared with what another program finds stored. A fault is counted once,
in the scene that it appears in.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from playwright.sync_api import Browser, BrowserContext, Locator, Page
from playwright.sync_api import Error as BrowserError

from tests.bench.screen import arrival, chosen, click, marked, middle, position
from tests.bench.served import Served

GAPS = (0, 30, 60, 120, 200)
DELAYS = (0, 50, 200)
WALK = 6
ITEMS = WALK + 1 + len(GAPS) + 1 + 2 * len(DELAYS) + 4
LOOK, READ_AGAIN = 0.002, 0.02
COMMITTED_WITHIN = 20.0
AFTERWARDS = 1500
TRIES = 3
ANNOTATORS = ("first-annotator", "second-annotator")


class Tool(Protocol):
    """An annotation tool as the script needs it. Positions count from 1, options from 0."""

    name: str
    at: str
    """A JavaScript function: the position on the screen once it can be worked on, else 0."""
    questions: tuple[str, ...]
    server: Served

    def configured(self) -> str: ...
    def enter(self, context: BrowserContext, annotator: str) -> Page: ...
    def option(self, page: Page, question: str, option: int) -> Locator: ...
    def next_button(self, page: Page) -> Locator: ...
    def go_to(self, page: Page, position: int) -> None: ...
    def version(self, annotator: str) -> int: ...
    def stored(self, annotator: str) -> dict[int, dict[str, int]]: ...
    def doubled(self, annotator: str) -> int: ...


class Scene(NamedTuple):
    """What a scene came to.

    `lost`: choices that the screen showed and that are not stored. `misplaced`: stored answers that nobody gave.
    `doubled`: as the tool counts it. `replaced`: answers sent off in one tab that a choice in an older one has changed.
    `passed_over`: items that a double click or a second tab went past. `ignored`: clicks on an option or on Next that
    did nothing. `sent_back`: times that a reader did not find their item again.
    """

    clicks: int = 0
    lost: int = 0
    misplaced: int = 0
    doubled: int = 0
    replaced: int = 0
    passed_over: int = 0
    ignored: int = 0
    sent_back: int = 0

    def plus(self, other: "Scene") -> "Scene":
        return Scene(*(one + two for one, two in zip(self, other, strict=True)))


class Day(NamedTuple):
    """Everything measured of a tool: scenes by name, and milliseconds of clicks and of Next. `memory` is a peak, in MB.

    A click that was not committed in time has no delay; it is among the lost.
    """

    tool: str
    scenes: dict[str, Scene]
    committed: list[float]
    shown: list[float]
    memory: float


class Annotator:
    """One person at the tool: what they clicked, and what is wrong with what is stored."""

    def __init__(self, tool: Tool, browser: Browser, name: str) -> None:
        self.tool, self.name = tool, name
        self.context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
        self.context.set_default_timeout(30_000)
        self.page = tool.enter(self.context, name)
        self.given: dict[int, dict[str, int]] = defaultdict(dict)
        self.known: set[tuple[int, str]] = set()
        self.doubled = self.passed_over = self.ignored = self.sent_back = 0
        self.place = 1
        self.arrive(1)

    def arrive(self, place: int) -> float:
        """Wait for an item; the time at which it was there."""
        return arrival(self.page, self.tool.at, lambda at: f"({at})() === {place}")

    def choose(self, number: int) -> float:
        """Answer the question of that number, in a way that differs between neighbouring items."""
        question, option = self.tool.questions[number], 1 + (self.place + number) % 2
        radio = self.tool.option(self.page, question, option)
        for _ in range(TRIES):
            sent = chosen(radio)
            # Only what the screen shows as chosen is given; whoever sees no mark clicks again.
            if marked(radio):
                self.given[self.place][question] = option
                return sent
            self.ignored += 1
        raise RuntimeError(f"{self.tool.name}: {question!r} cannot be answered at item {self.place}")

    def fill(self, begin: int = 0) -> None:
        """Answer all questions from `begin` on, as fast as the page takes it, and wait until all is stored."""
        for number in range(begin, len(self.tool.questions)):
            self.choose(number)
        self.committed()

    def committed(self) -> float | None:
        """Wait until everything given at this place is stored; the time, or None if that takes too long."""
        deadline = time.time() + COMMITTED_WITHIN
        version, read = -1, 0.0
        while (now := time.time()) < deadline:
            if (newest := self.tool.version(self.name)) != version or now - read > READ_AGAIN:
                version, read = newest, now
                if self.given[self.place].items() <= self.tool.stored(self.name).get(self.place, {}).items():
                    return now
            time.sleep(LOOK)
        return None

    def go_on(self) -> float:
        """Press Next and wait for another item; the milliseconds. Presses again if nothing comes of it.

        Whoever is led to another item than the next goes there by hand.
        """
        for _ in range(TRIES):
            sent = click(self.tool.next_button(self.page))
            try:
                arrived = arrival(self.page, self.tool.at, lambda at: f"![0, {self.place}].includes(({at})())")
            except BrowserError:
                self.ignored += 1
                self.fill()
                continue
            self._go_by_hand(position(self.page, self.tool.at), self.place + 1)
            self.place += 1
            return 1000 * (arrived - sent)
        raise RuntimeError(f"{self.tool.name}: Next does nothing at item {self.place}")

    def _go_by_hand(self, found: int, wanted: int) -> None:
        """Go to an item if another one was found, and remember which way it lay."""
        self.passed_over += max(0, found - wanted)
        self.sent_back += found < wanted
        if found != wanted:
            self.tool.go_to(self.page, wanted)
            self.arrive(wanted)

    def come_back(self) -> None:
        """Load the page anew, and go by hand to the item of before if another one comes."""
        self.page.reload()
        self._go_by_hand(arrival_anywhere(self.page, self.tool.at), self.place)

    def faults(self, clicks: int) -> Scene:
        """What has gone wrong since this was last asked."""
        stored, doubled = self.tool.stored(self.name), self.tool.doubled(self.name)
        lost = {(p, q) for p, given in self.given.items() for q, v in given.items() if stored.get(p, {}).get(q) != v}
        misplaced = {(p, q) for p, said in stored.items() for q in said if q not in self.given.get(p, {})}
        new_lost, new_misplaced, again = len(lost - self.known), len(misplaced - self.known), doubled - self.doubled
        scene = Scene(clicks, new_lost, new_misplaced, again, 0, self.passed_over, self.ignored, self.sent_back)
        self.known |= lost | misplaced
        self.doubled = doubled
        self.passed_over = self.ignored = self.sent_back = 0
        return scene


def arrival_anywhere(page: Page, at: str) -> int:
    """Wait until some item stands on the screen; its position."""
    arrival(page, at, lambda at: f"({at})() > 0")
    return position(page, at)


def walk(person: Annotator) -> tuple[list[float], list[float], Scene]:
    """Some items without disturbance: milliseconds until each click was stored, and from Next to the next item."""
    committed, shown, clicks = [], [], 0
    for _ in range(WALK):
        for number in range(len(person.tool.questions)):
            sent, seen = person.choose(number), person.committed()
            clicks += 1
            if seen is not None:
                committed.append(1000 * (seen - sent))
        shown.append(person.go_on())
    return committed, shown, person.faults(clicks)


def reloads(person: Annotator) -> Scene:
    """One item, the page loaded anew right after each choice."""
    for number in range(len(person.tool.questions)):
        person.choose(number)
        person.come_back()
    person.committed()
    scene = person.faults(len(person.tool.questions))
    person.fill()
    person.go_on()
    return scene.plus(person.faults(0))


def double_clicks(person: Annotator) -> Scene:
    """One item for each gap (ms): two presses of the mouse where Next is, whatever stands there at the second."""
    total = Scene()
    for gap in GAPS:
        person.fill()
        _press_twice(person, gap)
        person.page.wait_for_timeout(AFTERWARDS)
        found = arrival_anywhere(person.page, person.tool.at)
        person.passed_over += max(0, found - person.place - 1)
        total = total.plus(person.faults(2))
        if found > person.place:
            person.place = found
        else:
            person.go_on()
    return total


def _press_twice(person: Annotator, gap: int) -> None:
    person.arrive(person.place)
    mouse = person.page.mouse
    mouse.move(*middle(person.tool.next_button(person.page)))
    for number in range(2):
        mouse.down()
        mouse.up()
        if number == 0:
            time.sleep(gap / 1000)


def two_tabs(person: Annotator) -> Scene:
    """An item open twice: answered and sent off in one tab, then a choice and Next in the one left behind."""
    other = person.context.new_page()
    other.goto(person.tool.server.url)
    arrival(other, person.tool.at, lambda at: f"({at})() === {person.place}")
    person.page.bring_to_front()
    person.fill()
    person.go_on()
    other.bring_to_front()
    question = person.tool.questions[0]
    changed = 1 if person.given[person.place - 1][question] == 2 else 2
    _try(lambda: chosen(person.tool.option(other, question, changed)))
    other.wait_for_timeout(AFTERWARDS)
    _try(lambda: click(person.tool.next_button(other)))
    other.wait_for_timeout(AFTERWARDS)
    found = position(other, person.tool.at)
    other.close()
    person.page.bring_to_front()
    person.passed_over += max(0, found - person.place)
    person.come_back()
    scene = person.faults(len(person.tool.questions) + 2)
    replaced = int(person.tool.stored(person.name)[person.place - 1].get(question) == changed)
    return scene._replace(lost=scene.lost - replaced, replaced=replaced)


def _try(action: Callable[[], object]) -> None:
    """A click that the page may have made impossible, which is one way of refusing it."""
    try:
        action()
    except (BrowserError, AssertionError):
        return


def kills(person: Annotator) -> Iterator[tuple[str, Scene]]:
    """For each delay (ms) after a click the server is killed and started; then a reload, or the window goes on."""
    for reload in (True, False):
        total = Scene()
        for delay in DELAYS:
            total = total.plus(_kill(person, delay, reload))
        yield ("server killed, page loaded anew" if reload else "server killed, window left open"), total


def _kill(person: Annotator, delay: int, reload: bool) -> Scene:
    person.choose(0)
    person.committed()
    person.choose(1)
    time.sleep(delay / 1000)
    person.tool.server.kill()
    person.page.wait_for_timeout(AFTERWARDS)
    person.tool.server.start()
    if reload:
        person.come_back()
        scene = person.faults(2)
        person.fill()
    else:
        person.fill(begin=2)
        scene = person.faults(len(person.tool.questions))
    person.go_on()
    return scene.plus(person.faults(0))


def spend(tool: Tool, browser: Browser) -> Day:
    """The whole script for both annotators, one after the other."""
    scenes: dict[str, Scene] = defaultdict(Scene)
    committed: list[float] = []
    shown: list[float] = []
    tool.server.start()
    try:
        for name in ANNOTATORS:
            person = Annotator(tool, browser, name)
            delays, arrivals, scene = walk(person)
            committed += delays
            shown += arrivals
            for what, came in _scenes(person, scene):
                scenes[what] = scenes[what].plus(came)
            person.context.close()
    finally:
        tool.server.kill()
    return Day(tool.name, dict(scenes), committed, shown, tool.server.peak)


def _scenes(person: Annotator, walked: Scene) -> Iterator[tuple[str, Scene]]:
    yield "items without disturbance", walked
    yield "a reload after each choice", reloads(person)
    yield "double clicks on Next", double_clicks(person)
    yield "two tabs", two_tabs(person)
    yield from kills(person)
