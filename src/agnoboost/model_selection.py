"""Cross-validation and scoring for partially labeled data; see :mod:`agnoboost.evaluation.model_selection`."""

from .evaluation.model_selection import LabeledSplit, drop_labels, flip_labels, labeled_scorer

__all__ = ["LabeledSplit", "drop_labels", "flip_labels", "labeled_scorer"]
