"""What a method may see, and the rows that score it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agnoboost.basics.typing import Floats, Ints, Matrix


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
