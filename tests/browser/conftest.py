"""A real `serve` process on a free port and a headless Chromium in front of it."""

import os
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

from annotate_app.enrolment import invite
from annotate_app.protocol import AnnotationProtocol
from annotate_app.store import Store
from polibias.domain.rubric import Rubric
from tests.app.conftest import MODELS, ROOT, RUBRIC, SHORT, SMALL, WITHOUT_TERMS, Place, Topic, free_port, make_project

CHROMIUM = os.environ.get("POLIBIAS_CHROMIUM") or shutil.which("chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PATIENCE = 60_000
"""Milliseconds until a wait is given up: a machine shared with others may be slow, and no test measures time."""


class Server:
    """The app of one project, started as a person would start it."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.port = free_port()
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

    def signal(self, number: int) -> None:
        """Send the app a signal and leave it running."""
        assert self._process
        self._process.send_signal(number)

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


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One app for a module's tests, with a small rubric; each test brings annotators of its own."""
    with serving(tmp_path_factory.mktemp("app"), SHORT, rubric=SMALL) as server:
        yield server


@contextmanager
def serving(
    folder: Path,
    topics: Sequence[Topic],
    models: Sequence[str] = MODELS[:1],
    rubric: Rubric = RUBRIC,
    protocol: AnnotationProtocol = WITHOUT_TERMS,
) -> Iterator[Server]:
    """An app on a project made from these topics."""
    server = Server(make_project(folder, topics, models, rubric, protocol))
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
    context = new_context(browser)
    yield context
    context.close()


DESKTOP = (1280, 900)
PHONE = (360, 740)


def new_context(browser: Browser, size: tuple[int, int] = DESKTOP, **wishes: Any) -> BrowserContext:
    """A browser of its own with a window of this size in CSS pixels."""
    expect.set_options(timeout=PATIENCE)
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce", **wishes)
    context.set_default_timeout(PATIENCE)
    return context
