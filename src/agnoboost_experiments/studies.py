"""A study: many independent tasks that are spread over processes, and go on after being killed where they stopped.

Every task draws its randomness from the seed and its own name, so that a result does not depend on the number of jobs,
on the order of the tasks or on how often a run was cut short.
"""

from __future__ import annotations

import platform
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

import agnoboost
from agnoboost.basics.typing import Rng

from .journal import Journal, key_of

Settings = dict[str, Any]  # what JSON can hold
Task = dict[str, Any]  # what JSON can hold
Result = Any  # what JSON can hold

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")
LIBRARY = Path(agnoboost.__file__).parent
OUR_PACKAGES = (LIBRARY, Path(__file__).parent)


def _always(task: Task, result: Result) -> bool:
    return True


@dataclass(frozen=True)
class Study:
    """Tasks, and the function that does one: ``work(settings, task)``, at the top of a module.

    A journal belongs to one version and one choice of settings, unless ``lasting`` names the settings that its results
    share: then every result says itself what made it, and ``keeps`` tells which of them need not be made again.
    """

    name: str
    settings: Settings
    tasks: list[Task]
    work: Callable[[Settings, Task], Result]
    command: str = ""
    lasting: Settings | None = None
    keeps: Callable[[Task, Result], bool] = _always

    @property
    def facts(self) -> dict[str, Any]:
        """Where a result comes from: the command, the settings and the versions."""
        return {"study": self.name, "command": self.command, "settings": self.settings, "versions": versions()}

    @property
    def journal_facts(self) -> dict[str, Any]:
        """What a journal must share with this study, for the study to go on from it."""
        return self.facts if self.lasting is None else {"study": self.name, "settings": self.lasting, "versions": {}}


def versions() -> dict[str, str]:
    """What a result may depend on."""
    return {
        "agnoboost": f"{agnoboost.__version__} (source {source_hash(*OUR_PACKAGES)})",
        "python": platform.python_version(),
        **{package: version(package) for package in PACKAGES},
    }


@cache
def source_hash(*packages: Path) -> str:
    """A few digits that change with the code and data of packages: results of another version must not be mixed in."""
    digest = sha256()
    for package in packages:
        for path in sorted([*package.rglob("*.py"), *package.rglob("*.csv.gz")]):
            digest.update(path.relative_to(package.parent).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:10]


def generator(seed: int, *names: Any) -> Rng:
    """Random numbers that belong to these names."""
    return np.random.default_rng([seed, *(zlib.crc32(str(name).encode()) for name in names)])


def carry_out(
    study: Study, out: Path, jobs: int = 1, on_done: Callable[[int, int], None] = lambda done, total: None
) -> list[Result]:
    """The results of all tasks, in their order.

    Each is kept in ``out/NAME.journal`` as soon as it is there; the same study goes on from that file. ``on_done`` is
    told how many tasks are done, and of how many.
    """
    journal = Journal(out / f"{study.name}.journal", study.journal_facts)
    found = journal.read()
    todo = [task for task in study.tasks if key_of(task) not in found or not study.keeps(task, found[key_of(task)])]
    done = len(study.tasks) - len(todo)
    on_done(done, len(study.tasks))
    for task, result in _results(study, todo, jobs):
        journal.append(task, result)
        found[key_of(task)] = result
        done += 1
        on_done(done, len(study.tasks))
    return [found[key_of(task)] for task in study.tasks]


def _results(study: Study, tasks: list[Task], jobs: int) -> Iterator[tuple[Task, Result]]:
    if jobs == 1:  # in this process: a debugger can follow
        yield from (_one(study, task) for task in tasks)
    elif tasks:
        yield from Parallel(n_jobs=jobs, return_as="generator_unordered")(delayed(_one)(study, t) for t in tasks)


def _one(study: Study, task: Task) -> tuple[Task, Result]:
    """One thread a task: sums by several threads may differ in their last digit."""
    with threadpool_limits(1):
        return task, study.work(study.settings, task)
