"""Stored rows as flat, typed columns: one value per column, missing where a row has none."""

import datetime
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from polibias.domain.ids import canonical, plain
from polibias.domain.rows import (
    JudgeGuess,
    Judgment,
    MaskedResponse,
    PromptPair,
    Request,
    Response,
    Seen,
    Verdict,
)
from polibias.domain.rubric import Rubric
from polibias.domain.sides import SIDES, Both
from polibias.errors import InputError
from polibias.records.ledger import Entry

Kind = Literal["text", "whole", "real", "time"]
Values = dict[str, Any]

ESCAPED = "escaped"
DESIGN = ("template", "category", "topic", "topic_category", "block", "task", "condition", "roles", "tags")
NAMES = ("id", "key")
SEEN: dict[str, Kind] = {"seen_at": "time", "seen_seconds": "real"}
TOKENS = ("prompt_tokens", "completion_tokens", "reasoning_tokens")
CALL = ("adapter", "revision", "replicate", "outcome", "text", "finish", *TOKENS, "cost")
REST = ("served_model", "served_by", "note", "supersedes", "request")
WHOLE = ("replicate", "fallback", "confidence", *TOKENS)
REAL = ("cost",)


class Shape(NamedTuple):
    """The columns of one kind of row: its scores and labels are those of the run's rubrics."""

    columns: dict[str, Kind]
    dimensions: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()


def shapes(rubrics: Iterable[Rubric]) -> dict[str, Shape]:
    """The tables of a run by name. Conditions may ask for different labels; a column holds all of one name."""
    found = list(rubrics)
    dimensions = tuple(dict.fromkeys(name for rubric in found for name in rubric.dimension_ids))
    labels = tuple(dict.fromkeys(label.id for rubric in found for label in rubric.labels))
    scored: dict[str, Kind] = {name: kind for dimension in dimensions for name, kind in _kinds(dimension).items()}
    labelled = [label_column(label, side) for label in labels for side in SIDES]
    whose = ("parties_a", "parties_b", "acting_a", "acting_b", "facing_a", "facing_b")
    worded = ("prompt_a", "prompt_b", "shown_a", "shown_b", "sources", "copy_of", "level")
    pointed = ("pair", "response_a", "response_b")
    hidden = ("pair", "response", "side")
    became = ("model", "level", "lexicon", "outcome", "text", "replaced", "leaks", "reason")
    named = ("model", "level", "judge", "naming", "x", "y", "guess_x", "guess_y", "result", "first", "options")
    return {
        "pairs": Shape({**_columns(NAMES, DESIGN, whose, worded), "inclusion": "real", **_last()}),
        "responses": Shape({**_columns(NAMES, ("pair", "side"), DESIGN, ("model", "fallback"), CALL, REST), **_last()}),
        "judgments": Shape(
            {
                **_columns(NAMES, pointed, ("order",), DESIGN, ("model", "judge", "rubric", "prompt"), CALL),
                "total": "whole",
                **scored,
                **_columns(labelled, REST),
                **_last(),
            },
            dimensions,
            labels,
        ),
        "masked": Shape({**_columns(NAMES, hidden, DESIGN, became), **_last()}),
        "guesses": Shape({**_columns(NAMES, pointed, DESIGN, named, ("confidence",), CALL, REST), **_last()}),
    }


def _kinds(dimension: str) -> dict[str, Kind]:
    return {f"score_{dimension}": "whole", f"favoured_{dimension}": "text", f"evidence_{dimension}": "text"}


def _columns(*names: Iterable[str]) -> dict[str, Kind]:
    kinds: dict[str, Kind] = {**dict.fromkeys(WHOLE, "whole"), **dict.fromkeys(REAL, "real")}
    return {name: kinds.get(name, "text") for group in names for name in group}


def _last() -> dict[str, Kind]:
    return {**SEEN, ESCAPED: "text"}


def label_column(label: str, side: str) -> str:
    """The column of one version's label."""
    return f"label_{label}_{side.lower()}"


def flat(entry: Entry[Any], shape: Shape) -> Values:
    """The row under the names of its columns. Raises InputError, naming file and line, for a time that is none."""
    row = entry.row
    if isinstance(row, PromptPair):
        own = _pair(row)
    elif isinstance(row, Response):
        own = {"pair": row.pair, "side": row.side, "model": row.model, "fallback": row.fallback, **_call(row)}
    elif isinstance(row, MaskedResponse):
        own = _masked(row)
    elif isinstance(row, JudgeGuess):
        own = {**_guess(row), **_call(row)}
    else:
        own = {**_judgment(row), **_call(row), **_verdict(row.verdict, shape)}
    design = {**plain(row.design), "tags": " ".join(row.design.tags)}
    try:
        seen = _seen(entry.seen)
    except ValueError:
        raise InputError(f"{entry.where}: '{entry.seen.at}' is no time") from None
    return _encodable({"id": entry.id, "key": entry.key, **design, **own, **seen}, shape.columns)


def _pair(row: PromptPair) -> Values:
    shown: Both[Any] = row.shown or Both(None, None)
    both = {"parties": row.parties, "acting": row.acting, "facing": row.facing, "prompt": row.prompts, "shown": shown}
    split = {f"{name}_{side.lower()}": value[side] for name, value in both.items() for side in SIDES}
    rest = {"sources": _json(row.sources), "copy_of": row.copy_of, "level": row.level}
    return {**split, "inclusion": row.inclusion, **rest}


def _masked(row: MaskedResponse) -> Values:
    plainly = {name: getattr(row, name) for name in ("pair", "response", "side", "model", "level", "lexicon")}
    became = {"outcome": row.outcome, "text": row.text, "reason": row.reason}
    return {**plainly, **became, "replaced": _json(row.replaced), "leaks": _json(row.leaks)}


def _guess(row: JudgeGuess) -> Values:
    names = ("pair", "model", "level", "judge", "x", "y", "guess_x", "guess_y", "result", "first", "confidence")
    pointed = {"response_a": row.responses.A, "response_b": row.responses.B, "options": " ".join(row.options)}
    return {**pointed, "naming": row.task, **{name: getattr(row, name) for name in names}}


def _judgment(row: Judgment) -> Values:
    return {
        "pair": row.pair,
        "response_a": row.responses.A,
        "response_b": row.responses.B,
        "order": row.order,
        "model": row.model,
        "judge": row.judge,
        "rubric": row.rubric,
        "prompt": row.prompt,
    }


def _call(row: Response | Judgment | JudgeGuess) -> Values:
    request: Request = row.request
    return {
        "adapter": request.adapter,
        "revision": request.revision,
        "replicate": request.replicate,
        "outcome": row.outcome,
        "text": row.text,
        "finish": row.finish,
        "prompt_tokens": row.usage.prompt_tokens,
        "completion_tokens": row.usage.completion_tokens,
        "reasoning_tokens": row.usage.reasoning_tokens,
        "cost": row.usage.cost,
        "served_model": row.served_model,
        "served_by": row.served_by,
        "note": row.note,
        "supersedes": row.supersedes,
        "request": _json(request),
    }


def _verdict(verdict: Verdict | None, shape: Shape) -> Values:
    if verdict is None:
        return {}
    return {"total": verdict.total, **dict(_scores(verdict, shape)), **dict(_labels(verdict, shape))}


def _scores(verdict: Verdict, shape: Shape) -> Iterator[tuple[str, Any]]:
    for name in shape.dimensions:
        if name in verdict.scores:
            score = verdict.scores[name]
            yield f"score_{name}", score.score
            yield f"favoured_{name}", score.favoured
            yield f"evidence_{name}", _json(score.evidence)


def _labels(verdict: Verdict, shape: Shape) -> Iterator[tuple[str, str]]:
    for name in shape.labels:
        if name in verdict.labels:
            yield from ((label_column(name, side), verdict.labels[name][side]) for side in SIDES)


def _seen(seen: Seen) -> Values:
    at = datetime.datetime.fromisoformat(seen.at) if seen.at else None
    return {"seen_at": at, "seen_seconds": seen.seconds}


def _json(value: Any) -> str:
    return canonical(plain(value)).decode("ascii")


def _encodable(values: Values, columns: Mapping[str, Kind]) -> Values:
    """The values of all columns. A text with a lone surrogate, which UTF-8 cannot hold, stands as a JSON string, and
    `escaped` names its column: ``json.loads`` gives it back exactly.
    """
    found: Values = {name: values.get(name) for name in columns}
    lone = [name for name, value in found.items() if isinstance(value, str) and not _is_unicode(value)]
    found |= {name: json.dumps(found[name]) for name in lone}
    return {**found, ESCAPED: " ".join(lone)}


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
