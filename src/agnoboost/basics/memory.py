"""How much memory there is, and sizes as people write them."""

from __future__ import annotations

import os
import re
from pathlib import Path

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?\s*", re.IGNORECASE)


def read_size(text: str) -> int:
    """A number of bytes.

    >>> read_size("4GB"), read_size("1.5 M"), read_size("800")
    (4000000000, 1500000, 800)
    """
    found = _SIZE.fullmatch(text)
    if found is None:
        raise ValueError(f"A size must be a number of bytes, such as 500MB or 4GB. Got {text!r}.")
    return int(float(found[1]) * _UNITS[found[2].upper()])


def spoken_size(size: float) -> str:
    """A number of bytes as people say it.

    >>> spoken_size(12_345_678_900), spoken_size(2_500_000)
    ('12.3 GB', '2.5 MB')
    """
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"


def free_memory() -> int:
    """Bytes that this process may still have, as far as the system tells."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        free = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration, ValueError):
        free = _physical()
    return min(free, _of_this_group())


def _physical() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not a system of this kind
        return 2**62


def _of_this_group(folder: Path = Path("/sys/fs/cgroup")) -> int:
    """What a container leaves us."""
    try:
        most, used = ((folder / name).read_text().strip() for name in ("memory.max", "memory.current"))
        return max(int(most) - int(used), 0)
    except (OSError, ValueError):  # no container, or no limit
        return 2**62
