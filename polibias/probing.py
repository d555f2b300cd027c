"""What a model's server does with what it is asked, found out before anything is spent on it.

A server may ignore a schema, a temperature or a reasoning switch without a word, and answer with status 200. So every
model is asked a few short questions first, and a study whose answers would not be what it declares does not start.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from polibias.calls.budget import Purse
from polibias.calls.scheduler import Caller, Done
from polibias.domain.ids import tagged_hash
from polibias.domain.rows import Request
from polibias.domain.study import AnyModel, Imported, OpenAIHTTP, Rate, Served
from polibias.domain.value import Value
from polibias.errors import BudgetReached, DamagedRecord, Fatal, PoliBiasError, ProviderError
from polibias.models.base import UNSUPPORTED, Call, Model, Reply
from polibias.planning import Party, Role
from polibias.records.documents import read_named, write_named
from polibias.records.manifest import utc_now
from polibias.records.runs import PROBES_TAG, Run

LONGEST_REPLY = 512
SENTENCE = "Write one short sentence about the sea, and nothing else."
NO_JSON = "Describe a forest in one sentence of plain prose. Do not write JSON, brackets or quotation marks."
# What only a decoder that is held to it would write in answer to that.
CANARY: dict[str, Any] = {
    "type": "object",
    "properties": {
        "bird": {"type": "string", "enum": ["heron"]},
        "count": {"type": "integer", "enum": [7]},
    },
    "required": ["bird", "count"],
    "additionalProperties": False,
}
HELD = '{"bird":"heron","count":7}'


Hold = Callable[[Caller[Any]], None]


class Check(Value, frozen=True):
    """One thing that was looked at. `holds` is None for what is only told."""

    what: str
    holds: bool | None
    said: str


class Probe(Value, frozen=True):
    """What a model showed, when, and under which declaration; `asks` is the hash of how it is asked.

    `cost` is what asking it came to in US dollars, reckoned as for any other call; it counts against a run's budget.
    """

    role: Role
    name: str
    adapter: str
    provider: str
    asks: str
    at: str
    settings: dict[str, str]
    about: dict[str, str]
    checks: tuple[Check, ...]
    cost: float = 0.0

    @property
    def failures(self) -> list[Check]:
        """What does not hold."""
        return [check for check in self.checks if check.holds is False]


class Question(NamedTuple):
    """One probe's request; a scheduler's task."""

    name: str
    request: Request

    @property
    def subject(self) -> tuple[str, ...]:
        return (self.name,)


def asks(party: Party) -> str:
    """A hash over how a model is asked: every parameter of a request but its text, and where it is sent."""
    request = party.model.request(Call("", party.spec.max_tokens, CANARY if party.role == "judge" else None))
    where = party.spec.urls if isinstance(party.spec, Served) else ()
    return tagged_hash("probe-request/1", [request, party.model.provider, where])


async def probe(party: Party, purse: Purse, hold: Hold = lambda _: None) -> Probe:
    """Ask the model a few short questions and say what follows. `hold` is given whoever asks, to be stopped."""
    role, model, spec, rate = party
    before = purse.spent
    checks: list[Check] = []
    for address in range(model.capacity.addresses):
        replies, failure = await _ask(party, address, list(_questions(party)), purse, hold)
        shown = [Check("answers", False, str(failure))] if failure else _checks(party, replies)
        checks += [check if not address else _at(check, address) for check in shown if not address or not check.holds]
        if not failure and not address:
            checks.append(_money(replies, rate))
    about = {} if any(check.what == "answers" and not check.holds for check in checks) else await model.about()
    return Probe(
        role=role,
        name=model.name,
        adapter=model.adapter,
        provider=model.provider,
        asks=asks(party),
        at=utc_now(),
        settings=model.settings,
        about=about,
        checks=(*checks, *_context(spec, about)),
        cost=purse.spent - before,
    )


def _questions(party: Party) -> Iterator[Question]:
    role, model, spec, _ = party
    longest = min(spec.max_tokens or LONGEST_REPLY, LONGEST_REPLY)
    yield Question("once", model.request(Call(SENTENCE, longest)))
    yield Question("twice", model.request(Call(SENTENCE, longest)))
    if role == "judge" and spec.constrained:
        yield Question("held", model.request(Call(NO_JSON, longest, CANARY)))


class _Address:
    """A model at one of its addresses alone."""

    def __init__(self, model: Model, address: int) -> None:
        self._model = model
        self._address = address
        self.name, self.adapter, self.revision = model.name, model.adapter, model.revision
        self.provider, self.settings = model.provider, model.settings
        self.capacity = model.capacity._replace(addresses=1)
        self.request, self.about, self.close = model.request, model.about, model.close

    async def send(self, request: Request, _address: int = 0) -> Reply:
        return await self._model.send(request, self._address)


def _at(check: Check, address: int) -> Check:
    return Check(check.what, check.holds, f"address {address + 1}: {check.said}")


async def _ask(
    party: Party, address: int, questions: Sequence[Question], purse: Purse, hold: Hold
) -> tuple[dict[str, Reply], PoliBiasError | None]:
    """The replies by name, and what went wrong if not all came."""
    found: dict[str, Reply | ProviderError] = {}

    async def keep(group: Sequence[Done[Question]]) -> None:
        found.update({done.task.name: done.result for done in group})

    failure: PoliBiasError | None = None
    try:
        caller = Caller(_Address(party.model, address), keep, party.rate, purse)
        hold(caller)
        await caller.run(iter(questions))
    except BudgetReached:
        raise  # it says nothing about the model
    except ProviderError as error:
        failure = error
    errors = [result for result in found.values() if isinstance(result, ProviderError)]
    replies = {name: result for name, result in found.items() if isinstance(result, Reply)}
    if len(found) < len(questions) and failure is None:
        failure = Fatal(f"{party.model.name}: stopped before every question was asked")
    return replies, failure or next(iter(errors), None)


def _checks(party: Party, replies: dict[str, Reply]) -> Iterator[Check]:
    role, model, spec, _ = party
    once, twice = replies["once"], replies["twice"]
    yield Check("answers", bool(once.text.strip()), _shortened(once.text) or f"an empty reply, finish {once.finish}")
    if spec.temperature == UNSUPPORTED:
        yield Check("temperature", None, "none is sent; the model takes none, so replies are not greedy")
    else:
        yield Check("temperature", True, f"{spec.temperature:g} is sent and accepted")
    yield _reasoning(model, replies)
    yield Check("repeats itself", None, "the same words twice" if once.text == twice.text else "other words each time")
    yield from _host(spec, replies)
    if role == "judge":
        yield from _constrained(spec, replies)


def _reasoning(model: Model, replies: dict[str, Reply]) -> Check:
    """Whether a model that was told not to reason did."""
    used = [reply.usage.reasoning_tokens or 0 for reply in replies.values()]
    beside = any(reply.reasoning for reply in replies.values())
    setting = model.settings.get("reasoning", "default")
    said = f"{setting}: {max(used)} reasoning tokens at most" + (
        ", and words in the reasoning channel" if beside else ""
    )
    return Check("reasoning", not (beside or max(used)) if setting == "off" else None, said)


def _host(spec: AnyModel, replies: dict[str, Reply]) -> Iterator[Check]:
    """Whether one host answers, and the one that was asked for."""
    hosts = sorted({reply.served_by for reply in replies.values()} - {""})
    served = sorted({reply.served_model for reply in replies.values()} - {""})
    if isinstance(spec, OpenAIHTTP) and spec.server == "openrouter":
        said = f"{', '.join(hosts) or 'no host named'}; pinned to {', '.join(spec.hosts) or 'nobody'}"
        yield Check("provider", len(hosts) == 1 and bool(spec.hosts), said)
    asked = f"asked for {spec.model}; " if isinstance(spec, Served) else ""
    yield Check("model", len(served) <= 1, f"{asked}calls itself {', '.join(served) or 'nothing'}")


def _constrained(spec: AnyModel, replies: dict[str, Reply]) -> Iterator[Check]:
    """Whether a schema is enforced while decoding, against what the prompt asks for."""
    if not spec.constrained:
        yield Check("constrained", None, "not asked for; verdicts are read as strictly all the same")
        return
    text = replies["held"].text
    try:
        held = msgspec.json.decode(text.encode("utf-8", "replace")) == msgspec.json.decode(HELD)
    except (msgspec.DecodeError, RecursionError):
        held = False
    said = "the schema is enforced" if held else f"the schema is not enforced; it wrote {_shortened(text) or 'nothing'}"
    yield Check("constrained", held, said)
    if held and isinstance(spec, OpenAIHTTP) and spec.server == "vllm":
        compact = text == HELD
        yield Check("white space", None, "none between tokens" if compact else "allowed; a judge may loop in it")


def _context(spec: AnyModel, about: dict[str, str]) -> list[Check]:
    """Whether the server's context can hold the longest reply."""
    longest = about.get("max_model_len", "")
    if not (longest.isascii() and longest.isdigit()) or not spec.max_tokens:
        return []
    said = f"{longest} tokens, of which a reply may take {spec.max_tokens}"
    return [Check("context", int(longest) > spec.max_tokens, said)]


def _money(replies: dict[str, Reply], rate: Rate | None) -> Check:
    """What is known of the price."""
    charged = [reply.usage.cost for reply in replies.values() if reply.usage.cost is not None]
    counted = all(reply.usage.completion_tokens is not None for reply in replies.values())
    listed = f"${rate.input:g} in, ${rate.output:g} out per million tokens" if rate else "no price is known"
    said = f"{listed}; the server says what it charges (${sum(charged):.6f} so far)" if charged else listed
    return Check("cost", None, said if counted else f"{said}; the server does not count tokens")


def _shortened(text: str) -> str:
    words = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return f"“{words[:60]}{'…' if len(words) > 60 else ''}”" if words else ""


def needs_probe(spec: AnyModel) -> bool:
    """Replies from a file come from no server."""
    return not isinstance(spec, Imported)


def stored(run: Run) -> tuple[Probe, ...]:
    """Every probe that was stored with the run."""
    if not run.probes.exists():
        return ()
    try:
        return msgspec.convert(read_named(run.probes, PROBES_TAG)["probes"], type=tuple[Probe, ...], strict=True)
    except (KeyError, msgspec.ValidationError):
        raise DamagedRecord(f"{run.probes}: no probes; restore it from a copy, or take it away to probe anew") from None


def store(run: Run, probes: Sequence[Probe]) -> None:
    """Add probes to those that are stored with the run."""
    write_named(run.probes, PROBES_TAG, {"probes": msgspec.to_builtins([*stored(run), *probes])})


def latest(run: Run, role: Role, asked: str) -> Probe | None:
    """The newest stored probe of exactly this declaration."""
    return next((found for found in reversed(stored(run)) if (found.role, found.asks) == (role, asked)), None)


def require(found: Probe) -> None:
    """Raises Fatal, naming the first thing that does not hold, unless the model does what the study declares."""
    for check in found.failures:
        raise Fatal(
            f"{found.name}: {check.what}: {check.said}; nothing more was asked (polibias doctor shows every check)"
        )
