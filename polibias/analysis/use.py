"""What was asked of each model and judge, and what it cost: tallied from the rows of a run, told as facts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from polibias.calls.budget import dollars, listed, size
from polibias.domain.display import numbered
from polibias.domain.rows import JudgeGuess, Judgment, Response, Seen
from polibias.domain.study import Rate


class Use(msgspec.Struct):
    """The calls of one model in one role. A shared reply was paid for elsewhere and is no call.

    `first` and `last` are the times (UTC) at which its first and last row were stored, "" without any.
    """

    calls: int = 0
    attempts: int = 0
    shared: int = 0
    uncounted: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    charged: float = 0.0
    charges: int = 0
    listed: float = 0.0
    first: str = ""
    last: str = ""

    def add(self, row: Response | Judgment | JudgeGuess, seen: Seen, rate: Rate | None) -> None:
        """Count one row."""
        if seen.at:
            self.first, self.last = min(self.first or seen.at, seen.at), max(self.last, seen.at)
        if seen.seconds is None:
            self.shared += 1
            return
        self.calls += 1
        self.attempts += seen.attempts
        usage = row.usage
        if usage.completion_tokens is None:
            self.uncounted += 1
        self.prompt_tokens += usage.prompt_tokens or 0
        self.completion_tokens += usage.completion_tokens or 0
        self.reasoning_tokens += usage.reasoning_tokens or 0
        if usage.cost is not None:
            self.charged += usage.cost
            self.charges += 1
        if row.answered:
            self.listed += listed(rate, usage, size(row.request))

    def join(self, other: "Use") -> None:
        """Count what was counted apart."""
        first, last = min(filter(None, (self.first, other.first)), default=""), max(self.last, other.last)
        for name in set(self.__struct_fields__) - {"first", "last"}:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.first, self.last = first, last

    def said(self, rate: Rate | None) -> str:
        """The tally in words."""
        parts = [f"{numbered(self.calls, 'call')} in {numbered(self.attempts, 'attempt')}"]
        if self.shared:
            parts.append(f"{self.shared:,} replies shared with equal requests")
        if self.calls > self.uncounted:
            reasoning = f", of which {self.reasoning_tokens:,} reasoning" if self.reasoning_tokens else ""
            parts.append(f"{self.prompt_tokens:,} prompt and {self.completion_tokens:,} reply tokens{reasoning}")
        return "; ".join([*parts, *self._costs(rate)])

    def cost(self, rate: Rate | None) -> str:
        """What it cost, in words."""
        return "; ".join(self._costs(rate)) or "nothing"

    def _costs(self, rate: Rate | None) -> Iterator[str]:
        if self.charges:
            yield f"{dollars(self.charged)} charged as the server says ({numbered(self.charges, 'call')})"
        if rate is None and not self.charges:
            yield "no price is known"
        elif rate is not None and (rate.input or rate.output):
            yield f"{dollars(self.listed)} at ${rate.input:g} and ${rate.output:g} per million tokens"

    @property
    def asked(self) -> str:
        """From which day to which it was asked."""
        return " to ".join(dict.fromkeys((self.first[:10], self.last[:10]))) or "never"


def rates_of(about: Mapping[str, Any], role: str) -> list[Rate | None]:
    """The price of each model of a role (`models` or `judges`) as it was when the run was begun."""
    return [None if rate is None else msgspec.convert(rate, type=Rate) for rate in about["rates"][role]]


def use_facts(about: Mapping[str, Any], uses: Mapping[str, Sequence[Use]]) -> dict[str, str]:
    """A fact for each model and judge."""
    return {
        f"{'Judge' if role == 'judges' else 'Model'} {entry['name']}": use.said(rate)
        for role in ("models", "judges")
        for entry, use, rate in zip(about[role], uses[role], rates_of(about, role), strict=True)
    }


def use_notes(about: Mapping[str, Any], uses: Mapping[str, Sequence[Use]]) -> Iterator[str]:
    """What a reader must know of how models were made to answer."""
    for role in ("models", "judges"):
        for entry, settings, use in zip(about[role], about["settings"][role], uses[role], strict=True):
            if settings.get("temperature") == "unsupported":
                yield f"{entry['name']} takes no temperature, so its replies are sampled and not greedy."
            if settings.get("reasoning") == "off" and use.reasoning_tokens:
                used = f"{use.reasoning_tokens:,} reasoning tokens"
                yield f"{entry['name']} was told not to reason and used {used} all the same."
            if settings.get("constrained") == "no" and role == "judges":
                yield f"{entry['name']} was free to write what it liked; see the share of valid calls."
