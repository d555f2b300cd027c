"""Findings: tables of estimates, each cell naming the cases it was computed from."""

from typing import Any

import msgspec

from polibias.domain.value import Value


class Column(Value, frozen=True):
    """A column of a table; `unit` is score, share or count and decides how a value is printed."""

    id: str
    title: str
    unit: str


class Beside(Value, frozen=True):
    """Another interval of the same number."""

    method: str
    low: float | None
    high: float | None
    reason: str


class Cell(Value, frozen=True):
    """One number with its interval and n, or the reason why there is none; `where` selects its cases.

    `beside`, `detectable` and `effective_n` are those of the estimate it prints.
    """

    value: float | None
    n: int
    clusters: int
    method: str
    low: float | None
    high: float | None
    reason: str
    beside: tuple[Beside, ...] = ()
    detectable: float | None = None
    effective_n: float | None = None
    where: dict[str, str] = {}


class TableRow(Value, frozen=True):
    """What the row is about, by key, and one cell per column."""

    keys: dict[str, str]
    cells: dict[str, Cell]


class Table(Value, frozen=True):
    """One table of the report."""

    id: str
    title: str
    caption: str
    keys: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: tuple[TableRow, ...]

    @property
    def telling(self) -> list[str]:
        """The keys by which rows differ; the last where there is none."""
        return [key for key in self.keys if len({row.keys[key] for row in self.rows}) > 1] or list(self.keys[-1:])


class Planned(Value, frozen=True):
    """Findings of a locked plan that a report took over, named by their hash; `labels` says what these were held for.

    `decided` and `deviations` are sentences. The numbers stand in tables whose rows name the plan.
    """

    plan: str
    title: str
    question: str
    findings: str
    lock: str
    locked_at: str
    published: tuple[str, ...]
    labels: str
    facts: dict[str, str]
    methods: str
    decided: tuple[str, ...]
    deviations: tuple[str, ...]


class Findings(Value, frozen=True):
    """Everything the report prints, computed from sealed records alone. `about` says what each condition asked.

    `people` are the planned findings on agreement with people, which are taken over and not computed.
    """

    study: str
    title: str
    index: str
    about: dict[str, str]
    caution: str
    manifest: str
    facts: dict[str, str]
    models: tuple[dict[str, str], ...]
    judges: tuple[dict[str, str], ...]
    tables: tuple[Table, ...]
    notes: tuple[str, ...]
    summary: tuple[str, ...]
    not_shown: tuple[str, ...]
    titles: dict[str, str]
    scales: dict[str, tuple[int, int]]
    people: tuple[Planned, ...] = ()


def as_json(findings: Findings) -> Any:
    return msgspec.to_builtins(findings)
