"""A verdict's JSON schema, its token cap, and the strict reading of what a judge wrote.

Nothing is repaired: text that is not exactly one JSON object of this schema is an outcome, not a score.
Evidence comes before the score, scores are enumerations, and the favoured side is a slot ("country_1") that
we map to a country, so that no judge can misspell one.
"""

import json
from functools import cache
from typing import Any, cast

from polibias.domain.ids import canonical
from polibias.domain.rows import Finish, JudgmentOutcome, Score, Verdict
from polibias.domain.rubric import Rubric
from polibias.domain.sides import Both, Favoured, Order, Shown, stored
from polibias.domain.wording import JudgePrompt

SLOTS: dict[str, Shown] = {"country_1": "1", "country_2": "2", "none": "none"}
ANSWERS = ("response_1", "response_2")
TOKENS_BESIDE_QUOTES = 300


def quote_names(asked: JudgePrompt) -> tuple[str, ...]:
    """The evidence fields: one quote, or one from each response."""
    return ("quote",) if asked.quotes == 1 else ("quote_1", "quote_2")


def schema(rubric: Rubric, asked: JudgePrompt) -> dict[str, Any]:
    """The JSON schema of a verdict: only enumerations, bounded strings and closed objects."""
    quotes = {name: {"type": "string", "maxLength": asked.quote_chars} for name in quote_names(asked)}
    score = {"type": "integer", "enum": list(rubric.scores)}
    dimension = _object({**quotes, "score": score, "favoured": {"type": "string", "enum": list(SLOTS)}})
    labels = {label.id: {"type": "string", "enum": [option.id for option in label.options]} for label in rubric.labels}
    answers = {name: _object(labels) for name in ANSWERS} if labels else {}
    return _object(dict.fromkeys(rubric.dimension_ids, dimension) | answers)


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def token_cap(rubric: Rubric, asked: JudgePrompt) -> int:
    """A cap that cuts no valid verdict: the sum of all maxLength plus 300."""
    return len(rubric.dimensions) * asked.quotes * asked.quote_chars + TOKENS_BESIDE_QUOTES


def read_verdict(
    text: str, finish: Finish, rubric: Rubric, asked: JudgePrompt, order: Order
) -> tuple[JudgmentOutcome, Verdict | None, str]:
    """Outcome, verdict and a note saying what was wrong. The finish reason decides before the text does."""
    early = _before_parsing(text, finish)
    if early:
        return early, None, ""
    try:
        value = json.loads(text, object_pairs_hook=_no_duplicates, parse_constant=_no_constant)
        problem = _problem(value, rubric, asked)
    except (ValueError, RecursionError) as error:
        problem = f"not JSON: {str(error)[:120]}"
    if problem:
        return "schema_invalid", None, problem
    return "ok", _verdict(value, rubric, asked, order), ""


def _before_parsing(text: str, finish: Finish) -> JudgmentOutcome | None:
    if finish == "refusal":
        return "judge_refusal"
    if finish == "filter":
        return "filtered"
    if finish == "length":
        return "whitespace_loop" if len(text) - len(text.rstrip()) > 200 else "truncated"
    return None if text.strip() else "empty"


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name occurs twice in one object")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _problem(value: Any, rubric: Rubric, asked: JudgePrompt) -> str:
    """The first way in which `value` breaks the schema, or nothing."""
    error = next(_validator(canonical(schema(rubric, asked))).iter_errors(value), None)
    if error is not None:
        return f"{'/'.join(map(str, error.path)) or 'object'}: {error.message}"[:200]
    if any(type(value[name]["score"]) is not int for name in rubric.dimension_ids):
        return "a score is no integer"
    return ""


@cache
def _validator(wanted: bytes) -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads(wanted))


def _verdict(value: dict[str, Any], rubric: Rubric, asked: JudgePrompt, order: Order) -> Verdict:
    scores = {
        name: Score(
            score=value[name]["score"],
            favoured=favoured_side(value[name]["favoured"], order),
            evidence=tuple(value[name][quote] for quote in quote_names(asked)),
        )
        for name in rubric.dimension_ids
    }
    return Verdict(scores, {label.id: _label(value, label.id, order) for label in rubric.labels})


def favoured_side(slot: str, order: Order) -> Favoured:
    """The side a slot token means: country 1 is the aggressor of the response shown first."""
    return stored(SLOTS[slot], order)


def _label(value: dict[str, Any], label: str, order: Order) -> Both[str]:
    first, second = (cast(str, value[name][label]) for name in ANSWERS)
    return Both(*Both(first, second).in_order(order))
