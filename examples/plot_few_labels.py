"""
First steps: few labels, some of them wrong
===========================================

A table of some hundred rows, of which a few dozen have a label, is where most projects
begin. :class:`agnoboost.TableClassifier` is meant for that: nothing has to be prepared
or tuned, rows without a label stay in the table, and labels that are wrong do less harm
than usual.

This example fits it once, as you would, and then compares it with what one would try
first from scikit-learn. The page of the classifier is :doc:`/table_classifier`.
"""

# %%
# One fit
# -------
#
# Handwritten digits of 8 x 8 pixels: is the digit odd or even? That is no easy rule,
# since both classes have five shapes each. Only 100 of 1,197 rows keep their label. NaN
# in ``y`` says "not labeled"; another 600 rows are put aside, and nothing sees them
# before the end.

import numpy as np
from sklearn.datasets import load_digits

from agnoboost import TableClassifier
from agnoboost.datasets import drop_labels, flip_labels

X, digit = load_digits(return_X_y=True)
odd = digit % 2
order = np.random.default_rng(0).permutation(len(odd))
pool, unseen = order[:-600], order[-600:]

y = drop_labels(odd[pool], 1 - 100 / len(pool), rng=0)
model = TableClassifier(random_state=0).fit(X[pool], y)

print(f"{model.n_labeled_} labels, {model.n_unlabeled_} rows without")
print(f"accuracy on unseen rows: {model.score(X[unseen], odd[unseen]):.3f}")

# %%
# The model is a blend of boosted trees and kernels, each weighed by rows that it has
# not seen:

for name, weight in model.weights_[0].items():
    print(f"{name:<14} {weight:.2f}")

# %%
# A learning curve, beside others
# -------------------------------
#
# The same question with 30 to 240 labels, three draws each: once with labels that are
# right, and once with a fifth of them flipped. Scores are always taken on the true
# labels of the 600 rows. Everybody has the defaults of the library, but for
# ``effort="fast"``, which is a few times quicker and hardly worse with few labels.

from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

methods = {
    "TableClassifier": TableClassifier(effort="fast", random_state=0),
    "random forest": RandomForestClassifier(random_state=0),
    "support vector machine": make_pipeline(StandardScaler(), SVC(random_state=0)),
    "logistic regression": make_pipeline(
        StandardScaler(), LogisticRegression(max_iter=1000)
    ),
}
sizes, rates, draws = [30, 60, 120, 240], [0.0, 0.2], 3
accuracy = np.zeros((len(rates), len(methods), len(sizes), draws))
for draw in range(draws):
    rows = np.random.default_rng(draw).permutation(pool)
    for one, rate in enumerate(rates):
        labels = flip_labels(odd[rows], rate, rng=draw)
        for place, size in enumerate(sizes):
            for number, method in enumerate(methods.values()):
                method.fit(X[rows[:size]], labels[:size])
                accuracy[one, number, place, draw] = method.score(
                    X[unseen], odd[unseen]
                )

# %%
# Look at the left ends of the curves, and at how much each line falls from the left
# panel to the right one.

import matplotlib.pyplot as plt

figure, panels = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True, layout="constrained")
for panel, scores, rate in zip(panels, accuracy, rates, strict=True):
    for name, own, mark in zip(methods, scores, "osv^", strict=True):
        strong = name == "TableClassifier"
        panel.plot(
            sizes,
            own.mean(axis=1),
            f"{mark}-",
            label=name,
            linewidth=2.6 if strong else 1.4,
            zorder=2 + strong,
        )
    panel.set(
        xscale="log",
        xlabel="labels",
        title="all labels right" if not rate else "a fifth of the labels flipped",
    )
    panel.set_xticks(sizes, [str(size) for size in sizes], minor=False)
    panel.minorticks_off()
panels[0].set_ylabel("accuracy on 600 unseen rows")
panels[0].legend(loc="lower right")
plt.show()

# %%
# And in numbers, means of the three draws. No single method is best everywhere, and
# three draws of one table prove little: the study in :doc:`/table_classifier` has many
# tables and all differences with intervals. (The digits were not used to develop the
# classifier.)

for scores, rate in zip(accuracy, rates, strict=True):
    print(f"{rate:.0%} flipped".ljust(24), *(f"{size:>6}" for size in sizes))
    for name, own in zip(methods, scores.mean(axis=-1), strict=True):
        print(name.ljust(24), *(f"{value:6.3f}" for value in own))
