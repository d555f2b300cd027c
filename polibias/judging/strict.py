"""The strict reading of what a judge wrote: exactly one JSON object of the schema it was given, or none.

Nothing is repaired: whatever else a judge writes is an outcome, not an answer.
"""

import json
from functools import lru_cache
from typing import Any

from polibias.domain.ids import canonical
from polibias.domain.rows import Finish, JudgmentOutcome

LONGEST_GAP = 200


def closed_object(properties: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object that has all of these and nothing else."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def strictly(text: str, finish: Finish, wanted: dict[str, Any]) -> tuple[JudgmentOutcome, Any, str]:
    """Outcome, value and a note saying what was wrong; the value is None unless the outcome is ok.

    The finish reason decides before the text does.
    """
    early = _before_parsing(text, finish)
    if early:
        return early, None, ""
    try:
        value = json.loads(text, object_pairs_hook=_no_duplicates, parse_constant=_no_constant)
        problem = _problem(value, wanted)
    except (ValueError, RecursionError) as error:
        problem = f"not JSON: {str(error)[:120]}"
    return ("schema_invalid", None, problem) if problem else ("ok", value, "")


def _before_parsing(text: str, finish: Finish) -> JudgmentOutcome | None:
    if finish == "refusal":
        return "judge_refusal"
    if finish == "filter":
        return "filtered"
    if finish == "repetition":
        return "loop"
    if finish == "length":
        return "whitespace_loop" if len(text) - len(text.rstrip()) > LONGEST_GAP else "truncated"
    return None if text.strip() else "empty"


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name occurs twice in one object")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _problem(value: Any, wanted: dict[str, Any]) -> str:
    """The first way in which `value` breaks the schema, or nothing."""
    error = next(_validator(canonical(wanted)).iter_errors(value), None)
    if error is None:
        return ""
    return f"{'/'.join(map(str, error.path)) or 'object'}: {error.message}"[:200]


@lru_cache(maxsize=16)
def _validator(wanted: bytes) -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads(wanted))
