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
SPENT = re.compile(
    r"insufficient.{0,12}(?:credit|fund|balance|quota)|exceeded.{0,12}current.quota|billing|credit.balance|credits?\b"
    r"|spend(?:ing)?.limit|usage.limit|monthly limit|key limit|payment|prepay|suspended|on_hold|good standing",
    re.IGNORECASE,
)
# What passes by itself: a limit per minute says how to have it raised, with the very words of an empty account.
PASSING = re.compile(r"per.(?:second|min|hour)|(?:try again|retry) in", re.IGNORECASE)
WITHHELD = re.compile(r"content_policy_violation|content_filter|content management policy|moderation|flagged", re.I)
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
    said = credential.clean(message(answer.body)) or "no explanation"
    all_said = f"{said} {kind(answer.body)}"
    if answer.status in (400, 403) and WITHHELD.search(all_said):
        return Reply("", "filter", Usage(), detail=f"HTTP {answer.status}: {said}")
    passing = answer.status == 429 and PASSING.search(all_said)
    if answer.status in (400, 402, 403, 429) and SPENT.search(all_said) and not passing:
        return Fatal(f"{name}: {provider} wants money before it goes on: {said}")
    if answer.status in RETRY:
        after = retry_after(answer.headers)
        throttled = answer.status in THROTTLED or (answer.status == 503 and after is not None)
        return Transient(f"{name}: HTTP {answer.status} {said}", after, throttled)
    if answer.status in (400, 413, 422) and CONTEXT.search(all_said):
        return TooLong(f"{name}: {said}")
    return Fatal(f"{name}: HTTP {answer.status} from {provider}: {said}{_advice(answer.status, said)}")


def _advice(status: int, said: str) -> str:
    """What to change in the study, where the server names a parameter that it does not take."""
    if status in (400, 422) and REFUSES.search(said):
        for name, declared in DECLARED.items():
            if name in said:
                return f"; change this model's {declared} in the study"
    return "; check its key" if status in (401, 403) else ""


def message(body: str) -> str:
    """The words of an error, wherever the server put them."""
    error = _error(body)
    if isinstance(error, dict):
        raw = error.get("metadata", {}).get("raw", "") if isinstance(error.get("metadata"), dict) else ""
        return f"{error.get('message', '')} {raw}".strip() or body
    return str(error) if error else body


def kind(body: str) -> str:
    """The machine-readable kind of an error, where the server gives one."""
    error = _error(body)
    if not isinstance(error, dict):
        return ""
    details = error.get("details")
    code = details.get("error_code") if isinstance(details, dict) else None
    return f"{error.get('code')} {error.get('type')} {code}"


def _error(body: str) -> Any:
    try:
        return json.loads(body)["error"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return None


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The server's waiting time in seconds, at most ten minutes: no run sleeps for good because a server said so."""
    if "retry-after-ms" in headers:
        return _within(_number(headers["retry-after-ms"]) / 1000)
    said = headers.get("retry-after", "")
    seconds = _number(said)
    return _within(_until(said) if math.isnan(seconds) else seconds)


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
        except (ValueError, TypeError, IndexError):
            continue
        if then.tzinfo:
            return (then - datetime.datetime.now(datetime.UTC)).total_seconds()
    return math.nan


PARTS = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}


def _duration(text: str) -> float:
    """Seconds in a time such as ``6m0s``, a plain number of seconds, or a moment."""
    if PARTS.sub("", text) == "" and text:
        return sum(float(number) * UNITS[unit] for number, unit in PARTS.findall(text))
    seconds = _number(text)
    return _until(text) if math.isnan(seconds) else seconds
