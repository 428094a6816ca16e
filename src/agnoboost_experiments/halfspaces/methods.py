"""What each method reaches with a number of labels, of which a quarter chooses the iterate, and settings if any."""

from __future__ import annotations

from math import comb

import numpy as np
from sklearn.linear_model import LogisticRegression

from agnoboost.basics.typing import Floats, Rng
from agnoboost.core.booster import Booster
from agnoboost.core.earlier_recipes import ghai_singh_2024, pab
from agnoboost.core.learners import ParityLearner
from agnoboost.core.recipes import algorithm1, algorithm2, labeled_only
from agnoboost.kernels.walsh import subsets

from ..best_booster import choose
from .problem import Halfspace

HELD_OUT = 4
STEP, ROUNDS = 0.05, 150
UNLABELED, UNLABELED_REUSED = 5000, 500  # new points a round, for Algorithm 1 and for Algorithm 2
PAB_ROUNDS = (3, 5, 10, 20, 50, 100)
GS24_ROUNDS, GS24_DECAYS = (5, 10, 20, 50, 150), (0.1, 0.25, 0.5)
MOST_CELLS = 20_000_000  # of the table that logistic regression gets; beyond that it is left out

Labels = tuple[Floats, Floats]


# Boosters, and for how many rounds each may run.
Settings = list[tuple[Booster, int]]


def boosters(problem: Halfspace, train: Labels) -> dict[str, Settings]:
    """The settings of every booster; the held-out labels choose among those of a list.

    GS24 steps by the edge, as in its experiments, or by the same fixed step as Algorithm 1, as in its theory.
    """
    count = len(train[1])
    tolerance = 0.0  # nothing is forgotten: only correlations are kept
    first = algorithm1(train, problem.stream(), step=STEP, rows_unlabeled=UNLABELED)
    second = algorithm2(train, problem.stream(), step=STEP, rows_unlabeled=UNLABELED_REUSED, tolerance=tolerance)
    return {
        "Algorithm 1": [(first, ROUNDS)],
        "Algorithm 2": [(second, ROUNDS)],
        "labeled-only": [(labeled_only(train, step=STEP), ROUNDS)],
        "GS24": [
            (ghai_singh_2024(train, rows=max(1, count // rounds), decay=decay, step=step, tolerance=tolerance), rounds)
            for rounds in GS24_ROUNDS
            for decay in GS24_DECAYS
            for step in (None, STEP)
        ],
        **{f"PAB, T = {rounds}": [(pab(train, rows=max(1, count // rounds)), rounds)] for rounds in PAB_ROUNDS},
    }


def excesses(problem: Halfspace, degree: int, labels: int, rng: Rng) -> dict[str, float]:
    """The excess error of every method, all on the same labels."""
    held_out = labels // HELD_OUT
    train, chooser = problem.labeled(labels - held_out, rng), problem.labeled(held_out, rng)
    found = {}
    for name, settings in boosters(problem, train).items():
        some, rounds = zip(*settings, strict=True)
        chosen = choose(some, ParityLearner(degree), chooser, rounds=rounds, rng=rng)
        found[name] = problem.excess(chosen.selection.predict(problem.test))
    if labels * size(problem.n, degree) <= MOST_CELLS:
        found["logistic regression"] = _logistic(problem, degree, train, chooser)
    return found


def size(n: int, degree: int) -> int:
    """The number of parities, signs not counted."""
    return sum(comb(n, k) for k in range(degree + 1))


def _logistic(problem: Halfspace, degree: int, train: Labels, chooser: Labels) -> float:
    """On the values of the same parities; it has nothing to choose, and learns from all labels."""
    X, y = (np.concatenate(parts) for parts in zip(train, chooser, strict=True))
    model = LogisticRegression(max_iter=1000).fit(monomials(X, degree), y)
    blocks = np.array_split(problem.test, max(1, len(problem.test) * size(problem.n, degree) // MOST_CELLS))
    values = np.concatenate([model.predict(monomials(block, degree)) for block in blocks])
    return problem.excess(values)


def monomials(X: Floats, degree: int) -> Floats:
    """The values of all parities of 1 to ``degree`` coordinates (rows, parities), each from one a degree lower."""
    known = subsets(X.shape[1], degree)
    place = {subset: number for number, subset in enumerate(known)}
    values = np.ones((len(X), len(known)))
    for number, subset in enumerate(known[1:], start=1):
        values[:, number] = values[:, place[subset[:-1]]] * X[:, subset[-1]]
    return values[:, 1:]
