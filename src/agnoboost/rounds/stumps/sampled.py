"""The paper's mode, m random rows a round, in compiled code; the same tape as the loop draws, to the bit."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ...basics.conventions import GRID
from ...basics.typing import Arrays, Floats, Rng
from ...core.batch import Bernoulli
from ...core.booster import Booster
from ...core.learners.base import WeakLearner
from ...core.tape import Add, Shrink, Step, Tape, is_sum
from ...kernels import dispatch
from ...kernels.binning import WIDTH
from ..engine import Settings
from ..lasting import Rounds
from .counting import real_margins
from .engine import StumpEngine
from .pace import Pace
from .problem import LARGEST_TABLE, Problem

MARGINS_OF_ALL = 20_000  # up to so many rows all margins are kept, which also gives the exact potential
ROUND, CELL = 2e-5, 2e-9  # seconds of a round, and of a feature of a drawn row


class SampledStumps(StumpEngine):
    """Rounds on m rows each."""

    name = "sampled"

    def __init__(self, booster: Booster, learner: WeakLearner, rounds: int, rng: Rng, settings: Settings):
        from ...kernels.compiled import sampled as kernels  # not before: it loads numba

        super().__init__(booster, learner, rounds, rng, settings)
        problem = self.problem
        assert problem.sample_size is not None
        self._kernels: Any = kernels
        self._m, self._bernoulli = problem.sample_size, isinstance(problem.realize, Bernoulli)
        self._layout, self._stumps = self.encoding.layout, self.encoding.stumps
        self._codes = self.encoding.codes(problem.tables, compiled=True)
        mass = np.concatenate([part.in_batch * part.rows.mass for part in problem.form.parts])
        self._cumulative = np.cumsum(mass)  # as numpy's choice does it
        self._cumulative /= self._cumulative[-1]
        kind, lines = _mean_labels(problem)
        self._targets = kernels.Targets(
            kind=kind,
            mean=lines,
            height=problem.potential.psi(real_margins(problem.unit, problem.furthest)),
            weight=problem.weight(),
            label=problem.label(),
            mass=mass,
        )
        rows = len(self._codes)
        self._model = kernels.Model(
            margins=np.zeros(rows, dtype=np.int32),
            table=np.zeros(self._layout.size, dtype=np.int32),
            keeps_margins=np.array([rows <= MARGINS_OF_ALL]),
        )
        self._sums = np.zeros(self._layout.size, dtype=np.int64)
        self._pace = Pace()
        self._most = np.zeros(len(self._layout.bins), dtype=np.int64)

    @classmethod
    def why_not(cls, problem: Problem) -> str | None:
        if problem.sample_size is None:
            return "it takes all rows in each round"
        if why := problem.why_no_table():
            return why
        if not problem.form.same_rows:
            return "rows are reused"
        if sum(len(np.unique(part.rows.y)) for part in problem.form.parts) * 2 * problem.furthest >= LARGEST_TABLE:
            return "labels of so many values need too large a table"
        return None

    @classmethod
    def cost(cls, problem: Problem, runs: int) -> float:
        cells = (problem.sample_size or 0) * len(problem.bins)
        return dispatch.LOADING + runs * problem.rounds * (ROUND + CELL * cells)

    def restore(self, tape: Tape, facts: dict[str, Any], arrays: Arrays) -> None:
        self.check_steps(tape)
        if not is_sum(tape.steps):
            self._model.keeps_margins[0] = True
        if self._model.keeps_margins[0]:
            self._model.margins[:] = self.margins_of(tape)
            return
        for feature in range(len(self._layout.bins)):
            cells = slice(self._layout.start[feature], self._layout.start[feature + 1])
            own = [step for step in tape.steps if isinstance(step, Add) and step.hypothesis.feature == feature]  # type: ignore[attr-defined]
            self._model.table[cells] = Tape.of(tape.unit, own).replay(self._layout.examples(feature))

    def next(self, most: int) -> Rounds:
        """The next rounds, at most ``most``."""
        kernels, problem, layout, began = self._kernels, self.problem, self._layout, time.perf_counter()
        draws = self._m * (2 if self._bernoulli else 1)
        count = min(most, self._pace.rounds)
        log = kernels.Log(
            feature=np.zeros(count, dtype=np.int64),
            position=np.zeros(count, dtype=np.int64),
            sign=np.zeros(count, dtype=np.int64),
            edge=np.zeros(count),
            potential=np.zeros(count),
            tables=np.zeros((count, WIDTH), dtype=np.int8),
        )
        kernels.rounds(
            self._codes,
            layout.start,
            layout.categorical,
            kernels.Draws(self._cumulative, self.rng.random((count, draws)), GRID * (1.0 / self._m), self._bernoulli),
            self._targets,
            self._model,
            kernels.Rule(
                problem.step,
                problem.shrink,
                float(problem.rule.threshold),
                problem.unit,
                float(problem.learner.min_gain),
            ),
            self._sums,
            self._most,
            log,
        )
        self._pace.took(count, time.perf_counter() - began)
        return Rounds(self._steps(log), log.edge, log.potential)

    def _steps(self, log: Any) -> list[Step]:
        move, shrink = self.problem.step, Shrink(self.problem.shrink)
        places = zip(log.feature.tolist(), log.position.tolist(), log.tables, log.sign.tolist(), strict=True)
        return [
            self._stumps.step(self._stumps.number(feature, position, table), sign, move) if sign else shrink
            for feature, position, table, sign in places
        ]


def _mean_labels(problem: Problem) -> tuple[Any, Floats]:
    """Each row's line, and in each line mean labels by margin, by the very formulas of the sampler.

    There is a line for every label of every part.
    """
    margins = real_margins(problem.unit, problem.furthest)
    kinds: list[Any] = []
    lines: list[Floats] = []
    for part in problem.form.parts:
        labels, kind = np.unique(part.rows.y, return_inverse=True)
        kinds.append(len(lines) + kind)
        lines += [part.target(margins, np.full(len(margins), label)) for label in labels]
    return np.concatenate(kinds), np.array(lines)
