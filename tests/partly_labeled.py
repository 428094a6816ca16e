"""A partly labeled table, and parameters that make fitting it quick."""

import numpy as np


def table(rows=400, labeled=120, flips=0.1, seed=0, classes=2):
    """Numbers, with a rule that trees find; most labels are missing."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 6))
    score = X[:, 0] + X[:, 1] * (X[:, 2] > 0)
    truth = np.digitize(score, np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1]))
    y = np.where(rng.random(rows) < flips, rng.integers(classes, size=rows), truth).astype(float)
    y[labeled:] = np.nan
    return X, y, truth


FAST = {"n_rounds": 30, "step_size": 0.05, "random_state": 0}
