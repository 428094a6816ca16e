"""Which features a model rests on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...basics.typing import Floats
from ...core.learners.base import Hypothesis
from ...core.tape import Add, Tape


def importances(tapes: list[Tape], features: int) -> Floats:
    """Step sizes, shared equally among the features that a hypothesis looks at, as a share of all steps."""
    total = np.zeros(features)
    for tape in tapes:
        for step in tape.steps:
            if isinstance(step, Add):
                used = _features_of(step.hypothesis)
                for feature in used:
                    total[feature] += step.coef * tape.unit / len(used)
    whole = total.sum()
    return total / whole if whole > 0 else total


def _features_of(hypothesis: Hypothesis) -> Sequence[int]:
    found = hypothesis.features()
    if found is None:
        raise AttributeError(
            "feature_importances_ is there for the built-in weak learners only. "
            f"Got {type(hypothesis).__name__}; use sklearn.inspection.permutation_importance instead."
        )
    return found
