"""XGBoost, on the CPU or on a GPU."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..basics.typing import Floats, Matrix
from ..files.engine_trees import EngineTrees
from ..files.xgboost_trees import trees_of_xgboost, xgboost_model
from .backend import Backend, Ensemble, ProblemRows, TrainedEnsemble, Watch, feature_numbers
from .objective import UnlabeledObjective


class XGBEnsemble(TrainedEnsemble):
    @property
    def rounds(self) -> int:
        return int(self.booster.num_boosted_rounds())

    def margin(self, X: Matrix, rounds: int | None = None) -> Floats:
        many = self.rounds if rounds is None else min(rounds, self.rounds)
        if many == 0:
            return np.zeros(len(X))
        found = self.booster.predict(self._matrix(X), iteration_range=(0, many), output_margin=True)
        return np.asarray(found, dtype=np.float64)

    def contributions(self, X: Matrix) -> Floats:
        return np.asarray(self.booster.predict(self._matrix(X), pred_contribs=True), dtype=np.float64)

    def gains(self, features: int) -> Floats:
        found = self.booster.get_score(importance_type="total_gain")
        total = np.zeros(features)
        total[feature_numbers(list(found))] = list(found.values())
        return total

    def kept(self) -> EngineTrees:
        return trees_of_xgboost(bytes(self.booster.save_raw("ubj")))

    @classmethod
    def of_trees(cls, trees: EngineTrees, columns: int, categorical: Collection[int]) -> Self:
        return cls(XGBoost.load().Booster(model_file=bytearray(xgboost_model(trees, columns, categorical))))

    def _matrix(self, X: Matrix) -> Any:
        return XGBoost.load().DMatrix(X, feature_types=self.booster.feature_types, enable_categorical=True)


@dataclass(frozen=True)
class XGBoost(Backend):
    """XGBoost on the CPU or on a GPU."""

    package = "xgboost"
    oldest = "2.1"
    ensemble = XGBEnsemble
    aliases = {"eta": ("learning_rate",), "nthread": ("n_jobs",), "seed": ("random_state",)}  # noqa: RUF012

    @staticmethod
    def _ours(max_depth: int, learning_rate: float, device: str, threads: int, seed: int) -> dict[str, Any]:
        common = {"tree_method": "hist", "max_depth": max_depth, "eta": learning_rate}
        return {**common, "device": device, "nthread": threads, "seed": seed}

    @property
    def settings(self) -> dict[str, Any]:
        """For ``xgboost.train``; margins start at 0, as the potential does."""
        return {"base_score": 0.0, "disable_default_eval_metric": 1, "verbosity": 0, **dict(self.params)}

    @property
    def on_gpu(self) -> bool:
        return str(self.settings["device"]).startswith(("cuda", "gpu"))

    def train(
        self, rows: ProblemRows, objective: UnlabeledObjective, rounds: int, watch: Watch | None = None
    ) -> tuple[Ensemble, list[float]]:
        if self.on_gpu:
            from .xgboost_gpu import train_on_gpu

            return train_on_gpu(self, rows, objective, rounds, watch)
        xgboost, matrix = self.load(), self.matrix(rows)
        curve: list[float] = []
        extra: dict[str, Any] = {}
        if watch is not None:
            patience = watch.patience

            class Stop(xgboost.callback.TrainingCallback):  # type: ignore[misc, name-defined]
                def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
                    (values,) = evals_log["held_out"].values()
                    curve.append(float(values[-1]))
                    return patience.is_over(curve)

            held_out = self.matrix(watch.rows, ref=matrix)
            extra = {"evals": [(held_out, "held_out")], "custom_metric": watch.metric.xgboost, "callbacks": [Stop()]}
        booster = xgboost.train(self.settings, matrix, rounds, obj=objective, verbose_eval=False, **extra)
        return XGBEnsemble(booster), curve

    def matrix(self, rows: ProblemRows, ref: Any = None) -> Any:
        """The rows, in bins."""
        return self.load().QuantileDMatrix(
            rows.X,
            rows.labels,
            weight=rows.weight,
            feature_types=["c" if column in rows.categorical else "q" for column in range(rows.X.shape[1])],
            enable_categorical=True,
            max_bin=self.settings.get("max_bin"),
            nthread=self.settings.get("nthread"),
            ref=ref,
        )
