"""A vLLM server on loopback, asked through the HTTP adapter, and a whole study against it."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from polibias.domain.study import OpenAIHTTP
from polibias.errors import Fatal, TooLong
from polibias.models.base import Call, Reply
from polibias.models.openai_http import OpenAIModel
from polibias.records.ledger import read
from polibias.records.runs import Run
from polibias.records.verify import verify
from tests.conftest import ROOT, polibias
from tests.vllm.conftest import JudgeCall

# The first test waits until the server is up.
pytestmark = pytest.mark.timeout(900)

ITEMS = """
[[items]]
templates = ["WC-DIS-001"]
pairs = ["russia-ukraine", "france-germany"]
tasks = ["T1"]
"""
PARIS = Call("What is the capital of France?", 24)


def ask(at: str, call: Call, **changed: Any) -> Reply:
    async def send() -> Reply:
        spec = {"server": "vllm", "reasoning": "off", **changed}
        model = OpenAIModel(OpenAIHTTP(name="m", url=f"{at}/v1", model="small", max_tokens=9, **spec))
        try:
            return await model.send(model.request(call))
        finally:
            await model.close()

    return asyncio.run(send())


def post(server: str, **body: Any) -> httpx2.Response:
    asked = {"model": "small", "messages": [{"role": "user", "content": PARIS.prompt}], "max_tokens": 24}
    return httpx2.post(f"{server}/v1/chat/completions", json={**asked, "temperature": 0.0, **body}, timeout=120)


def test_greedy_twice_is_the_same(server: str) -> None:
    first, second = ask(server, PARIS), ask(server, PARIS)
    assert first.text == second.text
    assert "Paris" in first.text
    assert (first.finish, first.served_model) == ("stop", "small")
    assert first.usage.completion_tokens


@pytest.mark.parametrize("dialect", ["vllm", "openai"])
def test_a_verdict_is_constrained_and_holds_no_blanks(dialect: str, server: str, judge_call: JudgeCall) -> None:
    """The schema goes as vLLM's own field or as `response_format`; the server's setting keeps blanks out of both."""
    reply = ask(server, judge_call.call, server=dialect, reasoning="default")
    judge_call.check(reply)
    assert reply.text == json.dumps(json.loads(reply.text), separators=(",", ":"), ensure_ascii=False)


def test_vllm_s_own_field_needs_the_schema_too(server: str) -> None:
    refused = post(server, structured_outputs={"disable_any_whitespace": True})
    assert refused.status_code == 400
    assert "none are specified" in refused.text


def test_a_field_that_vllm_dropped_is_ignored_in_silence(server: str) -> None:
    """Why no adapter may rely on `guided_json`, and why a typing error in `extra` shows nowhere but in the replies."""
    plain = post(server)
    other = post(server, guided_json={"type": "object"}, no_such_field=1)
    assert (plain.status_code, other.status_code) == (200, 200)
    said = [answer.json()["choices"][0]["message"]["content"] for answer in (plain, other)]
    assert said[0] == said[1]
    assert not said[0].startswith("{")


def test_too_long_and_wrong_are_told_apart(server: str) -> None:
    with pytest.raises(TooLong, match="maximum context length"):
        ask(server, Call("word " * 5000, 4))
    with pytest.raises(Fatal, match="HTTP 400"):
        ask(server, PARIS, extra={"min_p": 7})


def test_the_server_says_what_it_is(server: str) -> None:
    (served,) = httpx2.get(f"{server}/v1/models").json()["data"]
    assert (served["id"], served["max_model_len"]) == ("small", 4096)
    assert httpx2.get(f"{server}/version").json() == {"version": "0.32.0"}


def test_a_study_runs_to_its_seal(server: str, write_study: Callable[..., Path], tmp_path: Path) -> None:
    """Model and judge are the same server; every verdict is valid, and the run verifies."""
    spec = f'adapter = "openai_http"\nserver = "vllm"\nurl = "{server}/v1"\nmodel = "small"\nreasoning = "off"\n'
    study = write_study(
        items=ITEMS, models=f'[[models]]\nname = "m"\nmax_tokens = 48\n{spec}\n[[judges]]\nname = "j"\n{spec}'
    )
    study.write_text(study.read_text("utf-8").replace('judge_prompt = "pair"', 'judge_prompt = "pair-brief"'), "utf-8")
    arguments = ("--runs", tmp_path / "runs", "--data", ROOT / "data")
    done = polibias("run", study, *arguments, cwd=tmp_path)
    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0), done.stderr
    run = Run(tmp_path / "runs" / "small")
    assert verify(run) == []
    assert run.sealed
    assert [entry.row.outcome for entry in read(run.judgments("j"))] == ["ok"] * 4
    assert {entry.row.outcome for entry in read(run.responses("m"))} <= {"ok", "truncated", "loop"}


def test_doctor_finds_the_server_in_order(server: str, write_study: Callable[..., Path], tmp_path: Path) -> None:
    """What vLLM says of itself is told, and its constraint is tried."""
    spec = f'adapter = "openai_http"\nserver = "vllm"\nurl = "{server}/v1"\nmodel = "small"\nreasoning = "off"\n'
    study = write_study(
        items=ITEMS, models=f'[[models]]\nname = "m"\nmax_tokens = 48\n{spec}\n[[judges]]\nname = "j"\n{spec}'
    )
    done = polibias("doctor", study, "--runs", tmp_path / "runs", "--data", ROOT / "data", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "the schema is enforced" in done.stdout
    assert "none between tokens" in done.stdout
    assert "max_model_len 4096, version 0.32.0" in done.stdout
