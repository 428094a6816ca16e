"""A study: many independent tasks that are spread over processes, and go on after being killed where they stopped.

Every task draws its randomness from the seed and its own name, so that a result does not depend on the number of jobs,
on the order of the tasks or on how often a run was cut short.
"""

from __future__ import annotations

import json
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
from agnoboost.basics.atomic import write_text
from agnoboost.basics.places import place_of
from agnoboost.basics.typing import Rng

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
    todo = [task for task in study.tasks if _key(task) not in found or not study.keeps(task, found[_key(task)])]
    done = len(study.tasks) - len(todo)
    on_done(done, len(study.tasks))
    for task, result in _results(study, todo, jobs):
        journal.append(task, result)
        found[_key(task)] = result
        done += 1
        on_done(done, len(study.tasks))
    return [found[_key(task)] for task in study.tasks]


def _results(study: Study, tasks: list[Task], jobs: int) -> Iterator[tuple[Task, Result]]:
    if jobs == 1:  # in this process: a debugger can follow
        yield from (_one(study, task) for task in tasks)
    elif tasks:
        yield from Parallel(n_jobs=jobs, return_as="generator_unordered")(delayed(_one)(study, t) for t in tasks)


def _one(study: Study, task: Task) -> tuple[Task, Result]:
    """One thread a task: sums by several threads may differ in their last digit."""
    with threadpool_limits(1):
        return task, study.work(study.settings, task)


def _key(task: Task) -> str:
    return json.dumps(task, sort_keys=True)


class Journal:
    """One line a result, after a line that says which study it belongs to; of two lines on a task the later counts."""

    def __init__(self, path: Path, facts: dict[str, Any]):
        self._path, self._facts = path, facts

    def read(self) -> dict[str, Result]:
        """What is there already. A last line that was cut short is dropped; another study's file is refused."""
        if not place_of(self._path).is_regular:
            raise ValueError(f"{self._path} must be a file that can be read again. Choose another folder with --out.")
        if not self._path.exists():
            write_text(self._path, json.dumps(self._facts) + "\n")
            return {}
        text = self._path.read_text(errors="replace")
        if not text.endswith("\n"):
            text = text[: text.rfind("\n") + 1]
            write_text(self._path, text)
        lines = text.splitlines()
        try:
            head, *entries = [dict(json.loads(line)) for line in lines]
        except (ValueError, TypeError):
            raise ValueError(f"{self._path} is not a journal of agnoboost. Delete it, or use another folder.") from None
        if differs := [part for part in ("study", "settings", "versions") if head.get(part) != self._facts[part]]:
            raise ValueError(
                f"{self._path} belongs to another run: its {' and '.join(differs)} differ. Choose another folder "
                f"with --out, or delete that file to start anew."
            )
        return {_key(entry["task"]): entry["result"] for entry in entries if {"task", "result"} <= set(entry)}

    def append(self, task: Task, result: Result) -> None:
        with self._path.open("a") as file:
            file.write(json.dumps({"task": task, "result": result}) + "\n")
