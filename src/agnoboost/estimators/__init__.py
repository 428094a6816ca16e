"""The scikit-learn classifiers."""

from .boosting import AgnosticBoostingClassifier
from .few_labels import FewLabelClassifier

__all__ = ["AgnosticBoostingClassifier", "FewLabelClassifier"]
