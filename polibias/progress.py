"""Progress for a person at a terminal, and one line per stage for a log."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


LINE_EVERY = 30.0


def say(text: str) -> None:
    """Print a line of progress. A reader that went away loses the lines, never the run."""
    try:
        print(text, flush=True)
    except OSError:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - open until the process ends


class QuietWatcher:
    """A line when a stage begins, one when it is done, and one every half minute between."""

    def __init__(self) -> None:
        self._name = ""
        self._total = self._begun = self._done = self._failed = 0
        self._started = self._spoken = 0.0

    def stage(self, name: str, total: int, done: int) -> None:
        self._name, self._total, self._begun, self._done, self._failed = name, total, done, done, 0
        self._started = self._spoken = time.monotonic()
        say(f"{name}: {total - done} to do{f', {done} already done' if done else ''}")

    def advance(self, good: int, failed: int) -> None:
        self._done += good + failed
        self._failed += failed
        now = time.monotonic()
        failures = f", {self._failed} failed" if self._failed else ""
        if self._done >= self._total:
            say(f"{self._name}: done in {now - self._started:.0f} s{failures}")
        elif now - self._spoken >= LINE_EVERY:
            self._spoken = now
            rate = (self._done - self._begun) / (now - self._started)
            left = (self._total - self._done) / rate
            said = f"{self._done} of {self._total}, {60 * rate:.1f} a minute, about {left:.0f} s left{failures}"
            say(f"{self._name}: {said}")

    def note(self, text: str) -> None:
        say(f"note: {text}")


class LiveWatcher:
    """A bar per stage with count, rate, time left and failures."""

    def __init__(self, progress: "Progress") -> None:
        self._progress = progress
        self._task: TaskID | None = None
        self._failed = 0

    def stage(self, name: str, total: int, done: int) -> None:
        self._failed = 0
        self._task = self._progress.add_task(name, total=total, completed=done, failed="")

    def advance(self, good: int, failed: int) -> None:
        if self._task is None:
            return
        self._failed += failed
        self._progress.update(
            self._task, advance=good + failed, failed=f"{self._failed} failed" if self._failed else ""
        )

    def note(self, text: str) -> None:
        self._progress.console.print(f"note: {text}", markup=False, highlight=False)


@contextmanager
def open_watcher(quiet: bool) -> Iterator[QuietWatcher | LiveWatcher]:
    """The live bar on a terminal, plain lines elsewhere."""
    if quiet or sys.stdout is None or not sys.stdout.isatty():
        yield QuietWatcher()
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )

    class Rate(ProgressColumn):
        """Calls per second or per minute, whichever reads better."""

        def render(self, task: "Task") -> str:
            speed = task.speed or 0.0
            return f"{speed:.1f}/s" if speed >= 1 or not speed else f"{60 * speed:.1f}/min"

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[failed]}", style="red"),
    )
    with Progress(*columns) as progress:
        yield LiveWatcher(progress)
