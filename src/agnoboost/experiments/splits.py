"""What a method may see, and the rows that score it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._typing import Floats, Ints, Matrix


@dataclass(frozen=True)
class Split:
    """Labeled rows to train on, labeled rows that choose among models, unlabeled rows; and the rows that score.

    ``categorical`` are the columns that hold categories.
    """

    labeled: tuple[Matrix, Floats]
    chooser: tuple[Matrix, Floats]
    unlabeled: Matrix
    test: tuple[Matrix, Ints]
    categorical: tuple[int, ...] = ()

    @property
    def all_labels(self) -> tuple[Matrix, Floats]:
        """For methods that make their choices themselves."""
        return (
            np.concatenate([self.labeled[0], self.chooser[0]]),
            np.concatenate([self.labeled[1], self.chooser[1]]),
        )
