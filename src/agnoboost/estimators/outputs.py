"""What a fitted model gives: probabilities, a tuned threshold, importances."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.typing import Bools, Floats
from ..core.learners.base import Constant, Hypothesis
from ..core.learners.parity import Parity
from ..core.learners.stump import CategoryStump, Stump
from ..core.learners.tree import Node, Split, Tree
from ..core.potentials import Huber
from ..core.tape import Add, Tape
from ..labels.reading import is_missing
from .held_out_choice import HeldOut

FENCE = 1e-9  # stands for a margin of exactly 0, which belongs to the positive class
MOST_CUTS = 500  # thresholds that are tried
SOFT = 1e-9  # weight of the part that keeps probabilities off 0 and 1, and in the order of the margins


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
    """The margin at which held-out rows are told apart best; among equally good ones the nearest to 0."""
    assert held_out is not None
    margins = held_out.margins[:, 0]
    values = np.unique(margins)
    between = (values[:-1] + values[1:]) / 2.0
    cuts = np.append(between[:: max(1, len(between) // MOST_CUTS)], 0.0)
    scores = [score(held_out.codes, margins > cut, sample_weight=held_out.weight) for cut in cuts]
    best = np.flatnonzero(np.asarray(scores) >= max(scores) - 1e-12)
    return float(cuts[best[np.argmin(np.abs(cuts[best]))]])


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
