"""What a person can tell `polibias run` and `polibias doctor`, counted at the server that is asked."""

import json
import signal
import subprocess
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from polibias.calls.budget import dollars
from polibias.cli import main
from polibias.domain.rows import Response
from polibias.records.ledger import read
from polibias.records.runs import Run
from polibias.records.verify import verify
from tests.chat_server import Answer, ChatServer, completion, error
from tests.conftest import ROOT, command, environment, polibias

ITEMS = """
[[items]]
templates = ["WC-DIS-001", "GEN-INC-001"]
pairs = ["russia-ukraine", "france-germany"]
tasks = ["T1", "T4"]
"""
RESPONSES = JUDGMENTS = 16
CALLS = RESPONSES + JUDGMENTS
CONCURRENCY = 4
# A reply of 50 tokens costs two cents at most by this list; the server charges one for each.
PRICE = "price = { input = 0.0, output = 400.0 }\n"
CENT = 0.01

Body = dict[str, Any]


class Study:
    """A study whose models all live on one server, and the command that works on it."""

    def __init__(self, folder: Path, server: ChatServer) -> None:
        self.folder = folder
        self.server = server
        self.path = folder / "options.toml"
        self.run = Run(folder / "runs" / "options")

    def write(self, models: tuple[str, ...] = ("m",), judges: tuple[str, ...] = ("j",), more: str = "") -> "Study":
        spec = (
            f'adapter = "openai_http"\nurl = "{self.server.url}"\nconcurrency = {CONCURRENCY}\nmax_tokens = 50\n{more}'
        )
        each = [
            f'[[{role}]]\nname = "{name}"\nmodel = "served-{name}"\n{spec}'
            for role, names in (("models", models), ("judges", judges))
            for name in names
        ]
        head = f'id = "options"\ntitle = "Options"\nrubric = "poli-bias"\njudge_prompt = "pair"\n{ITEMS}'
        self.path.write_text(f"{head}[analysis]\nresamples = 100\n{''.join(each)}", "utf-8")
        return self

    def arguments(self, *options: str | Path, what: str = "run") -> list[str]:
        return [
            what,
            str(self.path),
            "--runs",
            str(self.folder / "runs"),
            "--data",
            str(ROOT / "data"),
            *map(str, options),
        ]

    def do(self, *options: str | Path, what: str = "run") -> int:
        """The command in this process, and its exit code."""
        return main(self.arguments(*options, what=what))

    def start(self, *options: str) -> subprocess.Popen[str]:
        """The command in a process of its own."""
        return subprocess.Popen(
            command(*self.arguments(*options)),
            cwd=self.folder,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    @property
    def counts(self) -> tuple[int, int]:
        """How many responses and judgments with an answer are stored, of all models and judges."""
        kinds = Counter(
            stream.type is Response
            for stream in self.run.streams()
            for entry in read(stream)
            if stream.path != self.run.pairs().path and entry.row.answered
        )
        return kinds[True], kinds[False]


@pytest.fixture
def study(tmp_path: Path, chat_server: ChatServer) -> Study:
    return Study(tmp_path, chat_server)


@pytest.fixture
def errors(capsys: pytest.CaptureFixture[str]) -> Callable[[], str]:
    """What was said on standard error since it was last asked, which must be one line."""

    def said() -> str:
        text = capsys.readouterr().err
        assert text.count("\n") == 1, text
        return text

    return said


def charged(body: Body, cost: float | None = CENT, **usage: Any) -> Answer:
    """A reply that says what it cost, or only how long it was."""
    answer = json.loads(completion(body)[2])
    answer["usage"] = {
        "prompt_tokens": 10,
        "completion_tokens": 25,
        **({} if cost is None else {"cost": cost}),
        **usage,
    }
    return 200, {}, json.dumps(answer).encode()


def by_host(body: Body, host: str) -> Answer:
    return 200, {}, json.dumps({**json.loads(completion(body)[2]), "provider": host}).encode()


# --- budget, limit, model, stage --------------------------------------------------------------------------------------


@pytest.mark.parametrize("cost", [CENT, None])
def test_a_budget_stops_the_run_before_it_is_overdrawn(
    cost: float | None, study: Study, chat_server: ChatServer, errors: Callable[[], str]
) -> None:
    """One cent for each call, the probes' too: as the server says, or by its count of tokens at the declared price."""
    chat_server.behave = lambda body, times: charged(body, cost)
    chat_server.behave_probed = lambda body: charged(body, cost)
    study.write(more=PRICE)

    def paid() -> float:
        return CENT * (chat_server.seen.total() + chat_server.probes)

    for budget in (0.12, 0.25):
        assert study.do("--budget", str(budget)) == 3
        said = errors()
        assert f"the budget of {dollars(budget)} is used up: $" in said
        assert "run the same command with a larger --budget to go on" in said
        assert budget - 2.01 * CENT < paid() < budget + 1e-9
        assert verify(study.run) == []
        assert not study.run.sealed
    assert study.do("--budget", "1") == 0
    assert (len(chat_server.seen), chat_server.seen.total()) == (CALLS, CALLS)
    assert study.run.sealed
    assert verify(study.run) == []


def test_a_budget_too_small_for_a_first_question_asks_nothing(
    study: Study, chat_server: ChatServer, errors: Callable[[], str]
) -> None:
    study.write(more=PRICE)
    assert study.do("--budget", "0.001") == 3
    assert "the budget of $0.0010 is used up" in errors()
    assert (chat_server.seen.total(), chat_server.probes) == (0, 0)


def test_a_budget_needs_every_price(study: Study, chat_server: ChatServer, errors: Callable[[], str]) -> None:
    study.write()
    assert study.do("--budget", "5") == 2
    said = errors()
    assert "no price is known for 'm'; give it one in the study: price = { input = " in said
    assert (chat_server.seen.total(), chat_server.probes) == (0, 0)
    assert not study.run.folder.exists()


@pytest.mark.parametrize("limit", [1, 7, RESPONSES, RESPONSES + 5])
def test_a_limit_asks_so_many_calls_and_never_seals(
    limit: int, study: Study, chat_server: ChatServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """A judge is asked how it works before the model is asked anything: three short questions, which are no calls."""
    study.write()
    assert study.do("--limit", str(limit)) == 0
    assert f"note: stopped after {limit} calls, as told by --limit; the same command goes on" in capsys.readouterr().out
    assert chat_server.seen.total() == limit
    assert chat_server.probes == 5
    assert not study.run.sealed
    assert verify(study.run) == []
    assert study.do() == 0
    assert (len(chat_server.seen), chat_server.seen.total()) == (CALLS, CALLS)
    assert study.run.sealed


def test_a_limit_above_what_is_left_does_not_seal_either(study: Study, chat_server: ChatServer) -> None:
    study.write()
    assert study.do("--limit", "1000") == 0
    assert (chat_server.seen.total(), study.run.sealed) == (CALLS, False)
    assert study.do() == 0
    assert (chat_server.seen.total(), study.run.sealed) == (CALLS, True)


def test_only_the_named_model_or_judge_is_asked(study: Study, chat_server: ChatServer) -> None:
    """A model brings all judges along; a judge judges what is there. The run is finished without `--model`."""
    asked: Counter[str] = Counter()
    probed: set[str] = set()
    chat_server.behave = lambda body, times: asked.update([body["model"]])
    chat_server.behave_probed = lambda body: probed.add(body["model"])
    study.write(("m1", "m2"), ("j1", "j2"))
    assert study.do("--model", "m1", "--model", "j1") == 0
    assert asked == {"served-m1": RESPONSES, "served-j1": JUDGMENTS}
    assert probed == {"served-m1", "served-j1"}
    assert study.do("--model", "m2") == 0
    assert asked == {"served-m1": 16, "served-m2": 16, "served-j1": 32, "served-j2": 16}
    assert study.do("--model", "j2") == 0
    assert asked["served-j2"] == 32
    assert not study.run.sealed
    assert study.do() == 0
    assert asked == {"served-m1": 16, "served-m2": 16, "served-j1": 32, "served-j2": 32}
    assert study.run.sealed
    assert verify(study.run) == []


def test_an_unknown_model_is_refused_with_the_names_there_are(
    study: Study, chat_server: ChatServer, errors: Callable[[], str]
) -> None:
    study.write(("m1", "m2"), ("j1",))
    assert study.do("--model", "m3") == 2
    assert errors() == "polibias: --model m3: the study has no such model; it has j1, m1, m2\n"
    assert chat_server.seen.total() == chat_server.probes == 0


def test_stages_stop_where_they_are_told_to(study: Study, chat_server: ChatServer) -> None:
    study.write()
    done = {"build": (0, 0), "generate": (16, 0), "judge": (16, 16), "seal": (16, 16), "report": (16, 16)}
    for stage, counts in done.items():
        assert study.do("--stage", stage) == 0
        assert study.counts == counts
        assert chat_server.seen.total() == sum(counts)
        assert study.run.sealed == (stage in ("seal", "report"))
        assert study.run.report.exists() == (stage == "report")
        assert verify(study.run) == []


def test_failed_calls_keep_a_run_open_unless_they_are_accepted(
    study: Study, chat_server: ChatServer, errors: Callable[[], str]
) -> None:
    """One judge call never gets an answer: asked again by the same command, or sealed without a score for its pair."""
    first: list[Body] = []

    def behave(body: Body, times: int) -> Answer | None:
        if "response_format" in body and (not first or first == [body]):
            first[:] = [body]
            return error(500, "never", **{"retry-after": "0"})
        return None

    chat_server.behave = behave
    study.write()
    assert study.do() == 3
    assert "1 calls got no answer (the last: m" not in (said := errors())
    assert "1 calls got no answer (the last: j: HTTP 500 never) and the run stays open; run the same command" in said
    asked = chat_server.seen.total()
    assert study.do("--accept-failed") == 0
    assert chat_server.seen.total() == asked + 6
    assert study.run.sealed
    assert study.counts == (RESPONSES, JUDGMENTS - 1)
    assert verify(study.run) == []
    tables = {table["id"]: table for table in json.loads(study.run.findings.read_text("utf-8"))["tables"]}
    cells = tables["validity"]["rows"][0]["cells"]
    assert (cells["valid"]["value"], cells["valid"]["n"]) == (15 / 16, 16)
    assert (cells["transport_error"]["value"], cells["complete"]["value"]) == (1.0, 7 / 8)


# --- signals ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def held(chat_server: ChatServer) -> Iterator[threading.Event]:
    """From the tenth request on, the server answers only once this is set."""
    released = threading.Event()

    def behave(body: Body, times: int) -> None:
        if chat_server.seen.total() >= 10:
            assert released.wait(60)

    chat_server.behave = behave
    yield released
    released.set()


def until(process: subprocess.Popen[str], words: str) -> None:
    """Read what the command prints until it says so."""
    assert process.stdout is not None
    assert any(words in line for line in process.stdout), words


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, said = process.communicate(timeout=60)
    return process.returncode, said


STOPPED = "polibias: stopped; what was answered is stored, the same command goes on\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_first_signal_stores_what_is_under_way(
    number: signal.Signals, study: Study, chat_server: ChatServer, held: threading.Event
) -> None:
    process = study.write().start()
    chat_server.wait_for(9 + CONCURRENCY)
    process.send_signal(number)
    until(process, "note: stopping: what is under way will be stored")
    held.set()
    assert finish(process) == (130, STOPPED)
    assert chat_server.seen.total() == 9 + CONCURRENCY
    assert study.counts == (9 + CONCURRENCY, 0)
    assert verify(study.run) == []
    assert study.do() == 0
    assert (len(chat_server.seen), chat_server.seen.total()) == (CALLS, CALLS)


def test_a_second_signal_drops_what_is_under_way(study: Study, chat_server: ChatServer, held: threading.Event) -> None:
    process = study.write().start()
    chat_server.wait_for(9 + CONCURRENCY)
    process.send_signal(signal.SIGINT)
    until(process, "note: stopping: ")
    process.send_signal(signal.SIGINT)
    assert finish(process) == (130, STOPPED)
    assert study.counts == (9, 0)
    assert verify(study.run) == []
    held.set()
    assert study.do() == 0
    assert (len(chat_server.seen), chat_server.seen.total()) == (CALLS, CALLS + CONCURRENCY)


def test_a_signal_while_the_model_is_probed_asks_nothing(study: Study, chat_server: ChatServer) -> None:
    released = threading.Event()
    asked = threading.Event()

    def held(body: Body) -> None:
        asked.set()
        assert released.wait(60)

    chat_server.behave_probed = held
    process = study.write().start()
    assert asked.wait(60)
    process.send_signal(signal.SIGINT)
    until(process, "note: stopping: ")
    released.set()
    assert finish(process) == (130, STOPPED)
    assert chat_server.seen.total() == 0
    assert study.do("--stage", "judge") == 0
    assert chat_server.seen.total() == CALLS


def test_a_run_has_one_writer(study: Study, chat_server: ChatServer, held: threading.Event) -> None:
    process = study.write().start()
    chat_server.wait_for(9 + CONCURRENCY)
    second = polibias(*study.arguments(), cwd=study.folder)
    assert second.returncode == 2
    assert second.stderr == f"polibias: {study.run.folder}: in use by another polibias process; wait for it or end it\n"
    assert polibias(*study.arguments(what="doctor"), cwd=study.folder).returncode == 2
    held.set()
    assert finish(process) == (0, "")
    assert chat_server.seen.total() == CALLS
    assert study.run.sealed


# --- doctor and hosts -------------------------------------------------------------------------------------------------

BROKER = 'server = "openrouter"\nhosts = ["host-a"]\n'
Spoil = Callable[[ChatServer], Callable[[Body], Answer | None]]
SPOILT: dict[str, tuple[str, str, Spoil]] = {
    "constrained": (
        "",
        "the schema is not enforced; it wrote “A forest.”",
        lambda server: lambda body: completion(body, "A forest.") if "response_format" in body else None,
    ),
    "answers": (
        "",
        'temperature is deprecated for this model; change this model\'s temperature = "unsupported"',
        lambda server: lambda body: error(400, "temperature is deprecated for this model"),
    ),
    "reasoning": (
        'reasoning = "off"\n',
        "off: 12 reasoning tokens at most",
        lambda server: lambda body: charged(body, completion_tokens_details={"reasoning_tokens": 12}),
    ),
    "answers ": (
        BROKER,
        "host-b answered, and the study pins host-a; correct hosts",
        lambda server: lambda body: by_host(body, "host-a" if server.probes % 2 else "host-b"),
    ),
}


@pytest.mark.parametrize("what", SPOILT)
def test_a_server_that_does_not_do_as_declared_is_found_out_before_anything_is_spent(
    what: str, study: Study, chat_server: ChatServer, capsys: pytest.CaptureFixture[str]
) -> None:
    more, said, spoil = SPOILT[what]
    chat_server.behave_probed = spoil(chat_server)
    study.write(more=more)
    assert study.do(what="doctor") == 1
    shown = capsys.readouterr().out
    assert f"  FAILS {what.strip():<16}" in shown
    assert said in shown
    assert "Not ready: " in shown
    assert study.run.probes.exists()
    assert verify(study.run) == []

    assert study.do() == 3
    assert f": {what.strip()}: " in capsys.readouterr().err
    assert chat_server.seen.total() == 0
    assert study.counts == (0, 0)
    assert verify(study.run) == []

    chat_server.behave_probed = (lambda body: by_host(body, "host-a")) if what == "answers " else lambda body: None
    chat_server.behave = lambda body, times: by_host(body, "host-a")
    assert study.do("--stage", "seal") == 0
    assert chat_server.seen.total() == CALLS
    assert verify(study.run) == []


def test_what_doctor_found_is_part_of_the_run(
    study: Study, chat_server: ChatServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run asks nobody twice how it works; and who changes what was found is found out, sealed or not."""
    study.write()
    assert study.do("--json", what="doctor") == 0
    told = json.loads(capsys.readouterr().out)
    assert [(probe["role"], probe["name"]) for probe in told] == [("model", "m"), ("judge", "j")]
    assert json.loads(study.run.probes.read_text("utf-8"))["probes"] == told
    assert chat_server.probes == 5
    for stage in ("generate", "seal"):
        assert study.do("--stage", stage) == 0
        assert main(["verify", str(study.run.folder)]) == 0
        whole = study.run.probes.read_bytes()
        study.run.probes.write_bytes(whole.replace(b"is sent and accepted", b"was sent and accepted"))
        assert main(["verify", str(study.run.folder)]) == 1
        assert "probes.json" in capsys.readouterr().err
        study.run.probes.write_bytes(whole)
    assert chat_server.probes == 5
    assert chat_server.seen.total() == CALLS


def test_doctor_without_a_study_looks_at_this_machine() -> None:
    """Keys are named, their values never."""
    secret = "sk-planted-secret-1234567890"
    done = subprocess.run(
        command("doctor"), cwd=ROOT, env=environment() | {"OPENROUTER_API_KEY": secret}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
    assert "OPENROUTER_API_KEY        set; for " in done.stdout
    assert "ANTHROPIC_API_KEY" in done.stdout
    assert secret not in done.stdout + done.stderr


def test_another_host_in_the_middle_of_a_run_stops_it(
    study: Study, chat_server: ChatServer, errors: Callable[[], str]
) -> None:
    """Not one reply of the other host is kept; with the first one back the run is finished."""
    hosts = {"now": "host-a"}
    chat_server.behave_probed = lambda body: by_host(body, "host-a")
    chat_server.behave = lambda body, times: by_host(body, hosts["now"] if chat_server.seen.total() >= 10 else "host-a")
    hosts["now"] = "host-b"
    study.write(more=BROKER)
    assert study.do() == 3
    assert "m: host-b answered, and the study pins host-a; correct hosts. The reply was not kept" in errors()
    asked = chat_server.seen.total()
    assert asked <= 9 + CONCURRENCY
    assert study.counts == (9, 0)
    assert {entry.row.served_by for entry in read(study.run.responses("m"))} == {"host-a"}
    assert main(["verify", str(study.run.folder)]) == 0

    assert study.do() == 3
    assert study.counts == (9, 0)
    hosts["now"] = "host-a"
    assert study.do() == 0
    assert study.counts == (RESPONSES, JUDGMENTS)
    assert study.run.sealed
