"""A real `serve` process on a free port and a headless Chromium in front of it."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect, sync_playwright

from annotate_app.enrolment import invite
from annotate_app.store import Store
from polibias.domain.rubric import Rubric
from tests.app.conftest import MODELS, ROOT, RUBRIC, SHORT, SMALL, Place, Topic, annotator_id, make_project

CHROMIUM = os.environ.get("POLIBIAS_CHROMIUM") or shutil.which("chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PATIENCE = 20_000


class Server:
    """The app of one project, started as a person would start it."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.port = _free_port()
        self._process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @cached_property
    def store(self) -> Store:
        return self.place.store

    def start(self) -> None:
        """Return once the app has said where it is and answers there."""
        command = [sys.executable, "-m", "annotate_app.cli", "serve", "first", "--port", str(self.port)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        with (self.place.folder / "stderr.txt").open("ab") as stderr:
            self._process = subprocess.Popen(
                command, cwd=self.place.folder, env=environment, stdout=subprocess.PIPE, stderr=stderr, text=True
            )
        assert self._process.stdout
        said = self._process.stdout.readline()
        assert self.url in said, said + self.complaints
        with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=30) as answer:
            assert answer.read() == b"ok"

    def stop(self, how: int = signal.SIGKILL) -> int:
        """End the app by a signal and return its exit code."""
        assert self._process
        self._process.send_signal(how)
        code = self._process.wait(30)
        assert self._process.stdout
        self._process.stdout.close()
        return code

    @property
    def complaints(self) -> str:
        return (self.place.folder / "stderr.txt").read_text("utf-8")

    def invite(self, name: str) -> str:
        """A personal link."""
        with self.store.writing() as session:
            return invite(session, self.store, [name], self.url)[0].link

    def run_command(self, *arguments: str) -> str:
        """What `polibias-annotate` prints, run in the project's folder."""
        done = subprocess.run(
            [sys.executable, "-m", "annotate_app.cli", *arguments],
            cwd=self.place.folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One app for a module's tests, with a small rubric; each test brings annotators of its own."""
    with serving(tmp_path_factory.mktemp("app"), SHORT, rubric=SMALL) as server:
        yield server


@contextmanager
def serving(
    folder: Path, topics: Sequence[Topic], models: Sequence[str] = MODELS[:1], rubric: Rubric = RUBRIC
) -> Iterator[Server]:
    """An app on a project made from these topics."""
    server = Server(make_project(folder, topics, models, rubric))
    try:
        server.start()
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Closed with its module: while Playwright runs, no other test in this process could use asyncio."""
    if not CHROMIUM:
        pytest.skip("no chromium here: install Debian's chromium or set POLIBIAS_CHROMIUM to one")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser without a past."""
    expect.set_options(timeout=PATIENCE)
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    yield context
    context.close()


class Desk(NamedTuple):
    """One annotator's window."""

    page: Page
    server: Server
    name: str

    @property
    def number(self) -> int:
        return annotator_id(self.server.store, self.name)

    def at(self, position: int, total: int = len(SHORT)) -> None:
        """Wait until this pair, and only this pair, is on the screen."""
        expect(self.page.get_by_role("heading", level=1, name=f"Pair {position} of {total}")).to_be_visible()
        place = self.server.store.places(self.number)[position - 1]
        code = self.server.store.view(place).item.code
        expect(self.page.locator(f".st-key-{code}-{place.revision}-submit")).to_be_visible()
        expect(self.submit_button).to_have_count(1)

    @property
    def submit_button(self) -> Locator:
        return self.page.get_by_role("button", name=re.compile("^Submit"))

    def score_of(self, title: str) -> Locator:
        return self._only("radiogroup", f"{title}: {self.server.store.rubric.form.scale_question}")

    def favoured_in(self, title: str) -> Locator:
        return self._only("radiogroup", f"{title}: {self.server.store.rubric.favoured.question}")

    def option(self, question: str, number: int) -> Locator:
        """The option at this place of a question."""
        return self._only("radiogroup", question).locator("label", has=self.page.get_by_role("radio")).nth(number - 1)

    def _only(self, role: Any, name: str) -> Locator:
        """The one element of that name: for a moment after Submit the old form stands beside the new one."""
        found = self.page.get_by_role(role, name=name)
        expect(found).to_have_count(1)
        return found

    @property
    def titles(self) -> list[str]:
        return [dimension.title for dimension in self.server.store.rubric.dimensions]

    def score(self, title: str, value: int) -> None:
        self.score_of(title).locator("label", has_text=f"{value} ").click()

    def favour(self, title: str, shown: int) -> None:
        """Choose the first or second country, or 3 for None."""
        self.favoured_in(title).locator("label", has=self.page.get_by_role("radio")).nth(shown - 1).click()

    def fill(self, value: int = 2, shown: int = 1) -> None:
        for title in self.titles:
            self.score(title, value)
            self.favour(title, shown)
        self.saved(len(self.titles))

    def saved(self, answered: int) -> None:
        """Wait until the page says that so many dimensions are stored."""
        expect(self.page.get_by_text(f"Saved: {answered} of {len(self.titles)} dimensions")).to_be_visible()

    def submit(self) -> None:
        self.submit_button.click()


def enter(context: BrowserContext, server: Server, name: str) -> Desk:
    """Follow a personal link up to the first pair."""
    page = context.new_page()
    page.goto(server.invite(name))
    page.get_by_role("button", name="Start").click()
    page.wait_for_url(server.url + "/")
    return Desk(page, server, name)
