"""How many cores there are, and a look at a long array by all of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from numbers import Integral
from typing import Any


def available_cores() -> int:
    """As many as there are for this process."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def threads_asked(n_jobs: Any) -> int | None:
    """What a user wants; None for as many as there are cores, which -1 says as well."""
    if n_jobs is None:
        return None
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or (n_jobs < 1 and n_jobs != -1):
        raise ValueError(f"n_jobs must be None or -1 (all cores), or a number of threads >= 1. Got {n_jobs!r}.")
    return None if n_jobs == -1 else int(n_jobs)


def any_part(holds: Callable[[int], bool], parts: range, *, together: bool) -> bool:
    """Whether something holds of any of these parts; ``together``: on all cores, for work without Python in it."""
    if not together or len(parts) == 1:
        return any(map(holds, parts))
    with ThreadPoolExecutor(min(len(parts), available_cores())) as pool:
        return any(pool.map(holds, parts))
