"""The mails of the demo: the bundled spambase table, cut anew by every seed, and a filter by keywords."""

from __future__ import annotations

import numpy as np

from agnoboost.basics.typing import Ints, Matrix, Rng
from agnoboost.datasets import flip_labels, load

from ..machine_labels.rules import spam
from ..splits import RowSplit

LABELS, TEST_ROWS = 150, 1500


def make_split(flip_rate: float, rng: Rng) -> RowSplit:
    """Cut the table at random; only the labeled rows get flipped labels."""
    table = load("spambase")
    order = rng.permutation(len(table.y))
    test, labeled, unlabeled = np.split(order, [TEST_ROWS, TEST_ROWS + LABELS])
    train, choose = np.split(labeled, [2 * LABELS // 3])
    noisy = flip_labels(table.y, flip_rate, rng)
    return RowSplit(
        labeled=(table.X[train], noisy[train]),
        chooser=(table.X[choose], noisy[choose]),
        unlabeled=table.X[unlabeled],
        test=(table.X[test], table.y[test]),
    )


def keyword_filter(X: Matrix) -> Ints:
    """What a filter by keywords says of mails: +1 for spam. Somebody wrote it down without looking at a label."""
    return np.where(spam(dict(zip(load("spambase").features, np.asarray(X).T, strict=True))), 1, -1)
