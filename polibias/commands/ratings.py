"""Commands that work on ratings: agreement."""

import argparse
from pathlib import Path

from polibias.commands.shapes import SEED, Commands, resamples
from polibias.errors import InputError

LEVELS = ("nominal", "ordinal", "interval", "ratio")


def add(commands: Commands) -> None:
    """Add the commands of this module."""
    _add_agreement(commands)


def _add_agreement(commands: Commands) -> None:
    agreement = commands.add_parser("agreement", help="agreement between raters in a CSV, JSONL or Parquet file")
    agreement.add_argument("file", type=Path, metavar="FILE", help="one rating per line, or exported annotation rows")
    agreement.add_argument("--unit", default="", metavar="C", help="column that names what is rated")
    agreement.add_argument("--rater", default="", metavar="C", help="column that names who rates")
    agreement.add_argument("--value", default="", metavar="C", help="column with the rating")
    agreement.add_argument("--wide", default="", metavar="C,C", help="one column per rater instead of the two above")
    agreement.add_argument("--cluster", default="", metavar="C", help="column whose values are resampled (the unit)")
    agreement.add_argument(
        "--where", action="append", default=[], metavar="C=V", help="only rows with this value in this column"
    )
    agreement.add_argument(
        "--categories", default="0,1,2,3", metavar="LIST", help="the whole scale, lowest first; numbers or words"
    )
    agreement.add_argument("--level", choices=LEVELS, default="ordinal", help="what the scale is (default: ordinal)")
    agreement.add_argument("--resamples", type=resamples, default=10_000, metavar="N", help="bootstrap resamples")
    agreement.add_argument("--seed", type=int, default=SEED, metavar="N", help="bootstrap seed")
    agreement.add_argument("--cross-check", action="store_true", help="print other libraries' values beside ours")
    agreement.add_argument("--json", action="store_true", help="print JSON")
    agreement.set_defaults(command=agreement_command)


def _condition(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise InputError(f"--where {text}: write it as column=value, such as dimension=framing")
    return name, value


def agreement_command(options: argparse.Namespace) -> int:
    import json
    import sys

    from polibias.analysis import ratings
    from polibias.analysis.crosscheck import crosscheck
    from polibias.sources.ratings import Columns, read_scale

    scale = read_scale(options.categories)
    raters = tuple(part.strip() for part in options.wide.split(",") if part.strip())
    columns = Columns(
        options.unit, options.rater, options.value, options.cluster, raters, tuple(map(_condition, options.where))
    )
    table = ratings.read_any(options.file, columns, scale)
    found = ratings.agreement_of(table, scale, options.level, options.resamples, options.seed)
    checks = crosscheck(found.estimates, ratings.ratings_of(table, scale)) if options.cross_check else None
    for line in ratings.opened(options.file):
        print(line, file=sys.stderr if options.json else sys.stdout)
    if options.json:
        printed = {name: estimate.as_json() for name, estimate in found.estimates.items()}
        for check in checks or ():
            printed[check.name]["cross_check"] = {"library": check.library, "value": check.theirs}
        print(json.dumps(printed, indent=2))
    else:
        print(ratings.as_text(found, checks))
    return 0 if checks is None or all(check.agrees for check in checks) else 1
