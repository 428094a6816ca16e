"""The classifier to start with."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from scipy.special import expit
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ...basics.checks import check_word
from ...basics.stages import Stages
from ...basics.threads import threads_asked
from ...basics.typing import Floats, Ints, Matrix
from ...core.probabilities import FENCE, shares
from ...evaluation.machine_worth import MachineWorth
from ...evaluation.suspicious import SuspiciousLabels, suspicious_labels, unweighted
from ...labels.machine import MachineLabels, read_machines
from ..base import PartlyLabeledClassifier, label_model_of
from ..data import Data
from ..threshold import HeldOut
from .blending import probabilities, sharpness
from .importances import importances, some_rows
from .machines import join
from .members import EFFORTS, chosen
from .model import TableModel
from .players import players
from .terms import Terms, thinned
from .training import MOST_PLACING, Training
from .worth import Fitted, worth

MOST_UNLABELED_TERMS = 1000  # where unlabeled rows count in the potential, so many stand for all: more gained nothing


@dataclass(eq=False, repr=False)
class TableClassifier(PartlyLabeledClassifier):
    """A classifier for tables: from some 30 labels to a million, some of them wrong, with missing cells and categories.

    It minimises the potential psi(H) - y*H of agnostic boosting over several kinds of functions at once, and blends
    them: boosted stumps, small, symmetric, large and randomised trees, a forest, and ridge regression with a linear, a
    Gaussian and a Laplace kernel on ranks. Which kinds there are depends on the number of labels. Everything is chosen
    by margins of rows that a member has not seen (out-of-bag, out-of-fold or leave-one-out): rounds, widths, ridges,
    the weights of the members and the slope of the probabilities. All labels train; nothing has to be tuned.

    Unlabeled rows place bins and ranks. They are marked in ``y`` by NaN, None or pandas.NA, or by -1 where at least two
    other classes occur; or they are passed as ``X_unlabeled`` to ``fit``. More than two classes are handled one against
    the rest.

    Parameters
    ----------
    effort : {"full", "fast"}, default="full"
        "fast" uses fewer runs and members: about twice as quick, a little less accurate.
    members : "auto" or list, default="auto"
        Of "stumps", "small trees", "symmetric trees", "large trees", "random trees", "forest", "linear", "gaussian" and
        "laplace"; "auto" takes those that suit the number of labels.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn.
    tune_threshold : bool or dict, default=False
        For two classes: move the decision threshold to the best balanced accuracy of the rows left out; or, with what
        it costs to miss a row of each class, as in ``{"fraud": 20, "fine": 1}``, to the lowest cost.
    categorical_features : "auto", None or list of columns, default="auto"
        "auto" takes the columns of categorical or text type of a data frame.
    missing_label : default="auto"
        The mark of unlabeled rows in y, if it is another one; None if every value is a class (see
        :mod:`agnoboost.labels`).
    label_model : LabelModel or None, default=None
        What labels stand for, if not for themselves: soft labels, votes, flipped labels, or positives only (see
        :mod:`agnoboost.labels`).
    n_jobs : int or None, default=None
        Threads; None for all cores. The model does not depend on it.
    random_state : int, RandomState or None, default=None
        The same number gives the same model.
    verbose : int, default=0
        1 says what is being done, with the time that is left, and what the members weigh.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The classes, sorted.
    weights_ : list of dict
        The weight of each member, for each one-against-rest problem (one entry for two classes).
    oob_decision_function_ : array of shape (n_labeled,) or (n_labeled, n_classes)
        Margins of the labeled rows by members that have not seen them; NaN for rows that every run has seen, of which
        there are some with many labels.
    threshold_ : float or None
        From which probability of ``classes_[1]`` on ``predict`` says that class; None if ``tune_threshold`` is False.
    feature_importances_ : array of shape (n_features,)
        How far log-odds move, on average over some rows of the fit, when the cells of a column come from another row;
        shares of all such moves. They say what the model uses, not whether it is right to: see
        :func:`agnoboost.explain.permutation_importance` for that.
    suspicious_labels_ : SuspiciousLabels
        Which given labels look wrong, the most suspicious first, and about how many are.
    machines_ : MachineWorth or None
        With machine labels: how often each machine is right and where it errs, and what the model gained by them.
    n_labeled_, n_unlabeled_ : int
        Rows that were handed over.
    n_unlabeled_used_ : int
        How many of the unlabeled rows were looked at, machine labels aside: up to 20,000 place bins and ranks, and
        where they take part in the potential (``PositiveUnlabeled``) up to 1,000 do everything. Which ones depends on
        their content alone.
    annotators_ : tuple of Annotator
        With :class:`~agnoboost.labels.CrowdVotes`: how good each annotator seems to be; model files do not keep it.
    n_features_in_, feature_names_in_
        Number and names of the columns.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(600, random_state=0)
    >>> y = y.astype(float)
    >>> y[100:] = np.nan  # five rows in six have no label
    >>> model = TableClassifier(random_state=0).fit(X, y)
    >>> model.predict_proba(X[:3]).shape, model.oob_decision_function_.shape
    ((3, 2), (100,))
    """

    effort: str = "full"
    members: Any = "auto"
    n_jobs: int | None = None

    weights_: list[dict[str, float]] = field(init=False)
    machines_: MachineWorth | None = field(init=False)
    _model: TableModel = field(init=False)
    _importances: Floats | None = field(init=False)
    _some_rows: Matrix | None = field(init=False)  # of the fit, until importances are asked for; no file holds them
    _given: Ints | None = field(init=False)  # numbers of the labeled rows, and of their classes (shape: 2, rows)
    _suspicious: SuspiciousLabels | None = field(init=False)

    # ------------------------------------------------------------------ fitting

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, X_unlabeled: Any = None, machine_labels: Any = None
    ) -> Self:
        """Train.

        Parameters
        ----------
        X, y : table and labels; rows of X without label are marked in y
        sample_weight : array of shape (n_rows,), optional
        X_unlabeled : table, optional
            More unlabeled rows, with the same columns.
        machine_labels : array of shape (n_rows,) or (n_rows, n_machines), data frame or dict, optional
            What machines say of the rows of X: a language model, a legacy system, a rule. Classes, or probabilities of
            ``classes_[1]``; NaN or None where a machine says nothing. An entry of a dict may also be a table with the
            probabilities of all classes. The labels in ``y`` are believed, and tell how far each machine is to be
            (see ``docs/machine_labels.md``).
        """
        check_word(self.effort, EFFORTS, "effort")
        threads = threads_asked(self.n_jobs)
        self._names(1)  # whatever the number of labels, a wrong name is told before any work
        stages = Stages(self.verbose)
        stages.begin("reading")
        data = thinned(self._read(X, y, sample_weight, X_unlabeled), MOST_UNLABELED_TERMS)
        self._check_threshold()
        machines = self._machines(machine_labels, X, data)
        terms = Terms.of(data)
        names = self._names(len(terms.keys))
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        training = Training(
            data, terms, names, self.effort, seed, list(self._encoder.categorical), threads, stages.begin
        )
        stages.plan([*(f"student of {one.name}" for one in machines), *training.stages])
        joined = join(training, machines, self._names) if machines else None
        self._model = training.run() if joined is None else joined.model
        unseen = training.unseen if joined is None else joined.unseen
        self._importances, self._some_rows = None, some_rows(terms)
        margins = np.column_stack([terms.by_row(own) for own in unseen.T])
        self.weights_ = [one.weights for one in self._model.blends]
        self.oob_decision_function_ = margins[:, 0] if data.problems == 1 else margins
        self._given = np.stack([data.rows, data.codes]) if self.label_model is None and data.rows is not None else None
        self._suspicious = None
        if data.problems > 1:
            self._model = replace(self._model, sharpness=self._sharpness(margins * self._model.slopes, data))
        self._place_cut(
            _terms_left_out(training.unseen, terms) if data.psi_from_unlabeled else _left_out(margins, data)
        )
        self.machines_ = None if joined is None else worth(Fitted(self, data, terms), machines, joined)
        stages.end(self._summary())
        return self

    def _machines(self, machine_labels: Any, X: Any, data: Data) -> list[MachineLabels]:
        """What machines say of the rows of the table."""
        if machine_labels is None:
            return []
        if data.psi_from_unlabeled:
            raise ValueError(
                f"machine_labels need labels of all classes in y, to compare with. Got label_model={self.label_model}."
            )
        rows = X.shape[0] if hasattr(X, "shape") else len(X)
        return read_machines(machine_labels, rows, self.classes_, self.missing_label)

    def _sharpness(self, log_odds: Floats, data: Data) -> float:
        """By rows left out. Stand-ins that are larger than labels can agree more than perfectly: then it stays 1."""
        known = ~np.isnan(log_odds).any(axis=1)
        if not known.any() or np.abs(data.targets).max() > 1.0:
            return 1.0
        weight = data.weight[known] * (data.label_count / data.weight.sum())
        return sharpness(log_odds[known], weight[:, None] * (1.0 + data.targets[known]) / 2.0)

    def _names(self, rows: int) -> tuple[str, ...]:
        return chosen(self.members, rows, self.effort)

    def _summary(self) -> str:
        lines = []
        for one in self._model.blends:
            weights = ", ".join(f"{name} {weight:.2f}" for name, weight in one.weights.items())
            lines.append(f"{self.n_labeled_} labels; {weights}; slope {one.slope:.2f}")
        return "\n".join(lines)

    @property
    def n_unlabeled_used_(self) -> int:
        """See the class."""
        check_is_fitted(self, "_cut")
        return min(self.n_unlabeled_, MOST_UNLABELED_TERMS if label_model_of(self).needs_unlabeled else MOST_PLACING)

    @property
    def _has_importances(self) -> bool:
        """Whether there are ``feature_importances_``: files of earlier versions have none."""
        return self._importances is not None or self._some_rows is not None

    @property
    def feature_importances_(self) -> Floats:
        """See the class; worked out when they are first asked for."""
        check_is_fitted(self, "_cut")
        if self._importances is None:
            if self._some_rows is None:
                raise AttributeError(
                    "The file of this model is from a version that kept no importances. Fit the model again, or use "
                    "agnoboost.explain.permutation_importance(model, X, y)."
                )
            self._importances = importances(self._model, self._some_rows, players(self), self.n_features_in_)
            self._some_rows = None
        return self._importances

    @property
    def suspicious_labels_(self) -> SuspiciousLabels:
        """Which given labels look wrong; worked out when it is first asked for."""
        check_is_fitted(self, "_cut")
        if self._given is None:
            raise AttributeError(
                "suspicious_labels_ needs labels at face value, and a model that kept them. Got a label_model, or a "
                "model file of an earlier version. Fit without label_model, or fit again."
            )
        if self._suspicious is None:
            rows, codes = self._given
            margins = self.oob_decision_function_.reshape(len(rows), -1)
            q = unweighted(self._probabilities(margins), self._class_weights)
            self._suspicious = suspicious_labels(q, codes, self.classes_, rows)
        return self._suspicious

    # --------------------------------------------------------------- prediction

    def _margins(self, rows: Matrix) -> Floats:
        return self._model.margins(rows, threads_asked(self.n_jobs))

    def _decision(self, margins: Floats) -> Floats:
        """Several classes are compared by their log-odds, as probabilities are."""
        return super()._decision(margins if margins.shape[1] == 1 else margins * self._model.slopes)

    def predict_proba(self, X: Any) -> Floats:
        """Estimates of P(class | x): 1/(1 + exp(-slope * H)), with the slope by rows left out; rows sum to one.

        Of several classes they are to the power of a sharpness, by the same rows, in proportion to which they are.
        """
        return self._probabilities(self._margins(self._rows(X)))

    def _probabilities(self, margins: Floats) -> Floats:
        return self._by_log_odds(margins * self._model.slopes)

    def _by_log_odds(self, log_odds: Floats) -> Floats:
        if log_odds.shape[1] > 1:
            return probabilities(log_odds, self._model.sharpness)
        return shares(np.where(log_odds == 0.0, 0.5 + FENCE, expit(log_odds)))


def _terms_left_out(margins: Floats, terms: Terms) -> HeldOut:
    """The same where psi comes from unlabeled rows: all rows judge, by their terms of the potential."""
    known = ~np.isnan(margins).any(axis=1)
    ones = np.ones(int(known.sum()))
    return HeldOut(margins[known], ones.astype(np.int64), terms.pull[known], ones, terms.psi[known])


def _left_out(margins: Floats, data: Data) -> HeldOut:
    """Rows that some run has not seen."""
    known = ~np.isnan(margins).any(axis=1)
    return HeldOut(margins[known], data.codes[known], data.targets[known], data.weight[known])
