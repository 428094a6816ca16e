"""Full-batch rounds in compiled code, incremental wherever that pays.

Rounds are *incremental* where psi' is piecewise linear (Huber's), and *rebuilt* from all rows where it is not, or while
so many rows cross |H| = 1 that carrying the sums along would cost more. Both choose the same stumps: all sums are
whole numbers.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from ...basics.device_arrays import to_host
from ...basics.typing import Arrays, Ints, Rng
from ...core.booster import Booster
from ...core.learners.base import WeakLearner
from ...core.tape import Tape
from ...kernels import dispatch
from ..engine import Settings
from ..lasting import Rounds
from .counting import Counting
from .engine import StumpEngine
from .in_numpy import why_not_full_batch
from .keepers.base import Keeper
from .keepers.past import segments
from .pace import Pace
from .problem import Problem

if TYPE_CHECKING:
    from .device_rounds import DeviceRounds

WINDOW = 64  # rounds after which the pace is looked at
_WILD = 1 / 32  # crossings a round, as a share of all rows, from which a rebuild is cheaper
_CALM_AFTER = 256  # rebuilt rounds after which incremental ones are tried again

ROUND, CELL = 2e-5, 1e-9  # seconds of a round, and of a feature of a row in a rebuilt one


class IncrementalStumps(StumpEngine):
    """Full-batch rounds of one problem."""

    name = "incremental"
    always_rebuild = False

    def __init__(self, booster: Booster, learner: WeakLearner, rounds: int, rng: Rng, settings: Settings):
        from .board import Board  # not before: it loads numba
        from .conductor import Conductor
        from .rebuild import Rebuild

        super().__init__(booster, learner, rounds, rng, settings)
        self._threads = dispatch.cores(settings.threads)
        self._cache_bytes = settings.cache_bytes
        self._board = Board(self.problem, self.encoding.layout, self.encoding.stumps, self._keeper())
        self._board.begin(0, [], 0.0)
        self._rebuild = Rebuild(self._board)
        self._kind: type[Conductor | DeviceRounds] = Conductor
        self._conductor: Conductor | DeviceRounds | None = None
        self._conducts = False  # whether the rounds before were the conductor's
        self._rebuild_until = self.problem.rounds if self.always_rebuild else 0
        self._pace = Pace()
        self._crossed_before = 0

    def _keeper(self) -> Keeper:
        """Who keeps the rows."""
        weights, weight_unit = self.problem.psi_weights()
        labels, label_unit = self.problem.whole_labels()
        return self._keep(self.problem.counting(self.encoding.layout.start, weight_unit, label_unit), weights, labels)

    def _keep(self, counting: Counting, weights: Any, labels: Ints) -> Keeper:
        """The rows, with weights and labels in their units: here, in the memory of this machine."""
        from .keepers.host import HostKeeper

        tables = [to_host(table) for table in self.problem.tables]
        codes = self.encoding.codes(tables, self._threads, compiled=True)
        return HostKeeper(counting, codes, weights, labels, self._threads)

    @property
    def questions(self) -> dict[str, int]:
        return dict(self._board.asked)

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
        self._board.begin(len(tape), segments(tape, self.encoding.layout), facts["potential"])

    def next(self, most: int) -> Rounds:
        """The next rounds: at most ``most``, and no more than fit into a moment."""
        start = self._board.round
        until = start + min(most, self._pace.rounds)
        began = time.perf_counter()
        if start >= self._rebuild_until:
            self._incrementally(until)
        if self._board.round == start:  # not yet, or too wild
            self._rebuilt(min(until, self._rebuild_until))
        self._pace.took(self._board.round - start, time.perf_counter() - began)
        return self._board.outcome(start)

    def _rebuilt(self, until: int) -> None:
        if self._conductor is not None and self._conducts:
            self._conductor.leave()
        self._conducts = False
        self._rebuild.advance(until)

    def _incrementally(self, until: int) -> None:
        board = self._board
        if self._conductor is None:
            self._conductor = self._kind(board, self._cache_bytes, self._threads)
        elif not self._conducts:
            self._conductor.begin()
            self._crossed_before = self._conductor.crossed
        self._conducts = True
        # Looked at in windows of fixed rounds, so that the path does not depend on the clock.
        while board.round < until:
            window_end = (board.round // WINDOW + 1) * WINDOW
            if board.round % WINDOW == 0:
                self._crossed_before = self._conductor.crossed
            self._conductor.advance(min(until, window_end))
            crossed = self._conductor.crossed - self._crossed_before
            if self._conductor.wild or (board.round == window_end and crossed > _WILD * WINDOW * board.keeper.rows):
                self._rebuild_until = min(board.round + _CALM_AFTER, self.problem.rounds)
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
