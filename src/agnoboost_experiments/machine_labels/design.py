"""Machine labels as a study: one task is one method with one machine on one draw.

A method that asks no machine is run once for all machines (``machine`` is "none"), one that asks no gold labels once
for all numbers of them (``gold`` is 0).
"""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any

import numpy as np

from ..few_labels.measures import measures
from ..studies import Result, Settings, Study, Task, generator
from . import tables
from .draws import POOL_FOR_GOLD, draw, sizes
from .machines import MACHINES, NONE, available
from .methods import BASE, MACHINE, MAIN, METHODS, probabilities
from .summary import summarise

__all__ = ["GOLD", "POOL", "study", "summarise", "work"]

GOLD = (50, 100, 300)
POOL = 3000  # rows that the machine labels, as a rule
CURVE_POOLS, CURVE_GOLD = (1000, 3000, 10_000), 100
ESSENTIAL = (MAIN, BASE)  # on all draws
ON_THE_CURVE = (*ESSENTIAL, MACHINE)  # on all numbers of rows


def study(
    *,
    half: str,
    data: str | None,
    seeds: int,
    rival_seeds: int,
    most_gold: int,
    most_rows: int,
    tables: list[str] | None,
    machines: list[str] | None,
    methods: list[str] | None,
    again: list[str] | None,
    seed: int,
) -> Study:
    """Every table with every machine that it has, every number of gold labels and every method.

    Results outlive versions of the library: each says what made it. Those of a method in ``again`` are made anew,
    unless it was this version that made them.
    """
    own = _tables(half, data, tables)
    asked = _known(machines, list(MACHINES), "machine")
    wanted = {BASE, *_known(methods, list(METHODS), "method")}  # gains are gains on gold labels alone
    chosen = [name for name, method in METHODS.items() if name in wanted and method.installed]
    repeated = set(_known(again, list(METHODS), "method")) if again else set()
    pool = min(POOL, most_rows)
    settings = {
        "half": half,
        "data": data,
        "tables": {name: facts for name in own if (facts := _facts(name, data, asked, pool))["machines"]},
        "methods": chosen,
        "not_installed": [name for name, method in METHODS.items() if not method.installed],
        "seeds": seeds,
        "rival_seeds": min(seeds, rival_seeds),
        "gold": [count for count in GOLD if count <= most_gold],
        "pool": pool,
        "curve": _curve(most_gold, most_rows),
        "seed": seed,
    }
    tasks = list({str(task): task for task in _tasks(settings)}.values())

    def keeps(task: Task, result: Result) -> bool:
        return task["method"] not in repeated or result["by"] == METHODS[task["method"]].version

    name = "machine" if half == "reporting" else f"machine-{half}"
    return Study(name, settings, tasks, work, lasting={"seed": seed}, keeps=keeps)


def _tables(half: str, data: str | None, asked: list[str] | None) -> list[str]:
    here = tables.names(half, data)
    return _known(asked, here, f"{half} table here")


def _known(asked: list[str] | None, there: list[str], what: str) -> list[str]:
    """Those that are asked for, in their usual order; all of them if nothing is asked."""
    if unknown := [name for name in asked or [] if name not in there]:
        raise ValueError(f"There is no {what} named {unknown[0]!r}. Choose from: {'; '.join(there)}.")
    return [name for name in there if not asked or name in asked]


def _facts(name: str, data: str | None, asked: list[str], pool: int) -> dict[str, Any]:
    scene = tables.scene(name, data)
    left = sizes(len(scene.here.y))[2]
    return {
        "rows": len(scene.here.y),
        "columns": scene.here.X.shape[1],
        "most_pool": left,
        "pool": min(pool, left),
        "machines": [machine for machine in available(scene) if machine in asked],
    }


def _curve(most_gold: int, most_rows: int) -> list[int]:
    """Numbers of machine-labeled rows; none if there is only one."""
    pools = [pool for pool in CURVE_POOLS if pool <= most_rows]
    return pools if len(pools) > 1 and most_gold >= CURVE_GOLD else []


def _tasks(settings: Settings) -> list[Task]:
    """Seed by seed, so that a run that is cut short has something of everything."""
    found = []
    for seed in range(settings["seeds"]):
        for name, facts in settings["tables"].items():
            for gold in settings["gold"]:
                if facts["pool"] >= POOL_FOR_GOLD * gold:
                    found += _cells(name, facts["machines"], gold, facts["pool"], seed, _methods(settings, seed))
        if seed < settings["rival_seeds"]:
            found += _curve_tasks(settings, seed)
    return found


def _methods(settings: Settings, seed: int) -> list[str]:
    """Rivals have fewer draws."""
    return [name for name in settings["methods"] if seed < settings["rival_seeds"] or name in ESSENTIAL]


def _curve_tasks(settings: Settings, seed: int) -> list[Task]:
    """Other numbers of rows, on tables that have the most, with machines that are worth something."""
    methods = [name for name in ON_THE_CURVE if name in settings["methods"]]
    found = []
    for name, facts in settings["tables"].items():
        useful = [machine for machine in facts["machines"] if MACHINES[machine].useful]
        for pool in settings["curve"] if facts["most_pool"] >= max(settings["curve"], default=0) else []:
            found += _cells(name, useful, CURVE_GOLD, pool, seed, methods)
    return found


def _cells(table: str, machines: list[str], gold: int, pool: int, seed: int, methods: list[str]) -> list[Task]:
    return [
        {
            "table": table,
            "machine": machine if METHODS[method].asks_machine else NONE,
            "gold": gold if METHODS[method].asks_gold else 0,
            "pool": pool,
            "seed": seed,
            "method": method,
        }
        for machine in machines
        for method in methods
    ]


def work(settings: Settings, task: Task) -> Result:
    """All measures of one method, with what made them and a sum that tells its rows and labels from others.

    With a machine also the share of the pool that it labels rightly, which no method can know. Seconds are those of
    the processor: the computer may be busy with something else.
    """
    number = 1000 * settings["seed"] + task["seed"]
    drawn, said = _drawn(task["table"], settings["data"], task["machine"], task["pool"], number)
    seen = drawn.seen(task["gold"], said)
    start = time.process_time()
    positive = probabilities(task["method"], seen, number)
    values = measures(positive, drawn.tested, time.process_time() - start)
    right = None if said is None else float(np.mean((said >= 0.5) == drawn.truth))
    return {"values": values, "by": METHODS[task["method"]].version, "rows": seen.checksum(), "right": right}


@lru_cache(maxsize=1)
def _drawn(name: str, data: str | None, machine: str, pool: int, seed: int) -> Any:
    """A draw with its machine labels, which the methods that come next use too."""
    drawn = draw(name, tables.scene(name, data), pool, seed)
    said = None if machine == NONE else MACHINES[machine].label(drawn, generator(seed, name, machine))
    return drawn, said
