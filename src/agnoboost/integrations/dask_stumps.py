"""The paper's estimator with stumps on dask collections: rows stay on their workers, the rounds run here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from ..basics.errors import RowsLostError
from ..basics.stages import Stages
from ..estimators.boosting.estimator import AgnosticBoostingClassifier
from ..estimators.boosting.far import check_far, fit_far
from .dask_far import DaskBlocks
from .dask_models import OnDask
from .dask_rows import current_client, require_dask, stopped
from .documentation import parameters_of

_FIXED = ("weak_learner", "batch_size", "class_weight", "categorical_features", "label_model")
_ON_DASK = """:class:`~agnoboost.AgnosticBoostingClassifier` with stumps on dask DataFrames and arrays of numbers.

    It is ``AgnosticBoostingClassifier(weak_learner="stump", batch_size=None)``, and makes the same model to the bit,
    whatever the number of workers (with more than 50,000 labels, rounds and unlabeled weight are chosen by a sample of
    these). Each worker keeps its rows as one byte a value and a few bytes a row; the rounds run in this process, from
    sums over all rows, and ask the workers now and then (``history_.questions`` says how often).

    With ``checkpoint`` a fit that was stopped, by a lost worker for example, goes on from the file on any number of
    workers. The algorithms are "algorithm1" and "algorithm3". ``class_weight``, ``sample_weight``, label models,
    categorical columns and validation rows are not supported here.

"""


@dataclass(eq=False, repr=False, kw_only=True)
class DaskAgnosticBoostingClassifier(OnDask, AgnosticBoostingClassifier):
    __doc__ = _ON_DASK + parameters_of(AgnosticBoostingClassifier, but=_FIXED)

    _local_type = AgnosticBoostingClassifier
    _model_name = "_tapes"

    weak_learner: Any = field(default="stump", init=False)
    batch_size: Any = field(default=None, init=False)
    class_weight: Any = field(default=None, init=False)
    categorical_features: Any = field(default=None, init=False)
    label_model: Any = field(default=None, init=False)

    def fit(self, X: Any, y: Any, client: Any = None) -> Self:  # type: ignore[override]
        """Train on a dask DataFrame or array ``X`` and labels ``y`` in the same partitions.

        ``client`` is the current one by default.
        """
        require_dask()
        self._check_parameters()
        check_far(self)
        client = current_client(client)
        stages = Stages(self.verbose)
        stages.begin("counting labels")
        parts = self._partitions(X, y)
        seen = self._count(client, parts, np.dtype(y.dtype))
        blocks = DaskBlocks(client, parts, self.classes_.astype(np.float64), seen.labeled, seen.unlabeled)
        try:
            fit_far(self, blocks, stages)
        except RowsLostError as error:
            raise stopped(error, self.checkpoint, "fit again to go on") from error
        self._finish(self.history_.choice)
        return self
