"""Unlabeled rows for XGBoost and LightGBM: an objective for their own ``train``, estimators, and Dask."""

from .estimators import LGBMAgnosticClassifier, XGBAgnosticClassifier
from .objective import LabeledMetric, UnlabeledObjective

__all__ = ["LGBMAgnosticClassifier", "LabeledMetric", "UnlabeledObjective", "XGBAgnosticClassifier"]
