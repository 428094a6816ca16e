"""From results to gains over gold labels alone, differences to rivals, harm by useless machines, and the curve."""

from __future__ import annotations

from typing import Any

import numpy as np

from agnoboost.basics.typing import Floats

from ..few_labels.measures import MEASURES, RANKED
from ..statistics import interval_over
from ..studies import Result, Study, Task
from .machines import KINDS, MACHINES, NONE, REAL, SIMULATED, USELESS
from .methods import BASE, MACHINE, MAIN
from .verdicts import verdicts

HARM = 0.005  # AUC that a useless machine may cost in a cell
USEFUL = "real and simulated"
GROUPS: dict[str, tuple[str, ...]] = {USEFUL: (REAL, SIMULATED), **{kind: (kind,) for kind in KINDS}}

Cell = tuple[str, str, int, int, int]  # table, machine, gold labels, rows of the pool, seed
Cells = dict[Cell, dict[str, Floats]]  # -> method -> measures


def summarise(made: Study, results: list[Result]) -> dict[str, Any]:
    """All figures of the page; what is independent are the tables, so errors are those of means over tables."""
    settings = made.settings
    check_rows(made.tasks, results)
    cells = cells_of(made.tasks, results)
    usual = {
        cell: found for cell, found in cells.items() if cell[3] == settings["tables"][cell[0]]["pool"] and BASE in found
    }
    found: dict[str, Any] = {
        **made.facts,
        "measures": MEASURES,
        "measured_by": measured_by(made.tasks, results),
        "sizes": [
            _size(count, {cell: own for cell, own in usual.items() if cell[2] == count}) for count in settings["gold"]
        ],
        "right": _right(made.tasks, results),
        "curve": _curve(cells, settings["curve"]),
    }
    return found | {"verdicts": verdicts(found) if MAIN in settings["methods"] else []}


def check_rows(tasks: list[Task], results: list[Result]) -> None:
    """Results of different days can be compared if they were measured on the same rows and machine labels."""
    seen: dict[tuple[Any, ...], int] = {}
    for task, result in zip(tasks, results, strict=True):
        split = tuple(value for name, value in task.items() if name != "method")
        if seen.setdefault(split, result["rows"]) != result["rows"]:
            raise ValueError(
                f"{task['method']} was measured on other rows of {task['table']} than the methods before it: "
                "the tables or machines have changed. Delete the journal to start anew."
            )


def measured_by(tasks: list[Task], results: list[Result]) -> dict[str, list[str]]:
    """What made the results of each method."""
    found: dict[str, dict[str, None]] = {}
    for task, result in zip(tasks, results, strict=True):
        found.setdefault(task["method"], {})[result["by"]] = None
    return {method: list(versions) for method, versions in found.items()}


def _right(tasks: list[Task], results: list[Result]) -> dict[str, dict[str, float]]:
    """The share of rows that each machine labels rightly, by table; a mean over draws."""
    found: dict[str, dict[str, list[float]]] = {}
    for task, result in zip(tasks, results, strict=True):
        if task["machine"] != NONE:
            found.setdefault(task["machine"], {}).setdefault(task["table"], []).append(result["right"])
    return {
        machine: {table: float(np.mean(shares)) for table, shares in found[machine].items()}
        for machine in MACHINES
        if machine in found
    }


def cells_of(tasks: list[Task], results: list[Result]) -> Cells:
    """The methods of each cell; those that ask no machine or no gold labels are in all cells that they belong to."""
    found: Cells = {}
    shared: dict[tuple[Any, ...], dict[str, Floats]] = {}
    for task, result in zip(tasks, results, strict=True):
        cell = (task["table"], task["machine"], task["gold"], task["pool"], task["seed"])
        into = shared if task["machine"] == NONE or not task["gold"] else found
        into.setdefault(cell, {})[task["method"]] = np.array(result["values"])
    for (table, machine, gold, pool, seed), methods in found.items():
        methods.update(shared.get((table, NONE, gold, pool, seed), {}))
        methods.update(shared.get((table, machine, 0, pool, seed), {}))
    return found


def gains(cells: Cells, one: str, other: str, measure: str) -> Floats:
    """What one method is better by, in each cell: positive is better, whatever the measure."""
    place = MEASURES.index(measure)
    sign = 1.0 if RANKED[measure] else -1.0
    return np.array([sign * (found[one][place] - found[other][place]) for found in cells.values()])


def gain_intervals(cells: Cells, one: str, other: str) -> dict[str, dict[str, float | None]]:
    """By measure, where both were run."""
    both = {cell: found for cell, found in cells.items() if one in found and other in found}
    names = [cell[0] for cell in both]
    return {measure: interval_over(gains(both, one, other, measure), names) for measure in RANKED}


def means(cells: Cells, method: str) -> list[float]:
    """Over the cells of each table, then over tables, where the method was run."""
    own = {cell: found[method] for cell, found in cells.items() if method in found}
    values, names = np.array(list(own.values())), np.array([cell[0] for cell in own])
    return [float(mean) for mean in np.mean([values[names == name].mean(axis=0) for name in np.unique(names)], axis=0)]


def _size(gold: int, cells: Cells) -> dict[str, Any]:
    """What there is to say about one number of gold labels."""
    there = {MACHINES[cell[1]].kind for cell in cells}
    by_group = {  # a group of several kinds needs all of them
        group: {cell: found for cell, found in cells.items() if MACHINES[cell[1]].kind in kinds}
        for group, kinds in GROUPS.items()
        if there.issuperset(kinds)
    }
    return {
        "gold": gold,
        "tables": list(dict.fromkeys(cell[0] for cell in cells)),
        "seeds": len({cell[4] for cell in cells}),
        "groups": {group: _group(own) for group, own in by_group.items()},
        "machines": {
            machine: _group({cell: found for cell, found in cells.items() if cell[1] == machine})
            for machine in MACHINES
            if any(cell[1] == machine for cell in cells)
        },
        "harm": _harm(by_group.get(USELESS, {})),
    }


def _group(cells: Cells) -> dict[str, Any]:
    """Means of all methods, gains over gold labels alone, and what ours is ahead of each rival."""
    methods = list(dict.fromkeys(method for found in cells.values() for method in found))
    found: dict[str, Any] = {
        "cells": len(cells),
        "tables": len({cell[0] for cell in cells}),
        "means": {method: means(cells, method) for method in methods},
        "gains": {method: gain_intervals(cells, method, BASE) for method in methods if method != BASE},
    }
    rivals = [method for method in methods if method != MAIN]
    if MAIN not in methods:
        return found
    against = {rival: gain_intervals(cells, MAIN, rival) for rival in rivals}
    # On the cells that both have: rivals were run on fewer draws than ours, and means of other draws compare draws.
    best = min(rivals, key=lambda rival: float(against[rival]["auc"]["mean"] or 0.0))
    return found | {"against": against, "best_rival": best}


def _harm(cells: Cells) -> dict[str, Any] | None:
    """What useless machines cost ours in AUC: the mean, and the share of cells and of tables' means beyond a bound."""
    if not cells or MAIN not in next(iter(cells.values())):
        return None
    change = gains(cells, MAIN, BASE, "auc")
    pairs = np.array([f"{cell[0]}, {cell[1]}" for cell in cells])
    by_pair = np.array([change[pairs == pair].mean() for pair in np.unique(pairs)])
    return {
        "cells": len(change),
        "mean": float(change.mean()),
        "share": float(np.mean(change < -HARM)),
        "share_of_pairs": float(np.mean(by_pair < -HARM)),
        "worst": float(change.min()),
    }


def _curve(cells: Cells, pools: list[int]) -> dict[str, Any] | None:
    """AUC against the number of machine-labeled rows, where all numbers were run; and ours against the machine alone.

    The machine counts as good for a table if, with the most rows, it is better alone than gold labels alone: a choice
    in hindsight, and in favour of the machine.
    """
    runs = {(cell[0], cell[1], cell[2], cell[4]) for cell in cells}
    whole = [run for run in sorted(runs) if all((*run[:3], pool, run[3]) in cells for pool in pools)]
    if not pools or not whole:
        return None
    at = {pool: {(*run[:3], pool, run[3]): cells[(*run[:3], pool, run[3])] for run in whole} for pool in pools}
    auc = MEASURES.index("auc")
    methods = [method for method in (MAIN, MACHINE, BASE) if all(method in found for found in at[pools[-1]].values())]
    found: dict[str, Any] = {
        "gold": whole[0][2],
        "pools": pools,
        "tables": sorted({run[0] for run in whole}),
        "cells": len(whole),
        "auc": {method: [means(at[pool], method)[auc] for pool in pools] for method in methods},
    }
    if len(methods) < 3:
        return found
    good = _good(at[pools[-1]])
    by_pool = []
    for pool in pools:
        own = {cell: values for cell, values in at[pool].items() if (cell[0], cell[1]) in good}
        by_pool.append(gain_intervals(own, MAIN, MACHINE)["auc"] if own else None)
    return found | {"good": len(good), "against_machine": by_pool}


def _good(cells: Cells) -> set[tuple[str, str]]:
    """Pairs of a table and a machine that is better alone than gold labels alone."""
    change = gains(cells, MACHINE, BASE, "auc")
    pairs = [(cell[0], cell[1]) for cell in cells]
    return {
        pair for pair in set(pairs) if np.mean([c for c, own in zip(change, pairs, strict=True) if own == pair]) > 0
    }
