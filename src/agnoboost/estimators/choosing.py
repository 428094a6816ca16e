"""How parameters of an estimator ask for the choice of rounds and unlabeled weight, and rows given to choose by.

Only estimators that choose need this; the choice itself is in :mod:`~agnoboost.estimators.held_out_choice`.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from sklearn.utils.class_weight import compute_sample_weight

from ..basics.checks import check_between, check_word
from ..basics.stages import Stages
from ..labels.reading import label_column, shown
from .base import PartlyLabeledClassifier, label_model_of
from .data import Data, class_weighted, split_rows
from .held_out_choice import SHARES, Choice, Watcher, folds_for
from .population import judges_of
from .race import choose_on, cross_choose, cross_choose_population


@dataclass(eq=False, repr=False, kw_only=True)
class ChoosingClassifier(PartlyLabeledClassifier):
    """A classifier that chooses rounds and unlabeled weight on held-out labels, and then trains on all of them."""

    unlabeled_weight: float | str = "auto"
    validation_fraction: float | str | None = "auto"
    n_jobs: int | None = None

    n_rounds_: int = field(init=False)

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        X_unlabeled: Any = None,
        X_val: Any = None,
        y_val: Any = None,
    ) -> Self:
        """Train on labeled and unlabeled rows.

        Parameters
        ----------
        X, y : table and labels; rows of X without label are marked in y
        sample_weight : array of shape (n_rows,), optional
        X_unlabeled : table, optional
            More unlabeled rows, with the same columns.
        X_val, y_val : optional
            Labeled rows to choose rounds and unlabeled weight on, instead of cross-validation; labels of the same kind
            as ``y``; with positives and unlabeled rows these, or true labels of both classes.
        """
        self._check_parameters()
        stages = Stages(self.verbose)
        stages.begin("reading")
        data = self._read(X, y, sample_weight, X_unlabeled)
        trainer = self._trainer(data)
        validation = validation_rows(self, X_val, y_val)
        stages.plan(["choosing on labels left out", "training on all labels"])
        stages.begin("choosing on labels left out")
        choice = choose(self, trainer, self._usable(data).with_fewer_unlabeled(trainer.seed), validation)
        choice = self._explained(choice)
        stages.begin("training on all labels")
        self._train(trainer, data, choice)
        self._finish(choice)
        return self

    def _finish(self, choice: Choice) -> None:
        self._place_cut(choice.held_out)
        if self.verbose:
            print(
                f"agnoboost: {self.n_labeled_} labeled and {self.n_unlabeled_} unlabeled rows; {self.n_rounds_} rounds "
                f"and unlabeled_weight={choice.unlabeled_weight:g}: {choice.reason}"
            )

    def _usable(self, data: Data) -> Data:
        """The rows that can take part in the choice."""
        return data

    def _explained(self, choice: Choice) -> Choice:
        """The choice, with what it means for the parameters that were asked for."""
        return choice

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise ValueError, before any work, for a parameter that cannot be used."""

    @abstractmethod
    def _trainer(self, data: Data) -> Any:
        """What runs boosters on such rows: a :class:`~agnoboost.estimators.held_out_choice.Watcher`."""

    @abstractmethod
    def _train(self, trainer: Any, data: Data, choice: Choice) -> None:
        """The run on all labels; keeps the model and ``n_rounds_``."""


def usual_rounds(most: int, step: float, total_step: float) -> int:
    """Rounds up to a total step, which is used unless held-out labels speak clearly for another number."""
    return min(most, max(1, round(total_step / step)))


def check_choosing(model: ChoosingClassifier) -> None:
    """Raise ValueError for a parameter that cannot be used."""
    if isinstance(model.unlabeled_weight, str):
        check_word(model.unlabeled_weight, ("auto",), "unlabeled_weight", "a number in [0, 1]")
    else:
        check_between(model.unlabeled_weight, 0.0, 1.0, "unlabeled_weight", open_low=False)
    if isinstance(model.validation_fraction, str):
        check_word(model.validation_fraction, ("auto",), "validation_fraction", "a number in [0, 0.5] or None")
    elif model.validation_fraction is not None:
        check_between(model.validation_fraction, 0.0, 0.5, "validation_fraction", open_low=False)


def choose(model: ChoosingClassifier, trainer: Watcher, data: Data, validation: Data | None) -> Choice:
    """Rounds and unlabeled weight; where nothing is held out, rounds go up to the usual total step."""
    model._check_threshold()
    shares = _shares(model, data)
    if validation is not None:
        return choose_on(trainer, data, validation, shares)
    counts = np.bincount(data.codes[: data.labels], minlength=trainer.classes)
    needed = counts[counts > 0] if data.psi_from_unlabeled else counts  # positives do without negatives
    folds = folds_for(model.validation_fraction, needed)
    if folds and data.psi_from_unlabeled:
        return cross_choose_population(trainer, data, folds, model.n_jobs)
    if folds:
        return cross_choose(trainer, data, folds, shares, model.n_jobs)
    if model.tune_threshold:
        raise ValueError(
            "tune_threshold=True needs held-out labels. Got too few labels, or validation_fraction=None. Pass "
            "validation_fraction=0.2, X_val and y_val, or tune_threshold=False."
        )
    why = (
        f"no labels left out ({len(counts)} classes with {counts.min()} to {counts.max()} labels): the usual "
        f"{trainer.usual_rounds} rounds"
    )
    if len(shares) > 1:
        why += "; unlabeled rows left out, for want of labels to judge them by"
    return Choice(trainer.usual_rounds, shares[0], why)


def _shares(model: ChoosingClassifier, data: Data) -> tuple[float, ...]:
    """The unlabeled weights to choose from; the first one needs no evidence."""
    if data.psi_from_unlabeled:
        if model.unlabeled_weight not in ("auto", 1, 1.0):
            raise ValueError(
                "With positives and unlabeled rows unlabeled_weight must be 1 or 'auto': labeled rows are no sample of "
                f"the population. Got {model.unlabeled_weight!r}."
            )
        return (1.0,)
    if data.unlabeled is None:
        return (0.0,)
    return SHARES if model.unlabeled_weight == "auto" else (float(model.unlabeled_weight),)


def validation_rows(model: ChoosingClassifier, X_val: Any, y_val: Any) -> Data | None:
    """Rows that the user gives to choose by, read as ``fit`` read its own; None without any."""
    if X_val is None and y_val is None:
        return None
    if X_val is None or y_val is None:
        raise ValueError("X_val and y_val must be given together. Got only one of them.")
    table, classes, caller = model._table(X_val), model.classes_, type(model).__name__
    labels = label_model_of(model)
    if model.label_model is not None:
        evidence = labels.read(y_val, len(table), model.missing_label, caller)
        same = np.array_equal(evidence.classes, classes)
        if same and not evidence.known.all():
            given, _ = split_rows(
                model._matrix(table), np.arange(len(table)), labels, evidence, np.ones(len(table)), None
            )
            if given.psi_from_unlabeled:
                return judges_of(given)
        if not same or not evidence.known.all():
            raise ValueError(
                f"y_val must hold labels of the same kind as y, for the classes {list(classes)}, and no unlabeled rows."
            )
        targets = evidence.targets
        weight = np.ones(len(table)) if evidence.weight is None else evidence.weight
        if model.class_weight is not None:
            weight, targets, _ = class_weighted(targets, classes, model.class_weight)
        return Data(model._matrix(table), evidence.codes, targets, weight)
    y_val = label_column(y_val, len(table), caller)
    if not {shown(value) for value in y_val} <= {shown(value) for value in classes.astype(y_val.dtype)}:
        raise ValueError(f"y_val must hold only the classes of y, {list(classes)}, and no unlabeled rows.")
    codes = np.searchsorted(classes, np.asarray(y_val, dtype=classes.dtype))
    weight = np.ones(len(codes)) if model.class_weight is None else compute_sample_weight(model.class_weight, y_val)
    return Data.of_classes(model._matrix(table), codes, len(classes), np.asarray(weight, dtype=np.float64))
