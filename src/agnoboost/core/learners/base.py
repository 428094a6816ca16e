"""What a weak learner and its hypotheses must offer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...basics.checks import refuse_missing
from ...basics.typing import Floats, Ints, Matrix, Rng
from ..batch import Batch


class Hypothesis(ABC):
    """A function from rows to [-1, 1]. Equal hypotheses must compare equal: the tape merges them."""

    binary: ClassVar[bool] = True  # whether all values are -1 or +1

    @abstractmethod
    def predict(self, X: Matrix) -> Floats:
        """One value in [-1, 1] for each row."""

    def features(self) -> Sequence[int] | None:
        """The columns that it looks at, each once; None if it cannot tell."""
        return None

    @classmethod
    def weighted_sum(cls, hypotheses: Sequence[Hypothesis], coefs: Sequence[int], X: Matrix) -> Ints:
        """Sum of coef * h(x) over hypotheses of this class, each rounded to whole units.

        Subclasses override this where a sum of many collapses into something faster, with the same result.
        """
        total = np.zeros(len(X), dtype=np.int64)
        for hypothesis, coef in zip(hypotheses, coefs, strict=True):
            total += units_of(hypothesis, coef, X)
        return total


def units_of(hypothesis: Hypothesis, coef: int, X: Matrix) -> Ints:
    """coef * h(x) in whole units: exact for binary hypotheses, rounded to a unit for the others."""
    return np.rint(coef * hypothesis.predict(X)).astype(np.int64)


class WeakLearner(ABC):
    """Finds a hypothesis of large correlation with a batch.

    Learners are values: they hold parameters, and ``fit`` leaves them as they were.
    """

    binary: ClassVar[bool] = True  # whether its hypotheses are binary
    savable: ClassVar[bool] = True  # whether its hypotheses have a form in files
    needs_hard_labels: bool = False  # whether it can only take labels -1 and +1 on rows of equal mass

    @abstractmethod
    def fit(self, batch: Batch, rng: Rng) -> Hypothesis:
        """Return a hypothesis. ``rng`` is the only permitted source of randomness."""

    def seeing(self, tables: Sequence[Matrix]) -> WeakLearner:
        """The learner for a run on these tables, which are all the rows that are known beforehand."""
        return self

    def prepared(self, rows: int, rounds: int) -> WeakLearner:
        """The learner to use for so many rounds on so many rows: itself, or one that finds the same sooner."""
        return self

    def seconds(self, rows: int, rounds: int) -> float:
        """About how long so many hypotheses take in a fresh process, where that is more than the loop's own work."""
        return 0.0

    def check(self, X: Matrix) -> None:
        """Raise ValueError, before any work, for rows that this learner cannot take: by default missing values."""
        refuse_missing(X, f"{type(self).__name__} takes none.")

    def with_gain_scaled(self, factor: float) -> WeakLearner:
        """The learner for batches whose edges are smaller by ``factor``: what a split must gain shrinks with them."""
        return self


@dataclass(frozen=True)
class Constant(Hypothesis):
    """The same value for every row.

    Parameters
    ----------
    value : int
        -1 or +1.
    """

    value: int

    def predict(self, X: Matrix) -> Floats:
        return np.full(len(X), float(self.value))

    def features(self) -> Sequence[int]:
        return ()
