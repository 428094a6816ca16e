"""Pieces of the estimator that need no estimator: builders, probabilities, importances."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from ._typing import Bools, Floats
from .batch import Realize, bootstrap, fractional
from .boosting import Booster
from .kernels.binning import Bins
from .labels import is_missing
from .learners import ClassifierLearner, HistogramStumpLearner, HistogramTreeLearner, WeakLearner
from .learners.base import Constant, Hypothesis
from .learners.parity import Parity
from .learners.stump import CategoryStump, Stump
from .learners.tree import Node, Split, Tree
from .potentials import Huber
from .recipes import algorithm1, algorithm2, ghai_singh_2024, labeled_only, pab
from .sources import OnePass, Pool
from .tape import Add, Tape
from .training import Data, HeldOut, MakeBooster

ALGORITHMS = ("algorithm1", "algorithm2", "algorithm3", "pab", "gs24")
WITH_UNLABELED = ("algorithm1", "algorithm2", "algorithm3")
LEARNER_NAMES = ("tree", "stump")
TREE_DEPTH = 3
MIN_GAIN = 1e-4  # a split must add that much correlation: leaves of next to no mass stay with their parent
USUAL_TOTAL_STEP = 1.2  # rounds times step, unless held-out labels speak clearly for another number
FENCE = 1e-9  # stands for a margin of exactly 0, which belongs to the positive class
SOFT = 1e-9  # weight of the part that keeps probabilities off 0 and 1, and in the order of the margins


def check_names(model: Any) -> None:
    """The parameters that are words."""
    _one_of("algorithm", model.algorithm, ALGORITHMS)
    if isinstance(model.weak_learner, str):
        _one_of("weak_learner", model.weak_learner, LEARNER_NAMES, "a classifier or a WeakLearner")
    if isinstance(model.batch_size, str):
        _one_of("batch_size", model.batch_size, ("bootstrap",), "a whole number or None")
    if isinstance(model.unlabeled_weight, str):
        _one_of("unlabeled_weight", model.unlabeled_weight, ("auto",), "a number in [0, 1]")
    if isinstance(model.validation_fraction, str):
        _one_of("validation_fraction", model.validation_fraction, ("auto",), "a number in [0, 0.5] or None")


def _one_of(name: str, value: str, known: tuple[str, ...], otherwise: str = "") -> None:
    if value not in known:
        words = ", ".join(repr(word) for word in known)
        raise ValueError(f"{name} must be {words}{', or ' + otherwise if otherwise else ''}. Got {value!r} instead.")


def built_in_learner(name: str, bins: Bins) -> WeakLearner:
    """The learners that have a name."""
    if name == "stump":
        return HistogramStumpLearner(bins, MIN_GAIN)
    return HistogramTreeLearner(bins, TREE_DEPTH, max(1, round(sqrt(len(bins)))), MIN_GAIN)


def foreign_learner(learner: Any) -> WeakLearner:
    """A WeakLearner as it is, a classifier through the adapter."""
    return learner if isinstance(learner, WeakLearner) else ClassifierLearner(learner)


def booster_maker(model: Any, data: Data) -> MakeBooster:
    """How the estimator's parameters become a booster, for any labeled rows and unlabeled weight."""
    realize = _realize(model.batch_size)
    fixed: dict[str, Any] = {"step": model.step_size, "threshold": model.threshold, "realize": realize}
    if model.algorithm in ("pab", "gs24"):
        if not np.allclose(data.weight, data.weight[0]):
            raise ValueError(
                f"{model.algorithm} draws each label once and takes no weights. Got different sample weights or "
                "class_weight. Use algorithm1, or leave the weights out."
            )
        return _one_pass_maker(model, realize)

    def make(labeled: Pool, unlabeled: Pool | None, share: float) -> Booster:
        if unlabeled is None or share == 0.0:
            return labeled_only(labeled, **fixed)
        if model.algorithm == "algorithm2":
            return algorithm2(labeled, unlabeled, unlabeled_weight=share, **fixed)
        return algorithm1(labeled, unlabeled, unlabeled_weight=share, shift=model.shift, **fixed)

    return make


def _one_pass_maker(model: Any, realize: Realize) -> MakeBooster:
    recipe: Callable[..., Booster] = pab if model.algorithm == "pab" else ghai_singh_2024

    def make(labeled: Pool, unlabeled: Pool | None, share: float) -> Booster:
        rows = max(1, len(labeled) // model.n_rounds)
        source = OnePass(labeled.X, labeled.y)
        return recipe(source, rows=rows, rate=1.0, threshold=model.threshold, realize=realize)

    return make


def _realize(batch_size: int | str | None) -> Realize:
    return bootstrap() if isinstance(batch_size, str) else fractional(batch_size)


def probabilities(margins: Floats) -> Floats:
    """(1 + psi'(H))/2 for each class, scaled to sum to one; in the order of the margins, never exactly 0 or 1."""
    if margins.shape[1] == 1:
        margins = np.where(margins == 0.0, FENCE, margins)
    clipped = (1.0 + Huber().psi_grad(margins)) / 2.0
    smooth = (1.0 + margins / (1.0 + np.abs(margins))) / 2.0
    positive = (1.0 - SOFT) * clipped + SOFT * smooth
    if margins.shape[1] == 1:
        return np.column_stack([1.0 - positive[:, 0], positive[:, 0]])
    return np.asarray(positive / positive.sum(axis=1, keepdims=True))


def tuned_cut(held_out: HeldOut | None, score: Callable[..., float]) -> float:
    """The margin at which held-out rows are told apart best; the widest gap among equally good ones."""
    assert held_out is not None
    margins = held_out.margins[:, 0]
    values = np.unique(margins)
    cuts = np.concatenate([[values[0] - 1.0], (values[:-1] + values[1:]) / 2.0, [0.0]])
    scores = [score(held_out.codes, margins > cut, sample_weight=held_out.weight) for cut in cuts]
    best = np.flatnonzero(np.asarray(scores) >= max(scores) - 1e-12)
    return float(cuts[best[np.argmin(np.abs(cuts[best]))]])  # among ties, the one nearest to no change


def padded(stages: Iterator[Floats], longest: int) -> Iterator[Floats]:
    """The stages, with the last one repeated up to ``longest`` + 1 of them."""
    last, count = None, 0
    for last in stages:
        count += 1
        yield last
    assert last is not None
    for _ in range(longest + 1 - count):
        yield last


def scored_rows(y: npt.NDArray[Any], classes: npt.NDArray[Any], missing_label: Any) -> Bools:
    """Rows whose label counts for a score."""
    known = ~is_missing(y)
    mark = -1 if isinstance(missing_label, str) and missing_label == "auto" else missing_label
    if mark is not None and mark not in classes.tolist():
        known[known] = np.array([value != mark for value in y[known]], dtype=bool)
    if not known.any():
        raise ValueError(f"score needs labeled rows. Got none among {len(y)}.")
    return known


def importances(tapes: list[Tape], features: int) -> Floats:
    """Step sizes, shared equally among the features that a hypothesis looks at, as a share of all steps."""
    total = np.zeros(features)
    for tape in tapes:
        for step in tape.steps:
            if isinstance(step, Add):
                used = features_of(step.hypothesis)
                for feature in used:
                    total[feature] += step.coef * tape.unit / len(used)
    whole = total.sum()
    return total / whole if whole > 0 else total


def features_of(hypothesis: Hypothesis) -> list[int]:
    """The features that a built-in hypothesis looks at."""
    if isinstance(hypothesis, (Stump, CategoryStump)):
        constant = (
            isinstance(hypothesis, Stump)
            and hypothesis.threshold == -np.inf
            and (hypothesis.missing in (0, hypothesis.sign))
        )
        return [] if constant else [hypothesis.feature]
    if isinstance(hypothesis, Parity):
        return list(hypothesis.subset)
    if isinstance(hypothesis, Tree):
        return sorted(set(_split_features(hypothesis.root)))
    if isinstance(hypothesis, Constant):
        return []
    raise AttributeError(
        "feature_importances_ is there for the built-in weak learners only. "
        f"Got {type(hypothesis).__name__}; use sklearn.inspection.permutation_importance instead."
    )


def _split_features(node: Node) -> Iterator[int]:
    if isinstance(node, Split):
        yield node.test.feature
        yield from _split_features(node.below)
        yield from _split_features(node.above)
