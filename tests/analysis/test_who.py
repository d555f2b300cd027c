"""What a report says of each model is what the run's record states, and no more."""

import pytest

from polibias.analysis.use import Use
from polibias.analysis.who import quantization, who
from polibias.domain.study import Rate

DAY, LATER = "2026-11-30T23:59:59.000Z", "2026-12-02T00:00:01.000Z"


@pytest.mark.parametrize(
    ("provider", "settings", "expected"),
    [
        ("a broker", {"quantizations": "bf16, fp8", "hosts": "one"}, "bf16, fp8"),
        ("vllm 0.9 in process, dtype auto, quantization fp8, batch_invariant 0", {}, "fp8"),
        ("vllm 0.9 in process, dtype auto, quantization null, batch_invariant 0", {}, "not stated"),
        ("a server", {"temperature": "0.0"}, "not stated"),
    ],
)
def test_quantization_is_what_was_asked_for(provider: str, settings: dict[str, str], expected: str) -> None:
    assert quantization(provider, settings) == expected


def test_each_model_has_its_own_days_and_cost() -> None:
    about = {
        "models": [{"name": name, "adapter": "openai_http", "revision": "r"} for name in ("paid", "free", "unknown")],
        "providers": {"models": ["a server"] * 3},
        "settings": {"models": [{"temperature": "0.0"}] * 3},
        "rates": {"models": [{"input": 1.0, "output": 2.0}, {"input": 0.0, "output": 0.0}, None]},
    }
    uses = {"models": [Use(listed=1.5, first=DAY, last=LATER), Use(first=DAY, last=DAY), Use()]}
    paid, free, unknown = who(about, "models", uses)
    assert (paid["asked"], free["asked"], unknown["asked"]) == ("2026-11-30 to 2026-12-02", "2026-11-30", "never")
    assert paid["cost"] == Use(listed=1.5).cost(Rate(input=1.0, output=2.0))
    assert "1.50" in paid["cost"]
    assert (free["cost"], unknown["cost"]) == ("nothing", "no price is known")
    assert {one["quantization"] for one in (paid, free, unknown)} == {"not stated"}
