"""The `polibias` command: parses, calls, prints. Everything heavy is imported where it is used."""

import argparse
import contextlib
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from polibias import __version__
from polibias.errors import InputError, PoliBiasError

INTERRUPTED = 130
TRACEBACK = "POLIBIAS_TRACEBACK"
FEWEST_RESAMPLES, MOST_RESAMPLES = 100, 1_000_000
LARGEST = 1e6
STAGES = ("build", "generate", "judge", "seal", "report")

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 1 does not hold, 2 bad input, 3 stopped by a provider."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    options = parser().parse_args(arguments)
    try:
        code = int(options.command(options))
        if sys.stdout:
            sys.stdout.flush()
        return code
    except PoliBiasError as error:
        return _fail(str(error), error.exit_code)
    except KeyboardInterrupt:
        return _fail("stopped; what was answered is stored, the same command goes on", INTERRUPTED)
    except BrokenPipeError:
        _drop_stdout()
        return _fail("the reader of this output went away before the end", InputError.exit_code)
    except OSError as error:
        _drop_stdout()
        return _fail(f"{error.filename or 'the system'}: {error.strerror or error}", InputError.exit_code)
    except Exception as error:
        if os.environ.get(TRACEBACK):
            raise
        kind = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        return _fail(f"a fault in polibias ({kind}); set {TRACEBACK}=1 and report what it prints", InputError.exit_code)


def _fail(message: str, code: int) -> int:
    """Say what is wrong in one line, wherever it can still be said."""
    with contextlib.suppress(OSError, ValueError):
        print(f"polibias: {_one_line(message)}", file=sys.stderr)
    return code


def _drop_stdout() -> None:
    """Send what is still buffered nowhere, so that the interpreter's end does not stumble over it again."""
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - open until the process ends


def _one_line(text: str) -> str:
    return " ".join("".join(character if character.isprintable() else " " for character in text).split())


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top = argparse.ArgumentParser(
        prog="polibias",
        formatter_class=lambda prog: argparse.HelpFormatter(prog, max_help_position=28),
        description="Audit whether language models treat countries even-handedly, and validate the judge that says so.",
        epilog="Exit codes: 0 done, 1 the checked thing does not hold, 2 bad input or usage, 3 stopped by a provider.",
    )
    top.add_argument("--version", action="version", version=f"polibias {__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_run(commands)
    _add_verify(commands)
    _add_report(commands)
    _add_agreement(commands)
    _add_estimate(commands)
    _add_lint(commands)
    _add_import(commands)
    return top


def _add_run(commands: Commands) -> None:
    run = commands.add_parser("run", help="ask, judge, seal and report a study; run it again to go on after a stop")
    run.add_argument("study", metavar="STUDY", help="a study file, or the name of one in studies/")
    run.add_argument("--stage", choices=STAGES, default=STAGES[-1], help="stop after this stage")
    run.add_argument(
        "--runs", type=Path, default=Path("runs"), metavar="DIR", help="where runs are kept (default: runs)"
    )
    run.add_argument("--panel", default="", metavar="PANEL", help="who answers and judges, in place of the study's own")
    run.add_argument("--data", type=Path, metavar="DIR", help="the data folder (default: data, or the packaged one)")
    run.add_argument("--set-aside", action="store_true", help="move a cut last line out of a damaged stream and go on")
    run.add_argument("--quiet", action="store_true", help="no progress bar, one line per stage")
    run.set_defaults(command=run_command)


def _add_verify(commands: Commands) -> None:
    verify = commands.add_parser("verify", help="re-derive every hash of a run; works offline")
    verify.add_argument("run", metavar="RUN", help="a run's folder, or its name in runs/")
    verify.set_defaults(command=verify_command)


def _add_report(commands: Commands) -> None:
    report = commands.add_parser("report", help="write the report of a sealed run again")
    report.add_argument("run", metavar="RUN", help="a run's folder, or its name in runs/")
    report.set_defaults(command=report_command)


def _add_agreement(commands: Commands) -> None:
    agreement = commands.add_parser("agreement", help="agreement between raters in a CSV or JSONL file")
    agreement.add_argument("file", type=Path, metavar="FILE", help="one rating per line, or exported annotation rows")
    agreement.add_argument("--unit", metavar="C", help="column that names what is rated")
    agreement.add_argument("--rater", metavar="C", help="column that names who rates")
    agreement.add_argument("--value", metavar="C", help="column with the rating")
    agreement.add_argument("--cluster", metavar="C", help="column whose values are resampled (default: the unit)")
    agreement.add_argument("--categories", default="0,1,2,3", metavar="LIST", help="the scale (default: 0,1,2,3)")
    agreement.add_argument("--resamples", type=_resamples, default=10_000, metavar="N", help="bootstrap resamples")
    agreement.add_argument("--seed", type=int, default=20280101, metavar="N", help="bootstrap seed")
    agreement.add_argument("--json", action="store_true", help="print JSON")
    agreement.set_defaults(command=agreement_command)


def _add_estimate(commands: Commands) -> None:
    estimate = commands.add_parser("estimate", help="what a study will ask, and what that costs; asks nothing")
    estimate.add_argument("study", metavar="STUDY", help="a study file, or the name of one in studies/")
    estimate.add_argument("--panel", default="", metavar="PANEL", help="who answers and judges, as for run")
    estimate.add_argument("--runs", type=Path, default=Path("runs"), metavar="DIR", help="where runs are kept")
    estimate.add_argument("--data", type=Path, metavar="DIR", help="the data folder, as for run")
    estimate.add_argument("--reply-tokens", type=_count, default=1600, metavar="N", help="a typical reply (1600)")
    estimate.add_argument("--verdict-tokens", type=_count, default=700, metavar="N", help="a typical verdict (700)")
    estimate.add_argument("--json", action="store_true", help="print JSON")
    estimate.set_defaults(command=estimate_command)


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


def run_command(options: argparse.Namespace) -> int:
    from polibias import flow
    from polibias.planning import plan as read_plan
    from polibias.progress import open_watcher
    from polibias.records.runs import Run

    with open_watcher(quiet=options.quiet) as watcher:
        plan = read_plan(options.study, options.data, options.panel)
        run = Run(options.runs / plan.study.id)
        flow.run_study(plan, run, watcher, options.stage, options.set_aside)
    if options.stage == STAGES[-1]:
        print(f"Report: {run.report / 'index.html'}")
    return 0


def verify_command(options: argparse.Namespace) -> int:
    from polibias.records.runs import find_run
    from polibias.records.verify import verify

    run = find_run(options.run)
    problems = verify(run)
    for problem in problems:
        print(f"polibias: {_one_line(problem)}", file=sys.stderr)
    if problems:
        return 1
    print(f"{run.folder}: {'sealed' if run.sealed else 'open, not sealed yet'}; every hash holds")
    return 0


def report_command(options: argparse.Namespace) -> int:
    from polibias.records.runs import find_run
    from polibias.report.document import write_report

    run = find_run(options.run)
    with run.locked():
        print(f"Report: {write_report(run)}")
    return 0


def agreement_command(options: argparse.Namespace) -> int:
    import json

    from polibias.analysis.ratings import agreement_of, as_text, read_any

    scale = _categories(options.categories)
    table = read_any(options.file, options.unit, options.rater, options.value, options.cluster, scale)
    found = agreement_of(table, scale, options.resamples, options.seed)
    if options.json:
        print(json.dumps({name: estimate.as_json() for name, estimate in found.estimates.items()}, indent=2))
    else:
        print(as_text(found))
    return 0


def estimate_command(options: argparse.Namespace) -> int:
    import json

    from polibias.estimate import Assumed, as_text, estimate
    from polibias.planning import plan as read_plan
    from polibias.records.runs import Run

    plan = read_plan(options.study, options.data, options.panel, keyless=True)
    assumed = Assumed(options.reply_tokens, options.verdict_tokens)
    earlier = [Run(options.runs / name) for name in plan.study.reuse]
    found = estimate(plan, Run(options.runs / plan.study.id), earlier, assumed)
    print(json.dumps([line._asdict() for line in found], indent=2) if options.json else as_text(found, assumed))
    return 0


def lint_command(options: argparse.Namespace) -> int:
    from polibias.inspection import inspect
    from polibias.sources.files import data_folder

    found = inspect(options.data or data_folder())
    print("\n".join(map(_one_line, found.problems or found.summary)))
    return 1 if found.problems else 0


def import_command(options: argparse.Namespace) -> int:
    from polibias.sources.files import data_folder
    from polibias.sources.imports import read_pairs, slug
    from polibias.sources.pairsets import as_pair_set, write_pair_set

    imported = read_pairs(options.file, _columns(options.map), options.skip_invalid)
    for line in (*imported.notes, *imported.problems):
        print(_one_line(line), file=sys.stderr)
    if not imported.pairs:
        return _fail(f"{options.file}: nothing was imported; mend the lines above, or see --skip-invalid", 2)
    pair_set = as_pair_set(imported, options.id or slug(options.file.stem), options.title, options.credit)
    place = write_pair_set(options.data or data_folder(), pair_set)
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


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def _resamples(text: str) -> int:
    number = int(text)
    if not FEWEST_RESAMPLES <= number <= MOST_RESAMPLES:
        raise argparse.ArgumentTypeError(f"must lie between {FEWEST_RESAMPLES} and {MOST_RESAMPLES}")
    return number


def _categories(text: str) -> tuple[float, ...]:
    try:
        found = tuple(float(part) for part in text.split(","))
    except ValueError:
        found = ()
    if len(found) < 2 or list(found) != sorted(set(found)) or not all(abs(point) < LARGEST for point in found):
        raise InputError(
            f"--categories {text}: name at least two different numbers in ascending order, such as 0,1,2,3"
        )
    return found


if __name__ == "__main__":
    sys.exit(main())
