"""Many calls to one model: each is answered once, within what the model takes, and none is lost.

The clock is virtual, so half an hour of a server's refusals takes no time.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

import pytest

from polibias.calls import scheduler
from polibias.calls.budget import Purse
from polibias.calls.scheduler import Caller, Done, wait
from polibias.domain.rows import Request, Usage
from polibias.domain.study import Rate
from polibias.errors import BudgetReached, Fatal, ProviderError, StorageError, TooLong, Transient
from polibias.models.base import Capacity, Reply
from tests.calls import virtual_time

Fail = Callable[[int, int, float], None]


class Numbered(NamedTuple):
    number: int

    @property
    def request(self) -> Request:
        message = {"role": "user", "content": f"prompt {self.number}"}
        return Request("test", "r", {"messages": [message], "max_tokens": 100, "n": self.number})

    @property
    def subject(self) -> tuple[str, ...]:
        return (str(self.number),)


FIVE = Capacity(5)


class FakeModel:
    """Answers after a second; `fail` may raise for a request, how often it was seen, and the time."""

    name, adapter, revision, provider, settings = "fake", "test", "r", "test", dict[str, str]()

    def __init__(self, fail: Fail = lambda number, times, now: None, capacity: Capacity = FIVE) -> None:
        self.fail = fail
        self.capacity = capacity
        self.seen: Counter[int] = Counter()
        self.sent: list[tuple[float, int]] = []
        self.flying = self.most = 0
        self.dead: set[int] = set()

    async def send(self, request: Request, address: int = 0) -> Reply:
        number, loop = request.body["n"], asyncio.get_running_loop()
        self.seen[number] += 1
        self.sent.append((loop.time(), address))
        if address in self.dead:
            raise Transient("no connection")
        self.flying += 1
        self.most = max(self.most, self.flying)
        try:
            await asyncio.sleep(1.0)
            self.fail(number, self.seen[number], loop.time())
        finally:
            self.flying -= 1
        return Reply(f"reply {number}", "stop", Usage(10, 50))


Commit = Callable[[Sequence[Done[Numbered]]], Awaitable[None]]


class Run:
    """A run of so many tasks: what was stored, how long it took, and what it raised."""

    def __init__(
        self,
        model: Any,
        count: int,
        commit: Commit | None = None,
        rate: Rate | None = None,
        purse: Purse | None = None,
        during: Callable[[Caller[Numbered]], Awaitable[None]] | None = None,
    ) -> None:
        self.stored: list[Done[Numbered]] = []
        self.raised: Exception | None = None
        self.purse = purse or Purse()
        self.drawn = 0

        async def keep(group: Sequence[Done[Numbered]]) -> None:
            self.stored.extend(group)

        async def work() -> None:
            caller = Caller(model, commit or keep, rate, self.purse)
            beside = asyncio.create_task(during(caller)) if during else None
            try:
                await caller.run(self._tasks(count))
            except (ProviderError, StorageError) as error:
                self.raised = error
            if beside:
                await beside

        _, self.seconds = virtual_time.run(work())

    def _tasks(self, count: int) -> Any:
        for number in range(count):
            self.drawn += 1
            yield Numbered(number)

    @property
    def numbers(self) -> list[int]:
        return sorted(done.task.number for done in self.stored)

    @property
    def failed(self) -> list[int]:
        return sorted(done.task.number for done in self.stored if isinstance(done.result, ProviderError))


def test_every_task_is_committed_once_within_the_limit() -> None:
    model = FakeModel()
    assert Run(model, 200).numbers == list(range(200))
    assert model.most == 5
    assert set(model.seen.values()) == {1}


def test_a_large_limit_is_reached_in_steps() -> None:
    """A server is not met with everything at once; while all goes well, twice as much goes out each round."""
    model = FakeModel(capacity=Capacity(64))
    run = Run(model, 640)
    assert model.most == 64
    assert sum(at == 0.0 for at, _ in model.sent) == 8
    assert run.seconds < 16


def test_tasks_are_drawn_only_as_fast_as_rows_are_stored() -> None:
    """Memory is bounded: no more tasks are taken than are stored or under way."""
    ahead = 0
    run: Run

    async def commit(group: Sequence[Done[Numbered]]) -> None:
        await asyncio.sleep(0.3)
        stored.extend(group)

    stored: list[Done[Numbered]] = []

    def watch(number: int, times: int, now: float) -> None:
        nonlocal ahead
        ahead = max(ahead, number + 1 - len(stored))

    run = Run(FakeModel(watch), 100, commit)
    assert len(stored) == run.drawn == 100
    assert ahead <= 5


def test_rows_that_come_while_the_disk_is_busy_are_stored_together() -> None:
    groups: list[int] = []

    async def commit(group: Sequence[Done[Numbered]]) -> None:
        groups.append(len(group))
        await asyncio.sleep(10.0)

    Run(FakeModel(capacity=Capacity(8)), 64, commit)
    assert sum(groups) == 64
    assert max(groups) == 8


def test_transient_errors_are_asked_again() -> None:
    def fail(number: int, times: int, now: float) -> None:
        if times <= number % 3:
            raise Transient("busy", after=0.0)

    model = FakeModel(fail)
    run = Run(model, 30)
    assert (run.numbers, run.failed) == (list(range(30)), [])
    assert model.seen.total() == 30 + 30
    assert Counter(done.attempts for done in run.stored) == {1: 10, 2: 10, 3: 10}


def test_one_bad_item_ends_as_its_own_row_and_no_other() -> None:
    def fail(number: int, times: int, now: float) -> None:
        if number == 1234:
            raise Transient("always")
        if number == 2:
            raise TooLong("too long")

    model = FakeModel(fail, Capacity(64))
    run = Run(model, 5000)
    assert (run.numbers, run.failed) == (list(range(5000)), [2, 1234])
    assert (model.seen[1234], model.seen[2]) == (scheduler.ATTEMPTS, 1)


def test_fatal_sends_nothing_new_and_keeps_what_is_under_way() -> None:
    """Calls that were out when the key was refused are paid for: they are awaited and stored."""

    def fail(number: int, times: int, now: float) -> None:
        if number == 20:
            raise Fatal("no credit")

    model = FakeModel(fail)
    run = Run(model, 1000)
    assert isinstance(run.raised, Fatal)
    assert model.seen.total() <= 25
    assert len(run.stored) == model.seen.total() - 1


def test_stop_sends_nothing_new_and_keeps_what_is_under_way() -> None:
    async def during(caller: Caller[Numbered]) -> None:
        await asyncio.sleep(3.5)
        caller.stop()

    model = FakeModel()
    run = Run(model, 1000, during=during)
    assert run.raised is None
    assert len(run.stored) == model.seen.total() == 20


def test_stop_does_not_wait_for_a_call_that_waits_itself() -> None:
    """A server told one call to come back in ten minutes; nothing of it is under way."""

    async def during(caller: Caller[Numbered]) -> None:
        await asyncio.sleep(3.5)
        caller.stop()

    def fail(number: int, times: int, now: float) -> None:
        if number == 2:
            raise Transient("later", after=600.0)

    run = Run(FakeModel(fail), 1000, during=during)
    assert run.seconds == 4.0
    assert 2 not in run.numbers
    assert len(run.stored) == 16


def test_a_full_disk_stops_the_run() -> None:
    async def commit(group: Sequence[Done[Numbered]]) -> None:
        raise StorageError("no space left")

    model = FakeModel()
    assert isinstance(Run(model, 1000, commit).raised, StorageError)
    assert model.seen.total() <= 10


def test_nobody_there_ends_the_run_soon() -> None:
    def fail(number: int, times: int, now: float) -> None:
        raise Transient("connection refused")

    model = FakeModel(fail)
    run = Run(model, 1000)
    assert "5 calls in a row got no answer (the last: connection refused)" in str(run.raised)
    assert model.seen.total() <= 2 * 5 * scheduler.ATTEMPTS
    assert run.seconds < 120


def test_retry_after_closes_the_door_for_everybody() -> None:
    """A server that turns everything away for a minute, and says to come back in 89 seconds."""

    def fail(number: int, times: int, now: float) -> None:
        if 10 < now <= 70:
            raise Transient("slow down", after=89.0, throttled=True)

    model = FakeModel(fail, Capacity(16))
    run = Run(model, 400)
    assert (run.numbers, run.failed) == (list(range(400)), [])
    assert model.seen.total() <= 400 + 16
    assert [at for at, _ in model.sent if 12 < at < 99] == []
    back = Counter(at for at, _ in model.sent if at >= 99)
    assert next(iter(back.values())) == 8
    assert max(back.values()) > 8


def test_a_refusal_halves_what_is_under_way_once_for_all_sent_together() -> None:
    def fail(number: int, times: int, now: float) -> None:
        if now == 5.0:
            raise Transient("slow down", after=1.0, throttled=True)

    model = FakeModel(fail, Capacity(64))
    Run(model, 600)
    after = Counter(at for at, _ in model.sent)
    assert (after[4.0], after[5.0], after[6.0]) == (64, 0, 32)


def test_a_server_that_only_ever_refuses_is_given_up() -> None:
    def fail(number: int, times: int, now: float) -> None:
        raise Transient("slow down", after=60.0, throttled=True)

    run = Run(FakeModel(fail), 100)
    assert "turned every request away for 30 minutes" in str(run.raised)
    assert 1800 < run.seconds < 2000
    assert run.stored == []


@pytest.mark.parametrize(("per_minute", "tokens"), [(60, 0), (0, 3120)])
def test_no_minute_holds_more_than_is_allowed(per_minute: int, tokens: int) -> None:
    """52 tokens per call: 2 read and 50 written. Whatever minute is looked at, the declared limits hold."""
    model = FakeModel(capacity=Capacity(32, 1, per_minute, tokens))
    run = Run(model, 300)
    times = sorted(at for at, _ in model.sent)
    most = max(sum(start <= at < start + 60 for at in times) for start in times)
    assert len(run.stored) == 300
    assert most <= 60 + (32 if tokens else 0)  # what a reply writes is known only once it is there
    assert run.seconds < 420


def test_several_addresses_share_the_work() -> None:
    model = FakeModel(capacity=Capacity(4, 3))
    run = Run(model, 120)
    used = Counter(address for _, address in model.sent)
    assert model.most == 12
    assert set(used) == {0, 1, 2}
    assert min(used.values()) >= 30
    assert run.seconds < 15


def test_a_dead_address_leaves_the_work_to_the_others() -> None:
    model = FakeModel(capacity=Capacity(4, 2))
    model.dead = {0}
    run = Run(model, 200)
    assert (run.numbers, run.failed) == (list(range(200)), [])
    assert Counter(address for _, address in model.sent)[0] < 40


PRICE = Rate(1.0, 1000.0)  # a reply of 50 tokens costs 5 cents, one of 100 at most 10


def test_the_budget_is_never_overdrawn() -> None:
    """What is under way counts at its most, so that the sum of all replies can never exceed the budget."""
    run = Run(FakeModel(), 1000, rate=PRICE, purse=Purse(1.0))
    assert isinstance(run.raised, BudgetReached)
    assert "the budget of $1.00 is used up: $0." in str(run.raised)
    assert 0.9 < run.purse.spent <= 1.0
    assert run.purse.reserved == pytest.approx(0.0, abs=1e-9)
    assert len(run.stored) == int(run.purse.spent / 0.05)


def test_what_was_spent_before_counts() -> None:
    run = Run(FakeModel(), 1000, rate=PRICE, purse=Purse(1.0, spent=0.95))
    assert (len(run.stored), run.purse.spent) == (0, 0.95)


def test_a_lost_reply_counts_at_its_most() -> None:
    """A time-out may have been charged; nobody can tell, so the budget takes it that it was."""

    def fail(number: int, times: int, now: float) -> None:
        if times == 1:
            raise Transient("timed out", after=0.0, unpaid=False)

    run = Run(FakeModel(fail), 5, rate=PRICE, purse=Purse(100.0))
    assert run.purse.spent == pytest.approx(5 * (0.10 + 0.05), rel=0.01)


def test_waits_double_and_differ_between_requests() -> None:
    waits = [wait(Numbered(1).request, attempt) for attempt in range(1, 6)]
    assert all(0.25 * 2**n <= seconds < 0.5 * 2**n for n, seconds in enumerate(waits))
    assert wait(Numbered(1).request, 1) == waits[0] != wait(Numbered(2).request, 1)
