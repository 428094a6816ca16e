"""Incremental rounds on a GPU: the Python side of ``kernels/gpu/rounds.cu``.

What :class:`.conductor.Conductor` does on the host from sums, asking a keeper, is done here beside the rows: all
margins move in each round, and joint histograms stand for kept columns. The host launches many rounds in advance and
then reads the log. It is needed only for the joint histogram of a feature that comes up for the first time, and for
case-B steps. Tapes are the same to the bit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...kernels.binning import WIDTH
from ...kernels.compiled.conducting import ROUND, SHRINK
from .board import Board
from .keepers.base import Moves
from .keepers.gpu import GpuKeeper

# The names in rounds.cu are these, in the same order.
GO, NEEDS_JOINT, NEEDS_ROOM, NEEDS_SHRINK, WILD = range(5)
STATUS, ROUND_THERE, UNTIL, LOGGED_FROM, STEPPING, FEATURE, SIGN, CROSSED, SETTLED, CORRECTION, DONE = range(11)
PARTS = 8
RECORD = np.dtype(
    [("feature", "i8"), ("position", "i8"), ("sign", "i8"), ("edge", "f8"), ("potential", "f8"), ("table", "i1", WIDTH)]
)

_THREADS, _BLOCKS = 256, 8  # of a block; on a multiprocessor
_AT_ONCE = 256  # rounds that are launched in advance
_MANY, _FEW = 64, 1024  # if more than one in 64 rows cross in a round, and more than 1024, all had better be looked at


class DeviceRounds:
    """Rounds beside the rows of a :class:`GpuKeeper`. (Cache and threads are for conductors on the host.)"""

    def __init__(self, board: Board, cache_bytes: int, threads: int):
        assert isinstance(board.keeper, GpuKeeper)
        self._board, self._keeper, self._device = board, board.keeper, board.keeper.device
        new, features = self._device.zeros, len(board.layout.categorical)
        self._sums, self._reals = new((board.layout.size,), np.int64), new((9,), np.float64)
        self._numbers, self._log = new((11,), np.int64), new((_AT_ONCE, RECORD.itemsize), np.uint8)
        self._joints, self._columns, self._seen = (new((features,), np.int64) for _ in range(3))
        self._noted = 0  # rows that crossed, and that joint histograms may not have seen yet
        self._fields = self._all_fields()
        self._launches = self._a_round()
        self.wild = False  # whether so many rows cross in a round that rounds had better look at all rows
        self.crossed = 0  # of crossings nobody is told here
        self.begin()

    def begin(self) -> None:
        """Take over from the sums and margins as they are."""
        self.wild = False
        self._device.write(self._sums, self._board.cells.sums)
        self._tell_of_joints()

    def leave(self) -> None:
        """Hand over to rounds of another kind."""
        self._make_room()
        self._board.cells.sums[:] = self._device.to_host(self._sums)

    def advance(self, until: int) -> None:
        """Run rounds up to number ``until``, or until they get wild."""
        board = self._board
        while board.round < until and not self.wild:
            board.asked["rounds"] += 1
            status, feature = self._run(min(until - board.round, _AT_ONCE))
            if status == NEEDS_JOINT:
                board.asked["joint"] += 1
                self._keeper.joints.of(feature)
                self._device.write(self._seen[feature : feature + 1], np.array([self._noted]))
                self._tell_of_joints()
            elif status == NEEDS_ROOM:
                board.asked["room"] += 1
                self._make_room()
            elif status == NEEDS_SHRINK:
                self._shrink()
            elif status == WILD:
                self._give_up()

    def _run(self, count: int) -> tuple[int, int]:
        """Launch some rounds, and wait for them; returns what they ended with, and the last stump's feature."""
        board, rule = self._board, self._board.rule
        numbers = np.zeros(len(self._numbers), dtype=np.int64)
        numbers[[ROUND_THERE, LOGGED_FROM, UNTIL]] = board.round, board.round, board.round + count
        numbers[[CROSSED, SETTLED]] = self._noted
        known = (board.state.potential[0], rule.threshold, rule.factor, rule.label_total, rule.min_gain)
        units = (rule.unit, rule.weight_unit, rule.label_unit, self._keeper.counting.grain)
        self._device.write(self._numbers, numbers)
        self._device.write(self._reals, np.array([*known, *units]))
        for _ in range(count):
            for launch in self._launches:
                launch()
        numbers = self._device.to_host(self._numbers)
        potential = self._device.to_host(self._reals)[0] + numbers[CORRECTION] * self._keeper.counting.grain
        self._read_log(int(numbers[ROUND_THERE]), shrinks=bool(numbers[STATUS] == NEEDS_SHRINK))
        board.state.numbers[ROUND], board.state.potential[0] = numbers[ROUND_THERE], potential
        self._noted = int(numbers[CROSSED])
        return int(numbers[STATUS]), int(numbers[FEATURE])

    def _read_log(self, end: int, *, shrinks: bool) -> None:
        """Note what the rounds up to number ``end`` have done; ``shrinks``: the next one is in the log already."""
        board, log, begin = self._board, self._board.log, self._board.round
        records = self._device.to_host(self._log[: end - begin + shrinks]).view(RECORD)[:, 0]
        log.edge[begin : end + shrinks], log.potential[begin : end + shrinks] = records["edge"], records["potential"]
        records = records[: end - begin]
        log.sign[begin:end] = records["sign"]
        stumps = zip(records["feature"].tolist(), records["position"].tolist(), records["table"], strict=True)
        log.stump[begin:end] = [board.stumps.number(*stump) for stump in stumps]
        for feature in np.unique(records["feature"]).tolist():
            self._keeper.joints.of(feature)  # it is there, and was used just now

    def _shrink(self) -> None:
        """Case B, by the keeper."""
        board = self._board
        board.log.stump[board.round], board.log.sign[board.round] = SHRINK, 0
        self.leave()
        board.take(Moves.none(), None)
        self.begin()

    def _give_up(self) -> None:
        """Too many rows have crossed in a round to correct sums by them one by one."""
        board = self._board
        board.asked["sums"] += 1
        self._keeper.joints.forget()
        self._noted = 0
        self._device.write(self._sums, self._keeper.sums())
        board.state.potential[0] = self._keeper.potential() * self._keeper.counting.grain
        self.wild = True

    def _make_room(self) -> None:
        """Let all joint histograms take in the rows that were noted, so that others can be."""
        self._keeper.joints.follow(self._keeper.noted, self._noted, self._device.to_host(self._seen))
        self._device.write(self._seen, np.zeros(len(self._seen), dtype=np.int64))
        self._noted = 0

    def _tell_of_joints(self) -> None:
        """Write where joint histograms are."""
        joints, columns = (np.zeros(len(self._joints), dtype=np.int64) for _ in range(2))
        for feature, joint in self._keeper.joints.kept.items():
            joints[feature] = self._device.address(joint.table)
            columns[feature] = self._device.address(joint.column)
        self._device.write(self._joints, joints)
        self._device.write(self._columns, columns)

    def _all_fields(self) -> list[Any]:
        """The fields of Board in rounds.cu: whole numbers, and arrays."""
        board, there, device = self._board, self._keeper.there, self._device
        rows, stride = there.codes.shape
        step, room = board.rule, len(self._keeper.noted)
        most = min(max(rows // _MANY, _FEW), room)
        rule = np.array([step.step, step.slope, step.top, step.reach, most, room], dtype=np.int64)
        best = (device.zeros((there.features,), dtype) for dtype in (np.float64, np.int64, np.int64))
        return [
            *(rows, there.features, stride, board.layout.size),
            *(there.start, device.array(board.layout.categorical.astype(np.uint8)), there.codes),
            *(there.weight, there.margins, self._keeper.noted, self._sums),
            *(device.array(board.cells.label), device.array(board.cells.label_sums)),
            *(device.array(rule), self._reals, self._numbers, *best),
            *(self._joints, self._columns, self._seen, device.zeros((WIDTH,), np.int8), self._log),
        ]

    def _a_round(self) -> list[Callable[[], None]]:
        """The four launches of a round."""
        features, filled = self._keeper.there.features, _BLOCKS * self._device.processors
        struct = [field if isinstance(field, int) else self._device.address(field) for field in self._fields]
        board = self._device.array(np.array(struct, dtype=np.int64))
        self._fields.append(board)
        kernels = self._device.kernels("rounds.cu", **self._keeper.types)
        tiles, width = -(-self._board.layout.size // WIDTH), min(features, _THREADS)
        rows_by_features = (filled,), (width, _THREADS // width)
        return [
            kernels.ready("choose", (features,), (_THREADS,), board),
            kernels.ready("refresh", *rows_by_features, board),
            kernels.ready("step", (tiles * PARTS + filled,), (_THREADS,), board),
            kernels.ready("settle", *rows_by_features, board),
        ]
