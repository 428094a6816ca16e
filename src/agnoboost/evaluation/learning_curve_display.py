"""A learning curve as a picture."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..basics.extras import require
from ..basics.intervals import NORMAL_95
from .learning_curve import LabelingCurve


class LabelingCurveDisplay:
    """What was measured, and how it would go on with ``more`` labels, with 95% intervals; needs matplotlib.

    Parameters
    ----------
    curve : LabelingCurve
        What was measured.
    more : int, default=100
        How far it is continued.

    Attributes
    ----------
    ax_, figure_ : Axes, Figure
        Those of matplotlib, once it is drawn.
    """

    def __init__(self, curve: LabelingCurve, more: int = 100):
        self.curve = curve
        self.more = more

    def plot(self, ax: Any = None) -> Self:
        """Draw on ``ax``, or on a new figure."""
        pyplot = require("matplotlib.pyplot", "plot", "Plots need matplotlib")
        if ax is None:
            _, ax = pyplot.subplots(figsize=(6.4, 4.0), layout="constrained")
        curve = self.curve
        sizes = np.linspace(curve.sizes[0], curve.labels + self.more, 200)
        middle, low, high = curve.band(sizes)
        ax.fill_between(sizes, low, high, alpha=0.2, linewidth=0, label="95% interval")
        ax.plot(sizes, middle, label="power law")
        spread = NORMAL_95 * curve.errors.std(axis=0, ddof=1) / np.sqrt(len(curve.errors))
        ax.errorbar(curve.sizes, curve.accuracies, yerr=spread, fmt="o", color="0.25", label="measured")
        ax.axvline(curve.labels, color="0.5", linestyle=":", label=f"{curve.labels} labels at hand")
        ax.set_xlabel("labels")
        ax.set_ylabel("accuracy on rows left out")
        ax.legend(loc="lower right")
        self.ax_, self.figure_ = ax, ax.figure
        return self
