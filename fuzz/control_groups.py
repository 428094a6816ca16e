"""Limits of memory and of the processor by control groups, as containers have them; where we may make some."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
PERIOD = 100_000  # microseconds


def _folders() -> dict[str, Path]:
    """The groups that we are in: by controller (version 1), or under the name "" (version 2)."""
    found = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        for name in controllers.split(","):
            place = ROOT / name / path.lstrip("/") if name else ROOT / path.lstrip("/")
            if place.is_dir():
                found[name] = place
    return found


def _limits(megabytes: int | None, share: float | None) -> list[tuple[Path, dict[str, str]]]:
    """Where a group is to be made, and what it says."""
    groups, wanted = _folders(), []
    quota = None if share is None else str(int(share * PERIOD))
    limit = None if megabytes is None else str(megabytes * 2**20)
    if "memory" in groups or "cpu" in groups:
        if limit is not None:
            wanted.append((groups["memory"], {"memory.limit_in_bytes": limit}))
        if quota is not None:
            wanted.append((groups["cpu"], {"cpu.cfs_period_us": str(PERIOD), "cpu.cfs_quota_us": quota}))
        return wanted
    own = {} if limit is None else {"memory.max": limit, "memory.swap.max": "0"}
    return [(groups[""], own if quota is None else {**own, "cpu.max": f"{quota} {PERIOD}"})]


@contextmanager
def limited(megabytes: int | None = None, share: float | None = None) -> Iterator[Callable[[], None]]:
    """A function by which a new process joins a group with these limits; KeyError or OSError if there can be none."""
    with ExitStack() as stack:
        made = []
        for parent, settings in _limits(megabytes, share):
            group = parent / f"fuzz-{os.getpid()}"
            group.mkdir()
            stack.callback(group.rmdir)
            for name, value in settings.items():
                (group / name).write_text(value)
            made.append(group)

        def join() -> None:
            for group in made:
                (group / "cgroup.procs").write_text(str(os.getpid()))

        yield join


def are_possible() -> bool:
    """Whether this system lets us."""
    try:
        with limited(1000, 0.5):
            return True
    except (KeyError, OSError):
        return False
