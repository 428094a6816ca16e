"""Decision stumps as scikit-learn grows them, without its overhead: the batches of Table 1 are many and small.

Our stumps of largest correlation err least on their batch. scikit-learn's ``DecisionTreeClassifier(max_depth=1)`` takes
the split that lowers the Gini impurity most, and then the majority of each side, which may be the same on both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agnoboost.basics.conventions import level
from agnoboost.basics.typing import Matrix, Rng
from agnoboost.core.batch import Batch
from agnoboost.core.learners import Constant, Stump, WeakLearner
from agnoboost.core.learners.stump import SortedColumns


@dataclass(frozen=True)
class GiniStumpLearner(WeakLearner):
    """The stump of least Gini impurity over all features and thresholds; codes of categories are numbers like others.

    A row with mean label t and mass w stands for two rows of scikit-learn's, labels +1 and -1 with weights w(1+t)/2 and
    w(1-t)/2, as in :class:`~agnoboost.core.learners.ClassifierLearner`. A side with mass W and signed mass S then has
    the impurity (1 - (S/W)^2)/2, so that the best split has the largest sum of S^2/W over its sides.

    Ties, as in scikit-learn: the first feature in a random order, drawn for each batch, wins; within it missing values
    go right rather than left, and the lowest threshold wins. A side without a majority says -1, the first class.
    Unlike there, what agrees to 2**-40 is a tie, and features are not rounded to float32: a new row whose value lies in
    the very middle of two others may fall on the other side.

    Missing values go with the side where they leave least impurity, or if the batch has none in that feature with the
    side of more rows.
    """

    def check(self, X: Matrix) -> None:
        """Missing values are welcome."""

    def fit(self, batch: Batch, rng: Rng) -> Stump | Constant:
        order = rng.permutation(batch.X.shape[1])
        weighty = batch.mass > 0  # the others are no rows to scikit-learn
        X, mass, signed = batch.X[weighty][:, order], batch.mass[weighty], batch.signed[weighty]
        columns, absent = SortedColumns(X), np.isnan(X)  # missing values are sorted to the end
        known = len(X) - absent.sum(axis=0)

        # Axes: feature, missing values to the right or to the left, number of known values on the left.
        cut = np.stack([columns.cut, columns.cut], axis=1)
        cut[:, :, 0] = False
        some = np.flatnonzero((known > 0) & (known < len(X)))
        cut[some, 0, known[some]] = True  # the missing values against all others
        directions = 1 + bool(some.size)
        cut = cut[:, :directions]
        if not cut.any():
            return Constant(_majority(signed.sum()))

        left = np.empty((2, *cut.shape))
        for sums, values in zip(left, (signed, mass), strict=True):
            sums[:, 0] = columns.left_sums(values)
            if directions == 2:
                sums[:, 1] = sums[:, 0] + (values @ absent)[:, None]
        right = np.array([signed.sum(), mass.sum()])[:, None, None, None] - left
        purity = sum(side[0] ** 2 / np.where(cut, side[1], 1.0) for side in (left, right))
        best = np.unravel_index(np.argmax(np.where(cut, level(purity), -1.0)), cut.shape)

        low, high = (_majority(side[0][best]) for side in (left, right))
        if low == high:
            return Constant(low)
        feature, direction, position = map(int, best)
        threshold = float("inf") if position == known[feature] else columns.threshold(feature, position)
        if known[feature] == len(X):
            copies = np.where(np.abs(batch.target[weighty]) < 1.0, 2, 1)[columns.order[feature]]
            direction = int(copies[:position].sum() > copies[position:].sum())
        return Stump(int(order[feature]), threshold, high, low if direction else high)


def _majority(signed: float) -> int:
    """The label with more mass; -1 where there is none."""
    return 1 if level(signed) > 0 else -1
