"""A classifier for few labels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.special import expit
from sklearn.utils import check_random_state

from ...basics.content_luck import content_keys, multiplicities, scrambled
from ...basics.typing import Floats, Ints, Matrix
from ...core.probabilities import FENCE, shares
from ..base import PartlyLabeledClassifier
from ..data import Data
from ..threshold import HeldOut, refuse_several_classes
from . import kernel_ridge
from .bagged_trees import BaggedTrees, Growth, grow
from .blending import blend, slope
from .columns import Coder, Scores
from .kernel_ridge import KernelRidge
from .terms import Terms, thinned

TREES = {"stumps": Growth(depth=1), "trees": Growth(depth=3)}
MEMBERS = (*TREES, *kernel_ridge.KERNELS)
MOST_KERNEL_ROWS = 2000  # kernels know no more labeled rows than this: their cost grows with the cube
MOST_UNLABELED = 20_000  # unlabeled rows that suffice to place bins and ranks


@dataclass(frozen=True)
class Blend:
    """The model of one problem: members, their weights, and the slope of the log-odds."""

    members: dict[str, BaggedTrees | KernelRidge]
    weights: Floats
    slope: float

    def margin(self, codes: Ints, scores: Floats) -> Floats:
        total = np.zeros(len(scores))
        for member, weight in zip(self.members.values(), self.weights, strict=True):
            if weight > 0:
                own = member.margin(codes) if isinstance(member, BaggedTrees) else member.margin(scores)
                total += weight * own
        return total


@dataclass(eq=False, repr=False)
class FewLabelClassifier(PartlyLabeledClassifier):
    """A classifier for some 50 to 500 labels, some of them wrong.

    It minimises the potential psi(H) - y*H of agnostic boosting over several kinds of functions at once, and blends
    them: bagged boosting of stumps and of depth-3 trees (rounds by out-of-bag potential), and kernel ridge regression
    with a linear, a Gaussian and a Laplace kernel on ranks (ridge and width by closed-form leave-one-out). Weights of
    the members and the slope of the probabilities come from out-of-bag and leave-one-out margins: all labels train.

    Unlabeled rows place bins and ranks. They are marked in ``y`` by NaN, None or pandas.NA, or by -1 where at least two
    other classes occur; or they are passed as ``X_unlabeled`` to ``fit``. Missing values and categorical columns need
    no preparation. More than two classes are handled one against the rest.

    Parameters
    ----------
    members : "all" or list of {"stumps", "trees", "linear", "gaussian", "laplace"}, default="all"
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn.
    tune_threshold : bool, default=False
        For two classes: move the decision threshold to the best balanced accuracy of the out-of-bag margins.
    categorical_features : "auto", None or list of columns, default="auto"
        "auto" takes the columns of categorical or text type of a data frame.
    missing_label : default="auto"
        The mark of unlabeled rows in y, if it is another one; None if every value is a class (see
        :mod:`agnoboost.labels`).
    label_model : LabelModel or None, default=None
        What labels stand for, if not for themselves: soft labels, votes, flipped labels, or positives only (see
        :mod:`agnoboost.labels`).
    random_state : int, RandomState or None, default=None
    verbose : int, default=0
        1 prints the weights of the members.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    weights_ : list of dict
        The weight of each member, for each one-against-rest problem (one entry for two classes).
    oob_decision_function_ : array of shape (n_labeled,) or (n_labeled, n_classes)
        Margins H(x) of the labeled rows by members that have not seen them.
    n_labeled_, n_unlabeled_ : int
    n_features_in_, feature_names_in_

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(600, random_state=0)
    >>> y = y.astype(float)
    >>> y[100:] = np.nan
    >>> model = FewLabelClassifier(random_state=0).fit(X, y)
    >>> model.predict_proba(X[:3]).shape, model.oob_decision_function_.shape
    ((3, 2), (100,))
    """

    members: Any = "all"

    # ------------------------------------------------------------------ fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, X_unlabeled: Any = None) -> Self:
        """Train.

        Parameters
        ----------
        X, y : table and labels; rows of X without label are marked in y
        sample_weight : array of shape (n_rows,), optional
        X_unlabeled : table, optional
            More unlabeled rows, with the same columns.
        """
        names = self._member_names()
        data = thinned(self._read(X, y, sample_weight, X_unlabeled), MOST_KERNEL_ROWS // 2)
        refuse_several_classes(self.tune_threshold, len(self.classes_))
        if data.psi_from_unlabeled and self.tune_threshold:
            raise ValueError("tune_threshold=True needs labels of both classes, drawn at random. Set it to False.")
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        terms = Terms.of(data)
        self._learn_columns(data, terms)
        spread = np.average(data.targets**2, axis=0, weights=data.weight)  # 1 for labels at face value
        unseen = self._fit_members(names, terms, seed, spread)
        pairs = zip(unseen, self._blends, strict=True)
        margins = np.column_stack([terms.by_row(each @ one.weights) for each, one in pairs])
        self.weights_ = [dict(zip(names, one.weights.tolist(), strict=True)) for one in self._blends]
        self.oob_decision_function_ = margins[:, 0] if data.problems == 1 else margins
        self._place_cut(None if data.psi_from_unlabeled else HeldOut(margins, data.codes, data.targets, data.weight))
        if self.verbose:
            for number, weights in enumerate(self.weights_):
                shares = ", ".join(f"{name} {weight:.2f}" for name, weight in weights.items())
                print(f"agnoboost: {self.n_labeled_} labels; {shares}; slope {self._blends[number].slope:.2f}")
        return self

    def _member_names(self) -> tuple[str, ...]:
        if isinstance(self.members, str) and self.members == "all":
            return MEMBERS
        single = isinstance(self.members, str) or not isinstance(self.members, Iterable)
        wanted = [self.members] if single else list(self.members)
        if not wanted or not set(wanted) <= set(MEMBERS):
            raise ValueError(f"members must be 'all' or some of {', '.join(MEMBERS)}. Got {self.members!r}.")
        return tuple(name for name in MEMBERS if name in wanted)

    def _learn_columns(self, data: Data, terms: Terms) -> None:
        """Bins and ranks, by labeled and unlabeled rows."""
        X, weight = terms.X, terms.psi
        if data.unlabeled is not None:
            chosen = np.argsort(scrambled(content_keys(data.unlabeled.X)), kind="stable")[:MOST_UNLABELED]
            X = np.concatenate([X, data.unlabeled.X[chosen]])
            weight = np.concatenate([weight, len(data.unlabeled) * data.unlabeled.mass[chosen]])
        categorical = list(self._encoder.categorical)
        self._coder = Coder.of(X, categorical)
        self._scores = Scores.of(X, weight, categorical)

    def _fit_members(self, names: tuple[str, ...], terms: Terms, seed: int, spread: Floats) -> list[Floats]:
        """Members and their blend, for every problem; and margins of unseen rows (shape: rows, members)."""
        problems = terms.pull.shape[1]
        found: list[dict[str, tuple[BaggedTrees | KernelRidge, Floats]]] = [{} for _ in range(problems)]
        codes, scores = self._coder.encode(terms.X), self._scores.transform(terms.X)
        for name in names:
            if name in TREES:
                counts = _bags(terms, TREES[name].bags, seed)
                for problem, own in enumerate(found):
                    rng = np.random.default_rng([seed, MEMBERS.index(name), problem])
                    pull = terms.pull[:, problem]
                    own[name] = grow(codes, self._coder.bins.is_categorical, terms.psi, pull, counts, TREES[name], rng)
            else:
                for own, fitted in zip(found, _fit_kernel(name, scores, terms), strict=True):
                    own[name] = fitted
        self._blends, unseen = [], []
        for problem, own in enumerate(found):
            margins = np.column_stack([margin for _, margin in own.values()])
            weights = blend(margins, terms.psi, terms.pull[:, problem])
            sure = slope(margins @ weights, terms.psi, terms.pull[:, problem], spread[problem])
            self._blends.append(Blend({name: member for name, (member, _) in own.items()}, weights, sure))
            unseen.append(margins)
        return unseen

    # --------------------------------------------------------------- prediction

    def _margins(self, rows: Matrix) -> Floats:
        codes, scores = self._coder.encode(rows), self._scores.transform(rows)
        return np.column_stack([one.margin(codes, scores) for one in self._blends])

    def _decision(self, margins: Floats) -> Floats:
        """Several classes are compared by their log-odds, as probabilities are."""
        return super()._decision(margins if margins.shape[1] == 1 else margins * self._slopes)

    @property
    def _slopes(self) -> Floats:
        return np.array([one.slope for one in self._blends])

    def predict_proba(self, X: Any) -> Floats:
        """Estimates of P(class | x): 1/(1 + exp(-slope * H)), with the slope by out-of-bag margins; rows sum to one."""
        margins = self._margins(self._rows(X))
        positive = expit(margins * self._slopes)
        if len(self._blends) == 1:
            positive = np.where(margins == 0.0, 0.5 + FENCE, positive)
        return shares(positive)


def _bags(terms: Terms, bags: int, seed: int) -> Floats:
    """How often each bag holds each row (shape: bags, rows)."""
    occasions = np.random.default_rng(seed).integers(2**63, size=bags)
    return np.array([multiplicities(terms.keys, int(occasion)) for occasion in occasions], dtype=np.float64)


def _fit_kernel(name: str, scores: Floats, terms: Terms) -> list[tuple[KernelRidge, Floats]]:
    """On all rows, or on some of very many; the others then have not been seen."""
    if len(scores) <= MOST_KERNEL_ROWS:
        return kernel_ridge.fit(name, scores, terms.psi, terms.pull)
    chosen = np.sort(np.argsort(scrambled(terms.keys), kind="stable")[:MOST_KERNEL_ROWS])
    found = []
    for model, unseen in kernel_ridge.fit(name, scores[chosen], terms.psi[chosen], terms.pull[chosen]):
        margins = model.margin(scores)
        margins[chosen] = unseen
        found.append((model, margins))
    return found
