"""Who answered and who judged: each model as the record of its run states it, and nothing that it does not state."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from polibias.analysis.use import Use, rates_of

NOT_STATED = "not stated"
ENGINE = re.compile(r"\bquantization ([^\s,]+)")
FILE = re.compile(r"\.((?:I?Q\d\w*|B?F16|F32))\.gguf\b", re.IGNORECASE)


def who(about: Mapping[str, Any], role: str, uses: Mapping[str, Sequence[Use]]) -> Iterator[dict[str, str]]:
    """Name, provider, quantization, revision, settings, days (UTC) and cost of each model of a role."""
    parts = about[role], about["providers"][role], about["settings"][role], uses[role], rates_of(about, role)
    for entry, provider, settings, use, rate in zip(*parts, strict=True):
        yield {
            **{name: entry[name] for name in ("name", "adapter", "revision")},
            "provider": provider,
            "quantization": quantization(provider, settings),
            "settings": ", ".join(f"{name} {value}" for name, value in settings.items()),
            "asked": use.asked,
            "cost": use.cost(rate),
        }


def quantization(provider: str, settings: Mapping[str, str]) -> str:
    """What hosts were held to, what the engine in this process was told, or what a file of weights is called.

    A provider's own choice is not known.
    """
    if held := settings.get("quantizations"):
        return held
    told, named = ENGINE.search(provider), FILE.search(provider)
    if told and told[1] not in ("null", "None"):
        return told[1]
    return f"{named[1]}, as its file is named" if named else NOT_STATED
