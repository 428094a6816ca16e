"""Unlabeled rows in an existing XGBoost script: three lines are new.

Needs: pip install 'agnoboost[xgboost]'
"""

import numpy as np
import xgboost as xgb

from agnoboost.datasets import load
from agnoboost.integrations import LabeledMetric, UnlabeledObjective  # new

table = load("spambase")
X, truth = table.X, (table.y > 0).astype(float)
order = np.random.default_rng(0).permutation(len(truth))
train, held_out, test = order[:3000], order[3000:3200], order[3200:]

y = truth[train].copy()
y[150:] = -1  # new: rows without label

matrix = xgb.QuantileDMatrix(X[train], y)
model = xgb.train(
    {"base_score": 0.0, "disable_default_eval_metric": 1, "max_depth": 3, "eta": 0.1},
    matrix,
    300,
    obj=UnlabeledObjective(unlabeled_weight=0.5),  # new
    evals=[(xgb.QuantileDMatrix(X[held_out], truth[held_out], ref=matrix), "held_out")],
    custom_metric=LabeledMetric().xgboost,  # for early stopping
    early_stopping_rounds=25,
    verbose_eval=False,
)
margin = model.predict(xgb.DMatrix(X[test]))
accuracy = np.mean((margin > 0) == (truth[test] == 1))
print(f"{model.num_boosted_rounds()} rounds, accuracy {accuracy:.3f}")
