"""The `polibias-annotate` command: parses, calls, prints. Everything heavy is imported where it is used."""

import argparse
import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from annotate_app.commands import ending, exporting, following, keeping, serving
from annotate_app.commands.shapes import Commands, add_project, add_projects, add_runs, add_sealed, bounded, counted
from polibias.errors import InputError, PoliBiasError

INTERRUPTED = 130
URL = "http://127.0.0.1:8501"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 1 the checked thing does not hold, 2 bad input or usage."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a name that a terminal cannot show must not cost a link
            stream.reconfigure(errors="backslashreplace")
    try:
        options = parser().parse_args(arguments)
        return int(options.command(options))
    except PoliBiasError as error:
        print(f"polibias-annotate: {_one_line(str(error))}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except (OSError, UnicodeEncodeError) as error:
        what = (
            f"{error.filename or 'a file'}: {error.strerror}" if isinstance(error, OSError) else "not a name in UTF-8"
        )
        print(f"polibias-annotate: {_one_line(str(what))}; check the names and the space on the disk", file=sys.stderr)
        return 2


def _one_line(text: str) -> str:
    return " ".join("".join(character if character.isprintable() else " " for character in text).split())


class Parser(argparse.ArgumentParser):
    """A parser that says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        print(f"polibias-annotate: {_one_line(message)}; see {self.prog} --help", file=sys.stderr)
        raise SystemExit(2)


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top: argparse.ArgumentParser = Parser(
        prog="polibias-annotate",
        description="Let people score blind what models wrote: make a project, invite, serve, follow, export.",
        epilog="Exit codes: 0 done, 1 the checked thing does not hold, 2 bad input or usage.",
    )
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_create(commands)
    _add_invite(commands)
    serving.add(commands)
    following.add(commands)
    ending.add(commands)
    exporting.add(commands)
    keeping.add(commands)
    return top


def _add_create(commands: Commands) -> None:
    create = commands.add_parser("create", help="make a blind project from a sealed run or a masked-items file")
    create.add_argument("run", metavar="RUN", help="a run's folder, its name in runs/, or a masked-items FILE.jsonl")
    create.add_argument("--project", required=True, metavar="NAME", help="the project's name")
    create.add_argument("--seed", type=_whole, metavar="N", help="seed of all draws (default: drawn and stored)")
    create.add_argument("--limit", type=_counted, metavar="N", help="at most N items, drawn at random by the seed")
    create.add_argument(
        "--sample", type=Path, metavar="FILE", help="only the pairs of a sample drawn by polibias sample"
    )
    create.add_argument(
        "--plan", metavar="PLAN", help="the pairs of a locked plan; the project's chain of events begins with its lock"
    )
    create.add_argument("--protocol", type=Path, metavar="FILE", help="the study's rules (default: the shipped ones)")
    create.add_argument("--contact", metavar="TEXT", help="whom annotators can ask: a name, an address")
    create.add_argument("--url", default=URL, help=f"the address annotators reach the app at (default: {URL})")
    add_projects(create)
    add_sealed(create)
    add_runs(create)
    create.set_defaults(command=_create)


def _add_invite(commands: Commands) -> None:
    invite = commands.add_parser("invite", help="enrol annotators, or give them a new link")
    add_project(invite)
    invite.add_argument(
        "annotators", nargs="+", metavar="ANNOTATOR", help="a short name or alias; it goes into exports"
    )
    invite.add_argument("--url", help="the address annotators reach the app at (default: the project's)")
    invite.add_argument(
        "--more", type=_counted, default=0, metavar="N", help="N further items for who has some already"
    )
    invite.add_argument("--out", type=Path, metavar="FILE", help="write the links to a CSV file only you can read")
    invite.set_defaults(command=_invite)


def _whole(text: str) -> int:
    return bounded(text, range(2**63), "a whole number from 0 to 2^63 - 1")


def _counted(text: str) -> int:
    return bounded(text, range(1, 2**31), "a whole number from 1")


def check_plan_options(options: argparse.Namespace) -> None:
    """Raises InputError where a plan and another choice of pairs are given at once."""
    if options.plan is not None and (options.sample or options.limit or options.run.endswith(".jsonl")):
        raise InputError("--plan: the plan says which pairs; leave out --sample and --limit, and name a run")


def _create(options: argparse.Namespace) -> int:
    from annotate_app.create import Wanted, create
    from annotate_app.enrolment import check_url
    from annotate_app.masked_source import SUFFIX, read_masked
    from annotate_app.origins import read_run
    from annotate_app.planned import check_unplanned, planned
    from annotate_app.protocols import read_protocol
    from annotate_app.sampled import sampled
    from polibias.records.runs import find_run
    from polibias.sources.plans import FOLDER, find_plan

    check_plan_options(options)
    masked = options.run.endswith(SUFFIX)
    protocol = read_protocol(options.protocol, "reidentification" if masked else "pairs", options.contact)
    wanted = Wanted(options.project, protocol, check_url(options.url), options.seed, options.limit)
    source = read_masked(Path(options.run), protocol) if masked else read_run(find_run(options.run, options.runs))
    if options.sample is not None:
        source = sampled(source, options.sample)
    if options.plan is None:
        check_unplanned(options.project, FOLDER)
    else:
        source, tie = planned(source, find_plan(options.plan), options.project, protocol)
        wanted = wanted._replace(plan=tie)
    made = create(source, wanted, options.projects, options.sealed)
    print(f"{made.database}: {counted(made.items, 'item')}, annotation seed {made.seed}")
    print(f"{made.sealed}: says what each item is; keep it away from annotators, only export reads it")
    if made.named:
        print(f"in {made.named} items a response names its own model; the export marks them in `names_itself`")
    print(f"next: polibias-annotate invite {options.project} NAME NAME")
    return 0


def _invite(options: argparse.Namespace) -> int:
    from annotate_app.database import find
    from annotate_app.enrolment import check_names, invite, links_file
    from annotate_app.exposure import barred_pairs, enrolling
    from annotate_app.store import open_store

    check_names(options.annotators)
    path = find(options.project, options.projects)
    store = open_store(path)
    with links_file(options.out) as write, enrolling(options.projects):
        barred = {name: barred_pairs(path, name) for name in options.annotators}
        with store.writing() as session:
            invitations = invite(session, store, options.annotators, options.url, barred, options.more)
            write(invitations)
    for one in invitations:
        if one.given < one.wanted:
            why = "the others need no annotator, or hold pairs that they have seen in another project"
            print(f"{one.annotator}: {one.given} of {one.wanted} items; {why}", file=sys.stderr)
    if options.out:
        print(f"{options.out}: {counted(len(invitations), 'personal link')}; send each to its person only")
    else:
        for one in invitations:
            print(f"{one.annotator}\t{one.link}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
