"""A keeper in numpy, by the definitions: what all other keepers must agree with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....basics.conventions import sign
from ....basics.typing import Ints
from ....kernels.binning import WIDTH
from ....kernels.cells import Codes, cell_sums
from ..counting import Counting
from .base import Keeper, Moves, StumpTables, Taken, Totals, Zone


class PlainKeeper(Keeper):
    """Rows in numpy arrays: ``codes`` uint8 (rows, features), ``weights`` and ``labels`` (rows,) in their units."""

    lanes = 4
    joint_cost = 0.5

    def __init__(self, counting: Counting, codes: Codes, weights: Any, labels: Ints):
        self.counting, self.codes, self.weights, self.labels = counting, codes, weights, labels
        self.rows = self.pass_cost = len(codes)
        self.margins: Ints = np.zeros(len(codes), dtype=np.int64)

    def totals(self) -> Totals:
        return Totals(self._sums(self.labels), float(self.weights.sum()))

    def restart(self, segments: Sequence[Moves]) -> Ints:
        self.margins = np.zeros(self.rows, dtype=np.int64)
        for place, moves in enumerate(segments):
            if place:
                self._move(None)
            self._move(moves)
        return self._sums(self._slopes())

    def columns(self, stumps: StumpTables) -> Ints:
        weights = np.where(self.counting.huber.active(self.margins), self.weights, 0)
        found = np.zeros((len(stumps.feature), self.counting.cells), dtype=np.int64)
        for own, feature, table in zip(found, stumps.feature, stumps.table, strict=True):
            own[:] = self._sums(weights * table[self.codes[:, feature]])
        return found

    def joint(self, features: Ints) -> Ints:
        weights = np.where(self.counting.huber.active(self.margins), self.weights, 0)
        found = np.zeros((len(features), WIDTH, self.counting.cells), dtype=np.int64)
        for own, feature in zip(found, features, strict=True):
            for code in range(WIDTH):
                own[code] = self._sums(weights * (self.codes[:, feature] == code))
        return found

    def catch_up(self, moves: Moves) -> Ints:
        self._move(moves)
        places = -(-self._distances() // self.counting.distance_grain)
        return np.bincount(places[places < self.counting.distances], minlength=self.counting.distances)

    def zone(self, distance: int) -> Zone:
        near = np.flatnonzero(self.weights != 0)[self._distances() <= distance]
        return Zone(self.margins[near].astype(np.int32), self.weights[near].astype(np.int64), self.codes[near])

    def take(self, moves: Moves, step: Moves | None) -> Taken:
        self._move(moves)
        before = self._slopes()
        self._move(step)
        potentials = self.counting.potentials(self.weights, self.labels, self.margins)
        return Taken(self._sums(self._slopes() - before), int(potentials.sum()))

    def _move(self, moves: Moves | None) -> None:
        if moves is None:
            self.margins = self.margins - self.counting.shrink * sign(self.margins)
            return
        for feature, table in zip(moves.feature, moves.table, strict=True):
            self.margins = self.margins + table[self.codes[:, feature]]

    def _distances(self) -> Ints:
        """Of the rows that weigh something."""
        return self.counting.huber.distances(self.margins[self.weights != 0])

    def _slopes(self) -> Ints:
        return self.counting.psi.weighted(self.weights, self.margins)

    def _sums(self, values: Ints) -> Ints:
        return cell_sums(self.codes, self.counting.start, values)
