"""From the estimator's parameters to boosters and weak learners."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from ...core.batch import Realize, bootstrap, fractional
from ...core.booster import Booster
from ...core.learners import ClassifierLearner, HistogramStumpLearner, HistogramTreeLearner, WeakLearner
from ...core.recipes import RECIPES, algorithm1, algorithm2, labeled_only
from ...core.sources import OnePass, Pool
from ...kernels.binning import Bins
from ..data import Data
from .training import MakeBooster, relative_edge, stretch

TREE_DEPTH = 7


def weak_learner(model: Any, data: Data) -> WeakLearner:
    """One that has a name, on bins of all rows; a WeakLearner as it is; a classifier through the adapter."""
    wanted = model.weak_learner
    if not isinstance(wanted, str):
        return wanted if isinstance(wanted, WeakLearner) else ClassifierLearner(wanted)
    tables = [data.X] if data.unlabeled is None else [data.X, data.unlabeled.X]
    bins = Bins.from_data(tables, categorical=model._encoder.categorical)
    if wanted == "stump":
        return HistogramStumpLearner(bins, data.least_gain)
    return HistogramTreeLearner(bins, TREE_DEPTH, max(1, round(sqrt(len(bins)))), data.least_gain)


def booster_maker(model: Any, data: Data) -> MakeBooster:
    """How the estimator's parameters become a booster, for any labeled rows and unlabeled weight."""
    realize = bootstrap() if isinstance(model.batch_size, str) else fractional(model.batch_size)
    fixed: dict[str, Any] = {"threshold": model.threshold, "realize": realize}
    shift, step_size = model.shift_, model.step_size
    if RECIPES[model.algorithm].uses_labels_once:
        if not np.allclose(data.weight, data.weight[0]):
            raise ValueError(
                f"{model.algorithm} draws each label once and takes no weights. Got different sample weights or "
                "class_weight. Use algorithm1, or leave the weights out."
            )
        return _one_pass_maker(model, realize)

    def make(labeled: Pool, unlabeled: Pool | None, share: float) -> Booster:
        if unlabeled is None or share == 0.0:
            return labeled_only(labeled, step=step_size, **fixed)
        if model.algorithm == "algorithm2":
            return algorithm2(labeled, unlabeled, step=step_size, unlabeled_weight=share, **fixed)
        return algorithm1(
            labeled,
            unlabeled,
            step=step_size / stretch(share, shift),
            threshold=model.threshold * relative_edge(share, shift),
            unlabeled_weight=share,
            shift=shift,
            realize=realize,
        )

    return make


def _one_pass_maker(model: Any, realize: Realize) -> MakeBooster:
    def make(labeled: Pool, unlabeled: Pool | None, share: float) -> Booster:
        rows = max(1, len(labeled) // model.n_rounds)
        source = OnePass(labeled.X, labeled.y)
        return RECIPES[model.algorithm](source, rows=rows, rate=1.0, threshold=model.threshold, realize=realize)

    return make
