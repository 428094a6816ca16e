"""A keeper whose rows lie in the memory of a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....basics.typing import Floats, Ints
from ....kernels.binning import WIDTH
from ....kernels.gpu.binning import stride_of
from ....kernels.gpu.device import CHUNK, Device, DeviceArray
from ..counting import Counting, HuberPsi, TablePsi, compact
from .base import Keeper, Moves, StumpTables, Taken, Totals, Zone
from .joints import JointHistograms, RowsThere

_THREADS, _BLOCKS = 256, 8  # of a block; on a multiprocessor
_SUMMED = 96 * 1024  # bytes of sums that a block has: two blocks fit on a multiprocessor of recent cards
_ROW_BYTES = 4 + 8 + 8 + 8 + 8 + 2  # at most: margin, value, weight, label, what is made on the way, two columns

_NAMES = {"int8": "i8", "int32": "i32", "int64": "i64", "float64": "double"}  # as our CUDA sources have them


def bytes_needed(rows: int, features: int, cells: int) -> int:
    """Memory that must be free: for bins, what goes with each row, notes, buffers, and two joint histograms."""
    return rows * (stride_of(features) + _ROW_BYTES) + 8 * _room(rows) + 2 * CHUNK + 2 * 8 * WIDTH * cells


def _room(rows: int) -> int:
    """How many rows can be noted at once."""
    return max(rows // 8, 1 << 14)


class GpuKeeper(Keeper):
    """``codes``: uint8 (rows, stride) on the device, see :func:`stride_of`; ``weights`` and ``labels`` on the host."""

    lanes = 8

    def __init__(self, counting: Counting, device: Device, codes: DeviceArray, weights: Any, labels: Ints):
        self.counting, self.device, self.rows = counting, device, len(codes)
        features = len(counting.start) - 1
        self.pass_cost = 500_000 // features + self.rows // 1000  # a pass takes 50 us and 100 ps a row
        weight, self._label = device.array(compact(weights)), device.array(compact(labels))
        self._total_weight = float(weights.sum())
        self.types = {
            "WEIGHT": _NAMES[weight.dtype.name],
            "JOINT": "i32" if weight.dtype == np.int8 else "i64",
        }
        self._launch = device.kernels("rows.cu", **self.types, LABEL=_NAMES[self._label.dtype.name])
        self.there = RowsThere(
            device=device,
            launch=self._launch,
            codes=codes,
            weight=weight,
            margins=device.zeros((self.rows,), np.int32),
            start=device.array(counting.start.astype(np.int64)),
            rule=device.array(_rule(counting)),
            features=features,
        )
        self._units = device.array(_units(counting))
        self._slopes, self._heights = _tables(device, counting.psi)
        self.noted = device.empty((_room(self.rows),), np.int64)
        self._values = device.empty((self.rows,), np.int64)
        self.joints = JointHistograms(self.there, counting.start)

    def totals(self) -> Totals:
        return Totals(self._sums(self._label.astype(np.int64)), self._total_weight)

    def restart(self, segments: Sequence[Moves]) -> Ints:
        self.there.margins[:] = 0
        self.joints.forget()
        for place, moves in enumerate(segments):
            if place:
                self._move(None)
            self._move(moves)
        return self.sums()

    def columns(self, stumps: StumpTables) -> Ints:
        start, cells = self.counting.start, self.counting.cells
        found = self.device.empty((len(stumps.feature), cells), np.int64)
        tables = self.device.array(stumps.table)
        for feature in np.unique(stumps.feature).tolist():
            own = np.flatnonzero(stumps.feature == feature)
            codes = int(start[feature + 1] - start[feature])
            arrays = (self.joints.of(feature).table, self.device.array(own), tables, found)
            self._launch("columns", (-(-cells // _THREADS), len(own)), (_THREADS,), cells, codes, *arrays)
        return self.device.to_host(found)

    def catch_up(self, moves: Moves) -> Ints:
        counting, there = self.counting, self.there
        self._move(moves)
        counts = self.device.zeros((counting.distances,), np.int64)
        counted = (counting.distance_grain, counting.distances, counts)
        self._over_rows("distances", there.rule, there.weight, there.margins, *counted, shared=4 * counting.distances)
        return self.device.to_host(counts)

    def zone(self, distance: int) -> Zone:
        there, near = self.there, self._near(distance)
        codes = there.codes[near, : there.features]
        return Zone(
            *map(self.device.to_host, (there.margins[near], there.weight[near].astype(np.int64), codes)),
        )

    def take(self, moves: Moves, step: Moves | None) -> Taken:
        self._move(moves)
        self._slopes_now(before=False)
        self._move(step)
        return Taken(self._sums(self._slopes_now(before=True)), self.potential())

    def sums(self) -> Ints:
        """The sums of weight * psi' of each cell, for the margins as they are."""
        return self._sums(self._slopes_now(before=False))

    def potential(self) -> int:
        """Phi(H) in grains, for the margins as they are."""
        there = self.there
        sums = self.device.zeros((_BLOCKS * self.device.processors * _THREADS,), np.int64)
        known = (there.rule, self._units, self._heights, there.weight, self._label, there.margins)
        self._over_rows("potentials", *known, sums)
        return int(self.device.to_host(sums.sum(keepdims=True))[0])

    def _move(self, moves: Moves | None) -> None:
        """Let all margins take some steps, or (None) a case-B step; joint histograms follow."""
        there, count = self.there, self.device.zeros((1,), np.int64)
        noting = (there.rule, there.weight, there.margins, len(self.noted), self.noted, count)
        if moves is None:
            self._over_rows("shrink", *noting)
        elif len(moves.feature):
            steps = (len(moves.feature), self.device.array(moves.feature), self.device.array(moves.table))
            self._over_rows("move", there.codes.shape[1], there.codes, *steps, *noting)
        if self.joints.kept:
            self.joints.follow(self.noted, int(self.device.to_host(count)[0]))

    def _near(self, distance: int) -> DeviceArray:
        """The numbers of the rows near |H| = 1, in order."""
        there, noted = self.there, self.noted
        while True:
            count = self.device.zeros((1,), np.int64)
            self._over_rows("near", there.rule, there.weight, there.margins, distance, len(noted), noted, count)
            found = int(self.device.to_host(count)[0])
            if found <= len(noted):
                return self.device.sort(noted[:found])
            noted = self.device.empty((found,), np.int64)

    def _slopes_now(self, *, before: bool) -> DeviceArray:
        """weight * psi'(H) of each row; with ``before`` less what was found last time."""
        there = self.there
        self._over_rows("slopes", there.rule, self._slopes, there.weight, there.margins, int(before), self._values)
        return self._values

    def _sums(self, values: DeviceArray) -> Ints:
        """The sum of int64 values over the rows of each cell."""
        sums = self.device.zeros((self.counting.cells,), np.int64)
        widest, all_words = int(np.diff(self.counting.start).max()), self.there.codes.shape[1] // 4
        words = min(max(1, _SUMMED // (4 * 8 * widest)), all_words)
        height = max(1, 4 * _THREADS // words)
        grid = (min(-(-self.rows // height), 2 * self.device.processors), -(-all_words // words))
        block, shared = (words, height), 4 * words * 8 * widest
        self._launch("add_rows", grid, block, self.rows, *self.there.layout, words, values, sums, shared=shared)
        return self.device.to_host(sums)

    def _over_rows(self, name: str, *arguments: Any, shared: int = 0) -> None:
        """Launch a kernel that gives each thread some rows."""
        self._launch(name, (_BLOCKS * self.device.processors,), (_THREADS,), self.rows, *arguments, shared=shared)


def _rule(counting: Counting) -> Ints:
    """The whole numbers that kernels know: see ``rule`` in rows.cu."""
    psi = counting.psi
    slope, reach = (psi.slope, psi.reach) if isinstance(psi, HuberPsi) else (0, 0)
    middle = 0 if isinstance(psi, HuberPsi) else len(psi.slope) // 2
    return np.array([slope, psi.top, reach, counting.shrink, middle], dtype=np.int64)


def _units(counting: Counting) -> Floats:
    """The units that kernels know: see ``units`` in rows.cu."""
    return np.array([counting.unit, counting.weight_unit, counting.label_unit, counting.grain])


def _tables(device: Device, psi: HuberPsi | TablePsi) -> tuple[Any, Any]:
    """Tables of psi' and psi by margin; 0 for Huber's, which needs none."""
    if isinstance(psi, HuberPsi):
        return 0, 0
    return device.array(psi.slope), device.array(psi.height)
