"""Shared work gives what one process gives, and leaves no process behind, whatever happens."""

import multiprocessing
import os
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polibias.errors import DamagedRecord
from polibias.records import sharing
from polibias.records.sharing import shared_out, shares, usable_cores

METHODS = ["fork", "spawn"]


@pytest.fixture(params=METHODS)
def method(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How a process is begun: as a copy of this one, or anew."""
    monkeypatch.setattr(sharing, "multiprocessing", multiprocessing.get_context(request.param))
    return str(request.param)


def squares(share: Sequence[int]) -> list[int]:
    return [number * number for number in share]


def pids(share: Sequence[int]) -> list[int]:
    return [os.getpid() for _ in share]


def failing_at_three(share: Sequence[int]) -> list[int]:
    if 3 in share:
        raise DamagedRecord("three is damaged")
    return squares(share)


def ended_elsewhere(share: Sequence[tuple[int, int]]) -> list[int]:
    """Each task names the process that may do it; any other is ended from outside."""
    if any(os.getpid() != first for first, _ in share):
        os._exit(9)
    return [number for _, number in share]


def interrupted_here(share: Sequence[tuple[int, int]]) -> list[int]:
    if any(os.getpid() == first for first, _ in share):
        raise KeyboardInterrupt
    return [number for _, number in share]


@given(st.lists(st.integers(0, 10**9)), st.integers(1, 5))
def test_every_task_is_in_one_share_and_none_has_far_more_than_another(sizes: list[int], number: int) -> None:
    found = shares(sizes, number)
    assert len(found) == number
    assert sorted(task for share in found for task in share) == list(range(len(sizes)))
    loads = [sum(sizes[task] for task in share) for share in found]
    assert max(loads) - min(loads) <= max(sizes, default=0)


@pytest.mark.parametrize("workers", [1, 2, 3, 9])
def test_results_are_those_of_one_process_in_the_order_of_the_tasks(method: str, workers: int) -> None:
    tasks = [5, 1, 4, 2]
    assert shared_out(squares, tasks, [1, 7, 3, 3], workers) == [25, 1, 16, 4]
    assert shared_out(squares, [], [], workers) == []
    assert multiprocessing.active_children() == []


def test_more_than_one_process_works_where_there_is_much_to_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "usable_cores", lambda: 2)
    assert set(shared_out(pids, [1, 2], [1, 1])) == {os.getpid()}
    assert len(set(shared_out(pids, [1, 2], [sharing.SMALL, 1]))) == 2
    monkeypatch.setattr(sharing, "usable_cores", lambda: 1)
    assert set(shared_out(pids, [1, 2], [sharing.SMALL, 1])) == {os.getpid()}


@pytest.mark.parametrize("sizes", [[1, 1, 9], [9, 1, 1]])
def test_what_is_wrong_is_raised_in_the_first_process_wherever_it_is_found(method: str, sizes: list[int]) -> None:
    with pytest.raises(DamagedRecord, match=r"^three is damaged$"):
        shared_out(failing_at_three, [1, 2, 3], sizes, 2)
    assert multiprocessing.active_children() == []


def test_a_share_that_is_lost_with_its_process_is_done_once_more(method: str) -> None:
    tasks = [(os.getpid(), number) for number in (7, 8, 9)]
    assert shared_out(ended_elsewhere, tasks, [1, 1, 1], 3) == [7, 8, 9]


def test_an_interruption_ends_every_process(method: str) -> None:
    with pytest.raises(KeyboardInterrupt):
        shared_out(interrupted_here, [(os.getpid(), number) for number in (7, 8)], [1, 1], 2)
    assert multiprocessing.active_children() == []


def test_a_process_that_may_use_one_core_uses_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3}, raising=False)
    assert usable_cores() == 1
