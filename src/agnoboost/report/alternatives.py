"""The simplest alternatives, on the folds on which the model was judged: what it must beat to be worth its trouble."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from ..basics.intervals import wilson
from ..basics.typing import Bools, Floats, Ints
from ..evaluation.goal import BALANCED, Goal
from ..evaluation.held_out import HeldOutPredictions
from ..evaluation.model_selection import LabeledSplit
from .columns import columns_of

CATEGORIES = 20  # of a column get a number of their own, the most frequent ones
MOST_ROWS = 5_000  # that an alternative learns from; simple ones learn little more from more
MOST_COLUMNS = 2_000
LEAST = 1e-6  # of the weight of a class: without any it would not be there
PLAIN = Goal()


@dataclass(frozen=True)
class Alternative:
    """How good a simple rule is by what the model was asked for, and how much better the model is, on the same rows.

    ``figure`` is by that goal, and so is ``gain``, of which more is better for the model also where costs are counted.
    """

    name: str
    accuracy: tuple[float, float, float]
    figure: tuple[float, float, float]
    gain: float
    half: float
    column: str | None = None  # which one a rule with one column looks at

    @property
    def clearly_beaten(self) -> bool:
        """Whether the 95% interval of the difference lies above zero."""
        return self.gain > self.half

    @property
    def clearly_better(self) -> bool:
        """Whether the 95% interval of the difference lies below zero."""
        return -self.gain > self.half


def alternatives(
    X: Any, y: npt.NDArray[Any], rows: Ints, judged: HeldOutPredictions, goal: Goal = PLAIN
) -> list[Alternative]:
    """One class for all, a rule with one column, and logistic regression; ``rows`` are those that are judged.

    They are asked for the same as the model: classes weigh the same, or as much as it costs to miss them.
    """
    names, matrix = plain_matrix(X, rows)
    rules = _rules(judged.y, goal)
    place = np.full(len(y), -1)
    place[rows] = np.arange(len(rows))
    shown = np.full(len(y), None)
    shown[rows] = y[rows]
    folds = [
        (place[train[place[train] >= 0]], place[test])
        for train, test in LabeledSplit(judged.folds, missing_label=None).split(X, shown)
    ]
    found = [_judge(name, rule, matrix, judged, folds, goal) for name, rule in rules.items()]
    asked = int(rules["a rule with one column"].tree_.feature[0])  # by the last fold; negative if none helps
    found[1] = replace(found[1], column=names[asked] if asked >= 0 else None)
    return found


def _rules(truth: npt.NDArray[Any], goal: Goal) -> dict[str, Any]:
    """By what they do."""
    classes, rows = np.unique(truth.tolist(), return_counts=True)
    weights: Any = {str(name): max(weight, LEAST) for name, weight in goal.costs.items()} if goal.is_cost else None
    weights = "balanced" if goal.name == BALANCED else weights
    dearest = str(classes[np.argmax(goal.weights(classes.tolist(), rows))]) if goal.is_cost else None
    first = "always the class that costs least" if goal.is_cost else "always the most frequent class"
    return {
        first: DummyClassifier(strategy="prior" if dearest is None else "constant", constant=dearest),
        "a rule with one column": DecisionTreeClassifier(max_depth=1, random_state=0, class_weight=weights),
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=300, class_weight=weights)),
    }


def _judge(
    name: str, rule: Any, matrix: Floats, judged: HeldOutPredictions, folds: list[tuple[Ints, Ints]], goal: Goal
) -> Alternative:
    labels = judged.y.astype(str)
    right: Bools = np.zeros(len(labels), dtype=bool)
    for train, test in folds:
        some = train[:: max(1, len(train) // MOST_ROWS)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a regression that did not converge is still an alternative
            right[test] = rule.fit(matrix[some], labels[some]).predict(matrix[test]) == labels[test]
    gain, half = goal.gain(judged.y, judged.right, right)
    return Alternative(name, wilson(right), goal.figure(judged.y, right), -gain if goal.is_cost else gain, half)


def plain_matrix(X: Any, rows: Ints) -> tuple[list[str], Floats]:
    """Labeled rows as numbers, without a look at the labels: gaps filled and marked, frequent categories marked.

    First for each column of the matrix the name of the one it was made of.
    """
    made: list[npt.NDArray[Any]] = []
    names: list[str] = []
    for column in columns_of(X):
        if len(made) > MOST_COLUMNS:
            break
        if column.numbers is not None:
            finite = column.numbers[np.isfinite(column.numbers)]
            made.append(np.where(column.missing, np.median(finite) if len(finite) else 0.0, column.numbers)[rows])
        elif len(column.known):
            common = np.argsort(-np.bincount(column.codes[~column.missing]), kind="stable")[:CATEGORIES]
            made.extend(column.codes[rows] == code for code in common)
        if column.missing[rows].any():
            made.append(column.missing[rows])
        names += [column.name] * (len(made) - len(names))
    matrix = np.column_stack(made or [np.zeros(len(rows))]).astype(np.float64)
    return names, np.clip(matrix, -1e15, 1e15)
