"""Money: what a request may cost at most, what a reply did cost, and a purse that is never overdrawn."""

from typing import NamedTuple

from polibias.domain.rows import Request, Usage
from polibias.domain.study import Rate

MILLION = 1_000_000
# The shortest tokens that prose has on average; a reservation must not be too small.
FEWEST_BYTES_PER_TOKEN = 2.0
BYTES_PER_TOKEN = 4.5


class Size(NamedTuple):
    """A request's prompt in bytes, and the longest reply in tokens."""

    prompt: int
    reply: int

    @property
    def tokens(self) -> float:
        """The prompt's tokens, as they usually come out."""
        return self.prompt / BYTES_PER_TOKEN


def size(request: Request) -> Size:
    """How large a request is. Every adapter's body has `messages` and `max_tokens`."""
    prompt = sum(len(message["content"].encode("utf-8", "surrogatepass")) for message in request.body["messages"])
    return Size(prompt, request.body["max_tokens"])


def most(rate: Rate | None, size: Size) -> float:
    """US dollars that a request costs at most; 0 where no price is known."""
    if rate is None:
        return 0.0
    return (size.prompt / FEWEST_BYTES_PER_TOKEN * rate.input + size.reply * rate.output) / MILLION


def spent(rate: Rate | None, usage: Usage, size: Size) -> float:
    """US dollars that a reply cost: as the server says, else as it counted at the list's price, else at most."""
    return listed(rate, usage, size) if usage.cost is None else usage.cost


def listed(rate: Rate | None, usage: Usage, size: Size) -> float:
    """As `spent`, at the list's price whatever the server says."""
    if rate is None:
        return 0.0
    if usage.prompt_tokens is None or usage.completion_tokens is None:
        return most(rate, size)
    return (usage.prompt_tokens * rate.input + usage.completion_tokens * rate.output) / MILLION


def dollars(sum: float) -> str:
    """Money as a person reads it: cents, and four digits of what is less than a dollar."""
    return f"${sum:,.2f}" if sum >= 1 or sum == 0 else f"${sum:.4f}"


class Purse:
    """A budget in US dollars; without one (None) it gives without end and only counts."""

    def __init__(self, budget: float | None = None, spent: float = 0.0) -> None:
        self.budget = budget
        self.spent = spent
        self.dearer = 1.0
        self.reserved = 0.0

    def allows(self, cost: float) -> bool:
        """Whether a request that costs at most so much can be paid, whatever those under way cost."""
        return self.budget is None or self.spent + self.reserved + cost <= self.budget

    def reserve(self, cost: float) -> None:
        """Set so much aside for a request."""
        self.reserved += cost

    def settle(self, cost: float, spent: float) -> None:
        """Free a reservation and count what was spent instead."""
        self.reserved -= cost
        self.spent += spent

    def learn(self, charged: float, expected: float) -> None:
        """A server charged so much where the list said so much: the next reservations are that much larger."""
        if expected > 0:
            self.dearer = max(self.dearer, charged / expected)

    @property
    def said(self) -> str:
        """Why the next request was not made."""
        return (
            f"the budget of {dollars(self.budget or 0.0)} is used up: {dollars(self.spent)} are spent, and the next "
            "request might cost more than is left; run the same command with a larger --budget to go on"
        )
