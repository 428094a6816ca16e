"""Agnostic boosting: learn from few, noisy labels and plenty of unlabeled data."""

from . import datasets, model_selection
from ._version import __version__
from .batch import Batch, bernoulli, bootstrap, fractional
from .boosting import Booster, Run, Selection, boost, select
from .callbacks import EarlyStopping
from .certificate import Certificate, certify
from .estimator import AgnosticBoostingClassifier
from .few_labels import FewLabelClassifier
from .learners import (
    ClassifierLearner,
    HistogramStumpLearner,
    HistogramTreeLearner,
    LinearLearner,
    ParityLearner,
    ProbabilityLearner,
    StumpLearner,
    TreeLearner,
)
from .many import boost_many
from .onnx_export import export_onnx
from .persistence import ModelFileError, load
from .planner import Plan, RLPlan, compare, plan
from .recipes import algorithm1, algorithm2, algorithm3, from_plan, ghai_singh_2024, labeled_only, pab
from .shift import ShiftEstimate, estimate_shift
from .sources import OnePass, Pool, SourceExhausted, Stream, split_labels
from .tape import Tape

__all__ = [
    "AgnosticBoostingClassifier",
    "Batch",
    "Booster",
    "Certificate",
    "ClassifierLearner",
    "EarlyStopping",
    "FewLabelClassifier",
    "HistogramStumpLearner",
    "HistogramTreeLearner",
    "LinearLearner",
    "ModelFileError",
    "OnePass",
    "ParityLearner",
    "Plan",
    "Pool",
    "ProbabilityLearner",
    "RLPlan",
    "Run",
    "Selection",
    "ShiftEstimate",
    "SourceExhausted",
    "Stream",
    "StumpLearner",
    "Tape",
    "TreeLearner",
    "__version__",
    "algorithm1",
    "algorithm2",
    "algorithm3",
    "bernoulli",
    "boost",
    "boost_many",
    "bootstrap",
    "certify",
    "compare",
    "datasets",
    "estimate_shift",
    "export_onnx",
    "fractional",
    "from_plan",
    "ghai_singh_2024",
    "labeled_only",
    "load",
    "model_selection",
    "pab",
    "plan",
    "select",
    "split_labels",
]
