"""Commands on a plan of validation: sample, split."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from polibias.commands.shapes import Commands

if TYPE_CHECKING:
    from polibias.domain.sample import Sample, Split


def add(commands: Commands) -> None:
    """Add the commands of this module."""
    sample = commands.add_parser("sample", help="draw the response pairs that a plan of validation gives to people")
    _add_plan(sample)
    sample.set_defaults(command=sample_command)
    split = commands.add_parser("split", help="split a drawn sample into pairs for calibration and pairs held out")
    _add_plan(split)
    split.set_defaults(command=split_command)


def _add_plan(command: argparse.ArgumentParser) -> None:
    command.add_argument("plan", metavar="PLAN", help="a plan file, or the name of one in prereg/")
    command.add_argument(
        "--runs", type=Path, default=Path("runs"), metavar="DIR", help="where runs are kept (default: runs)"
    )
    command.add_argument("--json", action="store_true", help="print JSON")


def sample_command(options: argparse.Namespace) -> int:
    """A plan is drawn once: a sample that is there is kept, and must be what would be drawn."""
    import json

    import msgspec

    from polibias.analysis.sampled import draw_sample, sample_rule
    from polibias.records.runs import find_run
    from polibias.records.samples import keep_sample, read_excluded, sample_path
    from polibias.sources.plans import find_plan, read_plan

    path = find_plan(options.plan)
    plan, out = read_plan(path), sample_path(path)
    drawn = draw_sample(find_run(plan.run, options.runs), plan, *read_excluded(sample_rule(plan).exclude, path.parent))
    name = keep_sample(out, drawn)
    if options.json:
        print(json.dumps({**msgspec.to_builtins(drawn), "hash": name}, indent=2))
    else:
        print("\n".join((*_table(drawn), f"{out}: {len(drawn.pairs)} pairs, hash {name}")))
    return 0


def split_command(options: argparse.Namespace) -> int:
    """A sample is split once. Exit code 1 if responses of both sets are nearly the same."""
    import json

    import msgspec

    from polibias.analysis.divided import divide_sample
    from polibias.errors import InputError
    from polibias.records.runs import find_run
    from polibias.records.samples import keep_split, read_sample, sample_path, split_path
    from polibias.sources.plans import find_plan, read_plan

    path = find_plan(options.plan)
    plan, out = read_plan(path), split_path(path)
    if plan.split is None:
        raise InputError(f"{path}: has no [split]; say how many pairs are for calibration")
    if not sample_path(path).exists():
        raise InputError(f"{sample_path(path)}: no sample yet; draw it with polibias sample {options.plan}")
    sample, sampled = read_sample(sample_path(path))
    made = divide_sample(find_run(plan.run, options.runs), sample, sampled, plan.split)
    name = keep_split(out, made)
    if options.json:
        print(json.dumps({**msgspec.to_builtins(made), "hash": name}, indent=2))
    else:
        print("\n".join((*_told(made), f"{out}: hash {name}")))
    return 1 if made.alike else 0


def _told(made: "Split") -> list[str]:
    """The sizes of the sets, and what they share."""
    sizes = f"calibration {len(made.calibration)} pairs, held out {len(made.held_out)}, in neither {len(made.left)}"
    copies = sum(len(found) for found in made.copies.values())
    shared = f"templates in both sets: {len(made.templates)}; copies that go where their pair goes: {copies}"
    alike = [
        f"alike: {one.calibration[:12]} and {one.held_out[:12]}, as answered by {one.model}, share {one.share:.0%}"
        for one in made.alike
    ]
    return [sizes, shared, *alike]


def _table(drawn: "Sample") -> list[str]:
    """How the strata came out, and what was left out."""
    rules = {stratum.name: stratum.rule for stratum in drawn.rule.strata}
    rows = [("stratum", "rule", "pairs", "of", "effective n")]
    rows += [
        (one.name, rules[one.name], f"{one.pairs:,}", f"{one.pool:,}", f"{one.effective_n:.1f}") for one in drawn.strata
    ]
    rows.append(("all", "", f"{len(drawn.pairs):,}", f"{drawn.eligible:,}", f"{drawn.effective_n:.1f}"))
    a, b, *figures = (max(len(row[n]) for row in rows) for n in range(len(rows[0])))
    lines = []
    for name, rule, *cells in rows:
        right = (cell.rjust(width) for cell, width in zip(cells, figures, strict=True))
        lines.append("  ".join((name.ljust(a), rule.ljust(b), *right)))
    return [*lines, *(f"left out: {count:,} {reason}" for reason, count in sorted(drawn.left_out.items()))]
