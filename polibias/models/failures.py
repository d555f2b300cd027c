"""What a server's refusal means: worth asking again, this request's own outcome, or the end of the run."""

import datetime
import email.utils
import json
import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from polibias.domain.rows import Usage
from polibias.errors import Fatal, ProviderError, TooLong, Transient
from polibias.models.base import Reply
from polibias.models.credentials import Credential

RETRY = frozenset({408, 409, 425, 429, 498, 500, 502, 503, 504, 520, 522, 524, 529})
THROTTLED = frozenset({429, 498, 529})
LONGEST_WAIT = 600.0
CONTEXT = re.compile(
    r"context_length_exceeded|exceed_context_size|model_context_window|maximum context length"
    r"|prompt is too long|exceeds? .{0,40}context",
    re.IGNORECASE,
)
# A rate that fills up again by itself, whatever the server advises to buy against it.
RATE = re.compile(
    r"per[ _-]?(?:minute|min\b|second|sec\b|hour)|/ ?min\b|\b[rt]pm\b|(?:try again|retry) in \d", re.IGNORECASE
)
SPENT = re.compile(
    r"insufficient.{0,12}(?:credit|fund|balance|quota)|exceeded.{0,12}current.quota|billing|credit.balance|credits?\b"
    r"|spend(?:ing)?.limit|usage.limit|monthly limit|key limit|payment|prepay|suspended|on_hold|good standing",
    re.IGNORECASE,
)
SPENT_KIND = re.compile(r"quota|billing|credit|spend|balance|payment", re.IGNORECASE)
# What OpenAI, Azure, OpenRouter, xAI, DeepSeek, Alibaba and Zhipu say of a text that they will not answer.
WITHHELD = re.compile(
    r"content_policy_violation|content_filter|content management policy|moderation|flagged|violates? usage guidelines"
    r"|content exists risk|data_?inspection_?failed|inappropriate content|unsafe or sensitive content|敏感内容",
    re.IGNORECASE,
)
# Then it is not a text that was flagged.
CUSTOMER = re.compile(
    r"\b(?:account|organi[sz]ation|team|workspace|project|key)\b.{0,30}\b(?:flagged|suspended|disabled|blocked)",
    re.IGNORECASE,
)
LONGEST_READ = 4000
REFUSES = re.compile(
    r"not support|unsupported|deprecated|unknown|unrecognized|not (?:allowed|permitted|available)", re.I
)
# What the study calls the parameters of a request.
DECLARED = {
    "temperature": 'temperature = "unsupported"',
    "top_p": 'temperature = "unsupported"',
    "response_format": "constrained = false",
    "structured_outputs": "constrained = false",
    "output_config": "constrained = false",
    "max_tokens": "max_tokens",
    "reasoning": "reasoning",
    "thinking": "reasoning",
}


class Refused(NamedTuple):
    """An answer that is no reply: its status, its headers and its body as text."""

    status: int
    headers: Mapping[str, str]
    body: str


def judge_refusal(name: str, provider: str, credential: Credential, answer: Refused) -> Reply | ProviderError:
    """What the refusal comes to: an error to raise, or the reply of a server that withheld its answer."""
    words = " ".join(message(answer.body)[:LONGEST_READ].split())
    said, all_said = credential.clean(words) or "no explanation", f"{words} {kind(answer.body)}"
    if answer.status in (400, 403) and WITHHELD.search(all_said) and not CUSTOMER.search(words):
        return Reply("", "filter", Usage(), detail=f"HTTP {answer.status}: {said}")
    if answer.status in (400, 402, 403, 429) and _wants_money(answer.status, words, kind(answer.body)):
        return Fatal(f"{name}: {provider} wants money before it goes on: {said}")
    if answer.status in RETRY:
        after = retry_after(answer.headers)
        throttled = answer.status in THROTTLED or (answer.status == 503 and after is not None)
        return Transient(f"{name}: HTTP {answer.status} {said}", after, throttled)
    too_large = answer.status == 413 and not RATE.search(words)  # some hosts mean the account's rate by it
    if too_large or (answer.status in (400, 413, 422) and CONTEXT.search(all_said)):
        return TooLong(f"{name}: {said}")
    return Fatal(f"{name}: HTTP {answer.status} from {provider}: {said}{_advice(answer.status, words)}")


def withheld(name: str, provider: str, credential: Credential, answer: Refused) -> Reply:
    """The reply of a server that withheld its answer. Raises the error that any other refusal comes to."""
    found = judge_refusal(name, provider, credential, answer)
    if isinstance(found, ProviderError):
        raise found from None
    return found


def accepted(name: str, provider: str, credential: Credential, reply: Reply) -> Reply:
    """A reply that may be kept, with what the server says of itself clean.

    Raises Fatal if it holds the key, Transient if the server broke it off.
    """
    if credential.is_in(reply.text) or credential.is_in(reply.reasoning):
        raise Fatal(f"{name}: the reply of {provider} contains the API key; nothing of it was kept")
    if reply.finish == "error":
        raise Transient(f"{name}: the server broke off the answer", unpaid=False)
    clean = credential.clean
    return reply._replace(
        served_model=clean(reply.served_model), served_by=clean(reply.served_by), detail=clean(reply.detail)
    )


def _wants_money(status: int, words: str, named: str) -> bool:
    """Whether nothing more comes until somebody pays. Many a server advises to pay for a higher rate as well."""
    if status == 429 and RATE.search(words):
        return bool(SPENT_KIND.search(named))
    return bool(SPENT.search(f"{words} {named}"))


def _advice(status: int, said: str) -> str:
    """What to change in the study, where the server names a parameter that it does not take."""
    if status in (400, 422) and REFUSES.search(said):
        for name, declared in DECLARED.items():
            if name in said:
                return f"; change this model's {declared} in the study"
    return "; check its key" if status in (401, 403) else ""


def message(body: str) -> str:
    """The words of an error, wherever the server put them."""
    error = _answer(body).get("error")
    if isinstance(error, dict):
        raw = error.get("metadata", {}).get("raw", "") if isinstance(error.get("metadata"), dict) else ""
        return f"{error.get('message', '')} {raw}".strip() or body
    return str(error) if error else body


def kind(body: str) -> str:
    """The machine-readable kind of an error, where a server gives one: in it or, where the error is text, beside it."""
    answer = _answer(body)
    inner = answer.get("error")
    error = inner if isinstance(inner, dict) else answer
    details = error.get("details")
    code = details.get("error_code") if isinstance(details, dict) else None
    return f"{error.get('code')} {error.get('type')} {code}"


def _answer(body: str) -> dict[str, Any]:
    """The body as an object; Gemini puts it into a list of one. Empty for what is none."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    first = answer[0] if isinstance(answer, list) and answer else answer
    return first if isinstance(first, dict) else {}


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The server's waiting time in seconds, at most ten minutes: no run sleeps for good because a server said so.

    No time at all, or one that is past, is no advice: None.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    said = headers.get("retry-after", "")
    seconds = _number(said) if math.isnan(milliseconds) else milliseconds / 1000
    return _within(_until(said) if math.isnan(seconds) else seconds) or None


def pause(headers: Mapping[str, str]) -> float:
    """How long to send nothing more, where the headers say that an allowance is used up; else 0."""
    if not any("ratelimit" in name for name in headers):
        return 0.0
    waits = [0.0]
    for prefix in ("x-ratelimit", "anthropic-ratelimit"):
        for what in ("requests", "tokens", "input-tokens", "output-tokens"):
            left, reset = (
                (f"{prefix}-{what}-{word}" if prefix.startswith("a") else f"{prefix}-{word}-{what}")
                for word in ("remaining", "reset")
            )
            if headers.get(left) == "0" and reset in headers:
                waits.append(_within(_duration(headers[reset])) or 0.0)
    return max(waits)


def never_sent(error: BaseException) -> bool:
    """Whether the connection could not be made, so that nothing can have been charged.

    The transport calls a connection that broke off a connect timeout as well; what lies under its error decides.
    """
    import aiohttp
    import httpx2

    under: BaseException | None = error
    while under is not None:
        if isinstance(under, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError | httpx2.PoolTimeout):
            return True
        under = under.__cause__
    return False


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _within(seconds: float) -> float | None:
    return None if math.isnan(seconds) else min(max(0.0, seconds), LONGEST_WAIT)


def _until(moment: str) -> float:
    """Seconds from now until a time in HTTP's form or ISO's; NaN for anything else."""
    for read in (email.utils.parsedate_to_datetime, datetime.datetime.fromisoformat):
        try:
            then = read(moment.replace("Z", "+00:00"))
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
        if then.tzinfo:
            return (then - datetime.datetime.now(datetime.UTC)).total_seconds()
    return math.nan


LONGEST_TIME = 40
PARTS = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}


def _duration(text: str) -> float:
    """Seconds in a time such as ``6m0s``, a plain number of seconds, or a moment."""
    if len(text) > LONGEST_TIME:
        return math.nan
    if PARTS.sub("", text) == "" and text:
        return sum(float(number) * UNITS[unit] for number, unit in PARTS.findall(text))
    seconds = _number(text)
    return _until(text) if math.isnan(seconds) else seconds
