"""The two protocols: which rows train, choose and score."""

from __future__ import annotations

from functools import cache

import numpy as np

from agnoboost.basics.typing import Floats, Ints
from agnoboost.datasets import Table, flip_labels, load

from ..splits import RowSplit
from ..studies import generator

HALF_DROPPED = ("ionosphere", "sonar")  # the others lose nine labels in ten


def dropped(data_set: str) -> float:
    """The share of labels that is removed."""
    return 0.5 if data_set in HALF_DROPPED else 0.9


def honest(data_set: str, noise: float, fold: int, folds: int, seed: int, held_out: bool = False) -> RowSplit:
    """One of ``folds`` folds is the test: all of its rows are scored, and nothing else ever sees them.

    Of the other rows some keep their labels, with noise. All of these train, and choose grid point and iterate; or,
    with ``held_out``, two thirds train and one third chooses. Noise levels differ only in how many labels are flipped:
    the rows are the same.
    """
    table = _table(data_set)
    y = table.y
    parts = np.array_split(generator(seed, data_set, "folds").permutation(len(y)), folds)
    test = parts[fold]
    rest = generator(seed, data_set, fold, "labels").permutation(np.concatenate(parts[:fold] + parts[fold + 1 :]))
    labeled, unlabeled = np.split(rest, [_kept(data_set, len(rest))])
    noisy = flip_labels(y, noise, generator(seed, data_set, fold, "noise"))
    choose, train = np.split(labeled, [len(labeled) // 3]) if held_out else (None, labeled)
    return _split(table, train, choose, noisy, unlabeled, test)


def as_printed(data_set: str, noise: float, fold: int, seed: int) -> RowSplit:
    """A random split in which a quarter of the *labeled* rows both chooses and scores: an optimistic figure.

    Noise is added to training labels only, as the paper says. Splits are independent.
    """
    table = _table(data_set)
    y = table.y
    order = generator(seed, data_set, fold, "labels").permutation(len(y))
    labeled, unlabeled = np.split(order, [_kept(data_set, len(y))])
    test, train = np.split(labeled, [len(labeled) // 4])
    noisy = flip_labels(y, noise, generator(seed, data_set, fold, "noise"))
    noisy[test] = y[test]
    return _split(table, train, test, noisy, unlabeled, test)


def labels_left(data_set: str) -> int:
    """How many rows of the whole table keep their labels."""
    return _kept(data_set, len(_table(data_set).y))


def _kept(data_set: str, rows: int) -> int:
    return round((1.0 - dropped(data_set)) * rows)


@cache
def _table(data_set: str) -> Table:
    """Read once a process: there are many splits."""
    return load(data_set)


def _split(table: Table, train: Ints, choose: Ints | None, noisy: Floats, unlabeled: Ints, test: Ints) -> RowSplit:
    return RowSplit(
        labeled=(table.X[train], noisy[train]),
        chooser=None if choose is None else (table.X[choose], noisy[choose]),
        unlabeled=table.X[unlabeled],
        test=(table.X[test], table.y[test]),
        categorical=tuple(table.categories),
    )
