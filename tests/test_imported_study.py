"""A pair set made elsewhere, from its CSV to a report by a second rubric: nothing outside the data knows Poli-Bias."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from polibias import flow
from polibias.analysis.first_report import analyse
from polibias.errors import InputError
from polibias.planning import plan
from polibias.progress import QuietWatcher
from polibias.records.ledger import read
from polibias.records.runs import Run
from polibias.records.verify import verify
from tests.chat_server import ChatServer, completion
from tests.conftest import ROOT, SCRIPTED, polibias
from tests.report.checked import check_report

EXCERPT = ROOT / "tests" / "cases" / "paired_prompts_18.csv"
COLUMNS = (
    "prompt_a=prompt_a,prompt_b=prompt_b,template=template,category=main_category,topic=topic_name,"
    "task=template_category,acting_a=prompt_a_group,acting_b=prompt_b_group"
)
STUDY = """
id = "stances"
title = "Political stances"
rubric = "even-handedness"
judge_prompt = "even-handedness"
pair_set = "paired-prompts-18"
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder that holds the two rubrics and the imported excerpt, and no scenario at all."""
    folder = tmp_path / "data"
    for path in (*(ROOT / "data" / "rubrics").glob("*"), *(ROOT / "data" / "prompts" / "judge").glob("*")):
        place = folder / path.relative_to(ROOT / "data")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(path.read_bytes())
    done = polibias("import", "pairs", EXCERPT, "--map", COLUMNS, "--credit", "CC BY 4.0", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "18 pairs" in done.stdout
    return folder


@pytest.fixture
def run(data: Path, tmp_path: Path) -> Run:
    """The excerpt, asked and judged by the scripted fake."""
    path = tmp_path / "stances.toml"
    path.write_text(STUDY + SCRIPTED, "utf-8")
    found = Run(tmp_path / "runs" / "stances")
    flow.run_study(plan(str(path), data), found, QuietWatcher())
    return found


def test_imported_pairs_are_asked_word_for_word(run: Run) -> None:
    assert verify(run) == []
    text = EXCERPT.read_text("utf-8")
    for entry in read(run.pairs()):
        assert entry.row.prompts.A in text
        assert entry.row.prompts.B in text
        assert entry.row.design.condition == "as_written"
    asked = {entry.row.request.body["messages"][0]["content"] for entry in read(run.responses("fake"))}
    assert asked == {text for entry in read(run.pairs()) for text in (entry.row.prompts.A, entry.row.prompts.B)}


def test_report_speaks_the_rubrics_language(run: Run) -> None:
    """Share of uneven pairs by topic and ratings of single responses; no country, no conflict, no controls."""
    index = (run.report / "index.html").read_text("utf-8")
    visible = re.sub(r"<style.*?</style>|<[^>]+>", " ", index, flags=re.DOTALL)
    for words in ("Share of uneven pairs", "By topic", "Ratings of single responses", "Counter-perspectives"):
        assert words in visible
    for words in ("ountr", "Political Bias Index", "Controls", "conflict", "legal"):
        assert words not in visible


def test_its_report_holds_what_every_report_must(run: Run) -> None:
    check_report(run)


def test_a_sample_of_a_set_can_be_asked(data: Path, tmp_path: Path) -> None:
    path = tmp_path / "stances.toml"
    part = '\n[draw]\nseed = 1\n[[draw.parts]]\nname = "some"\neach = 1\nover = ["template"]\n'
    path.write_text(STUDY + SCRIPTED + part, "utf-8")
    found = plan(str(path), data).prompt_pairs
    assert (len(found), {pair.inclusion for pair in found}) == (9, {0.5})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--map", "prompt_a=prompt_a"], "prompt_b"),
        (["--map", "prompt_a"], "--map: 'prompt_a' must be field=column"),
        (["--map", COLUMNS.replace("=topic_name", "=topic_nmae")], "topic_name"),
        (["--map", COLUMNS, "--id", "two words"], "--id"),
    ],
)
def test_a_bad_import_says_why_and_stores_nothing(options: list[str], said: str, tmp_path: Path) -> None:
    (tmp_path / "data" / "rubrics").mkdir(parents=True)
    done = polibias("import", "pairs", EXCERPT, *options, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "data" / "pairs").exists()


def test_a_judge_who_always_names_the_first_finds_nothing(data: Path, tmp_path: Path, chat_server: ChatServer) -> None:
    """Pure position bias is a share of 0 uneven pairs, no direction, and 100% in the table that shows it."""

    def first(body: dict[str, Any], times: int) -> Any:
        if "response_format" not in body:
            return None
        ratings = {"counter_perspectives": "1", "refusal": "1"}
        verdict = {
            "helpfulness": {"quote_1": "x", "quote_2": "y", "favoured": "response_1"},
            "response_1": ratings,
            "response_2": ratings,
        }
        return completion(body, json.dumps(verdict))

    chat_server.behave = first
    block = f'adapter = "openai_http"\nurl = "{chat_server.url}"\nmodel = "m"\n'
    path = tmp_path / "stances.toml"
    path.write_text(
        f'{STUDY}[[models]]\nname = "fake"\nmax_tokens = 50\n{block}[[judges]]\nname = "j"\n{block}', "utf-8"
    )
    run = Run(tmp_path / "runs" / "stances")
    flow.run_study(plan(str(path), data), run, QuietWatcher())
    tables = {table.id: table for table in analyse(run).findings.tables}
    assert tables["pbi"].rows[0].cells["main"].value == 0.0
    assert {row.cells["none"].value for row in tables["directions"].rows} == {2.0}
    sides = tables["order_sides"].rows[0].cells
    assert (sides["net"].value, sides["first"].value) == (1.0, 1.0)


def test_where_pairs_come_from_is_in_record_and_report(run: Run) -> None:
    index = (run.report / "index.html").read_text("utf-8")
    assert "CC BY 4.0" in index
    assert "paired_prompts_18.csv" in index


def test_a_judge_is_not_told_of_countries_that_pairs_do_not_name(data: Path, tmp_path: Path) -> None:
    unnamed = COLUMNS.partition(",acting_a")[0]
    assert polibias("import", "pairs", EXCERPT, "--map", unnamed, "--id", "unnamed", cwd=tmp_path).returncode == 0
    path = tmp_path / "stances.toml"
    wrong = STUDY.replace('judge_prompt = "even-handedness"', 'judge_prompt = "pair"')
    wrong = wrong.replace('pair_set = "paired-prompts-18"', 'pair_set = "unnamed"')
    path.write_text(wrong.replace('rubric = "even-handedness"', 'rubric = "poli-bias"') + SCRIPTED, "utf-8")
    with pytest.raises(InputError, match="judge prompt 'pair' names who is acting, and these pairs do not say it"):
        plan(str(path), data)


def test_bad_rows_are_all_named_and_left_out_only_if_asked(tmp_path: Path) -> None:
    (tmp_path / "data" / "rubrics").mkdir(parents=True)
    file = tmp_path / "mine.csv"
    file.write_bytes('\ufeffa,b\nWhy?,Why not?\n,empty\nsame,same\n"caf\xe9",x\n'.encode("latin-1", "ignore"))
    command = ["import", "pairs", file, "--map", "prompt_a=a,prompt_b=b"]
    refused = polibias(*command, cwd=tmp_path)
    assert refused.returncode == 2
    assert all(f"mine.csv:{line}: " in refused.stderr for line in (3, 4, 5))
    assert not (tmp_path / "data" / "pairs").exists()
    taken = polibias(*command, "--skip-invalid", cwd=tmp_path)
    assert (taken.returncode, "1 pairs, 3 left out" in taken.stdout) == (0, True)
    assert all(f"mine.csv:{line}: " in taken.stderr for line in (3, 4, 5))
