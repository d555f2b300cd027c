"""The settings under which an app is blind and private; `serve` passes all of them, the app refuses without.

Streamlit reads `config.toml` and `secrets.toml` from where it is started and from the home folder, and `STREAMLIT_*`
from the environment. `serve` starts it where there are none; the app refuses whatever was set in any other way.
"""

import os
import sys
from pathlib import Path
from typing import NamedTuple, TypeAlias

from polibias.errors import InputError

DATABASE = "POLIBIAS_ANNOTATE_DATABASE"
PROXY = "POLIBIAS_ANNOTATE_PROXY"
FOLDER = "POLIBIAS_ANNOTATE_FOLDER_"
"""Where the desk's folders are named, each under its own name; the annotators' app is told none of them."""

BELIEVED = "FORWARDED_ALLOW_IPS"
"""Where the server under Streamlit reads whose `X-Forwarded-*` headers it believes."""

LOOPBACK = "127.0.0.1,::1"
HERE = Path(__file__).parent

Value: TypeAlias = bool | int | str | tuple[str, ...]

# Telemetry, tracebacks (they print values), the agent API (it answers without a person) and file watching are
# off; a ping keeps proxies from closing quiet connections. Streamlit's own hosts may send an app messages; here none.
# Collecting the garbage of the whole process after every drawing took more than half of the processor. With fast reruns
# two quick clicks would run in two threads at once, and the elder could be stored last.
REQUIRED: dict[str, Value] = {
    "browser.gatherUsageStats": False,
    "client.allowedOrigins": ("https://nobody.invalid",),
    "client.showErrorDetails": "none",
    "client.showErrorLinks": "false",
    "client.toolbarMode": "minimal",
    "client.showSidebarNavigation": False,
    "global.developmentMode": False,
    "logger.enableRich": False,
    "logger.level": "warning",
    "logger.hideWelcomeMessage": True,
    "runner.fastReruns": False,
    "runner.magicEnabled": False,
    "runner.postScriptGC": False,
    "server.enableAgentApi": False,
    "server.enableCORS": True,
    "server.enableStaticServing": False,
    "server.enableXsrfProtection": True,
    "server.fileWatcherType": "none",
    "server.headless": True,
    "server.maxUploadSize": 1,
    "server.runOnSave": False,
    "server.websocketPingInterval": 20,
}

# Neutral greys and a slate blue: no colour stands for a side. Text contrast is at least 4.5:1 in both modes.
THEME: dict[str, str] = {
    "theme.light.primaryColor": "#35507a",
    "theme.light.backgroundColor": "#ffffff",
    "theme.light.secondaryBackgroundColor": "#f3f4f6",
    "theme.light.textColor": "#1f2430",
    "theme.light.borderColor": "#c3c8d1",
    "theme.dark.primaryColor": "#4f73ad",
    "theme.dark.backgroundColor": "#14171c",
    "theme.dark.secondaryBackgroundColor": "#20252d",
    "theme.dark.textColor": "#e8eaee",
    "theme.dark.borderColor": "#4a515d",
    "theme.headingFontSizes": "1.9rem,1.5rem,1.25rem,1.1rem,1rem,0.9rem",
    "theme.paddingTop": "1rem",
}


class Folders(NamedTuple):
    """Where plans, runs and validations are, and where `serve` was started. Absolute paths."""

    prereg: Path
    runs: Path
    validations: Path
    start: Path

    def named(self) -> dict[str, Path]:
        """The folders that commands take an option for, by its name."""
        return {"prereg": self.prereg, "runs": self.runs, "validations": self.validations}


def flags(host: str, port: int) -> list[str]:
    """Command-line flags for `streamlit run`, which win over every file and environment variable."""
    where: dict[str, Value] = {"server.address": host, "server.port": port}
    return [f"--{name}={word}" for name, value in (REQUIRED | where | THEME).items() for word in _words(value)]


def _words(value: Value) -> tuple[str, ...]:
    if isinstance(value, tuple):
        return value
    return (str(value).lower() if isinstance(value, bool) else str(value),)


def stand_apart(database: Path, proxy: str = "", folders: Folders | None = None) -> None:
    """Make this process one that Streamlit finds no settings in but those it is given, and name what it serves.

    The package's own folder is where it runs and its home: whoever can write there can change the app itself.
    `proxy` is the address of a proxy that is believed about its clients; without one, programs on this machine are
    believed about TLS alone. `folders` are what the desk's commands are about.
    """
    for name in [name for name in os.environ if name.startswith(("STREAMLIT_", FOLDER))]:
        del os.environ[name]
    if folders is not None:
        os.environ.update({FOLDER + name.upper(): str(path.resolve()) for name, path in folders._asdict().items()})
    os.environ.update({DATABASE: str(database.resolve()), PROXY: proxy, BELIEVED: proxy or LOOPBACK})
    os.environ["HOME"] = str(HERE)
    os.chdir(HERE)


def differing() -> list[str]:
    """The required settings that do not hold in this process."""
    from streamlit import get_option

    return [name for name, wanted in REQUIRED.items() if _plain(get_option(name)) != wanted]


def _plain(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def strays() -> list[str]:
    """What was set for this process beside what `serve` sets: a theme can fetch fonts, a secret can open a login."""
    from streamlit.config import get_config_options

    ours = {*REQUIRED, *THEME, "server.address", "server.port"}
    found = [
        name
        for name, option in get_config_options().items()
        if option.where_defined != option.DEFAULT_DEFINITION and name not in ours
    ]
    return found + [BELIEVED] * (os.environ.get(BELIEVED) != (os.environ.get(PROXY) or LOOPBACK))


def refusal() -> str:
    """Why this process must not show anything, as one line; '' if it may."""
    advice = "start the app with: polibias-annotate serve PROJECT"
    if not os.environ.get(DATABASE):
        return f"no project given; {advice}"
    wrong = differing()
    return f"the setting {wrong[0]} differs from what a blind study needs; {advice}" if wrong else ""


def check_start() -> None:
    """Leave the process, with one line and exit code 2, unless `serve` started it."""
    problem = refusal()
    if not problem and (found := strays()):
        problem = f"{found[0]} was set for this process; start the app with: polibias-annotate serve PROJECT"
    if problem:
        sys.stderr.write(f"polibias-annotate: {problem}\n")
        sys.exit(2)


def database() -> Path:
    """The database that this process serves."""
    return Path(os.environ[DATABASE])


def folders() -> Folders:
    """The folders that the desk was started with. Raises InputError if it was given none."""
    given = [os.environ.get(FOLDER + name.upper(), "") for name in Folders._fields]
    if not all(given):
        raise InputError("no folders given; start the desk with: polibias-annotate serve PROJECT --desk")
    return Folders(*map(Path, given))


def proxied() -> bool:
    """Whether a proxy is believed about whom a request comes from."""
    return bool(os.environ.get(PROXY))


def announcement(what: str, path: str = "/") -> str:
    """One line that says where this process answers."""
    from streamlit import get_option

    address, port = get_option("server.address"), get_option("server.port")
    host = f"[{address}]" if ":" in address else address
    return f"{what} http://{host}:{port}{path} (Ctrl-C ends it)\n"
