"""From the estimator's parameters to boosters and weak learners."""

from __future__ import annotations

from dataclasses import dataclass
from math import log10, sqrt
from typing import Any

import numpy as np

from ...core.batch import bootstrap, fractional
from ...core.booster import Booster
from ...core.learners import ClassifierLearner, HistogramStumpLearner, HistogramTreeLearner, WeakLearner
from ...core.recipes import RECIPES, algorithm1, algorithm2, labeled_only
from ...core.sources import OnePass, Pool, Source
from ...kernels.binning import MAX_BINS, Bins
from ..data import Data
from .training import MakeBooster, relative_edge, stretch

FEW, MANY = 100.0, 10_000.0  # labels between which steps and trees grow
FINE, COARSE_BINS = 4000.0, 63  # with fewer labels than these, so many bins do as well and take less time


@dataclass(frozen=True)
class Pacing:
    """How far a round goes, and how far a run where nothing is known of the labels."""

    step: float
    total: float


def pacing(model: Any, data: Data) -> Pacing:
    """By the weak learner: leaves of trees are mean labels, and mostly small; stumps and classifiers say -1 or +1.

    The fewer labels, the more trees a sum of steps should rest on: "auto" takes steps of 0.02 up to 100 labels, and
    then in proportion to the root of their number, up to 0.2 at 10,000. Soft labels, which are less
    noisy, bear a longer run, and so do labels of one class alone.
    """
    if model.weak_learner == "tree":
        step = 0.002 * sqrt(min(max(data.label_count, FEW), MANY))
        total = 6.0 if data.has_soft_labels or data.psi_from_unlabeled else 4.0
    else:
        step, total = 0.01, 1.2
    return Pacing(step if isinstance(model.step_size, str) else float(model.step_size), total)


def tree_learner(bins: Bins, data: Data) -> HistogramTreeLearner:
    """Small trees, whose nodes look at a few random features where labels are few, and at all where they are many.

    Every split must be worth 0.7 labeled rows at 100 labels, and the less, the more labels there are: 0.07 at 10,000;
    more where labels are of one class alone, and less where they are soft.
    Batches are gradients divided by a bound, which is larger with stand-ins for labels: leaves are stretched back.
    """
    labels = max(data.label_count, FEW)
    worth = 1.0 if data.psi_from_unlabeled else 0.2 if data.has_soft_labels else 0.7
    share = log10(min(labels, MANY)) / log10(MANY)  # a half to 1
    return HistogramTreeLearner(
        bins,
        max_depth=7,
        max_features=max(1, round(len(bins) ** share)),
        min_gain=worth * sqrt(FEW / labels) * data.least_gain,
        max_leaves=round(8 * 2.0 ** max(0.0, log10(labels) - 3.0)),
        smooth=10.0 / labels,
        reach=(1.0 + max(1.0, float(np.abs(data.targets).max()))) / 2.0,
    )


def weak_learner(model: Any, data: Data, bins: Bins | None = None) -> WeakLearner:
    """One that has a name, on bins of all rows; a WeakLearner as it is; a classifier through the adapter."""
    wanted = model.weak_learner
    if not isinstance(wanted, str):
        return wanted if isinstance(wanted, WeakLearner) else ClassifierLearner(wanted)
    tables = [data.X] if data.unlabeled is None else [data.X, data.unlabeled.X]
    few = wanted == "tree" and data.label_count < FINE
    if bins is None:
        bins = Bins.from_data(tables, COARSE_BINS if few else MAX_BINS, model._encoder.categorical)
    return tree_learner(bins, data) if wanted == "tree" else HistogramStumpLearner(bins, data.least_gain)


def booster_maker(model: Any, data: Data) -> MakeBooster:
    """How the estimator's parameters become a booster, for any labeled rows and unlabeled weight."""
    realize = bootstrap() if isinstance(model.batch_size, str) else fractional(model.batch_size)
    fixed: dict[str, Any] = {"threshold": model.threshold, "realize": realize}
    recipe, shift, step = RECIPES[model.algorithm], model.shift_, pacing(model, data).step
    if recipe.uses_labels_once and not np.allclose(data.weight, data.weight[0]):
        raise ValueError(
            f"{model.algorithm} draws each label once and takes no weights. Got different sample weights or "
            "class_weight. Use algorithm1, or leave the weights out."
        )

    def make(labeled: Source, unlabeled: Source | None, share: float) -> Booster:
        if recipe.uses_labels_once:
            assert isinstance(labeled, Pool)
            rows = max(1, len(labeled) // model.n_rounds)
            own = fixed if recipe.has_threshold else {"realize": realize}
            return recipe(OnePass(labeled.X, labeled.y), rows=rows, **own)
        if unlabeled is None or share == 0.0:
            return labeled_only(labeled, step=step, **fixed)
        if model.algorithm == "algorithm2":
            return algorithm2(labeled, unlabeled, step=step, unlabeled_weight=share, **fixed)
        scaled = {"step": step / stretch(share, shift), "threshold": model.threshold * relative_edge(share, shift)}
        return algorithm1(labeled, unlabeled, unlabeled_weight=share, shift=shift, realize=realize, **scaled)

    return make
