"""A booster as arrays: what the engine covers, and how it counts.

For separable potentials the edge of a stump h is

    scale * (sum_i label_i h(x_i) - sum_i weight_i psi'(H(x_i)) h(x_i)),

with signed label masses and weights in psi that stay the same over all rounds. The engine adds whole numbers, so that
sums are exact in any order. With the Huber potential weights and psi' are whole numbers themselves: weights are 0 or 1
where all rows weigh the same, and psi' is a multiple of the step as a fraction, which is exact for steps such as .1 or
.007, and right to 9 digits for any other. With other potentials each weight * psi' is rounded to 50 bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, log2
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

_TOTAL_BITS = 61  # the largest sum fits into int64 with a bit to spare
_TOP_BITS = 30
LARGEST_TABLE = 2**22  # entries of a table of psi' by margin


@dataclass(frozen=True)
class HuberSlope:
    """psi'(H) = clip(H) in whole numbers: ``slope * H`` for abs(H) up to ``reach``, else ``+-top``."""

    slope: int
    top: int
    reach: int

    @classmethod
    def of(cls, unit: float) -> HuberSlope:
        """For margins in whole ``unit``s."""
        fraction = Fraction(unit).limit_denominator(2**_TOP_BITS)
        return cls(fraction.numerator, fraction.denominator, fraction.denominator // fraction.numerator)

    def at(self, margins: Ints) -> Ints:
        """psi' of each margin, in units of 1/top."""
        return np.where(np.abs(margins) <= self.reach, self.slope * margins, self.top * np.sign(margins))

    def weighted(self, weights: Ints, margins: Ints) -> Ints:
        """weight * psi'(H) of each row."""
        return weights * self.at(margins)


@dataclass(frozen=True)
class SmoothSlope:
    """psi' of any other potential: a ``table`` of top * psi' by margin, from ``-len(table)//2`` on."""

    top: int
    table: Floats

    @classmethod
    def of(cls, potential: Separable, unit: float, furthest: int, total: float) -> SmoothSlope:
        """For margins up to ``furthest`` units and weights that sum to ``total``."""
        top = 2 ** (50 - max(0, ceil(log2(total))))
        return cls(top, top * potential.psi_grad(real_margins(unit, furthest)))

    def weighted(self, weights: Floats, margins: Ints) -> Ints:
        """weight * psi'(H) of each row, rounded to a whole number."""
        return np.rint(weights * self.table[margins + len(self.table) // 2]).astype(np.int64)


def real_margins(unit: float, furthest: int) -> Floats:
    """All margins from -furthest to furthest units."""
    return np.multiply(unit, np.arange(-furthest, furthest + 1), dtype=np.float64)


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
    def slope(self) -> HuberSlope | SmoothSlope:
        if isinstance(self.potential, Huber):
            return HuberSlope.of(self.unit)
        return SmoothSlope.of(self.potential, self.unit, self.furthest, sum(part.in_psi for part in self.form.parts))

    def psi_weights(self) -> tuple[Any, float]:
        """Weights in psi, and their unit: whole numbers with the Huber potential."""
        if not self.incremental:
            return self.weight(), 1.0
        return _whole(self.weight(), _TOTAL_BITS - self.slope.top.bit_length())

    def whole_labels(self) -> tuple[Ints, float]:
        """Signed label masses as whole numbers, and their unit."""
        return _whole(self.label(), 50)

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
        if not 2.0 ** (4 - _TOP_BITS) <= self.unit <= 2.0**20:
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


def _whole(values: Floats, bits: int) -> tuple[Ints, float]:
    """Values as multiples of a unit: 0 and +-1 where all sizes are equal, else to ``bits`` bits of their sum."""
    sizes = np.abs(values)
    largest = float(sizes.max(initial=0.0))
    if largest == 0.0:
        return np.zeros(len(values), dtype=np.int64), 1.0
    if ((sizes == largest) | (sizes == 0.0)).all():
        return np.sign(values).astype(np.int64), largest
    unit = 2.0 ** np.ceil(np.log2(sizes.sum())) / 2.0**bits
    return np.rint(values / unit).astype(np.int64), float(unit)
