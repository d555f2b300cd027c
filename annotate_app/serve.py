"""Starting an app: every privacy and blindness setting on Streamlit's command line, nothing from anywhere else."""

import signal
import socket
from pathlib import Path
from types import FrameType

from annotate_app import settings
from polibias.errors import InputError

ENTRY = settings.HERE / "streamlit_app.py"
DESK = settings.HERE / "desk_app.py"


def serve(database: Path, host: str, port: int, proxy: str = "", desk: settings.Folders | None = None) -> None:
    """Run the annotators' app, or with folders the `desk`, in this process until it is asked to end.

    Raises InputError if it cannot listen there.
    """
    check_address(host, port)
    settings.stand_apart(database, proxy, desk)
    # The server catches these to end its work, then raises them again for whoever had them before.
    for asked_to_end in (signal.SIGINT, signal.SIGTERM):
        signal.signal(asked_to_end, _end)
    from streamlit.web.cli import main as streamlit

    entry = ENTRY if desk is None else DESK
    streamlit(["run", str(entry), *settings.flags(host, port)], standalone_mode=False)


def _end(_: int, __: FrameType | None) -> None:
    raise SystemExit(0)


def check_address(host: str, port: int) -> None:
    """Raises InputError unless the app can listen there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise InputError(
                f"{host}:{port}: cannot listen there ({error.strerror or error}); choose another --port or --host"
            ) from None
