"""The boosters of Table 1 with the grids of the paper's appendix; two kinds of stumps, fractional relabeling."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agnoboost.basics.typing import Rng
from agnoboost.core.batch import fractional
from agnoboost.core.booster import Booster
from agnoboost.core.earlier_recipes import ghai_singh_2024, pab
from agnoboost.core.learners import HistogramStumpLearner, WeakLearner
from agnoboost.core.recipes import algorithm1, labeled_only
from agnoboost.core.sources import Pool

from ..best_booster import best_of
from ..splits import RowSplit
from . import StumpKind
from .gini_stumps import GiniStumpLearner

ROUNDS = 100
PAB_ROUNDS = (25, 50, 100)
ROWS_A_ROUND = (5, 20, 50, 100)  # m
GS24_DECAYS = (0.1, 0.25, 0.5)  # sigma


@dataclass(frozen=True)
class GridPoint:
    """A booster, how long it may run, and what tells it from the others."""

    booster: Booster
    rounds: int
    setting: dict[str, Any]


def _fresh_rows(split: RowSplit, m: int) -> int:
    """m, or all labels in one round where there are fewer."""
    return min(m, len(split.labeled[1]))


def pab_grid(split: RowSplit, step: float) -> list[GridPoint]:
    """Fresh labels in each round, until T rounds are done or the labels used up.

    Points that come to the same number of rows and rounds, since the labels do not last, are one point: running them
    several times with other random numbers would only be more tickets in the lottery.
    """
    points: dict[tuple[int, int], GridPoint] = {}
    for m in ROWS_A_ROUND:
        rows = _fresh_rows(split, m)
        for rounds in PAB_ROUNDS:
            booster = pab(split.labeled, rows=rows)
            lasting = min(rounds, booster.max_rounds or rounds)
            points.setdefault((rows, lasting), GridPoint(booster, rounds, {"m": m, "T": rounds}))
    return list(points.values())


def gs24_grid(split: RowSplit, step: float) -> list[GridPoint]:
    """Fresh labels as for PAB, and the old ones again."""
    rows = {_fresh_rows(split, m): m for m in reversed(ROWS_A_ROUND)}
    return [
        GridPoint(ghai_singh_2024(split.labeled, rows=count, decay=decay), ROUNDS, {"m": m, "sigma": decay})
        for count, m in sorted(rows.items())
        for decay in GS24_DECAYS
    ]


def algorithm1_grid(split: RowSplit, step: float) -> list[GridPoint]:
    """m rows in each round, half of them labeled."""
    labeled, unlabeled = Pool(*split.labeled), Pool(split.unlabeled)
    return [
        GridPoint(algorithm1(labeled, unlabeled, step=step, realize=fractional(m)), ROUNDS, {"m": m})
        for m in ROWS_A_ROUND
    ]


def labeled_only_grid(split: RowSplit, step: float) -> list[GridPoint]:
    """The same potential and grid without the unlabeled rows."""
    labeled = Pool(*split.labeled)
    return [GridPoint(labeled_only(labeled, step=step, realize=fractional(m)), ROUNDS, {"m": m}) for m in ROWS_A_ROUND]


GRIDS: dict[str, Callable[[RowSplit, float], list[GridPoint]]] = {
    "PAB": pab_grid,
    "GS24": gs24_grid,
    "Algorithm 1": algorithm1_grid,
    "labeled-only Huber": labeled_only_grid,
}


def correlation_stumps(split: RowSplit) -> HistogramStumpLearner:
    """Stumps of largest correlation, with cuts from all training rows; categories and missing values as they are."""
    seen = [split.all_labels[0], split.unlabeled]
    return HistogramStumpLearner.from_data(seen, categorical=split.categorical)


STUMPS: dict[str, Callable[[RowSplit], WeakLearner]] = {
    StumpKind.correlation.value: correlation_stumps,
    StumpKind.gini.value: lambda split: GiniStumpLearner(),
}


def kinds_of(stumps: str) -> tuple[str, ...]:
    """The kinds of stumps that were asked for."""
    return tuple(STUMPS) if stumps == StumpKind.both else (stumps,)


def title(name: str, kind: str) -> str:
    """A booster with its stumps, as results and pages call it.

    >>> title("PAB", "gini")
    'PAB, Gini stumps'
    """
    return f"{name}, {'Gini' if kind == StumpKind.gini else kind} stumps"


def score(name: str, split: RowSplit, learner: WeakLearner, step: float, rng: Rng) -> dict[str, Any]:
    """Accuracy on the test rows of the grid point and iterate that the choosing rows like best, and which these are."""
    grid = GRIDS[name](split, step)
    best, accuracy = best_of([p.booster for p in grid], learner, split, rounds=[p.rounds for p in grid], rng=rng)
    return {"accuracy": accuracy, "rounds": best.selection.rounds, **grid[best.place].setting}
