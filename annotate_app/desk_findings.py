"""The findings of a planned analysis, as `polibias prereg run` wrote them, and their numbers as a reader sees them."""

from pathlib import Path

import msgspec

from annotate_app.desk_plans import PlanStatus, read
from polibias.errors import InputError

MOST_BYTES = 64_000_000
LEAST = 0.0005
"""Below this a share of a tenth of a percent would read as nothing."""


class Beside(msgspec.Struct, frozen=True):
    """Another interval of the same number."""

    method: str = ""
    low: float | None = None
    high: float | None = None
    reason: str = ""


class Cell(msgspec.Struct, frozen=True):
    """One number with its interval and n, or the reason why there is none."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    clusters: int = 0
    method: str = ""
    reason: str = ""
    beside: tuple[Beside, ...] = ()


class Column(msgspec.Struct, frozen=True):
    """A measure; `unit` is score, share or count and decides how a value is printed."""

    id: str
    title: str
    unit: str = "score"


class Row(msgspec.Struct, frozen=True):
    """What the row is about, by key, and one cell per column."""

    keys: dict[str, str]
    cells: dict[str, Cell]


class Table(msgspec.Struct, frozen=True):
    """One table of numbers."""

    id: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    caption: str = ""
    keys: tuple[str, ...] = ()


class Decided(msgspec.Struct, frozen=True):
    """What a row decides: the sentence that was planned for its outcome, and the rule that was fixed for it."""

    outcome: str
    said: str
    rule: str = ""
    keys: dict[str, str] = {}


class Result(msgspec.Struct, frozen=True):
    """One planned comparison."""

    id: str
    title: str
    role: str
    table: Table
    statistic: str = ""
    decisions: tuple[Decided, ...] = ()


class Deviation(msgspec.Struct, frozen=True):
    """What was done otherwise than planned, why, and when that was said."""

    what: str
    reason: str = ""
    at: str = ""


class Findings(msgspec.Struct, frozen=True):
    """Everything that a planned analysis came to, under one lock."""

    plan: str
    lock: str
    kind: str
    results: tuple[Result, ...]
    title: str = ""
    deviations: tuple[Deviation, ...] = ()
    methods: str = ""

    def of_role(self, *roles: str) -> list[Result]:
        """The results of these roles, in the plan's order."""
        return [one for one in self.results if one.role in roles]

    @property
    def others(self) -> list[Result]:
        """What the plan did not promise to test, whatever it is called."""
        return [one for one in self.results if one.role not in ("primary", "secondary")]


def findings_of(status: PlanStatus, start: Path) -> Findings | None:
    """A plan's findings, None if there are none; a relative path is one from `start`.

    Raises InputError, as one line, if they cannot be read, or are another plan's or another lock's.
    """
    if not status.findings:
        return None
    path = start / status.findings
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"{path.name}: larger than {MOST_BYTES:,} bytes; it is not shown")
        found = read(path.read_bytes(), Findings, path.name)
    except OSError as error:
        raise InputError(f"{path.name}: cannot be read ({error.strerror or error})") from None
    if not status.locked or (found.plan, found.lock) != (status.plan, status.lock):
        raise InputError("The findings that are there were computed under another lock. They are not shown.")
    return found


def number(value: float, unit: str) -> str:
    """A value with its unit's precision and a minus sign, as the report prints it."""
    if unit == "count":
        return f"{value:,.0f}".replace("-", "−")
    if unit == "share" and 0 < abs(value) < LEAST:
        return f"{100 * value:.2g}%".replace("-", "−")
    text = f"{100 * value:.1f}%" if unit == "share" else f"{value:.2f}"
    return text.removeprefix("-") if float(text.rstrip("%")) == 0 else text.replace("-", "−")


def value(cell: Cell, unit: str) -> str:
    """The number, or why there is none."""
    if cell.value is None:
        return f"not estimable: {cell.reason}" if cell.reason else "not estimable"
    return number(cell.value, unit)


def interval(cell: Cell | Beside, unit: str) -> str:
    """The interval in brackets, or why there is none; '' if nothing was to be there."""
    if cell.low is None or cell.high is None:
        return cell.reason
    return f"[{number(cell.low, unit)}, {number(cell.high, unit)}]"
