"""What a model learned, by changing the cells of a column and looking at its probabilities.

The model is only asked for probabilities of tables, so this serves every kind of model and of column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..basics.typing import Floats
from ..explain.column_shares import ColumnShares, column_shares
from ..explain.effects import Effect, effect
from ..tables.rows import row_count, spread, take, with_column
from .columns import columns_of

SHOWN = 9  # columns with a picture
POINTS = 20  # of a picture
ROWS = 60  # over which a picture is averaged
MOVES = "how far probabilities move"
CELLS = 1_000_000  # at most, in a table that is predicted at once


@dataclass(frozen=True)
class Learned:
    """How much each column counts (shares that sum to one), and the effects of those that count most, by number."""

    names: list[str]
    importances: Floats
    effects: dict[int, Effect]
    usual: Floats  # mean probability of every class
    of: str = MOVES  # what is shared

    @property
    def order(self) -> list[int]:
        """Columns, those that count most first."""
        return by_size(self.importances)


def learned(model: Any, X: Any) -> Learned:
    """What the model learned from the columns of ``X``: by its own shares, or else by its probabilities."""
    names = [column.name for column in columns_of(X)]
    found = column_shares(model)
    if found is None:
        some = _some(X, int(np.clip(20_000 // len(names), 40, 200)))
        found = ColumnShares(_importances(model, some, len(names)), MOVES)
    importances = found.shares
    effects = {number: effect(model, X, number, rows=ROWS, points=POINTS) for number in by_size(importances)[:SHOWN]}
    return Learned(names, importances, effects, model.predict_proba(_some(X, ROWS)).mean(axis=0), found.of)


def by_size(importances: Floats) -> list[int]:
    """Numbers of the columns that count, those that count most first."""
    return [int(i) for i in np.argsort(-importances, kind="stable") if importances[i] > 0]


def _some(X: Any, most: int) -> Any:
    return take(X, spread(np.arange(row_count(X)), most))  # as effects do


def _importances(model: Any, sample: Any, columns: int) -> Floats:
    """How far probabilities move when the cells of a column are shuffled among rows."""
    rng, rows, before = np.random.default_rng(0), row_count(sample), model.predict_proba(sample)
    together = max(1, CELLS // (rows * columns))  # one large call is much quicker than many small ones
    moved = np.zeros(columns)
    for start in range(0, columns, together):
        numbers = range(start, min(start + together, columns))
        tiled = take(sample, np.tile(np.arange(rows), len(numbers)))
        for place, number in enumerate(numbers):
            taken = np.tile(np.arange(rows), len(numbers))
            taken[place * rows : (place + 1) * rows] = rng.permutation(rows)
            tiled = with_column(tiled, number, sample, taken)
        after = model.predict_proba(tiled).reshape(len(numbers), rows, -1)
        moved[start : start + len(numbers)] = np.abs(after - before).mean(axis=(1, 2))
    return np.asarray(moved / max(float(moved.sum()), 1e-300))
