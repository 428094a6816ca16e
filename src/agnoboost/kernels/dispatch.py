"""When compiled kernels pay, and how they share the cores.

Loading numba and the cached kernels takes about half a second, so work that is sooner done is left to the numpy twins,
which give the same results. The work alone decides, never what a process happens to have loaded: the same call takes
the same way wherever it is made.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.checks import check_count
from ..basics.threads import available_cores

LOADING = 0.5  # seconds to load numba and cached kernels


def pays(seconds: float) -> bool:
    """Whether work that takes numpy this long is better done by compiled kernels, in a process that has none yet."""
    return seconds > LOADING


def pays_by_now(seconds: float) -> bool:
    """The same, or numpy has taken that long in this process already: from then on kernels are used.

    For work that is often done again, and whose result is the same to the bit either way.
    """
    if pays(seconds) or pays(_spent[0]):
        return True
    _spent[0] += seconds
    return False


_spent = [0.0]  # seconds of such work that was left to numpy


def cores(threads: int | None = None) -> int:
    """The number of threads to use: as asked, or as many as there are cores for this process."""
    if threads is not None:
        return check_count(threads, "threads")
    return available_cores()


def in_parts(work: Callable[..., Any], size: int, threads: int, *arguments: Any) -> None:
    """Call ``work(*arguments, start, end)`` on ``threads`` parts of range(size) at once.

    The parts must write to different places. Kernels release the interpreter lock, so plain threads do; numba's own
    thread layers are not safe to call from several Python threads.
    """
    _run([partial(work, *arguments, start, end) for start, end in _parts(size, threads)])


def summed_in_parts(work: Callable[..., Any], size: int, threads: int, into: npt.NDArray[Any], *arguments: Any) -> None:
    """Call ``work(*arguments, sums, start, end)`` on parts of range(size), and add what they sum up to ``into``."""
    parts = _parts(size, threads)
    sums = [into, *(np.zeros_like(into) for _ in parts[1:])]
    _run([partial(work, *arguments, own, *part) for own, part in zip(sums, parts, strict=True)])
    for own in sums[1:]:
        into += own


def in_numbered_parts(work: Callable[[int, int, int], Any], size: int, threads: int) -> None:
    """Call ``work(part, start, end)`` on ``threads`` parts of range(size) at once, which are numbered from 0."""
    _run([partial(work, part, start, end) for part, (start, end) in enumerate(_parts(size, threads))])


def one_by_one(work: Callable[[int], Any], size: int, threads: int) -> list[Any]:
    """What ``work`` gives for each number below ``size``: every thread takes the next when it is done with one."""
    if min(size, threads) <= 1:
        return [work(number) for number in range(size)]
    with ThreadPoolExecutor(min(size, threads)) as pool:
        return list(pool.map(work, range(size)))


def _parts(size: int, threads: int) -> list[tuple[int, int]]:
    count = max(1, min(threads, size))
    return list(pairwise(size * part // count for part in range(count + 1)))


def _run(tasks: Sequence[Callable[[], Any]]) -> None:
    """The first task here, the others in threads that wait for work from now on."""
    others = [_threads().submit(task) for task in tasks[1:]]
    try:
        tasks[0]()
    finally:  # what nobody has begun is done here: tasks may have tasks of their own, and threads are not many
        for task, other in zip(tasks[1:], others, strict=True):
            if other.cancel():
                task()
            else:
                other.result()


@lru_cache(maxsize=1)
def _threads() -> ThreadPoolExecutor:
    """Started as they are needed: starting them for every pass over some rows would take longer than the pass."""
    return ThreadPoolExecutor(max(64, 2 * cores()), thread_name_prefix="agnoboost")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_threads.cache_clear)  # a child has none of the threads
