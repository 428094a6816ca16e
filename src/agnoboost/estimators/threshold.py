"""The decision threshold for two classes: 0, or where mistakes on held-out rows cost the least."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ..basics.array_schema import Array, ArrayGroup
from ..basics.typing import Floats, Ints
from ..labels.reading import shown

DIGITS, SMALL = 3, 0.1  # of a threshold as people read it


def written(threshold: float) -> str:
    """Three decimals; of a small one, as rare classes have it, as many as say something.

    >>> written(0.5), written(0.1623), written(0.000123456)
    ('0.500', '0.162', '0.000123')
    """
    small = 0.0 < threshold < SMALL
    return np.format_float_positional(threshold, DIGITS, fractional=not small, unique=False, trim="-" if small else "k")


@dataclass(frozen=True)
class HeldOut:
    """Labeled rows with margins from runs that have not seen them (margins and targets: rows, problems).

    ``psi`` are the weights of rows in the psi part of the potential, where these are not ``weight``.
    """

    margins: Floats
    codes: Ints
    targets: Floats
    weight: Floats
    psi: Floats | None = None

    schema: ClassVar[ArrayGroup] = ArrayGroup(  # of files
        {
            "margins": Array("number", ("rows", "problems"), "of labeled rows, by runs that have not seen them"),
            "codes": Array("whole", ("rows",), "the numbers of their classes", 0, "classes"),
            "targets": Array("number", ("rows", "problems"), "what stands for their labels"),
            "weight": Array("number", ("rows",), "of the rows", 0.0),
            "psi": Array("number", ("rows",), "their weights where no label counts, if others", 0.0, optional=True),
        },
        optional=True,
    )

    def first(self, count: int) -> HeldOut:
        """The first rows alone."""
        psi = None if self.psi is None else self.psi[:count]
        return HeldOut(self.margins[:count], self.codes[:count], self.targets[:count], self.weight[:count], psi)

    @property
    def masses(self) -> Floats:
        """How much of each class a row of a problem of two stands for (shape: rows, 2).

        Linear in what stands for the label, and so right on average, as that is.
        """
        positive, whole = self.weight * self.targets[:, 0], self.weight if self.psi is None else self.psi
        return np.column_stack([whole - positive, whole + positive]) / 2.0

    @property
    def ranks(self) -> bool:
        """Whether rows of the second class lie above those of the first one more often than below, by these masses."""
        first, second = self.masses.T
        _, place = np.unique(self.margins[:, 0], return_inverse=True)
        here = np.bincount(place, first)
        below = np.cumsum(here) - here
        return bool(second @ (below - (here.sum() - here - below))[place] > 0.0)


def check_costs(tune_threshold: Any, classes: npt.NDArray[Any], class_weight: Any) -> None:
    """Refuse a threshold that cannot be tuned: for more than two classes, or by costs that do not fit them."""
    if not isinstance(tune_threshold, (bool, np.bool_, Mapping)):
        raise ValueError(f"tune_threshold must be True, False or a dict of costs. Got {tune_threshold!r}.")
    if isinstance(tune_threshold, (bool, np.bool_)) and not tune_threshold:
        return
    if len(classes) > 2:
        raise ValueError(f"tune_threshold is for two classes. Got {len(classes)}. Use class_weight='balanced'.")
    if not isinstance(tune_threshold, Mapping):
        return
    names = classes.tolist()
    if set(tune_threshold) != set(names):
        raise ValueError(
            f"tune_threshold must have a cost for each class, {shown(classes[0])} and {shown(classes[1])}. Got "
            f"{tune_threshold!r}."
        )
    costs = [tune_threshold[name] for name in names]
    if not all(_is_cost(cost) for cost in costs) or not any(costs):
        raise ValueError(f"The costs of tune_threshold must be numbers >= 0, and one > 0. Got {tune_threshold!r}.")
    if class_weight is not None:
        raise ValueError("class_weight and costs in tune_threshold both weigh the classes. Leave one of them out.")


def _is_cost(cost: Any) -> bool:
    is_number = isinstance(cost, (int, float, np.integer, np.floating)) and not isinstance(cost, bool)
    return is_number and bool(np.isfinite(cost)) and cost >= 0


def costs_of(tune_threshold: Any, classes: npt.NDArray[Any], held_out: HeldOut) -> Floats:
    """What it costs to miss a row of each class; inverse to their sizes for balanced accuracy."""
    if isinstance(tune_threshold, Mapping):
        return np.array([tune_threshold[name] for name in classes.tolist()], dtype=np.float64)
    sizes = held_out.masses.sum(axis=0)
    return 1.0 / sizes if (sizes > 0).all() else np.zeros(2)  # nothing to balance


def best_cut(tune_threshold: Any, classes: npt.NDArray[Any], held_out: HeldOut) -> float | None:
    """The best one by the classifier's parameter; None if rows are ranked no better than by chance."""
    if isinstance(tune_threshold, Mapping) or held_out.ranks:
        return tuned_cut(held_out, costs_of(tune_threshold, classes, held_out))
    return None


def tuned_cut(held_out: HeldOut, costs: Floats) -> float:
    """The margin, from which on rows belong to the second class, of the lowest cost on held-out rows.

    Among equally good ones it is the nearest to 0.

    >>> margins, codes = np.array([[-2.0], [-1.0], [1.0], [3.0]]), np.array([0, 1, 0, 1])
    >>> rows = HeldOut(margins, codes, 2.0 * codes[:, None] - 1.0, np.ones(4))
    >>> tuned_cut(rows, np.array([1.0, 5.0])), tuned_cut(rows, np.array([5.0, 1.0]))
    (-1.5, 2.0)
    """
    if not len(held_out.margins):
        return 0.0
    order = np.argsort(held_out.margins[:, 0], kind="stable")
    margins, price = held_out.margins[order, 0], (held_out.masses * costs)[order]
    # Behind so many rows, what is missed: the second class before the cut, the first one after it, less a constant.
    cost = np.append(0.0, np.cumsum(price[:, 1] - price[:, 0]))
    low, high = margins[:-1], margins[1:]
    between = 0.5 * low + 0.5 * high
    cuts = np.concatenate([margins[:1], np.where(between > low, between, high), [np.nextafter(margins[-1], np.inf)]])
    cuts[np.searchsorted(margins, 0.0)] = 0.0
    apart = np.concatenate([[True], low < high, [True]])
    slack = 1e-12 * float(np.abs(price).sum())
    best = np.flatnonzero(apart & (cost <= cost[apart].min() + slack))
    return float(cuts[best[np.argmin(np.abs(cuts[best]))]])
