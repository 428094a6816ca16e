"""Shapley values in words: the columns that speak for what a row is predicted to be, and those against it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..basics.checks import check_count
from .shapley import ShapleyValues, shapley_values
from .words import shown

LEAST = 0.005  # log-odds below which a column is not worth a word: half a percent of the odds


@dataclass(frozen=True)
class Reason:
    """A cell, and what it adds to the log-odds of the predicted class.

    Attributes
    ----------
    column : str
        Its column.
    cell : object
        What the row has there.
    log_odds : float
        The Shapley value, for the predicted class.
    """

    column: str
    cell: Any
    log_odds: float

    @property
    def odds(self) -> float:
        """What the odds of the predicted class against the rest are multiplied by.

        For two classes these are the odds of ``predict_proba``; for more those before classes are brought together.
        """
        return float(np.exp(self.log_odds))

    def __str__(self) -> str:
        return f"{self.column} = {shown(self.cell)} (odds x {self.odds:.3g})"


@dataclass(frozen=True)
class RowReasons:
    """Why a row is predicted as it is; the strongest reasons first.

    Attributes
    ----------
    prediction : class
        What it is predicted to be.
    probability : float
        Of that class.
    usual : float
        The mean probability of the same class over the background.
    speaking_for, against : list of Reason
        The cells that count most.
    """

    prediction: Any
    probability: float
    usual: float
    speaking_for: list[Reason]
    against: list[Reason]


def reasons(model: Any, X: Any, background: Any = None, *, top: int = 3) -> tuple[list[RowReasons], ShapleyValues]:
    """For each row at most ``top`` reasons for its prediction and as many against it, and all values behind them.

    Parameters
    ----------
    model, X, background
        As for :func:`shapley_values`.
    top : int, default=3
        How many of each kind.

    Returns
    -------
    (list of RowReasons, ShapleyValues)
        An entry for each row, and the values.
    """
    check_count(top, "top")
    values = shapley_values(model, X, background)
    predicted, probabilities = model.predict(X), model.predict_proba(X)
    classes = model.classes_.tolist()
    by_class = {name: values.of(name)[0] for name in classes}
    usual = model.predict_proba(X if background is None else background).mean(axis=0)
    found = []
    for row, name in enumerate(predicted.tolist()):
        own = by_class[name][row]
        order = np.argsort(-np.abs(own), kind="stable")
        said = [
            Reason(values.columns[column], values.cells[column][row], float(own[column]))
            for column in order.tolist()
            if abs(own[column]) >= LEAST
        ]
        speaking_for = [reason for reason in said if reason.log_odds > 0][:top]
        against = [reason for reason in said if reason.log_odds < 0][:top]
        place = classes.index(name)
        found.append(RowReasons(name, float(probabilities[row, place]), float(usual[place]), speaking_for, against))
    return found, values
