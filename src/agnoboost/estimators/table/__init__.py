"""The classifier to start with: several kinds of functions that descend one potential, blended.

``terms``: what is minimised, over different rows. ``columns``: rows as bins and as normal scores. ``members``: which
kinds of functions there are for so many labels; ``trees`` and ``kernel_ridge``: how they are fitted. ``blending``:
their weights, and the slope of probabilities. ``training``: all of it; ``model``: what it gives.
"""

from .estimator import TableClassifier
from .few_labels import FewLabelClassifier

__all__ = ["FewLabelClassifier", "TableClassifier"]
