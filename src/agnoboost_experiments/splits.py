"""What a method may see, and the rows that score it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from agnoboost.basics.typing import Floats, Ints, Matrix
from agnoboost.tables.numbers import into_numbers

UNLABELED = -1  # scikit-learn's mark


@dataclass(frozen=True)
class RowSplit:
    """Labeled rows to train on, labeled rows that choose among models, unlabeled rows; and the rows that score.

    Without rows of its own for it (``chooser`` is None) the choice is made on the rows that train. ``categorical`` are
    the columns that hold categories.
    """

    labeled: tuple[Matrix, Floats]
    chooser: tuple[Matrix, Floats] | None
    unlabeled: Matrix
    test: tuple[Matrix, Ints]
    categorical: tuple[int, ...] = ()

    @property
    def all_labels(self) -> tuple[Matrix, Floats]:
        """For methods that make their choices themselves."""
        if self.chooser is None:
            return self.labeled
        return (
            np.concatenate([self.labeled[0], self.chooser[0]]),
            np.concatenate([self.labeled[1], self.chooser[1]]),
        )

    def numbers(self) -> Any:
        """Missing values filled in, numbers scaled, categories as 0/1 columns; learned from all training rows."""
        rows = np.concatenate([self.all_labels[0], self.unlabeled])
        return into_numbers(rows.shape[1], self.categorical).fit(rows)
