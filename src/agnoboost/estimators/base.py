"""What every classifier for partly labeled tables shares: reading rows, choosing on held-out labels, predicting.

Subclasses have the parameters named here and implement ``fit`` and ``_margins``.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import balanced_accuracy_score
from sklearn.utils import _safe_indexing
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.validation import _check_sample_weight, check_array, check_is_fitted, validate_data

from ..basics.typing import Floats, Matrix
from ..labels.models import ClassLabels, LabelModel
from ..labels.reading import label_column, shown
from ..tables.encoder import TableEncoder, is_frame
from . import outputs
from .data import Data
from .held_out_choice import SHARES, Choice, HeldOut, Watcher, choose_on, cross_choose, folds_for
from .rows import class_weighted, split_rows


def label_model_of(model: Any) -> LabelModel:
    """The classifier's label model; labels at face value if it has none."""
    found = model.label_model
    if found is None:
        return ClassLabels()
    if not isinstance(found, LabelModel):
        raise ValueError(
            f"label_model must be None or a label model of agnoboost.labels, such as FlipRates(0.2). Got {found!r}."
        )
    return found


class PartlyLabeledClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose label column has gaps."""

    unlabeled_weight: float | str
    validation_fraction: float | str | None
    class_weight: Any
    tune_threshold: bool
    categorical_features: Any
    missing_label: Any
    label_model: LabelModel | None
    n_jobs: int | None

    classes_: npt.NDArray[Any]
    _cut: float  # margins above it belong to the second class

    # ------------------------------------------------------------------ reading

    def _read(self, X: Any, y: Any, sample_weight: Any, X_unlabeled: Any) -> Data:
        """Labeled and unlabeled rows; learns classes, columns and categories."""
        self._forget()
        table = self._table(X, reset=True)
        model = label_model_of(self)
        weight = np.asarray(_check_sample_weight(sample_weight, np.empty((len(table), 1)), dtype=np.float64))
        if (weight < 0).any():
            raise ValueError(f"sample_weight must be nonnegative. Got a minimum of {weight.min():g}.")
        if self.label_model is not None and not weight.all():  # such rows are as if not there
            kept = np.flatnonzero(weight)
            table, y, weight = _safe_indexing(table, kept), _safe_indexing(y, kept), weight[kept]
        evidence = model.read(y, len(table), self.missing_label, type(self).__name__)
        extra = None if X_unlabeled is None else self._table(X_unlabeled)
        self._encoder = TableEncoder(self.categorical_features).fit(*([table] if extra is None else [table, extra]))
        rows = self._matrix(table)
        if extra is not None:
            more = self._matrix(extra)
            rows, weight = np.concatenate([rows, more]), np.concatenate([weight, np.ones(len(more))])
            evidence = replace(evidence, known=np.concatenate([evidence.known, np.zeros(len(more), dtype=bool)]))
        data, self.classes_ = split_rows(rows, model, evidence, weight, self.class_weight)
        self.n_labeled_ = len(data.codes) if data.labels is None else data.labels
        self.n_unlabeled_ = 0 if data.unlabeled is None else len(data.unlabeled)
        return data

    def _forget(self) -> None:
        """Not fitted any more: should this fit fail, half of an earlier model must not be left."""
        if hasattr(self, "_cut"):
            del self._cut

    def _table(self, X: Any, *, reset: bool = False) -> Any:
        """Names and number of columns checked; values as they came."""
        if not is_frame(X):
            return validate_data(self, X, reset=reset, dtype="numeric", ensure_all_finite="allow-nan")
        validate_data(self, X, reset=reset, skip_check_array=True)
        return X

    def _matrix(self, table: Any) -> Floats:
        matrix = self._encoder.transform(table)
        nan = "allow-nan" if self.__sklearn_tags__().input_tags.allow_nan else True
        return np.asarray(check_array(matrix, dtype=np.float64, ensure_all_finite=nan, input_name="X"))

    # ----------------------------------------------------------------- choosing

    def _choose(self, trainer: Watcher, data: Data, X_val: Any, y_val: Any, usual: str) -> Choice:
        """Rounds and unlabeled weight; ``usual`` says what is done where nothing is held out."""
        self._refuse_threshold()
        if data.apart:
            return self._without_choice(trainer, data, X_val, y_val)
        automatic = self.unlabeled_weight == "auto"
        fixed = 1.0 if automatic else float(self.unlabeled_weight)
        shares = SHARES if automatic else (fixed,)
        if data.unlabeled is None:
            shares, fixed = (0.0,), 0.0
        if X_val is not None or y_val is not None:
            return choose_on(trainer, data, self._validation(X_val, y_val), shares)
        counts = np.bincount(data.codes, minlength=trainer.classes)
        folds = folds_for(self.validation_fraction, counts)
        if folds:
            return cross_choose(trainer, data, folds, shares, self.n_jobs)
        if self.tune_threshold:
            raise ValueError(
                "tune_threshold=True needs held-out labels. Got too few labels, or validation_fraction=None. Pass "
                "validation_fraction=0.2, X_val and y_val, or tune_threshold=False."
            )
        why = f"no labels held out ({len(counts)} classes with {counts.min()} to {counts.max()} labels): {usual}"
        if len(shares) > 1:
            fixed = 0.0
            why += "; unlabeled rows left out, for want of labels to judge them by"
        return Choice(trainer.usual_rounds, fixed, why)

    def _without_choice(self, trainer: Watcher, data: Data, X_val: Any, y_val: Any) -> Choice:
        """Labeled rows that are no sample of the population cannot judge, and psi must come from unlabeled rows."""
        if self.unlabeled_weight not in ("auto", 1, 1.0):
            raise ValueError(
                "With positives and unlabeled rows unlabeled_weight must be 1 or 'auto': labeled rows are no sample of "
                f"the population. Got {self.unlabeled_weight!r}."
            )
        if X_val is not None or y_val is not None:
            return choose_on(trainer, data, self._validation(X_val, y_val), (1.0,))
        if self.tune_threshold:
            raise ValueError("tune_threshold=True needs held-out labels of both classes: pass X_val and y_val.")
        return Choice(trainer.usual_rounds, 1.0, "nothing held out: labeled rows are no sample of the population")

    def _validation(self, X_val: Any, y_val: Any) -> Data:
        if X_val is None or y_val is None:
            raise ValueError("X_val and y_val must be given together. Got only one of them.")
        table = self._table(X_val)
        model = label_model_of(self)
        if self.label_model is not None and model.judges:
            evidence = model.read(y_val, len(table), self.missing_label, type(self).__name__)
            if not evidence.known.all() or not np.array_equal(evidence.classes, self.classes_):
                raise ValueError(
                    f"y_val must hold labels of the same kind as y, for the classes {list(self.classes_)}, and no "
                    "unlabeled rows."
                )
            weight, targets = np.ones(len(table)), evidence.targets
            if self.class_weight is not None:
                weight, targets = class_weighted(targets, self.classes_, self.class_weight)
            return Data(self._matrix(table), evidence.codes, targets, weight)
        y_val = label_column(y_val, len(table), type(self).__name__)
        if not {shown(value) for value in y_val} <= {shown(value) for value in self.classes_.astype(y_val.dtype)}:
            raise ValueError(f"y_val must hold only the classes of y, {list(self.classes_)}, and no unlabeled rows.")
        codes = np.searchsorted(self.classes_, np.asarray(y_val, dtype=self.classes_.dtype))
        weight = np.ones(len(codes)) if self.class_weight is None else compute_sample_weight(self.class_weight, y_val)
        return Data.of_classes(self._matrix(table), codes, len(self.classes_), np.asarray(weight, dtype=np.float64))

    def _refuse_threshold(self) -> None:
        if self.tune_threshold and len(self.classes_) > 2:
            raise ValueError(
                f"tune_threshold=True is for two classes. Got {len(self.classes_)}. Use class_weight='balanced'."
            )

    def _place_cut(self, held_out: HeldOut | None) -> None:
        """The decision threshold: 0, or the best one on held-out labels."""
        self._cut = outputs.tuned_cut(held_out, balanced_accuracy_score) if self.tune_threshold else 0.0

    # --------------------------------------------------------------- prediction

    @abstractmethod
    def _margins(self, rows: Matrix) -> Floats:
        """H(x) of prepared rows (shape: rows, classes or 1)."""

    def _rows(self, X: Any) -> Matrix:
        check_is_fitted(self, "_cut")  # what fit sets last
        return self._matrix(self._table(X))

    def decision_function(self, X: Any) -> Floats:
        """Margins H(x): positive for ``classes_[1]``; one column a class if there are more than two."""
        return self._decision(self._margins(self._rows(X)))

    def _decision(self, margins: Floats) -> Floats:
        if margins.shape[1] > 1:
            return margins
        # A row exactly on the fence belongs to the positive class: sign(0) = +1.
        value = margins[:, 0] - self._cut
        return np.where(value == 0.0, outputs.FENCE, value)

    def predict_proba(self, X: Any) -> Floats:
        """Estimates of P(class | x): (1 + psi'(H))/2, the Huber minimiser being H = E[y|x]; rows sum to one."""
        return outputs.probabilities(self._margins(self._rows(X)))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The class of the largest margin."""
        return self._classes_of(self.decision_function(X))

    def _classes_of(self, decision: Floats) -> npt.NDArray[Any]:
        codes = (decision > 0).astype(int) if decision.ndim == 1 else decision.argmax(axis=1)
        return np.asarray(self.classes_[codes])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy on the labeled rows; unlabeled rows are left out.

        Soft labels and votes count for the likelier class.
        """
        rows = X.shape[0] if hasattr(X, "shape") else len(X)
        column = label_model_of(self).classes_of(y, rows, self.missing_label, type(self).__name__)
        known = outputs.scored_rows(column, self.classes_, self.missing_label)
        weight = None if sample_weight is None else np.asarray(sample_weight)[known]
        right = [a == b for a, b in zip(self.predict(X)[known], column[known], strict=True)]
        return float(np.average(np.array(right, dtype=float), weights=weight))
