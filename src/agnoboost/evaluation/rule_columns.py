"""Tables for single rules: columns of numbers, in which empty cells may be on either side."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..basics.checks import as_matrix
from ..basics.typing import Bools, Floats, Matrix
from ..core.learners import WeakLearner
from ..tables.alike import with_columns_of
from ..tables.cells import columns_of, is_frame


def rule_tables(X: Any, X_unlabeled: Any, base: WeakLearner | None) -> tuple[Matrix, Matrix] | None:
    """Held-out rows, and those for the complexity, as numbers; None where the default base finds other columns.

    With the default base a column with empty cells comes twice, once with them below all numbers and once above: its
    stumps are all rules that send them to either side.
    """
    first = X if is_frame(X) else np.asarray(X)
    second = first if X_unlabeled is None else X_unlabeled if is_frame(X_unlabeled) else np.asarray(X_unlabeled)
    if second.ndim == 2:
        second = with_columns_of(first, second, "X_unlabeled")
    tables = (first, second)
    others = [str(own.name) for table in tables for own in columns_of(table) if own.kind != "number"]
    if others and base is None:
        return None
    if others:
        raise ValueError(
            f"base={base!r} needs columns of numbers. Got {', '.join(dict.fromkeys(others))}. Leave base out (then "
            "nothing is said of single rules), or encode those columns as numbers first."
        )
    rows, more = (as_matrix(np.asarray(table, dtype=np.float64)) for table in tables)
    gaps = np.asarray(np.isnan(rows).any(axis=0) | np.isnan(more).any(axis=0))
    if base is not None or not gaps.any():
        return rows, more
    both = np.concatenate([rows[:, gaps], more[:, gaps]])
    known = ~np.isnan(both)
    low, high = both.min(axis=0, where=known, initial=0.0) - 1.0, both.max(axis=0, where=known, initial=0.0) + 1.0
    return _with_gaps_aside(rows, gaps, low, high), _with_gaps_aside(more, gaps, low, high)


def _with_gaps_aside(X: Matrix, gaps: Bools, low: Floats, high: Floats) -> Matrix:
    column = X[:, gaps]
    return np.hstack([X[:, ~gaps], *(np.where(np.isnan(column), side, column) for side in (low, high))])
