"""No key, in whatever spelling a server sends it back, is in anything that a command writes or prints."""

import asyncio
import html
import json
import re
import subprocess
import zipfile
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus, unquote

import pyarrow.parquet
import pytest

from polibias.domain.study import AnthropicAPI, OpenAIHTTP
from polibias.errors import ProviderError
from polibias.models.base import Call
from polibias.models.registry import open_model
from polibias.probing import NO_JSON, SENTENCE
from tests.chat_server import Answer
from tests.conftest import ROOT, polibias
from tests.wire_server import Wire, WireServer, chat, message, usual

KEYS = {
    "OPEN_KEY": 'sk-or-pl"anted+/0123456789=tail',
    "CLAUDE_KEY": "sk-ant-planted_9876543210-QRS~tail",
    # Nothing asks for these, and a library might pick them up all the same.
    "ANTHROPIC_AUTH_TOKEN": "sk-ant-oat-planted-5555555555",
    "OPENAI_API_KEY": "sk-proj-planted-7777777777",
    "HF_TOKEN": "hf_planted8888888888",
}
MODELS = """
[[models]]
adapter = "openai_http"
name = "open"
url = "{url}"
model = "org/open"
api_key_env = "OPEN_KEY"
max_tokens = 50

[[models]]
adapter = "anthropic_api"
name = "claude"
url = "{origin}"
model = "claude-opus-4-5"
api_key_env = "CLAUDE_KEY"
max_tokens = 50

[[judges]]
adapter = "openai_http"
name = "open-judge"
url = "{url}"
model = "org/judge"
api_key_env = "OPEN_KEY"

[[judges]]
adapter = "anthropic_api"
name = "claude-judge"
url = "{origin}"
model = "claude-haiku-4-5"
api_key_env = "CLAUDE_KEY"
"""


def spellings(secret: str) -> list[str]:
    """As a server may send it back: plain, escaped, in a URL, in base 64 at any place of what was encoded."""
    coded = [
        encode(f"{before}{secret} and more".encode()).decode()
        for before in ("", "x", "Bearer: ")
        for encode in (b64encode, urlsafe_b64encode)
    ]
    whole = "".join(f"%{ord(letter):02X}" for letter in secret)
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in secret)
    return [
        secret,
        json.dumps(secret)[1:-1],
        quote(secret),
        quote(secret, safe=""),
        quote_plus(secret),
        whole,
        escaped,
        *coded,
    ]


ECHO = {name: " ".join(spellings(secret)) for name, secret in KEYS.items()}
# The middle of each spelling: what stands around it decides the ends of a base 64.
TRACES = {name: {one[4 : 4 + 16] for one in spellings(secret)} | {secret} for name, secret in KEYS.items()}


def readings(text: str) -> Iterator[str]:
    """A text, and what a reader could make of it."""
    yield text
    yield html.unescape(text)
    yield unquote(text)
    yield re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text.replace("\\\\", "\\"))
    yield text.replace('\\"', '"').replace("\\\\", "\\")


def leaked(text: str) -> list[str]:
    """The names of the keys of which a trace is in the text."""
    return sorted({name for name, traces in TRACES.items() for form in readings(text) for one in traces if one in form})


def contents(path: Path, data: bytes) -> Iterator[tuple[str, str]]:
    """Everything that a file says, with members unpacked and columns decoded."""
    yield str(path), data.decode("utf-8", "replace") + str(path)
    if path.suffix == ".zip":
        with zipfile.ZipFile(BytesIO(data)) as archive:
            for name in archive.namelist():
                yield from contents(path / name, archive.read(name))
    if path.suffix == ".parquet":
        table = pyarrow.parquet.read_table(BytesIO(data))
        cells = (str(cell) for row in table.to_pylist() for cell in row.values())
        yield f"{path} decoded", "\n".join((str(table.schema.metadata), *cells))


def leaks(folder: Path) -> dict[str, list[str]]:
    """The files under a folder in which a key is, with the keys' names."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    said = (one for path in files for one in contents(path.relative_to(folder), path.read_bytes()))
    return {where: found for where, text in said if (found := leaked(text))}


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, secret in KEYS.items():
        monkeypatch.setenv(name, secret)


@pytest.fixture
def server() -> Iterator[WireServer]:
    with WireServer() as started:
        yield started


def is_probe(wire: Wire) -> bool:
    return wire.json["messages"][0]["content"] in (SENTENCE, NO_JSON)


def echo(wire: Wire) -> str:
    """The key of whoever asked, in all spellings."""
    return ECHO["CLAUDE_KEY" if wire.path.endswith("/messages") else "OPEN_KEY"]


def indiscreet(wire: Wire) -> Answer:
    """A good answer with the key in every place but the text."""
    status, _, body = usual(wire)
    answer = json.loads(body) | {name: echo(wire) for name in ("model", "provider", "id", "system_fingerprint", "note")}
    answer["usage"] |= {"service_tier": echo(wire), "completion_tokens_details": {"note": echo(wire)}}
    headers = dict.fromkeys(("x-echo", "set-cookie", "request-id", "x-ratelimit-reset-requests"), echo(wire))
    return status, headers | {"x-ratelimit-remaining-requests": "0"}, json.dumps(answer).encode()


def study(write_study: Callable[..., Path], server: WireServer, **parts: str) -> Path:
    return write_study(models=MODELS.format(url=server.url, origin=server.origin), **parts)


def called(command: str, *arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command; whatever it printed holds no key."""
    done = polibias(command, *arguments, cwd=cwd, timeout=240)
    assert leaked(done.stdout + done.stderr) == []
    assert "Traceback" not in done.stderr
    return done


def test_what_is_planted_would_be_found(tmp_path: Path) -> None:
    """The search itself: in any spelling, inside archives and tables."""
    for name, secret in KEYS.items():
        for one in spellings(secret):
            assert name in leaked(f"before {one} behind")
    table = pyarrow.table({"x": ["nothing", KEYS["HF_TOKEN"]]})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet", compression="zstd", use_dictionary=False)
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(tmp_path / "t.parquet", "in.parquet")
        archive.writestr("page.html", html.escape(KEYS["OPEN_KEY"]))
    found = {Path(name).name: keys for name, keys in leaks(tmp_path).items()}
    assert found["t.parquet decoded"] == found["in.parquet decoded"] == ["HF_TOKEN"]
    assert found["page.html"] == ["OPEN_KEY"]


def test_a_run_that_ends_well_holds_no_key(
    write_study: Callable[..., Path], tmp_path: Path, server: WireServer
) -> None:
    """With an error before the first answer and an answer withheld: doctor, run, report, tables, archive."""
    first: list[bytes] = []

    def behave(wire: Wire) -> Answer:
        if not is_probe(wire):
            first.append(wire.body)
        if len(first) == 1 and not is_probe(wire):
            return 500, {"retry-after": echo(wire)}, json.dumps({"error": {"message": echo(wire)}}).encode()
        if len(first) == 3 and not is_probe(wire):
            return 400, {}, json.dumps({"error": {"message": f"your prompt was flagged {echo(wire)}"}}).encode()
        return indiscreet(wire)

    server.behave = behave
    runs, data = tmp_path / "out" / "runs", ROOT / "data"
    written = study(write_study, server)
    for command in ("doctor", "run"):
        done = called(command, written, "--runs", runs, "--data", data, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
    run, out = runs / "small", tmp_path / "out"
    for arguments in (
        ("verify", run),
        ("report", run),
        ("export", "parquet", run, "--out", out / "tables"),
        ("archive", run, "--out", out / "small.zip", "--data", data),
        ("doctor", written, "--runs", runs, "--data", data, "--json"),
    ):
        done = called(*arguments, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr

    assert leaks(out) == {}
    stored = "".join(path.read_text("utf-8") for path in sorted(run.rglob("*.jsonl")))
    assert "holds the key in disguise" in stored
    assert '"outcome":"filtered"' in stored
    assert len(list((out / "tables").rglob("*.parquet"))) >= 3
    sent = {wire.headers["authorization"] for wire in server.seen}
    assert sent == {f"Bearer {KEYS[name]}" for name in ("OPEN_KEY", "CLAUDE_KEY")}


def unauthorized(wire: Wire) -> Answer:
    error = {"error": {"message": f"Incorrect key: {echo(wire)}", "type": echo(wire), "code": echo(wire)}}
    return 401, {"www-authenticate": echo(wire)}, json.dumps(error).encode()


def page(wire: Wire) -> Answer:
    return 403, {"content-type": "text/html"}, f"<html>{html.escape(echo(wire))} {echo(wire)}</html>".encode()


def thinking_aloud(wire: Wire) -> Answer:
    if wire.path.endswith("/messages"):
        return message(blocks=[{"type": "thinking", "thinking": echo(wire)}, {"type": "text", "text": "Hello"}])
    return chat("Hello", reasoning=echo(wire))


def in_base_64(wire: Wire) -> Answer:
    text = echo(wire).split()[-1]
    return message(text) if wire.path.endswith("/messages") else chat(text)


def error_within(wire: Wire) -> Answer:
    error = {"message": echo(wire), "code": 401, "type": echo(wire), "metadata": {"raw": echo(wire)}}
    return 200, {}, json.dumps({"error": error}).encode()


FAILURES = {
    "unauthorized": unauthorized,
    "page": page,
    "reasoning": thinking_aloud,
    "base 64": in_base_64,
    "error within": error_within,
}


@pytest.mark.parametrize(
    ("way", "first"), [("run", "open"), ("run late", "open"), ("run late", "claude"), ("doctor", "claude")]
)
@pytest.mark.parametrize("kind", [*FAILURES, "redirect"])
def test_a_run_that_fails_holds_no_key(
    kind: str, way: str, first: str, write_study: Callable[..., Path], tmp_path: Path, server: WireServer
) -> None:
    """Before the first question, after a probe that went well, and in the doctor: one line, no key, none elsewhere."""
    if (kind, first) == ("error within", "claude"):
        kind = "unauthorized"  # Anthropic's errors have a status of their own
    with WireServer() as elsewhere:

        def redirect(wire: Wire) -> Answer:
            return 307, {"location": f"{elsewhere.origin}/{quote(echo(wire)[:200])}"}, echo(wire).encode()

        fail = FAILURES.get(kind, redirect)
        server.behave = lambda wire: indiscreet(wire) if way == "run late" and is_probe(wire) else fail(wire)
        only = ("--model", first) if way == "doctor" else ("--model", first, "--stage", "generate")
        command, runs = way.split()[0], tmp_path / "out"
        done = called(command, study(write_study, server), "--runs", runs, "--data", ROOT / "data", *only, cwd=tmp_path)
        assert elsewhere.seen == []
    assert done.returncode == (1 if way == "doctor" else 3), done.stdout + done.stderr
    assert way == "doctor" or done.stderr.strip().splitlines()[-1].startswith("polibias: ")
    assert leaks(runs) == {}
    assert (runs / "small" / "study.json").is_file()


@pytest.mark.parametrize("name", ["open", "claude"])
@pytest.mark.parametrize("spelling", range(len(spellings("x"))))
def test_no_error_of_an_adapter_says_the_key(name: str, spelling: int, server: WireServer) -> None:
    """Whatever a server answers, in each spelling alone: an error without it, or a reply without it."""
    env = "CLAUDE_KEY" if name == "claude" else "OPEN_KEY"
    said = spellings(KEYS[env])[spelling]
    fields = {"name": "m", "model": "claude-opus-4-5", "api_key_env": env}
    spec = AnthropicAPI(url=server.origin, **fields) if name == "claude" else OpenAIHTTP(url=server.url, **fields)
    good = message("Hello", model=said) if name == "claude" else chat("Hello", id=said)
    answers: list[Answer] = [
        good,
        (200, {}, said.encode()),
        (200, {}, json.dumps({"error": said}).encode()),
        (200, {"content-type": said.replace("\\", "")}, good[2].replace(b"served", b"x")),
        (200, {"content-encoding": "gzip"}, said.encode()),
        (200, {"content-encoding": said}, said.encode()),
        (200, {said.replace('"', ""): "x"}, said.encode()),
        (400, {}, json.dumps([{"error": {"message": said}}]).encode()),
        (418, {}, json.dumps({"detail": said}).encode()),
        (429, {"retry-after": said, "retry-after-ms": said}, said.encode()),
        (500, {}, said.encode("utf-16")),
    ]
    for answer in answers:
        server.answers(answer)
        assert leaked(outcome(spec)) == []


def outcome(spec: AnthropicAPI | OpenAIHTTP) -> str:
    """All that a call leaves behind."""

    async def once() -> Any:
        model = open_model(spec)
        try:
            return await model.send(model.request(Call("Hello", 9)))
        except ProviderError as error:
            return [str(error), repr(error), repr(error.__cause__), vars(error)]
        finally:
            await model.close()

    return str(asyncio.run(once()))


TOKEN = "kP9x2LmQ7rT4vW8yZ1bN5cD3"


@pytest.mark.parametrize(
    ("command", "url", "said"),
    [
        ("doctor", f"http://127.0.0.1:9/{TOKEN}/v1", "the path of url seems to hold a key"),
        ("run", f"http://user:{TOKEN}@127.0.0.1:9/v1", "no credentials in url"),
        ("run", f"http://{TOKEN}@127.0.0.1:9/v1", "no credentials in url"),
        ("run", f"http://127.0.0.1:9/v1?key={TOKEN}", "no credentials in url"),
        ("run", f"http://127.0.0.1:9/{TOKEN}/v1", "the path of url seems to hold a key"),
        ("run", "http://127.0.0.1:9/sk-proj-abcdefghijkl/v1", "the path of url seems to hold a key"),
        ("run", "http://127.0.0.1:9/token-abcdefghijkl/v1", "the path of url seems to hold a key"),
    ],
)
def test_a_url_with_a_secret_is_refused(
    command: str, url: str, said: str, write_study: Callable[..., Path], tmp_path: Path
) -> None:
    written = write_study(models=MODELS.format(url=url, origin="http://127.0.0.1:9"))
    done = called(command, written, "--runs", tmp_path / "out", "--data", ROOT / "data", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert TOKEN not in done.stderr
    assert "abcdefghijkl" not in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "path",
    [
        *(
            "/v1",
            "/openai/deployments/Meta-Llama-3.1-70B-Instruct/v1",
            "/v1/accounts/0123456789abcdef0123456789abcdef/ai",
        ),
        *("/api/task-runner-service/v1", "/monkey-business-endpoint/v1"),
    ],
)
def test_an_ordinary_path_is_no_secret(path: str, write_study: Callable[..., Path]) -> None:
    from polibias.sources.studies import read_study

    read_study(write_study(models=MODELS.format(url=f"http://127.0.0.1:9{path}", origin="http://127.0.0.1:9")))


def unicoded(secret: str) -> str:
    return "".join(f"\\u{ord(letter):04X}" for letter in secret)


PLACES: dict[str, Callable[[str, str], str]] = {
    "comment": lambda text, key: text + f"\n# do not forget: {key}\n",
    "title": lambda text, key: text.replace("A small study", f"A study {quote(key)}"),
    "name": lambda text, key: text.replace("org/open", key.replace('"', '\\"')),
    "url": lambda text, key: text.replace("/v1", f"/{quote(key, safe='')[6:]}/{quote(key, safe='')}"),
    "base 64": lambda text, key: text + f"\n# {b64encode(f'Bearer {key}'.encode()).decode()}\n",
    "escaped": lambda text, key: text.replace("org/open", unicoded(key)),
    "extra": lambda text, key: text.replace("max_tokens = 50", f"max_tokens = 50\nextra.header = '{key}'", 1),
}


@pytest.mark.parametrize(
    ("command", "place", "in_panel"),
    [
        *(("run", place, False) for place in PLACES),
        *(("run", place, True) for place in PLACES if place != "title"),
        *(("doctor", "comment", in_panel) for in_panel in (False, True)),
    ],
)
def test_a_study_that_holds_its_key_is_refused(
    command: str, place: str, in_panel: bool, write_study: Callable[..., Path], tmp_path: Path, server: WireServer
) -> None:
    """It would be stored with the run and published with it: one line says so before anything is written or sent."""
    written = study(write_study, server)
    spoiled = PLACES[place](written.read_text("utf-8"), KEYS["OPEN_KEY"])
    if in_panel:
        head, models = spoiled.split("[[models]]", 1)
        written.write_text(head, "utf-8")
        (tmp_path / "panel.toml").write_text("[[models]]" + models, "utf-8")
    else:
        written.write_text(spoiled, "utf-8")
    panel = ("--panel", tmp_path / "panel.toml") if in_panel else ()
    done = called(command, written, *panel, "--runs", tmp_path / "out", "--data", ROOT / "data", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.count("\n") == 1
    assert "seems to hold a key" in done.stderr or "the key in OPEN_KEY stands in the study or its panel" in done.stderr
    assert server.seen == []
    assert not (tmp_path / "out").exists()
