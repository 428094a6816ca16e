"""How rounds count: margins, psi' and the potential as whole numbers, so that sums are exact in any order.

With the Huber potential weights and psi' are whole numbers themselves: weights are 0 or 1 where all rows weigh the
same, and psi' is a multiple of the step as a fraction, which is exact for steps such as .1 or .007, and right to 9
digits for any other. With other potentials each weight * psi' is rounded to 50 bits. The potential of a row is rounded
to a grain: one of which 2**60 hold the potential of all rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, log2
from typing import Any

import numpy as np
import numpy.typing as npt

from ...basics.typing import Bools, Floats, Ints
from ...core.potentials import Separable

TOP_BITS = 30
_POTENTIAL_BITS = 60
_DISTANCES = 4096  # distances that are told apart: a short table, which stays in the cache


@dataclass(frozen=True)
class HuberPsi:
    """psi'(H) = clip(H) in whole numbers: ``slope * H`` for abs(H) up to ``reach``, else ``+-top``."""

    unit: float
    slope: int
    top: int
    reach: int

    @classmethod
    def of(cls, unit: float) -> HuberPsi:
        """For margins in whole ``unit``s."""
        fraction = Fraction(unit).limit_denominator(2**TOP_BITS)
        return cls(unit, fraction.numerator, fraction.denominator, fraction.denominator // fraction.numerator)

    def at(self, margins: Ints) -> Ints:
        """psi' of each margin, in units of 1/top."""
        return np.where(np.abs(margins) <= self.reach, self.slope * margins, self.top * np.sign(margins))

    def weighted(self, weights: Ints, margins: Ints) -> Ints:
        """weight * psi'(H) of each row."""
        return weights * self.at(margins)

    def heights(self, margins: Ints) -> Floats:
        """psi(H) of each row."""
        sizes = np.abs(margins) * self.unit
        return np.where(np.abs(margins) <= self.reach, 0.5 * sizes * sizes, sizes - 0.5)

    def active(self, margins: Ints) -> Bools:
        """Whether psi' of each row moves with its margin."""
        return np.asarray(np.abs(margins) <= self.reach)

    def distances(self, margins: Ints) -> Ints:
        """How far each margin must move for its row to become active or inactive."""
        sizes = np.abs(margins)
        return np.where(sizes <= self.reach, self.reach + 1 - sizes, sizes - self.reach)


@dataclass(frozen=True)
class TablePsi:
    """psi of any other potential: tables of top * psi' and of psi by margin, from ``-len(slope)//2`` on."""

    top: int
    slope: Floats
    height: Floats

    @classmethod
    def of(cls, potential: Separable, unit: float, furthest: int, total: float) -> TablePsi:
        """For margins up to ``furthest`` units and weights that sum to ``total``."""
        top = 2 ** (50 - max(0, ceil(log2(total))))
        margins = real_margins(unit, furthest)
        return cls(top, top * potential.psi_grad(margins), potential.psi(margins))

    def weighted(self, weights: Floats, margins: Ints) -> Ints:
        """weight * psi'(H) of each row, rounded to a whole number."""
        return np.rint(weights * self.slope[margins + len(self.slope) // 2]).astype(np.int64)

    def heights(self, margins: Ints) -> Floats:
        """psi(H) of each row."""
        return self.height[margins + len(self.height) // 2]


def real_margins(unit: float, furthest: int) -> Floats:
    """All margins from -furthest to furthest units."""
    return np.multiply(unit, np.arange(-furthest, furthest + 1), dtype=np.float64)


@dataclass(frozen=True)
class Counting:
    """What a keeper must know beside its rows; small, and the same for all parts of the rows.

    Margins, steps and distances are whole numbers of ``unit``; weights are multiples of ``weight_unit`` (whole ones
    with :class:`HuberPsi`), labels whole multiples of ``label_unit``; ``grain`` is the unit of potentials. ``start``
    says where each feature's cells are: see :mod:`agnoboost.kernels.cells`.
    """

    start: Ints
    psi: HuberPsi | TablePsi
    step: int
    shrink: int
    unit: float
    weight_unit: float
    label_unit: float
    grain: float

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return int(self.start[-1])

    @property
    def huber(self) -> HuberPsi:
        """psi where rounds are incremental."""
        assert isinstance(self.psi, HuberPsi)
        return self.psi

    @cached_property
    def furthest_distance(self) -> int:
        """Distances beyond this one are of no interest: no zone is that wide."""
        return max(self.huber.reach // 2, self.step, self.shrink)

    @property
    def distance_grain(self) -> int:
        """Distances are counted in whole numbers of this, a power of 2."""
        return 1 << (self.furthest_distance // _DISTANCES).bit_length()

    @property
    def distances(self) -> int:
        """How many distances are told apart: 0, 1, 2, ... grains."""
        return self.furthest_distance // self.distance_grain + 2

    def potentials(self, weights: Any, labels: Ints, margins: Ints) -> Ints:
        """weight * psi(H) - label * H of each row, in grains.

        Each product and difference is rounded to a float64 as written here (nowhere fused), so that everybody gets the
        same whole numbers.
        """
        real: Floats = self.weight_unit * weights * self.psi.heights(margins)
        real = real - self.label_unit * labels * (margins * self.unit)
        return np.rint(real * (1.0 / self.grain)).astype(np.int64)


def compact(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Weights or labels, in one byte each where that is enough."""
    small = values.dtype.kind == "i" and max(values.max(initial=0), -values.min(initial=0)) <= 1
    return values.astype(np.int8) if small else values


def potential_grain(largest: float) -> float:
    """The grain in which potentials up to ``largest``, of all rows together, can be counted."""
    return float(2.0 ** (ceil(log2(max(largest, 2.0**-900))) - _POTENTIAL_BITS))
