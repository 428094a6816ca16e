"""What a model learned about each feature, as curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..basics.typing import Floats
from ..core.learners.stump import CategoryStump, Stump
from ..core.tape import Add, Tape, is_sum


@dataclass(frozen=True)
class Shape:
    """The margin's part that depends on one feature.

    ``x`` are numbers (a step function jumps there) or the names of categories; ``missing`` is the value for NaN.
    ``exact`` tells a shape function of an additive model from an average over rows.
    """

    feature: int
    x: list[Any]
    y: Floats
    missing: float | None
    categorical: bool
    exact: bool


def shapes(model: Any, X: Floats, features: list[int], tape: Tape) -> list[Shape]:
    """Exact shape functions where the tape is a sum of stumps, partial dependence elsewhere."""
    steps = tape.steps
    additive = is_sum(steps) and all(isinstance(s.hypothesis, (Stump, CategoryStump)) for s in steps)  # type: ignore[union-attr]
    make = _exact if additive else _average
    return [make(model, X, feature, tape) for feature in features]


def _exact(model: Any, X: Floats, feature: int, tape: Tape) -> Shape:
    own = [s for s in tape.steps if isinstance(s, Add) and s.hypothesis.feature == feature]  # type: ignore[attr-defined]
    x, grid, categorical = _axis(model, X, feature)
    rows = np.full((len(grid) + 1, X.shape[1]), np.nan)  # the last one stays empty
    rows[:-1, feature] = grid
    *y, missing = Tape.of(tape.unit, own).margin(rows).tolist()
    has_gaps = categorical or bool(np.isnan(X[:, feature]).any())
    return Shape(feature, x, np.array(y), missing if has_gaps else None, categorical, True)


def _average(model: Any, X: Floats, feature: int, tape: Tape) -> Shape:
    """Mean margin over rows with the feature set to each value in turn (partial dependence)."""
    sample = X[:: max(1, len(X) // 200)][:200]
    x, grid, categorical = _axis(model, X, feature)
    values = []
    for value in grid:
        rows = sample.copy()
        rows[:, feature] = value
        values.append(float(tape.margin(rows).mean()))
    return Shape(feature, x, np.array(values), None, categorical, False)


def _axis(model: Any, X: Floats, feature: int) -> tuple[list[Any], list[Any], bool]:
    """Values as they are shown, as the model knows them, and whether they are categories."""
    names = model._encoder.categories.get(feature)
    if names is not None:
        return [str(name) for name in names], list(range(len(names))), True
    known = X[~np.isnan(X[:, feature]), feature]
    grid = np.unique(np.quantile(known, np.linspace(0.01, 0.99, 60))).tolist() if len(known) else [0.0]
    return grid, grid, False
