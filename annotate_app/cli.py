"""The `polibias-annotate` command: parses, calls, prints. Everything heavy is imported where it is used."""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from polibias.errors import PoliBiasError

if TYPE_CHECKING:
    from polibias.domain.rubric import Rubric

INTERRUPTED = 130
URL = "http://127.0.0.1:8501"
PORTS = range(1, 65536)
NEXT = "polibias agreement {csv} --where dimension={name} {value}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 1 the checked thing does not hold, 2 bad input or usage."""
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


def _one_line(text: str) -> str:
    return " ".join("".join(character if character.isprintable() else " " for character in text).split())


class Parser(argparse.ArgumentParser):
    """A parser that says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        print(f"polibias-annotate: {_one_line(message)}; see {self.prog} --help", file=sys.stderr)
        raise SystemExit(2)


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top = Parser(
        prog="polibias-annotate",
        description="Let people score blind what models wrote: make a project, invite, serve, follow, export.",
        epilog="Exit codes: 0 done, 1 the checked thing does not hold, 2 bad input or usage.",
    )
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_create(commands)
    _add_invite(commands)
    _add_serve(commands)
    _add_status(commands)
    _add_export(commands)
    return top


def _add_create(commands: "argparse._SubParsersAction[Parser]") -> None:
    create = commands.add_parser("create", help="make a blind project from a sealed run or a masked-items file")
    create.add_argument("run", metavar="RUN", help="a run's folder, its name in runs/, or a masked-items FILE.jsonl")
    create.add_argument("--project", required=True, metavar="NAME", help="the project's name")
    create.add_argument("--seed", type=_whole, metavar="N", help="seed of all draws (default: drawn and stored)")
    create.add_argument("--limit", type=_counted, metavar="N", help="at most N items, drawn at random by the seed")
    create.add_argument("--protocol", type=Path, metavar="FILE", help="the study's rules (default: the shipped ones)")
    create.add_argument("--contact", metavar="TEXT", help="whom annotators can ask: a name, an address")
    create.add_argument("--url", default=URL, help=f"the address annotators reach the app at (default: {URL})")
    _add_projects(create)
    _add_sealed(create)
    _add_runs(create)
    create.set_defaults(command=_create)


def _add_invite(commands: "argparse._SubParsersAction[Parser]") -> None:
    invite = commands.add_parser("invite", help="enrol annotators, or give them a new link")
    _add_project(invite)
    invite.add_argument(
        "annotators", nargs="+", metavar="ANNOTATOR", help="a short name or alias; it goes into exports"
    )
    invite.add_argument("--url", help="the address annotators reach the app at (default: the project's)")
    invite.add_argument(
        "--more", type=_counted, default=0, metavar="N", help="N further items for who has some already"
    )
    invite.add_argument("--out", type=Path, metavar="FILE", help="write the links to a CSV file only you can read")
    invite.set_defaults(command=_invite)


def _add_serve(commands: "argparse._SubParsersAction[Parser]") -> None:
    serve = commands.add_parser("serve", help="run the app for a project's annotators")
    _add_project(serve)
    serve.add_argument("--port", type=_port, default=8501, help="default: 8501")
    serve.add_argument("--host", default="127.0.0.1", help="the address to listen at (default: 127.0.0.1)")
    serve.set_defaults(command=_serve)


def _add_status(commands: "argparse._SubParsersAction[Parser]") -> None:
    status = commands.add_parser("status", help="who is where; never what they answered")
    _add_project(status)
    status.add_argument("--json", action="store_true", help="print JSON")
    status.set_defaults(command=_status)


def _add_export(commands: "argparse._SubParsersAction[Parser]") -> None:
    export = commands.add_parser("export", help="join the answers to their pairs and store them with the run")
    _add_project(export)
    export.add_argument(
        "--interim",
        metavar="REASON",
        help="look before the study is closed; the reason is recorded and said in every later report",
    )
    export.add_argument("--bom", action="store_true", help="begin CSV files with the mark that Excel knows UTF-8 by")
    _add_sealed(export)
    _add_runs(export)
    export.set_defaults(command=_export)


def _add_project(command: argparse.ArgumentParser) -> None:
    command.add_argument("project", metavar="PROJECT", help="the project's name")
    _add_projects(command)


def _add_projects(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--projects", type=Path, default=Path("projects"), metavar="DIR", help="where projects are (default: projects)"
    )


def _add_sealed(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--sealed", type=Path, default=Path("sealed"), metavar="DIR", help="where sealed files are (default: sealed)"
    )


def _add_runs(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--runs", type=Path, default=Path("runs"), metavar="DIR", help="where runs are (default: runs)"
    )


def _whole(text: str) -> int:
    return _bounded(text, range(2**63), "a whole number from 0 to 2^63 - 1")


def _counted(text: str) -> int:
    return _bounded(text, range(1, 2**31), "a whole number from 1")


def _port(text: str) -> int:
    return _bounded(text, PORTS, "a port from 1 to 65535")


def _bounded(text: str, allowed: range, wanted: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text) in allowed):
        raise argparse.ArgumentTypeError(f"{text!a} is not {wanted}")
    return int(text)


def _create(options: argparse.Namespace) -> int:
    from annotate_app.create import Wanted, create
    from annotate_app.enrolment import check_url
    from annotate_app.masked_source import SUFFIX, read_masked
    from annotate_app.origins import read_run
    from annotate_app.protocols import read_protocol
    from polibias.records.runs import find_run

    masked = options.run.endswith(SUFFIX)
    protocol = read_protocol(options.protocol, "reidentification" if masked else "pairs", options.contact)
    wanted = Wanted(options.project, protocol, check_url(options.url), options.seed, options.limit)
    source = read_masked(Path(options.run), protocol) if masked else read_run(find_run(options.run, options.runs))
    made = create(source, wanted, options.projects, options.sealed)
    print(f"{made.database}: {made.items} items, annotation seed {made.seed}")
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
        if one.items < one.wanted:
            print(f"{one.annotator}: {one.items} of {one.wanted} items; no more need an annotator", file=sys.stderr)
    if options.out:
        print(f"{options.out}: {len(invitations)} personal links; send each to its person only")
    else:
        for one in invitations:
            print(f"{one.annotator}\t{one.link}")
    return 0


def _serve(options: argparse.Namespace) -> int:
    from annotate_app.database import find
    from annotate_app.serve import serve
    from annotate_app.store import open_store

    path = find(options.project, options.projects)
    open_store(path)
    serve(path, options.host, options.port)
    return 0


def _status(options: argparse.Namespace) -> int:
    from annotate_app.database import find
    from annotate_app.progress import status
    from annotate_app.store import open_store

    found = status(open_store(find(options.project, options.projects)))
    if options.json:
        print(json.dumps({**found._asdict(), "annotators": [one._asdict() for one in found.annotators]}))
        return 0
    width = max([len("annotator"), *(len(one.annotator) for one in found.annotators)])
    print(f"{'annotator':<{width}}  submitted  last activity (UTC)")
    for one in found.annotators:
        print(f"{one.annotator:<{width}}  {f'{one.submitted} / {one.total}':>9}  {one.last_activity or '-'}")
    print(f"{found.events} events, chain whole, last {found.head[:16]}; not anchored outside")
    return 0


def _export(options: argparse.Namespace) -> int:
    from annotate_app.database import find
    from annotate_app.export import export
    from annotate_app.questions import Scoring
    from annotate_app.sealed import read_sealed, sealed_path
    from annotate_app.store import open_store
    from polibias.records.openings import opened_early
    from polibias.records.runs import find_run

    store = open_store(find(options.project, options.projects))
    sealed = read_sealed(sealed_path(options.project, options.sealed))
    done = export(store, sealed, find_run(sealed.run, options.runs), options.interim, options.bom)
    if done.interims:
        print(opened_early(options.project, done.interims))
    print(f"{done.files.jsonl}: {done.rows} annotations, {done.new} rows new")
    for showing, table in (("first", done.files.csv), ("repeat", done.files.repeats)):
        said = ", ".join(f"{count} {status}" for status, count in done.counts[showing].items())
        print(f"{table}: {sum(done.counts[showing].values())} {showing} showings as in the database: {said or 'none'}")
    print(f"{done.files.codebook}: what every column and value means")
    if isinstance(store.scheme, Scoring):
        for name, value in _compared(store.scheme.rubric):
            print(f"next: {NEXT.format(csv=done.files.csv, name=name, value=value)}")
    return 0


def _compared(rubric: "Rubric") -> Iterator[tuple[str, str]]:
    """Each dimension and label that annotators answer, with what agreement on it compares and on which scale."""
    for dimension in rubric.dimensions:
        sides = "--value favoured --categories A,B,none --level nominal"
        yield dimension.id, sides if dimension.asks == "side" else _scale(map(str, rubric.scores))
    for label in rubric.labels:
        ratings = map(str, range(1, len(label.options) + 1))
        named = f"--value option {_scale(option.id for option in label.options)} --level nominal"
        yield label.id, _scale(ratings) if label.ordinal else named


def _scale(points: Iterable[str]) -> str:
    return f"--categories {','.join(points)}"


if __name__ == "__main__":
    raise SystemExit(main())
