"""Label models as a study: one task is one situation on one split."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from agnoboost.basics.checks import check_word

from ..few_labels.measures import MEASURES, measures
from ..few_labels.tables import names, table
from ..statistics import clustered
from ..studies import Result, Settings, Study, Task, generator
from .situations import FEWEST_ROWS, SITUATIONS
from .split_table import SplitTable

SHOWN = ("auc", "accuracy", "brier")
_FLIPS = ("flips", "even flips", "few flips", "no flips")
_VOTES = ("votes", "poor votes")
# Differences that the page states: (situation, one way, another)
PAIRS = (
    ("positives", "100 positives", "100 ordinary labels"),
    ("positives", "100 positives", "100 positives: forest, unlabeled as negative"),
    ("positives", "100 positives", "100 positives: logistic, unlabeled as negative"),
    ("positives", "100 positives", "100 positives: forest, unlabeled as negative, threshold by the prior"),
    ("positives", "100 positives", "100 positives: logistic, unlabeled as negative, threshold by the prior"),
    ("positives", "100 positives: prior 30% too low", "100 positives"),
    ("positives", "100 positives: prior 30% too high", "100 positives"),
    ("positives", "100 positives: prior estimated", "100 positives"),
    ("positives", "100 + 10: blend", "100 + 10: labels alone"),
    *((situation, "known rates", "labels at face value") for situation in _FLIPS[:3]),
    *((situation, "face value, probabilities corrected by known rates", "known rates") for situation in _FLIPS[:3]),
    *((situation, "estimated rates as they are", "labels at face value") for situation in _FLIPS),
    *((situation, "estimated rates, shrunk", "labels at face value") for situation in _FLIPS),
    *(
        (situation, "face value, probabilities corrected by shrunk estimates", "labels at face value")
        for situation in _FLIPS
    ),
    ("flips", "AgnosticBoosting, known rates", "AgnosticBoosting, labels at face value"),
    *((situation, "shares of votes", "majority rounded") for situation in _VOTES),
    *((situation, "Dawid-Skene's posterior as it is", "majority rounded") for situation in _VOTES),
    *((situation, "Dawid-Skene, without its lean", "majority rounded") for situation in _VOTES),
    ("soft", "teacher's probabilities", "teacher's answers rounded"),
    ("soft", "teacher's probabilities", "true labels"),
    ("biased", "weighted by estimated ratios", "labels as they are"),
    ("biased", "weighted by true ratios", "labels as they are"),
    ("biased", "as many labels drawn at random", "labels as they are"),
)


def study(
    *,
    data: str | None,
    seeds: int,
    situations: Sequence[str] | None = None,
    seed: int,
) -> Study:
    """Every situation, or those that are named, on the reporting tables that are large enough."""
    situations = list(situations or SITUATIONS)
    for name in situations:
        check_word(name, tuple(SITUATIONS), "--situation")
    large = [name for name in names("reporting", data) if len(table(name, data).y) >= FEWEST_ROWS]
    settings = {"tables": large, "data": data, "seeds": seeds, "situations": situations, "seed": seed}
    tasks: list[Task] = [
        {"situation": situation, "table": name, "seed": number}
        for number in range(seeds)
        for name in large
        for situation in situations
    ]
    return Study("label-models", settings, tasks, work)


def work(settings: Settings, task: Task) -> Result:
    """All measures of all ways, on the same rows."""
    data = table(task["table"], settings["data"])
    number = 1000 * settings["seed"] + task["seed"]
    order = generator(number, task["table"]).permutation(len(data.y))
    rows = SplitTable(data, order, task["seed"])
    ways = SITUATIONS[task["situation"]](rows, generator(number, *task.values()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the peers
        return {name: measures(way(), rows.test[1], 0.0) for name, way in ways.items()}


def summarise(made: Study, results: list[Result]) -> dict[str, Any]:
    """Means over tables, and differences with intervals over tables."""
    pairs = list(zip(made.tasks, results, strict=True))
    means, differences = {}, []
    for situation in made.settings["situations"]:
        own = [result for task, result in pairs if task["situation"] == situation]
        means[situation] = {name: np.mean([result[name] for result in own], axis=0).tolist() for name in own[0]}
    for situation, one, other in PAIRS:
        own_pairs = [(task["table"], result) for task, result in pairs if task["situation"] == situation]
        if not own_pairs:
            continue
        gaps = np.array([np.subtract(result[one], result[other]) for _, result in own_pairs])
        groups = [name for name, _ in own_pairs]
        found = {measure: clustered(gaps[:, MEASURES.index(measure)], groups) for measure in SHOWN}
        differences.append({"situation": situation, "one": one, "other": other, **found})
    return {**made.facts, "measures": MEASURES, "means": means, "differences": differences}
