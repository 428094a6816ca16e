"""From the estimator's parameters to boosters and weak learners."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from ...core.batch import bootstrap, fractional
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
    recipe, shift, step = RECIPES[model.algorithm], model.shift_, model.step_size
    if recipe.uses_labels_once and not np.allclose(data.weight, data.weight[0]):
        raise ValueError(
            f"{model.algorithm} draws each label once and takes no weights. Got different sample weights or "
            "class_weight. Use algorithm1, or leave the weights out."
        )

    def make(labeled: Pool, unlabeled: Pool | None, share: float) -> Booster:
        if recipe.uses_labels_once:
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
