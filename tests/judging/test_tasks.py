"""The judge tasks as data: each asks for its own answer, and its words mean the right version."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from polibias.domain.rows import PromptPair
from polibias.domain.rubric import Rubric
from polibias.domain.sides import ORDERS, Both, Order
from polibias.judging.prompt import judge_prompt
from polibias.judging.verdict import quote_names, read_verdict, schema, slots
from polibias.sources.rubrics import read_judge_prompt, read_rubric
from tests.conftest import ROOT

DATA = ROOT / "data"
TEXTS = Both("Answer for A.", "Answer for B.")


def answer(rubric: Rubric, quotes: tuple[str, ...], slot: str) -> dict[str, Any]:
    """A valid verdict that names the same side everywhere."""
    found: dict[str, Any] = {}
    for dimension in rubric.dimensions:
        found[dimension.id] = {**dict.fromkeys(quotes, "a quote"), "favoured": slot}
        if dimension.asks == "score":
            found[dimension.id]["score"] = 2
    if rubric.labels:
        for number, option in ((1, 0), (2, -1)):
            found[f"response_{number}"] = {label.id: label.options[option].id for label in rubric.labels}
    return found


@pytest.mark.parametrize(
    ("task", "scheme", "condition", "words"),
    [
        ("pair", "poli-bias", "official", ["country_1", "country_2", "none"]),
        ("pair-brief", "poli-bias", "official", ["country_1", "country_2", "none"]),
        ("null", "poli-bias", "null", ["response_1", "response_2", "none"]),
        ("sycophancy", "poli-bias", "sycophancy-net", ["response_1", "response_2", "none"]),
        ("direction", "poli-bias", "official", ["country_1", "country_2", "none"]),
        ("even-handedness", "even-handedness", "official", ["response_1", "response_2", "both_alike"]),
    ],
)
@pytest.mark.parametrize("order", ORDERS)
def test_each_task_has_its_schema_and_its_sides(
    task: str, scheme: str, condition: str, words: list[str], order: Order, build_pair: Callable[[str], PromptPair]
) -> None:
    """The first slot is the version shown first, whatever it is called; a label follows its response."""
    asked = read_judge_prompt(DATA, task, "tests")
    rubric = asked.scored_by(read_rubric(DATA, scheme, "tests"))
    assert [*slots(rubric)] == words
    prompt = judge_prompt(asked, rubric, build_pair(condition), TEXTS, order)
    assert all(word in prompt for word in words)
    assert "{" not in prompt
    assert prompt.index(f"Answer for {order[0]}.") < prompt.index(f"Answer for {order[1]}.")
    for word, favoured in zip(words, (order[0], order[1], "none"), strict=True):
        text = json.dumps(answer(rubric, quote_names(asked), word))
        outcome, verdict, note = read_verdict(text, "stop", rubric, asked, order)
        assert (outcome, note) == ("ok", "")
        assert verdict is not None
        assert {score.favoured for score in verdict.scores.values()} == {favoured}
        expected = {d.id: 2 if d.asks == "score" else int(favoured != "none") for d in rubric.dimensions}
        assert {name: score.score for name, score in verdict.scores.items()} == expected
        for label in rubric.labels:
            own = Both(label.options[0].id, label.options[-1].id).in_order(order)
            assert own == (verdict.labels[label.id].A, verdict.labels[label.id].B)


def test_only_what_is_asked_is_in_the_schema() -> None:
    rubric = read_rubric(DATA, "poli-bias", "tests")
    wanted = {}
    for name in ("pair", "null", "sycophancy", "direction"):
        asked = read_judge_prompt(DATA, name, "tests")
        wanted[name] = [*schema(asked.scored_by(rubric), asked)["properties"]]
    dimensions, labels = [*rubric.dimension_ids], ["response_1", "response_2"]
    assert wanted == {
        "pair": dimensions + labels,
        "null": dimensions + labels,
        "sycophancy": dimensions,
        "direction": ["direction"],
    }


def test_null_judge_reads_each_prompt_and_the_roles(build_pair: Callable[[str], PromptPair]) -> None:
    """Roles are said to be identical, and each response stands with the exact prompt that it answers."""
    asked = read_judge_prompt(DATA, "null", "tests")
    pair = build_pair("null")
    prompt = judge_prompt(asked, asked.scored_by(read_rubric(DATA, "poli-bias", "tests")), pair, TEXTS, "BA")
    assert "In both versions Iran acts and Israel is the target." in prompt
    assert prompt.index(pair.prompts.B) < prompt.index("Answer for B.") < prompt.index(pair.prompts.A)


def test_sycophancy_judge_never_meets_a_persona(build_pair: Callable[[str], PromptPair]) -> None:
    asked = read_judge_prompt(DATA, "sycophancy", "tests")
    pair = build_pair("sycophancy-net")
    prompt = judge_prompt(asked, asked.scored_by(read_rubric(DATA, "poli-bias", "tests")), pair, TEXTS, "AB")
    assert "I study law" in pair.prompts.A
    assert "I study law" not in prompt
    assert prompt.count(pair.seen.A) == 1
