"""What a method does with a budget of labels: the excess that it reaches, in every repetition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, product
from math import ceil
from typing import Any

import numpy as np

from agnoboost.basics.typing import Floats, Rng
from agnoboost.core.potentials import GhaiSingh, Huber, Madaboost, PseudoHuber

from ..cube import (
    Cube,
    CubeProblem,
    FixedTables,
    FreshTables,
    MixedTables,
    ReuseTables,
    Schedule,
    TableSampler,
    UnlabeledTables,
    boost_tables,
)

N = 10  # coordinates
GAMMA = {3: 1 / 2, 5: 2 / 7}  # one over the sum of absolute Fourier coefficients of the majority


@dataclass(frozen=True)
class Setting:
    """Steps of size ``step`` (eta/gamma in the paper's symbols) for so many rounds."""

    step: float
    rounds: int


@dataclass(frozen=True)
class Family:
    """The hard family: E[y|x] = 2 epsilon h*(x), h* the majority of ``votes`` coordinates that are drawn at random.

    So the best correlation is 2 epsilon, which is also the excess of a constant.
    """

    votes: int
    epsilon: float

    @property
    def gamma(self) -> float:
        """The edge that parities have for every such majority, exactly."""
        return GAMMA[self.votes]

    def schedule(self) -> Setting:
        """Theorem 1's settings, with the proof's epsilon: eta = gamma^2 eps, T = 2/(gamma eps)^2."""
        return Setting(self.gamma * self.epsilon, ceil(2.0 / (self.gamma * self.epsilon) ** 2))

    def problem(self, repetitions: int, rng: Rng) -> CubeProblem:
        """Every repetition has its own coordinates: ties among parities must not favour the relevant ones."""
        cube = Cube(N)
        targets = [cube.majority(rng.permutation(N)[: self.votes]) for _ in range(repetitions)]
        return CubeProblem(cube, 2.0 * self.epsilon * np.array(targets, dtype=np.float64))

    def excess(self, correlation: Floats) -> Floats:
        return 2.0 * self.epsilon - correlation


# labels, setting -> (sampler, rounds)
MakeSampler = Callable[[int, Setting], tuple[TableSampler, int]]


def _per_round(labels: int, rounds: int) -> tuple[int, int, int]:
    """Fresh labels in each round: how many, how many rounds get one more, and for how many rounds they last."""
    rounds = min(rounds, labels)
    return labels // rounds, labels % rounds, rounds


def pab(labels: int, setting: Setting) -> tuple[TableSampler, int]:
    rows, extra, rounds = _per_round(labels, setting.rounds)
    return FreshTables(Madaboost(), rows, extra), rounds


def gs24(labels: int, setting: Setting) -> tuple[TableSampler, int]:
    rows, extra, rounds = _per_round(labels, setting.rounds)
    return ReuseTables(GhaiSingh(), rows, setting.step, min(setting.step, 1.0), labeled=True, extra=extra), rounds


def algorithm1(labels: int, setting: Setting) -> tuple[TableSampler, int]:
    """As many new unlabeled rows in each round as there are labels."""
    return MixedTables(labels, UnlabeledTables(labels)), setting.rounds


def algorithm2(labels: int, setting: Setting) -> tuple[TableSampler, int]:
    """So many new unlabeled rows in each round that the pool of old ones has the size of the labeled sample."""
    decay = min(setting.step, 1.0)
    rows = max(1, ceil(decay * labels))
    return MixedTables(labels, ReuseTables(PseudoHuber(), rows, setting.step, decay, labeled=False)), setting.rounds


def labeled_only(labels: int, setting: Setting) -> tuple[TableSampler, int]:
    return FixedTables(Huber(), labels), setting.rounds


BOOSTERS: dict[str, MakeSampler] = {
    "PAB": pab,
    "GS24": gs24,
    "Algorithm 1": algorithm1,
    "Algorithm 2": algorithm2,
    "labeled-only": labeled_only,
}
FRESH_LABELS = ("PAB", "GS24")  # how many rounds they run changes what a round sees
HELD_OUT = 4  # one label in so many chooses the iterate; it counts as a label needed


def excess(family: Family, method: str, labels: int, setting: Setting, repetitions: int, rng: Rng) -> Floats:
    """The excess of the chosen iterate, in every repetition."""
    return excess_by_length(family, method, labels, setting, (setting.rounds,), repetitions, rng)[0]


def excess_by_length(
    family: Family,
    method: str,
    labels: int,
    setting: Setting,
    lengths: tuple[int, ...],
    repetitions: int,
    rng: Rng,
) -> list[Floats]:
    """The excess if the run had ended after each of these numbers of rounds, from one run of the longest."""
    problem = family.problem(repetitions, rng)
    held_out = labels // HELD_OUT
    sampler, rounds = BOOSTERS[method](labels - held_out, setting)
    schedule = Schedule(setting.step, rounds, family.gamma)
    trace = boost_tables(problem, sampler, schedule, family.votes, rng, held_out)
    return [family.excess(trace.prefix(length).selected()) for length in lengths]


def erm_excess(family: Family, labels: int, repetitions: int, rng: Rng) -> Floats:
    """The best majority on the labels, of any ``votes`` coordinates with any signs, found by trying all of them."""
    problem = family.problem(repetitions, rng)
    plus, minus = problem.labeled(labels, rng)
    rivals = signed_majorities(problem.cube, family.votes)
    best = np.argmax((plus - minus) @ rivals.T.astype(np.float64), axis=1)
    return family.excess(problem.correlation(rivals[best]))


def signed_majorities(cube: Cube, votes: int) -> Any:
    """All majorities of ``votes`` coordinates, each with any sign: (functions, points)."""
    functions = [
        np.sign(cube.points[:, chosen] @ np.array(signs))
        for chosen in combinations(range(cube.n), votes)
        for signs in product((1, -1), repeat=votes)
    ]
    return np.array(functions, dtype=np.int8)
