"""What a page about a model shows of what it learned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .effects import Effect, effect
from .permutation import Importances, permutation_importance


@dataclass(frozen=True)
class Summary:
    """Which columns matter, and how: ``effects`` are those of the columns that matter most, in order."""

    importances: Importances
    effects: list[Effect]


def summary(model: Any, X: Any, y: Any, *, cv: int | None = 5, top: int = 6, repeats: int = 5) -> Summary:
    """Importances with intervals, and the effects of the columns that count.

    Parameters
    ----------
    model : fitted classifier
    X, y : table and labels, as for ``fit``
    cv : int or None, default=5
        Folds, by which labels are held out. None if X and y are rows that the model has not seen.
    top : int, default=6
        Effects of so many columns at most; only those whose shuffles cost something.
    repeats : int, default=5
    """
    found = permutation_importance(model, X, y, cv=cv, repeats=repeats)
    used = [column for column in found.order[:top] if found.mean[column] > 0]
    return Summary(found, [effect(model, X, column) for column in used])
