"""The scikit-learn classifiers."""

from .boosting import AgnosticBoostingClassifier
from .table import FewLabelClassifier, TableClassifier

__all__ = ["AgnosticBoostingClassifier", "FewLabelClassifier", "TableClassifier"]
