"""Table 1 as a study: its tasks, one of them, and what comes of all."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np

from agnoboost.basics.checks import check_positive
from agnoboost.datasets import load
from agnoboost.estimators.held_out_choice import FEWEST_LABELS

from ..splits import RowSplit
from ..statistics import standard_error
from ..studies import Result, Settings, Study, Task, generator
from . import Protocol, StumpKind, boosters, peers, splits
from .printed import DATA_SETS, METHODS, NOISE, printed

OURS = "AgnosticBoostingClassifier"

FOREST = "random forest"


def study(
    *,
    protocol: str,
    folds: int,
    folds_run: int | None = None,
    step: float,
    stumps: str,
    held_out: bool,
    estimator_every: int,
    data_sets: Sequence[str] | None,
    noise: Sequence[float] = NOISE,
    seed: int,
) -> Study:
    """All cells of the table, on all ``folds`` folds or on the first ``folds_run``."""
    chosen = check_data_sets(data_sets)
    if protocol not in list(Protocol):
        raise ValueError(f"protocol must be one of {', '.join(Protocol)}. Got {protocol!r}.")
    if stumps not in list(StumpKind):
        raise ValueError(f"stumps must be one of {', '.join(StumpKind)}. Got {stumps!r}.")
    if held_out and protocol == "printed":
        raise ValueError(
            "held_out=True, on the command line --held-out is for the honest protocol: in the printed one test rows "
            "choose. Leave it out."
        )
    check_positive(step, "step")
    fewest = min(len(load(name).y) for name in chosen)
    if not 2 <= folds <= fewest:
        raise ValueError(f"folds must be from 2 to {fewest}, the number of rows of the smallest table. Got {folds}.")
    run = folds if folds_run is None else folds_run
    settings = {
        "protocol": protocol,
        "folds": folds,
        "folds_run": run,
        "seed": seed,
        "step": step,
        "stumps": stumps,
        "held_out": held_out,
        "estimator_every": estimator_every,
        "data_sets": list(chosen),
        "noise": list(noise),
    }
    tasks = [
        {"data_set": name, "noise": rate, "fold": fold} for name in chosen for rate in noise for fold in range(run)
    ]
    name = f"table1-{protocol}{'-held-out' if held_out else ''}"
    return Study(name, settings, tasks, work)


def check_data_sets(names: Sequence[str] | None) -> tuple[str, ...]:
    """All six, or those that were asked for."""
    if unknown := sorted(set(names or ()) - set(DATA_SETS)):
        raise ValueError(f"data sets must be among {', '.join(DATA_SETS)}. Got {', '.join(unknown)}.")
    return tuple(name for name in DATA_SETS if not names or name in names)


def work(settings: Settings, task: Task) -> Result:
    """Every method on one split, the boosters with each kind of stumps."""
    seed, protocol = settings["seed"], settings["protocol"]
    split = _split_of(settings, task)
    learners = {kind: boosters.STUMPS[kind](split) for kind in boosters.kinds_of(settings["stumps"])}
    found: Result = {
        boosters.title(name, kind): boosters.score(
            name, split, learner, settings["step"], generator(seed, *task.values(), name)
        )
        for name in boosters.GRIDS
        for kind, learner in learners.items()
    }
    if protocol == "honest":
        for name, peer in peers.PEERS.items():
            if name == OURS and not _is_its_turn(split, task["fold"], settings["estimator_every"]):
                continue
            own_seed = int(generator(seed, *task.values(), name).integers(2**31))
            found[name] = {"accuracy": peer(split, own_seed)}
    return found


def _split_of(settings: Settings, task: Task) -> RowSplit:
    cell, seed = (task["data_set"], task["noise"], task["fold"]), settings["seed"]
    if settings["protocol"] == "printed":
        return splits.as_printed(*cell, seed)
    return splits.honest(*cell, settings["folds"], seed, settings["held_out"])


def _is_its_turn(split: RowSplit, fold: int, every: int) -> bool:
    """Whether our estimator runs on this fold: one in so many, or all where labels are too few to cross-validate."""
    return fold % every == 0 or len(split.all_labels[1]) < FEWEST_LABELS


def summarise(made: Study, results: list[Result]) -> dict[str, Any]:
    """Mean accuracies with standard errors, in each cell and over the data sets; under ``printed`` also how far off."""
    settings = made.settings
    run, kinds = settings["folds_run"], boosters.kinds_of(settings["stumps"])
    cells = [
        {
            "data_set": made.tasks[place]["data_set"],
            "noise": made.tasks[place]["noise"],
            **_cell(results[place : place + run], comparisons(kinds)),
        }
        for place in range(0, len(results), run)
    ]
    summary = {**made.facts, "cells": cells, "means": [_over_data_sets(cells, rate) for rate in settings["noise"]]}
    if settings["protocol"] == "printed":
        summary["deviation"] = deviations(cells, kinds)
        summary["printed_spread"] = printed_spread(cells)
    return summary


def comparisons(kinds: Sequence[str]) -> list[tuple[str, str]]:
    """The differences that the page reports, fold by fold: boosters with the same stumps, then one kind and the other.

    >>> for first, second in comparisons(["gini"]):
    ...     print(first, "-", second)
    Algorithm 1, Gini stumps - PAB, Gini stumps
    Algorithm 1, Gini stumps - GS24, Gini stumps
    Algorithm 1, Gini stumps - labeled-only Huber, Gini stumps
    Algorithm 1, Gini stumps - random forest
    AgnosticBoostingClassifier - random forest
    """
    title = boosters.title
    others = [name for name in boosters.GRIDS if name != "Algorithm 1"]
    alike = [(title("Algorithm 1", kind), title(other, kind)) for kind in kinds for other in others]
    forest = [(title("Algorithm 1", kind), FOREST) for kind in kinds]
    across = [(title(name, second), title(name, first)) for name in boosters.GRIDS for first, second in pairwise(kinds)]
    return [*alike, *forest, (OURS, FOREST), *across]


def _cell(group: list[Result], compared: list[tuple[str, str]]) -> dict[str, Any]:
    """One data set at one noise level: accuracies, and differences on the folds that both methods ran on."""

    def column(name: str, other: str | None = None) -> list[float]:
        return [r[name]["accuracy"] for r in group if name in r and (other is None or other in r)]

    return {
        "accuracy": {name: _mean(column(name)) for name in group[0]},
        "difference": {
            f"{first} - {second}": _mean(np.subtract(column(first, second), column(second, first)))
            for first, second in compared
            if first in group[0] and second in group[0]
        },
    }


def _mean(values: Any) -> dict[str, Any]:
    """Mean, standard error (None for a single fold) and number of folds."""
    error = standard_error(values) if len(values) > 1 else None
    return {"mean": float(np.mean(values)), "error": error, "folds": len(values)}


def _over_data_sets(cells: list[dict[str, Any]], noise: float) -> dict[str, Any]:
    """Means over the data sets, each with the same weight."""
    own = [cell for cell in cells if cell["noise"] == noise]
    return {
        "noise": noise,
        **{
            part: {name: _combined([cell[part][name] for cell in own]) for name in own[0][part]}
            for part in ("accuracy", "difference")
        },
    }


def _combined(entries: list[dict[str, Any]]) -> dict[str, Any]:
    errors = [entry["error"] for entry in entries]
    known = None if None in errors else float(np.sqrt(np.sum(np.square(errors))) / len(entries))
    return {"mean": float(np.mean([entry["mean"] for entry in entries])), "error": known}


def deviations(cells: list[dict[str, Any]], kinds: Sequence[str]) -> dict[str, Any]:
    """Mean absolute deviation from the printed accuracies, for each kind of stumps.

    Labeled-only boosting is held against the column of Algorithm 1: if it fits as well, the column does not show what
    unlabeled rows bring.
    """
    columns = {**{name: name for name in METHODS}, "labeled-only Huber": "Algorithm 1"}
    found = {}
    for (name, column), kind in product(columns.items(), kinds):
        own = boosters.title(name, kind)
        off = [cell["accuracy"][own]["mean"] - printed(cell["data_set"], cell["noise"], column)[0] for cell in cells]
        found[own] = {"column": column, "mean_absolute": float(np.mean(np.abs(off))), "mean": float(np.mean(off))}
    return found


def printed_spread(cells: list[dict[str, Any]]) -> dict[str, float]:
    """How far the printed +- are from 95% intervals of the printed accuracies over so many rows."""
    pairs = [
        (*printed(cell["data_set"], cell["noise"], method), splits.labels_left(cell["data_set"]))
        for cell in cells
        for method in METHODS
    ]
    accuracy, spread, rows = np.array(pairs).T

    def off(scored: Any) -> float:
        return float(np.mean(np.abs(spread - 1.96 * np.sqrt(accuracy * (1.0 - accuracy) / scored))))

    return {"all labeled rows": off(rows), "a quarter of the labeled rows": off(rows / 4)}
