"""How much each address of a model takes, learned while it is asked: who may send the next request, and when.

In flight: doubled while all goes well, then one more per round; halved when the server turns a request away, at most
once for all that were under way together. Beside it a token bucket for the requests and tokens per minute that the
study declares, and a pause: whatever the server says in Retry-After closes its address for everybody.
"""

import asyncio
import contextlib
import hashlib
import math
from collections import deque

from polibias.calls.budget import Purse
from polibias.errors import BudgetReached, Fatal, PoliBiasError, Transient
from polibias.models.base import Capacity

FIRST_LIMIT = 8
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 60.0
# So long a server may turn everything away before the run gives up.
PATIENCE = 1800.0
MINUTE = 60.0
# This share of what a minute allows may go out at once.
STORED = 1 / 12
# So many failures in a row at one of several addresses, and the others are asked instead for a while.
TROUBLED_AFTER = 3
TRUSTED = 3


class Bucket:
    """So much in any minute, whenever it begins: a small store that fills all the time, and both together make it up.

    It may be overdrawn, by a request larger than the store and by what turns out to have been used.
    """

    def __init__(self, per_minute: int, now: float) -> None:
        self.per_minute = per_minute
        self._most = max(1.0, per_minute * STORED)
        self._rate = max(0.0, per_minute - self._most) / MINUTE or 1.0 / MINUTE
        self._left = self._most
        self._at = now

    def opens_at(self, amount: float, now: float) -> float:
        """When so much, or all that it ever holds, will be there."""
        if not self.per_minute:
            return now
        self._fill(now)
        return now + max(0.0, min(amount, self._most) - self._left) / self._rate

    def take(self, amount: float, now: float) -> None:
        """Take so much out."""
        if self.per_minute:
            self._fill(now)
            self._left -= amount

    def _fill(self, now: float) -> None:
        self._left = min(self._most, self._left + (now - self._at) * self._rate)
        self._at = now


class Endpoint:
    """One address: what is under way there, and what it has shown that it takes."""

    def __init__(self, number: int, capacity: Capacity, now: float) -> None:
        self.number = number
        self.flying = 0
        self.limit = float(capacity.concurrency if capacity.own else min(FIRST_LIMIT, capacity.concurrency))
        self._most = float(capacity.concurrency)
        self._growing = True
        self._closed_until = now
        self._cut_at = -math.inf
        self._refusals = self._failures = 0
        self._refused_since: float | None = None
        self._requests = Bucket(capacity.requests_per_minute, now)
        self._tokens = Bucket(capacity.tokens_per_minute, now)

    def opens_at(self, tokens: float, now: float) -> float:
        """When a request of this size may be sent; infinity if only the end of another one makes room."""
        if self.flying >= math.floor(self.limit):
            return math.inf
        return max(self._closed_until, self._requests.opens_at(1, now), self._tokens.opens_at(tokens, now))

    def admit(self, tokens: float, now: float) -> None:
        """A request of this size is sent now."""
        self.flying += 1
        self._requests.take(1, now)
        self._tokens.take(tokens, now)

    def answered(self, written: float, pause: float, now: float) -> None:
        """A reply of so many tokens came back; the server may ask for a pause."""
        self._refusals, self._failures, self._refused_since = 0, 0, None
        self._tokens.take(written, now)
        self.limit = min(self._most, self.limit + (1.0 if self._growing else 1.0 / self.limit))
        self._close(now + pause)

    def refused(self, error: Transient, sent_at: float, now: float) -> None:
        """The server turned a request away. Raises Fatal once it has done nothing else for half an hour."""
        self._refused_since = now if self._refused_since is None else self._refused_since
        if now - self._refused_since > PATIENCE:
            raise Fatal(f"the server has turned every request away for {PATIENCE / 60:.0f} minutes (the last: {error})")
        if sent_at >= self._cut_at:
            self._growing, self._cut_at = False, now
            self.limit = max(1.0, self.limit / 2)
            self._refusals += 1
        backoff = self._backoff(self._refusals - 1)
        # A server that keeps refusing although its own times were kept gets more time than it asks for.
        least = backoff if error.after is None or self._refusals > TRUSTED else 0.0
        self._close(now + max(least, error.after or 0.0))

    def failed(self, now: float) -> None:
        """No answer came, for whatever reason; several times in a row this means that the address is in trouble."""
        self._failures += 1
        if self._failures >= TROUBLED_AFTER:
            self._close(now + self._backoff(self._failures - TROUBLED_AFTER))

    def _backoff(self, times: int) -> float:
        """Doubling, with a jitter that differs from address to address and from time to time."""
        digest = hashlib.sha256(f"{self.number} {times}".encode("ascii")).digest()
        return min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(times, 10)) * (0.75 + 0.5 * digest[0] / 255)

    def _close(self, until: float) -> None:
        self._closed_until = max(self._closed_until, until)


class Gate:
    """The door before all addresses of a model. Whoever wants to send waits here, and nowhere else.

    It also keeps the money: nobody enters whose request might cost more than the purse can still give.
    """

    def __init__(self, capacity: Capacity, purse: Purse) -> None:
        self._loop = asyncio.get_running_loop()
        self._endpoints = [Endpoint(number, capacity, self._loop.time()) for number in range(capacity.addresses)]
        self._purse = purse
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._reason: PoliBiasError | None = None
        self._shut = asyncio.Event()

    @property
    def closed(self) -> bool:
        """Whether nobody gets in any more."""
        return self._shut.is_set()

    @property
    def reason(self) -> PoliBiasError | None:
        """Why the gate was closed for good, if that was an error."""
        return self._reason

    def close(self, reason: PoliBiasError | None = None) -> None:
        """Let nobody in any more. What is under way may end; the first reason stands."""
        if not self.closed:
            self._reason = reason
            self._shut.set()
        self._wake(len(self._waiting))

    async def enter(self, tokens: float, cost: float) -> Endpoint | None:
        """Wait until a request of this size may be sent, and say where to; None once the gate is closed."""
        while not self.closed:
            now = self._loop.time()
            if not self._purse.allows(cost):
                if not any(endpoint.flying for endpoint in self._endpoints):
                    self.close(BudgetReached(self._purse.said))
                    break
                await self._turn(math.inf)
                continue
            opens = [(endpoint.opens_at(tokens, now), endpoint.flying, endpoint) for endpoint in self._endpoints]
            at, _, best = min(opens, key=lambda one: one[:2])
            if at <= now:
                best.admit(tokens, now)
                self._purse.reserve(cost)
                self._wake(1)
                return best
            await self._turn(at)
        return None

    def leave(self, endpoint: Endpoint, cost: float, spent: float) -> None:
        """A request has ended: its place and its reservation are free again, and so much was spent."""
        endpoint.flying -= 1
        self._purse.settle(cost, spent)
        self._wake(1)

    async def rest(self, seconds: float) -> None:
        """Wait so long before another attempt, or until the gate is closed: then there will be none."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._shut.wait()

    async def _turn(self, at: float) -> None:
        """Wait for a place, for money, for the gate's end, or for a time."""
        turn = self._loop.create_future()
        self._waiting.append(turn)
        if math.isfinite(at):
            self._wake_at(at)
        try:
            await turn
        finally:
            if not turn.done():
                self._waiting.remove(turn)

    def _wake_at(self, at: float) -> None:
        if self._timer is None or self._timer.cancelled() or self._timer.when() > at:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = self._loop.call_at(at, self._ring)

    def _ring(self) -> None:
        self._timer = None
        self._wake(1)

    def _wake(self, count: int) -> None:
        """Let so many of those who wait look again; who gets in lets the next one look."""
        while count and self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                count -= 1
