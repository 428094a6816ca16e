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
from ...core.batch import Bernoulli, Fractional, Realize
from ...core.learners.base import WeakLearner
from ...core.learners.stump import HistogramStumpLearner
from ...core.potentials import Huber, Separable
from ...core.rules import FixedStep, Rule, inverse_gamma
from ...core.samplers import Fresh, Reuse, Sampler, WithLabels
from ...core.sources import Pool, Source

_TOTAL_BITS = 61  # the largest sum fits into int64 with a bit to spare
_TOP_BITS = 30
LARGEST_TABLE = 2**22  # entries of a table of psi' by margin


class NotCovered(ValueError):
    """Why the engine cannot run a booster."""


@dataclass(frozen=True)
class HuberSlope:
    """psi'(H) = clip(H) in whole numbers: ``slope * H`` for abs(H) up to ``reach``, else ``+-top``."""

    slope: int
    top: int
    reach: int

    @classmethod
    def of(cls, unit: float) -> HuberSlope:
        """For margins in whole ``unit``s."""
        if not 2.0 ** (4 - _TOP_BITS) <= unit <= 2.0**20:
            raise NotCovered(f"steps of {unit:g} are too small or too large for it to count in")
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
        check_table(furthest)
        top = 2 ** (50 - max(0, ceil(log2(total))))
        return cls(top, top * potential.psi_grad(real_margins(unit, furthest)))

    def weighted(self, weights: Floats, margins: Ints) -> Ints:
        """weight * psi'(H) of each row, rounded to a whole number."""
        return np.rint(weights * self.table[margins + len(self.table) // 2]).astype(np.int64)


def check_table(furthest: int) -> None:
    """Refuse tables by margin that would be too large."""
    if 2 * furthest >= LARGEST_TABLE:
        raise NotCovered(f"margins of up to {furthest} units are too many for a table")


def real_margins(unit: float, furthest: int) -> Floats:
    """All margins from -furthest to furthest units."""
    return np.multiply(unit, np.arange(-furthest, furthest + 1), dtype=np.float64)


@dataclass(frozen=True)
class Problem:
    """What the engine needs to know, apart from the bins.

    Attributes
    ----------
    pools : where the rows are, labeled ones first
    shares : how much the rows of each pool count in psi, together
    """

    sampler: Sampler
    pools: tuple[Pool, ...]
    shares: tuple[float, ...]
    potential: Separable
    rule: FixedStep
    realize: Realize
    learner: HistogramStumpLearner
    rounds: int

    @property
    def tables(self) -> tuple[Matrix, ...]:
        return tuple(pool.X for pool in self.pools)

    def label(self) -> Floats:
        """Mass times label of each row. (Made anew each time: nothing of this size is kept.)"""
        return np.concatenate([pool.mass * pool.y for pool in self.pools])

    def weight(self) -> Floats:
        """The weight of each row in psi."""
        return np.concatenate([share * pool.mass for share, pool in zip(self.shares, self.pools, strict=True)])

    @property
    def scale(self) -> float:
        return self.sampler.scale

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
        return SmoothSlope.of(self.potential, self.unit, self.furthest, sum(self.shares))

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
        assert isinstance(self.realize, (Fractional, Bernoulli))
        return self.realize.m

    @property
    def incremental(self) -> bool:
        """Whether psi' is piecewise linear, so that sums can be carried along instead of being worked out anew."""
        return isinstance(self.slope, HuberSlope)


def describe(sampler: Sampler, rule: Rule, realize: Realize, learner: WeakLearner, rounds: int) -> Problem:
    """The problem that a booster and a learner pose, or :class:`NotCovered`."""
    if type(learner) is not HistogramStumpLearner:
        raise NotCovered(f"it grows histogram stumps, not {type(learner).__name__}")
    if type(rule) is not FixedStep:
        raise NotCovered(f"it takes fixed steps, not {type(rule).__name__}")
    if type(realize) not in (Fractional, Bernoulli):
        raise NotCovered(f"it takes whole batches or m random rows, not {type(realize).__name__}")
    if isinstance(sampler, WithLabels):
        inner = sampler.unlabeled
        pools = [_whole_pool(sampler.labeled, sampler.rows), _whole_pool(inner.source, inner.rows)]
        shares = [1.0 - sampler.unlabeled_weight, sampler.unlabeled_weight * sampler.shift]
    elif isinstance(sampler, (Fresh, Reuse)) and sampler.source.labeled:
        inner = sampler
        pools, shares = [_whole_pool(inner.source, inner.rows)], [1.0]
    else:
        raise NotCovered("there are no labels")
    if not isinstance(inner.potential, Separable):
        raise NotCovered(f"{type(inner.potential).__name__} is not separable")
    if isinstance(inner, Reuse) and (0.0 < 1.0 - inner.decay <= inner.tolerance or inner.source.labeled):
        # Else the pool's copies of a row add up to -scale * psi'(H) again, as if the row had been drawn but now.
        raise NotCovered("rows are forgotten")
    if rounds * rule.step / rule.unit(True) >= 2**31 - 1:
        raise NotCovered("margins would not fit into 32 bits")
    return Problem(sampler, tuple(pools), tuple(shares), inner.potential, rule, realize, learner, rounds)


def _whole_pool(source: Source, rows: int | None) -> Pool:
    if type(source) is not Pool or rows is not None:
        raise NotCovered("new rows are drawn in each round")
    return source


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
