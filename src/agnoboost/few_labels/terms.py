"""What every member minimises.

    Phi(H) = sum_i psi_i * psi(H(x_i)) - sum_i pull_i * H(x_i)

A labeled row of weight w has psi_i = w and pull_i = w*y: the potential is linear in the label, so that anything that is
right on average may stand for it. Equal rows are one row with the sum of their terms; then a row of weight 2 is the
same as two rows, and leaving a row out leaves its copies out, too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._luck import Keys, content_keys
from .._typing import Floats, Ints, Matrix
from ..estimator.data import Data


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
        keys, first, place = np.unique(content_keys(data.X), return_index=True, return_inverse=True)
        pull = [np.bincount(place, weight * y, len(keys)) for y in data.targets.T]
        psi = np.bincount(place, weight, len(keys)).astype(np.float64, copy=False)
        return cls(data.X[first], psi, np.column_stack(pull), keys, place)
