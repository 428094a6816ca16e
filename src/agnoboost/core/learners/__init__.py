"""Weak learners: stumps, shallow trees, parities, and any scikit-learn classifier."""

from .base import Constant, Hypothesis, WeakLearner
from .histogram_tree import HistogramTreeLearner
from .linear import Linear, LinearLearner
from .parity import Parity, ParityLearner
from .regression_tree import RegressionTree
from .sklearn_classifier import ClassifierLearner, ProbabilityLearner
from .stump import CategoryStump, HistogramStumpLearner, Stump, StumpLearner
from .tree import Tree, TreeLearner

LEARNERS: dict[str, type[WeakLearner]] = {
    "stump": StumpLearner,
    "histogram_stump": HistogramStumpLearner,
    "tree": TreeLearner,
    "histogram_tree": HistogramTreeLearner,
    "parity": ParityLearner,
    "linear": LinearLearner,
    "classifier": ClassifierLearner,
    "probability": ProbabilityLearner,
}
