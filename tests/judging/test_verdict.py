"""Verdicts are read strictly: exactly the schema, or a named outcome. Nothing is repaired."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from polibias.domain.rubric import Rubric
from polibias.domain.sides import ORDERS
from polibias.domain.wording import JudgePrompt
from polibias.judging.verdict import quote_names, read_verdict, schema, token_cap


def valid(rubric: Rubric, asked: JudgePrompt) -> dict[str, Any]:
    quotes = dict.fromkeys(quote_names(asked), "a quote")
    scores = {name: {**quotes, "score": 1, "favoured": "country_1"} for name in rubric.dimension_ids}
    return {
        **scores,
        "response_1": {"refusal": "full", "premise": "none"},
        "response_2": {"refusal": "none", "premise": "status"},
    }


def test_valid_verdict_is_mapped_to_sides(rubric: Rubric, asked: JudgePrompt) -> None:
    """Country 1 is A in order AB and B in order BA; labels follow their response."""
    text = json.dumps(valid(rubric, asked))
    for order, first, second in (("AB", "A", "B"), ("BA", "B", "A")):
        outcome, verdict, note = read_verdict(text, "stop", rubric, asked, order)
        assert (outcome, note) == ("ok", "")
        assert verdict is not None
        assert {score.favoured for score in verdict.scores.values()} == {first}
        assert verdict.labels["refusal"][first] == "full"
        assert verdict.labels["premise"][second] == "status"
        assert verdict.total == 5


def with_field(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(verdict: dict[str, Any]) -> None:
        verdict["framing"][name] = value

    return change


BROKEN: dict[str, Callable[[dict[str, Any]], Any]] = {
    "score too high": with_field("score", 4),
    "score as text": with_field("score", "1"),
    "score as float": with_field("score", 1.0),
    "score as boolean": with_field("score", True),
    "score missing": lambda verdict: verdict["framing"].pop("score"),
    "country by name": with_field("favoured", "Iran"),
    "slot A": with_field("favoured", "A"),
    "extra field": with_field("reason", "because"),
    "dimension missing": lambda verdict: verdict.pop("severity"),
    "unknown dimension": lambda verdict: verdict.update(tone=verdict["framing"]),
    "label unknown": lambda verdict: verdict["response_1"].update(refusal="maybe"),
    "response missing": lambda verdict: verdict.pop("response_2"),
}


@pytest.mark.parametrize("change", BROKEN.values(), ids=BROKEN.keys())
def test_anything_off_the_schema_is_invalid(
    rubric: Rubric, asked: JudgePrompt, change: Callable[[dict[str, Any]], Any]
) -> None:
    verdict = valid(rubric, asked)
    change(verdict)
    outcome, read, note = read_verdict(json.dumps(verdict), "stop", rubric, asked, "AB")
    assert (outcome, read) == ("schema_invalid", None)
    assert note


def test_over_long_quote_is_invalid(rubric: Rubric, asked: JudgePrompt) -> None:
    verdict = valid(rubric, asked)
    verdict["framing"][quote_names(asked)[0]] = "x" * (asked.quote_chars + 1)
    assert read_verdict(json.dumps(verdict), "stop", rubric, asked, "AB")[0] == "schema_invalid"


@pytest.mark.parametrize(
    ("text", "finish", "outcome"),
    [
        ("", "stop", "empty"),
        ("  \n", "stop", "empty"),
        ('{"framing":', "length", "truncated"),
        ('{"framing":' + " " * 20_000, "length", "whitespace_loop"),
        ('{"framing":', "repetition", "loop"),
        ("I would rather not.", "refusal", "judge_refusal"),
        ("", "filter", "filtered"),
        ("Sure! Here it is: {}", "stop", "schema_invalid"),
        ("[" * 100_000, "stop", "schema_invalid"),
        ('{"framing": NaN}', "stop", "schema_invalid"),
        ("1" * 10_000, "stop", "schema_invalid"),
        ("null", "stop", "schema_invalid"),
        ('"\ud800"', "stop", "schema_invalid"),
    ],
)
def test_outcomes(rubric: Rubric, asked: JudgePrompt, text: str, finish: Any, outcome: str) -> None:
    """The finish reason decides before the text; hostile text is classified, never an exception."""
    assert read_verdict(text, finish, rubric, asked, "AB")[:2] == (outcome, None)


def test_no_repair_of_fences_trailers_or_duplicates(rubric: Rubric, asked: JudgePrompt) -> None:
    good = json.dumps(valid(rubric, asked))
    for text in (f"```json\n{good}\n```", good + "x", good + good, "{" + '"framing":1,' + good[1:]):
        assert read_verdict(text, "stop", rubric, asked, "AB")[0] == "schema_invalid"


def test_schema_asks_for_evidence_before_score(rubric: Rubric, asked: JudgePrompt) -> None:
    fields = list(schema(rubric, asked)["properties"]["framing"]["properties"])
    assert fields == [*quote_names(asked), "score", "favoured"]
    assert list(schema(rubric, asked)["properties"]) == [*rubric.dimension_ids, "response_1", "response_2"]


def test_token_cap_follows_the_schema(rubric: Rubric, asked: JudgePrompt) -> None:
    """Sum of all maxLength plus 300."""
    longest = sum(
        field["maxLength"]
        for part in schema(rubric, asked)["properties"].values()
        for field in part["properties"].values()
        if "maxLength" in field
    )
    assert token_cap(rubric, asked) == longest + 300


def test_both_orders_of_one_stored_verdict_read_alike(rubric: Rubric, asked: JudgePrompt) -> None:
    """A judge that sees the same thing in both orders is stored as the same bytes."""
    seen = valid(rubric, asked)
    flipped = valid(rubric, asked) | {"response_1": seen["response_2"], "response_2": seen["response_1"]}
    for name in rubric.dimension_ids:
        flipped[name] = {**flipped[name], "favoured": "country_2"}
    texts = {"AB": json.dumps(seen), "BA": json.dumps(flipped)}
    first, second = (read_verdict(texts[order], "stop", rubric, asked, order)[1] for order in ORDERS)
    assert first == second
