"""The tasks: two finite populations whose best function is known, and tables of real rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from agnoboost.basics.typing import Floats, Ints, Matrix, Rng
from agnoboost.core.learners import HistogramStumpLearner, ParityLearner, StumpLearner, WeakLearner

from ..splits import RowSplit
from ..table1 import splits

UNLABELED = 10  # unlabeled rows for every label
CHOOSER = 4  # one label in so many chooses setting and iterate
NOISE = 0.1  # of the labels of real tables
FOLDS = 10


@dataclass(frozen=True)
class World:
    """Rows to learn from, who learns, and how a prediction is scored.

    ``excess`` takes a function that predicts: its excess error over the best of the reference class, or for a real
    table its error on the test rows. ``references`` says what all functions of the reference class, where it can be
    written down, say of rows.
    """

    labeled: tuple[Matrix, Floats]
    chooser: tuple[Matrix, Floats]
    unlabeled: Matrix
    learner: WeakLearner
    excess: Callable[[Callable[[Matrix], Ints]], float]
    references: Callable[[Matrix], Floats] | None = None


def majority(labels: int, rng: Rng) -> World:
    """The cube of 7 coordinates: three labels in five are a majority of three, two come from the parity of all seven.

    Parities of at most three coordinates have half of the correlation of any such majority.
    """
    X = np.array(list(product((-1.0, 1.0), repeat=7)))
    three = rng.permutation(7)[:3]
    mean = 0.6 * np.sign(X[:, three] @ rng.choice([-1.0, 1.0], 3)) + 0.4 * X.prod(axis=1)
    return _population(X, mean, labels, ParityLearner(3), _majorities, rng)


def intervals(labels: int, rng: Rng) -> World:
    """400 points with four features; labels follow an interval of one feature, flipped more often far out.

    Decision stumps have a third of the correlation of the best interval: it is a stump, less another, and a constant.
    """
    X = rng.normal(size=(400, 4))
    inside = np.where((X[:, 1] > -0.6) & (X[:, 1] < 0.7), 1.0, -1.0)
    mean = inside * (0.8 - 0.3 * (np.abs(X[:, 0]) > 1.0)) * np.where(X[:, 2] > 1.2, -0.5, 1.0)
    cuts = np.quantile(X, np.linspace(0.1, 0.9, 9), axis=0)
    return _population(X, mean, labels, StumpLearner(), lambda rows: _intervals(rows, cuts), rng)


WORLDS: dict[str, Callable[[int, Rng], World]] = {"majority": majority, "intervals": intervals}


def table(name: str, fold: int, seed: int) -> World:
    """A real table: half or nine tenths of its labels dropped, a tenth of the others flipped; scored on unseen rows."""
    split: RowSplit = splits.honest(name, NOISE, fold, FOLDS, seed, held_out=True)
    learner = HistogramStumpLearner.from_data([split.all_labels[0], split.unlabeled], categorical=split.categorical)
    assert split.chooser is not None
    X, y = split.test
    return World(
        split.labeled, split.chooser, split.unlabeled, learner, lambda predict: float(np.mean(predict(X) != y))
    )


def _population(
    X: Matrix,
    mean: Floats,
    labels: int,
    learner: WeakLearner,
    references: Callable[[Matrix], Floats],
    rng: Rng,
) -> World:
    best = float(np.max(references(X) @ mean) / len(X))

    def draw(count: int) -> tuple[Matrix, Floats]:
        rows = rng.integers(len(X), size=count)
        return X[rows], np.where(rng.random(count) < (1.0 + mean[rows]) / 2.0, 1.0, -1.0)

    def excess(predict: Callable[[Matrix], Ints]) -> float:
        return (best - float(np.mean(mean * predict(X)))) / 2.0

    held_out = labels // CHOOSER
    unlabeled = X[rng.integers(len(X), size=UNLABELED * labels)]
    return World(draw(labels - held_out), draw(held_out), unlabeled, learner, excess, references)


def _majorities(X: Matrix) -> Floats:
    """All majorities of three coordinates, any of them negated."""
    signs = np.array(list(product((-1.0, 1.0), repeat=3)))
    return np.concatenate([np.sign(signs @ X[:, three].T) for three in combinations(range(X.shape[1]), 3)])


def _intervals(X: Matrix, cuts: Floats) -> Floats:
    """All intervals of one feature with ends among ``cuts``, and their complements."""
    found = [
        np.where((column > low) & (column < high), 1.0, -1.0)
        for column, own in zip(X.T, cuts.T, strict=True)
        for low, high in combinations(own, 2)
    ]
    return np.concatenate([found, np.negative(found)])
