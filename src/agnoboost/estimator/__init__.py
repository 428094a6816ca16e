"""The scikit-learn estimator."""

from .classifier import AgnosticBoostingClassifier

__all__ = ["AgnosticBoostingClassifier"]
