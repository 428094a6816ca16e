"""The scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Iterator
from os import fspath
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import balanced_accuracy_score
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.validation import _check_sample_weight, check_array, check_is_fitted, validate_data

from .._typing import Floats, Matrix
from ..kernels.binning import Bins
from ..labels import read_labels, shown
from ..learners.base import WeakLearner
from ..table import TableEncoder, is_frame
from ..tape import Tape
from . import builders, outputs
from .parameters import check_parameters, resolved_shift
from .rows import label_column, split_rows
from .sklearn_callbacks import CallbackSupport, RoundTasks, with_callbacks
from .training import (
    SHARES,
    Checkpointing,
    Choice,
    Data,
    FitHistory,
    Trainer,
    choose_on,
    cross_choose,
    folds_for,
)


class AgnosticBoostingClassifier(CallbackSupport, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Agnostic boosting for tables in which few rows are labeled, and some labels are wrong.

    Mark unlabeled rows in ``y`` by NaN, None or pandas.NA, or by -1 where at least two other classes occur; or pass
    them as ``X_unlabeled`` to ``fit``. Missing values (NaN in X) and categorical columns need no preparation with the
    built-in weak learners. More than two classes are handled one against the rest.

    Parameters
    ----------
    algorithm : {"algorithm1", "algorithm2", "algorithm3", "pab", "gs24"}, default="algorithm1"
        The paper's Algorithm 1, 2 (reuse of unlabeled rows) or 3 (covariate shift), or one of the labeled-only
        baselines PAB (2009) and GS24 (2024).
    weak_learner : {"tree", "stump"}, classifier or WeakLearner, default="tree"
        "tree": depth 7 at most, each node looking at the square root of the number of features, drawn at random, and
        each split worth at least one labeled row. "stump": one split over all features; the model is then a sum of
        functions of one feature each. Or any scikit-learn classifier that takes ``sample_weight``.
    n_rounds : int, default=500
        The most rounds; how many are used is chosen on held-out labels (see ``validation_fraction``).
    step_size : float, default=0.01
        How far a round moves the margins. Rounds times step, the total step, is the largest margin; about 1 suits
        few and noisy labels.
    threshold : float, default=0.001
        Edge at or below which margins shrink instead of growing (the paper's tau).
    batch_size : {"bootstrap"}, int or None, default="bootstrap"
        What a round shows to the weak learner: all rows with random multiplicities, that many rows, or all rows.
    unlabeled_weight : float in [0, 1] or "auto", default="auto"
        1 is the paper's algorithm, 0 does without the unlabeled rows, values between combine both without bias.
        "auto" chooses among 0, 0.5 and 1 on held-out labels, so that unlabeled rows cannot silently hurt: they are
        used only if that is better by more than two standard errors (``history_.choice`` has the evidence).
    shift : float or "auto", default=1.0
        For "algorithm3": an upper bound on how many times more likely a region is among labeled than among unlabeled
        rows. "auto" takes twice what :func:`~agnoboost.estimate_shift` finds for 95% of the labeled rows, or 1 if no
        shift is visible. Steps are divided by it, so that overestimating it costs little.
    validation_fraction : float, "auto" or None, default="auto"
        Share of the labeled rows that is held out, in turn, to choose rounds and unlabeled weight; the model is then
        trained on all labels. "auto" is 0.2 with at least 100 labels and 5 a class. Where nothing is held out, or the
        held-out labels do not speak clearly for another number, rounds are run up to a total step of 1.2; with "auto"
        weight and nothing held out, unlabeled rows are left out.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn.
    tune_threshold : bool, default=False
        For two classes: move the decision threshold to the best balanced accuracy on held-out labels.
    categorical_features : "auto", None or list of columns, default="auto"
        "auto" takes the columns of categorical or text type of a data frame.
    missing_label : default="auto"
        The mark of unlabeled rows in y, if it is another one; None if every value is a class (see
        :mod:`agnoboost.labels`).
    random_state : int, RandomState or None, default=None
    checkpoint : path, optional
        A file for the state of the final run, written every ``checkpoint_every`` seconds; a fit that was killed goes on
        from it. More than two classes have a file each (``path.0``, ``path.1``, ...).
    checkpoint_every : float, default=60
    n_jobs : int or None, default=None
        Processes for the choice on held-out labels. The result does not depend on it.
    verbose : int, default=0
        1 prints what was chosen and why.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    n_rounds_ : int
        Rounds in the model.
    tape_ : Tape, or list of Tape
        The ensemble; one for each class if there are more than two.
    history_ : FitHistory
        Every round, and what was chosen and why.
    n_labeled_, n_unlabeled_ : int
    shift_ : float
        The bound on the covariate shift that was used.
    shift_estimate_ : ShiftEstimate or None
        What ``shift="auto"`` found; model files do not keep it.
    feature_importances_ : array of shape (n_features,)
        Share of the steps that rest on each feature (built-in weak learners only).
    n_features_in_, feature_names_in_

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(500, random_state=0)
    >>> y = y.astype(float)
    >>> y[100:] = np.nan  # four rows in five have no label
    >>> model = AgnosticBoostingClassifier(random_state=0).fit(X, y)
    >>> model.n_labeled_, model.n_unlabeled_, model.predict(X[:3]).shape
    (100, 400, (3,))
    """

    def __init__(
        self,
        algorithm: str = "algorithm1",
        weak_learner: Any = "tree",
        *,
        n_rounds: int = 500,
        step_size: float = 0.01,
        threshold: float = 0.001,
        batch_size: int | str | None = "bootstrap",
        unlabeled_weight: float | str = "auto",
        shift: float | str = 1.0,
        validation_fraction: float | str | None = "auto",
        class_weight: Any = None,
        tune_threshold: bool = False,
        categorical_features: Any = "auto",
        missing_label: Any = "auto",
        random_state: Any = None,
        checkpoint: Any = None,
        checkpoint_every: float = 60.0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ):
        self.algorithm = algorithm
        self.weak_learner = weak_learner
        self.n_rounds = n_rounds
        self.step_size = step_size
        self.threshold = threshold
        self.batch_size = batch_size
        self.unlabeled_weight = unlabeled_weight
        self.shift = shift
        self.validation_fraction = validation_fraction
        self.class_weight = class_weight
        self.tune_threshold = tune_threshold
        self.categorical_features = categorical_features
        self.missing_label = missing_label
        self.random_state = random_state
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = isinstance(self.weak_learner, str)
        tags.input_tags.sparse = False
        return tags

    # ------------------------------------------------------------------ fitting

    @with_callbacks  # type: ignore[untyped-decorator]
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
            Labeled rows to choose rounds and unlabeled weight on, instead of cross-validation.
        """
        check_parameters(self)
        table = self._table(X, reset=True)
        labels = read_labels(label_column(y, len(table)), self.missing_label)
        weight = np.asarray(_check_sample_weight(sample_weight, np.empty((len(table), 1)), dtype=np.float64))
        if (weight < 0).any():
            raise ValueError(f"sample_weight must be nonnegative. Got a minimum of {weight.min():g}.")
        extra = None if X_unlabeled is None else self._table(X_unlabeled)
        self._encoder = TableEncoder(self.categorical_features).fit(*([table] if extra is None else [table, extra]))
        more = None if extra is None else self._matrix(extra)
        data, self.classes_ = split_rows(self._matrix(table), labels, weight, more, self.class_weight)
        self.n_labeled_ = len(data.codes)
        self.n_unlabeled_ = 0 if data.unlabeled is None else len(data.unlabeled)
        self.shift_, self.shift_estimate_ = resolved_shift(self, data, self._encoder.categorical)
        trainer = Trainer(
            builders.booster_maker(self, data),
            self._learner(data),
            self.n_rounds,
            self._usual_rounds(),
            len(self.classes_),
            int(check_random_state(self.random_state).randint(2**31 - 1)),
            self.shift_,
        )
        tunes = self._tunes()
        choice = self._choose(trainer, data.with_fewer_unlabeled(trainer.seed), X_val, y_val)
        self._finish(trainer, data, choice)
        self._cut = outputs.tuned_cut(choice.held_out, balanced_accuracy_score) if tunes else 0.0
        return self

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

    def _learner(self, data: Data) -> WeakLearner:
        if isinstance(self.weak_learner, str):
            tables = [data.X] if data.unlabeled is None else [data.X, data.unlabeled.X]
            bins = Bins.from_data(tables, categorical=self._encoder.categorical)
            return builders.built_in_learner(self.weak_learner, bins, data.label_count)
        return builders.foreign_learner(self.weak_learner)

    def _choose(self, trainer: Trainer, data: Data, X_val: Any, y_val: Any) -> Choice:
        uses_unlabeled = data.unlabeled is not None and self.algorithm in builders.WITH_UNLABELED
        automatic = self.unlabeled_weight == "auto"
        fixed = 1.0 if automatic else float(self.unlabeled_weight)
        shares = SHARES if automatic else (fixed,)
        if not uses_unlabeled:
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
        found = f"{len(counts)} classes with {counts.min()} to {counts.max()} labels"
        why = f"no labels held out ({found}): a total step of {builders.USUAL_TOTAL_STEP:g}"
        if len(shares) > 1:
            fixed = 0.0
            why += "; unlabeled rows left out, for want of labels to judge them by"
        return Choice(self._usual_rounds(), fixed, why)

    def _usual_rounds(self) -> int:
        return min(self.n_rounds, max(1, round(builders.USUAL_TOTAL_STEP / self.step_size)))

    def _validation(self, X_val: Any, y_val: Any) -> Data:
        if X_val is None or y_val is None:
            raise ValueError("X_val and y_val must be given together. Got only one of them.")
        table = self._table(X_val)
        y_val = label_column(y_val, len(table))
        if not {shown(value) for value in y_val} <= {shown(value) for value in self.classes_.astype(y_val.dtype)}:
            raise ValueError(f"y_val must hold only the classes of y, {list(self.classes_)}, and no unlabeled rows.")
        codes = np.searchsorted(self.classes_, np.asarray(y_val, dtype=self.classes_.dtype))
        weight = np.ones(len(codes)) if self.class_weight is None else compute_sample_weight(self.class_weight, y_val)
        return Data(self._matrix(table), codes, np.asarray(weight, dtype=np.float64))

    def _finish(self, trainer: Trainer, data: Data, choice: Choice) -> None:
        """The run on all labels; callbacks see this one."""
        classes = len(trainer.targets(data.codes))
        tasks = RoundTasks(self, choice.rounds * classes)
        saving = self._checkpoints(classes)
        runs = trainer.run(data, choice.unlabeled_weight, choice.rounds, tasks.callbacks, saving)
        tasks.done()
        self._tapes = trainer.tapes(runs, choice.unlabeled_weight)
        self.tape_: Tape | list[Tape] = self._tapes[0] if classes == 1 else self._tapes
        self.n_rounds_ = max(map(len, self._tapes))
        self.history_ = FitHistory([run.history for run in runs], choice, [run.engine for run in runs])
        if self.verbose:
            print(
                f"agnoboost: {self.n_labeled_} labeled and {self.n_unlabeled_} unlabeled rows; {self.n_rounds_} rounds "
                f"and unlabeled_weight={choice.unlabeled_weight:g}: {choice.reason}"
            )

    def _checkpoints(self, classes: int) -> list[Checkpointing]:
        """Where the runs on all labels keep their state: one file a run."""
        if self.checkpoint is None:
            return [{}] * classes
        files = [fspath(self.checkpoint)] if classes == 1 else [f"{self.checkpoint}.{k}" for k in range(classes)]
        return [{"checkpoint": file, "checkpoint_every": self.checkpoint_every} for file in files]

    def _tunes(self) -> bool:
        if self.tune_threshold and len(self.classes_) > 2:
            raise ValueError(
                f"tune_threshold=True is for two classes. Got {len(self.classes_)}. Use class_weight='balanced'."
            )
        return self.tune_threshold

    # --------------------------------------------------------------- prediction

    def _rows(self, X: Any) -> Matrix:
        check_is_fitted(self, "tape_")
        return self._matrix(self._table(X))

    def decision_function(self, X: Any) -> Floats:
        """Margins H(x): positive for ``classes_[1]``; one column a class if there are more than two."""
        rows = self._rows(X)
        return self._decision(np.column_stack([tape.margin(rows) for tape in self._tapes]))

    def _decision(self, margins: Floats) -> Floats:
        if margins.shape[1] > 1:
            return margins
        # A row exactly on the fence belongs to the positive class: sign(0) = +1.
        value = margins[:, 0] - self._cut
        return np.where(value == 0.0, outputs.FENCE, value)

    def predict_proba(self, X: Any) -> Floats:
        """Estimates of P(class | x): (1 + psi'(H))/2, the Huber minimiser being H = E[y|x]; rows sum to one."""
        rows = self._rows(X)
        return outputs.probabilities(np.column_stack([tape.margin(rows) for tape in self._tapes]))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The class of the largest margin."""
        return self._classes_of(self.decision_function(X))

    def _classes_of(self, decision: Floats) -> npt.NDArray[Any]:
        codes = (decision > 0).astype(int) if decision.ndim == 1 else decision.argmax(axis=1)
        return np.asarray(self.classes_[codes])

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """:meth:`decision_function` after 0, 1, ... rounds."""
        rows = self._rows(X)
        longest = max(map(len, self._tapes))
        stages = [outputs.padded(tape.staged(rows), longest) for tape in self._tapes]
        for margins in zip(*stages, strict=True):
            yield self._decision(np.column_stack(margins))

    def staged_predict(self, X: Any) -> Iterator[npt.NDArray[Any]]:
        """:meth:`predict` after 0, 1, ... rounds."""
        for decision in self.staged_decision_function(X):
            yield self._classes_of(decision)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy on the labeled rows; unlabeled rows are left out."""
        column = label_column(y, X.shape[0] if hasattr(X, "shape") else len(X))
        known = outputs.scored_rows(column, self.classes_, self.missing_label)
        weight = None if sample_weight is None else np.asarray(sample_weight)[known]
        right = [a == b for a, b in zip(self.predict(X)[known], column[known], strict=True)]
        return float(np.average(np.array(right, dtype=float), weights=weight))

    @property
    def feature_importances_(self) -> Floats:
        check_is_fitted(self, "tape_")
        return outputs.importances(self._tapes, self.n_features_in_)

    # -------------------------------------------------------------------- files

    def save(self, path: Any) -> None:
        """Write the model to one safe file; read it with :func:`agnoboost.load`."""
        from ..persistence import save

        save(self, path)
