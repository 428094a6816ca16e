"""
Reading a model: why this row, which columns, what they do
==========================================================

Three questions, three tools of :mod:`agnoboost.explain`. *Why was this row predicted
so?* Shapley values, exact ones. *Which columns help the model to be right?* Permutation
importance, on labels left out. *What does a column do?* Effects.

All of it is described in :doc:`/explain`.
"""

# %%
# A model of a table with gaps
# ----------------------------
#
# The bundled *diabetes* table: 768 women of Pima heritage, eight measurements, many of
# them missing (nearly half of the insulin cells), and whether diabetes was found within
# five years. 400 rows train, 368 judge.

import numpy as np

from agnoboost import TableClassifier
from agnoboost.datasets import load
from agnoboost.explain import EffectDisplay, ImportanceDisplay, ShapleyDisplay, reasons

table = load("diabetes")
X, y = table.frame, np.where(table.y == 1, "diabetes", "healthy")
order = np.random.default_rng(0).permutation(len(y))
train, unseen = order[:400], order[400:]
model = TableClassifier(random_state=0).fit(X.iloc[train], y[train])
print(f"accuracy on unseen rows: {model.score(X.iloc[unseen], y[unseen]):.3f}")
print(f"always saying healthy:   {np.mean(y[unseen] == 'healthy'):.3f}")

# %%
# Why this row?
# -------------
#
# A Shapley value says how much a cell moves the log-odds of "diabetes", compared with
# the usual (here: 100 rows of the training table). Left: one woman; the bars and the
# usual log-odds add up to exactly what ``predict_proba`` says. Right: 150 women, a dot
# each, red where the cell is high. Look at glucose: the higher, the further to the
# right; and at age, where the young are far to the left and all others about equal.
# Grey dots are missing cells.

import matplotlib.pyplot as plt

display = ShapleyDisplay.from_estimator(
    model, X.iloc[unseen[:150]], X.iloc[train], target="diabetes"
)
figure, (one, many) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
display.plot(one, row=2)
display.plot(many)
figure.get_layout_engine().set(w_pad=0.1)
plt.show()

# %%
# The same for a reader who does not want a picture:

told, _ = reasons(model, X.iloc[unseen[:3]], X.iloc[train], top=2)
for row in told:
    print(f"{row.prediction}: for", *row.speaking_for, "| against", *row.against)

# %%
# Which columns help, and what do they do?
# ----------------------------------------
#
# ``feature_importances_`` says what the model *uses*; permutation importance on labels
# left out says what *helps*. The two need not agree.

used = dict(zip(X.columns, model.feature_importances_, strict=True))
print(
    "used: ",
    ", ".join(
        f"{name} {share:.2f}"
        for name, share in sorted(used.items(), key=lambda pair: -pair[1])
    ),
)

figure = plt.figure(figsize=(9, 6.4), layout="constrained")
above, below = figure.subfigures(2, 1, height_ratios=[1, 1])
ImportanceDisplay.from_estimator(model, X.iloc[unseen], y[unseen], random_state=0).plot(
    above.subplots()
)
columns = ["glucose", "bmi", ("glucose", "age")]
EffectDisplay.from_estimator(model, X.iloc[unseen], columns, target="diabetes").plot(
    below.subplots(1, 3)
)
plt.show()

# %%
# Above: on unseen labels only four of the eight columns help for certain; what crosses
# the line at zero may be chance, though the model does use it a little. Below: the bold
# line is the mean probability as one column varies, thin ones are single women, ticks
# at the bottom are deciles, and the diamond at the right is a missing cell. The map
# shows two columns at a time. None of this says what *causes* diabetes: it says what
# the model has learned from 400 rows.
