"""Training on dask collections; needs the extra ``dask``. Our own rounds are in ``dask_stumps``.

Here are the distributed forms of XGBoost and LightGBM. Labeled rows are few, so what is chosen on them (rounds,
unlabeled weight) is chosen in this process, on the labeled rows and a sample of the others. The final run is the
backend's own distributed training with our objective, which is row-local: no row leaves its worker.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np

from ..basics.checks import check_count, check_fixed_seed
from ..basics.errors import CheckpointError
from ..basics.places import place_of
from ..basics.typing import Floats
from ..core.sources import Pool
from ..estimators.boosting.far import MOST_LABELED
from ..estimators.boosting.training import stretch
from ..estimators.choosing import choose
from ..estimators.data import CHOICE_ROWS, Data
from ..estimators.held_out_choice import Choice
from ..rounds.checkpoint_places import check_place
from .backend import Ensemble
from .dask_checkpoint import keep, kept
from .dask_connection import gathered, while_connected
from .dask_models import OnDask
from .dask_rows import Partitions, as_array, backend_labels, current_client, require_dask, some_rows, stopped
from .dask_stumps import DaskAgnosticBoostingClassifier
from .documentation import KEPT, NOT_KEPT, on_dask
from .estimators import BackendClassifier, LGBMAgnosticClassifier, XGBAgnosticClassifier
from .lightgbm_backend import LGBMEnsemble
from .objective import UnlabeledObjective
from .trainer import Ensembles
from .xgboost_backend import XGBEnsemble

__all__ = ["DaskAgnosticBoostingClassifier", "DaskLGBMAgnosticClassifier", "DaskXGBAgnosticClassifier"]


@dataclass(frozen=True)
class Job:
    """One distributed run."""

    parts: Partitions
    label: Callable[[Any], Floats]  # from a part of y to labels as backends get them
    objective: UnlabeledObjective
    rounds: int
    backend: Any
    checkpoint: Path | None
    identity: str  # of the rows and the problem

    def arrays(self, dtype: Any) -> tuple[Any, Any]:
        """The table, in the numbers that the backend works with, and its labels as dask arrays."""
        dask = require_dask()
        X = [as_array(part, self.parts.columns, dtype) for part in self.parts.X]
        y = [as_array(dask.delayed(self.label)(part), None) for part in self.parts.y]
        return dask.array.concatenate(X), dask.array.concatenate(y)


@dataclass(eq=False, repr=False, kw_only=True)
class DaskBackendClassifier(OnDask, BackendClassifier):
    """What both share; see the subclasses."""

    _again = "fit again to go on"  # what to do after a worker was lost
    _model_name = "_model"

    # The three that are not supported here are no parameters.
    class_weight: Any = field(default=None, init=False)
    categorical_features: Any = field(default="auto", init=False)
    label_model: Any = field(default=None, init=False)
    checkpoint: Any = None
    checkpoint_every: int = 50

    # ------------------------------------------------------------------ fitting

    def fit(self, X: Any, y: Any, client: Any = None) -> Self:  # type: ignore[override]
        """Train on a dask DataFrame or array ``X`` and labels ``y`` in the same partitions.

        ``client`` is the current one by default.
        """
        require_dask()
        self._check_parameters()
        client = current_client(client)
        parts = self._partitions(X, y)
        fingerprint = self._count(client, parts, np.dtype(y.dtype), self.checkpoint is not None).fingerprint
        trainer = self._trainer(None)
        data, whole = self._gathered(parts, client, trainer.seed)
        choice = choose(self, trainer, data, None)
        if whole and choice.unlabeled_weight == 0.0:  # all that counts is here
            model = trainer.run(data, 0.0, choice.rounds)
        else:
            jobs = self._jobs(parts, choice, trainer.backend, fingerprint)
            each = [self._trained(client, job) for job in jobs]
            for job in jobs:
                if job.checkpoint is not None:
                    place_of(job.checkpoint).path.unlink(missing_ok=True)
            model = Ensembles(each, stretch(choice.unlabeled_weight, float(self.shift)))
        self._keep(model, choice)
        self._finish(choice)
        return self

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_count(self.checkpoint_every, "checkpoint_every")
        check_fixed_seed(self.checkpoint, self.random_state)
        if self.checkpoint is not None:
            check_place(self.checkpoint)

    def _gathered(self, parts: Partitions, client: Any, seed: int) -> tuple[Data, bool]:
        """Labeled rows and a sample of the others in this process; and whether all labeled rows are there."""
        dask = require_dask()
        labeled = min(1.0, MOST_LABELED / self.n_labeled_)
        most = max(CHOICE_ROWS, 4 * min(self.n_labeled_, MOST_LABELED))
        unlabeled = min(1.0, most / max(1, self.n_unlabeled_))
        classes = self.classes_.astype(np.float64)
        tasks = [
            dask.delayed(some_rows)(X, y, classes, labeled, unlabeled, seed + number)
            for number, (X, y) in enumerate(zip(parts.X, parts.y, strict=True))
        ]
        tables, codes, others = (np.concatenate(found) for found in zip(*gathered(client, tasks), strict=True))
        pool = Pool(others) if len(others) else None
        return Data.of_classes(tables, codes, len(self.classes_), np.ones(len(codes)), pool), labeled == 1.0

    def _jobs(self, parts: Partitions, choice: Choice, backend: Any, fingerprint: str) -> list[Job]:
        """One run for each one-against-rest problem."""
        totals = float(self.n_labeled_), float(self.n_unlabeled_)
        objective = UnlabeledObjective(self.potential, choice.unlabeled_weight, float(self.shift), totals)
        jobs = []
        for problem in [None] if len(self.classes_) == 2 else range(len(self.classes_)):
            label = partial(backend_labels, classes=self.classes_.astype(np.float64), problem=problem)
            ending = "" if problem is None else f".{problem}"
            path = None if self.checkpoint is None else Path(f"{self.checkpoint}{ending}")
            identity = repr((fingerprint, self.classes_.tolist(), problem))
            jobs.append(Job(parts, label, objective, choice.rounds, backend, path, identity))
        return jobs

    def _trained(self, client: Any, job: Job) -> Ensemble:
        """A run, or an error that says what is left of it."""
        try:
            return while_connected(client, partial(self._train_on_cluster, client, job), pinned=True)
        except CheckpointError:
            raise
        except Exception as error:
            raise stopped(error, job.checkpoint, self._again) from error

    @abstractmethod
    def _train_on_cluster(self, client: Any, job: Job) -> Ensemble:
        """One distributed run."""

    def pred_contribs(self, X: Any) -> Any:
        """SHAP values: a lazy dask array for a dask collection (two classes only), otherwise an array."""
        if len(self.classes_) > 2 and hasattr(X, "dask"):
            raise ValueError("pred_contribs on dask is for two classes. Use to_local() on parts of the table.")
        return self._lazily(X, "pred_contribs", self.n_features_in_ + 1)


class DaskXGBAgnosticClassifier(DaskBackendClassifier, XGBAgnosticClassifier):
    __doc__ = on_dask("XGBoost", KEPT)
    _local_type = XGBAgnosticClassifier

    def _train_on_cluster(self, client: Any, job: Job) -> Ensemble:
        job.backend.load()
        import xgboost.dask as distributed_xgboost

        # Threads are what the worker has, unless the user wants another number.
        settings = {key: value for key, value in job.backend.settings.items() if key != "nthread" or value}
        X, y = job.arrays(np.float32)
        matrix = distributed_xgboost.DaskQuantileDMatrix(client, X, y, max_bin=settings.get("max_bin"))
        path, problem = job.checkpoint, repr((sorted(settings.items()), job.objective, job.rounds, job.identity))
        before = None if path is None else kept(path, problem, job.parts.columns)
        booster = None if before is None else before.booster
        while (done := 0 if booster is None else booster.num_boosted_rounds()) < job.rounds:
            more = job.rounds - done if path is None else min(self.checkpoint_every, job.rounds - done)
            found = distributed_xgboost.train(
                client, settings, matrix, more, obj=job.objective, xgb_model=booster, verbose_eval=False
            )
            booster = found["booster"]
            if path is not None:
                keep(path, XGBEnsemble(booster), problem)
        return XGBEnsemble(booster)


class DaskLGBMAgnosticClassifier(DaskBackendClassifier, LGBMAgnosticClassifier):
    __doc__ = on_dask("LightGBM", NOT_KEPT)
    # Workers that are left may still hold connections of the run that broke.
    _again = "restart the workers (client.restart()) and fit again"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.checkpoint is not None:
            raise ValueError("LightGBM keeps no checkpoints on dask. Use DaskXGBAgnosticClassifier, or none.")

    _local_type = LGBMAgnosticClassifier

    def _train_on_cluster(self, client: Any, job: Job) -> Ensemble:
        lightgbm = job.backend.load()
        # Threads are what the worker has.
        settings = {key: value for key, value in job.backend.settings.items() if key != "num_threads"}
        model = lightgbm.DaskLGBMRegressor(objective=job.objective, n_estimators=job.rounds, client=client, **settings)
        return LGBMEnsemble(model.fit(*job.arrays(np.float64)).to_local().booster_)
