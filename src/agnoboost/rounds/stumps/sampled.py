"""The paper's mode, m random rows a round, in compiled code; the same tape as the loop draws, to the bit."""

from __future__ import annotations

import time

import numpy as np

from ...basics.conventions import GRID
from ...basics.typing import Floats, Rng
from ...core.batch import Bernoulli
from ...core.samplers import Fresh, WithLabels
from ...core.tape import Add, Shrink, Step, Tape
from ...kernels.binning import WIDTH
from ...kernels.compiled import sampled as kernels
from .encoding import Encoding
from .pace import Pace
from .problem import NotCovered, Problem, real_margins
from .reference import Rounds

MARGINS_OF_ALL = 20_000  # up to so many rows all margins are kept, which also gives the exact potential


class Sampled:
    """Rounds on m rows each."""

    name = "sampled"

    def __init__(self, problem: Problem, encoding: Encoding, rng: Rng):
        assert problem.sample_size is not None
        self._problem, self._rng = problem, rng
        self._m, self._bernoulli = problem.sample_size, isinstance(problem.realize, Bernoulli)
        self._layout = encoding.layout
        self._codes = encoding.codes(problem.tables)
        self._stumps = encoding.stumps
        mass = batch_mass(problem)
        self._cumulative = np.cumsum(mass)  # as numpy's choice does it
        self._cumulative /= self._cumulative[-1]
        self._targets = _targets(problem, mass)
        rows = len(self._codes)
        self._model = kernels.Model(
            margins=np.zeros(rows, dtype=np.int32),
            table=np.zeros(self._layout.size, dtype=np.int32),
            keeps_margins=np.array([rows <= MARGINS_OF_ALL]),
        )
        self._sums = np.zeros(self._layout.size, dtype=np.int64)
        self._pace = Pace()
        self._most = np.zeros(len(self._layout.bins), dtype=np.int64)

    @property
    def potential(self) -> float:
        """Nothing is carried along: Phi(H) is worked out in each round."""
        return 0.0

    def restore(self, tape: Tape, potential: float) -> None:
        """Go on after the steps of ``tape``."""
        if any(isinstance(step, Shrink) for step in tape.steps):
            self._model.keeps_margins[0] = True
        if self._model.keeps_margins[0]:
            self._model.margins[:] = np.concatenate([tape.replay(table) for table in self._problem.tables])
            return
        for feature in range(len(self._layout.bins)):
            cells = slice(self._layout.start[feature], self._layout.start[feature + 1])
            own = [step for step in tape.steps if isinstance(step, Add) and step.hypothesis.feature == feature]  # type: ignore[attr-defined]
            self._model.table[cells] = Tape.of(tape.unit, own).replay(self._layout.examples(feature))

    def advance(self, most: int) -> Rounds:
        """The next rounds, at most ``most``."""
        problem, layout, began = self._problem, self._layout, time.perf_counter()
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
            kernels.Draws(self._cumulative, self._rng.random((count, draws)), GRID * (1.0 / self._m), self._bernoulli),
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

    def _steps(self, log: kernels.Log) -> list[Step]:
        move, shrink = self._problem.step, Shrink(self._problem.shrink)
        places = zip(log.feature.tolist(), log.position.tolist(), log.tables, log.sign.tolist(), strict=True)
        return [
            self._stumps.step(self._stumps.number(feature, position, table), sign, move) if sign else shrink
            for feature, position, table, sign in places
        ]


def batch_mass(problem: Problem) -> Floats:
    """The mass of each row in a batch, which is the same in all rounds."""
    sampler = problem.sampler
    if isinstance(sampler, WithLabels) and isinstance(sampler.unlabeled, Fresh):
        share = sampler.scale * sampler.label_bound
        labeled, unlabeled = problem.pools
        return np.concatenate([share * labeled.mass, (1.0 - share) * unlabeled.mass])
    if isinstance(sampler, Fresh):
        return problem.pools[0].mass
    raise NotCovered("rows are reused")


def _targets(problem: Problem, mass: Floats) -> kernels.Targets:
    """Mean labels by margin, by the very formulas of the samplers, for rows with label 0, +1 and -1."""
    margins = real_margins(problem.unit, problem.furthest)
    sampler, potential = problem.sampler, problem.potential
    if isinstance(sampler, WithLabels):
        unlabeled = -sampler.unlabeled.scale * potential.grad(margins, np.zeros(len(margins)))
        lines = [unlabeled, *(sampler.labeled_target(margins, np.full(len(margins), y)) for y in (1.0, -1.0))]
    else:
        lines = [-sampler.scale * potential.grad(margins, np.full(len(margins), y)) for y in (0.0, 1.0, -1.0)]
    label = problem.label()
    sign = np.sign(label).astype(np.int64)
    return kernels.Targets(
        kind=np.where(sign < 0, 2, sign),
        mean=np.array(lines),
        height=potential.psi(margins),
        weight=problem.weight(),
        label=label,
        mass=mass,
    )
