"""Full-batch rounds in compiled code, incremental wherever that pays.

Rounds are *incremental* where psi' is piecewise linear (Huber's), and *rebuilt* from all rows where it is not, or while
so many rows cross |H| = 1 that carrying the sums along would cost more. Both choose the same stumps: all sums are
whole numbers.
"""

from __future__ import annotations

import time
from typing import Any

from ...basics.typing import Arrays, Rng
from ...core.booster import Booster
from ...core.learners.base import WeakLearner
from ...core.tape import Tape
from ...kernels import dispatch
from ..engine import Settings
from ..lasting import Rounds
from .engine import StumpEngine
from .in_numpy import why_not_full_batch
from .pace import Pace
from .problem import Problem

WINDOW = 64  # rounds after which the pace is looked at
_WILD = 0.75  # rows touched one by one, as a share of all rows a round, from which a rebuild is cheaper
_CALM_AFTER = 256  # rebuilt rounds after which incremental ones are tried again

ROUND, CELL = 2e-5, 1e-9  # seconds of a round, and of a feature of a row in a rebuilt one


class IncrementalStumps(StumpEngine):
    """Full-batch rounds of one problem."""

    name = "incremental"
    always_rebuild = False

    def __init__(self, booster: Booster, learner: WeakLearner, rounds: int, rng: Rng, settings: Settings):
        from .board import Board  # not before: it loads numba
        from .incremental import Incremental
        from .rebuild import Rebuild

        super().__init__(booster, learner, rounds, rng, settings)
        problem = self.problem
        self._board = Board(problem, self.encoding, dispatch.cores(settings.threads))
        self._kinds: tuple[type[Incremental], type[Rebuild]] = Incremental, Rebuild
        self._cache_bytes = settings.cache_bytes
        self._incremental: Incremental | None = None
        self._rebuild: Rebuild | None = None
        self._can_rebuild = problem.why_no_table() is None
        self._rebuild_until = problem.rounds if self.always_rebuild else 0
        self._pace = Pace()
        self._touched_before = 0

    @classmethod
    def why_not(cls, problem: Problem) -> str | None:
        why = why_not_full_batch(problem)
        if why is None and not problem.incremental:
            return f"psi' of {type(problem.potential).__name__} is not piecewise linear; 'rebuild' can"
        return why

    @classmethod
    def cost(cls, problem: Problem, runs: int) -> float:
        return dispatch.LOADING + runs * problem.rounds * ROUND

    def pack(self) -> tuple[dict[str, Any], Arrays]:
        return {"potential": float(self._board.state.potential[0])}, {}

    def restore(self, tape: Tape, facts: dict[str, Any], arrays: Arrays) -> None:
        self.check_steps(tape)
        self._board.restore(len(tape), self.margins_of(tape), facts["potential"])

    def next(self, most: int) -> Rounds:
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
            self._rebuild = self._kinds[1](self._board)
        self._rebuild.advance(until)
        if self._incremental is not None:
            self._incremental.begin()
            self._touched_before = self._incremental.touched

    def _incrementally(self, until: int) -> None:
        board = self._board
        if self._incremental is None:
            self._incremental = self._kinds[0](board, self._cache_bytes)
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


class RebuiltStumps(IncrementalStumps):
    """Full-batch rounds that look at all rows, for every separable potential."""

    name = "rebuild"
    always_rebuild = True

    @classmethod
    def why_not(cls, problem: Problem) -> str | None:
        return why_not_full_batch(problem) or problem.why_no_table()

    @classmethod
    def cost(cls, problem: Problem, runs: int) -> float:
        return dispatch.LOADING + runs * problem.rounds * (ROUND + CELL * problem.size)
