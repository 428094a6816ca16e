"""XGBoost on a GPU, with margins and gradients that never leave it.

``xgboost.train`` hands margins to an objective in the memory of the host, whatever the device. Here they stay where
they are: each tree's share is added to the margins on the device, and the gradient is handed back as it is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .backend import Ensemble, ProblemRows, Watch
from .objective import UnlabeledObjective

if TYPE_CHECKING:
    from .xgboost_backend import XGBoost


def require_cupy() -> Any:
    """cupy, or an error that says how to get it."""
    try:
        import cupy
    except ImportError:
        raise ImportError(
            "device='cuda' needs cupy, so that gradients stay on the GPU. Install the build for your CUDA, for "
            "example: pip install cupy-cuda12x"
        ) from None
    return cupy


class DeviceMargins:
    """The margins of rows that lie on the device, after the trees so far."""

    def __init__(self, cupy: Any, X: Any):
        self._X = X
        self.now = cupy.zeros(len(X), dtype=cupy.float32)

    def add(self, booster: Any, number: int) -> None:
        """Take tree ``number`` in."""
        share = booster.inplace_predict(self._X, iteration_range=(number, number + 1), predict_type="margin")
        self.now += share.reshape(-1)


def train_on_gpu(
    backend: XGBoost, rows: ProblemRows, objective: UnlabeledObjective, rounds: int, watch: Watch | None = None
) -> tuple[Ensemble, list[float]]:
    """As ``backend.train``. The table goes to the device once, and serves for the bins and for the margins."""
    cupy, xgboost = require_cupy(), backend.load()
    if backend.settings.get("booster", "gbtree") != "gbtree":
        raise ValueError(f"On a GPU booster must be 'gbtree'. Got {backend.settings['booster']!r}. Use the CPU for it.")
    here = _on_device(cupy, rows)
    matrix = backend.matrix(here)
    booster = xgboost.Booster(backend.settings, [matrix])
    y, weight = cupy.asarray(rows.y), cupy.asarray(rows.weight)
    known = rows.y != 0
    totals = float(rows.weight[known].sum()), float(rows.weight[~known].sum())
    margins = DeviceMargins(cupy, here.X)
    held_out = None if watch is None else DeviceMargins(cupy, _on_device(cupy, watch.rows).X)
    curve: list[float] = []
    for number in range(rounds):
        gradient, hessian = objective.gradients(margins.now, y, weight, totals)
        booster.boost(matrix, number, grad=gradient.astype("float32"), hess=hessian.astype("float32"))
        margins.add(booster, number)
        if watch is not None and held_out is not None:
            held_out.add(booster, number)
            after = np.asarray(held_out.now.get(), dtype=np.float64)  # few rows, and a figure for the host
            curve.append(watch.metric.value(after, watch.rows.y, watch.rows.weight))
            if watch.patience.is_over(curve):
                break
    return backend.ensemble(booster), curve


def _on_device(cupy: Any, rows: ProblemRows) -> ProblemRows:
    return replace(rows, X=cupy.asarray(rows.X, dtype=cupy.float32))  # what the backend compares with its cuts
