"""Training on dask collections, by the distributed forms of XGBoost and LightGBM; needs the extra ``dask``.

Labeled rows are few, so what is chosen on them (rounds, unlabeled weight) is chosen in this process, on the labeled
rows and a sample of the others. The final run is the backend's own distributed training with our objective, which is
row-local: no row leaves its worker.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..basics.atomic import replacing
from ..basics.checks import check_count, check_fixed_seed
from ..basics.errors import CheckpointError
from ..basics.places import place_of
from ..basics.typing import Floats
from ..core.sources import Pool
from ..estimators.boosting.training import stretch
from ..estimators.choosing import choose
from ..estimators.data import CHOICE_ROWS, Data
from ..estimators.held_out_choice import Choice
from ..labels.reading import known_rows, scored_rows
from ..rounds.checkpoint_places import check_place, told_if_it_fails
from ..tables.encoder import TableEncoder
from .backend import Ensemble
from .dask_rows import Glimpse, Partitions, as_array, backend_labels, glimpse, partitions, require_dask, some_rows
from .estimators import BackendClassifier, LGBMAgnosticClassifier, XGBAgnosticClassifier
from .lightgbm_backend import LGBMEnsemble
from .objective import UnlabeledObjective
from .trainer import Ensembles
from .xgboost_backend import XGBEnsemble

MOST_LABELED = 50_000  # labeled rows that are gathered to choose by


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
class DaskBackendClassifier(BackendClassifier):
    """What both share; see the subclasses."""

    _again = "fit again to go on"  # what to do after a worker was lost
    _local_type: ClassVar[type[BackendClassifier]]  # the ordinary estimator

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
        self._forget()
        client = _current(client)
        parts = partitions(X, y)
        self.n_features_in_ = parts.columns
        if parts.names:
            self.feature_names_in_ = np.array(parts.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_  # of an earlier fit
        self._column_numbers: list[int] = []
        self._encoder = TableEncoder.of_numbers(self._column_names)
        fingerprint = self._look(parts, client, np.dtype(y.dtype).kind == "b")
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

    def _look(self, parts: Partitions, client: Any, boolean: bool) -> str:
        """Classes and sizes, by one pass over the labels; and a fingerprint of all rows if there are checkpoints."""
        dask = require_dask()
        wanted = self.checkpoint is not None
        tasks = [dask.delayed(glimpse)(X, y, wanted) for X, y in zip(parts.X, parts.y, strict=True)]
        seen: list[Glimpse] = client.gather(client.compute(tasks))
        if wrong := [number for number, part in enumerate(seen) if not part.lengths_agree]:
            raise ValueError(
                f"Partitions of X and y must have the same rows. Those of partition {wrong[0]} differ. Take both from "
                "one frame, and repartition before you take them apart."
            )
        values = np.unique(np.concatenate([part.values for part in seen]))
        rows = sum(part.rows for part in seen)
        classes = values[known_rows(values, self.missing_label)]
        counts = dict.fromkeys(classes.tolist(), 0.0)
        for part in seen:
            for value, count in zip(part.values.tolist(), part.counts.tolist(), strict=True):
                if value in counts:
                    counts[value] += count
        self.n_labeled_ = int(sum(counts.values()))
        self.n_unlabeled_ = rows - self.n_labeled_
        if len(classes) < 2:
            raise ValueError(
                f"y must have labeled rows of at least 2 classes. Got {len(classes)}, in {self.n_labeled_} labeled and "
                f"{self.n_unlabeled_} unlabeled rows."
            )
        whole = (classes == np.floor(classes)).all()
        self.classes_ = classes.astype(bool if boolean else np.int64) if whole else classes
        return ",".join(part.fingerprint for part in seen)

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
        tables, codes, others = (
            np.concatenate(found) for found in zip(*client.gather(client.compute(tasks)), strict=True)
        )
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
            return self._train_on_cluster(client, job)
        except CheckpointError:
            raise
        except Exception as error:
            saved = job.checkpoint is not None and job.checkpoint.exists()
            first_line = (str(error).splitlines() or [""])[0][:200]
            kept = f"What was done is in {job.checkpoint}" if saved else "Nothing had been saved"
            raise RuntimeError(
                f"Distributed training stopped: a worker was lost, or failed ({type(error).__name__}: "
                f"{first_line}). No model was made. {kept}; {self._again}."
            ) from error

    @abstractmethod
    def _train_on_cluster(self, client: Any, job: Job) -> Ensemble:
        """One distributed run."""

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

    def pred_contribs(self, X: Any) -> Any:
        """SHAP values: a lazy dask array for a dask collection (two classes only), otherwise an array."""
        if len(self.classes_) > 2 and hasattr(X, "dask"):
            raise ValueError("pred_contribs on dask is for two classes. Use to_local() on parts of the table.")
        return self._lazily(X, "pred_contribs", self.n_features_in_ + 1)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy on the labeled rows; unlabeled rows are left out."""
        column = np.asarray(y.compute() if hasattr(y, "dask") else y)
        found = self.predict(X)
        found = found.compute() if hasattr(found, "dask") else found
        known = scored_rows(column, self.classes_, self.missing_label)
        weight = None if sample_weight is None else np.asarray(sample_weight)[known]
        return float(np.average(found[known] == column[known], weights=weight))

    def to_local(self) -> BackendClassifier:
        """The model as an ordinary estimator, which needs no dask; this is what ``save`` saves."""
        check_is_fitted(self, "_cut")
        local = self._local_type()
        known = local.get_params(deep=False)
        local.set_params(**{name: value for name, value in self.get_params(deep=False).items() if name in known})
        local.set_params(categorical_features=None)
        for name, value in vars(self).items():
            if name.endswith("_") or name in ("_encoder", "_column_numbers", "_model", "_cut"):
                setattr(local, name, value)
        return local

    def save(self, path: Any, *, sign: bytes | None = None) -> None:
        """Write the local model to one safe file; read it with :func:`agnoboost.load`."""
        self.to_local().save(path, sign=sign)


def _current(client: Any) -> Any:
    import distributed

    try:
        return distributed.get_client() if client is None else client
    except ValueError:
        raise ValueError(
            "A dask client is needed. Got none. Start one, for example distributed.Client(LocalCluster()), or pass "
            "client= to fit."
        ) from None


def _apply(block: Any, model: BackendClassifier, method: str) -> Any:
    if not len(block):
        return np.asarray(getattr(model, method)(np.zeros((1, model.n_features_in_))))[:0]
    return getattr(model, method)(np.asarray(block))


class DaskXGBAgnosticClassifier(DaskBackendClassifier, XGBAgnosticClassifier):
    """:class:`~agnoboost.integrations.XGBAgnosticClassifier` on dask DataFrames and arrays of numbers.

    Parameters beyond those of the class above:

    checkpoint : path, optional
        A file in which the booster is kept every ``checkpoint_every`` rounds; a fit that was stopped goes on from it.
        A file for each class (``path.0``, ...) if there are more than two. It is XGBoost's own UBJSON, and is deleted
        when all is done. It needs a ``random_state``, and one more pass over the rows for a fingerprint.
    checkpoint_every : int, default=50

    ``class_weight``, ``sample_weight``, categorical columns and validation rows are not supported here.
    """

    _local_type = XGBAgnosticClassifier

    def _train_on_cluster(self, client: Any, job: Job) -> Ensemble:
        xgboost = job.backend.load()
        import xgboost.dask as distributed_xgboost

        # Threads are what the worker has, unless the user wants another number.
        settings = {key: value for key, value in job.backend.settings.items() if key != "nthread" or value}
        X, y = job.arrays(np.float32)
        matrix = distributed_xgboost.DaskQuantileDMatrix(client, X, y, max_bin=settings.get("max_bin"))
        path, problem = job.checkpoint, repr((sorted(settings.items()), job.objective, job.rounds, job.identity))
        booster = None if path is None else _resumed(xgboost, path, problem)
        while (done := 0 if booster is None else booster.num_boosted_rounds()) < job.rounds:
            more = job.rounds - done if path is None else min(self.checkpoint_every, job.rounds - done)
            found = distributed_xgboost.train(
                client, settings, matrix, more, obj=job.objective, xgb_model=booster, verbose_eval=False
            )
            booster = found["booster"]
            if path is not None:
                booster.set_attr(problem=problem)
                with told_if_it_fails(path), replacing(path) as file:
                    file.write(booster.save_raw("ubj"))
        return XGBEnsemble(booster)


def _resumed(xgboost: Any, path: Path, problem: str) -> Any:
    """The booster of a fit that was stopped; None if there is none."""
    if not path.exists():
        return None
    try:
        booster = xgboost.Booster(model_file=bytearray(path.read_bytes()))
    except xgboost.core.XGBoostError:
        raise CheckpointError(f"{path} is not a checkpoint of XGBoost. Delete it to start anew.") from None
    if booster.attr("problem") != problem:
        raise CheckpointError(f"{path} belongs to another fit. Delete it to start anew, or choose another checkpoint.")
    return booster


class DaskLGBMAgnosticClassifier(DaskBackendClassifier, LGBMAgnosticClassifier):
    """:class:`~agnoboost.integrations.LGBMAgnosticClassifier` on dask DataFrames and arrays of numbers.

    See :class:`DaskXGBAgnosticClassifier`; LightGBM keeps no checkpoints here.
    """

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
