"""The paper's estimator, with all its knobs."""

from .estimator import AgnosticBoostingClassifier

__all__ = ["AgnosticBoostingClassifier"]
