"""The family as a study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..statistics import mean_with_error, paired_test
from ..studies import Result, Settings, Study, Task, generator
from .methods import METHODS, costs
from .worlds import FOLDS, WORLDS, table

LABELS = (100, 400, 1600)
TABLES = ("ionosphere", "diabetes")
OURS = "Algorithm 1"  # differences are taken to it, pair by pair


def study(
    *,
    seeds: int,
    labels: Sequence[int] = LABELS,
    worlds: Sequence[str] = tuple(WORLDS),
    tables: Sequence[str] = TABLES,
    seed: int,
) -> Study:
    """The populations with every number of labels, and the tables with the labels that they have left."""
    if not 2 <= seeds <= FOLDS:
        raise ValueError(f"seeds must be from 2 to {FOLDS}, the folds of the real tables. Got {seeds}.")
    settings = {"seeds": seeds, "labels": list(labels), "worlds": list(worlds), "tables": list(tables), "seed": seed}
    sizes = [(world, count) for world in worlds for count in sorted(labels, reverse=True)]
    tasks = [
        {"world": world, "labels": count, "number": number}
        for world, count in (*sizes, *((name, 0) for name in tables))  # a table has the labels that it has
        for number in range(seeds)
    ]
    return Study("family", settings, tasks, work)


def work(settings: Settings, task: Task) -> Result:
    """All methods on one sample."""
    seed, name = settings["seed"], task["world"]
    rng = generator(seed, *task.values())
    world = WORLDS[name](task["labels"], rng) if name in WORLDS else table(name, task["number"], seed)
    found = costs(world, rng)
    return {"labels": len(world.labeled[1]) + len(world.chooser[1]), "methods": found}


def summarise(made: Study, results: list[Result]) -> dict[str, Any]:
    """Mean excess with its error, paired differences to Algorithm 1, and what a run costs."""
    seeds = made.settings["seeds"]
    cells = []
    for place in range(0, len(results), seeds):
        task, group = made.tasks[place], [result["methods"] for result in results[place : place + seeds]]
        columns = {name: [found[name] for found in group] for name in METHODS if name in group[0]}
        excess = {name: [entry["excess"] for entry in entries] for name, entries in columns.items()}
        cells.append(
            {
                "world": task["world"],
                "labels": round(float(np.mean([result["labels"] for result in results[place : place + seeds]]))),
                "excess": {name: mean_with_error(values) for name, values in excess.items()},
                "difference": {
                    name: paired_test(values, excess[OURS]) for name, values in excess.items() if name != OURS
                },
                "cost": {
                    name: {part: float(np.median([entry[part] for entry in entries])) for part in _COSTS}
                    for name, entries in columns.items()
                },
            }
        )
    cells.sort(key=lambda cell: ((*WORLDS, *made.settings["tables"]).index(cell["world"]), cell["labels"]))
    return {**made.facts, "cells": cells}


_COSTS = ("unlabeled", "calls", "seconds")
