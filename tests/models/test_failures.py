"""What a refusal means, from the words and headers that providers send. Texts are shortened, names are made up."""

import datetime
import email.utils
import json
from typing import Any

import pytest

from polibias.domain.study import OpenAIHTTP
from polibias.errors import Fatal, ProviderError, TooLong, Transient
from polibias.models.base import Reply
from polibias.models.credentials import Credential
from polibias.models.failures import Refused, judge_refusal, kind, message, pause, retry_after

LIMITS = "Visit https://platform.openai.com/account/rate-limits to learn more."
BUY = "You can increase your rate limit by adding a payment method to your account at https://example.com/billing."
OLD_BUY = "Please add a payment method to your account to increase your rate limit. Visit https://example.com/billing."
GEMINI = "You exceeded your current quota, please check your plan and billing details."


def judged(status: int, error: Any, headers: dict[str, str] | None = None) -> Reply | ProviderError:
    """What a body with this error comes to; text is taken as the whole body."""
    body = error if isinstance(error, str) else json.dumps({"error": error})
    return raw(status, body, headers)


def raw(status: int, body: str, headers: dict[str, str] | None = None) -> Reply | ProviderError:
    credential = Credential(OpenAIHTTP(name="m", url="http://127.0.0.1:1", model="x"), keyless=True)
    return judge_refusal("m", "p", credential, Refused(status, headers or {}, body))


def said(text: str, code: Any = None, kind: Any = None, **more: Any) -> dict[str, Any]:
    return {"message": text, "code": code, "type": kind, **more}


@pytest.mark.parametrize("status", [408, 409, 425, 429, 498, 500, 502, 503, 504, 520, 522, 524, 529])
@pytest.mark.parametrize(
    "body", ["", "<html><h1>Bad gateway</h1></html>", '{"error": null}', "[]", "[[]]", "null", "\x00"]
)
def test_what_can_heal_is_asked_again(status: int, body: str) -> None:
    """Whatever stands in the body; only some of these statuses mean that the server has too much to do."""
    found = raw(status, body)
    assert isinstance(found, Transient)
    assert found.throttled is (status in (429, 498, 529))
    assert found.unpaid
    assert found.after is None


@pytest.mark.parametrize("status", [301, 302, 307, 400, 401, 402, 403, 404, 405, 422, 451, 501])
@pytest.mark.parametrize("body", ["", "<html>", '{"error": {"message": "no"}}', '{"error": {"message": ["no"]}}'])
def test_what_cannot_heal_ends_the_run(status: int, body: str) -> None:
    found = raw(status, body)
    assert isinstance(found, Fatal)
    assert str(found).startswith(f"m: HTTP {status} from p: ")
    assert ("check its key" in str(found)) is (status in (401, 403))


MONEY = {
    "OpenAI, quota": (429, said(GEMINI, "insufficient_quota", "insufficient_quota")),
    "OpenAI, the code alone": (429, said("No.", "insufficient_quota", "insufficient_quota")),
    "OpenAI, hard limit": (400, said("Billing hard limit has been reached", "billing_hard_limit_reached")),
    "OpenAI, account": (
        429,
        said("Your account is not active, please check your billing details.", "billing_not_active"),
    ),
    "OpenRouter, credits": (402, said("Insufficient credits. Add more using https://example.com/credits", 402)),
    "OpenRouter, afford": (402, said("This request requires more credits, or fewer max_tokens.", 402)),
    "OpenRouter, key": (403, said("Key limit exceeded (total limit). Manage it in the settings.", 403)),
    "OpenRouter, a day": (429, said("Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000", 429)),
    "xAI": (429, '{"code": "Some resource has been exhausted", "error": "Your team has used all available credits"}'),
    "xAI, monthly": (403, '{"code": "x", "error": "Your team has reached its monthly spending limit."}'),
    "Gemini, prepaid": (429, json.dumps([{"error": said("Your prepayment credits are depleted.", 429)}])),
    "DeepSeek": (402, said("Insufficient Balance", "invalid_request_error", "unknown_error")),
    "Moonshot": (
        429,
        said("Your account is suspended due to insufficient balance", None, "exceeded_current_quota_error"),
    ),
    "Anthropic, balance": (
        400,
        said("Your credit balance is too low to access the API.", None, "invalid_request_error"),
    ),
    "Anthropic, limits": (
        400,
        said("You have reached your specified API usage limits.", None, "invalid_request_error"),
    ),
    "Anthropic, spend": (
        429,
        said("Stop.", None, "rate_limit_error", details={"error_code": "enforced_spend_limit_reached"}),
    ),
    "behind much else": (403, said("x" * 500 + " your balance is used up: insufficient funds")),
}


@pytest.mark.parametrize(("status", "error"), MONEY.values(), ids=MONEY.keys())
def test_what_wants_money_ends_the_run(status: int, error: Any) -> None:
    found = judged(status, error)
    assert isinstance(found, Fatal)
    assert "p wants money before it goes on: " in str(found)


RATES = {
    "OpenAI, a minute": said(
        f"Rate limit reached for gpt-x in organization org-1 on requests per min (RPM): Limit 3, Used 3, Requested 1. "
        f"Please try again in 20s. {LIMITS} {BUY}",
        "rate_limit_exceeded",
        "requests",
    ),
    "OpenAI, as it was": said(
        f"Rate limit reached for x on requests per min. Limit: 3 / min. Please try again in 20s. {LIMITS} {OLD_BUY}",
    ),
    "OpenAI, oldest": said(
        f"Rate limit reached for tokens. Limit: 60.000000 / min. Current: 70.000000 / min. {OLD_BUY}"
    ),
    "OpenAI, a day": said(
        f"Rate limit reached on requests per day (RPD): Limit 200, Used 200. Please try again in 7m12s. {BUY}",
        "rate_limit_exceeded",
        "requests",
    ),
    "tokens": said("Your organization's rate limit of 40,000 input tokens per minute is used up. Usage limits apply."),
    "Anthropic": said("This would exceed the rate limit of 50 requests per minute.", None, "rate_limit_error"),
    "OpenRouter": said("Rate limit exceeded: free-models-per-min. Add 10 credits to unlock more.", 429),
    "Moonshot": said("Request reached organization max RPM: 3, please try again after 1 seconds; see billing."),
    "Groq": said(
        "Limit 6000, Used 5900 tokens per minute (TPM). Need more? Upgrade at https://example.com/billing", "x"
    ),
    "Gemini": said(
        f"{GEMINI} Quota exceeded: GenerateRequestsPerMinutePerProject, limit: 15. Please retry in 22.5s.", 429
    ),
}


@pytest.mark.parametrize("error", RATES.values(), ids=RATES.keys())
@pytest.mark.parametrize("listed", [False, True], ids=["object", "list"])
def test_a_rate_that_fills_up_again_is_waited_for(error: Any, listed: bool) -> None:
    """Advice to pay for a higher rate is no bill, and must not end a run over night."""
    body = {"error": error}
    found = raw(429, json.dumps([body] if listed else body), {"retry-after": "20"})
    assert isinstance(found, Transient)
    assert (found.throttled, found.after) == (True, 20.0)


WITHHELD = {
    "OpenAI": (400, said("Invalid prompt: your prompt was flagged as potentially violating our usage policy.")),
    "OpenAI, code": (400, said("No.", "content_policy_violation")),
    "Azure": (400, said("The prompt triggered Azure OpenAI's content management policy.", "content_filter")),
    "OpenRouter": (403, said("Your chosen model requires moderation and your input was flagged for x.", 403)),
    "xAI": (
        403,
        '{"code": "No permission", "error": "Content violates usage guidelines. Team: t, Failed check: SAFETY"}',
    ),
    "DeepSeek": (400, said("Content Exists Risk", "invalid_request_error", "invalid_request_error")),
    "Alibaba": (400, said("Input data may contain inappropriate content.", "data_inspection_failed")),
    "Zhipu": (400, said("系统检测到输入或生成内容可能包含不安全或敏感内容", "1301")),
    "Moonshot": (400, said("The request was rejected because it was considered high risk", None, "content_filter")),
}


@pytest.mark.parametrize(("status", "error"), WITHHELD.values(), ids=WITHHELD.keys())
def test_what_a_provider_withholds_is_a_reply(status: int, error: Any) -> None:
    """A filter is an outcome of that prompt, counted in the study, and no end of the run."""
    found = judged(status, error)
    assert isinstance(found, Reply)
    assert (found.text, found.finish) == ("", "filter")
    assert found.detail.startswith(f"HTTP {status}: ")


@pytest.mark.parametrize(
    "text",
    [
        "Your account has been flagged for suspicious activity.",
        "The organization is disabled; see the moderation team.",
        "This API key was flagged and blocked",
    ],
)
def test_a_flagged_account_is_no_filtered_prompt(text: str) -> None:
    """Else every prompt of the study would be stored as filtered."""
    assert isinstance(judged(403, said(text)), Fatal)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, said("This model's maximum context length is 8192 tokens.", "context_length_exceeded")),
        (400, said("prompt is too long: 213462 tokens > 200000 maximum", None, "invalid_request_error")),
        (400, said("input length and `max_tokens` exceed context limit: 199000 + 16000 > 200000")),
        (400, said("the request exceeds the available context size", 400, "exceed_context_size_error")),
        (422, said("Input exceeds the model's context window")),
        (413, said("Request exceeds the maximum size", None, "request_too_large")),
        (413, "<html><h1>413 Request Entity Too Large</h1></html>"),
        (400, '{"object":"error","message":"maximum context length is 10 tokens","code":400}'),
    ],
)
def test_what_is_too_long_concerns_this_request_only(status: int, error: Any) -> None:
    assert isinstance(judged(status, error), TooLong)


def test_a_request_larger_than_the_accounts_rate_is_not_the_models_limit() -> None:
    words = "Request too large for model x on tokens per minute (TPM): Limit 6000, Requested 9000"
    assert isinstance(judged(413, said(words, "rate_limit_exceeded", "tokens")), Fatal)


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ("`temperature` is deprecated for this model.", 'temperature = "unsupported"'),
        ("Unsupported value: 'temperature' does not support 0 with this model.", 'temperature = "unsupported"'),
        ("response_format is not supported", "constrained = false"),
        ("Unknown parameter: 'structured_outputs'", "constrained = false"),
        ("x" * 300 + " thinking is not supported by this model", "reasoning"),
    ],
)
def test_a_parameter_that_is_not_taken_is_named_as_the_study_calls_it(words: str, advice: str) -> None:
    assert f"change this model's {advice} in the study" in str(judged(400, said(words)))


def test_no_endpoint_is_said_as_it_is() -> None:
    words = "No endpoints found that can handle the requested parameters."
    found = judged(404, said(words, 404))
    assert isinstance(found, Fatal)
    assert words in str(found)


@pytest.mark.parametrize(
    ("body", "words", "named"),
    [
        ('{"error": {"message": "m", "code": "c", "type": "t"}}', "m", "c t None"),
        ('[{"error": {"message": "m", "code": 7}}]', "m", "7 None None"),
        ('{"error": "text", "code": "c"}', "text", "c None None"),
        ('{"error": {"message": "m", "metadata": {"raw": "upstream"}}}', "m upstream", "None None None"),
        ('{"error": {"message": "m", "metadata": [1]}}', "m", "None None None"),
        ('{"error": {"metadata": {"raw": {"a": 1}}}}', "{'a': 1}", "None None None"),
        ("plain", "plain", "None None None"),
        ("[" * 100_000, "[" * 100_000, "None None None"),
    ],
)
def test_words_and_kind_are_found(body: str, words: str, named: str) -> None:
    assert (message(body), kind(body)) == (words, named)


def test_words_of_any_length_become_one_short_line() -> None:
    found = judged(400, said("line\n\x1b[31m" * 100_000))
    assert len(str(found)) < 400
    assert str(found).isprintable()


# ── how long to wait ──────────────────────────────────────────────────────────────────────────────────────────────

DAY = datetime.timedelta(days=1)
NOW = datetime.datetime.now(datetime.UTC).replace(hour=0, minute=0, second=0, microsecond=0)  # the same in every worker
PAST, FUTURE = (email.utils.format_datetime(NOW + shift, usegmt=True) for shift in (-DAY, DAY))


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0"}, None),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "86400"}, 600.0),
        ({"retry-after": "inf"}, 600.0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": PAST}, None),
        ({"retry-after": FUTURE}, 600.0),
        ({"retry-after": (NOW + DAY).isoformat().replace("+00:00", "Z")}, 600.0),
        ({"retry-after": "2026-13-45T99:99:99Z"}, None),
        ({"retry-after": "Mon, 99 Foo 2026 99:99:99 GMT"}, None),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after-ms": ""}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_retry_after_as_a_date_counts_from_now() -> None:
    soon = email.utils.format_datetime(
        datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=300), usegmt=True
    )
    found = retry_after({"retry-after": soon})
    assert found is not None
    assert 0 < found <= 300


@pytest.mark.parametrize("status", [429, 503, 529])
def test_a_server_that_names_a_time_is_throttling(status: int) -> None:
    found = judged(status, said("later"), {"retry-after": "3"})
    assert isinstance(found, Transient)
    assert (found.throttled, found.after) == (True, 3.0)


RESETS = [
    *[("1s", 1.0), ("6m0s", 360.0), ("120ms", 0.12), ("2m59.56s", 179.56), ("7.66s", 7.66), ("1h", 600.0)],
    *[("20", 20.0), ("0", 0.0), ("", 0.0), ("soon", 0.0), ("1x", 0.0), ("nan", 0.0), (PAST, 0.0)],
    *[((NOW + DAY).isoformat(), 600.0), ((NOW + DAY).strftime("%Y-%m-%dT%H:%M:%SZ"), 600.0)],
]


@pytest.mark.parametrize(("reset", "seconds"), RESETS)
@pytest.mark.parametrize(
    ("left", "until"),
    [
        ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
        ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
        ("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"),
        ("anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"),
        ("anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset"),
        ("anthropic-ratelimit-output-tokens-remaining", "anthropic-ratelimit-output-tokens-reset"),
    ],
)
def test_an_allowance_that_is_used_up_pauses(left: str, until: str, reset: str, seconds: float) -> None:
    assert pause({left: "0", until: reset}) == pytest.approx(seconds)
    assert pause({left: "1", until: reset}) == 0.0
    assert pause({left: "0"}) == 0.0


def test_the_longest_pause_counts() -> None:
    headers = {
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "1s",
        "x-ratelimit-remaining-tokens": "0",
        "x-ratelimit-reset-tokens": "6m0s",
    }
    assert pause(headers) == 360.0
    assert pause({"content-type": "text/plain"}) == 0.0
