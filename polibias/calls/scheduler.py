"""Sending a stream of tasks to one model: bounded in flight, retried, committed in groups.

A worker takes its next task only once the row of its last one is on the disk. So at a kill no more calls are
unrecorded than were in flight, and memory depends on the model's concurrency, not on the study's size.
"""

import asyncio
import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from polibias.domain.ids import canonical, plain
from polibias.domain.rows import Request
from polibias.errors import ProviderError, TooLong, Transient
from polibias.models.base import Model, Reply

ATTEMPTS = 6
FIRST_WAIT = 0.5
LONGEST_WAIT = 60.0


class Task(Protocol):
    """Anything that carries a request, and says which row it leads to."""

    @property
    def request(self) -> Request: ...

    @property
    def subject(self) -> tuple[str, ...]: ...


T = TypeVar("T", bound=Task)


class Done(NamedTuple, Generic[T]):
    """A task with its reply, or with the error that ended it, and how long the last attempt took."""

    task: T
    result: Reply | ProviderError
    seconds: float


Commit = Callable[[Sequence[Done[T]]], None]


class Committer(Generic[T]):
    """Collects what several workers finish at the same time and commits it as one group."""

    def __init__(self, commit: Commit[T]) -> None:
        self._commit = commit
        self._waiting: list[tuple[Done[T], asyncio.Future[None]]] = []

    async def store(self, done: Done[T]) -> None:
        """Return once `done` is on the disk; raise what the commit raised."""
        loop = asyncio.get_running_loop()
        stored = loop.create_future()
        self._waiting.append((done, stored))
        if len(self._waiting) == 1:
            loop.call_soon(self.flush)
        await stored

    def flush(self) -> None:
        """Commit everything that waits. A worker that was cancelled meanwhile loses nothing."""
        group, self._waiting = self._waiting, []
        if not group:
            return
        failure: Exception | None = None
        try:
            self._commit([done for done, _ in group])
        except Exception as error:  # noqa: BLE001 - handed to every worker that waits for this group
            failure = error
        for _, stored in group:
            if not stored.done():
                stored.set_exception(failure) if failure else stored.set_result(None)


async def run_calls(model: Model, tasks: Iterator[T], commit: Commit[T]) -> None:
    """Send every task and hand the results to `commit`, in groups, as they come.

    A call that stays Transient after all attempts, or is TooLong, is committed with its error. Fatal ends the
    run at once, after what was already answered is committed, and is raised.
    """
    committer = Committer(commit)
    try:
        async with asyncio.TaskGroup() as workers:
            for _ in range(model.concurrency):
                workers.create_task(_work(model, tasks, committer))
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from None
    finally:
        committer.flush()


async def _work(model: Model, tasks: Iterator[T], committer: Committer[T]) -> None:
    for task in tasks:
        await committer.store(await ask(model, task))


async def ask(model: Model, task: T) -> Done[T]:
    """One task to its end: a reply, or the error that could not be healed. Raises Fatal."""
    loop = asyncio.get_running_loop()
    attempt = 1
    while True:
        started = loop.time()
        try:
            return Done(task, await model.send(task.request), loop.time() - started)
        except TooLong as error:
            return Done(task, error, loop.time() - started)
        except Transient as error:
            if attempt == ATTEMPTS:
                return Done(task, error, loop.time() - started)
            await asyncio.sleep(error.after if error.after is not None else wait(task.request, attempt))
        attempt += 1


def wait(request: Request, attempt: int) -> float:
    """Seconds before the next attempt: doubling, with jitter drawn from the request, so that calls spread out."""
    digest = hashlib.sha256(canonical(plain(request)) + bytes([attempt])).digest()
    jitter = 0.5 + int.from_bytes(digest[:4], "big") / 2**33
    return min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (attempt - 1)) * jitter
