"""A keeper in this machine's memory: compiled passes over the rows, on all threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ....basics.typing import Ints
from ....kernels.binning import WIDTH
from ....kernels.cells import Codes
from ....kernels.compiled import joint, keeping, panels
from ....kernels.compiled.histograms import add_rows
from ....kernels.dispatch import in_numbered_parts, in_parts, summed_in_parts
from ..counting import Counting, HuberPsi, compact
from .base import Keeper, Moves, StumpTables, Taken, Totals, Zone

_PANELS = 2  # of stumps that are asked for at once
_SPLIT = 2_000_000  # cells from which a pass over all rows is worth several threads


class HostKeeper(Keeper):
    """Rows in arrays: ``codes`` uint8 (rows, features), ``weights`` and ``labels`` (rows,) in their units.

    ``codes`` may be shared between keepers, and may lie in a file that is mapped into memory: they are read in order.
    """

    def __init__(self, counting: Counting, codes: Codes, weights: Any, labels: Any, threads: int = 1):
        self.counting, self.codes = counting, codes
        self.weights, self.labels = compact(weights), compact(labels)
        self.margins = np.zeros(len(codes), dtype=np.int32)
        self.threads = threads if codes.size >= _SPLIT else 1
        self.rows = len(codes)
        self.lanes = _PANELS * panels.LANES - 1 if self._weigh_the_same else panels.WORDS
        self.pass_cost = self.rows // self.threads
        self.joint_cost = self._joint_cost(codes.shape[1], counting.cells * WIDTH)
        self._psi = _psi(counting)
        self._signs: npt.NDArray[np.int8] | None = None
        self._sign_sums = np.zeros(counting.cells, dtype=np.int64)

    def _joint_cost(self, features: int, size: int) -> float:
        """By nanoseconds that were measured: to add a value, to make and sum up a number; a value in a pass."""
        values = self.rows / self.threads * features
        return (0.9 * values + 2.0 * size) / (3.1 * values)

    @property
    def _weigh_the_same(self) -> bool:
        return self.weights.dtype == np.int8

    def totals(self) -> Totals:
        return Totals(self._sums(self.labels), float(self.weights.sum()))

    def restart(self, segments: Sequence[Moves]) -> Ints:
        self.margins[:] = 0
        self._signs = None
        if segments:
            ends = np.cumsum([len(moves.feature) for moves in segments])
            features = np.concatenate([moves.feature for moves in segments])
            tables = np.concatenate([moves.table for moves in segments])
            moves = (self.margins, features, tables, ends, self.counting.shrink)
            in_parts(keeping.replay, self.rows, self.threads, self.codes, *moves)
        return self._sums(self.counting.psi.weighted(self.weights, self.margins.astype(np.int64)))

    def columns(self, stumps: StumpTables) -> Ints:
        found = np.empty((len(stumps.feature), self.counting.cells), dtype=np.int64)
        if len(found) == 1:
            return self._column(int(stumps.feature[0]), stumps.table[0])[None]
        for first in range(0, len(found), self.lanes):
            own = slice(first, first + self.lanes)
            self._panel(stumps.feature[own], stumps.table[own], found[own])
        return found

    def _column(self, feature: int, table: npt.NDArray[np.int8]) -> Ints:
        """The column of a single stump."""
        sums = np.zeros(self.counting.cells, dtype=np.int64)
        shared = (self.codes, self.counting.start, self.margins, self.weights, self.counting.huber.reach)
        summed_in_parts(panels.add_one, self.rows, self.threads, sums, *shared, feature, table)
        return sums

    def _panel(self, features: Ints, tables: npt.NDArray[np.int8], found: Ints) -> None:
        """The columns of up to ``lanes`` stumps, in one pass."""
        kernel, width, kind = panels.add_different, panels.WORDS, "int64"
        if self._weigh_the_same:
            count = -(-(len(features) + 1) // panels.LANES)
            kernel, width, kind = panels.add_equal, count * panels.LANES, "int32"
        all_features, all_tables = np.zeros(width, dtype=np.int64), np.zeros((width, tables.shape[1]), dtype=np.int8)
        all_features[: len(features)], all_tables[: len(tables)] = features, tables
        sums = np.zeros((self.threads, self.counting.cells, width), dtype=kind)
        shared = (self.codes, self.counting.start, self.margins, self.weights, self.counting.huber.reach)
        in_numbered_parts(
            lambda part, first, last: kernel(*shared, all_features, all_tables, sums[part], first, last),
            self.rows,
            self.threads,
        )
        base = width - 1 if self._weigh_the_same else -1
        in_parts(panels.add_up, self.counting.cells, self.threads, sums, base, found)

    def joint(self, features: Ints) -> Ints:
        kind = np.int32 if self._weigh_the_same else np.int64
        parts = np.zeros((self.threads, len(features), WIDTH, self.counting.cells), dtype=kind)
        shared = (self.codes, self.counting.start, self.margins, self.weights, self.counting.huber.reach, features)
        in_numbered_parts(
            lambda part, first, last: joint.add_joint(*shared, parts[part], first, last), self.rows, self.threads
        )
        return np.asarray(parts.sum(axis=0, dtype=np.int64))

    def catch_up(self, moves: Moves) -> Ints:
        counting = self.counting
        counts = np.zeros(counting.distances, dtype=np.int64)
        shift = counting.distance_grain.bit_length() - 1
        shared = (self.margins, self.weights, moves.feature, moves.table, counting.huber.reach, shift)
        summed_in_parts(keeping.catch_up, self.rows, self.threads, counts, self.codes, *shared)
        return counts

    def zone(self, distance: int) -> Zone:
        shared = (self.margins, self.weights, self.counting.huber.reach, distance)
        blocks = -(-self.rows // keeping.BLOCK)
        counts = np.zeros(blocks, dtype=np.int64)
        in_parts(keeping.count_near, blocks, self.threads, *shared, counts)
        size = int(counts.sum())
        zone = Zone(
            np.empty(size, dtype=np.int32),
            np.empty(size, dtype=np.int64),
            np.empty((size, self.codes.shape[1]), dtype=np.uint8),
        )
        places = np.cumsum(counts) - counts
        copies = (places, zone.margins, zone.weights, zone.codes)
        in_parts(keeping.copy_near, blocks, self.threads, self.codes, *shared, *copies)
        return zone

    def take(self, moves: Moves, step: Moves | None) -> Taken:
        if step is None and isinstance(self.counting.psi, HuberPsi):
            return self._shrink(moves)
        kernel = keeping.take_step if isinstance(self.counting.psi, HuberPsi) else keeping.take_smooth_step
        rest = step or Moves.none()
        features, tables = np.append(moves.feature, rest.feature), np.concatenate([moves.table, rest.table])
        sums = np.zeros(self.counting.cells + 1, dtype=np.int64)
        self._pass(kernel, sums, features, tables, len(moves.feature))
        return Taken(sums[:-1], int(sums[-1]))

    def _shrink(self, moves: Moves) -> Taken:
        """Case B with Huber's psi: a column of sign(H) is kept, and brought up to date."""
        if self._signs is None:
            self._signs, self._sign_sums[:] = np.zeros(self.rows, dtype=np.int8), 0
        sums = np.zeros((2, self.counting.cells + 1), dtype=np.int64)
        self._pass(keeping.take_shrink, sums, moves.feature, moves.table, self._signs)
        self._sign_sums += sums[0, :-1]
        change = sums[1, :-1] - self.counting.huber.slope * self.counting.shrink * self._sign_sums
        return Taken(change, int(sums[1, -1]))

    def _pass(self, kernel: Callable[..., Any], sums: Ints, *arguments: Any) -> None:
        rows = (self.codes, self.counting.start, self.margins, self.weights, self.labels, self._psi)
        summed_in_parts(kernel, self.rows, self.threads, sums, *rows, *arguments)

    def _sums(self, values: npt.NDArray[Any]) -> Ints:
        """The sum of ``values`` over the rows of each cell."""
        sums = np.zeros(self.counting.cells, dtype=np.int64)
        if values.any():
            summed_in_parts(add_rows, self.rows, self.threads, sums, self.codes, self.counting.start, values)
        return sums


def _psi(counting: Counting) -> keeping.Psi | keeping.Tables:
    psi = counting.psi
    units = (counting.unit, counting.weight_unit, counting.label_unit, 1.0 / counting.grain)
    if isinstance(psi, HuberPsi):
        return keeping.Psi(counting.shrink, psi.slope, psi.top, psi.reach, *units)
    return keeping.Tables(counting.shrink, psi.slope, psi.height, *units)
