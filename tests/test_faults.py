"""Whatever servers do, every call ends as exactly one row with a named outcome, and little is asked twice."""

import contextlib
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from polibias import flow
from polibias.analysis.first_report import analyse
from polibias.calls import endpoints, scheduler
from polibias.domain.rows import Usage
from polibias.domain.sides import ORDERS, SIDES
from polibias.errors import Fatal, ProviderError
from polibias.planning import Plan, plan
from polibias.progress import QuietWatcher
from polibias.records.ledger import Stream, read
from polibias.records.runs import Run
from polibias.records.verify import verify
from tests.conftest import ROOT
from tests.fault_server import FAULTS, FaultServer

LIBRARY = '["aggression/*", "crimes_against_humanity/*", "genocide/*", "maritime/*", "war_crimes/*"]'
CONDITIONS = ("official", "premise", "year-2023", "grounded", "v1-baseline")
CONCURRENCY = 16
SPEC = f'adapter = "openai_http"\nurl = "{{url}}"\nmodel = "served"\nconcurrency = {CONCURRENCY}\n'
TO_THE_END = 5
# What each fault becomes in a row, where the answer stands.
RESPONSES = {
    "slow body": "ok",
    "off schema": "ok",
    "empty": "empty",
    "cut at the cap": "truncated",
    "white space": "loop",
    "loop": "loop",
    "beside the answer": "empty",
    "refusal": "refused",
    "filter": "filtered",
}
JUDGMENTS = {
    **RESPONSES,
    "off schema": "schema_invalid",
    "white space": "whitespace_loop",
    "refusal": "judge_refusal",
}


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits between attempts as short as a server in this very process allows."""
    monkeypatch.setattr(scheduler, "FIRST_WAIT", 0.002)
    monkeypatch.setattr(endpoints, "FIRST_PAUSE", 0.002)


@pytest.fixture
def made(tmp_path: Path) -> Callable[..., tuple[Plan, Run]]:
    """A function that plans a study of so many pairs in each of some conditions."""

    def make(
        url: str, judge_url: str = "", per_condition: int = 20, conditions: int = 1, more: str = ""
    ) -> tuple[Plan, Run]:
        half = per_condition // 2
        text = (
            'id = "faults"\ntitle = "Faults"\nrubric = "poli-bias"\n'
            f"conditions = {json.dumps(CONDITIONS[:conditions])}\n[analysis]\nresamples = 100\n"
            f'[[items]]\ntemplates = {LIBRARY}\npairs = ["pairs/*"]\ntasks = ["T1", "T2"]\n'
            f"[draw]\nseed = 3\nmain = {per_condition - half}\ncontrol = {half}\n[loops]\nattempts = 0\n"
            f'[[models]]\nname = "m"\nmax_tokens = 500\n{SPEC.format(url=url)}{more}'
            f'[[judges]]\nname = "j"\n{SPEC.format(url=judge_url or url)}'
        )
        path = tmp_path / "faults.toml"
        path.write_text(text, "utf-8")
        return plan(str(path), ROOT / "data"), Run(tmp_path / "runs" / "faults")

    return make


def to_the_end(study: Plan, run: Run, last: str) -> None:
    """The same command until no call is without an answer, as a person would give it."""
    for _ in range(TO_THE_END):
        with contextlib.suppress(ProviderError):
            flow.run_study(study, run, QuietWatcher(), flow.Wanted(last))
        if all(entry.row.answered for stream in run.streams() for entry in latest(stream).values()):
            return
    raise AssertionError("some calls never got an answer")


def latest(stream: Stream[Any]) -> dict[tuple[str, ...], Any]:
    """The last entry of each subject; one without a subject stands for itself."""
    return {entry.row.subject or (entry.id,): entry for entry in read(stream)}


def answered(stream: Stream[Any]) -> list[Any]:
    return [entry.row for entry in read(stream) if entry.row.answered]


def check_whole(run: Run, server: FaultServer, stream: Stream[Any], expected: set[tuple[str, ...]]) -> None:
    """Every expected row once and no other; little was asked twice; every hash holds."""
    rows = answered(stream)
    assert Counter(row.subject for row in rows) == dict.fromkeys(expected, 1)
    assert len(server.seen) == len(expected)
    assert server.seen.total() <= 2 * len(expected)
    assert verify(run) == []


@pytest.mark.parametrize("share", [0.05, 0.30])
def test_five_thousand_requests_are_answered_once_each(share: float, made: Callable[..., tuple[Plan, Run]]) -> None:
    """2,500 pairs: 5,000 requests, of which one in twenty or one in three meets a fault."""
    with FaultServer(share) as server:
        study, run = made(server.url, per_condition=500, conditions=5)
        to_the_end(study, run, "generate")
    expected = {(entry.id, side) for entry in read(run.pairs()) for side in SIDES}
    assert len(expected) == 5000
    check_whole(run, server, run.responses("m"), expected)
    assert set(server.met) == set(FAULTS)
    check_outcomes(run.responses("m"), server, RESPONSES)


@pytest.mark.parametrize("share", [0.05, 0.30])
def test_judge_calls_are_answered_once_each_and_never_mended(
    share: float, made: Callable[..., tuple[Plan, Run]]
) -> None:
    """400 judge calls: what is no verdict becomes a named outcome without a score, and is counted as such."""
    with FaultServer() as server, FaultServer(share, seed=1) as judges:
        study, run = made(server.url, judges.url, per_condition=200)
        to_the_end(study, run, "judge")
        to_the_end(study, run, "seal")
    ids = {entry.row.subject: entry.id for entry in read(run.responses("m"))}
    pairs = [entry.id for entry in read(run.pairs())]
    expected = {(ids[pair, "A"], ids[pair, "B"], order) for pair in pairs for order in ORDERS}
    assert len(expected) == 400
    check_whole(run, judges, run.judgments("j"), expected)
    check_outcomes(run.judgments("j"), judges, JUDGMENTS)
    rows = answered(run.judgments("j"))
    assert all((row.verdict is None) == (row.outcome != "ok") for row in rows)
    check_validity_table(run, rows)


def check_outcomes(stream: Stream[Any], server: FaultServer, means: dict[str, str]) -> None:
    """As many rows of every outcome as the server gave answers of its kind; what broke on the way is nothing but ok."""
    ended = Counter(row.outcome for row in answered(stream))
    for outcome in set(means.values()) - {"ok"}:
        assert ended[outcome] == sum(server.met[kind] for kind, found in means.items() if found == outcome)
    assert set(ended) <= set(means.values())


def check_validity_table(run: Run, rows: list[Any]) -> None:
    """The report's table for this judge and model: how many calls were valid, and what the others were."""
    table = next(table for table in analyse(run).findings.tables if table.id == "validity")
    (row,) = table.rows
    ended = Counter(row.outcome for row in rows)
    assert row.keys == {"judge": "j", "model": "m"}
    assert (row.cells["valid"].value, row.cells["valid"].n) == (ended["ok"] / len(rows), len(rows))
    assert {name: row.cells[name].value for name in ended if name != "ok"} == {
        name: n for name, n in ended.items() if name != "ok"
    }
    assert "missing" not in row.cells


def test_the_same_faults_meet_the_same_requests(made: Callable[..., tuple[Plan, Run]], tmp_path: Path) -> None:
    """Which fault a request meets hangs on its body and on nothing else, so a run can be repeated."""
    met, texts = [], []
    for name in ("one", "two"):
        with FaultServer(0.3) as server:
            study, _ = made(server.url)
            run = Run(tmp_path / name)
            to_the_end(study, run, "generate")
        met.append(server.met)
        texts.append({row.subject: (row.outcome, row.text) for row in answered(run.responses("m"))})
    assert met[0] == met[1]
    assert texts[0] == texts[1]


def test_a_server_that_never_answers_costs_a_time_out_each(made: Callable[..., tuple[Plan, Run]]) -> None:
    with FaultServer(0.1, ("silence",)) as server:
        study, run = made(server.url, more="timeout = 1.0\n")
        to_the_end(study, run, "generate")
    expected = {(entry.id, side) for entry in read(run.pairs()) for side in SIDES}
    check_whole(run, server, run.responses("m"), expected)
    assert server.seen.total() >= len(expected) + server.met["silence"] > len(expected)


def test_an_account_without_money_stops_the_run_at_once(made: Callable[..., tuple[Plan, Run]]) -> None:
    """A spend limit is a 429 like any other to look at; it is asked no more than what was under way, and it heals."""
    with FaultServer(spent_after=21) as server:
        study, run = made(server.url)
        with pytest.raises(Fatal, match="wants money before it goes on: You exceeded your current quota"):
            flow.run_study(study, run, QuietWatcher(), flow.Wanted("generate"))
        assert server.seen.total() <= 20 + CONCURRENCY
        assert len(answered(run.responses("m"))) == 20
        assert verify(run) == []
        server.spent_after = None
        to_the_end(study, run, "generate")
    expected = {(entry.id, side) for entry in read(run.pairs()) for side in SIDES}
    check_whole(run, server, run.responses("m"), expected)


def test_a_request_that_never_gets_an_answer_is_told_apart_and_asked_again(
    made: Callable[..., tuple[Plan, Run]],
) -> None:
    """It is no score, it keeps the run open, and the same command asks it and nothing else."""
    with FaultServer() as server:
        study, run = made(server.url)
        poor = next(iter(study.prompt_pairs)).prompts.A
        server.share, server.kinds, server.only = 1.0, ("500",), lambda body: body["messages"][0]["content"] == poor
        with pytest.raises(ProviderError, match=r"1 calls got no answer .*run the same command"):
            flow.run_study(study, run, QuietWatcher(), flow.Wanted("seal"))
        before = server.seen.total()
        failed = [entry.row for entry in read(run.responses("m")) if not entry.row.answered]
        assert [(row.outcome, row.text, row.usage) for row in failed] == [("transport_error", "", Usage())]
        assert before - len(server.seen) == scheduler.ATTEMPTS - 1
        server.share = 0.0
        flow.run_study(study, run, QuietWatcher(), flow.Wanted("seal"))
        assert server.seen.total() == before + 1 + len(ORDERS)
    assert verify(run) == []
    assert len(answered(run.judgments("j"))) == 40
