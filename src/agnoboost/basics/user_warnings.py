"""Warnings that point to the line of the user's that led to them, however deep in the package they arise."""

from __future__ import annotations

import sys
import warnings

# scikit-learn wraps methods, and calls ours from its own; contexts and threads are Python's.
BETWEEN = ("agnoboost", "sklearn", "joblib", "contextlib", "concurrent", "threading")


def tell(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn as of the first line outside; of our own first one, if all is ours (a thread, the command line)."""
    frame, level = sys._getframe(1), 2
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in BETWEEN:
        frame, level = frame.f_back, level + 1  # type: ignore[assignment]
    warnings.warn(message, category, stacklevel=2 if frame is None else level)
