"""Sample complexity as a study."""

from __future__ import annotations

from typing import Any

from ..statistics import slope
from ..studies import Result, Settings, Study, Task
from .methods import BOOSTERS, Family
from .search import on_schedule, tuned

EPSILONS = (0.2, 0.1, 0.05)
VOTES = (3, 5)
MODES = {"schedule": on_schedule, "tuned": tuned}


def study(
    *,
    repetitions: int,
    epsilons: tuple[float, ...] = EPSILONS,
    votes: tuple[int, ...] = VOTES,
    seed: int,
) -> Study:
    """Every method at every epsilon, on the theorem's schedule and tuned; empirical risk minimisation needs neither."""
    settings = {"repetitions": repetitions, "epsilons": list(epsilons), "votes": list(votes), "seed": seed}
    tasks = [
        {"mode": mode, "votes": k, "epsilon": epsilon, "method": method}
        for mode in MODES
        for k in votes
        for epsilon in sorted(epsilons)  # the longest first
        for method in (*BOOSTERS, *(["ERM"] if mode == "schedule" else []))
    ]
    return Study("complexity", settings, tasks, work)


def work(settings: Settings, task: Task) -> Result:
    """The labels that one method needs for one epsilon."""
    family = Family(task["votes"], task["epsilon"])
    return MODES[task["mode"]](family, task["method"], settings["seed"], settings["repetitions"])


def summarise(made: Study, results: list[Result]) -> dict[str, Any]:
    """Labels needed, slopes in 1/epsilon, and how many times more labels than Algorithm 1 needs."""
    rows = [{**task, **result} for task, result in zip(made.tasks, results, strict=True)]
    groups = []
    for mode in MODES:
        for k in made.settings["votes"]:
            own = [row for row in rows if row["mode"] == mode and row["votes"] == k]
            groups.append({"mode": mode, "votes": k, "methods": _by_method(own)})
    return {**made.facts, "groups": groups, "searches": rows}


def _by_method(rows: list[dict[str, Any]]) -> dict[str, Any]:
    needed: dict[str, dict[float, int | None]] = {}
    for row in sorted(rows, key=lambda row: -row["epsilon"]):
        needed.setdefault(row["method"], {})[row["epsilon"]] = row["needed"]
    base = needed["Algorithm 1"]
    methods = {}
    for method, labels in needed.items():
        ratios = {eps: _ratio(count, base[eps]) for eps, count in labels.items()}
        known = [(1.0 / eps, count) for eps, count in labels.items() if count]
        steepness = slope(*zip(*known, strict=True)) if len(known) > 1 else None
        methods[method] = {"labels": _named(labels), "against_algorithm1": _named(ratios), "slope": steepness}
    return methods


def _ratio(count: int | None, base: int | None) -> float | None:
    return count / base if count and base else None


def _named(values: dict[float, Any]) -> dict[str, Any]:
    """JSON keys are texts."""
    return {f"{eps:g}": value for eps, value in values.items()}
