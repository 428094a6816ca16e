"""Incremental rounds: the Python side of :mod:`agnoboost.kernels.compiled.incremental`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...kernels.binning import WIDTH
from ...kernels.compiled import incremental as kernels
from ...kernels.compiled.best_stump import best_of_each, describe
from ...kernels.compiled.histograms import LANES, add_column, add_panel, shift_column
from .board import Board

_NEAR = 16  # a column is derived from a neighbour if at most one in so many rows lies between them
_FEWEST_SLOTS, _MOST_SLOTS = 8, 4096


@dataclass(frozen=True)
class _Wanted:
    """A stump whose column is to be made."""

    feature: int
    position: int
    key: int
    table: npt.NDArray[np.int8]


class Incremental:
    """Rounds that carry the sums along. Columns are made here, on all threads, when a stump first comes up."""

    def __init__(self, board: Board, cache_bytes: int):
        self._board = board
        rows, features = board.rows.codes.shape
        words, cells = len(board.state.active), board.layout.size
        dtype = np.dtype(np.int32 if board.rows.weight.dtype == np.int8 else np.int64)
        self._columns = _empty_columns(cells, words, dtype, cache_bytes)
        self._signs = kernels.Signs(
            sums=np.zeros(cells, dtype=np.int64),
            active=np.zeros(words, dtype=np.uint64),
            negative=np.zeros(words, dtype=np.uint64),
        )
        self._zone = kernels.Zone(
            row=np.empty(rows, dtype=np.int32),
            margin=np.empty(rows, dtype=np.int32),
            codes=np.empty((features, rows // 32 + 64), dtype=np.uint8),
            loaded=np.zeros(features, dtype=np.bool_),
        )
        self._pending = kernels.Pending(
            table=np.zeros((features, WIDTH), dtype=np.int32),
            feature=np.zeros(features, dtype=np.int64),
            place=np.full(features, -1, dtype=np.int64),
        )
        ones = np.ones(rows, dtype=np.int8)
        self._counts = board.sums_of(ones)  # rows of each cell, to judge how far apart stumps are
        self._known: set[int] = set()
        self.begin()

    @property
    def touched(self) -> int:
        """Rows that were looked at one by one so far; a column that had to be made again counts as all rows."""
        return int(self._board.state.numbers[kernels.TOUCHED])

    def begin(self) -> None:
        """Take over from the present margins, for which the sums are right."""
        board = self._board
        kernels.find_active(board.rows, board.rule, board.state)
        kernels.choose_zone(board.rows, board.rule, self._zone, board.state.numbers)

    def leave(self) -> None:
        """Bring all margins up to date for somebody else."""
        kernels.catch_up(self._board.rows, self._pending, self._board.state.numbers)

    def advance(self, until: int) -> None:
        """Run rounds up to number ``until``."""
        board = self._board
        while board.round < until:
            status, feature, position, key = kernels.advance(
                board.rows,
                board.rule,
                board.state,
                self._zone,
                self._pending,
                board.cells,
                self._columns,
                self._signs,
                board.log,
                until,
            )
            if status == kernels.NEEDS_COLUMN:
                self._make_column(feature, position, key)

    def _make_column(self, feature: int, position: int, key: int) -> None:
        """The column of the stump in ``cells.table``: from a neighbour, or from scratch."""
        board, columns = self._board, self._columns
        wanted = _Wanted(feature, position, int(key), board.cells.table.copy())
        number = board.stumps.number(feature, position, wanted.table)
        if number in self._known:
            board.state.numbers[kernels.TOUCHED] += len(board.rows.codes)
        neighbour = self._neighbour(wanted)
        if neighbour is not None and self._refreshed(neighbour):
            other = int(columns.key[neighbour]) // 4
            slot = self._put(wanted, columns.sums[neighbour].copy())  # perhaps in the neighbour's own place
            low, high, factor = (other, position, -2) if position > other else (position, other, 2)
            board.add_up(
                shift_column, columns.sums[slot], board.rows.weight, board.state.active, feature, low, high, factor
            )
        elif board.rows.weight.dtype != np.int8:  # different weights do not fit into lanes
            slot = self._put(wanted, 0)
            board.add_up(add_column, columns.sums[slot], board.rows.weight, board.state.active, feature, wanted.table)
        else:
            self._make_panel(wanted)

    def _make_panel(self, wanted: _Wanted) -> None:
        """The columns of a stump and of those that are likely to come next, in one pass."""
        board = self._board
        panel = [wanted, *self._guesses(wanted.feature, min(LANES - 2, len(self._columns.feature) // 4))]
        features = np.zeros(LANES, dtype=np.int64)
        tables = np.zeros((LANES, WIDTH), dtype=np.int8)
        for lane, stump in enumerate(panel):
            features[lane], tables[lane] = stump.feature, stump.table
        sums = np.zeros((LANES, board.layout.size), dtype=np.int32)
        board.add_up(add_panel, sums, board.state.active, features, tables)
        for lane, stump in enumerate(panel):
            self._put(stump, sums[lane] - sums[-1])

    def _guesses(self, but: int, most: int) -> list[_Wanted]:
        """The best stumps of the other features, unless a neighbour is there already."""
        board = self._board
        rows, cells, rule = board.rows, board.cells, board.rule
        features = rows.codes.shape[1]
        scores, positions = np.empty(features), np.empty(features, dtype=np.int64)
        shared = (cells.sums, cells.label, rule.factor, rows.start, rows.categorical)
        best_of_each(*shared, scores, positions)
        scores[but] = -1.0
        total = cells.sums[rows.start[0] : rows.start[1]].sum()
        guesses: list[_Wanted] = []
        for feature in np.argsort(-scores, kind="stable").tolist():
            if scores[feature] < 0.0 or len(guesses) == most:
                break
            table = np.zeros(WIDTH, dtype=np.int8)
            position = int(positions[feature])
            describe(*shared, total, feature, position, table)
            key = kernels.stump_key(False, position, table[rows.start[feature + 1] - rows.start[feature] - 1], table)
            guess = _Wanted(feature, position, key, table)
            if self._neighbour(guess) is None:
                guesses.append(guess)
        return guesses

    def _neighbour(self, wanted: _Wanted) -> int | None:
        """A slot with the column of a stump close by, that treats missing values alike."""
        board, columns, feature = self._board, self._columns, wanted.feature
        if board.layout.categorical[feature]:
            return None
        first, last = int(board.rows.start[feature]), int(board.rows.start[feature + 1]) - 1
        slots = np.flatnonzero(columns.feature == feature)
        slots = slots[columns.table[slots, last - first] == wanted.table[last - first]]
        if not len(slots):
            return None
        below = np.cumsum(np.append(0, self._counts[first:last]))
        between = np.abs(below[columns.key[slots] // 4] - below[wanted.position])
        nearest = int(np.argmin(between))
        return int(slots[nearest]) if between[nearest] <= len(board.rows.codes) // _NEAR else None

    def _refreshed(self, slot: int) -> bool:
        """Bring a column up to date, unless that would take too long."""
        columns, rows = self._columns, self._board.rows
        held = (columns.sums[slot], columns.active[slot], int(columns.feature[slot]), columns.table[slot])
        return bool(kernels.refresh(rows, self._board.state.active, *held, len(rows.codes) // _NEAR) >= 0)

    def _put(self, stump: _Wanted, sums: Any) -> int:
        """Give a column a slot."""
        board, columns = self._board, self._columns
        number = board.stumps.number(stump.feature, stump.position, stump.table)
        self._known.add(number)
        slot = self._free_slot()
        columns.sums[slot], columns.active[slot], columns.table[slot] = sums, board.state.active, stump.table
        columns.stump[slot], columns.feature[slot], columns.key[slot] = number, stump.feature, stump.key
        columns.used[slot] = board.state.numbers[kernels.CLOCK]
        return slot

    def _free_slot(self) -> int:
        """A free slot, or that of the column which was used longest ago."""
        free = np.flatnonzero(self._columns.feature < 0)
        if len(free):
            return int(free[0])
        return int(np.argmin(self._columns.used))


def _empty_columns(cells: int, words: int, dtype: np.dtype, cache_bytes: int) -> kernels.Columns:
    size = cells * dtype.itemsize + 8 * words + WIDTH
    slots = min(max(cache_bytes // size, _FEWEST_SLOTS), _MOST_SLOTS)
    return kernels.Columns(
        sums=np.empty((slots, cells), dtype=dtype),  # pages that are not used yet take no memory
        active=np.empty((slots, words), dtype=np.uint64),
        stump=np.zeros(slots, dtype=np.int64),
        feature=np.full(slots, -1, dtype=np.int64),
        key=np.zeros(slots, dtype=np.int64),
        table=np.zeros((slots, WIDTH), dtype=np.int8),
        used=np.zeros(slots, dtype=np.int64),
    )
