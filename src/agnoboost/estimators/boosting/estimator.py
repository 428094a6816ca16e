"""The scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, replace
from itertools import zip_longest
from os import fspath
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ...basics.typing import Floats, Matrix
from ...core.callbacks import Callback
from ...core.recipes import RECIPES
from ...core.tape import Add, Tape
from ...kernels.binning import Bins
from ..choosing import ChoosingClassifier, usual_rounds
from ..data import Data
from ..held_out_choice import Choice
from . import boosters
from .parameters import check_parameters, resolved_shift
from .sklearn_callbacks import CallbackSupport, RoundTasks, with_callbacks
from .training import Checkpointing, FitHistory, Trainer, TrainingSet


@dataclass(eq=False, repr=False)
class AgnosticBoostingClassifier(CallbackSupport, ChoosingClassifier):  # type: ignore[misc]
    """Agnostic boosting for tables in which few rows are labeled, and some labels are wrong: the paper's estimator.

    It has all the knobs of the paper's algorithms, for those who want to turn them. To get good predictions without
    any, start with :class:`TableClassifier`.

    Mark unlabeled rows in ``y`` by NaN, None or pandas.NA, or by -1 where at least two other classes occur; or pass
    them as ``X_unlabeled`` to ``fit``. Missing values (NaN in X) and categorical columns need no preparation with the
    built-in weak learners. More than two classes are handled one against the rest.

    Parameters
    ----------
    algorithm : {"algorithm1", "algorithm2", "algorithm3", "pab", "gs24"}, default="algorithm1"
        The paper's Algorithm 1, 2 (reuse of unlabeled rows) or 3 (covariate shift), or one of the labeled-only
        baselines PAB (2009) and GS24 (2024).
    weak_learner : {"tree", "stump"}, classifier or WeakLearner, default="tree"
        "tree": a small regression tree, whose leaves are mean labels. It has 8 leaves up to 1,000 labels, and 16 at
        10,000; each node looks at the square root of the number of features at 100 labels, drawn at random, and at all
        of them at 10,000. "stump": one split over all features, with values -1 and +1; the model is then a sum of
        functions of one feature each. Or any scikit-learn classifier that takes ``sample_weight``.
    n_rounds : int, default=500
        The most rounds; how many are used is chosen on held-out labels (see ``validation_fraction``).
    step_size : float or "auto", default="auto"
        How far a round moves the margins, at most. "auto" is 0.01, and for trees 0.002 times the root of the number of
        labels, between 0.02 and 0.2: with fewer labels a sum should rest on more trees.
    threshold : float, default=0.0
        Edge at or below which margins shrink instead of growing (the paper's tau). The edge of a regression tree is a
        mean square, and small. "pab" has none.
    batch_size : {"bootstrap"}, int or None, default="bootstrap"
        What a round shows to the weak learner: all rows with random multiplicities, that many rows, or all rows.
    unlabeled_weight : float in [0, 1] or "auto", default="auto"
        1 is the paper's algorithm, 0 does without the unlabeled rows, values between combine both without bias.
        "auto" chooses among 0, 0.5 and 1 on held-out labels, so that unlabeled rows cannot silently hurt: they are
        used only if that is better by more than two standard errors (``history_.choice`` has the evidence), and tried
        only with 400 labels or more, or where labels alone have taught nothing that shows.
    shift : float or "auto", default=1.0
        For "algorithm3": an upper bound on how many times more likely a region is among labeled than among unlabeled
        rows. "auto" takes twice what :func:`~agnoboost.estimate_shift` finds for 95% of the labeled rows, or 1 if no
        shift is visible. Steps are divided by it, so that overestimating it costs little. The aim stays the
        distribution of the *labeled* rows. Where ``unlabeled_weight`` is 0, by hand or by "auto", there is nothing to
        shift, and the model is that of "algorithm1"; ``history_.choice.reason`` then says so.
    validation_fraction : float, "auto" or None, default="auto"
        Share of the labeled rows that is held out, in turn, to choose rounds and unlabeled weight; the model is then
        trained on all labels. "auto" is 0.2 with at least 100 labels and 5 a class. No more is held out than 4,000
        labels, or what holds them. Where nothing is held out, or the held-out labels do not speak clearly for another
        number, rounds are run up to a total step (rounds times step) of 4 for trees (6 with soft labels or
        positives alone) and 1.2 for others; with "auto" weight and nothing held out, unlabeled rows are left out.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn.
    tune_threshold : bool or dict, default=False
        For two classes: move the decision threshold to the best balanced accuracy on held-out labels; or, with what it
        costs to miss a row of each class, as in ``{"fraud": 20, "fine": 1}``, to the lowest cost.
    categorical_features : "auto", None or list of columns, default="auto"
        "auto" takes the columns of categorical or text type of a data frame.
    missing_label : default="auto"
        The mark of unlabeled rows in y, if it is another one; None if every value is a class (see
        :mod:`agnoboost.labels`).
    label_model : LabelModel or None, default=None
        What labels stand for, if not for themselves: soft labels, votes, flipped labels, or positives only (see
        :mod:`agnoboost.labels`).
    random_state : int, RandomState or None, default=None
        The same number gives the same model.
    device : {"cpu", "cuda"}, default="cpu"
        Where rounds are run. "cuda" keeps the rows on a GPU, for stumps on whole batches (``weak_learner="stump"``,
        ``batch_size=None``); the model is the same to the bit. It needs CuPy: ``pip install 'agnoboost[gpu]'``.
    checkpoint : path, optional
        A file for the state of the final run, written every ``checkpoint_every`` seconds; a fit that was killed goes on
        from it. More than two classes have a file each (``path.0``, ``path.1``, ...).
    checkpoint_every : float, default=60
        Seconds between two writes of that file.
    n_jobs : int or None, default=None
        Runs at a time in the choice on held-out labels: threads with the built-in weak learners, where None stands for
        all cores, and processes with others. The result does not depend on it.
    verbose : int, default=0
        1 prints what was chosen and why.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The classes, sorted.
    n_rounds_ : int
        Rounds in the model.
    tape_ : Tape, or list of Tape
        The ensemble; one for each class if there are more than two.
    history_ : FitHistory
        Every round, and what was chosen and why.
    n_labeled_, n_unlabeled_ : int
        Rows that were handed over.
    annotators_ : tuple of Annotator
        With :class:`~agnoboost.labels.CrowdVotes`: how good each annotator seems to be; model files do not keep it.
    shift_ : float
        The bound on the covariate shift that was used.
    shift_estimate_ : ShiftEstimate or None
        What ``shift="auto"`` found; model files do not keep it.
    threshold_ : float or None
        From which probability of ``classes_[1]`` on ``predict`` says that class; None if ``tune_threshold`` is False.
    feature_importances_ : array of shape (n_features,)
        Share of the steps that rest on each feature (built-in weak learners only).
    n_features_in_, feature_names_in_
        Number and names of the columns.

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

    algorithm: str = "algorithm1"
    weak_learner: Any = "tree"
    _: KW_ONLY
    n_rounds: int = 500
    step_size: float | str = "auto"
    threshold: float = 0.0
    batch_size: int | str | None = "bootstrap"
    shift: float | str = 1.0
    device: str = "cpu"
    checkpoint: Any = None
    checkpoint_every: float = 60.0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = isinstance(self.weak_learner, str)
        return tags

    # ------------------------------------------------------------------ fitting

    fit = with_callbacks(ChoosingClassifier.fit)
    _check_parameters = check_parameters

    def _trainer(self, data: Data, bins: Bins | None = None) -> Trainer:
        self.shift_, self.shift_estimate_ = resolved_shift(self, data, self._encoder.categorical)
        pacing = boosters.pacing(self, data)
        return Trainer(
            boosters.booster_maker(self, data),
            boosters.weak_learner(self, data, bins),
            self.n_rounds,
            usual_rounds(self.n_rounds, pacing.step, pacing.total),
            len(self.classes_),
            int(check_random_state(self.random_state).randint(2**31 - 1)),
            self.shift_,
            "gpu" if self.device == "cuda" else "auto",
        )

    def _usable(self, data: Data) -> Data:
        return data if RECIPES[self.algorithm].uses_unlabeled else replace(data, unlabeled=None)

    def _explained(self, choice: Choice) -> Choice:
        """Without unlabeled rows there is nothing to shift, and that must be said."""
        if not RECIPES[self.algorithm].takes_shift or choice.unlabeled_weight > 0.0:
            return choice
        return replace(choice, reason=f"{choice.reason}; without unlabeled rows algorithm3 is the same as algorithm1")

    def _train(self, trainer: Trainer, data: TrainingSet, choice: Choice, callbacks: tuple[Callback, ...] = ()) -> None:
        """The run on all labels; callbacks see this one."""
        tasks = RoundTasks(self, choice.rounds * data.problems)
        saving = self._checkpoints(data.problems)
        runs = trainer.run(data, choice.unlabeled_weight, choice.rounds, (*tasks.callbacks, *callbacks), saving)
        tasks.done()
        tapes = trainer.tapes(runs, choice.unlabeled_weight)
        engines, questions = [run.engine for run in runs], [run.questions for run in runs]
        self._keep(tapes, FitHistory([run.history for run in runs], choice, engines, questions))

    def _keep(self, tapes: list[Tape], history: FitHistory) -> None:
        self._tapes, self.history_ = tapes, history
        self.tape_: Tape | list[Tape] = tapes[0] if len(tapes) == 1 else tapes
        self.n_rounds_ = max(map(len, tapes))

    def _checkpoints(self, classes: int) -> list[Checkpointing]:
        """Where the runs on all labels keep their state: one file a run."""
        if self.checkpoint is None:
            return [{}] * classes
        files = [fspath(self.checkpoint)] if classes == 1 else [f"{self.checkpoint}.{k}" for k in range(classes)]
        return [{"checkpoint": file, "checkpoint_every": self.checkpoint_every} for file in files]

    # --------------------------------------------------------------- prediction

    def _margins(self, rows: Matrix) -> Floats:
        return np.column_stack([tape.margin(rows) for tape in self._tapes])

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """:meth:`decision_function` after 0, 1, ... rounds."""
        rows = self._rows(X)
        last = [np.empty(0)] * len(self._tapes)
        for margins in zip_longest(*(tape.staged(rows) for tape in self._tapes)):  # shorter ones stay at their last
            last = [before if now is None else now for now, before in zip(margins, last, strict=True)]
            yield self._decision(np.column_stack(last))

    def staged_predict(self, X: Any) -> Iterator[npt.NDArray[Any]]:
        """:meth:`predict` after 0, 1, ... rounds."""
        for decision in self.staged_decision_function(X):
            yield self._classes_of(decision)

    @property
    def feature_importances_(self) -> Floats:
        """Step sizes, shared equally among the features that a hypothesis looks at, as a share of all steps."""
        check_is_fitted(self, "tape_")
        return self._encoder.by_source(self._matrix_importances)

    @property
    def _matrix_importances(self) -> Floats:
        """For each column of the matrix that was made of the table."""
        total = np.zeros(len(self._matrix_names))
        for tape in self._tapes:
            for step in tape.steps:
                if not isinstance(step, Add):
                    continue
                used = step.hypothesis.features()
                if used is None:
                    raise AttributeError(
                        "feature_importances_ is there for the built-in weak learners only. "
                        f"Got {type(step.hypothesis).__name__}; use sklearn.inspection.permutation_importance instead."
                    )
                for feature in used:
                    total[feature] += step.coef * tape.unit / len(used)
        whole = total.sum()
        return total / whole if whole > 0 else total
