"""Distributions on the cube, and samples from them as counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from agnoboost.basics.typing import Floats, Ints, Rng

from .geometry import Cube


@dataclass(frozen=True)
class CubeProblem:
    """Labels with E[y|x] = ``mean_label``, a table with one row for each repetition.

    Rows are uniform in each of two halves of the cube; the half where the last coordinate is +1 has probability
    ``half`` among labeled rows (the distribution D) and ``unlabeled_half`` among unlabeled ones (Q).
    """

    cube: Cube
    mean_label: Floats
    half: float = 0.5
    unlabeled_half: float = 0.5

    @property
    def repetitions(self) -> int:
        return len(self.mean_label)

    @cached_property
    def mass(self) -> Floats:
        """D, as a table over the points."""
        return self._mass(self.half)

    @cached_property
    def unlabeled_mass(self) -> Floats:
        """Q, as a table over the points."""
        return self._mass(self.unlabeled_half)

    def _mass(self, half: float) -> Floats:
        each = self.cube.size // 2
        return np.repeat([half / each, (1.0 - half) / each], each)  # the last coordinate is the highest bit

    def correlation(self, predictions: Floats | Ints) -> Floats:
        """E_D[y * prediction], exactly."""
        return np.asarray((self.mass * self.mean_label * predictions).sum(axis=-1))

    def labeled(self, rows: int, rng: Rng) -> tuple[Floats, Floats]:
        """How often each point comes with label +1, and with label -1, in a sample."""
        chance = (1.0 + self.mean_label) / 2.0
        if self._large(rows):
            total = self._counts(rows, self.half, rng)
            plus = rng.binomial(total.astype(np.int64), chance).astype(np.float64)
        else:
            points = self._points(rows, self.half, rng)
            positive = rng.random(points.shape) < np.take_along_axis(chance, points, axis=1)
            total = self._count(points)
            plus = self._count(points, positive.astype(np.float64))
        return plus, total - plus

    def unlabeled(self, rows: int, rng: Rng) -> Floats:
        """How often each point comes in an unlabeled sample."""
        return self._counts(rows, self.unlabeled_half, rng)

    def _large(self, rows: int) -> bool:
        """Whether counts are cheaper to draw than rows."""
        return rows > 4 * self.cube.size

    def _counts(self, rows: int, half: float, rng: Rng) -> Floats:
        if self._large(rows):
            return rng.multinomial(rows, self._mass(half), size=self.repetitions).astype(np.float64)
        return self._count(self._points(rows, half, rng))

    def _points(self, rows: int, half: float, rng: Rng) -> Ints:
        shape, each = (self.repetitions, rows), self.cube.size // 2
        if half == 0.5:
            return rng.integers(2 * each, size=shape)
        return rng.integers(each, size=shape) + each * (rng.random(shape) >= half)

    def _count(self, points: Ints, weights: Floats | None = None) -> Floats:
        size = self.cube.size
        cells = (points + size * np.arange(self.repetitions)[:, None]).ravel()
        counts = np.bincount(cells, None if weights is None else weights.ravel(), minlength=size * self.repetitions)
        return counts.reshape(self.repetitions, size).astype(np.float64)
