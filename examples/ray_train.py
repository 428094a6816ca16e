"""Ray Train: the objective in a training loop on two workers.

Needs: pip install 'agnoboost[xgboost]' 'ray[train]'
"""

import numpy as np
from ray.train import ScalingConfig, get_context
from ray.train.xgboost import XGBoostTrainer


def rows():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 20, (2000, 4)).astype(float)
    truth = (X[:, 0] + X[:, 1] > 20).astype(float)
    return X, truth, np.where(rng.random(2000) < 0.2, truth, -1.0)  # -1: no label


def loop():
    import xgboost

    from agnoboost.integrations import UnlabeledObjective

    own, workers = get_context().get_world_rank(), get_context().get_world_size()
    X, truth, y = rows()
    part = xgboost.DMatrix(X[own::workers], y[own::workers])
    # The objective adds up the numbers of rows over all workers by itself.
    model = xgboost.train(
        {"base_score": 0.0, "max_depth": 3},
        part,
        20,
        obj=UnlabeledObjective(unlabeled_weight=0.5),
    )
    if own == 0:
        print(f"accuracy {np.mean((model.inplace_predict(X) > 0) == truth):.3f}")


if __name__ == "__main__":
    XGBoostTrainer(loop, scaling_config=ScalingConfig(num_workers=2)).fit()
