"""Full-batch rounds in compiled code, incremental wherever that pays.

Rounds are *incremental* where psi' is piecewise linear (Huber's), and *rebuilt* from all rows where it is not, or while
so many rows cross |H| = 1 that carrying the sums along would cost more. Both choose the same stumps: all sums are
whole numbers.
"""

from __future__ import annotations

import time

import numpy as np

from ...core.tape import Tape
from .board import Board
from .encoding import Encoding
from .incremental import Incremental
from .pace import Pace
from .problem import LARGEST_TABLE, Problem
from .rebuild import Rebuild
from .reference import Rounds

WINDOW = 64  # rounds after which the pace is looked at
_WILD = 0.75  # rows touched one by one, as a share of all rows a round, from which a rebuild is cheaper
_CALM_AFTER = 256  # rebuilt rounds after which incremental ones are tried again


class CompiledFullBatch:
    """Full-batch rounds of one problem."""

    def __init__(
        self, problem: Problem, encoding: Encoding, *, threads: int, cache_bytes: int, always_rebuild: bool = False
    ):
        self._board = Board(problem, encoding, threads)
        self._cache_bytes = cache_bytes
        self._always_rebuild = always_rebuild or not problem.incremental
        self._incremental: Incremental | None = None
        self._rebuild: Rebuild | None = None
        self._can_rebuild = 2 * problem.furthest < LARGEST_TABLE
        self._rebuild_until = problem.rounds if self._always_rebuild else 0
        self._pace = Pace()
        self._touched_before = 0

    @property
    def name(self) -> str:
        return "rebuild" if self._always_rebuild else "incremental"

    @property
    def potential(self) -> float:
        """Phi(H) now."""
        return float(self._board.state.potential[0])

    def restore(self, tape: Tape, potential: float) -> None:
        """Go on after the steps of ``tape``."""
        tables = self._board.problem.tables
        self._board.restore(len(tape), np.concatenate([tape.replay(table) for table in tables]), potential)

    def advance(self, most: int) -> Rounds:
        """The next rounds: at most ``most``, and no more than fit into a moment."""
        start = self._board.round
        until = start + min(most, self._pace.rounds)
        began = time.perf_counter()
        if start < self._rebuild_until:
            self._rebuilt(min(until, self._rebuild_until))
        else:
            self._incrementally(until)
        self._pace.took(self._board.round - start, time.perf_counter() - began)
        return self._board.outcome(start)

    def _rebuilt(self, until: int) -> None:
        if self._incremental is not None:
            self._incremental.leave()
        if self._rebuild is None:
            self._rebuild = Rebuild(self._board)
        self._rebuild.advance(until)
        if self._incremental is not None:
            self._incremental.begin()
            self._touched_before = self._incremental.touched

    def _incrementally(self, until: int) -> None:
        board = self._board
        if self._incremental is None:
            self._incremental = Incremental(board, self._cache_bytes)
        # Looked at in windows of fixed rounds, so that the path does not depend on the clock.
        while board.round < until:
            window_end = (board.round // WINDOW + 1) * WINDOW
            if board.round % WINDOW == 0:
                self._touched_before = self._incremental.touched
            self._incremental.advance(min(until, window_end))
            if board.round == window_end:
                touched = self._incremental.touched - self._touched_before
                if self._can_rebuild and touched > _WILD * WINDOW * len(board.rows.codes):
                    self._rebuild_until = min(board.round + _CALM_AFTER, board.problem.rounds)
                    return
