"""`serve`: the annotators' app, or the coordinator's desk."""

import argparse
import ipaddress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from annotate_app.commands.shapes import Commands, add_project, add_runs, port

if TYPE_CHECKING:
    from annotate_app.settings import Folders

PORT, DESK_PORT = 8501, 8502
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def add(commands: Commands) -> None:
    """Add the command."""
    serve = commands.add_parser("serve", help="run the app for a project's annotators, or your own desk page")
    add_project(serve)
    serve.add_argument("--desk", action="store_true", help="your own page instead: who is where, never what they said")
    serve.add_argument(
        "--port",
        type=port,
        help=f"default: that of the project's address on this machine, else {PORT}; {DESK_PORT} with --desk",
    )
    serve.add_argument("--host", default="127.0.0.1", help="the address to listen at (default: 127.0.0.1)")
    serve.add_argument(
        "--proxy",
        type=_proxy,
        metavar="ADDRESS",
        help="a proxy's address: believed about its clients, whom X-Forwarded-For and -Proto must name",
    )
    _add_folders(serve)
    serve.set_defaults(command=_serve)


def _add_folders(serve: argparse.ArgumentParser) -> None:
    """What the desk's pages on plans of validation are about."""
    serve.add_argument(
        "--prereg",
        type=Path,
        default=Path("prereg"),
        metavar="DIR",
        help="of the desk: where plans of validation are (default: prereg)",
    )
    add_runs(serve)
    serve.add_argument(
        "--validations",
        type=Path,
        default=Path("validations"),
        metavar="DIR",
        help="of the desk: where validations are (default: validations)",
    )


def _proxy(text: str) -> str:
    try:
        return str(ipaddress.ip_network(text, strict=False)) if "/" in text else str(ipaddress.ip_address(text))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!a} is not the address of a machine or network") from None


def _serve(options: argparse.Namespace) -> int:
    from annotate_app.database import find
    from annotate_app.serve import serve
    from annotate_app.store import open_store

    path = find(options.project, options.projects)
    store = open_store(path)
    usual = DESK_PORT if options.desk else port_of(store.project.address)
    desk = _folders(options) if options.desk else None
    serve(path, options.host, options.port or usual, options.proxy or "", desk)
    return 0


def _folders(options: argparse.Namespace) -> "Folders":
    from annotate_app.settings import Folders

    return Folders(options.prereg, options.runs, options.validations, Path.cwd())


def port_of(address: str) -> int:
    """The port to listen at for annotators who come by this address: behind a proxy it says nothing."""
    parts = urlsplit(address)
    if parts.scheme == "http" and parts.hostname in LOOPBACK:
        return parts.port or 80
    return PORT
