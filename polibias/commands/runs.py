"""Commands that work on studies and runs: estimate, run, verify, report."""

import argparse
import gc
import sys
from pathlib import Path

from polibias.commands.shapes import Commands, count, dollars, one_line

STAGES = ("build", "generate", "mask", "judge", "seal", "report")

# A report keeps nearly all that it reads, and a collector that looks often finds nothing again and again.
GARBAGE = 20_000


def add(commands: Commands) -> None:
    """Add the commands of this module."""
    _add_estimate(commands)
    _add_run(commands)
    _add_verify(commands)
    _add_report(commands)


def add_study(parser: argparse.ArgumentParser, optional: bool = False) -> None:
    """The options by which a study is named."""
    parser.add_argument(
        "study",
        metavar="STUDY",
        nargs="?" if optional else None,
        help="a study file, or the name of one in studies/",
    )
    parser.add_argument("--panel", default="", metavar="PANEL", help="who answers and judges, not the study's own")
    parser.add_argument(
        "--runs", type=Path, default=Path("runs"), metavar="DIR", help="where runs are kept (default: runs)"
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="the data folder (default: data, or the packaged one)")


def add_models(parser: argparse.ArgumentParser) -> None:
    """The option that keeps to some of a study's models."""
    parser.add_argument(
        "--model", action="append", default=[], metavar="NAME", help="only this model or judge; may be given again"
    )


def _add_estimate(commands: Commands) -> None:
    estimate = commands.add_parser("estimate", help="what a study will ask, and what that costs; asks nothing")
    add_study(estimate)
    estimate.add_argument("--reply-tokens", type=count, default=1600, metavar="N", help="a typical reply (1600)")
    estimate.add_argument("--verdict-tokens", type=count, default=700, metavar="N", help="a typical verdict (700)")
    estimate.add_argument("--json", action="store_true", help="print JSON")
    estimate.set_defaults(command=estimate_command)


def _add_run(commands: Commands) -> None:
    run = commands.add_parser("run", help="ask, judge, seal and report a study; run it again to go on after a stop")
    add_study(run)
    run.add_argument("--stage", choices=STAGES, default=STAGES[-1], help="stop after this stage")
    add_models(run)
    run.add_argument("--limit", type=count, metavar="N", help="at most N calls this time")
    run.add_argument(
        "--budget", type=dollars, metavar="USD", help="stop before the run as a whole might cost more than this"
    )
    run.add_argument(
        "--accept-failed", action="store_true", help="seal though some calls got no answer; their pairs have no score"
    )
    run.add_argument("--plan", metavar="PLAN", help="begin the run under this locked plan, of which it is an outcome")
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
    for name, what in (("prereg", "locked plans are"), ("validations", "reports of plans are")):
        report.add_argument(
            f"--{name}", type=Path, metavar="DIR", help=f"where {what} (default: {name}, beside the folder of runs)"
        )
    report.set_defaults(command=report_command)


def estimate_command(options: argparse.Namespace) -> int:
    import json

    from polibias import flow
    from polibias.estimate import Assumed, as_text, estimate
    from polibias.planning import plan as read_plan
    from polibias.records.runs import Run

    plan = read_plan(options.study, options.data, options.panel, keyless=True)
    assumed = Assumed(options.reply_tokens, options.verdict_tokens)
    earlier = [run for name in plan.study.reuse if (run := Run(options.runs / name)).sealed]
    run = Run(options.runs / plan.study.id)
    found = estimate(plan, run, earlier, assumed)
    if why := flow.refusal(plan, run):
        print(f"note: polibias run would refuse this: {one_line(why)}", file=sys.stderr)
    print(json.dumps([line._asdict() for line in found], indent=2) if options.json else as_text(found, assumed))
    return 0


def _lock_of(name: str, study: str) -> str:
    """The hash of the locked plan that names this study's run among its outcomes."""
    from polibias.errors import InputError
    from polibias.records.locks import read_lock
    from polibias.sources.plans import find_plan

    path = find_plan(name)
    found = read_lock(path)
    if study not in found.lock.plan.outcomes:
        raise InputError(f"{path}: '{study}' is no outcome of this plan; it has {', '.join(found.lock.plan.outcomes)}")
    return found.hash


def run_command(options: argparse.Namespace) -> int:
    from polibias import flow
    from polibias.planning import plan as read_plan
    from polibias.progress import open_watcher
    from polibias.records.runs import Run

    with open_watcher(quiet=options.quiet) as watcher:
        plan = read_plan(options.study, options.data, options.panel)
        run = Run(options.runs / plan.study.id)
        wanted = flow.Wanted(
            last=options.stage,
            models=tuple(options.model),
            limit=options.limit,
            budget=options.budget,
            set_aside=options.set_aside,
            accept_failed=options.accept_failed,
            lock=_lock_of(options.plan, plan.study.id) if options.plan else "",
        )
        flow.run_study(plan, run, watcher, wanted)
    if run.sealed and options.stage == STAGES[-1]:
        print(f"Report: {run.report / 'index.html'}")
    return 0


def verify_command(options: argparse.Namespace) -> int:
    from polibias.records.runs import find_run
    from polibias.records.verify import verify

    run = find_run(options.run)
    problems = verify(run)
    for problem in problems:
        print(f"polibias: {one_line(problem)}", file=sys.stderr)
    if problems:
        return 1
    print(f"{run.folder}: {'sealed' if run.sealed else 'open, not sealed yet'}; every hash holds")
    return 0


def report_command(options: argparse.Namespace) -> int:
    from polibias.analysis.validated import PlanFolders, folders_of
    from polibias.errors import InputError
    from polibias.records.runs import find_run
    from polibias.report.document import write_report

    gc.set_threshold(GARBAGE)
    run = find_run(options.run)
    usual = folders_of(run)
    folders = PlanFolders(options.prereg or usual.prereg, options.validations or usual.validations)
    for named in filter(None, (options.prereg, options.validations)):
        if not named.is_dir():
            raise InputError(f"{named}: no such folder")
    with run.locked():
        print(f"Report: {write_report(run, folders)}")
    return 0
