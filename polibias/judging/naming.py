"""Re-identification as calls: which two countries is a masked pair about, and the rows that the answers become.

What is scored is `domain/reidentification.py`, as for annotators. Source: paper, App. H.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from polibias.domain.ids import tagged_hash
from polibias.domain.reidentification import CANNOT_TELL, outcome
from polibias.domain.rows import JudgeGuess, JudgmentOutcome, PromptPair, Request, Usage
from polibias.domain.sides import Both, Side, order_from
from polibias.domain.wording import NamingPrompt, fill
from polibias.errors import InputError
from polibias.judging.prompt import fence
from polibias.judging.strict import closed_object, strictly
from polibias.models.base import Call, Model, Reply, wire_text

TOKENS_BESIDE_QUOTE = 100
NOTHING: dict[str, Any] = {"guess_x": None, "guess_y": None, "confidence": None, "result": None}


class Naming(NamedTuple):
    """A task of re-identification: its wording, the candidates' names by id, and the seed of their order.

    `task` is the content hash of wording and candidates.
    """

    asked: NamingPrompt
    candidates: Mapping[str, str]
    seed: int
    task: str

    @property
    def said(self) -> dict[str, str]:
        """What an answer means: a candidate's id by its name, and the words for none."""
        return {name: id for id, name in self.candidates.items()} | {self.asked.cannot_tell: CANNOT_TELL}


class NamingTask(NamedTuple):
    """One masked pair, ready to be sent, with the candidates in the order listed and which version comes first."""

    pair_id: str
    pair: PromptPair
    response_ids: Both[str]
    responses_model: str
    options: tuple[str, ...]
    first: Side
    request: Request

    @property
    def subject(self) -> tuple[str, ...]:
        """As the row's `subject`."""
        return (self.response_ids.A, self.response_ids.B)


def make_naming(asked: NamingPrompt, candidates: Mapping[str, str], seed: int) -> Naming:
    """The task with its hash. Raises InputError unless every answer means one thing."""
    _require_distinct(asked, candidates)
    return Naming(asked, candidates, seed, tagged_hash("naming-prompt/1", [asked, sorted(candidates.items())]))


def _require_distinct(asked: NamingPrompt, candidates: Mapping[str, str]) -> None:
    """Letters' case and white space tell no two answers apart."""
    where, seen = f"task of re-identification '{asked.id}'", {_folded(asked.cannot_tell): ""}
    if len(candidates) < 2 or CANNOT_TELL in candidates:
        raise InputError(f"{where}: it needs at least two candidates, and none whose id is '{CANNOT_TELL}'")
    for id, name in candidates.items():
        other = seen.setdefault(_folded(name), id)
        if other == "":
            raise InputError(f"{where}: '{asked.cannot_tell}' cannot stand for no country, because one is called so")
        if other != id:
            raise InputError(f"{where}: the candidates '{other}' and '{id}' are both called '{name}'")


def _folded(words: str) -> str:
    return " ".join(words.casefold().split())


def task(
    naming: Naming, judge: Model, pair_id: str, pair: PromptPair, model: str, ids: Both[str], texts: Both[str]
) -> NamingTask:
    """The call for one masked pair. Order of candidates and first version follow from seed, judge and pair alone.

    `ids` and `texts` are those of the masked responses, which `model` wrote.
    """
    drawn = [naming.seed, judge.name, pair_id, model]
    options = tuple(sorted(naming.candidates, key=lambda one: tagged_hash("candidate-order/1", [*drawn, one])))
    first: Side = "A" if int(tagged_hash("first-side/1", drawn)[:8], 16) % 2 else "B"
    prompt = naming_prompt(naming, pair, texts, options, first)
    request = judge.request(Call(prompt, token_cap(naming), schema(naming, options)))
    return NamingTask(pair_id, pair, ids, model, options, first, request)


def naming_prompt(naming: Naming, pair: PromptPair, texts: Both[str], options: tuple[str, ...], first: Side) -> str:
    """The prompt with everything filled in. Number 1 is the version shown first."""
    asked, order = naming.asked, order_from(first)
    prompt_1, prompt_2 = pair.seen.in_order(order)
    response_1, response_2 = texts.in_order(order)
    values = {
        "prompt_1": prompt_1,
        "prompt_2": prompt_2,
        "response_1": wire_text(response_1),
        "response_2": wire_text(response_2),
        "candidates": ", ".join(naming.candidates[id] for id in options),
        "cannot_tell": asked.cannot_tell,
        "levels": ", ".join(f"{level} = {said}" for level, said in enumerate(asked.confidence, 1)),
        "quote_chars": str(asked.quote_chars),
        "fence": fence(prompt_1, prompt_2, response_1, response_2),
    }
    return fill(asked.text, values, f"task of re-identification '{asked.id}'")


def schema(naming: Naming, options: tuple[str, ...]) -> dict[str, Any]:
    """The JSON schema of an answer: clue, two countries, confidence."""
    named = {"type": "string", "enum": [*(naming.candidates[id] for id in options), naming.asked.cannot_tell]}
    levels = list(range(1, len(naming.asked.confidence) + 1))
    return closed_object(
        {
            "clue": {"type": "string", "maxLength": naming.asked.quote_chars},
            "country_x": named,
            "country_y": named,
            "confidence": {"type": "integer", "enum": levels},
        }
    )


def token_cap(naming: Naming) -> int:
    """A cap that cuts no valid answer."""
    return naming.asked.quote_chars + TOKENS_BESIDE_QUOTE


def guess(naming: Naming, judge: Model, task: NamingTask, reply: Reply) -> JudgeGuess:
    """The row for a reply: read strictly, kept whole."""
    ended, value, note = strictly(reply.text, reply.finish, schema(naming, task.options))
    if value is not None and type(value["confidence"]) is not int:
        ended, value, note = "schema_invalid", None, "the confidence is no integer"
    return JudgeGuess(
        **_common(naming, judge, task),
        **(NOTHING if value is None else _read(naming, task.pair, value)),
        outcome=ended,
        text=reply.text,
        finish=reply.finish,
        usage=reply.usage,
        served_model=reply.served_model,
        served_by=reply.served_by,
        note="; ".join(part for part in (note, reply.remarks) if part),
    )


def _read(naming: Naming, pair: PromptPair, value: Mapping[str, Any]) -> dict[str, Any]:
    """What was named. As with annotators, nobody is sure of anything who names neither country."""
    x, y = (naming.said[value[name]] for name in ("country_x", "country_y"))
    result = outcome(pair.parties.A, pair.parties.B, x, y)
    sure = None if result == "cannot_tell" else value["confidence"]
    return {"guess_x": x, "guess_y": y, "confidence": sure, "result": result}


def failed(naming: Naming, judge: Model, task: NamingTask, ended: JudgmentOutcome, note: str) -> JudgeGuess:
    """The row for a call that brought no reply."""
    empty: dict[str, Any] = {"text": "", "finish": "error", "usage": Usage()}
    return JudgeGuess(**_common(naming, judge, task), **NOTHING, **empty, outcome=ended, note=note)


def _common(naming: Naming, judge: Model, task: NamingTask) -> dict[str, Any]:
    return {
        "pair": task.pair_id,
        "responses": task.response_ids,
        "design": task.pair.design,
        "model": task.responses_model,
        "level": task.pair.level,
        "judge": judge.name,
        "task": naming.task,
        "x": task.pair.parties.A,
        "y": task.pair.parties.B,
        "options": task.options,
        "first": task.first,
        "request": task.request,
    }
