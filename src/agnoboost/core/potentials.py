"""Potentials: the convex losses that a booster descends.

Conventions
-----------
``z`` is a margin H(x) and ``y`` a label in {-1, 0, +1}, where 0 means unlabeled; arrays broadcast.
``value``, ``grad`` and ``curvature`` are phi, its first and its second derivative in z.

A *separable* potential is phi(z, y) = psi(z) - y*z, so that phi'(z, y) = psi'(z) - y: the part in psi needs no
label. The others depend on y*z alone and refuse unlabeled rows.

Each potential states the bounds that the theorems need: ``smoothness`` (largest curvature), ``gap`` (how far
phi(0, y) lies above the infimum) and ``bound(labeled)`` (largest absolute gradient).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..basics.checks import check_positive
from ..basics.typing import Floats


class Potential(ABC):
    """What samplers ask of a potential."""

    separable: ClassVar[bool]
    smoothness: float
    gap: float

    @abstractmethod
    def value(self, z: Floats, y: Floats) -> Floats:
        """phi(z, y)."""

    @abstractmethod
    def grad(self, z: Floats, y: Floats) -> Floats:
        """The derivative of phi in z."""

    @abstractmethod
    def curvature(self, z: Floats, y: Floats) -> Floats:
        """The second derivative of phi in z (any value of the subdifferential where it jumps)."""

    @abstractmethod
    def bound(self, labeled: bool) -> float:
        """The largest absolute gradient over labeled, or over unlabeled, rows."""


class Separable(Potential):
    """phi(z, y) = psi(z) - y*z, with abs(psi') <= 1 and z*psi'(z) >= 0 (Proposition ``phimain``)."""

    separable = True

    @abstractmethod
    def psi(self, z: Floats) -> Floats:
        """The part that needs no label."""

    @abstractmethod
    def psi_grad(self, z: Floats) -> Floats:
        """psi'."""

    @abstractmethod
    def psi_curvature(self, z: Floats) -> Floats:
        """psi''."""

    def value(self, z: Floats, y: Floats) -> Floats:
        return self.psi(z) - y * z

    def grad(self, z: Floats, y: Floats) -> Floats:
        return self.psi_grad(z) - y

    def curvature(self, z: Floats, y: Floats) -> Floats:
        return self.psi_curvature(z)

    def bound(self, labeled: bool) -> float:
        return 2.0 if labeled else 1.0


@dataclass(frozen=True)
class Huber(Separable):
    """psi(z) = z^2/2 for abs(z) <= 1 and abs(z) - 1/2 beyond: the potential of Algorithms 1 and 3.

    Its minimiser H over all functions satisfies clip(H, -1, 1) = E[y|x].

    Examples
    --------
    >>> Huber().grad(np.array([-3.0, 0.5]), np.array([0.0, 1.0]))
    array([-1. , -0.5])
    """

    smoothness = 1.0
    gap = 0.5

    def psi(self, z: Floats) -> Floats:
        size = np.abs(z)
        return np.where(size <= 1.0, 0.5 * np.square(np.minimum(size, 1.0)), size - 0.5)

    def psi_grad(self, z: Floats) -> Floats:
        return np.clip(z, -1.0, 1.0)

    def psi_curvature(self, z: Floats) -> Floats:
        return np.where(np.abs(z) <= 1.0, 1.0, 0.0)


@dataclass(frozen=True)
class PseudoHuber(Separable):
    """psi(z) = sqrt(1 + z^2) - 1: twice differentiable, as the reuse of Algorithm 2 needs."""

    smoothness = 1.0
    gap = 1.0

    def psi(self, z: Floats) -> Floats:
        return z * (z / (np.hypot(1.0, z) + 1.0))  # the same number, without cancellation near 0

    def psi_grad(self, z: Floats) -> Floats:
        return z / np.hypot(1.0, z)

    def psi_curvature(self, z: Floats) -> Floats:
        return np.hypot(1.0, z) ** -3.0


class MarginLoss(Potential):
    """phi(z, y) = f(y*z) for labeled rows only, with abs(f') <= 1."""

    separable = False

    @abstractmethod
    def loss(self, margin: Floats) -> Floats:
        """f."""

    @abstractmethod
    def slope(self, margin: Floats) -> Floats:
        """f'."""

    @abstractmethod
    def slope_change(self, margin: Floats) -> Floats:
        """f''."""

    def value(self, z: Floats, y: Floats) -> Floats:
        return self.loss(z * self._labels(y))

    def grad(self, z: Floats, y: Floats) -> Floats:
        return y * self.slope(z * self._labels(y))

    def curvature(self, z: Floats, y: Floats) -> Floats:
        return self.slope_change(z * self._labels(y))

    def bound(self, labeled: bool) -> float:
        if not labeled:
            raise ValueError(self._refusal())
        return 1.0

    def _labels(self, y: Floats) -> Floats:
        if np.any(y == 0):
            raise ValueError(self._refusal())
        return y

    def _refusal(self) -> str:
        return (
            f"{type(self).__name__} needs a label for every row. Got unlabeled rows. Use a separable potential "
            "(Huber or PseudoHuber) for unlabeled data, or pass labeled rows only."
        )


@dataclass(frozen=True)
class Madaboost(MarginLoss):
    """f(m) = exp(-m) for m >= 0 and 1 - m below: the potential of PAB (Kanade and Kalai, 2009).

    Parameters
    ----------
    pace : float, default=1.0
        With another pace k weights fall as exp(-k m), as SmoothBoost's do: f(m) = exp(-k m)/k and 1/k - m.
    """

    pace: float = 1.0

    def __post_init__(self) -> None:
        check_positive(self.pace, "pace")

    @property
    def smoothness(self) -> float:  # type: ignore[override]
        return self.pace

    @property
    def gap(self) -> float:  # type: ignore[override]
        return 1.0 / self.pace

    def loss(self, margin: Floats) -> Floats:
        return np.where(margin >= 0, self._weight(margin) / self.pace, 1.0 / self.pace - margin)

    def slope(self, margin: Floats) -> Floats:
        return -self._weight(margin)

    def slope_change(self, margin: Floats) -> Floats:
        return np.where(margin >= 0, self.pace * self._weight(margin), 0.0)

    def _weight(self, margin: Floats) -> Floats:
        return np.exp(-self.pace * np.maximum(margin, 0.0))


@dataclass(frozen=True)
class GhaiSingh(MarginLoss):
    """f(m) = 2 - m for m <= 0 and (m + 2)*exp(-m) above: GS24's twice differentiable relative of Madaboost."""

    smoothness = float(np.exp(-1.0))
    gap = 2.0

    def loss(self, margin: Floats) -> Floats:
        positive = np.maximum(margin, 0.0)
        return np.where(margin > 0, (positive + 2.0) * np.exp(-positive), 2.0 - margin)

    def slope(self, margin: Floats) -> Floats:
        positive = np.maximum(margin, 0.0)
        return -(positive + 1.0) * np.exp(-positive)

    def slope_change(self, margin: Floats) -> Floats:
        positive = np.maximum(margin, 0.0)
        return positive * np.exp(-positive)


@dataclass(frozen=True)
class SmoothHinge(MarginLoss):
    """f(m) = 1/2 - m below 0, (1 - m)^2/2 on [0, 1] and 0 above: weights fall in a straight line from 1 to 0.

    They are the weights in [0, 1] that lazy gradient descent keeps for a row: the booster of Brukhim and others (2020).
    """

    smoothness = 1.0
    gap = 0.5

    def loss(self, margin: Floats) -> Floats:
        weight = self._weight(margin)
        return 0.5 * weight**2 - np.minimum(margin, 0.0)

    def slope(self, margin: Floats) -> Floats:
        return -self._weight(margin)

    def slope_change(self, margin: Floats) -> Floats:
        return np.where((margin >= 0.0) & (margin <= 1.0), 1.0, 0.0)

    def _weight(self, margin: Floats) -> Floats:
        return np.clip(1.0 - margin, 0.0, 1.0)


POTENTIALS: dict[str, Potential] = {
    "huber": Huber(),
    "pseudo_huber": PseudoHuber(),
    "madaboost": Madaboost(),
    "gs24": GhaiSingh(),
    "smooth_hinge": SmoothHinge(),
}
