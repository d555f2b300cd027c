"""Whatever lies around where `serve` is started, the app's settings are its own; started otherwise it refuses."""

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.message import Message
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import pytest

from annotate_app import settings
from annotate_app.settings import BELIEVED, DATABASE, PROXY
from tests.app.conftest import ROOT, SHORT, Place, enrol, free_port, make_project

NONE: Mapping[str, str] = MappingProxyType({})
ENTRIES = ("streamlit_app.py", "desk_app.py")
HOSTILE_CONFIG = """
[server]
enableAgentApi = true
enableCORS = false
enableXsrfProtection = false
enableStaticServing = true
trustedUserHeaders = '{"X-Name": "name"}'
fileWatcherType = "poll"
[client]
showErrorDetails = "full"
toolbarMode = "developer"
[browser]
gatherUsageStats = true
serverAddress = "elsewhere.example"
[theme]
base = "http://attacker.invalid/theme.toml"
font = "Stolen:http://attacker.invalid/font.css"
"""
HOSTILE_SECRETS = f"""
{DATABASE} = "/nowhere"
[auth]
redirect_uri = "http://attacker.invalid/oauth2callback"
cookie_secret = "known"
client_id = "x"
client_secret = "y"
server_metadata_url = "http://attacker.invalid/openid"
"""
HOSTILE_ENVIRONMENT = {
    "STREAMLIT_SERVER_ENABLE_AGENT_API": "true",
    "STREAMLIT_BROWSER_GATHER_USAGE_STATS": "true",
    "STREAMLIT_CLIENT_SHOW_ERROR_DETAILS": "full",
    "STREAMLIT_SERVER_COOKIE_SECRET": "known",
    "STREAMLIT_SERVER_BASE_URL_PATH": "elsewhere",
    "STREAMLIT_THEME_BASE": "http://attacker.invalid/theme.toml",
    "STREAMLIT_RUN_TARGET": "http://attacker.invalid/app.py",
    BELIEVED: "*",
    PROXY: "192.0.2.1",
    DATABASE: "/nowhere",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return make_project(tmp_path_factory.mktemp("settings"), SHORT)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder, and a home, full of settings of somebody else's."""
    for folder in (tmp_path / ".streamlit", tmp_path / "home" / ".streamlit"):
        folder.mkdir(parents=True)
        (folder / "config.toml").write_text(HOSTILE_CONFIG)
        (folder / "secrets.toml").write_text(HOSTILE_SECRETS)
    return tmp_path


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), **more}


class Running(NamedTuple):
    """A server that announced itself: what it said, and where it answers."""

    said: str
    url: str

    def answer(
        self, path: str, body: bytes | None = None, headers: Mapping[str, str] = NONE
    ) -> tuple[int, Message, str]:
        """Status, headers and text; a redirect is not followed."""
        opener = urllib.request.build_opener(_Stays)
        try:
            with opener.open(urllib.request.Request(self.url + path, body, {**headers}), timeout=30) as found:
                return found.status, found.headers, found.read().decode("utf-8", "replace")
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers, error.read().decode("utf-8", "replace")


class _Stays(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


@contextmanager
def serving(place: Place, here: Path, *arguments: str, **more: str) -> Iterator[Running]:
    """`polibias-annotate serve`, started in a folder with this environment, on a port that was free."""
    port = free_port()
    projects = place.made.database.parent.parent
    options = ["serve", "first", "--projects", os.path.relpath(projects, here), "--port", str(port), *arguments]
    process = subprocess.Popen(
        [sys.executable, "-m", "annotate_app.cli", *options],
        cwd=here,
        env=environment(**more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout
        assert process.stderr
        said = process.stdout.readline()
        assert said, process.stderr.read()
        yield Running(said, f"http://127.0.0.1:{port}")
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        assert process.returncode == 0


@pytest.mark.parametrize("desk", [[], ["--desk"]])
def test_nothing_that_lies_around_reaches_the_app(project: Place, hostile: Path, desk: list[str]) -> None:
    """The app refuses to start with any setting that is not its own: that it serves says that none got in."""
    with serving(project, hostile, *desk, HOME=str(hostile / "home"), **HOSTILE_ENVIRONMENT) as server:
        assert server.url in server.said
        assert server.answer("/_stcore/health")[::2] == (200, "ok")
        assert server.answer("/_stcore/agent/openapi.json", headers={"Origin": "http://x.invalid"})[0] == 403
        asked = server.answer("/_stcore/agent/interact", b"{}", {"Content-Type": "application/json"})
        assert (asked[0], "not_available" in asked[2]) == (403, True)
        status, headers, said = server.answer("/_stcore/host-config")
        assert (status, json.loads(said)["allowedOrigins"]) == (200, ["https://nobody.invalid"])
        assert "Access-Control-Allow-Origin" not in headers
    assert sorted(path.name for path in hostile.iterdir()) == [".streamlit", "home"]
    assert not (settings.HERE / ".streamlit").exists()


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("start", [["-m", "streamlit", "run"], []])
def test_an_app_that_serve_did_not_start_refuses_in_one_line(project: Place, entry: str, start: list[str]) -> None:
    path = str(ROOT / "annotate_app" / entry)
    more = ["--server.headless=true", f"--server.port={free_port()}", "--server.address=127.0.0.1"] if start else []
    for given, said in (
        ({}, "no project given"),
        ({DATABASE: str(project.made.database)}, "differs from what a blind"),
    ):
        done = run([*start, path, *more], **given)
        assert done.returncode == 2
        assert start or len(done.stderr.splitlines()) == 1
        assert "Traceback" not in done.stdout + done.stderr
        assert done.stderr.splitlines()[-1].startswith("polibias-annotate: ")
        assert said in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize(
    ("setting", "named"),
    [
        ({"STREAMLIT_THEME_BASE": "dark"}, "theme.base"),
        ({"STREAMLIT_SERVER_TRUSTED_USER_HEADERS": '{"X": "x"}'}, "server.trustedUserHeaders"),
        ({BELIEVED: "*"}, BELIEVED),
        ({BELIEVED: ""}, BELIEVED),
    ],
)
def test_one_setting_more_is_refused_by_name(project: Place, entry: str, setting: dict[str, str], named: str) -> None:
    """Even with every flag that `serve` passes."""
    given = {DATABASE: str(project.made.database), BELIEVED: settings.LOOPBACK, **setting}
    path = str(ROOT / "annotate_app" / entry)
    done = run(["-m", "streamlit", "run", path, *settings.flags("127.0.0.1", free_port())], **given)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(f"polibias-annotate: {named} was set for this process")


def run(arguments: list[str], **more: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in environment(**more).items() if name in more or name not in (DATABASE, PROXY)}
    return subprocess.run(
        [sys.executable, *arguments], env=kept, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize(
    ("proxy", "forwarded", "name"),
    [
        ([], "https", "__Host-annotate_"),
        ([], "http", "annotate_"),
        ([], "nonsense", "annotate_"),
        (["--proxy", "127.0.0.1"], "https", "__Host-annotate_"),
        (["--proxy", "192.0.2.0/24"], "https", "annotate_"),
    ],
)
def test_tls_is_believed_of_this_machine_or_of_the_proxy_that_was_named(
    project: Place, tmp_path: Path, proxy: list[str], forwarded: str, name: str
) -> None:
    token = enrol(project.store, "ann")[0].link.partition("#")[2].encode()
    with serving(project, tmp_path, *proxy) as server:
        status, headers, _ = server.answer("/invite", b"token=" + token, {"X-Forwarded-Proto": forwarded})
        assert status == 303
        assert headers["Set-Cookie"].startswith(name)
        assert ("; secure" in headers["Set-Cookie"].lower()) == name.startswith("__Host-")


def test_the_desk_prints_one_link_that_works(project: Place, tmp_path: Path) -> None:
    with serving(project, tmp_path, "--desk") as server:
        token = server.said.split("#")[1].split()[0].encode()
        assert f"{server.url}/desk#" in server.said
        assert server.answer("/desk")[0] == 200
        assert server.answer("/invite", b"token=" + token)[0] in (403, 404, 405)
        assert server.answer("/desk", b"token=guess")[0] == 403
        assert server.answer("/desk", b"token=" + token)[0] == 303
