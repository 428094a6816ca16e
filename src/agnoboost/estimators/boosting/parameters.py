"""What the estimator's parameters may be, checked before any work."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...basics.checks import check_between, check_count, check_fixed_seed, check_positive, check_word
from ...core.learners import HistogramStumpLearner
from ...core.recipes import RECIPES
from ...evaluation.shift import ShiftEstimate, estimate_shift
from ...kernels.gpu.device import require_gpu
from ...rounds.checkpoint_places import check_place
from ..choosing import check_choosing
from ..data import Data

ALGORITHMS = tuple(name for name, recipe in RECIPES.items() if recipe.for_tables)
LEARNER_NAMES = ("tree", "stump")
DEVICES = ("cpu", "cuda")
SHIFT_SAFETY = 2.0  # shift="auto" takes this times the estimate: too large costs little, too small may cost much


def check_parameters(model: Any) -> None:
    """Raise ValueError for a parameter that cannot be used, or that does not go with another."""
    check_word(model.algorithm, ALGORITHMS, "algorithm")
    if isinstance(model.weak_learner, str):
        check_word(model.weak_learner, LEARNER_NAMES, "weak_learner", "a classifier or a WeakLearner")
    if isinstance(model.batch_size, str):
        check_word(model.batch_size, ("bootstrap",), "batch_size", "a whole number or None")
    if isinstance(model.shift, str):
        check_word(model.shift, ("auto",), "shift", "a number of at least 1")
    if model.label_model is not None and RECIPES[model.algorithm].needs_hard_labels:
        raise ValueError(
            f"{model.algorithm} needs labels at face value: its potential is not linear in the label. Got "
            f"label_model={model.label_model!r}. Use algorithm1."
        )
    check_count(model.n_rounds, "n_rounds")
    if isinstance(model.step_size, str):
        check_word(model.step_size, ("auto",), "step_size", "a positive number")
    else:
        check_positive(model.step_size, "step_size")
    _check_device(model)
    check_positive(model.checkpoint_every, "checkpoint_every")
    if model.checkpoint is not None:
        check_place(model.checkpoint)
    check_fixed_seed(model.checkpoint, model.random_state)
    check_between(model.threshold, 0.0, 1.0, "threshold", open_low=False, open_high=True)
    if not isinstance(model.shift, str):
        check_between(model.shift, 1.0, float("inf"), "shift", open_low=False, open_high=True)
    if model.shift != 1.0 and not RECIPES[model.algorithm].takes_shift:
        raise ValueError(
            f"shift is for algorithm='algorithm3' only. Got shift={model.shift!r} with {model.algorithm!r}."
        )
    check_choosing(model)
    if not isinstance(model.batch_size, str) and model.batch_size is not None:
        check_count(model.batch_size, "batch_size")


def _check_device(model: Any) -> None:
    check_word(model.device, DEVICES, "device")
    if model.device == "cpu":
        return
    learner = model.weak_learner
    stumps = learner == "stump" if isinstance(learner, str) else isinstance(learner, HistogramStumpLearner)
    if not stumps or model.batch_size is not None or model.algorithm not in ("algorithm1", "algorithm3"):
        raise ValueError(
            "device='cuda' is for stumps on whole batches: weak_learner='stump', batch_size=None, and algorithm1 or "
            f"algorithm3. Got weak_learner={learner!r}, batch_size={model.batch_size!r}, {model.algorithm}. Change "
            "these, or leave out device."
        )
    require_gpu()


def resolved_shift(model: Any, data: Data, categorical: list[int]) -> tuple[float, ShiftEstimate | None]:
    """C_X as given, or estimated with a margin of safety; and the estimate."""
    if not isinstance(model.shift, str):
        return float(model.shift), None
    if data.unlabeled is None:
        return 1.0, None
    if not np.allclose(data.weight, data.weight[0], atol=0.0):
        raise ValueError(
            "shift='auto' cannot take weights into account. Got different sample weights or class_weight. Pass a "
            "number, for example from estimate_shift on rows drawn by weight."
        )
    found = estimate_shift(data.X, data.unlabeled.X, categorical_features=categorical)
    return (1.0 if found.bound == 1.0 else SHIFT_SAFETY * found.bound), found
