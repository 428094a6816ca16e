"""How many cores there are, and a look at a long array by all of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor


def available_cores() -> int:
    """As many as there are for this process."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def any_part(holds: Callable[[int], bool], parts: range, *, together: bool) -> bool:
    """Whether something holds of any of these parts; ``together``: on all cores, for work without Python in it."""
    if not together or len(parts) == 1:
        return any(map(holds, parts))
    with ThreadPoolExecutor(min(len(parts), available_cores())) as pool:
        return any(pool.map(holds, parts))
