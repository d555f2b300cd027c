"""Commands on a plan of validation: sample."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from polibias.commands.shapes import Commands

if TYPE_CHECKING:
    from polibias.domain.sample import Sample


def add(commands: Commands) -> None:
    """Add the commands of this module."""
    sample = commands.add_parser("sample", help="draw the response pairs that a plan of validation gives to people")
    sample.add_argument("plan", metavar="PLAN", help="a plan file, or the name of one in prereg/")
    sample.add_argument(
        "--runs", type=Path, default=Path("runs"), metavar="DIR", help="where runs are kept (default: runs)"
    )
    sample.add_argument("--json", action="store_true", help="print JSON")
    sample.set_defaults(command=sample_command)


def sample_command(options: argparse.Namespace) -> int:
    """A plan is drawn once: a sample that is there is kept, and must be what would be drawn."""
    import json

    import msgspec

    from polibias.analysis.sampled import draw_sample
    from polibias.domain.ids import canonical, plain
    from polibias.domain.sample import SAMPLE_TAG
    from polibias.errors import InputError
    from polibias.records.documents import write_named
    from polibias.records.runs import find_run
    from polibias.sources.plans import find_plan, read_excluded, read_plan, read_sample, sample_path

    path = find_plan(options.plan)
    plan, out = read_plan(path), sample_path(path)
    ids, files = read_excluded(plan.sample.exclude, path.parent)
    drawn = draw_sample(find_run(plan.run, options.runs), plan, ids, files)
    if out.exists():
        before, name = read_sample(out)
        if canonical(plain(before)) != canonical(plain(drawn)):
            raise InputError(
                f"{out}: was drawn by another plan or from another state of the run; give the changed plan another id"
            )
    else:
        name = write_named(out, SAMPLE_TAG, plain(drawn))
    print(json.dumps({**msgspec.to_builtins(drawn), "hash": name}, indent=2) if options.json else _told(drawn, name))
    if not options.json:
        print(f"{out}: {len(drawn.pairs)} pairs")
    return 0


def _told(drawn: "Sample", name: str) -> str:
    """The sample as a table."""
    rules = {stratum.name: stratum.rule for stratum in drawn.rule.strata}
    rows = [("stratum", "rule", "pairs", "of", "effective n")]
    rows += [
        (one.name, rules[one.name], f"{one.pairs:,}", f"{one.pool:,}", f"{one.effective_n:.1f}") for one in drawn.strata
    ]
    rows.append(("all", "", f"{len(drawn.pairs):,}", f"{drawn.eligible:,}", f"{drawn.effective_n:.1f}"))
    widths = [max(len(row[n]) for row in rows) for n in range(5)]
    lines = [
        "  ".join(
            cell.ljust(width) if n < 2 else cell.rjust(width)
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    left = [f"left out: {count:,} {reason}" for reason, count in sorted(drawn.left_out.items())]
    return "\n".join((*lines, *left, f"hash: {name}"))
