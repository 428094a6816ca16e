"""The classifier for 50 to 500 labels: several kinds of functions that descend one potential, blended.

``terms``: what is minimised, over different rows. ``columns``: rows as bins and as normal scores. ``bagged_trees`` and
``kernel_ridge``: the members. ``blending``: their weights and the slope of probabilities. ``estimator``: all of it.
"""

from .estimator import FewLabelClassifier

__all__ = ["FewLabelClassifier"]
