"""Stopped at any moment, the same command finishes and buys nothing twice but what was in flight."""

import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from polibias.records.ledger import read
from polibias.records.runs import Run
from polibias.records.verify import verify
from tests.chat_server import ChatServer, completion
from tests.conftest import ROOT, command, disk_of, environment, polibias
from tests.detectors.texts import prose

CONCURRENCY = 4
ITEMS = """
[[items]]
templates = ["WC-DIS-001", "GEN-INC-001", "AGG-INV-001", "MAR-SEI-001"]
pairs = ["russia-ukraine", "france-germany"]
tasks = ["T1", "T4"]
"""
CALLS = 16 * 2 + 16 * 2


def http_models(url: str) -> str:
    spec = f'adapter = "openai_http"\nurl = "{url}"\nmodel = "served"\nconcurrency = {CONCURRENCY}\n'
    return f'[[models]]\nname = "m"\nmax_tokens = 50\n{spec}\n[[judges]]\nname = "j"\n{spec}'


def run_arguments(write_study: Callable[..., Path], tmp_path: Path, server: ChatServer) -> tuple[str | Path, ...]:
    """`polibias run` of a study whose model and judge both live on this server."""
    study = write_study(items=ITEMS, models=http_models(server.url))
    return ("run", study, "--runs", tmp_path / "runs", "--data", ROOT / "data")


@pytest.mark.parametrize("after", [1, 7, 30, 33, 40, 63])
def test_kill_then_same_command_finishes(
    after: int, write_study: Callable[..., Path], tmp_path: Path, chat_server: ChatServer
) -> None:
    """Killed without warning after any number of requests: re-asked are at most the calls in flight."""

    def slowly(body: dict[str, object], times: int) -> None:
        time.sleep(0.005)  # a server takes its time, so that the kill finds calls in flight

    chat_server.behave = slowly
    arguments = run_arguments(write_study, tmp_path, chat_server)
    process = subprocess.Popen(command(*arguments), cwd=tmp_path, env=environment(), stdout=subprocess.DEVNULL)
    chat_server.wait_for(after)
    process.send_signal(signal.SIGKILL)
    process.wait()

    again = polibias(*arguments, cwd=tmp_path)

    assert again.returncode == 0, again.stderr
    assert len(chat_server.seen) == CALLS
    assert chat_server.seen.total() - CALLS <= CONCURRENCY
    run = Run(tmp_path / "runs" / "small")
    assert verify(run) == []
    assert [sum(1 for _ in read(stream)) for stream in (run.pairs(), run.responses("m"), run.judgments("j"))] == [
        16,
        32,
        32,
    ]


KILLS = 20
MANY = """
[[items]]
templates = ["WC-DIS-001", "GEN-INC-001", "AGG-INV-001", "MAR-SEI-001"]
pairs = ["russia-ukraine", "france-germany", "iran-israel"]
tasks = ["T1", "T2", "T3", "T4"]
"""
MANY_CALLS = 48 * 2 + 48 * 2


def stored_rows(run: Run) -> int:
    """How many calls have a row that a killed process left whole."""
    return sum(stream.path.read_bytes().count(b"\n") for stream in run.streams() if stream.path != run.pairs().path)


def test_twenty_kills_of_one_study_lose_no_more_than_was_in_flight(
    write_study: Callable[..., Path], tmp_path: Path, chat_server: ChatServer
) -> None:
    """Killed at twenty random moments and begun again by the same command each time, from the first call to the seal.

    What a kill can cost is counted exactly: calls that the server answered and no row holds.
    """
    moments = sorted(random.Random(20).sample(range(1, MANY_CALLS + 1), KILLS))
    chat_server.behave = lambda body, times: time.sleep(0.004)
    study = write_study(items=MANY, models=http_models(chat_server.url))
    arguments = ("run", study, "--runs", tmp_path / "runs", "--data", ROOT / "data", "--stage", "seal")
    run = Run(tmp_path / "runs" / "small")
    repaid = 0
    for moment in moments:
        process = subprocess.Popen(command(*arguments), cwd=tmp_path, env=environment(), stdout=subprocess.DEVNULL)
        chat_server.wait_for(moment + repaid)
        process.kill()
        process.wait()
        assert len(chat_server.seen) - stored_rows(run) <= CONCURRENCY
        repaid = chat_server.seen.total() - len(chat_server.seen)

    again = polibias(*arguments, cwd=tmp_path)

    assert again.returncode == 0, again.stderr
    assert len(chat_server.seen) == MANY_CALLS
    assert chat_server.seen.total() - MANY_CALLS <= KILLS * CONCURRENCY
    assert run.sealed
    assert verify(run) == []
    assert [sum(1 for _ in read(stream)) for stream in (run.responses("m"), run.judgments("j"))] == [96, 96]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    with disk_of(160, tmp_path) as folder:
        yield folder


def test_a_full_disk_stops_with_one_line_and_the_same_command_goes_on(
    write_study: Callable[..., Path], small_disk: Path, tmp_path: Path, chat_server: ChatServer
) -> None:
    """What was stored before stays readable; nothing but what was in flight is asked again."""
    chat_server.behave = lambda body, times: (
        None if "response_format" in body else completion(body, prose(700, len(str(body))))
    )
    study = write_study(items=ITEMS, models=http_models(chat_server.url))
    arguments = ("run", study, "--runs", small_disk / "runs", "--data", ROOT / "data", "--stage", "generate")
    run = Run(small_disk / "runs" / "small")

    full = polibias(*arguments, cwd=tmp_path)

    assert full.returncode == 2, full.stderr
    assert full.stderr.startswith(f"polibias: {run.responses('m').path}: ")
    assert full.stderr.endswith("no space left on the device; free some and run the same command again\n")
    assert full.stderr.count("\n") == 1
    stored = sum(1 for _ in read(run.responses("m")))
    assert 0 < stored < 32
    assert len(chat_server.seen) - stored <= CONCURRENCY
    assert verify(run) == []

    subprocess.run(["mount", "-o", "remount,size=4m", small_disk], check=True)
    again = polibias(*arguments, cwd=tmp_path)

    assert again.returncode == 0, again.stderr
    assert len(chat_server.seen) == 32
    assert chat_server.seen.total() - 32 <= CONCURRENCY
    assert sum(1 for _ in read(run.responses("m"))) == 32
    assert verify(run) == []


def test_interrupted_write_is_set_aside(
    write_study: Callable[..., Path], tmp_path: Path, chat_server: ChatServer
) -> None:
    """Bytes behind the last committed line are an interrupted write: kept apart, reported, asked again."""
    arguments = run_arguments(write_study, tmp_path, chat_server)
    assert polibias(*arguments, "--stage", "generate", cwd=tmp_path).returncode == 0
    stream = tmp_path / "runs" / "small" / "responses" / "m.jsonl"
    with stream.open("ab") as file:
        file.write(b'{"id":"torn')

    again = polibias(*arguments, cwd=tmp_path)

    assert again.returncode == 0, again.stderr
    assert "m.jsonl: an unfinished last line (11 bytes) was moved to m.jsonl.torn" in again.stdout
    assert stream.with_name("m.jsonl.torn").read_bytes() == b'{"id":"torn\n'
    assert chat_server.seen.total() == CALLS
    assert verify(Run(tmp_path / "runs" / "small")) == []


def test_truncated_last_line_stops_and_can_be_set_aside(
    write_study: Callable[..., Path], tmp_path: Path, chat_server: ChatServer
) -> None:
    """A committed line that was cut is damage: one line naming file and line, nothing changed, exit 2."""
    arguments = run_arguments(write_study, tmp_path, chat_server)
    assert polibias(*arguments, "--stage", "generate", cwd=tmp_path).returncode == 0
    stream = tmp_path / "runs" / "small" / "responses" / "m.jsonl"
    cut = stream.read_bytes()[:-20]
    stream.write_bytes(cut)

    refused = polibias(*arguments, cwd=tmp_path)

    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert f"{stream}:32: " in refused.stderr
    assert stream.read_bytes() == cut
    assert polibias("verify", tmp_path / "runs" / "small", cwd=tmp_path).returncode == 1

    mended = polibias(*arguments, "--set-aside", cwd=tmp_path)

    assert mended.returncode == 0, mended.stderr
    assert chat_server.seen.total() == CALLS + 1
    assert verify(Run(tmp_path / "runs" / "small")) == []


def test_set_aside_run_still_verifies_when_the_new_answer_differs(
    write_study: Callable[..., Path], tmp_path: Path, chat_server: ChatServer
) -> None:
    """The lost response is asked again and answered otherwise; its old judgments are superseded, not dangling."""
    arguments = run_arguments(write_study, tmp_path, chat_server)
    assert polibias(*arguments, "--stage", "judge", cwd=tmp_path).returncode == 0
    stream = tmp_path / "runs" / "small" / "responses" / "m.jsonl"
    stream.write_bytes(stream.read_bytes()[:-20])
    chat_server.behave = lambda body, times: None if "response_format" in body else completion(body, "Another answer.")

    assert polibias(*arguments, "--set-aside", cwd=tmp_path).returncode == 0
    assert verify(Run(tmp_path / "runs" / "small")) == []


def test_leftovers_of_a_kill_are_not_sealed(
    write_study: Callable[..., Path], tmp_path: Path, chat_server: ChatServer
) -> None:
    arguments = run_arguments(write_study, tmp_path, chat_server)
    assert polibias(*arguments, "--stage", "judge", cwd=tmp_path).returncode == 0
    (tmp_path / "runs" / "small" / "manifest.json.part").touch()
    assert polibias(*arguments, cwd=tmp_path).returncode == 0
    assert verify(Run(tmp_path / "runs" / "small")) == []


def test_same_text_from_two_models_is_judged_once(
    write_study: Callable[..., Path], tmp_path: Path, chat_server: ChatServer
) -> None:
    """Equal requests share one reply: both pairs get a row, the server is asked once."""
    chat_server.behave = lambda body, times: (
        None if "response_format" in body else completion(body, "I will not answer.")
    )
    spec = f'adapter = "openai_http"\nurl = "{chat_server.url}"\n'
    models = "".join(f'[[models]]\nname = "m{n}"\nmodel = "served-{n}"\nmax_tokens = 50\n{spec}' for n in (1, 2))
    study = write_study(items=ITEMS, models=f'{models}[[judges]]\nname = "j"\nmodel = "judge"\n{spec}')
    done = polibias("run", study, "--runs", tmp_path / "runs", "--data", ROOT / "data", cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    run = Run(tmp_path / "runs" / "small")
    rows = [entry.row for entry in read(run.judgments("j"))]
    assert {row.model for row in rows} == {"m1", "m2"}
    assert len(rows) == 64
    assert sum("reply shared" in row.note for row in rows) == 32
    assert max(chat_server.seen.values()) == 1
