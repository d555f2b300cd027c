"""Commands that work on the data folder: lint, import."""

import argparse
import sys
from pathlib import Path

from polibias.commands.shapes import Commands, one_line
from polibias.errors import InputError


def add(commands: Commands) -> None:
    """Add the commands of this module."""
    _add_lint(commands)
    _add_import(commands)


def _add_lint(commands: Commands) -> None:
    lint = commands.add_parser("lint", help="check the data folder: every mistake at once, with file and line")
    lint.add_argument("what", choices=["data"], help="what to check")
    lint.add_argument("--data", type=Path, metavar="DIR", help="the data folder (default: data, or the packaged one)")
    lint.set_defaults(command=lint_command)


def _add_import(commands: Commands) -> None:
    bring = commands.add_parser("import", help="bring pairs of prompts of your own")
    bring.add_argument("what", choices=["pairs"], help="what to import")
    bring.add_argument("file", type=Path, metavar="FILE", help="a CSV file with a header and one pair per row")
    bring.add_argument(
        "--map",
        required=True,
        action="append",
        metavar="MAP",
        help="which column holds what, as field=column,...; needed: prompt_a and prompt_b; "
        "also id, template, category, topic, topic_category, task, block, acting_a, acting_b",
    )
    bring.add_argument("--id", metavar="NAME", help="the set's name in studies (default: the file's name)")
    bring.add_argument("--title", default="", help="what the set is")
    bring.add_argument("--credit", default="", help="who made it, and its licence; kept with the set")
    bring.add_argument("--skip-invalid", action="store_true", help="leave bad rows out, name them, import the others")
    bring.add_argument("--data", type=Path, metavar="DIR", help="the data folder (default: data)")
    bring.set_defaults(command=import_command)


def lint_command(options: argparse.Namespace) -> int:
    from polibias.inspection import inspect
    from polibias.sources.files import data_folder

    found = inspect(options.data or data_folder())
    print("\n".join(map(one_line, found.problems or found.summary)))
    return 1 if found.problems else 0


def import_command(options: argparse.Namespace) -> int:
    from polibias.sources.files import data_folder
    from polibias.sources.imports import read_pairs, slug
    from polibias.sources.pairsets import as_pair_set, write_pair_set

    imported = read_pairs(options.file, _columns(",".join(options.map)), options.skip_invalid)
    for line in (*imported.notes, *imported.problems):
        print(one_line(line), file=sys.stderr)
    if not imported.pairs:
        raise InputError(f"{options.file}: nothing was imported; mend the lines above, or see --skip-invalid")
    pair_set = as_pair_set(imported, options.id or slug(options.file.stem), options.title, options.credit)
    folder = options.data or data_folder()
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder")
    place = write_pair_set(folder, pair_set)
    left_out = f", {len(pair_set.left_out)} left out" if pair_set.left_out else ""
    print(f'{place}: {len(pair_set.pairs)} pairs{left_out}; name it in a study: pair_set = "{pair_set.id}"')
    return 0


def _columns(text: str) -> dict[str, str]:
    """`field=column,...`; a column's name may hold an equals sign but no comma."""
    found: dict[str, str] = {}
    for part in text.split(","):
        field, equals, column = part.partition("=")
        if not equals or field.strip() in found:
            raise InputError(f"--map: '{part}' must be field=column, and each field named once")
        found[field.strip()] = column.strip()
    return found
