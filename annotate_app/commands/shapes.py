"""Shapes that several commands share: options, how they are read, and how a table is printed."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

PORTS = range(1, 65536)


def add_project(command: argparse.ArgumentParser) -> None:
    """The project's name, and where projects are."""
    command.add_argument("project", metavar="PROJECT", help="the project's name")
    add_projects(command)


def add_projects(command: argparse.ArgumentParser) -> None:
    """Where projects are."""
    command.add_argument(
        "--projects", type=Path, default=Path("projects"), metavar="DIR", help="where projects are (default: projects)"
    )


def bounded(text: str, allowed: range, wanted: str) -> int:
    """A whole number as an option's value."""
    if not (text.isascii() and text.isdecimal() and int(text) in allowed):
        raise argparse.ArgumentTypeError(f"{text!a} is not {wanted}")
    return int(text)


def port(text: str) -> int:
    """A port as an option's value."""
    return bounded(text, PORTS, "a port from 1 to 65535")


def counted(number: int, word: str) -> str:
    """`1 link`, `2 links`."""
    return f"{number} {word}{'' if number == 1 else 's'}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Lines of aligned columns; those whose places are in `right` end together."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    return ["  ".join(_aligned(row, widths, right)).rstrip() for row in (head, *rows)]


def _aligned(row: Sequence[str], widths: Sequence[int], right: Sequence[int]) -> list[str]:
    cells = zip(row, widths, strict=True)
    return [text.rjust(width) if place in right else text.ljust(width) for place, (text, width) in enumerate(cells)]


def add_sealed(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--sealed", type=Path, default=Path("sealed"), metavar="DIR", help="where sealed files are (default: sealed)"
    )


def add_runs(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--runs", type=Path, default=Path("runs"), metavar="DIR", help="where runs are (default: runs)"
    )
