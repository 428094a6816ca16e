"""Policies as a study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from agnoboost.rl import WORLDS, require_gymnasium

from ..statistics import mean_with_error, paired_test
from ..studies import Result, Settings, Study, Task, generator
from .balancing import ENV, returns
from .methods import Q_LEARNING, gaps

COMPARED = ("GS24", "labeled-only", Q_LEARNING)
EPISODES = (1080, 3600, 10_800)


def study(
    *,
    seeds: int,
    episodes: Sequence[int] = EPISODES,
    worlds: Sequence[str] = tuple(WORLDS),
    seed: int,
) -> Study:
    """Every world with every number of annotated episodes; and the pole."""
    require_gymnasium()  # before the work, not after it
    settings = {"seeds": seeds, "episodes": list(episodes), "worlds": list(worlds), "seed": seed}
    tasks: list[Task] = [
        {"world": world, "episodes": count, "number": number}
        for count in sorted(episodes, reverse=True)
        for world in worlds
        for number in range(seeds)
    ]
    return Study("rl", settings, [*tasks, *({"world": ENV, "number": n} for n in range(seeds))], work)


def work(settings: Settings, task: Task) -> Result:
    """All methods with one seed."""
    rng = generator(settings["seed"], *task.values())
    if task["world"] == ENV:
        return returns(int(rng.integers(2**31)))
    return gaps(task["world"], task["episodes"], rng)


def summarise(made: Study, results: list[Result]) -> dict[str, Any]:
    """Mean gaps, each method with the settings that are best in hindsight; returns of the pole; the claims."""
    cells, pole = [], []
    seeds = made.settings["seeds"]
    for place in range(0, len(results), seeds):
        task, group = made.tasks[place], results[place : place + seeds]
        if task["world"] == ENV:
            pole = group
        else:
            cells.append({"world": task["world"], "episodes": task["episodes"], **_cell(group)})
    cells.sort(key=lambda cell: (made.settings["worlds"].index(cell["world"]), cell["episodes"]))
    return {
        **made.facts,
        "worlds": {name: _facts(name, cells) for name in made.settings["worlds"]},
        "cells": cells,
        "pole": _pole(pole),
        "claims": claims(cells),
    }


def _cell(group: list[Result]) -> dict[str, Any]:
    found = {}
    for method in group[0]["gaps"]:
        columns = {name: [result["gaps"][method][name] for result in group] for name in group[0]["gaps"][method]}
        best = min(columns, key=lambda name: float(np.mean(columns[name])))
        values = np.round(columns[best], 5).tolist()
        found[method] = {**mean_with_error(columns[best]), "setting": best, "values": values}
    return {"gap": found, "mismatch": max(result["mismatch"] for result in group)}


def _facts(name: str, cells: list[dict[str, Any]]) -> dict[str, Any]:
    """What is known exactly of a world."""
    mdp = WORLDS[name]()
    return {
        "states": mdp.states,
        "beta": mdp.beta,
        "signal": mdp.signal(),
        "best_value": mdp.best_value,
        "coin": mdp.value(np.full(mdp.states, 0.5)),
        "mismatch": max(cell["mismatch"] for cell in cells if cell["world"] == name),
    }


def _pole(group: list[Result]) -> dict[str, Any]:
    kinds = {
        kind: {name: [result[kind][name] for result in group] for name in group[0][kind]}
        for kind in ("likelier", "drawn")
    }
    medians = {kind: {name: float(np.median(values)) for name, values in own.items()} for kind, own in kinds.items()}
    spent = {name: int(np.median([result["spent"][name] for result in group])) for name in group[0]["spent"]}
    return {"returns": kinds, "medians": medians, "spent": spent}


def claims(cells: list[dict[str, Any]]) -> dict[str, Any]:
    """Algorithm 2 against the best GS24 and against Q-learning on bits."""
    found = {}
    for cell in cells:
        if cell["world"] == "bits":
            ours = cell["gap"]["Algorithm 2"]
            found[str(cell["episodes"])] = {
                "gap": ours["mean"],
                **{f"minus {name}": paired_test(ours["values"], cell["gap"][name]["values"]) for name in COMPARED},
            }
    return found
