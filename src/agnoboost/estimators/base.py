"""What every classifier for partly labeled tables shares: reading rows, and predicting.

Subclasses implement ``fit`` and ``_margins``. Classifiers are dataclasses, whose fields are their parameters: what
scikit-learn wants of ``__init__``, every argument kept as it came, is what a dataclass does.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_sample_weight, check_array, check_is_fitted, validate_data

from ..basics.device_arrays import to_host
from ..basics.typing import Floats, Matrix
from ..basics.user_warnings import tell
from ..core.probabilities import FENCE, probabilities
from ..evaluation.by_class import NeverPredictedWarning, by_class, warnings_of
from ..files import save
from ..kernels.gradient_trees import LARGEST
from ..labels.annotators import Annotator
from ..labels.models import ClassLabels, LabelModel
from ..labels.reading import scored_rows
from ..tables.arriving import arrived, check_arrays, check_same_numbers, numbers_as_names
from ..tables.cells import is_frame
from ..tables.encoder import TableEncoder
from .data import Data, split_rows
from .threshold import HeldOut, best_cut, check_costs


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


def _weights(sample_weight: Any, rows: int) -> Floats:
    """One for each row, checked."""
    if isinstance(sample_weight, np.ma.MaskedArray) and np.ma.getmaskarray(sample_weight).any():
        count = int(np.ma.getmaskarray(sample_weight).sum())
        raise ValueError(f"sample_weight must be known for every row. Got {count} that are masked. Fill them in.")
    weight = np.asarray(_check_sample_weight(to_host(sample_weight), np.empty((rows, 1)), dtype=np.float64))
    if (weight < 0).any():
        raise ValueError(f"sample_weight must be nonnegative. Got a minimum of {weight.min():g}.")
    if weight.max(initial=0.0) > LARGEST:
        raise ValueError(
            f"sample_weight must hold numbers up to {LARGEST:g}. Got weights up to {weight.max():g}. Divide them all "
            "by the largest."
        )
    return weight


@dataclass(eq=False, repr=False, kw_only=True)
class PartlyLabeledClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose label column has gaps."""

    class_weight: Any = None
    tune_threshold: bool | Mapping[Any, float] = False
    categorical_features: Any = "auto"
    missing_label: Any = "auto"
    label_model: Any = None
    random_state: Any = None
    verbose: int = 0

    classes_: npt.NDArray[Any] = field(init=False)
    annotators_: tuple[Annotator, ...] = field(init=False, default=())  # of the fit; model files do not keep them
    _cut: float = field(init=False)  # margins above it belong to the second class
    _class_weights: Floats | None = field(
        init=False, default=None
    )  # of the fit; probabilities are those of weighted classes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = False
        return tags

    # ------------------------------------------------------------------ reading

    def _read(self, X: Any, y: Any, sample_weight: Any, X_unlabeled: Any) -> Data:
        """Labeled and unlabeled rows; learns classes, columns and categories."""
        self._forget()
        table, y = self._table(X, reset=True), to_host(y)
        model = label_model_of(self)
        weight = _weights(sample_weight, len(table))
        total, numbers = len(table), np.arange(len(table))
        if self.label_model is not None and not weight.all():  # such rows are as if not there
            numbers = np.flatnonzero(weight)
            table, y, weight = _safe_indexing(table, numbers), _safe_indexing(y, numbers), weight[numbers]
        evidence = model.read(y, len(table), self.missing_label, type(self).__name__)
        self.annotators_ = evidence.annotators
        extra = None if X_unlabeled is None else self._table(X_unlabeled)
        tables = [table] if extra is None else [table, extra]
        check_arrays(tables)
        self._encoder = TableEncoder(self.categorical_features).fit(*tables)
        rows = self._matrix(table)
        if extra is not None:
            more = self._matrix(extra)
            rows, weight = np.concatenate([rows, more]), np.concatenate([weight, np.ones(len(more))])
            evidence = replace(evidence, known=np.concatenate([evidence.known, np.zeros(len(more), dtype=bool)]))
            numbers = np.concatenate([numbers, total + np.arange(len(more))])
        data, self.classes_ = split_rows(rows, numbers, model, evidence, weight, self.class_weight)
        self._class_weights = data.class_weights
        self.n_labeled_ = len(data.codes) if data.labels is None else data.labels
        self.n_unlabeled_ = 0 if data.unlabeled is None else len(data.unlabeled)
        return data

    def _forget(self) -> None:
        """Not fitted any more: should this fit fail, half of an earlier model must not be left."""
        if hasattr(self, "_cut"):
            del self._cut

    def _table(self, X: Any, *, reset: bool = False) -> Any:
        """Names and number of columns checked; values as they came."""
        X = arrived(X)
        if not is_frame(X):
            checked = validate_data(self, X, reset=reset, dtype="numeric", ensure_all_finite="allow-nan")
        else:
            validate_data(self, X, reset=reset, skip_check_array=True)
            checked = X
        if reset:
            self._column_numbers = numbers_as_names(X)
        else:
            check_same_numbers(X, self._column_numbers)
        return checked

    def _matrix(self, table: Any) -> Floats:
        matrix = self._encoder.transform(table)
        nan = "allow-nan" if self.__sklearn_tags__().input_tags.allow_nan else True
        return np.asarray(check_array(matrix, dtype=np.float64, ensure_all_finite=nan, input_name="X"))

    @property
    def _column_names(self) -> list[str]:
        return [str(name) for name in getattr(self, "feature_names_in_", range(self.n_features_in_))]

    @property
    def _matrix_names(self) -> list[str]:
        """Of a column of the table several may have been made, or none."""
        return self._encoder.names

    def _check_threshold(self) -> None:
        """Refuse a threshold that cannot be tuned, as soon as the classes are known."""
        check_costs(self.tune_threshold, self.classes_, self.class_weight)

    def _place_cut(self, held_out: HeldOut | None) -> None:
        """The decision threshold: 0, or the best one on held-out labels. Comes last: the model is fitted now."""
        if self.tune_threshold:
            assert held_out is not None
            found = best_cut(self.tune_threshold, self.classes_, held_out)
            if found is not None:
                self._cut = found
                return
            tell("tune_threshold: rows left out are ranked no better than by chance. The threshold stays where it is.")
        self._cut = 0.0
        told = self.class_weight is not None  # who weighs classes knows of them
        if held_out is not None and held_out.psi is None and not told and label_model_of(self).names_classes:
            self._tell_of_classes_never_predicted(held_out)

    def _tell_of_classes_never_predicted(self, held_out: HeldOut) -> None:
        """One warning for all classes that held-out rows have, and that none of them is taken for."""
        decision = self._decision(held_out.margins)
        truth, predicted = self.classes_[held_out.codes], self._classes_of(decision)
        if np.isin(truth, predicted).all():
            return
        scores = np.column_stack([-decision, decision]) if decision.ndim == 1 else decision
        movable = len(self.classes_) == 2 and not self.tune_threshold
        move = "tune_threshold=True, or what a miss of each class costs" if movable else ""
        told = warnings_of(by_class(truth, predicted, scores, list(self.classes_)), move=move)
        tell(f"On rows left out: {' '.join(told)}", NeverPredictedWarning)

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
        return np.where(value == 0.0, FENCE, value)

    def predict_proba(self, X: Any) -> Floats:
        """Estimates of P(class | x): (1 + psi'(H))/2, the Huber minimiser being H = E[y|x]; rows sum to one."""
        return self._probabilities(self._margins(self._rows(X)))

    def _probabilities(self, margins: Floats) -> Floats:
        return probabilities(margins)

    @property
    def threshold_(self) -> float | None:
        """From which probability on the second class is predicted, if that was tuned."""
        check_is_fitted(self, "_cut")
        return float(self._probabilities(np.array([[self._cut]]))[0, 1]) if self.tune_threshold else None

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
        known = scored_rows(column, self.classes_, self.missing_label)
        weight = _weights(sample_weight, rows)[known]
        if not weight.any():
            raise ValueError("Some row with a label must have a sample_weight above 0. Got none.")
        right = [a == b for a, b in zip(self.predict(X)[known], column[known], strict=True)]
        return float(np.average(np.array(right, dtype=float), weights=weight))

    # -------------------------------------------------------------------- files

    def save(self, path: Any, *, sign: bytes | None = None) -> None:
        """Write the model to one safe file; read it with :func:`agnoboost.load`.

        With a key (``sign``, at least 16 bytes that only you and the reader have) the file is signed, and
        ``load(path, verify=key)`` refuses any that was not signed with it.
        """
        check_is_fitted(self, "_cut")
        save(self, path, sign)
