"""Reading declared files: one TOML file into one frozen value, with errors that name file and place."""

import difflib
import math
import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

import msgspec

from polibias.errors import InputError

T = TypeVar("T")


def read_text(path: Path) -> str:
    """A UTF-8 text file; a byte-order mark is dropped, anything else that is not UTF-8 is an InputError."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError as error:
        if not isinstance(error, UnicodeDecodeError):
            raise InputError(f"{str(path)!a}: no file can have this name") from None
        raise InputError(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8") from None


def read_toml(path: Path, kind: type[T]) -> T:
    """The file as one value of type `kind`; unknown or missing fields are errors."""
    try:
        value = tomllib.loads(read_text(path))
        if place := _not_a_number(value):
            raise InputError(f"{path}: {place} is no number that can be computed with; write a finite one")
        return msgspec.convert(value, type=kind)
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: {readable(str(error))}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not valid TOML: {error}") from None


def _not_a_number(value: object, place: str = "") -> str:
    """The first place of a value that holds nan or inf, '' for none: TOML has them, no record can."""
    parts: list[tuple[str, object]] = []
    if isinstance(value, dict):
        parts = [(f"{place}.{name}".strip("."), part) for name, part in value.items()]
    elif isinstance(value, list):
        parts = [(f"{place} number {number}", part) for number, part in enumerate(value, start=1)]
    elif isinstance(value, float) and not math.isfinite(value):
        return place
    return next((found for where, part in parts if (found := _not_a_number(part, where))), "")


def readable(message: str) -> str:
    """msgspec's message with its JSON path said as a place in the file."""
    text, _, place = message.partition(" - at `$.")
    place = re.sub(r"\[(\d+)\]", lambda match: f" number {int(match[1]) + 1}", place.rstrip("`")).replace("[...]", "")
    return f"{text} (at {place})" if place else text


def toml_files(folder: Path) -> list[Path]:
    """The folder's TOML files in name order; an empty or missing folder is an InputError."""
    found = sorted(path for path in folder.glob("*.toml") if not path.name.startswith("."))
    if not found:
        raise InputError(f"{folder}: no .toml file in this folder")
    return found


def no_such(what: str, name: str, known: Iterable[str], where: str) -> InputError:
    """The error for an unknown name, with the nearest known ones."""
    near = difflib.get_close_matches(name, list(known), n=3)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return InputError(f"{where}: unknown {what} '{name}'{hint}")


def data_folder(start: Path | None = None) -> Path:
    """The folder that holds rubrics, scenarios, countries and prompts.

    Looked for in the current directory, beside the source checkout, then inside the installed package.
    """
    package = Path(__file__).resolve().parent.parent
    for folder in ((start or Path.cwd()) / "data", package.parent / "data", package / "_data"):
        if (folder / "rubrics").is_dir():
            return folder
    raise InputError("no data folder found; run from the project's folder or name one with --data")
