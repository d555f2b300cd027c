"""Work shared out among a few processes: each does its share, tells what came of it, and ends.

The results are those of one process, in the order of the tasks, however many processes there are. Nothing is handed
out later, so a process that is left behind ends by itself, and a share that is lost with its process is done once more
by the first one.
"""

import multiprocessing
import os
import pickle
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, Generic, TypeVar

from polibias.errors import PoliBiasError

T = TypeVar("T")
R = TypeVar("R")

SMALL = 32 * 2**20
"""Bytes to read below which another process costs more than it saves."""

Work = Callable[[Sequence[T]], list[R]]
"""Does a share of tasks and gives a result for each. It and all it takes and gives can be pickled."""


def usable_cores() -> int:
    """How many processors this process may use. One in a process that may have no others below it."""
    if multiprocessing.current_process().daemon:
        return 1
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


def shared_out(work: Work[T, R], tasks: Sequence[T], sizes: Sequence[int], workers: int = 0) -> list[R]:
    """What `work` gives for every task, in their order; `sizes` are bytes to read.

    Without a number of workers there are as many as there are usable cores, and one for little work. Raises what `work`
    raises, in whichever process; the others are ended then, as they are when a person interrupts.
    """
    number = workers or (1 if sum(sizes) < SMALL else usable_cores())
    first, *others = shares(sizes, max(1, min(number, len(tasks))))
    results: dict[int, R] = {}
    helpers: list[_Helper[T, R]] = []
    try:
        helpers += [_Helper(work, [tasks[at] for at in share]) for share in others]
        results.update(zip(first, work([tasks[at] for at in first]), strict=True))
        for share, helper in zip(others, helpers, strict=True):
            results.update(zip(share, helper.results(), strict=True))
    finally:
        for helper in helpers:
            helper.end()
    return [results[at] for at in range(len(tasks))]


def shares(sizes: Sequence[int], number: int) -> list[list[int]]:
    """Which tasks each of so many processes does: the largest first, each to whoever has least to do."""
    found: list[list[int]] = [[] for _ in range(number)]
    loads = [0] * number
    for task in sorted(range(len(sizes)), key=lambda task: (-sizes[task], task)):
        least = loads.index(min(loads))
        loads[least] += sizes[task]
        found[least].append(task)
    return found


def at_once(*works: Callable[[], R], worth: bool = True) -> list[R]:
    """What each work gives, in their order: the first done here, each other in a process that begins as a copy of it.

    One after the other where it is not `worth` a process, processes cannot be copied, or there is one core. What works
    give can be pickled.
    """
    if not worth or usable_cores() == 1 or multiprocessing.get_start_method() != "fork":
        return [work() for work in works]
    first, *others = works
    helpers: list[_Helper[None, R]] = []
    try:
        helpers += [_Helper(partial(_alone, work), [None]) for work in others]
        return [first(), *(result for helper in helpers for result in helper.results())]
    finally:
        for helper in helpers:
            helper.end()


def _alone(work: Callable[[], R], _: Sequence[None]) -> list[R]:
    return [work()]


class _Helper(Generic[T, R]):
    """Another process at work on its share."""

    def __init__(self, work: Work[T, R], tasks: Sequence[T]) -> None:
        self._work, self._tasks = work, tasks
        self._here, there = multiprocessing.Pipe(duplex=False)
        self._process = multiprocessing.Process(
            target=_help, args=(work, tasks, there, self._here), name="reading", daemon=True
        )
        self._process.start()
        there.close()

    def results(self) -> list[R]:
        """What came of its share. Raises what was raised there."""
        try:
            told: list[R] | Exception = self._here.recv()
        except (EOFError, OSError, pickle.UnpicklingError):  # the process was ended from outside
            return self._work(self._tasks)
        if isinstance(told, Exception):
            raise told
        return told

    def end(self) -> None:
        self._here.close()
        self._process.terminate()
        self._process.join()


def _help(work: Work[Any, Any], tasks: Sequence[Any], there: Connection, here: Connection) -> None:
    """The life of another process. An interruption is for the first one, which ends this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    here.close()
    told: list[Any] | Exception
    try:
        told = work(tasks)
    except (PoliBiasError, OSError) as error:  # told to the first process, which raises it
        told = error
    with suppress(BrokenPipeError):  # the first process is no more
        there.send(told)
