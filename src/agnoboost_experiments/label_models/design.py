"""Label models as a study: one task is one situation on one split."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..few_labels.measures import MEASURES, measures
from ..few_labels.tables import names, table
from ..statistics import clustered
from ..studies import Result, Settings, Study, Task, generator
from .situations import FEWEST_ROWS, SITUATIONS, SplitTable

SHOWN = ("auc", "accuracy", "brier")
# Differences that the page states: (situation, one way, another)
PAIRS = (
    ("positives", "100 positives: FewLabel", "100 ordinary labels: FewLabel"),
    ("positives", "100 positives: FewLabel", "100 ordinary labels: random forest, leaf 5"),
    ("positives", "100 positives: FewLabel", "100 positives: forest, unlabeled as negative"),
    ("positives", "100 positives: FewLabel", "100 positives: logistic, unlabeled as negative"),
    ("positives", "100 positives: FewLabel, prior 30% too low", "100 positives: FewLabel"),
    ("positives", "100 positives: FewLabel, prior 30% too high", "100 positives: FewLabel"),
    ("positives", "100 positives: AgnosticBoosting, prior 30% too low", "100 positives: AgnosticBoosting"),
    ("positives", "100 positives: AgnosticBoosting, prior 30% too high", "100 positives: AgnosticBoosting"),
    ("positives", "100 + 10: FewLabel, blend", "100 + 10: FewLabel, labels alone"),
    ("positives", "100 + 10: FewLabel, blend", "100 + 10: logistic regression"),
    ("flips", "FewLabel, known rates", "FewLabel, labels at face value"),
    ("flips", "FewLabel, estimated rates", "FewLabel, labels at face value"),
    ("flips", "AgnosticBoosting, known rates", "AgnosticBoosting, labels at face value"),
    ("votes", "FewLabel, shares of votes", "FewLabel, majority rounded"),
    ("votes", "FewLabel, Dawid-Skene", "FewLabel, majority rounded"),
    ("soft", "FewLabel, teacher's probabilities", "FewLabel, teacher's answers rounded"),
    ("soft", "FewLabel, teacher's probabilities", "FewLabel, true labels"),
)


def study(
    *,
    data: str | None,
    seeds: int,
    situations: tuple[str, ...] = tuple(SITUATIONS),
    seed: int,
) -> Study:
    """Every situation on the reporting tables that are large enough."""
    large = [name for name in names("reporting", data) if len(table(name, data).y) >= FEWEST_ROWS]
    settings = {"tables": large, "data": data, "seeds": seeds, "situations": list(situations), "seed": seed}
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
