"""What rounds ask of whoever keeps the rows.

The *conductor* (:mod:`agnoboost.rounds.stumps.conductor`) runs rounds from sums by cell and sees no rows but those near
|H| = 1. A *keeper* holds everything that is as long as the rows: bins (one byte a value), weights, labels, margins. It
may hold them in the memory of this machine, of a GPU, of other machines, or on a disk.

All answers are whole numbers, exact in any order of adding up. So every keeper gives the same answers to the bit, those
of several keepers of parts of the rows can be added up (zones: put one after the other), and the tape is the same
wherever the rows are. ``tests/keeper_contract.py`` compares any keeper with :class:`.plain.PlainKeeper`.

Conventions
-----------
Rows are numbered from 0 in the order of the tables; ``counting`` (:class:`..counting.Counting`) says how margins and
sums are counted. A *cell* is a bin of a feature: ``counting.start[feature] + codes[row, feature]``, where the last code
of each feature stands for missing values. A *table* gives a number for each code of one feature (length ``WIDTH``, 256;
codes beyond those of the feature never occur).

The keeper's margins start at 0. They move only in :meth:`Keeper.restart`, :meth:`Keeper.catch_up` and
:meth:`Keeper.take`; all other answers are for the margins as they are. So the conductor, which is ahead by the steps
that it has not handed over yet, knows what an answer is for.

Who owns what: arrays that come with a question belong to the conductor and may change after the call; what a keeper
hands out belongs to the conductor from then on. Host arrays come and go, whatever a keeper uses inside. Questions come
one at a time, from one thread.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ....basics.typing import Ints
from ....kernels.binning import WIDTH
from ....kernels.cells import Codes
from ..counting import Counting


@dataclass(frozen=True)
class Moves:
    """Steps of case A, summed up by feature: a row's margin moves by the sum of ``table[i, codes[row, feature[i]]]``.

    ``feature``: int64 (moves,), each feature at most once. ``table``: int32 (moves, WIDTH).
    """

    feature: Ints
    table: npt.NDArray[np.int32]

    @classmethod
    def none(cls) -> Moves:
        """No steps at all."""
        return cls(np.zeros(0, dtype=np.int64), np.zeros((0, WIDTH), dtype=np.int32))

    @classmethod
    def one(cls, feature: int, table: npt.NDArray[np.integer]) -> Moves:
        """A single step."""
        return cls(np.array([feature], dtype=np.int64), np.asarray(table, dtype=np.int32)[None])


@dataclass(frozen=True)
class StumpTables:
    """StumpTables W whose Gram columns are asked for: W(x) = ``table[i, codes[row, feature[i]]]``, one of -1, 0, 1.

    ``feature``: int64 (stumps,). ``table``: int8 (stumps, WIDTH).
    """

    feature: Ints
    table: npt.NDArray[np.int8]


@dataclass(frozen=True)
class Totals:
    """Sums that never change: the ``labels`` of each cell, int64 (cells,), and the ``weight`` of all rows together,
    which only says how long the numbers in columns can get."""

    labels: Ints
    weight: float


@dataclass(frozen=True)
class Taken:
    """What a step has done: the ``change`` of the sums of weight * psi', int64 (cells,), and Phi(H) after it, in grains
    (the sum of :meth:`Counting.potentials` over all rows)."""

    change: Ints
    potential: int


@dataclass(frozen=True)
class Zone:
    """Rows near |H| = 1, in the order of the rows: ``margins`` int32 (n,), ``weights`` int64 (n,), ``codes`` uint8
    (n, features), all in C order."""

    margins: npt.NDArray[np.int32]
    weights: Ints
    codes: Codes


class Keeper(ABC):
    """Keeps rows and answers questions about them.

    ``rows`` says how many rows there are. ``lanes`` is how many stumps to ask for at once: a pass for so many should
    cost not much more than a pass for one. ``pass_cost`` says how dear a pass over all rows is, waiting included: in
    rows that the conductor could look at one by one, on one core, in the same time. Both only steer; no answer depends
    on them.

    ``joint_cost`` says how dear the joint histogram of one feature is, in passes for the columns of ``lanes`` stumps;
    None where :meth:`joint` cannot be asked.

    :meth:`columns`, :meth:`joint`, :meth:`catch_up` and :meth:`zone` are asked only where rounds are incremental, that
    is with a :class:`..counting.HuberPsi` and whole weights.
    """

    counting: Counting
    rows: int
    lanes: int
    pass_cost: int
    joint_cost: float | None = None

    @abstractmethod
    def totals(self) -> Totals:
        """Asked once, at the start."""

    @abstractmethod
    def restart(self, segments: Sequence[Moves]) -> Ints:
        """Put all margins to 0, then take the moves of each segment, with a case-B step between two segments.

        Returns the sums of weight * psi' of each cell, int64 (cells,), for the margins that come of it. No segments:
        all margins are 0. Asked once, at the start; a run that goes on from a checkpoint says how it came there.
        """

    @abstractmethod
    def columns(self, stumps: StumpTables) -> Ints:
        """The Gram column of each stump: sums of weight * W(x) over the active rows of each cell.

        int64 (stumps, cells). Active are the rows with |margin| <= reach. Any number of stumps is answered; best are up
        to ``lanes``.
        """

    def joint(self, features: Ints) -> Ints:
        """The joint histogram of each feature: sums of weights over the active rows, by bin of the feature and cell.

        int64 (features, WIDTH, cells). The column of any stump on the feature is its sum over bins, times W.
        """
        raise NotImplementedError

    @abstractmethod
    def catch_up(self, moves: Moves) -> Ints:
        """Let all margins take these steps; returns how many rows are how far from |H| = 1.

        int64 (counting.distances,): at place i the number of rows of weight other than 0 whose distance
        (:meth:`HuberPsi.distances`), divided by ``counting.distance_grain`` and rounded up, is i. Rows further away are
        not counted.
        """

    @abstractmethod
    def zone(self, distance: int) -> Zone:
        """The rows of weight other than 0 whose distance from |H| = 1 is at most ``distance``.

        Asked right after :meth:`catch_up`, by whose answer the conductor knows how many there are.
        """

    @abstractmethod
    def take(self, moves: Moves, step: Moves | None) -> Taken:
        """Let all margins take ``moves``; then take one more step, and say what that last one has changed.

        ``step`` None is case B, H <- H - shrink * sign(H) with sign(0) = +1. Asked for each case-B step, and for each
        step where rounds look at all rows.
        """
