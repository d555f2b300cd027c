"""Thirty annotators at work at once: how long a click takes to be committed, and the next item to appear.

Users are websocket windows in this process, one action every five seconds each, from seeded starts; one more works
in a real Chromium, in a process of its own. The server is another process. All of them share the machine.

Committed means: another connection sees the row. It looks every two milliseconds. The time that an event carries is
taken within its transaction, before the commit has reached the disk, and would flatter.
"""

import asyncio
import random
import sqlite3
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Page, sync_playwright

from tests.bench.our_app import EVENTS, SUBMIT, TITLES, OurApp
from tests.bench.screen import arrival, chosen, click
from tests.bench.wire_client import Window, cookie_for
from tests.browser.conftest import CHROMIUM, FLAGS

SEED = 20280101
USERS, SECONDS, PACE = 30, 120.0, 5.0
LOOK = 0.002
SETTLE = 3.0
ITEMS = 8
CHROMIUM_NAME = "in-chromium"


class Click(NamedTuple):
    """One click: who, when it was sent, and what must be stored for it. `question` is '' for Submit.

    `shown` is the time at which the click's run had ended, or the next item stood on the page; 0 if never.
    """

    annotator: str
    sent: float
    position: int
    question: str
    option: int
    shown: float


class Committed(NamedTuple):
    """An event that another connection has seen."""

    seen: float
    annotator: str
    kind: str


class Commits(threading.Thread):
    """Notes when each event becomes visible to a second connection, until it is told to stop."""

    def __init__(self, database: Path) -> None:
        super().__init__(daemon=True)
        self.database = database
        self.found: list[Committed] = []
        self._ended = threading.Event()

    def run(self) -> None:
        connection = sqlite3.connect(f"file:{self.database}?mode=ro", uri=True, timeout=30)
        last, version = self._new(connection, 0, keep=False), -1
        while not self._ended.wait(LOOK):
            if (now := connection.execute("PRAGMA data_version").fetchone()[0]) != version:
                last, version = self._new(connection, last), now
        connection.close()

    def _new(self, connection: sqlite3.Connection, last: int, keep: bool = True) -> int:
        rows = connection.execute(EVENTS, (last,)).fetchall()
        seen = time.time()
        if keep:
            self.found += [Committed(seen, annotator, kind) for _, _, annotator, kind in rows]
        return rows[-1][0] if rows else last

    def stop(self) -> list[Committed]:
        self._ended.set()
        self.join()
        return self.found


class Loaded(NamedTuple):
    """What a load did. `processor` are the server's seconds of processor in `seconds`, `memory` its peak in MB."""

    clicks: list[Click]
    commits: list[Committed]
    processor: float
    seconds: float
    memory: float
    lost: int
    doubled: int
    trouble: list[str]


def draw(name: str) -> random.Random:
    """The same choices for the same person in every run."""
    return random.Random(f"{SEED} {name}")


def option(dice: random.Random, question: str) -> int:
    """Any favoured side, and any score but zero, which would leave no side to choose."""
    return dice.randint(1, 3) if TITLES.index(question) % 2 == 0 else dice.randint(0, 2)


class User:
    """One annotator at a websocket window."""

    def __init__(self, name: str, window: Window, begins: float) -> None:
        self.name, self.window, self.dice = name, window, draw(name)
        self.next_action = begins + self.dice.random() * PACE
        self.clicks: list[Click] = []

    async def work(self, ends: float) -> None:
        """Answer every question of one item after another, an action at each beat."""
        for place in range(1, ITEMS + 1):
            for question in TITLES:
                if not await self._beat(ends):
                    return
                # Nobody answers a page that is still being put together: the item before stands on it too.
                await self.window.until(lambda window: window.idle)
                await self._answer(place, question)
            if not await self._beat(ends):
                return
            await self._submit(place)

    async def _beat(self, ends: float) -> bool:
        await asyncio.sleep(max(0.0, self.next_action - time.time()))
        self.next_action += PACE
        return time.time() < ends

    async def _answer(self, place: int, question: str) -> None:
        runs, choice = self.window.runs, option(self.dice, question)
        sent = await self.window.choose(question, choice)
        shown = await self.window.until(lambda window: window.runs > runs)
        self.clicks.append(Click(self.name, sent, place, question, choice, shown))

    async def _submit(self, place: int) -> None:
        sent = await self.window.press(SUBMIT)
        shown = await self.window.until(lambda window: window.heading.startswith(f"Pair {place + 1} of"))
        self.clicks.append(Click(self.name, sent, place, "", 0, shown))


async def crowd(
    url: str, links: Sequence[tuple[str, str]], begins: float, ends: float
) -> tuple[list[Click], list[str]]:
    """Everybody's clicks, and what went wrong, in words."""

    async def one(name: str, link: str) -> list[Click]:
        async with Window(url, await cookie_for(link)) as window:
            user = User(name, window, begins)
            try:
                await user.work(ends)
            except (TimeoutError, ConnectionError, LookupError, AssertionError) as error:
                trouble.append(f"{name}: {type(error).__name__}: {error}")
            return user.clicks

    trouble: list[str] = []
    clicks = await asyncio.gather(*(one(name, link) for name, link in links))
    return [click for mine in clicks for click in mine], trouble


def in_chromium(link: str, begins: float, ends: float) -> list[Click]:
    """The same work in a real browser; for a process of its own."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(link)
        page.get_by_role("button", name="Start").click()
        arrival(page, OurApp.at, lambda at: f"({at})() === 1")
        clicks = list(_browse(page, begins, ends))
        browser.close()
        return clicks


def _browse(page: Page, begins: float, ends: float) -> Iterable[Click]:
    dice, beat = draw(CHROMIUM_NAME), begins
    for place in range(1, ITEMS + 1):
        for question in (*TITLES, ""):
            time.sleep(max(0.0, beat - time.time()))
            beat += PACE
            if time.time() >= ends:
                return
            if question:
                choice = option(dice, question)
                yield Click(CHROMIUM_NAME, chosen(OurApp.option(page, question, choice)), place, question, choice, 0.0)
            else:
                sent = click(OurApp.next_button(page))
                shown = arrival(page, OurApp.at, lambda at, place=place: f"({at})() === {place + 1}")  # type: ignore[misc]
                yield Click(CHROMIUM_NAME, sent, place, "", 0, shown)


def load(app: OurApp, users: int = USERS, seconds: float = SECONDS) -> Loaded:
    """Let everybody work, then compare what they clicked with what is stored."""
    names = [f"user-{number:02d}" for number in range(1, users + 1)]
    links = list(zip(names, app.invite(names), strict=True))
    watcher = Commits(app.database)
    watcher.start()
    begins = time.time() + 10
    ends = begins + seconds
    used, started = app.server.processor(), time.time()
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        browsing = pool.submit(in_chromium, app.invite([CHROMIUM_NAME])[0], begins, ends) if CHROMIUM else None
        clicks, trouble = asyncio.run(crowd(app.server.url, links, begins, ends))
        used, seconds = app.server.processor() - used, time.time() - started
        clicks += browsing.result() if browsing else []
    time.sleep(SETTLE)
    commits, memory = watcher.stop(), app.server.memory()
    lost = sum(_lost(app, name, clicks) for name in {click.annotator for click in clicks})
    doubled = sum(app.doubled(name) for name in {click.annotator for click in clicks})
    return Loaded(clicks, commits, used, seconds, memory, lost, doubled, trouble)


def _lost(app: OurApp, name: str, clicks: Sequence[Click]) -> int:
    """How many of somebody's choices are not what is stored."""
    stored = app.stored(name)
    mine = [click for click in clicks if click.annotator == name and click.question]
    return sum(stored.get(click.position, {}).get(click.question) != click.option for click in mine)


def delays(clicks: Sequence[Click], commits: Sequence[Committed]) -> list[float]:
    """Milliseconds from each click to its commit. A click is answered by the first event of its kind after it."""
    waiting: defaultdict[tuple[str, bool], list[float]] = defaultdict(list)
    for commit in commits:
        if commit.kind in ("draft", "submitted", "revised"):
            waiting[commit.annotator, commit.kind != "draft"].append(commit.seen)
    found = []
    for one in sorted(clicks, key=lambda click: click.sent):
        seen = waiting[one.annotator, not one.question]
        while seen and seen[0] < one.sent:
            seen.pop(0)
        if seen:
            found.append(1000 * (seen.pop(0) - one.sent))
    return found
