"""What every member minimises.

    Phi(H) = sum_i psi_i * psi(H(x_i)) - sum_i pull_i * H(x_i)

A labeled row of weight w has psi_i = w and pull_i = w*y: the potential is linear in the label, so that anything that is
right on average may stand for it. Equal rows are one row with the sum of their terms; then a row of weight 2 is the
same as two rows, and leaving a row out leaves its copies out, too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .._luck import Keys, content_keys, scrambled
from .._typing import Floats, Ints, Matrix
from ..estimator.data import Data
from ..sources import Pool


@dataclass(frozen=True)
class Terms:
    """Different rows, in an order that depends on their content only.

    ``pull`` has one column for each one-against-rest problem; ``place`` says which row each labeled row has become.
    """

    X: Matrix
    psi: Floats
    pull: Floats
    keys: Keys
    place: Ints

    @classmethod
    def of(cls, data: Data) -> Terms:
        """In units of labeled rows: the weights sum to the number of labels."""
        weight = data.weight * (data.label_count / data.weight.sum())
        X, psi, pull = data.X, weight, weight[:, None] * data.targets
        if data.apart and data.unlabeled is not None:  # psi comes from unlabeled rows
            count = len(data.unlabeled)
            X = np.concatenate([X, data.unlabeled.X])
            psi = np.concatenate([np.zeros(len(weight)), data.label_count * data.unlabeled.mass])
            pull = np.concatenate([pull, np.zeros((count, pull.shape[1]))])
        keys, first, place = np.unique(content_keys(X), return_index=True, return_inverse=True)
        columns = [np.bincount(place, column, len(keys)) for column in (psi, *pull.T)]
        total = np.column_stack(columns).astype(np.float64)
        return cls(X[first], total[:, 0], total[:, 1:], keys, place[: len(data.X)])


def thinned(data: Data, most: int) -> Data:
    """No more than ``most`` of the unlabeled rows, where these count in the potential; they stand for all of them."""
    pool = data.unlabeled
    if not data.apart or pool is None or len(pool) <= most:
        return data
    kept = np.sort(np.argsort(scrambled(content_keys(pool.X)), kind="stable")[:most])
    smaller = Pool(pool.X[kept], mass=pool.mass[kept])
    start = data.labels
    if start is None or start == len(data.X):  # unlabeled rows do not stand for labels as well
        return replace(data, unlabeled=smaller)
    rows = np.concatenate([np.arange(start), start + kept])
    weight = data.weight.copy()
    weight[start:] *= weight[start:].sum() / weight[start + kept].sum()
    return replace(replace(data, weight=weight).take(rows), unlabeled=smaller)
