"""Few labels as a study: one task is one method on one split, so that a method can be added or run again alone."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

import numpy as np

from ..splits import RowSplit
from ..studies import Result, Settings, Study, Task
from . import tables as all_tables
from .measures import measures
from .methods import METHODS, probabilities
from .summary import read_earlier, summarise

__all__ = ["SIZES", "study", "summarise", "work"]

SLOW_EVERY = 5  # slow methods are run on one seed in so many


@dataclass(frozen=True)
class Size:
    """What is done with a number of labels."""

    flips: tuple[float, ...] = (0.0, 0.1, 0.3)


SIZES: dict[int, Size] = {  # in order of cost
    50: Size(),
    100: Size(),
    300: Size(),
    1000: Size(),
    10_000: Size(),
    100_000: Size(flips=(0.0, 0.3)),
}


def study(
    *,
    half: str,
    data: str | None,
    seeds: int,
    most_labels: int,
    tables: list[str] | None,
    methods: list[str] | None,
    exclude: list[str] | None,
    beside: str | None,
    again: list[str] | None,
    fast: bool = False,
    seed: int,
) -> Study:
    """Every table of one half with every number of labels and rate of flips; ``fast`` leaves slow methods out.

    Results outlive versions of the library: each says what made it. Those of a method in ``again`` are made anew,
    unless it was this version that made them. Tables and methods that are not run may come from an earlier result,
    ``beside``.
    """
    _check_tables(tables, half, data)
    if beside is not None and tables is None and methods is None:
        raise ValueError(
            "--beside needs --table or --method: what is measured anew, beside the rest of the earlier result."
        )
    read_earlier(beside, half)  # what cannot be read is told before any work
    chosen = [name for name in _chosen(methods, exclude) if not (fast and METHODS[name].slow)]
    repeated = set(_known(again))
    sizes = [count for count in SIZES if count <= most_labels]
    settings = {
        "half": half,
        "data": data,
        "tables": tables,
        "beside": beside,
        "methods": chosen,
        "not_installed": [name for name, method in METHODS.items() if not method.installed],
        "seeds": seeds,
        "slow_every": SLOW_EVERY,
        "seed": seed,
    }
    tasks: list[Task] = [
        {"table": name, "labels": count, "flips": rate, "seed": number, "method": method}
        for count in sizes
        for number in range(seeds)
        for name in all_tables.for_labels(half, data, count)
        if tables is None or name in tables
        for rate in SIZES[count].flips
        for method in chosen
        if METHODS[method].takes(count) and not (METHODS[method].slow and number % SLOW_EVERY)
    ]

    def keeps(task: Task, result: Result) -> bool:
        return task["method"] not in repeated or result["by"] == METHODS[task["method"]].version

    name = "few-labels" if half == "reporting" else f"few-labels-{half}"
    return Study(name, settings, tasks, work, lasting={"seed": seed}, keeps=keeps)


def _check_tables(wanted: list[str] | None, half: str, data: str | None) -> None:
    here = all_tables.for_labels(half, data, min(SIZES))
    if unknown := [name for name in wanted or [] if name not in here]:
        raise ValueError(f"There is no {half} table {unknown[0]!r} here. Choose from: {'; '.join(here)}.")


def _chosen(methods: list[str] | None, exclude: list[str] | None) -> list[str]:
    """The methods that are wanted and can be run; one that is asked for by name must be here."""
    left_out = set(_known(exclude))
    if missing := [name for name in _known(methods) if not METHODS[name].installed]:
        raise ValueError(f"Not installed, or without its weights: {', '.join(missing)}.")
    wanted = set(methods or METHODS) - left_out
    return [name for name, method in METHODS.items() if name in wanted and method.installed]


def _known(names: list[str] | None) -> list[str]:
    if unknown := [name for name in names or [] if name not in METHODS]:
        raise ValueError(f"There is no method {unknown[0]!r}. Choose from: {'; '.join(METHODS)}.")
    return names or []


def work(settings: Settings, task: Task) -> Result:
    """All measures of one method on one split, with what made them and a sum that tells its rows from others.

    Seconds are those of the processor: the machine may be busy with something else.
    """
    seed = 1000 * settings["seed"] + task["seed"]
    split, rows = _split(task["table"], settings["data"], task["labels"], task["flips"], seed)
    start = time.process_time()
    positive = probabilities(task["method"], split, seed)
    found = measures(positive, split.test[1] > 0, time.process_time() - start)
    return {"values": found, "by": METHODS[task["method"]].version, "rows": rows}


@lru_cache(maxsize=1)
def _split(name: str, data: str | None, labels: int, flips: float, seed: int) -> tuple[RowSplit, int]:
    """A split, which the methods that come next use too, and its sum."""
    split = all_tables.split(name, data, labels, flips, seed)
    total = 0
    for part in (*split.labeled, split.unlabeled, *split.test, np.array(split.categorical, dtype=np.int64)):
        total = crc32(np.ascontiguousarray(part).tobytes(), total)
    return split, total
