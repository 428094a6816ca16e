"""Agnostic boosting: learn from few, noisy labels and plenty of unlabeled data.

Whatever stands here is loaded when it is first asked for, so that ``import agnoboost`` by itself takes no time.
"""

from importlib import import_module
from typing import Any

from ._version import __version__ as __version__

# Where each name is at home; ``__init__.pyi`` tells type checkers the same, and a test compares the two.
_NAMES = {
    "core.batch": ("Batch", "bernoulli", "bootstrap", "fractional", "reweighted"),
    "core.booster": ("Booster",),
    "core.callbacks": ("EarlyStopping",),
    "core.earlier_recipes": (
        "brukhim_2020",
        "feldman_2009",
        "ghai_singh_2024",
        "kanade_kalai",
        "madaboost",
        "pab",
        "smooth_boost",
    ),
    "core.learners": (
        "ClassifierLearner",
        "HistogramStumpLearner",
        "HistogramTreeLearner",
        "LinearLearner",
        "ParityLearner",
        "ProbabilityLearner",
        "StumpLearner",
        "TreeLearner",
    ),
    "core.recipes": ("algorithm1", "algorithm2", "algorithm3", "labeled_only"),
    "core.selection": ("Selection", "select"),
    "core.sources": ("OnePass", "Pool", "SourceExhausted", "Stream", "split_labels"),
    "core.tape": ("Tape",),
    "estimators": ("AgnosticBoostingClassifier",),
    "estimators.boosting.parquet": ("fit_parquet",),
    "estimators.online": ("OnlineBoostingClassifier",),
    "estimators.suggesting": ("Suggestion", "suggest"),
    "estimators.table": ("FewLabelClassifier", "TableClassifier"),
    "evaluation.audit": ("Audit", "AuditFigure", "evaluate", "evaluate_predictions"),
    "evaluation.audit_plan": ("AuditPlan", "rows_to_audit"),
    "evaluation.certificate": ("Certificate", "certify"),
    "evaluation.shift": ("ShiftEstimate", "estimate_shift"),
    "evaluation.suspicious": ("SuspiciousLabels",),
    "files": ("ModelFileError", "load"),
    "files.onnx": ("export_onnx",),
    "planner": ("HalfspacePlan", "Plan", "RLPlan", "compare", "from_plan", "plan"),
    "rounds.boosting": ("Run", "boost"),
    "rounds.many": ("boost_many",),
    "rounds.relabeled": ("Relabeled", "boost_relabeled"),
}
_HOME = {name: module for module, names in _NAMES.items() for name in names}
# Rooms that may be reached as attributes, without an import of their own.
_ROOMS = (
    "core",
    "datasets",
    "estimators",
    "evaluation",
    "explain",
    "files",
    "integrations",
    "labels",
    "model_selection",
    "planner",
    "report",
    "rl",
    "rounds",
    "tables",
    "testing",
)

__all__ = sorted([*_HOME, "__version__", "datasets", "explain", "model_selection"])


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"{__name__}.{name}")
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value  # from now on without a detour
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME, *_ROOMS})
