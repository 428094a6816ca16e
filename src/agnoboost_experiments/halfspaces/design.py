"""Halfspaces as a study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..statistics import mean_with_error, paired_test
from ..studies import Result, Settings, Study, Task, generator
from .methods import excesses
from .problem import NOISE

LABELS = (1000, 3000, 10_000)
SHAPES = tuple((n, degree) for n in (10, 20, 40) for degree in (1, 2, 3))
SHOWN = (20, 2)  # the shape at which all kinds of noise are tried, and the claims are checked


def study(
    *,
    seeds: int,
    labels: Sequence[int] = LABELS,
    shapes: Sequence[tuple[int, int]] = SHAPES,
    noise: Sequence[str] = tuple(NOISE),
    seed: int,
) -> Study:
    """All shapes with a nuisance parity; other noise at one shape."""
    settings = {"seeds": seeds, "labels": list(labels), "shapes": [list(s) for s in shapes], "noise": list(noise)}
    tasks = [
        {"noise": kind, "n": n, "degree": degree, "labels": count, "number": number}
        for kind in noise
        for n, degree in shapes
        if kind == "nuisance" or (n, degree) == SHOWN
        for count in sorted(labels, reverse=True)
        for number in range(seeds)
    ]
    return Study("halfspaces", {**settings, "seed": seed}, tasks, work)


def work(settings: Settings, task: Task) -> Result:
    """All methods on one halfspace. The halfspace is the same for every degree and number of labels."""
    problem = NOISE[task["noise"]](task["n"], generator(settings["seed"], task["noise"], task["n"], task["number"]))
    return excesses(problem, task["degree"], task["labels"], generator(settings["seed"], *task.values()))


def summarise(made: Study, results: list[Result]) -> dict[str, Any]:
    """Mean excess with standard errors; PAB with the T that is best in hindsight; and the claims."""
    seeds = made.settings["seeds"]
    cells = []
    for place in range(0, len(results), seeds):
        task, group = made.tasks[place], results[place : place + seeds]
        columns = _with_best_pab({name: np.array([result[name] for result in group]) for name in group[0]})
        cells.append(
            {
                **{key: task[key] for key in ("noise", "n", "degree", "labels")},
                "pab_rounds": columns.pop("best T"),
                "excess": {name: mean_with_error(values) for name, values in columns.items()},
                "values": {name: np.round(values, 5).tolist() for name, values in columns.items()},
            }
        )
    cells.sort(key=lambda cell: (list(NOISE).index(cell["noise"]), cell["n"], cell["degree"], cell["labels"]))
    return {**made.facts, "cells": cells, "claims": claims(cells)}


def _with_best_pab(columns: dict[str, Any]) -> dict[str, Any]:
    """One column for PAB instead of one for each T."""
    own = {name: values for name, values in columns.items() if name.startswith("PAB")}
    best = min(own, key=lambda name: float(np.mean(own[name])))
    others = {name: values for name, values in columns.items() if name not in own}
    return {**others, "PAB": own[best], "best T": int(best.rpartition("=")[2])}


def claims(cells: list[dict[str, Any]]) -> dict[str, Any]:
    """What the theory lets one expect at the shape that is shown: few labels against many, and against GS24."""
    shown = {
        cell["labels"]: cell["values"]
        for cell in cells
        if cell["noise"] == "nuisance" and (cell["n"], cell["degree"]) == SHOWN
    }
    if not {1000, 3000} <= set(shown):
        return {}
    few, many = shown[1000], shown[3000]
    return {
        "algorithm1_with_1000_minus_pab_with_3000": paired_test(few["Algorithm 1"], many["PAB"]),
        "algorithm1_minus_gs24_with_1000": paired_test(few["Algorithm 1"], few["GS24"]),
        "algorithm1_minus_labeled_only_with_1000": paired_test(few["Algorithm 1"], few["labeled-only"]),
    }
