"""Covariate shift as a study."""

from __future__ import annotations

from typing import Any

import numpy as np

from agnoboost.basics.typing import Floats, Rng
from agnoboost.core.potentials import Huber
from agnoboost.evaluation.shift import estimate_shift

from ..cube import Cube, CubeProblem, FixedTables, MixedTables, Schedule, TableSampler, UnlabeledTables, boost_tables
from ..statistics import mean_with_error, paired_test
from ..studies import Result, Settings, Study, Task, generator

N = 10  # coordinates; the last one says in which half a point lies
VOTES = 3
DEGREE = VOTES + 1  # a majority in one half is a sum of parities with and without the last coordinate
HALF = 0.8  # the mass of the upper half under D; under Q it is 0.8/C
SIGNAL = 0.6  # E[y|x] = 0.6 h*(x): a fifth of the labels is wrong
STEP, ROUNDS = 0.05, 1000
HELD_OUT = 4  # one label in so many chooses the iterate
SHIFTS, LABELS = (1.0, 4.0, 16.0), (200, 600, 2000)
UNLABELED_SEEN, TIMES_ESTIMATED = 5000, 3  # for estimate_shift

IGNORING, KNOWING = "Algorithm 1, ignoring the shift", "Algorithm 3, C"
FACTORS = {"Algorithm 3, C/4": 0.25, KNOWING: 1.0, "Algorithm 3, 4C": 4.0}


def study(
    *,
    repetitions: int,
    shifts: tuple[float, ...] = SHIFTS,
    labels: tuple[int, ...] = LABELS,
    seed: int,
) -> Study:
    """Every shift with every number of labels."""
    settings = {"repetitions": repetitions, "shifts": list(shifts), "labels": list(labels), "seed": seed}
    tasks = [{"shift": shift, "labels": count} for shift in shifts for count in labels]
    return Study("shift", settings, tasks, work)


def work(settings: Settings, task: Task) -> Result:
    """Correlations of all methods, paired: same targets, same labels, same held-out labels."""
    seed, repetitions, shift, labels = settings["seed"], settings["repetitions"], task["shift"], task["labels"]
    found = {}
    for name, bound in _bounds(shift).items():
        rng = generator(seed, *task.values())
        found[name] = _correlation(make_problem(shift, repetitions, rng), labels, bound, rng).tolist()
    return {"correlation": found, "estimated": _estimates(shift, labels, generator(seed, *task.values(), "estimate"))}


def make_problem(shift: float, repetitions: int, rng: Rng) -> CubeProblem:
    """Each half has a majority of its own, of coordinates that are drawn at random."""
    cube = Cube(N)
    upper = cube.points[:, -1] == 1
    places = [rng.permutation(N - 1) for _ in range(repetitions)]
    targets = [np.where(upper, cube.majority(p[:VOTES]), cube.majority(p[VOTES : 2 * VOTES])) for p in places]
    return CubeProblem(cube, SIGNAL * np.array(targets), HALF, HALF / shift)


def _bounds(shift: float) -> dict[str, float | None]:
    """The C_X that each method assumes; None for labels alone. C_X cannot be below 1."""
    own = {name: factor * shift for name, factor in FACTORS.items() if factor * shift >= 1.0}
    return {"labeled-only": None, IGNORING: 1.0, **own}


def _correlation(problem: CubeProblem, labels: int, bound: float | None, rng: Rng) -> Floats:
    """Steps are divided by the assumed bound, as the theorem says; as many new unlabeled rows a round as labels."""
    held_out = labels // HELD_OUT
    training = labels - held_out
    sampler: TableSampler = FixedTables(Huber(), training)
    if bound is not None:
        sampler = MixedTables(training, UnlabeledTables(labels), bound)
    schedule = Schedule(STEP / (bound or 1.0), ROUNDS)
    return boost_tables(problem, sampler, schedule, DEGREE, rng, held_out).selected()


def _estimates(shift: float, labels: int, rng: Rng) -> list[float]:
    """What :func:`agnoboost.estimate_shift` makes of such rows, a few times."""
    problem = make_problem(shift, TIMES_ESTIMATED, rng)
    points = problem.cube.points.astype(np.float64)
    samples = zip(np.add(*problem.labeled(labels, rng)), problem.unlabeled(UNLABELED_SEEN, rng), strict=True)
    return [
        estimate_shift(np.repeat(points, here.astype(int), axis=0), np.repeat(points, there.astype(int), axis=0)).bound
        for here, there in samples
    ]


def summarise(made: Study, results: list[Result]) -> dict[str, Any]:
    """Mean correlations, and the differences between Algorithm 3 that knows C and the others, pair by pair."""
    cells = []
    for task, result in zip(made.tasks, results, strict=True):
        values = {name: np.array(column) for name, column in result["correlation"].items()}
        knowing = values[KNOWING]
        cells.append(
            {
                **task,
                "best_possible": SIGNAL,
                "correlation": {name: mean_with_error(column) for name, column in values.items()},
                "gain_over_ignoring": paired_test(knowing, values[IGNORING]),
                "gain_over_labeled_only": mean_with_error(knowing - values["labeled-only"]),
                "estimated_shift": result["estimated"],
            }
        )
    return {**made.facts, "cells": cells}
