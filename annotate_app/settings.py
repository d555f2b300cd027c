"""The settings under which the app is blind and private; `serve` passes all of them, the app refuses without.

Streamlit reads `config.toml` from wherever it is started, so nothing is left to a file.
"""

import os
from pathlib import Path

DATABASE = "POLIBIAS_ANNOTATE_DATABASE"

# Telemetry, tracebacks (they print values), the agent API (it answers without a person) and file watching are
# off; a ping keeps proxies from closing quiet connections.
REQUIRED: dict[str, bool | int | str] = {
    "browser.gatherUsageStats": False,
    "client.showErrorDetails": "none",
    "client.showErrorLinks": "false",
    "client.toolbarMode": "minimal",
    "client.showSidebarNavigation": False,
    "global.developmentMode": False,
    "logger.level": "warning",
    "logger.hideWelcomeMessage": True,
    "runner.fastReruns": True,
    "runner.magicEnabled": False,
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


def flags(host: str, port: int) -> list[str]:
    """Command-line flags for `streamlit run`, which win over every file and environment variable."""
    where: dict[str, bool | int | str] = {"server.address": host, "server.port": port}
    return [f"--{name}={_word(value)}" for name, value in (REQUIRED | where | THEME).items()]


def _word(value: bool | int | str) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def differing() -> list[str]:
    """The required settings that do not hold in this process."""
    from streamlit import get_option

    return [name for name, wanted in REQUIRED.items() if get_option(name) != wanted]


def refusal() -> str:
    """Why this process must not show anything, as one line; '' if it may."""
    advice = "start the app with: polibias-annotate serve PROJECT"
    if not os.environ.get(DATABASE):
        return f"no project given; {advice}"
    wrong = differing()
    return f"the setting {wrong[0]} differs from what a blind study needs; {advice}" if wrong else ""


def database() -> Path:
    """The database that this process serves."""
    return Path(os.environ[DATABASE])
