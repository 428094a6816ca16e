"""Few labels as a study: one task is one split, on which all methods are measured."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from agnoboost.basics.typing import Bools, Floats

from ..statistics import clustered
from ..studies import Result, Settings, Study, Task
from . import tables
from .methods import FEW_LABELS, METHODS, probabilities
from .ranking import critical_difference, mean_ranks

LABELS, FLIPS = (50, 100, 200, 500), (0.0, 0.1, 0.2, 0.3)
SLOW_EVERY = 5  # slow methods are run on one seed in so many
ECE_BINS = 10
MEASURES = ("accuracy", "auc", "brier", "ece", "seconds")
RANKED = {"accuracy": True, "auc": True, "brier": False}  # whether higher is better


def study(
    *,
    half: str,
    data: str | None,
    seeds: int,
    labels: tuple[int, ...] = LABELS,
    flips: tuple[float, ...] = FLIPS,
    fast: bool = False,
    seed: int,
) -> Study:
    """Every table of one half with every number of labels and rate of flips; ``fast`` leaves slow methods out."""
    names = tables.names(half, data)
    methods = [name for name, method in METHODS.items() if method.installed and not (fast and method.slow)]
    settings = {
        "half": half,
        "data": data,
        "tables": names,
        "methods": methods,
        "peers": {METHODS[name].package: METHODS[name].version for name in methods if METHODS[name].package},
        "not_installed": [name for name, method in METHODS.items() if not method.installed],
        "seeds": seeds,
        "slow_every": SLOW_EVERY,
        "seed": seed,
    }
    tasks: list[Task] = [
        {"table": name, "labels": count, "flips": rate, "seed": number}
        for number in range(seeds)
        for name in names
        for count in labels
        if tables.fits(len(tables.table(name, data).y), count)
        for rate in flips
    ]
    return Study("few-labels" if half == "reporting" else f"few-labels-{half}", settings, tasks, work)


def work(settings: Settings, task: Task) -> Result:
    """All measures of all methods on one split."""
    seed = 1000 * settings["seed"] + task["seed"]
    split = tables.split(task["table"], settings["data"], task["labels"], task["flips"], seed)
    found = {}
    for name in settings["methods"]:
        if METHODS[name].slow and task["seed"] % settings["slow_every"]:
            continue
        start = time.perf_counter()
        positive = probabilities(name, split, seed)
        found[name] = measures(positive, split.test[1] > 0, time.perf_counter() - start)
    return found


def measures(positive: Floats, truth: Bools, seconds: float) -> list[float]:
    """In the order of ``MEASURES``; ties at one half count as the positive class."""
    return [
        float(np.mean((positive >= 0.5) == truth)),
        float(roc_auc_score(truth, positive)),
        float(np.mean((positive - truth) ** 2)),
        calibration_error(positive, truth),
        seconds,
    ]


def calibration_error(positive: Floats, truth: Bools) -> float:
    """Expected calibration error: mean abs(share of positives - mean probability) over ten equal intervals.

    >>> round(calibration_error(np.array([0.12, 0.14, 0.92, 0.94]), np.array([False, True, True, True])), 3)
    0.22
    """
    place = np.minimum((positive * ECE_BINS).astype(int), ECE_BINS - 1)
    gaps = np.bincount(place, truth - positive, ECE_BINS)
    return float(np.abs(gaps).sum() / len(positive))


def summarise(made: Study, results: list[Result]) -> dict[str, Any]:
    """Means, ranks and differences; what is independent are the tables, so errors are those of means over tables."""
    methods = made.settings["methods"]
    blocks = list(dict.fromkeys((task["table"], task["labels"], task["flips"]) for task in made.tasks))
    values = np.full((len(blocks), len(methods), len(MEASURES)), np.nan)
    for place, block in enumerate(blocks):
        own = [r for t, r in zip(made.tasks, results, strict=True) if (t["table"], t["labels"], t["flips"]) == block]
        values[place] = levelled(own, methods)
    names = made.settings["tables"]
    of_table = np.array([names.index(block[0]) for block in blocks])
    ranks = {}
    for measure, higher in RANKED.items():
        column = values[:, :, MEASURES.index(measure)]
        by_table = np.array([mean_ranks(column[of_table == k], higher) for k in range(len(names))])
        ranks[measure] = {
            "over_blocks": dict(zip(methods, mean_ranks(column, higher).tolist(), strict=True)),
            "over_tables": dict(zip(methods, by_table.mean(axis=0).tolist(), strict=True)),
        }
    return {
        **made.facts,
        "blocks": [
            {"table": table, "labels": labels, "flips": flips, **dict(zip(methods, rows, strict=True))}
            for (table, labels, flips), rows in zip(blocks, values.round(5).tolist(), strict=True)
        ],
        "measures": MEASURES,
        "means": {name: values[:, place].mean(axis=0).tolist() for place, name in enumerate(methods)},
        "ranks": ranks,
        "critical_difference": critical_difference(len(methods), len(names)),
        "differences": {
            name: {m: clustered(_gaps(values, methods, name, MEASURES.index(m)), of_table) for m in RANKED}
            for name in methods
            if name != FEW_LABELS
        },
    }


def levelled(results: list[Result], methods: list[str]) -> Floats:
    """The mean of every method over the seeds (shape: methods, measures).

    A method that was run on fewer seeds is measured by its distance from the mean of all others on those seeds.
    """
    everywhere = [name for name in methods if all(name in result for result in results)]
    level = np.array([np.mean([result[name] for name in everywhere], axis=0) for result in results])
    found = []
    for name in methods:
        own = [place for place, result in enumerate(results) if name in result]
        distance = np.array([results[place][name] for place in own]) - level[own]
        found.append(level.mean(axis=0) + distance.mean(axis=0))
    return np.array(found)


def _gaps(values: Floats, methods: list[str], other: str, measure: int) -> Floats:
    """Ours minus the other, block by block."""
    return np.asarray(values[:, methods.index(FEW_LABELS), measure] - values[:, methods.index(other), measure])
