"""The loop over rounds, for all repetitions at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agnoboost.basics.conventions import level
from agnoboost.basics.typing import Floats, Ints, Rng
from agnoboost.core.rules import inverse_gamma

from .samplers import TableSampler
from .samples import CubeProblem


@dataclass(frozen=True)
class Schedule:
    """Fixed steps, as in :class:`agnoboost.FixedStep`."""

    step: float
    rounds: int
    gamma: float = 1.0
    threshold: float = 0.0


@dataclass(frozen=True)
class Trace:
    """Correlations of the iterates H_1 = 0, H_2, ... with D, exactly, and with held-out labels.

    Both have the shape (rounds + 1, repetitions).

    ``chosen`` has the parity (and its sign) of each round, or 0 for a case-B step, as (number + 1) * sign.
    """

    correlation: Floats
    held_out: Floats
    chosen: Ints

    def prefix(self, rounds: int) -> Trace:
        """What there would be had the run ended after so many rounds."""
        return Trace(self.correlation[: rounds + 1], self.held_out[: rounds + 1], self.chosen[:rounds])

    def selected(self) -> Floats:
        """The correlation of the iterate of largest held-out correlation, the first among equals."""
        best = np.argmax(level(self.held_out), axis=0)
        return np.asarray(np.take_along_axis(self.correlation, best[None], axis=0)[0])


def boost_tables(
    problem: CubeProblem, sampler: TableSampler, schedule: Schedule, degree: int, rng: Rng, held_out_rows: int = 0
) -> Trace:
    """Boost the parities of at most ``degree`` coordinates."""
    cube, count = problem.cube, problem.repetitions
    allowed = cube.degrees <= degree
    everyone = np.arange(count)
    step = inverse_gamma(schedule.gamma)  # a case-A step, in units of a case-B step
    unit = schedule.step / step
    net = _held_out(problem, held_out_rows, rng)
    state = sampler.init(problem, rng)
    margin = np.zeros((count, cube.size), dtype=np.int64)
    shape = (schedule.rounds + 1, count)
    correlation, held_out = np.zeros(shape), np.zeros(shape)
    chosen = np.zeros((schedule.rounds, count), dtype=np.int64)
    for number in range(schedule.rounds + 1):
        signs = np.where(margin >= 0, 1, -1)
        correlation[number] = problem.correlation(signs)
        held_out[number] = (net * signs).sum(axis=1)
        if number == schedule.rounds:
            break
        signed, state = sampler.draw(problem, state, np.asarray(unit * margin), rng)
        edges = cube.correlations(signed)
        best = np.argmax(np.where(allowed, level(np.abs(edges)), -1.0), axis=1)
        edge = edges[everyone, best]
        sign = np.where(level(edge) >= 0, 1, -1)
        adds = level(np.abs(edge)) > level(schedule.threshold)
        direction = sign[:, None] * cube.parities[best]
        margin += np.where(adds[:, None], step * direction, -signs)
        chosen[number] = np.where(adds, sign * (best + 1), 0)
    return Trace(correlation, held_out, chosen)


def _held_out(problem: CubeProblem, rows: int, rng: Rng) -> Floats:
    """Labels that choose the iterate: the difference of counts at every point."""
    if rows == 0:
        return np.zeros((problem.repetitions, problem.cube.size))
    plus, minus = problem.labeled(rows, rng)
    return (plus - minus) / rows
