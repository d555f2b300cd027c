"""The command line: exit codes, one line per error, and the numbers of `agreement`."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from polibias import flow
from polibias.errors import Fatal
from polibias.planning import plan
from polibias.progress import QuietWatcher
from polibias.records.runs import Run
from tests.chat_server import ChatServer, completion, error
from tests.conftest import ITEMS, ROOT, command, environment, polibias
from tests.test_resume import http_models

RATINGS = "item,who,score\n" + "".join(
    f"u{n},{who},{score}\n"
    for n, both in enumerate([(0, 0), (1, 1), (2, 3), (3, 3), (0, 1)])
    for who, score in zip("xy", both, strict=True)
)


@pytest.mark.parametrize(
    "arguments",
    [(), ("nonsense",), ("run",), ("run", "x", "--stage", "none"), ("verify", "nowhere"), ("report", "nowhere")],
)
def test_wrong_usage_exits_2_without_a_traceback(arguments: tuple[str, ...], tmp_path: Path) -> None:
    done = polibias(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr
    assert "Traceback" not in done.stderr


def test_help_names_every_command(tmp_path: Path) -> None:
    done = polibias("--help", cwd=tmp_path)
    assert done.returncode == 0
    for known in ("run", "verify", "report", "agreement"):
        assert known in done.stdout


def test_agreement_prints_estimates(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(RATINGS, "utf-8")
    columns = ("--unit", "item", "--rater", "who", "--value", "score")
    done = polibias("agreement", "r.csv", *columns, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert {"kappa", "kappa_linear", "kappa_quadratic", "exact", "within_one", "mean_difference"} <= found.keys()
    exact = found["exact"]
    assert {"value", "reason", "low", "high", "n", "clusters", "method"} <= exact.keys()
    assert (exact["value"], exact["reason"], exact["n"], exact["clusters"]) == (0.6, "", 5, 5)
    assert exact["method"] == "cluster jackknife-t of the logit, 4 degrees of freedom"
    assert 0 < exact["low"] < 0.6 < exact["high"] < 1
    assert exact["beside"][0]["reason"] == "5 clusters: too short"
    spoken = polibias("agreement", "r.csv", *columns, cwd=tmp_path)
    assert spoken.stdout.startswith("x and y gave the same rating to 60% of 5 units")


@pytest.mark.parametrize(
    ("text", "more", "said"),
    [
        (
            RATINGS.replace("x,3", "x,9"),
            (),
            "r.csv:8: the value 9 is not on the scale 0, 1, 2, 3",
        ),
        ("item,who,score\nu,x,1\n", (), "agreement needs two raters; the file has 1"),
        (RATINGS, ("--categories", "3,2,1"), "--categories 3,2,1: name at least two different numbers"),
        (RATINGS, ("--cluster", "team"), "no column 'team'"),
    ],
)
def test_agreement_says_what_is_wrong(text: str, more: tuple[str, ...], said: str, tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(text, "utf-8")
    columns = ("--unit", "item", "--rater", "who", "--value", "score")
    done = polibias("agreement", "r.csv", *columns, *more, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def run_against(server: ChatServer, study: Path, tmp_path: Path) -> tuple[int, str]:
    done = polibias("run", study, "--runs", tmp_path / "runs", "--data", ROOT / "data", cwd=tmp_path)
    return done.returncode, done.stderr


def test_fatal_answer_exits_3_and_the_same_command_goes_on(
    write_study: Callable[..., Path], tmp_path: Path, chat_server: ChatServer
) -> None:
    chat_server.behave = lambda body, times: error(402, "no credit left") if chat_server.seen.total() > 3 else None
    study = write_study(models=http_models(chat_server.url))
    code, said = run_against(chat_server, study, tmp_path)
    assert code == 3
    assert "wants money before it goes on: no credit left" in said
    assert said.count("\n") == 1
    chat_server.behave = lambda body, times: None
    assert run_against(chat_server, study, tmp_path)[0] == 0


def test_a_dead_server_stops_the_run_and_says_why(
    write_study: Callable[..., Path], tmp_path: Path, chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run does not go through the whole study and the judge while nothing answers."""
    monkeypatch.setattr("polibias.calls.scheduler.FIRST_WAIT", 0.0)
    chat_server.behave = lambda body, times: error(503, "down for repair")
    many = ITEMS.replace('["T1"]', '["*"]').replace('["WC-DIS-001", "GEN-INC-001"]', '["*"]')
    study = plan(str(write_study(items=many, models=http_models(chat_server.url))), ROOT / "data")
    with pytest.raises(Fatal, match=r"calls in a row got no answer .*down for repair"):
        flow.run_study(study, Run(tmp_path / "runs" / "small"), QuietWatcher())
    assert chat_server.seen.total() < 100


def test_a_changed_study_does_not_mix_with_a_started_run(
    write_study: Callable[..., Path], tmp_path: Path, chat_server: ChatServer
) -> None:
    study = write_study(models=http_models(chat_server.url))
    assert run_against(chat_server, study, tmp_path)[0] == 0
    study.write_text(study.read_text("utf-8").replace("max_tokens = 50", "max_tokens = 60"), "utf-8")
    code, said = run_against(chat_server, study, tmp_path)
    assert code == 2
    assert "this run was begun with other models" in said


def test_a_finished_run_asks_nothing_more(
    write_study: Callable[..., Path], tmp_path: Path, chat_server: ChatServer
) -> None:
    study = write_study(models=http_models(chat_server.url))
    assert run_against(chat_server, study, tmp_path)[0] == 0
    asked = chat_server.seen.total()
    assert run_against(chat_server, study, tmp_path)[0] == 0
    assert chat_server.seen.total() == asked


def test_an_invalid_verdict_is_kept_as_it_is(
    write_study: Callable[..., Path], tmp_path: Path, chat_server: ChatServer
) -> None:
    """A judge that ignores the schema: every call is schema-invalid, no pair gets a score, the run ends."""
    chat_server.behave = lambda body, times: (
        completion(body, "Score 0 everywhere.") if "response_format" in body else None
    )
    assert run_against(chat_server, write_study(models=http_models(chat_server.url)), tmp_path)[0] == 0
    run = Run(tmp_path / "runs" / "small")
    assert "cannot be compared" in (run.report / "index.html").read_text("utf-8")
    assert polibias("verify", run.folder, cwd=tmp_path).returncode == 0


def test_a_study_can_be_mended_while_nothing_was_answered(
    write_study: Callable[..., Path], tmp_path: Path, chat_server: ChatServer
) -> None:
    """A wrong address costs nothing: the mended study goes on under the same id."""
    chat_server.behave = lambda body, times: error(404, "no such model")
    study = write_study(models=http_models(chat_server.url))
    assert run_against(chat_server, study, tmp_path)[0] == 3
    study.write_text(study.read_text("utf-8").replace('model = "served"', 'model = "serving"'), "utf-8")
    chat_server.behave = lambda body, times: None
    assert run_against(chat_server, study, tmp_path)[0] == 0
    assert polibias("verify", tmp_path / "runs" / "small", cwd=tmp_path).returncode == 0


def test_what_changes_no_answer_may_change(
    write_study: Callable[..., Path], tmp_path: Path, chat_server: ChatServer
) -> None:
    """After a storm of 429 somebody lowers the concurrency and adds a comment; the run goes on."""
    study = write_study(models=http_models(chat_server.url))
    arguments = ("run", study, "--runs", tmp_path / "runs", "--data", ROOT / "data", "--stage", "generate")
    assert polibias(*arguments, cwd=tmp_path).returncode == 0
    asked = chat_server.seen.total()
    text = study.read_text("utf-8").replace("concurrency = 4", "concurrency = 1")
    study.write_text(f"# gently now\n{text}", "utf-8")
    assert run_against(chat_server, study, tmp_path)[0] == 0
    assert chat_server.seen.total() == 2 * asked
    assert "gently now" in (tmp_path / "runs" / "small" / "study.json").read_text("utf-8")


def test_a_reader_that_goes_away_does_not_end_the_run(write_study: Callable[..., Path], tmp_path: Path) -> None:
    """`polibias run … | head -1` still finishes."""
    script = '"$@" | head -1'
    parts = command("run", write_study(), "--runs", tmp_path / "runs", "--data", ROOT / "data")
    subprocess.run(["sh", "-c", script, "sh", *parts], cwd=tmp_path, env=environment(), check=True, capture_output=True)
    assert (tmp_path / "runs" / "small" / "report" / "index.html").is_file()


def test_a_fault_is_one_line(tmp_path: Path) -> None:
    """Odd names and closed outputs end in one line with exit 2, never a traceback."""
    for name in ("x" * 300, "a\nb", "studies/", "."):
        done = polibias("run", name, cwd=tmp_path)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    done = polibias("agreement", "/dev/null", cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command("--help"), cwd=tmp_path, env=environment(), stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert "Traceback" not in done.stderr
