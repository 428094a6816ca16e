"""What a blend is when it is done: curves of single columns, a forest, and sums of scores and of similarities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...basics.typing import Floats, Matrix
from ...kernels.dispatch import pays_by_now
from ...kernels.forest import Forest
from ...kernels.forest_sums import weighted_sum
from .columns import Coder, Scores
from .kernel_ridge import KernelSum, LinearSum

MOST_ROWS, FEWEST_ROWS, MOST_CELLS = 65_536, 256, 1 << 23  # that are predicted at a time


@dataclass(frozen=True)
class Blend:
    """The model of one problem; ``weights`` says how much each member counts, ``slope`` how sure the sum is.

    Factors of members are multiplied into their parts.
    """

    weights: dict[str, float]
    slope: float
    curves: Floats  # of the bins of each column (shape: features, 256)
    forest: Forest
    sums: tuple[LinearSum | KernelSum, ...]

    def seconds(self, rows: int) -> float:
        """About how long numpy takes for so many rows."""
        return self.forest.seconds(rows) + sum(one.seconds(rows) for one in self.sums)

    def margin(
        self, codes: npt.NDArray[np.uint8], scores: Floats | None, threads: int | None, compiled: bool
    ) -> Floats:
        total = np.zeros(codes.shape[1])
        for curve, column in zip(self.curves, codes, strict=True):
            if curve.any():
                total += curve[column]
        if len(self.forest.value):
            total += self.forest.margins(codes, threads, compiled)[0]
        for one in self.sums:
            assert scores is not None
            total += one.margin(scores, threads, compiled)
        return total


def summed(blends: Sequence[Blend], factors: Sequence[float], constant: float) -> Blend:
    """The sum of some blends over the same columns, times their factors, and a constant; members must be named anew."""
    curves, forest = weighted_sum(len(blends[0].curves), [one.forest for one in blends], factors)
    for one, factor in zip(blends, factors, strict=True):
        curves += factor * one.curves
    curves[0] += constant
    sums = [part.scaled(factor) for one, factor in zip(blends, factors, strict=True) for part in one.sums]
    return Blend({}, 1.0, curves, forest, tuple(sums))


@dataclass(frozen=True)
class TableModel:
    """Blends of all problems, over the same columns; ``sharpness`` is that of several classes."""

    coder: Coder
    scores: Scores
    blends: list[Blend]
    sharpness: float = 1.0

    def margins(self, X: Matrix, threads: int | None = None) -> Floats:
        """Shape: rows, problems."""
        compiled = pays_by_now(sum(one.seconds(len(X)) for one in self.blends))
        found = np.empty((len(X), len(self.blends)))
        chunk = min(max(MOST_CELLS // max(X.shape[1], 1), FEWEST_ROWS), MOST_ROWS)
        for start in range(0, len(X), chunk):
            found[start : start + chunk] = self._margins(X[start : start + chunk], threads, compiled)
        return found

    def _margins(self, X: Matrix, threads: int | None, compiled: bool) -> Floats:
        codes = self.coder.encode(X, threads, compiled)
        scores = self.scores.transform(X) if any(one.sums for one in self.blends) else None
        return np.column_stack([one.margin(codes, scores, threads, compiled) for one in self.blends])

    @property
    def slopes(self) -> Floats:
        return np.array([one.slope for one in self.blends])
