"""Many calls to one model: each is answered once, in groups, within the model's concurrency."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pytest

from polibias.calls import scheduler
from polibias.calls.scheduler import Done, run_calls, wait
from polibias.domain.rows import Request, Usage
from polibias.errors import Fatal, StorageError, TooLong, Transient
from polibias.models.base import Reply


class Numbered(NamedTuple):
    number: int

    @property
    def request(self) -> Request:
        return Request("test", "r", {"n": self.number})

    @property
    def subject(self) -> tuple[str, ...]:
        return (str(self.number),)


class FakeModel:
    """Answers after one turn of the loop; `fail` may raise for a request and how often it was seen."""

    name, adapter, revision, provider, concurrency = "fake", "test", "r", "test", 5

    def __init__(self, fail: Callable[[int, int], None] = lambda number, times: None) -> None:
        self.fail = fail
        self.seen: Counter[int] = Counter()
        self.flying = self.most = 0

    async def send(self, request: Request) -> Reply:
        number = request.body["n"]
        self.seen[number] += 1
        self.flying += 1
        self.most = max(self.most, self.flying)
        await asyncio.sleep(0)
        self.flying -= 1
        self.fail(number, self.seen[number])
        return Reply(f"reply {number}", "stop", Usage())


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler, "FIRST_WAIT", 0.0)


def run(
    model: Any, count: int, commit: Callable[[Sequence[Done[Numbered]]], None] | None = None
) -> list[Done[Numbered]]:
    stored: list[Done[Numbered]] = []
    asyncio.run(run_calls(model, (Numbered(n) for n in range(count)), commit or stored.extend))
    return stored


def test_every_task_is_committed_once_within_the_limit() -> None:
    model = FakeModel()
    assert sorted(done.task.number for done in run(model, 200)) == list(range(200))
    assert model.most == 5
    assert set(model.seen.values()) == {1}


def test_tasks_are_drawn_only_as_fast_as_rows_are_stored() -> None:
    """Memory is bounded: no more tasks are taken than are stored or under way."""
    drawn = stored = ahead = 0

    def tasks() -> Any:
        nonlocal drawn, ahead
        for number in range(100):
            drawn += 1
            ahead = max(ahead, drawn - stored)
            yield Numbered(number)

    def commit(group: Sequence[Done[Numbered]]) -> None:
        nonlocal stored
        stored += len(group)

    asyncio.run(run_calls(FakeModel(), tasks(), commit))
    assert (stored, ahead) == (100, 5)


def test_transient_errors_are_asked_again() -> None:
    def fail(number: int, times: int) -> None:
        if times <= number % 3:
            raise Transient("busy", after=0.0)

    model = FakeModel(fail)
    assert all(isinstance(done.result, Reply) for done in run(model, 30))
    assert model.seen.total() == 30 + 30


def test_what_cannot_heal_is_committed_with_its_error() -> None:
    def fail(number: int, times: int) -> None:
        if number == 1:
            raise Transient("busy", after=0.0)
        if number == 2:
            raise TooLong("too long")

    model = FakeModel(fail)
    results = {done.task.number: done.result for done in run(model, 4)}
    assert isinstance(results[1], Transient)
    assert isinstance(results[2], TooLong)
    assert model.seen == Counter({0: 1, 1: scheduler.ATTEMPTS, 2: 1, 3: 1})


def test_fatal_stops_at_once_and_keeps_what_was_answered() -> None:
    def fail(number: int, times: int) -> None:
        if number == 20:
            raise Fatal("no credit")

    model, stored = FakeModel(fail), list[Done[Numbered]]()
    with pytest.raises(Fatal, match="no credit"):
        run(model, 1000, stored.extend)
    assert 19 <= len(stored) <= 24
    assert model.seen.total() <= 30


def test_a_full_disk_stops_the_run() -> None:
    def commit(group: Sequence[Done[Numbered]]) -> None:
        raise StorageError("no space left")

    model = FakeModel()
    with pytest.raises(StorageError):
        run(model, 1000, commit)
    assert model.seen.total() <= 10


def test_waits_double_and_differ_between_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler, "FIRST_WAIT", 1.0)
    waits = [wait(Numbered(1).request, attempt) for attempt in range(1, 6)]
    assert all(0.5 * 2**n <= seconds < 2**n for n, seconds in enumerate(waits))
    assert wait(Numbered(1).request, 1) == waits[0] != wait(Numbered(2).request, 1)
