"""Weak learners: stumps, shallow trees, parities, and any scikit-learn classifier."""

from .base import Constant, Hypothesis, WeakLearner
from .classifier import ClassifierLearner, ProbabilityLearner
from .parity import Parity, ParityLearner
from .stump import HistogramStumpLearner, Stump, StumpLearner
from .tree import Tree, TreeLearner

LEARNERS: dict[str, type[WeakLearner]] = {
    "stump": StumpLearner,
    "histogram_stump": HistogramStumpLearner,
    "tree": TreeLearner,
    "parity": ParityLearner,
    "classifier": ClassifierLearner,
    "probability": ProbabilityLearner,
}

__all__ = [
    "LEARNERS",
    "ClassifierLearner",
    "Constant",
    "HistogramStumpLearner",
    "Hypothesis",
    "Parity",
    "ParityLearner",
    "ProbabilityLearner",
    "Stump",
    "StumpLearner",
    "Tree",
    "TreeLearner",
    "WeakLearner",
]
