"""What a model was asked to be good at: accuracy, or what its threshold or its class weights were chosen for.

A model that was tuned for a rare class gives right answers on the frequent one away. Whoever judges it by accuracy all
the same advises against the very thing that was asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ..basics.intervals import NORMAL_95, paired_difference, wilson
from ..basics.typing import Bools, Floats, Ints

ACCURACY, BALANCED, COST = "accuracy", "balanced accuracy", "mean cost"
LESS_IS_BETTER = ("Brier score", COST)


@dataclass(frozen=True)
class Goal:
    """A figure of right and wrong answers: a sum over classes of a weight times how many of its rows are right (wrong).

    Weights are n_k/n for accuracy, 1/K for balanced accuracy, and n_k/n times the cost of a miss for the mean cost of a
    row. Intervals put those of the classes together: Wilson's, by the method of variance estimates recovery.

    >>> truth, right = np.array(["a", "a", "a", "b"]), np.array([True, True, True, False])
    >>> [one.figure(truth, right)[0] for one in (Goal(), Goal(BALANCED), Goal(COST, {"a": 1.0, "b": 20.0}))]
    [0.75, 0.5, 5.0]
    """

    name: str = ACCURACY
    costs: Mapping[Any, float] = field(default_factory=dict)

    @classmethod
    def of(cls, model: Any) -> Self:
        """That of a classifier, by its parameters."""
        tuned = getattr(model, "tune_threshold", False)
        if isinstance(tuned, Mapping):
            return cls(COST, tuned)
        weighs = getattr(model, "class_weight", None)
        return cls(BALANCED) if tuned or (isinstance(weighs, str) and weighs == "balanced") else cls()

    def by_number(self, classes: list[Any]) -> Self:
        """The same for truths that are the numbers of classes in this order."""
        return replace(self, costs={classes.index(name): cost for name, cost in self.costs.items()})

    @property
    def is_cost(self) -> bool:
        """Whether less is better."""
        return self.name == COST

    def figure(self, truth: npt.NDArray[Any], right: Bools) -> tuple[float, float, float]:
        """The figure with its 95% interval."""
        if self.name == ACCURACY:
            return wilson(right)
        found = _classes(truth)
        return self.of_counts(found, [int(right[truth == name].sum()) for name in found], _sizes(truth, found))

    def of_counts(self, classes: list[Any], right: list[int], rows: list[int]) -> tuple[float, float, float]:
        """The same by counts of every class; classes without rows say nothing."""
        some = [place for place, count in enumerate(rows) if count]
        weights = self.weights([classes[place] for place in some], np.array([rows[place] for place in some]))
        shares = np.array([wilson(np.arange(rows[place]) < right[place]) for place in some])
        if self.is_cost:
            shares = 1.0 - shares[:, [0, 2, 1]]
        value, below, above = (weights @ shares[:, 0], shares[:, 0] - shares[:, 1], shares[:, 2] - shares[:, 0])
        return (
            float(value),
            float(value - np.sqrt(np.sum((weights * below) ** 2))),
            float(value + np.sqrt(np.sum((weights * above) ** 2))),
        )

    def gain(self, truth: npt.NDArray[Any], right: Bools, other: Bools) -> tuple[float, float]:
        """The figure of one set of answers less that of another, on the same rows, and half of its 95% interval.

        Each class counts one more row that only one of them got right, so that a class of few rows, on which both agree
        by chance, does not look certain.
        """
        if self.name == ACCURACY:
            return paired_difference(right, other)
        found = _classes(truth)
        rows = np.array(_sizes(truth, found))
        only = np.array([[np.sum((a & ~b)[truth == k]) for a, b in ((right, other), (other, right))] for k in found])
        ahead, apart, weights = only[:, 0] - only[:, 1], only.sum(axis=1), self.weights(found, rows)
        variance = ((apart + 1.0) - ahead**2 / rows) / rows**2
        sign = -1.0 if self.is_cost else 1.0
        return float(sign * weights @ (ahead / rows)), float(NORMAL_95 * np.sqrt(weights**2 @ variance))

    def weights(self, classes: list[Any], rows: Ints) -> Floats:
        """How much each class counts, by its rows."""
        if self.name == BALANCED:
            return np.full(len(rows), 1.0 / len(rows))
        costs = np.array([self.costs.get(name, 1.0) for name in classes], dtype=np.float64)
        return np.asarray(costs * rows / rows.sum())

    def is_better(self, gain: float) -> bool:
        """Whether a difference is one for the better."""
        return gain < 0 if self.is_cost else gain > 0

    def said(self, value: float) -> str:
        """
        >>> Goal().said(0.7466), Goal(COST).said(0.4567)
        ('74.7%', '0.457')
        """
        return f"{value:.3g}" if self.is_cost else f"{value:.1%}"

    def said_difference(self, gain: float, half: float) -> str:
        """
        >>> Goal().said_difference(0.031, 0.02), Goal(COST).said_difference(-0.5, 0.123)
        ('+3.1 ± 2.0 points', '-0.5 ± 0.12 a row')
        """
        return f"{gain:+.2g} ± {half:.2g} a row" if self.is_cost else f"{100 * gain:+.1f} ± {100 * half:.1f} points"


def _classes(truth: npt.NDArray[Any]) -> list[Any]:
    return sorted(set(truth.tolist()))


def _sizes(truth: npt.NDArray[Any], classes: list[Any]) -> list[int]:
    return [int(np.sum(truth == name)) for name in classes]
