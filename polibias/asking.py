"""Asking what no row answers yet: the ledger's side of every call.

Equal requests share one reply, within a stream and with earlier runs; what is asked is stored before it counts.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import msgspec

from polibias.calls.budget import Purse
from polibias.calls.scheduler import Caller, Done, Task
from polibias.domain.rows import JudgeGuess, Judgment, Response, Seen, Usage
from polibias.domain.study import Rate
from polibias.errors import Fatal, PoliBiasError, ProviderError, TooLong
from polibias.models.base import Model, Reply
from polibias.records.ledger import Ledger, Stream, read, request_key
from polibias.records.manifest import utc_now
from polibias.records.runs import Run

T = TypeVar("T", bound=Task)
CallRow = TypeVar("CallRow", Response, Judgment, JudgeGuess)


class Watcher(Protocol):
    """Whoever shows progress."""

    def stage(self, name: str, total: int, done: int) -> None: ...

    def advance(self, good: int, failed: int) -> None: ...

    def note(self, text: str) -> None: ...


class Paused(Exception):
    """The command has done what it was told to, though the study is not finished."""


class Sitting:
    """One command's time at a run: whom it tells, what it may spend and ask, and whether it was told to stop."""

    def __init__(
        self, run: Run, watcher: Watcher, earlier: Sequence[Run] = (), limit: int | None = None, set_aside: bool = False
    ) -> None:
        self.run = run
        self.watcher = watcher
        self.earlier = earlier
        self.left = limit
        self.set_aside = set_aside
        self.purse = Purse()
        self._caller: Caller[Any] | None = None
        self.stopped = False

    def stop(self) -> None:
        """Send nothing new; what is under way is awaited and stored."""
        if not self.stopped:
            self.stopped = True
            self.watcher.note("stopping: what is under way will be stored; press Ctrl-C again to drop it")
        if self._caller is not None:
            self._caller.stop()

    def hold(self, caller: Caller[Any]) -> None:
        """From now on `stop` stops this caller."""
        self._caller = caller
        if self.stopped:
            caller.stop()

    async def ask(self, caller: Caller[T], tasks: Iterator[T]) -> None:
        """Send the tasks. Raises Paused once the command's limit is used up, KeyboardInterrupt if it was stopped."""
        self.hold(caller)
        await caller.run(self._rationed(tasks))
        self._caller = None
        if self.stopped:
            raise KeyboardInterrupt
        if self.left == 0 and next(tasks, None) is not None:
            raise Paused

    def _rationed(self, tasks: Iterator[T]) -> Iterator[T]:
        while self.left is None or self.left > 0:
            task = next(tasks, None)
            if task is None:
                return
            if self.left is not None:
                self.left -= 1
            yield task


class Source(NamedTuple, Generic[T, CallRow]):
    """What there is to ask of a model, and how a result becomes a row. `tasks` starts anew every time."""

    tasks: Callable[[], Iterator[T]]
    row: Callable[[T, Reply | ProviderError], CallRow]


async def ask_rest(
    sitting: Sitting,
    model: Model,
    rate: Rate | None,
    ledger: Ledger[CallRow],
    source: Source[T, CallRow],
    before: Callable[[], Awaitable[None]],
) -> None:
    """Ask what no row answers yet; store every result as a row; let equal requests share one reply.

    `before` is awaited once, if there is anything to ask. Raises Fatal once every call in flight has failed for good.
    """
    first_host = _host(ledger.stream) if ledger.index else ""
    unasked = Unasked(ledger, source.tasks())

    async def commit(group: Sequence[Done[T]]) -> None:
        nonlocal first_host
        stored, now = 0, utc_now()
        for done in group:
            host = done.result.served_by if isinstance(done.result, Reply) else ""
            first_host = first_host or host
            if host in ("", first_host):
                key = unasked.keys.pop(id(done.task))
                _append(ledger, key, source.row(done.task, done.result), Seen(now, done.seconds, done.attempts))
                stored += 1
            else:
                caller.stop(_mixed(model, first_host, host))
        await asyncio.to_thread(ledger.commit)
        failed = sum(isinstance(done.result, ProviderError) for done in group)
        sitting.watcher.advance(stored - failed, failed)

    caller: Caller[T] = Caller(model, commit, rate, sitting.purse, sitting.watcher.note)
    first = next(unasked, None)
    if first is not None:
        if sitting.left == 0:
            raise Paused
        await before()
        await sitting.ask(caller, _chain(first, unasked))
    if unasked.shared:
        take_over(sitting, ledger, source, ledger.stream)


def _chain(first: T, rest: Iterator[T]) -> Iterator[T]:
    yield first
    yield from rest


def _host(stream: Stream[CallRow]) -> str:
    """Who answered the first row of a stream, where a broker said so."""
    return next((entry.row.served_by for entry in read(stream) if entry.row.answered), "")


def _mixed(model: Model, first: str, other: str) -> PoliBiasError:
    return Fatal(
        f"{model.name}: {first} answered before and {other} now, which may serve the model otherwise; "
        "pin one of them with hosts (and quantizations) in the study. The last reply was not kept"
    )


class Unasked(Iterator[T]):
    """The tasks whose request has no answer and was not given out before.

    `shared` says whether any other task waits for the reply to a request that is equal to its own. `keys` holds the
    request's key of each that was given out and is not stored yet, by the identity of the task: two tasks may be about
    the same responses, as a pair and its retest are.
    """

    def __init__(self, ledger: Ledger[Any], tasks: Iterator[T]) -> None:
        self._ledger = ledger
        self._tasks = tasks
        self._issued: set[bytes] = set()
        self.shared = False
        self.keys: dict[int, str] = {}

    def __next__(self) -> T:
        for task in self._tasks:
            key = request_key(task.request)
            if self._ledger.index.has_answer(key) or bytes.fromhex(key) in self._issued:
                self.shared = self.shared or not self._ledger.index.latest(key, task.subject)
            else:
                self._issued.add(bytes.fromhex(key))
                self.keys[id(task)] = key
                return task
        raise StopIteration


def take_over(sitting: Sitting, ledger: Ledger[CallRow], source: Source[T, CallRow], stream: Stream[CallRow]) -> None:
    """Give every task without a row the reply that an equal request got, here or in an earlier run; nothing is asked.

    Two models may write the very same text, and a condition may share prompts with another one.
    """
    wanted: dict[str, list[T]] = {}
    for task in source.tasks():
        key = request_key(task.request)
        if not (ledger.index.has_answer(key) and ledger.index.latest(key, task.subject)):
            wanted.setdefault(key, []).append(task)
    taken = 0
    for entry in read(stream) if wanted else ():
        for task in wanted.pop(entry.key, []) if entry.row.answered else []:
            made = source.row(task, _again(entry.row))
            note = "; ".join(part for part in (f"reply shared with row {entry.id}", made.note) if part)
            _append(ledger, entry.key, msgspec.structs.replace(made, note=note), Seen(utc_now()))
            taken += 1
    ledger.commit()
    if taken and stream.path != ledger.stream.path:
        sitting.watcher.note(f"{taken} replies taken from {stream.path}")
    elif taken:
        sitting.watcher.advance(taken, 0)


def done(ledger: Ledger[Any], tasks: Iterator[Task]) -> int:
    """How many of the tasks have a row with an answer."""
    if not ledger.index:
        return 0
    keys = ((request_key(task.request), task.subject) for task in tasks)
    return sum(ledger.index.has_answer(key) and bool(ledger.index.latest(key, subject)) for key, subject in keys)


def _append(ledger: Ledger[CallRow], key: str, row: CallRow, seen: Seen) -> None:
    """Queue a row; it supersedes what an earlier call of the same request left."""
    earlier = ledger.index.latest(key, row.subject)
    ledger.append(msgspec.structs.replace(row, supersedes=earlier) if earlier else row, seen)


def _again(row: Response | Judgment | JudgeGuess) -> Reply | ProviderError:
    """What an answered call brought, as it came; it is paid for once, so the shared row counts no tokens."""
    if row.outcome == "context_exceeded":
        return TooLong(row.note)
    return Reply(row.text, row.finish, Usage(), row.served_model, row.served_by)
