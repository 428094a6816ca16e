"""Agnostic boosting: learn from few, noisy labels and plenty of unlabeled data."""

from importlib import import_module
from typing import Any

from . import datasets, explain, model_selection
from ._version import __version__
from .core.batch import Batch, bernoulli, bootstrap, fractional, reweighted
from .core.booster import Booster
from .core.callbacks import EarlyStopping
from .core.learners import (
    ClassifierLearner,
    HistogramStumpLearner,
    HistogramTreeLearner,
    LinearLearner,
    ParityLearner,
    ProbabilityLearner,
    StumpLearner,
    TreeLearner,
)
from .core.recipes import (
    algorithm1,
    algorithm2,
    algorithm3,
    brukhim_2020,
    feldman_2009,
    ghai_singh_2024,
    kanade_kalai,
    labeled_only,
    madaboost,
    pab,
    smooth_boost,
)
from .core.selection import Selection, select
from .core.sources import OnePass, Pool, SourceExhausted, Stream, split_labels
from .core.tape import Tape
from .estimators import AgnosticBoostingClassifier
from .estimators.online import OnlineBoostingClassifier
from .estimators.suggesting import Suggestion, suggest
from .estimators.table import FewLabelClassifier, TableClassifier
from .evaluation.audit import Audit, AuditFigure, evaluate, evaluate_predictions
from .evaluation.audit_plan import AuditPlan, rows_to_audit
from .evaluation.certificate import Certificate, certify
from .evaluation.shift import ShiftEstimate, estimate_shift
from .evaluation.suspicious import SuspiciousLabels
from .files import ModelFileError, load
from .files.onnx import export_onnx
from .planner import HalfspacePlan, Plan, RLPlan, compare, from_plan, plan
from .rounds.boosting import Run, boost
from .rounds.many import boost_many
from .rounds.relabeled import Relabeled, boost_relabeled

__all__ = [
    "AgnosticBoostingClassifier",
    "Audit",
    "AuditFigure",
    "AuditPlan",
    "Batch",
    "Booster",
    "Certificate",
    "ClassifierLearner",
    "EarlyStopping",
    "FewLabelClassifier",
    "HalfspacePlan",
    "HistogramStumpLearner",
    "HistogramTreeLearner",
    "LinearLearner",
    "ModelFileError",
    "OnePass",
    "OnlineBoostingClassifier",
    "ParityLearner",
    "Plan",
    "Pool",
    "ProbabilityLearner",
    "RLPlan",
    "Relabeled",
    "Run",
    "Selection",
    "ShiftEstimate",
    "SourceExhausted",
    "Stream",
    "StumpLearner",
    "Suggestion",
    "SuspiciousLabels",
    "TableClassifier",
    "Tape",
    "TreeLearner",
    "__version__",
    "algorithm1",
    "algorithm2",
    "algorithm3",
    "bernoulli",
    "boost",
    "boost_many",
    "boost_relabeled",
    "bootstrap",
    "brukhim_2020",
    "certify",
    "compare",
    "datasets",
    "estimate_shift",
    "evaluate",
    "evaluate_predictions",
    "explain",
    "export_onnx",
    "feldman_2009",
    "fractional",
    "from_plan",
    "ghai_singh_2024",
    "kanade_kalai",
    "labeled_only",
    "load",
    "madaboost",
    "model_selection",
    "pab",
    "plan",
    "reweighted",
    "rows_to_audit",
    "select",
    "smooth_boost",
    "split_labels",
    "suggest",
]


def __getattr__(name: str) -> Any:
    """``agnoboost.report`` is loaded when it is first asked for: few programs write pages."""
    if name == "report":
        return import_module("agnoboost.report")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), "report"})
