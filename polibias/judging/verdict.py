"""A verdict's JSON schema, its token cap, and the strict reading of what a judge wrote.

Evidence comes before the score, scores are enumerations, and the favoured side is a slot of the rubric that we map
to a version, so that no judge can misspell a country. `rubric` is always the rubric as the judge task asks for it.
"""

from typing import Any, cast

from polibias.domain.rows import Finish, JudgmentOutcome, Score, Verdict
from polibias.domain.rubric import Rubric
from polibias.domain.sides import Both, Order, Shown, stored
from polibias.domain.wording import JudgePrompt
from polibias.judging.strict import closed_object, strictly

ANSWERS = ("response_1", "response_2")
TOKENS_BESIDE_QUOTES = 300


def quote_names(asked: JudgePrompt) -> tuple[str, ...]:
    """The evidence fields: one quote, or one from each response."""
    return ("quote",) if asked.quotes == 1 else ("quote_1", "quote_2")


def schema(rubric: Rubric, asked: JudgePrompt) -> dict[str, Any]:
    """The JSON schema of a verdict: only enumerations, bounded strings and closed objects."""
    quotes = {name: {"type": "string", "maxLength": asked.quote_chars} for name in quote_names(asked)}
    favoured = {"favoured": {"type": "string", "enum": list(slots(rubric))}}
    score = {"score": {"type": "integer", "enum": list(rubric.scores)}}
    asked_for = {"score": closed_object({**quotes, **score, **favoured}), "side": closed_object({**quotes, **favoured})}
    labels = {label.id: {"type": "string", "enum": [option.id for option in label.options]} for label in rubric.labels}
    answers = {name: closed_object(labels) for name in ANSWERS} if labels else {}
    return closed_object({dimension.id: asked_for[dimension.asks] for dimension in rubric.dimensions} | answers)


def slots(rubric: Rubric) -> dict[str, Shown]:
    """The words a judge names a side with, and what each means on the screen."""
    words = rubric.favoured.slots
    return {words.first: "1", words.second: "2", words.none: "none"}


def token_cap(rubric: Rubric, asked: JudgePrompt) -> int:
    """A cap that cuts no valid verdict: the sum of all maxLength plus 300."""
    return len(rubric.dimensions) * asked.quotes * asked.quote_chars + TOKENS_BESIDE_QUOTES


def read_verdict(
    text: str, finish: Finish, rubric: Rubric, asked: JudgePrompt, order: Order
) -> tuple[JudgmentOutcome, Verdict | None, str]:
    """Outcome, verdict and a note saying what was wrong. The finish reason decides before the text does."""
    outcome, value, note = strictly(text, finish, schema(rubric, asked))
    if value is None:
        return outcome, None, note
    if any(type(value[name].get("score", 0)) is not int for name in rubric.dimension_ids):
        return "schema_invalid", None, "a score is no integer"
    return "ok", _verdict(value, rubric, asked, order), ""


def _verdict(value: dict[str, Any], rubric: Rubric, asked: JudgePrompt, order: Order) -> Verdict:
    scores = {name: _score(value[name], rubric, asked, order) for name in rubric.dimension_ids}
    return Verdict(scores, {label.id: _label(value, label.id, order) for label in rubric.labels})


def _score(found: dict[str, Any], rubric: Rubric, asked: JudgePrompt, order: Order) -> Score:
    favoured = stored(slots(rubric)[found["favoured"]], order)
    score = found.get("score", int(favoured != "none"))
    return Score(score, favoured, tuple(found[quote] for quote in quote_names(asked)))


def _label(value: dict[str, Any], label: str, order: Order) -> Both[str]:
    first, second = (cast(str, value[name][label]) for name in ANSWERS)
    return Both(*Both(first, second).in_order(order))
