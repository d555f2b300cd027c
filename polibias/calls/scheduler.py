"""Sending a stream of tasks to one model: bounded in flight, retried, committed in groups.

A worker takes its next task only once the row of its last one is on the disk. So at a kill no more calls are
unrecorded than were in flight, and memory depends on the model's capacity, not on the study's size. Whoever may
send next is decided at the gate (`endpoints`), for all workers alike.
"""

import asyncio
import hashlib
import math
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from polibias.calls.budget import Purse, listed, most, size, spent
from polibias.calls.endpoints import Endpoint, Gate
from polibias.domain.ids import canonical, plain
from polibias.domain.rows import Request
from polibias.domain.study import Rate
from polibias.errors import Fatal, PoliBiasError, ProviderError, TooLong, Transient
from polibias.models.base import Model, Reply

ATTEMPTS = 6
# A request that is only ever turned away has cost nothing; this often it is offered again.
OFFERS = 40
FIRST_WAIT = 0.5
LONGEST_WAIT = 60.0
# So many calls in a row without an answer, and as many as are under way together, mean that nobody is there.
DEAD_AFTER = 3
# A pause that somebody at a terminal would wonder about.
LONG_PAUSE = 20.0


class Task(Protocol):
    """Anything that carries a request, and says which row it leads to."""

    @property
    def request(self) -> Request: ...

    @property
    def subject(self) -> tuple[str, ...]: ...


T = TypeVar("T", bound=Task)


class Done(NamedTuple, Generic[T]):
    """A task with its reply, or with the error that ended it; how long the last attempt took, and how many it took."""

    task: T
    result: Reply | ProviderError
    seconds: float
    attempts: int = 1


Commit = Callable[[Sequence[Done[T]]], Awaitable[None]]


class Committer(Generic[T]):
    """Collects what workers finish while the disk is busy, and commits it as one group."""

    def __init__(self, commit: Commit[T]) -> None:
        self._commit = commit
        self._waiting: list[tuple[Done[T], asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def store(self, done: Done[T]) -> None:
        """Return once `done` is on the disk; raise what the commit raised."""
        stored: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((done, stored))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())
        await stored

    async def _write(self) -> None:
        await asyncio.sleep(0)  # whoever finishes in the same turn comes along
        while self._waiting:
            group, self._waiting = self._waiting, []
            failure: Exception | None = None
            try:
                await self._commit([done for done, _ in group])
            except Exception as error:  # noqa: BLE001 - handed to every worker that waits for this group
                failure = error
            for _, stored in group:
                if not stored.done():
                    stored.set_exception(failure) if failure else stored.set_result(None)
        self._writing = None

    async def finish(self) -> None:
        """Commit everything that waits. A worker that was cancelled meanwhile loses nothing."""
        if self._writing is None and self._waiting:
            self._writing = asyncio.create_task(self._write())
        if self._writing is not None:
            await asyncio.shield(self._writing)


class Caller(Generic[T]):
    """One model being asked. `stop` ends it cleanly: nothing new is sent, what is under way is awaited and stored."""

    def __init__(
        self,
        model: Model,
        commit: Commit[T],
        rate: Rate | None = None,
        purse: Purse | None = None,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._model = model
        self._rate = rate
        self._committer = Committer(commit)
        self._purse = purse or Purse()
        self._gate = Gate(model.capacity, self._purse)
        self._in_a_row = 0
        self._tell = tell
        self._told = -math.inf

    async def run(self, tasks: Iterator[T]) -> None:
        """Send every task. A call that stays Transient after all attempts, or is TooLong, is committed with its error.

        Raises Fatal or BudgetReached, after what was under way is committed; StorageError at once.
        """
        try:
            async with asyncio.TaskGroup() as workers:
                for _ in range(self._model.capacity.at_once):
                    workers.create_task(self._work(tasks))
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None
        finally:
            await self._committer.finish()
        if self._gate.reason is not None:
            raise self._gate.reason

    def stop(self, reason: PoliBiasError | None = None) -> None:
        """Send nothing new."""
        self._gate.close(reason)

    async def _work(self, tasks: Iterator[T]) -> None:
        while not self._gate.closed:
            task = next(tasks, None)
            if task is None:
                return
            done = await self._ask(task)
            if done is not None:
                await self._committer.store(done)
                self._watch(done)

    async def _ask(self, task: T) -> Done[T] | None:
        """One task to its end: a reply, or the error that could not be healed; None if the gate was closed before."""
        loop, request = asyncio.get_running_loop(), task.request
        tried = offered = 0
        while True:
            started = loop.time()
            result = await self._attempt(request)
            seconds = loop.time() - started
            if result is None:
                return None
            if isinstance(result, Transient):
                tried, offered = (tried, offered + 1) if result.throttled else (tried + 1, offered)
                if tried < ATTEMPTS and offered < OFFERS:
                    if not result.throttled:
                        await self._gate.rest(wait(request, tried) if result.after is None else result.after)
                    continue
            elif isinstance(result, Reply):
                tried += 1
            return Done(task, result, seconds, max(1, tried + offered))

    async def _attempt(self, request: Request) -> Reply | Transient | TooLong | None:
        """One request, through the gate and back; None if there was no way through."""
        measured = size(request)
        reserved = most(self._rate, measured) * self._purse.dearer
        endpoint = await self._gate.enter(measured.tokens, reserved)
        if endpoint is None:
            return None
        cost, now = reserved, asyncio.get_running_loop().time
        sent_at = now()
        try:
            reply = await self._model.send(request, endpoint.number)
            cost = spent(self._rate, reply.usage, measured)
            self._purse.learn(cost, listed(self._rate, reply.usage, measured))
            endpoint.answered(min(reply.usage.completion_tokens or 0, measured.reply), reply.pause, now())
            return reply
        except (Transient, TooLong) as error:
            cost = reserved if isinstance(error, Transient) and not error.unpaid else 0.0
            self._refused(endpoint, error, sent_at, now())
            return error
        except Fatal as error:
            cost = 0.0
            self.stop(error)
            return None
        finally:
            self._gate.leave(endpoint, reserved, cost)

    def _refused(self, endpoint: Endpoint, error: ProviderError, sent_at: float, now: float) -> None:
        if not isinstance(error, Transient):
            return
        if not error.throttled:
            if self._model.capacity.addresses > 1:
                endpoint.failed(now)
            return
        if error.after is not None and error.after >= LONG_PAUSE <= now - self._told:
            self._told = now
            self._tell(f"{error}; the server asks to wait {error.after:.0f} s")
        try:
            endpoint.refused(error, sent_at, now)
        except Fatal as gone:
            if self._model.capacity.addresses == 1:  # of several, the others go on
                self.stop(gone)

    def _watch(self, done: Done[T]) -> None:
        """Stop once every call in flight has failed for good, one after another."""
        self._in_a_row = self._in_a_row + 1 if isinstance(done.result, Transient) else 0
        if self._in_a_row >= max(DEAD_AFTER, self._model.capacity.at_once):
            said = f"{self._in_a_row} calls in a row got no answer (the last: {done.result}); is the server there?"
            self.stop(Fatal(said))


def wait(request: Request, attempt: int) -> float:
    """Seconds before the next attempt: doubling, with jitter drawn from the request, so that calls spread out."""
    digest = hashlib.sha256(canonical(plain(request)) + bytes([attempt])).digest()
    jitter = 0.5 + int.from_bytes(digest[:4], "big") / 2**33
    return min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (attempt - 1)) * jitter
