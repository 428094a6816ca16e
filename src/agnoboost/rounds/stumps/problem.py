"""A booster as arrays: what the engine covers, and how it counts.

For separable potentials the edge of a stump h is

    scale * (sum_i label_i h(x_i) - sum_i weight_i psi'(H(x_i)) h(x_i)),

with signed label masses and weights in psi that stay the same over all rounds. The engine adds whole numbers
(:mod:`.counting`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...basics.typing import Floats, Ints, Matrix
from ...core.batch import Bernoulli, Fractional
from ...core.booster import Booster
from ...core.learners.base import WeakLearner
from ...core.learners.stump import HistogramStumpLearner
from ...core.potentials import Huber, Separable
from ...core.rules import FixedStep, inverse_gamma
from ...core.samplers import LinearForm
from ...kernels.binning import Bins
from .counting import TOP_BITS, Counting, HuberPsi, TablePsi, potential_grain

_TOTAL_BITS = 61  # the largest sum fits into int64 with a bit to spare
LARGEST_TABLE = 2**22  # entries of a table of psi' by margin
_LOOKED_AT = 1 << 16  # values at a time: what is made of them on the way stays in the cache


@dataclass(frozen=True)
class Problem:
    """What the engine needs to know, apart from the bins."""

    form: LinearForm
    rule: FixedStep
    realize: Fractional | Bernoulli
    learner: HistogramStumpLearner
    rounds: int

    @property
    def tables(self) -> tuple[Matrix, ...]:
        return tuple(part.rows.X for part in self.form.parts)

    def label(self) -> Floats:
        """Mass times label of each row. (Made anew each time: nothing of this size is kept.)"""
        return np.concatenate([part.rows.mass * part.rows.y for part in self.form.parts])

    def weight(self) -> Floats:
        """The weight of each row in psi."""
        return np.concatenate([part.in_psi * part.rows.mass for part in self.form.parts])

    @property
    def bins(self) -> Bins:
        assert self.learner.bins is not None  # see describe
        return self.learner.bins

    @property
    def potential(self) -> Separable:
        return self.form.potential

    @property
    def scale(self) -> float:
        return self.form.scale

    @property
    def unit(self) -> float:
        return self.rule.unit(True)

    @property
    def step(self) -> int:
        """How many units a hypothesis moves the margins."""
        return round(self.rule.step / self.unit)

    @property
    def shrink(self) -> int:
        """How many units a case-B step moves them."""
        return self.step // inverse_gamma(self.rule.gamma)

    @property
    def furthest(self) -> int:
        """No margin can get further than this many units."""
        return self.rounds * self.step

    @cached_property
    def psi(self) -> HuberPsi | TablePsi:
        if isinstance(self.potential, Huber):
            return HuberPsi.of(self.unit)
        return TablePsi.of(self.potential, self.unit, self.furthest, sum(part.in_psi for part in self.form.parts))

    def counting(self, start: Ints, weight_unit: float, label_unit: float) -> Counting:
        """How a run counts, given where each feature's cells are and the units of weights and labels."""
        ends = np.array([-self.furthest, 0, self.furthest])
        most = float(np.abs(self.psi.heights(ends)).max()) + self.furthest * self.unit
        largest = most * sum(max(part.in_psi, 1.0) for part in self.form.parts)  # masses sum to 1, labels are up to 1
        return Counting(
            start=start,
            psi=self.psi,
            step=self.step,
            shrink=self.shrink,
            unit=self.unit,
            weight_unit=weight_unit,
            label_unit=label_unit,
            grain=potential_grain(largest),
        )

    def psi_weights(self) -> tuple[Any, float]:
        """Weights in psi, and their unit: whole numbers with the Huber potential."""
        if not self.incremental:
            return self.weight(), 1.0
        return self.whole_weights(self.weight())

    def whole_weights(self, weights: Floats) -> tuple[Ints, float]:
        """Weights of some rows as whole numbers, and their unit, which is that of all rows."""
        total = sum(part.in_psi for part in self.form.parts)  # masses sum to 1
        return _whole(weights, total, _TOTAL_BITS - self.psi.top.bit_length())

    def whole_labels(self) -> tuple[Ints, float]:
        """Signed label masses as whole numbers, and their unit."""
        labels = self.label()
        return _whole(labels, float(np.abs(labels).sum()), 50)

    @property
    def far(self) -> bool:
        """Whether its rows stay elsewhere."""
        return any(part.rows.far is not None for part in self.form.parts)

    @property
    def size(self) -> int:
        """Features times rows."""
        return sum(table.size for table in self.tables)

    @property
    def sample_size(self) -> int | None:
        """How many rows are drawn in each round; None for all."""
        return self.realize.m

    @property
    def incremental(self) -> bool:
        """Whether psi' is piecewise linear, so that sums can be carried along instead of being worked out anew."""
        return isinstance(self.potential, Huber)

    def why_no_table(self) -> str | None:
        """Why a table by margin cannot be made."""
        if 2 * self.furthest >= LARGEST_TABLE:
            return f"margins of up to {self.furthest} units are too many for a table"
        return None

    def why_no_slope(self) -> str | None:
        """Why psi' cannot be had in whole numbers."""
        if not self.incremental:
            return self.why_no_table()
        if not 2.0 ** (4 - TOP_BITS) <= self.unit <= 2.0**20:
            return f"steps of {self.unit:g} are too small or too large for it to count in"
        return None


def describe(booster: Booster, learner: WeakLearner, rounds: int) -> Problem | str:
    """The problem that a booster and a learner pose; or why the engine cannot run it."""
    rule, realize = booster.rule, booster.realize
    if type(learner) is not HistogramStumpLearner:
        return f"it grows histogram stumps, not {type(learner).__name__}"
    if type(rule) is not FixedStep:
        return f"it takes fixed steps, not {type(rule).__name__}"
    if not (type(realize) is Fractional or type(realize) is Bernoulli):
        return f"it takes whole batches or m random rows, not {type(realize).__name__}"
    if learner.bins is None:
        return "its bins are not placed yet"
    form = booster.sampler.linear()
    if isinstance(form, str):
        return form
    if rounds * rule.step / rule.unit(True) >= 2**31 - 1:
        return "margins would not fit into 32 bits"
    return Problem(form, rule, realize, learner, rounds)


def _whole(values: Floats, total: float, bits: int) -> tuple[Ints, float]:
    """Values as multiples of a unit: 0 and +-1 where all sizes are equal, else to ``bits`` bits of their ``total``."""
    largest = float(max(values.max(initial=0.0), -values.min(initial=0.0)))
    if largest == 0.0:
        return np.zeros(len(values), dtype=np.int64), 1.0
    parts = (values[start : start + _LOOKED_AT] for start in range(0, len(values), _LOOKED_AT))
    if all(((np.abs(part) == largest) | (part == 0.0)).all() for part in parts):
        signs = np.empty(len(values), dtype=np.int64)
        return np.sign(values, out=signs, casting="unsafe"), largest
    unit = 2.0 ** np.ceil(np.log2(total)) / 2.0**bits
    return np.rint(values / unit).astype(np.int64), float(unit)
