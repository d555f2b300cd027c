"""An estimate counts what a run would ask, leaves out what is answered, and spends nothing."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from polibias.estimate import Assumed, estimate
from polibias.planning import plan
from polibias.records.runs import Run
from tests.chat_server import ChatServer
from tests.conftest import ROOT, polibias

PRICED = """
[[models]]
adapter = "openai_http"
name = "my-model"
url = "http://127.0.0.1:9"
model = "openai/gpt-oss-120b"
provider = "openrouter"
api_key_env = "NO_SUCH_KEY"
max_tokens = 1000

[[judges]]
adapter = "openai_http"
name = "nobody-knows"
url = "http://127.0.0.1:9"
model = "m"
provider = "openrouter"
"""


def test_money_is_counts_times_prices(write_study: Callable[..., Path], tmp_path: Path) -> None:
    """No key is needed; a price that is not known is never taken for nothing."""
    found = plan(str(write_study(models=PRICED)), ROOT / "data", keyless=True)
    model, judge = estimate(found, Run(tmp_path / "runs" / "small"), [], Assumed(reply=100, verdict=10))
    assert (model.calls, model.reply_tokens, judge.calls, judge.reply_tokens) == (8, 800, 8, 80)
    prices = tomllib.loads((ROOT / "data" / "prices" / "2026-11.toml").read_text("utf-8"))["price"]
    (own,) = (p for p in prices if (p["model"], p["provider"]) == ("gpt-oss-120b", "openrouter"))
    input_, output = own["input"], own["output"]
    assert model.likely == pytest.approx((model.prompt_tokens * input_ + 800 * output) / 1e6)
    assert model.most == pytest.approx((model.prompt_tokens * input_ + 8000 * output) / 1e6)
    assert (judge.likely, judge.most) == (None, None)
    characters = sum(len(pair.prompts.A) + len(pair.prompts.B) for pair in found.prompt_pairs)
    assert model.prompt_tokens == round(characters / 4.5)


def test_what_is_answered_is_not_counted_again(sealed_run: Run, write_study: Callable[..., Path]) -> None:
    found = plan(str(write_study()), ROOT / "data")
    model, judge = estimate(found, sealed_run, [], Assumed(100, 10))
    assert (model.calls, judge.calls) == (0, 0)


def test_what_an_earlier_run_answers_is_not_counted(sealed_run: Run, write_study: Callable[..., Path]) -> None:
    path = write_study(id="again")
    other = Run(sealed_run.folder.parent / "again")
    model, judge = estimate(plan(str(path), ROOT / "data"), other, [sealed_run], Assumed(100, 10))
    assert (model.calls, judge.calls) == (0, 8)


def test_at_most_is_every_reply_at_its_cap_in_the_judges_prompt_too(
    write_study: Callable[..., Path], tmp_path: Path
) -> None:
    judged = PRICED.replace('name = "nobody-knows"', 'name = "j"\nmax_tokens = 300').replace(
        'model = "m"', 'model = "z-ai/glm-4.7"'
    )
    found = plan(str(write_study(models=judged)), ROOT / "data", keyless=True)
    run = Run(tmp_path / "runs" / "small")
    assumed, capped = (estimate(found, run, [], Assumed(*sizes))[1] for sizes in ((100, 10), (1000, 300)))
    assert assumed.most == capped.most == pytest.approx(capped.likely)
    assert (assumed.likely or 0) < (assumed.most or 0)


def test_calls_of_another_study_are_not_taken_for_this_one(sealed_run: Run, write_study: Callable[..., Path]) -> None:
    """The judge's rows of another model's pairs answer nothing here."""
    other = plan(str(write_study(models=PRICED.replace("nobody-knows", "fake-judge"))), ROOT / "data", keyless=True)
    model, judge = estimate(other, sealed_run, [], Assumed(100, 10))
    assert (model.calls, judge.calls) == (8, 8)
    done = polibias("estimate", write_study(models=PRICED), "--data", ROOT / "data", cwd=sealed_run.folder.parents[1])
    assert "polibias run would refuse this" in done.stderr


def test_command_asks_nobody(write_study: Callable[..., Path], tmp_path: Path, chat_server: ChatServer) -> None:
    models = PRICED.replace("http://127.0.0.1:9", chat_server.url)
    path = write_study(models=models)
    done = polibias("estimate", path, "--json", "--data", ROOT / "data", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [line["calls"] for line in json.loads(done.stdout)] == [8, 8]
    shown = polibias("estimate", path, "--data", ROOT / "data", cwd=tmp_path).stdout
    assert "no price" in shown
    assert "+ ?" in shown
    assert not (tmp_path / "runs").exists()
    assert chat_server.seen.total() == 0
