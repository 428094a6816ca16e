"""Incremental rounds: the Python side of :mod:`agnoboost.kernels.compiled.conducting`.

The conductor holds sums, kept columns, the zone and the list of crossings; everything else it asks the keeper of rows.
"""

from __future__ import annotations

import numpy as np

from ...basics.typing import Ints
from ...kernels.binning import WIDTH
from ...kernels.compiled import conducting as kernels
from ...kernels.compiled import dreaming
from ...kernels.dispatch import in_parts
from .board import Board
from .columns import KeptColumns, Wanted
from .joints import KeptJoints
from .keepers.base import Moves, StumpTables

_ZONE = 16  # the zone is to hold one in so many rows
_WILDEST = 8  # and never more than one in so many: then so many cross that rounds had better look at all rows
_FEW = 1 << 12  # rows that are few enough for a zone anyway
_HORIZONS = 16  # how often the zone is looked at before it is used up
_SHARE = 4  # joint histograms may have one in so many bytes of all bins, where that is more than columns have
_WORTH = 0.5  # what may be spent on joint histograms, by what was spent on columns
_DREAM = 1 << 24  # cells that are looked at in a dream, at most
_STRIDES = 1024  # strides of a dream in which a margin gets from 0 to 1, at most
_SPLIT = 1 << 14  # rows of the zone from which a look at them is worth several threads


class Conductor:
    """Rounds that carry the sums along, with ``threads`` for what is worth it."""

    def __init__(self, board: Board, cache_bytes: int, threads: int):
        self._board, self._threads = board, threads
        features = len(board.layout.categorical)
        self._active = np.zeros(board.layout.size, dtype=np.int64)
        self._active_seen = 0
        self._columns = KeptColumns(board.layout.size, board.totals.weight, cache_bytes)
        room = max(cache_bytes, board.keeper.rows * features // _SHARE)
        self._joints = KeptJoints(board.layout.start, board.totals.weight, room, threads)
        self._joined = 0  # joint histograms that were asked for
        self._owed = kernels.Owed(
            feature=np.zeros(features, dtype=np.int64),
            table=np.zeros((features, WIDTH), dtype=np.int32),
            most=np.zeros(features, dtype=np.int64),
            place=np.full(features, -1, dtype=np.int64),
        )
        rows = board.keeper.rows
        self._wanted = max(rows // _ZONE, _FEW)
        room = 2 * max(rows // _WILDEST, _FEW)
        self._crossings = kernels.Crossings(
            codes=np.empty((room, features), dtype=np.uint8),
            weight=np.empty(room, dtype=np.int64),
            previous=np.empty(room, dtype=np.int64),
            skip=np.empty(room, dtype=np.bool_),
        )
        self._forgotten = 0  # crossings that are not on the list any more
        self._most = max(board.keeper.pass_cost // 4, 1)  # crossings by which a column may lag behind
        self._lags = np.full(features, self._most)  # the same by feature: negative where a new one asks nobody
        self.wild = False  # whether more rows can cross in a step than are worth looking at one by one
        self.begin()

    @property
    def crossed(self) -> int:
        """How many times a row has crossed |H| = 1 so far."""
        return self._forgotten + int(self._board.state.numbers[kernels.CROSSED])

    def _refresh_active(self) -> None:
        """Bring the weight of the active rows up to date."""
        crossed, everybody = int(self._board.state.numbers[kernels.CROSSED]), np.ones(WIDTH, dtype=np.int8)
        start = self._board.cells.start
        kernels.refresh(self._crossings, start, self._active, self._active_seen, crossed, 0, everybody)
        self._active_seen = crossed

    def begin(self) -> None:
        """Take over after rounds of another kind."""
        self._columns.forget()
        self._joints.forget()
        self._lags[:] = self._most
        self._open_zone()
        self._count_active()

    def _count_active(self) -> None:
        """The weight of the active rows of each cell: the column of a stump that is 1 everywhere."""
        everybody = StumpTables(np.zeros(1, dtype=np.int64), np.ones((1, WIDTH), dtype=np.int8))
        self._board.asked["columns"] += 1
        self._active = self._board.keeper.columns(everybody)[0]
        self._active_seen = int(self._board.state.numbers[kernels.SYNCED])

    def leave(self) -> None:
        """Bring the keeper up to date for rounds of another kind."""
        self._catch_up()

    def advance(self, until: int) -> None:
        """Run rounds up to number ``until``, or until they get wild."""
        board = self._board
        while board.round < until and not self.wild:
            status, feature, position, key = kernels.advance(
                self._zone,
                self._near,
                self._crossings,
                self._owed,
                board.rule,
                board.state,
                board.cells,
                self._columns.slots,
                board.log,
                self._lags,
                until,
            )
            if status == kernels.NEEDS_COLUMN:
                self._make_column(Wanted(feature, position, int(key), board.cells.table.copy()))
            elif status == kernels.NEEDS_LOOK:
                self._look_further()
            elif status == kernels.NEEDS_ROOM:
                self._make_room()
            elif status == kernels.NEEDS_SHRINK:
                self._shrink()

    def _moves(self) -> Moves:
        """What the keeper's margins have not taken yet."""
        count = int(self._board.state.numbers[kernels.OWED])
        return Moves(self._owed.feature[:count], self._owed.table[:count])

    def _catch_up(self) -> Ints:
        """Let the keeper's margins take what they owe."""
        self._board.asked["catch_up"] += 1
        counts = self._board.keeper.catch_up(self._moves())
        kernels.settle(self._owed, self._board.state.numbers)
        return counts

    def _open_zone(self) -> None:
        """Let the keeper catch up, and fetch the rows that can cross next."""
        board, numbers = self._board, self._board.state.numbers
        counts = self._catch_up()
        numbers[kernels.SYNCED] = numbers[kernels.CROSSED]
        limit, size = self._limit(counts)
        self.wild = size > max(board.keeper.rows // _WILDEST, _FEW)
        if self.wild:
            return
        board.asked["zone"] += 1
        zone = board.keeper.zone(limit)
        self._zone = kernels.Zone(
            codes=zone.codes,
            weight=zone.weights,
            margin=zone.margins,
            now=zone.margins.copy(),
            due=np.zeros(size, dtype=np.int64),
            last=np.full(size, -1, dtype=np.int64),
        )
        self._near = kernels.Near(
            place=np.empty(size, dtype=np.int64),
            margin=np.empty(size, dtype=np.int32),
            codes=np.empty((zone.codes.shape[1], size), dtype=np.uint8),
            loaded=np.zeros(zone.codes.shape[1], dtype=np.bool_),
        )
        numbers[kernels.TRAVEL], numbers[kernels.LIMIT] = 0, limit
        self._look()

    def _limit(self, counts: Ints) -> tuple[int, int]:
        """How wide a zone to take, by how many rows are how far away; and how many rows that makes."""
        grain = self._board.keeper.counting.distance_grain
        inside = np.cumsum(counts)
        widest = int(np.searchsorted(inside, self._wanted, side="right")) - 1
        grains = min(max(widest, -(-self._board.rule.step // grain)), len(counts) - 1)
        return grains * grain, int(inside[grains])

    def _look_further(self) -> None:
        """The horizon is reached: look at the zone again, or at another one."""
        numbers, step = self._board.state.numbers, self._board.rule.step
        if numbers[kernels.MOVED] + step > numbers[kernels.LIMIT]:
            self._open_zone()
        else:
            self._look()

    def _look(self) -> None:
        """List the rows of the zone that can cross within the next rounds."""
        numbers, rule = self._board.state.numbers, self._board.rule
        travel = int(numbers[kernels.TRAVEL])
        horizon = travel + max(rule.step, int(numbers[kernels.LIMIT]) // _HORIZONS)
        size = len(self._zone.due)
        known = (self._zone, self._owed, rule, travel, horizon, int(numbers[kernels.OWED]))
        in_parts(kernels.look, size, self._threads if size >= _SPLIT else 1, *known)
        numbers[kernels.HORIZON] = horizon
        kernels.gather(self._zone, self._near, numbers)

    def _shrink(self) -> None:
        """Case B, for which all rows are needed."""
        board, numbers = self._board, self._board.state.numbers
        if numbers[kernels.CROSSED] + len(self._zone.due) > len(self._crossings.weight):
            self._make_room()
            return
        board.log.stump[board.round], board.log.sign[board.round] = kernels.SHRINK, 0
        board.take(self._moves(), None)
        kernels.shrink_zone(self._zone, self._crossings, self._owed, board.rule, numbers)
        kernels.gather(self._zone, self._near, numbers)
        numbers[kernels.SYNCED] = numbers[kernels.CROSSED]

    def _make_room(self) -> None:
        """Forget the older half of the crossings, and the columns that have not seen it."""
        numbers, crossings = self._board.state.numbers, self._crossings
        count = int(numbers[kernels.CROSSED])
        gone = count - len(crossings.weight) // 2
        if gone > numbers[kernels.SYNCED]:  # what the keeper does not know yet must be kept
            self._open_zone()
        self._joints.forget_crossings(crossings, count, gone)
        self._refresh_active()
        for array in (crossings.codes, crossings.weight, crossings.previous):
            array[: count - gone] = array[gone:count]
        crossings.previous[: count - gone] = np.maximum(crossings.previous[: count - gone] - gone, -1)
        crossings.skip[: count - gone] = False
        self._zone.last[:] = np.maximum(self._zone.last - gone, -1)
        self._columns.forget_crossings(gone)
        numbers[kernels.CROSSED] -= gone
        numbers[kernels.SYNCED] -= gone
        self._forgotten += gone
        self._active_seen -= gone

    def _make_column(self, wanted: Wanted) -> None:
        """The column of a stump: from its feature's joint histogram, or by a pass over the rows."""
        numbers = self._board.state.numbers
        if wanted.feature not in self._joints and self._columns.has(wanted.feature):  # it will come again
            self._make_joints(wanted)
        if wanted.feature not in self._joints:
            self._make_columns(wanted)
            return
        crossed = int(numbers[kernels.CROSSED])
        sums = self._joints.column(wanted.feature, wanted.table, self._crossings, crossed)
        number = self._board.stumps.number(wanted.feature, wanted.position, wanted.table)
        self._columns.put(wanted, number, sums, crossed, int(numbers[kernels.CLOCK]))

    def _make_joints(self, wanted: Wanted) -> None:
        """Joint histograms of a stump's feature and of those that come next, as many as they are worth."""
        board, cost = self._board, self._board.keeper.joint_cost
        if cost is None:
            return
        worth = int(_WORTH * board.asked["columns"] / cost) - self._joined
        most = min(worth, self._joints.left)
        if most < 1:
            return
        likely = dict.fromkeys(self._likely(wanted, board.keeper.lanes).feature.tolist())
        features = np.array([feature for feature in likely if feature not in self._joints][:most])
        board.asked["joint"] += 1
        self._joined += len(features)
        self._joints.put(features, board.keeper.joint(features), int(board.state.numbers[kernels.SYNCED]))
        self._lags[features] = -max(board.layout.size * WIDTH // (8 * len(self._lags)), 1)

    def _make_columns(self, wanted: Wanted) -> None:
        """The columns of a stump and of those that are likely to come next, in one pass over the rows."""
        board, numbers = self._board, self._board.state.numbers
        panel = self._likely(wanted, max(1, min(board.keeper.lanes, len(self._columns) // 4)))
        board.asked["columns"] += 1
        found = board.keeper.columns(StumpTables(panel.feature, panel.table))
        for place, sums in enumerate(found):
            feature, position, key = (int(array[place]) for array in panel[:3])
            stump = Wanted(feature, position, key, panel.table[place])
            number = board.stumps.number(stump.feature, stump.position, stump.table)
            self._columns.put(stump, number, sums, int(numbers[kernels.SYNCED]), int(numbers[kernels.CLOCK]))

    def _likely(self, wanted: Wanted, most: int) -> dreaming.Dream:
        """A stump and those that a dream of the next rounds comes upon, up to ``most``."""
        board, numbers = self._board, self._board.state.numbers
        found = dreaming.Dream(
            feature=np.zeros(most, dtype=np.int64),
            position=np.zeros(most, dtype=np.int64),
            key=np.zeros(most, dtype=np.int64),
            table=np.zeros((most, WIDTH), dtype=np.int8),
        )
        found.feature[0], found.position[0], found.key[0] = wanted.feature, wanted.position, wanted.key
        found.table[0] = wanted.table
        self._refresh_active()
        cells = board.cells._replace(sums=board.cells.sums.copy())
        stale = min(int(numbers[kernels.SYNCED]), int(numbers[kernels.CROSSED]) - self._most // 2)
        stride = max(1, board.rule.reach // (_STRIDES * board.rule.step))
        rounds = min(_DREAM // board.layout.size, (board.problem.rounds - board.round) // stride) + 1
        count = dreaming.dream(cells, board.rule, self._columns.slots, self._active, found, 1, stale, stride, rounds)
        return dreaming.Dream(*(array[:count] for array in found))
