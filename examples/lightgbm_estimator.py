"""LightGBM as an estimator for a label column with gaps.

Needs: pip install 'agnoboost[lightgbm]'
"""

import numpy as np

import agnoboost
from agnoboost.datasets import load
from agnoboost.integrations import LGBMAgnosticClassifier

table = load("spambase")
order = np.random.default_rng(0).permutation(len(table.y))
train, test = order[:3000], order[3000:]

y = table.y[train].astype(float)
y[150:] = np.nan  # rows without label

model = LGBMAgnosticClassifier(random_state=0, verbose=1).fit(table.X[train], y)
print(f"accuracy {model.score(table.X[test], table.y[test]):.3f}")
strongest = np.argsort(np.abs(model.pred_contribs(table.X[test[:1]])[0, :-1]))[::-1][:3]
print("what decided on the first row:", [table.features[i] for i in strongest])
model.save("spam.agno")
print(
    "the same after loading:",
    (agnoboost.load("spam.agno").predict(table.X) == model.predict(table.X)).all(),
)
