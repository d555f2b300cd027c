"""The planned analysis as the desk starts it: `polibias prereg run PLAN` in a process of its own, one at a time."""

import atexit
import subprocess
import threading
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import IO, Any, NamedTuple

from annotate_app.desk_plans import ended, last_line

LONGEST_LINE = 4096


class Analysis(NamedTuple):
    """The latest analysis: of which plan ('' if there was none), its last line, and the line it failed with, or ''."""

    plan: str = ""
    running: bool = False
    said: str = ""
    failed: str = ""


class Analyst:
    """Runs one command at a time and remembers how the last one ended. Safe to share between threads."""

    def __init__(self) -> None:
        self._turn = threading.Condition()
        self._now = Analysis()
        self._process: subprocess.Popen[str] | None = None

    @property
    def now(self) -> Analysis:
        """The latest analysis as it stands."""
        return self._now

    def start(self, plan: str, command: Sequence[str], folder: Path) -> bool:
        """Start a plan's analysis in this folder; False, and nothing is started, while another one runs."""
        with self._turn:
            if self._now.running:
                return False
            self._now = Analysis(plan, running=True)
        threading.Thread(target=self._follow, args=(command, folder), daemon=True).start()
        return True

    def wait(self, until: Callable[[Analysis], bool]) -> Analysis:
        """Wait until this holds of the latest analysis."""
        with self._turn:
            self._turn.wait_for(lambda: until(self._now))
            return self._now

    def end(self) -> None:
        """End what still runs, with the desk."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()

    def _follow(self, command: Sequence[str], folder: Path) -> None:
        try:
            failed = self._heard(command, folder)
        except OSError as error:
            failed = f"polibias cannot be started: {error.strerror or error}"
        self._tell(running=False, failed=failed)

    def _heard(self, command: Sequence[str], folder: Path) -> str:
        """Listen to a command until it has ended; why it failed, or ''."""
        pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
        complaint: list[str] = []
        with subprocess.Popen(
            command, cwd=folder, stdin=nothing, stdout=pipe, stderr=pipe, text=True, encoding="utf-8", errors="replace"
        ) as process:
            self._process = process
            assert process.stdout
            assert process.stderr
            aside = threading.Thread(target=self._listen, args=(process.stderr, complaint), daemon=True)
            aside.start()
            self._listen(process.stdout, [])
            aside.join()
        code = process.returncode
        return "" if code == 0 else "".join(complaint) or ended(code)

    def _listen(self, stream: IO[str], kept: list[str]) -> None:
        """Say each line as it comes; `kept` holds the last one. A line without end is read in parts."""
        for text in iter(partial(stream.readline, LONGEST_LINE), ""):
            if line := last_line(text):
                kept[:] = [line]
                self._tell(said=line)

    def _tell(self, **changed: Any) -> None:
        with self._turn:
            self._now = self._now._replace(**changed)
            self._turn.notify_all()


@cache
def shared_analyst() -> Analyst:
    """The one analyst of this process; what it runs ends with the process."""
    analyst = Analyst()
    atexit.register(analyst.end)
    return analyst
