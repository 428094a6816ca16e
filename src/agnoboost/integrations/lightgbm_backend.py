"""LightGBM."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..basics.typing import Floats, Matrix
from ..files.engine_trees import EngineTrees
from ..files.lightgbm_trees import lightgbm_model, trees_of_lightgbm
from .backend import Backend, Ensemble, ProblemRows, TrainedEnsemble, Watch, feature_numbers
from .objective import UnlabeledObjective

BIN_PARAMS = ("max_bin", "min_data_in_bin")
ALIASES = {
    "num_leaves": ("num_leaf", "max_leaves", "max_leaf", "max_leaf_nodes"),
    "learning_rate": ("eta", "shrinkage_rate"),
    "device_type": ("device",),
    "num_threads": ("num_thread", "nthread", "nthreads", "n_jobs"),
    "seed": ("random_seed", "random_state"),
    "force_col_wise": ("force_row_wise",),
}


class LGBMEnsemble(TrainedEnsemble):
    @property
    def rounds(self) -> int:
        return int(self.booster.current_iteration())

    def margin(self, X: Matrix, rounds: int | None = None) -> Floats:
        many = self.rounds if rounds is None else min(rounds, self.rounds)
        if many == 0 or self.booster.num_trees() == 0:
            return np.zeros(len(X))
        return np.asarray(self.booster.predict(X, num_iteration=many, raw_score=True), dtype=np.float64)

    def contributions(self, X: Matrix) -> Floats:
        return np.asarray(self.booster.predict(X, pred_contrib=True), dtype=np.float64)

    def gains(self, features: int) -> Floats:
        total = np.zeros(features)
        total[feature_numbers(self.booster.feature_name())] = self.booster.feature_importance("gain")
        return total

    def kept(self) -> EngineTrees:
        return trees_of_lightgbm(str(self.booster.model_to_string(num_iteration=-1)))

    @classmethod
    def of_trees(cls, trees: EngineTrees, columns: int, categorical: Collection[int]) -> Self:
        return cls(LightGBM.load().Booster(model_str=lightgbm_model(trees, columns)))


@dataclass(frozen=True)
class LightGBM(Backend):
    """LightGBM on the CPU, or as it was built."""

    package = "lightgbm"
    oldest = "4.0"
    ensemble = LGBMEnsemble
    aliases = ALIASES

    @staticmethod
    def _ours(max_depth: int, learning_rate: float, device: str, threads: int, seed: int) -> dict[str, Any]:
        leaves = 2**max_depth if 0 < max_depth < 17 else 31  # LightGBM grows leaf by leaf
        common = {"max_depth": max_depth, "num_leaves": leaves, "learning_rate": learning_rate, "device_type": device}
        return {**common, "num_threads": threads, "deterministic": True, "force_col_wise": True, "seed": seed}

    @property
    def settings(self) -> dict[str, Any]:
        """For ``lightgbm.train``."""
        return {"verbosity": -1, **dict(self.params)}

    def train(
        self, rows: ProblemRows, objective: UnlabeledObjective, rounds: int, watch: Watch | None = None
    ) -> tuple[Ensemble, list[float]]:
        lightgbm = self.load()
        data = self._dataset(rows)
        curve: list[float] = []
        extra: dict[str, Any] = {}
        if watch is not None:

            def stop(environment: Any) -> None:
                curve.append(float(environment.evaluation_result_list[0][2]))
                if watch.patience.is_over(curve):
                    raise lightgbm.callback.EarlyStopException(len(curve) - 1, environment.evaluation_result_list)

            held_out = self._dataset(watch.rows, reference=data)
            extra = {"valid_sets": [held_out], "feval": watch.metric.lightgbm, "callbacks": [stop]}
        settings = {**self.settings, "objective": objective, "metric": "none"}
        booster = lightgbm.train(settings, data, rounds, **extra)
        booster.best_iteration = -1  # all rounds count: how many are used is ours to say
        return LGBMEnsemble(booster), curve

    def _dataset(self, rows: ProblemRows, reference: Any = None) -> Any:
        return self.load().Dataset(
            rows.X,
            rows.labels,
            weight=rows.weight,
            categorical_feature=list(rows.categorical) or "auto",
            reference=reference,
            free_raw_data=True,
            # few rows must not leave it without any column: LightGBM then fails, instead of making trees without cuts
            params={"verbosity": -1, "feature_pre_filter": False, **{k: v for k, v in self.params if k in BIN_PARAMS}},
        )
