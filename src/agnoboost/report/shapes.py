"""What a model learned about each feature, as curves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..basics.typing import Floats
from ..core.learners.stump import CategoryStump, Stump
from ..core.tape import Add, Tape, is_sum

CELLS_AT_A_TIME = 2_000_000


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
    if additive:
        return [_exact(model, X, feature, tape) for feature in features]
    return averages(model, X, features, lambda rows: tape.margin(rows)[:, None])[0]


def _exact(model: Any, X: Floats, feature: int, tape: Tape) -> Shape:
    own = [s for s in tape.steps if isinstance(s, Add) and s.hypothesis.feature == feature]  # type: ignore[attr-defined]
    x, grid, categorical = _axis(model, X, feature)
    rows = np.full((len(grid) + 1, X.shape[1]), np.nan)  # the last one stays empty
    rows[:-1, feature] = grid
    *y, missing = Tape.of(tape.unit, own).margin(rows).tolist()
    has_gaps = categorical or bool(np.isnan(X[:, feature]).any())
    return Shape(feature, x, np.array(y), missing if has_gaps else None, categorical, True)


def averages(
    model: Any, X: Floats, features: list[int], margins: Callable[[Floats], Floats], rows: int = 200
) -> list[list[Shape]]:
    """Mean margins over rows with a feature set to each value in turn (partial dependence); one list a problem.

    ``margins`` has a column for each problem.
    """
    sample = _some(X, rows)
    found = []
    for feature in features:
        x, grid, categorical = _axis(model, X, feature)
        varied = np.tile(sample, (len(grid), 1))
        varied[:, feature] = np.repeat(grid, len(sample))
        means = margins(varied).reshape(len(grid), len(sample), -1).mean(axis=1)
        found.append([Shape(feature, x, y, None, categorical, False) for y in means.T])
    return [list(shapes) for shapes in zip(*found, strict=True)]


def influences(X: Floats, margins: Callable[[Floats], Floats]) -> Floats:
    """How far margins move, on average, when the cells of a column are shuffled among some rows; as shares."""
    sample = _some(X, int(np.clip(20_000 // X.shape[1], 20, 200)))
    rng, before = np.random.default_rng(0), margins(sample)
    together = max(1, CELLS_AT_A_TIME // sample.size)  # columns: one large call is much quicker than many small ones
    moved = []
    for start in range(0, X.shape[1], together):
        columns = range(start, min(start + together, X.shape[1]))
        changed = np.tile(sample, (len(columns), 1, 1))
        for place, column in enumerate(columns):
            changed[place, :, column] = rng.permutation(sample[:, column])
        after = margins(changed.reshape(-1, X.shape[1])).reshape(len(columns), *before.shape)
        moved.append(np.abs(after - before).mean(axis=(1, 2)))
    total = np.concatenate(moved)
    return np.asarray(total / max(total.sum(), 1e-300))


def _some(X: Floats, rows: int) -> Floats:
    return X[:: max(1, len(X) // rows)][:rows]


def _axis(model: Any, X: Floats, feature: int) -> tuple[list[Any], list[Any], bool]:
    """Values as they are shown, as the model knows them, and whether they are categories."""
    names = model._encoder.categories.get(feature)
    if names is not None:
        return [str(name) for name in names], list(range(len(names))), True
    known = X[~np.isnan(X[:, feature]), feature]
    grid = np.unique(np.quantile(known, np.linspace(0.01, 0.99, 60))).tolist() if len(known) else [0.0]
    return grid, grid, False
