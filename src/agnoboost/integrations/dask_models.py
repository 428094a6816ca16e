"""What all estimators on dask share: reading collections of numbers, and lazy predictions."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..estimators.base import PartlyLabeledClassifier
from ..labels.reading import scored_rows
from ..tables.encoder import TableEncoder
from .dask_rows import LabelCounts, Partitions, count_labels, partitions, require_dask


class OnDask(PartlyLabeledClassifier):
    """A classifier of dask DataFrames and arrays; ``to_local`` gives the ordinary one."""

    _local_type: ClassVar[type[PartlyLabeledClassifier]]  # the ordinary estimator
    _model_name: ClassVar[str]  # the attribute that holds what was learned

    # ------------------------------------------------------------------ reading

    def _partitions(self, X: Any, y: Any) -> Partitions:
        """The parts of a table and its labels; learns the columns."""
        self._forget()
        parts = partitions(X, y)
        self.n_features_in_ = parts.columns
        if parts.names:
            self.feature_names_in_ = np.array(parts.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_  # of an earlier fit
        self._column_numbers: list[int] = []
        self._encoder = TableEncoder.of_numbers(self._column_names)
        return parts

    def _count(self, client: Any, parts: Partitions, dtype: Any, fingerprint: bool = False) -> LabelCounts:
        """What the labels are; learns the classes."""
        seen = count_labels(client, parts, self.missing_label, dtype.kind == "b", fingerprint)
        self.classes_ = seen.classes
        self.n_labeled_, self.n_unlabeled_ = int(seen.labeled.sum()), int(seen.unlabeled.sum())
        return seen

    # --------------------------------------------------------------- prediction

    def _lazily(self, X: Any, method: str, columns: int) -> Any:
        """A method of the local model on every partition, as a dask array; other tables at once."""
        dask, model = require_dask(), self.to_local()
        if not isinstance(X, (dask.dataframe.DataFrame, dask.array.Array)):
            return getattr(model, method)(X)
        if isinstance(X, dask.dataframe.DataFrame):
            names = list(map(str, X.columns))
            if hasattr(model, "feature_names_in_") and names != model.feature_names_in_.tolist():
                raise ValueError(f"Columns must be those of fit, {model.feature_names_in_.tolist()}. Got {names}.")
            X = X.to_dask_array(lengths=True)
        if hasattr(model, "feature_names_in_"):
            del model.feature_names_in_  # checked; partitions come as arrays
        X = X.rechunk({1: -1})
        probe = np.asarray(getattr(model, method)(np.zeros((1, self.n_features_in_))))
        shape: dict[str, Any] = {"drop_axis": 1} if columns == 0 else {"chunks": (X.chunks[0], (columns,))}
        return X.map_blocks(partial(_apply, model=model, method=method), dtype=probe.dtype, **shape)

    def predict(self, X: Any) -> Any:
        """Classes: a lazy dask array for a dask collection, otherwise an array."""
        return self._lazily(X, "predict", 0)

    def predict_proba(self, X: Any) -> Any:
        """Probabilities: a lazy dask array for a dask collection, otherwise an array."""
        return self._lazily(X, "predict_proba", len(self.classes_))

    def decision_function(self, X: Any) -> Any:
        """Margins: a lazy dask array for a dask collection, otherwise an array."""
        return self._lazily(X, "decision_function", 0 if len(self.classes_) == 2 else len(self.classes_))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy on the labeled rows; unlabeled rows are left out."""
        column = np.asarray(y.compute() if hasattr(y, "dask") else y)
        found = self.predict(X)
        found = found.compute() if hasattr(found, "dask") else found
        known = scored_rows(column, self.classes_, self.missing_label)
        weight = None if sample_weight is None else np.asarray(sample_weight)[known]
        return float(np.average(found[known] == column[known], weights=weight))

    def to_local(self) -> Any:
        """The model as an ordinary estimator, which needs no dask; this is what ``save`` saves."""
        check_is_fitted(self, "_cut")
        local = self._local_type()
        known = local.get_params(deep=False)
        fixed = {name: getattr(self, name) for name in known if hasattr(self, name)}
        local.set_params(**fixed | {"categorical_features": None})
        for name, value in vars(self).items():
            if name.endswith("_") or name in ("_encoder", "_column_numbers", "_cut", self._model_name):
                setattr(local, name, value)
        return local

    def save(self, path: Any, *, sign: bytes | None = None) -> None:
        """Write the local model to one safe file; read it with :func:`agnoboost.load`."""
        self.to_local().save(path, sign=sign)


def _apply(block: Any, model: Any, method: str) -> Any:
    if not len(block):
        return np.asarray(getattr(model, method)(np.zeros((1, model.n_features_in_))))[:0]
    return getattr(model, method)(np.asarray(block))
