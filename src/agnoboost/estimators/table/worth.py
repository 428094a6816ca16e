"""What machines were worth to a model that has just been fitted with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import expit

from ...basics.typing import Floats, Ints
from ...evaluation.error_regions import error_regions
from ...evaluation.goal import Goal
from ...evaluation.machine_worth import (
    INVERTED,
    LEFT_OUT,
    LITTLE,
    NO_USE,
    USED,
    Answers,
    MachineRecord,
    MachineWorth,
    counted_pairs,
    machine_gains,
)
from ...evaluation.suspicious import unweighted
from ...labels.machine import MachineLabels
from ..base import label_model_of
from ..data import Data
from ..threshold import HeldOut, best_cut
from .blending import probabilities
from .machines import Joined
from .terms import Terms


@dataclass(frozen=True)
class Fitted:
    """A model of a fit, and the rows of the fit."""

    model: Any
    data: Data
    terms: Terms

    @property
    def can_judge(self) -> bool:
        """Whether the checked labels name classes."""
        return label_model_of(self.model).names_classes

    def probabilities(self, log_odds: Floats) -> Floats:
        """Of the classes as they are, whatever their weights, for every row with a label (shape: rows, classes)."""
        rows = self.by_row(log_odds)
        if rows.shape[1] == 1:
            found = np.hstack([expit(-rows), expit(rows)])
        else:
            found = probabilities(rows, self.model._sharpness(rows, self.data))
        return unweighted(found, self.data.class_weights)

    def said(self, log_odds: Floats, fold: Ints) -> Ints:
        """The numbers of the classes that are named by log-odds; where the threshold is tuned, by that of other parts.

        So no row has a say in the threshold that it is judged at. Rows that a model has seen are named anyhow.
        """
        rows, data, model = self.by_row(log_odds), self.data, self.model
        if rows.shape[1] > 1:
            return np.asarray(np.nan_to_num(rows).argmax(axis=1))
        part, known, cut = self.terms.by_row(fold.astype(np.float64)), ~np.isnan(rows[:, 0]), np.zeros(len(rows))
        for one in np.unique(part) if model.tune_threshold else ():
            rest = known & (part != one)
            held_out = HeldOut(rows[rest], data.codes[rest], data.targets[rest], data.weight[rest])
            cut[part == one] = best_cut(model.tune_threshold, model.classes_, held_out) or 0.0
        return (rows[:, 0] >= cut).astype(np.int64)

    def by_row(self, of_units: Floats) -> Floats:
        """Figures of the units of the gold rows (shape: units, problems) for every row."""
        return np.column_stack([self.terms.by_row(own) for own in of_units.T])

    def predicted(self, X: Floats) -> Ints:
        """The numbers of the classes that the model says."""
        decision = self.model._decision(self.model._margins(X))
        return np.asarray(np.searchsorted(self.model.classes_, self.model._classes_of(decision)))


def worth(fitted: Fitted, machines: Sequence[MachineLabels], joined: Joined) -> MachineWorth:
    """How often machines are right, where they err, and what the model gained by them.

    Labels that name no class, such as "not this one", cannot judge anybody.
    """
    judged = ~np.isnan(fitted.by_row(joined.gold_only + joined.together)).any(axis=1) & fitted.can_judge
    alone, together = (
        Answers(fitted.probabilities(log_odds)[judged], fitted.said(log_odds, joined.fold)[judged])
        for log_odds in (joined.gold_only, joined.together)
    )
    goal = Goal.of(fitted.model).by_number(fitted.model.classes_.tolist())
    gains = machine_gains(fitted.data.codes[judged], alone, together, goal)
    records = [_record(fitted, one, joined) for one in machines]
    return MachineWorth(fitted.model.classes_.tolist(), records, int(judged.sum()), gains)


def _record(fitted: Fitted, machine: MachineLabels, joined: Joined) -> MachineRecord:
    data, classes = fitted.data, len(fitted.model.classes_)
    assert data.rows is not None
    both = np.flatnonzero(machine.known[data.rows] & fitted.can_judge)
    named, truth = machine.codes[data.rows[both]], data.codes[both]
    pairs, weight = counted_pairs(truth, named, classes), joined.shares.get(machine.name, 0.0)
    has_names = hasattr(fitted.model, "feature_names_in_")
    regions = error_regions(data.X[both], named != truth, fitted.model._encoder, has_names)
    changes = _changes(fitted, machine, classes)
    found = MachineRecord(machine.name, int(machine.known.sum()), pairs, weight, USED, *changes, regions)
    return replace(found, role=role_of(found, joined))


def role_of(found: MachineRecord, joined: Joined) -> str:
    """What became of a machine. That it is mistaken as a rule is said only if its own labels show it, too."""
    if found.name not in joined.lines:
        return LEFT_OUT
    if found.weight < LITTLE:
        return NO_USE
    return INVERTED if sum(joined.lines[found.name]) < 0 and found.against_chance < 0 else USED


def _changes(fitted: Fitted, machine: MachineLabels, classes: int) -> tuple[list[int], list[int]]:
    """How often the machine names each class where there is no gold label, and how often the model says another."""
    pool, numbers = fitted.data.unlabeled, fitted.data.unlabeled_rows
    assert pool is not None
    assert numbers is not None
    own = np.flatnonzero(numbers < len(machine.known))
    own = own[machine.known[numbers[own]]]
    named = machine.codes[numbers[own]]
    pairs = np.array(counted_pairs(named, fitted.predicted(pool.X[own]), classes))
    return pairs.sum(axis=1).tolist(), (pairs.sum(axis=1) - pairs.diagonal()).tolist()
