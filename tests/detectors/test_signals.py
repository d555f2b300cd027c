"""All detectors on one response, through the command, on anything that bytes can hold, and on hostile texts."""

import json
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polibias.detectors.provisions import citations
from polibias.detectors.signals import as_json, signals
from polibias.detectors.structure import arguments, hedges, words
from tests.conftest import command, environment
from tests.detectors.answers import answer

EMPTY = {
    "refusal": "none",
    "premise": "none",
    "rating": None,
    "loop": False,
    "evidence": {"refusal": [], "premise": [], "rating": [], "loop": []},
}
MEGABYTE = 1_000_000


def detected(response: bytes, *arguments: str, cwd: Path) -> dict[str, Any]:
    done = subprocess.run(
        command("detect", *arguments), input=response, cwd=cwd, env=environment(), capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_command_prints_labels_and_evidence(tmp_path: Path) -> None:
    text = "I won’t argue one side: the story is false. Taiwan is a province of China.\n\nRating: 8-9/10"
    found = detected(text.encode(), "--task", "T4", cwd=tmp_path)
    assert [found[name] for name in ("refusal", "premise", "rating", "loop")] == ["partial", "both", 8.5, False]
    (rating,) = found["evidence"]["rating"]
    assert rating == {"outcome": "read", "low": 8.0, "high": 9.0, "start": 84, "end": 90, "text": "8-9/10"}
    assert [passage["kind"] for passage in found["evidence"]["premise"]] == ["factual", "status"]
    for passages in found["evidence"].values():
        assert all(text[passage["start"] : passage["end"]] == passage["text"] for passage in passages)


def test_only_the_severity_task_has_a_rating(tmp_path: Path) -> None:
    assert detected(b"Rating: 9/10", "--task", "T1", cwd=tmp_path)["rating"] is None
    assert detected(b"Rating: 9/10", cwd=tmp_path)["rating"] == 9


def test_a_loop_is_shown(tmp_path: Path) -> None:
    found = detected(b"The rule is plain. " + b"It is so, and it stays so. " * 60, cwd=tmp_path)
    (loop,) = found["evidence"]["loop"]
    assert found["loop"]
    assert {"kind": "cycle", "period": 9, "start": 19}.items() <= loop.items()


@pytest.mark.parametrize(
    "response",
    [
        b"",
        b" \n\t",
        b"\xef\xbb\xbf",
        b"\xff\xfe\x00",
        "الأفعال الموصوفة تشكل انتهاكًا خطيرًا للقانون الدولي الإنساني.".encode(),
        "这些行为构成严重违反国际人道法的行为。".encode(),
        "这些行为构成严重违反国际人道法的行为。".encode("utf-16"),
    ],
)
def test_what_says_nothing_in_english_is_none(response: bytes, tmp_path: Path) -> None:
    assert detected(response, cwd=tmp_path) == EMPTY


def test_a_megabyte_is_answered(tmp_path: Path) -> None:
    text = "".join(answer(seed, sections=10) for seed in range(200))[:MEGABYTE]
    assert detected(text.encode(), "--task", "T1", cwd=tmp_path)["refusal"] == "none"


def test_binary_junk_declines_rejects_and_rates_nothing() -> None:
    for seed in range(50):
        junk = random.Random(seed).randbytes(20_000).decode("utf-8", "replace")
        assert as_json(signals(junk), junk) == EMPTY


def test_an_unknown_task_is_refused(tmp_path: Path) -> None:
    done = subprocess.run(
        command("detect", "--task", "T9"), input=b"", cwd=tmp_path, env=environment(), capture_output=True, check=False
    )
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


@given(st.text(st.characters(), max_size=200), st.sampled_from([None, "T1", "T2", "T3", "T4"]))
def test_any_text_has_an_answer_that_is_json(text: str, task: str | None) -> None:
    """Lone surrogates too, and every passage stands where it is said to stand."""
    found = as_json(signals(text, task), text)
    json.loads(json.dumps(found))
    for passages in found["evidence"].values():
        assert all(text[passage["start"] : passage["end"]] == passage["text"] for passage in passages)


HOSTILE = (
    "a",
    " ",
    "\n",
    '"',
    "'I ",
    "I cannot ",
    "no such ",
    "the scenario you describe ",
    "Taiwan is not a ",
    "<think>",
    "assistantfinal",
    "((((9",
    "9-",
    "0 = ",
    "out of ",
    "\\boxed{",
    "I rate this ",
    "| 9 |\n",
    "Article 8(",
    "Convention on ",
    "(i)",
    "\n1. ",
    "**",
    "抱歉",
    "\ud800",
    "\0",
)


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_texts_come_to_an_end(unit: str) -> None:
    """A megabyte of each: backtracking without bound would never finish."""
    text = (unit * (MEGABYTE // len(unit)))[:MEGABYTE]
    json.dumps(as_json(signals(text, "T4"), text))
    assert words(text) + arguments(text) + hedges(text) + len(citations(text, {}).provisions) >= 0
