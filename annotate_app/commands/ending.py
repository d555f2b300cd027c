"""`close`, `revoke`, `withdraw`: what a coordinator ends."""

import argparse
import shlex
import sys
from typing import TYPE_CHECKING

from annotate_app.commands.shapes import Commands, add_project, counted

if TYPE_CHECKING:
    from annotate_app.store import Store

WHAT_BECOMES = {
    "keep": "what was answered is kept, as the protocol says",
    "remove": "what was answered is left out of the export, as the protocol says",
}


def add(commands: Commands) -> None:
    """Add the commands."""
    close = commands.add_parser("close", help="end the study: nothing is answered any more")
    add_project(close)
    close.set_defaults(command=_close)
    revoke = commands.add_parser("revoke", help="end a person's links and every browser they opened")
    _add_person(revoke)
    revoke.set_defaults(command=_revoke)
    withdraw = commands.add_parser("withdraw", help="take a person out of the study, at their written request")
    _add_person(withdraw)
    withdraw.set_defaults(command=_withdraw)


def _add_person(command: argparse.ArgumentParser) -> None:
    add_project(command)
    command.add_argument("annotator", metavar="NAME", help="the name they were invited under")


def _open(options: argparse.Namespace) -> "Store":
    from annotate_app.database import find
    from annotate_app.store import open_store

    return open_store(find(options.project, options.projects))


def _close(options: argparse.Namespace) -> int:
    from annotate_app.ending import close, open_places

    done = close(_open(options))
    if not done.now:
        print(f"{options.project}: closed already, at {done.at}", file=sys.stderr)
        return 1
    left = sum(map(open_places, done.unfinished))
    who = ", ".join(f"{one.annotator} {open_places(one)} ({one.stage})" for one in done.unfinished)
    print(f"{options.project}: closed at {done.at}; nothing is answered any more")
    print(f"{counted(left, 'place')} not finished: {who}" if left else "everything that was given out is finished")
    print(f"next: polibias-annotate export {options.project}")
    return 0


def _revoke(options: argparse.Namespace) -> int:
    from annotate_app.ending import revoke

    name, ended = revoke(_open(options), options.annotator)
    if not ended:
        print(f"{name}: has no link that still worked", file=sys.stderr)
        return 1
    print(f"{name}: {counted(ended, 'link')} ended, with every browser that was let in")
    print(f"a new one: polibias-annotate invite {options.project} {shlex.quote(name)}")
    return 0


def _withdraw(options: argparse.Namespace) -> int:
    from annotate_app.ending import withdraw

    store = _open(options)
    name, gone = withdraw(store, options.annotator)
    if not gone:
        print(f"{name}: had withdrawn already", file=sys.stderr)
        return 1
    print(f"{name}: withdrawn; {WHAT_BECOMES[store.protocol.withdrawal]}, and open places can go to others")
    return 0
