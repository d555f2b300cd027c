"""What `polibias prereg status` says of the plans of validation.

The desk opens no record and computes nothing: it starts that command, as it would be typed, and reads what it printed.
"""

import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, Any, NamedTuple, NoReturn, TypeVar

import msgspec

from annotate_app import settings
from polibias.domain.display import visible
from polibias.errors import InputError

COMMAND = (sys.executable, "-P", "-m", "polibias.cli")
"""The `polibias` that this desk belongs to; `-P`, so that no module is taken from the folder that it runs in."""

PATIENCE = 120
"""Seconds until a status is given up."""

FRESH = 4.0
"""Seconds for which a status is shown again without asking."""

LONGEST = 300
"""Signs of one line of output that are shown."""

NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
"""What a plan may be called. A file that holds no plan is listed too, under whatever it is called; it is never run."""

Counted = Annotated[int, msgspec.Meta(ge=0)]
Shape = TypeVar("Shape")


class HeldOut(msgspec.Struct, frozen=True):
    """How far the use of the held-out pairs has come: its state, the rounds of calibration, how often it was opened."""

    state: str
    round: Counted = 0
    rounds: Counted = 0
    openings: Counted = 0


class PairSet(msgspec.Struct, frozen=True):
    """One set of a plan's pairs: how many, the hash that fixes which, since when, and whether anybody may look."""

    name: str
    pairs: Counted
    hash: str = ""
    at: str = ""
    state: str = ""


class PlanStatus(msgspec.Struct, frozen=True):
    """One plan as it stands. `document` is Markdown; empty texts and None say that there is nothing yet."""

    plan: str
    title: str
    state: str
    question: str = ""
    file: str = ""
    project: str = ""
    locked_at: str = ""
    lock: str = ""
    anchored: tuple[str, ...] = ()
    held_out: HeldOut | None = None
    sets: tuple[PairSet, ...] = ()
    planned: Counted | None = None
    reached: Counted | None = None
    problems: tuple[str, ...] = ()
    document: str = ""
    findings: str = ""
    report: str = ""

    @property
    def locked(self) -> bool:
        """Whether the plan is fixed, and has a name that a command can be given."""
        return self.state in ("locked", "reported") and bool(self.lock) and NAME.fullmatch(self.plan) is not None


class Status(msgspec.Struct, frozen=True):
    """Every plan, and what is wrong with their locks as a whole."""

    plans: tuple[PlanStatus, ...] = ()
    problems: tuple[str, ...] = ()


def prereg(action: Sequence[str], folders: settings.Folders) -> list[str]:
    """The arguments of `polibias prereg ACTION…` on these folders."""
    where = (f"--{name}={folder}" for name, folder in folders.named().items())
    return [*COMMAND, "prereg", *action, *where]


def ask(folders: settings.Folders) -> Status:
    """Every plan's status. Raises InputError with the one line that the command ended with."""
    command = prereg(["status", "--json"], folders)
    try:
        done = subprocess.run(
            command, cwd=folders.start, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        raise InputError(f"polibias prereg status took longer than {PATIENCE} seconds; try it in a terminal") from None
    except OSError as error:
        raise InputError(f"polibias cannot be started: {error.strerror or error}") from None
    if done.returncode in (0, 1) and done.stdout.strip():
        return read(done.stdout, Status, "polibias prereg status")
    raise InputError(last_line(done.stderr.decode("utf-8", "replace")) or ended(done.returncode))


def ended(code: int) -> str:
    """What is said of a command that failed without a word."""
    return f"polibias ended with exit code {code} and said nothing; try the same command in a terminal"


def last_line(text: str) -> str:
    """The last line that says something, as it may be shown, or ''."""
    lines = [line for line in text.splitlines() if line.strip()]
    return " ".join(visible(lines[-1]).split())[:LONGEST] if lines else ""


def read(text: bytes, shape: type[Shape], what: str) -> Shape:
    """JSON as this shape; hidden characters become signs, further fields are left. Raises InputError naming `what`."""
    try:
        found = json.loads(text, parse_constant=_no_number)
        return msgspec.convert(_shown(found), type=shape)
    except (ValueError, RecursionError) as error:  # msgspec's own errors are ValueErrors
        raise InputError(f"{what}: not the JSON that was expected ({last_line(str(error))})") from None


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


def _shown(found: Any) -> Any:
    """The same values with texts that a browser can be sent."""
    if isinstance(found, dict):
        return {visible(name): _shown(value) for name, value in found.items()}
    if isinstance(found, list):
        return [_shown(value) for value in found]
    return visible(found) if isinstance(found, str) else found


class _Seen(NamedTuple):
    at: float
    status: Status
    problem: str


class Plans:
    """The plans of one process's folders, asked for at most every few seconds. Safe to share between threads."""

    def __init__(
        self,
        folders: settings.Folders,
        clock: Callable[[], float] = time.monotonic,
        asked: Callable[[settings.Folders], Status] = ask,
    ) -> None:
        self.folders = folders
        self._clock, self._asked = clock, asked
        self._turn = threading.Lock()
        self._seen: _Seen | None = None

    def status(self, anew: bool = False) -> Status:
        """Every plan; `anew` asks whatever was seen before. Raises InputError with the one line that says why not."""
        with self._turn:
            if anew or self._seen is None or self._clock() - self._seen.at > FRESH:
                self._seen = self._look()
            seen = self._seen
        if seen.problem:
            raise InputError(seen.problem)
        return seen.status

    def forget(self) -> None:
        """Ask again next time."""
        with self._turn:
            self._seen = None

    def _look(self) -> _Seen:
        try:
            status, problem = self._asked(self.folders), ""
        except InputError as error:
            status, problem = Status(), str(error)
        return _Seen(self._clock(), status, problem)


@cache
def shared_plans() -> Plans:
    """The plans in the folders that this process was started with."""
    return Plans(settings.folders())
