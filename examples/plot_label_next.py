"""
Which rows to label next
========================

There is time to label twenty more rows: which ones? :func:`agnoboost.suggest` prefers
those of which the model is unsure, and spreads them over the table. It *draws* them,
with probabilities that it keeps: so the new labels not only train, they also say,
without bias, how often the model is wrong on all the rows that nobody has labeled.

More, with eight tables, in :doc:`/labeling`.
"""

# %%
# What it asks for
# ----------------
#
# Handwritten digits, odd or even, as in :doc:`plot_few_labels`. A model of 60 labels is
# asked which twelve of 940 other digits it would like to know about. Below them twelve
# digits at random; the bars show how sure the model is of each (full: sure). The model
# asks for untidy ones, and for shapes that it takes for their neighbours.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from agnoboost import TableClassifier, suggest

X, digit = load_digits(return_X_y=True)
odd = digit % 2
order = np.random.default_rng(0).permutation(len(odd))
everything, unseen = order[:1000], order[1000:]

labeled, pool = everything[:60], everything[60:]
model = TableClassifier(effort="fast", random_state=0).fit(X[labeled], odd[labeled])
wanted = suggest(model, X[pool], n=12, random_state=0)
others = np.random.default_rng(0).choice(len(pool), 12, replace=False)
sureness = np.abs(2 * model.predict_proba(X[pool])[:, 1] - 1)

figure, panels = plt.subplots(2, 12, figsize=(9, 2.3), layout="constrained")
asked = (("suggest", wanted.row, "C0"), ("random", others, "C2"))
for line, (name, rows, colour) in zip(panels, asked, strict=True):
    for panel, row in zip(line, rows, strict=True):
        panel.imshow(X[pool[row]].reshape(8, 8), cmap="gray_r", extent=(0, 8, 0, 8))
        panel.barh(-1.4, 8, align="edge", color="0.88")
        panel.barh(-1.4, 8 * sureness[row], align="edge", color=colour)
        panel.set(xlim=(0, 8), ylim=(-1.6, 8), xticks=[], yticks=[], frame_on=False)
    line[0].set_ylabel(name)
plt.show()

# %%
# Forty labels, then twenty more, four times
# ------------------------------------------
#
# Rows to label are taken in three ways: as ``suggest`` draws them; simply the most
# uncertain ones; and at random. Four draws of the first forty labels.


def suggested(model, pool, rng):
    return suggest(model, X[pool], n=20, random_state=int(rng.integers(2**31))).row


def most_uncertain(model, pool, rng):
    return np.argsort(np.abs(model.predict_proba(X[pool])[:, 1] - 0.5))[:20]


def at_random(model, pool, rng):
    return rng.choice(len(pool), 20, replace=False)


WAYS = {"suggest": suggested, "most uncertain": most_uncertain, "at random": at_random}
sizes, draws = [40, 60, 80, 100, 120], 4
accuracy = {name: np.zeros((draws, len(sizes))) for name in WAYS}
for draw in range(draws):
    for name, way in WAYS.items():
        rng = np.random.default_rng(draw)
        rows = rng.permutation(everything)
        labeled, left = rows[:40], rows[40:]
        for place in range(len(sizes)):
            own = TableClassifier(effort="fast", random_state=0).fit(
                X[labeled], odd[labeled]
            )
            accuracy[name][draw, place] = own.score(X[unseen], odd[unseen])
            new = way(own, left, rng)
            labeled, left = np.append(labeled, left[new]), np.delete(left, new)

# %%
# And how many errors are there in the pool?
# ------------------------------------------
#
# Back to the model of 60 labels. Its twenty suggestions are drawn 100 times, and each
# time the share of errors on the 940 rows of the pool is estimated from these twenty
# labels: by their plain mean, and by ``Suggestion.mean``, which knows with which
# probability each row was drawn.

truth = np.mean(model.predict(X[pool]) != odd[pool])
plain, weighed = [], []
for seed in range(100):
    wanted = suggest(model, X[pool], n=20, random_state=seed)
    wrong = odd[pool[wanted.row]] != wanted.prediction
    plain.append(wrong.mean())
    weighed.append(wanted.mean(wrong))
print(f"true share of errors: {truth:.3f}")
print(f"plain mean, on average: {np.mean(plain):.3f}")
print(f"Suggestion.mean, on average: {np.mean(weighed):.3f}")

# %%
# What to look at
# ---------------
#
# On the left: asking beats waiting for chance, on this table clearly, from 80 labels
# on. Taking the most uncertain rows without any luck teaches about as much. On the
# right is what that loses: among rows that were picked for being difficult there are
# far too many errors. With the probabilities the estimate is right on average, though
# twenty labels do not tell much.

figure, (curve, panel) = plt.subplots(1, 2, figsize=(9, 3.9), layout="constrained")
for (name, found), mark in zip(accuracy.items(), "os^", strict=True):
    (line,) = curve.plot(sizes, found.mean(axis=0), f"{mark}-", label=name)
    curve.plot(sizes, found.T, ".", color=line.get_color(), alpha=0.3)
curve.set(xlabel="labels", ylabel="accuracy on 797 unseen digits", xticks=sizes)
curve.legend(loc="lower right")

bins = np.arange(0, 0.76, 0.05) - 0.025
panel.hist(plain, bins, color="C1", alpha=0.75, label="plain mean of the 20")
panel.hist(weighed, bins, color="C0", alpha=0.75, label="Suggestion.mean")
panel.axvline(truth, color="black", linewidth=1.5, label="true share of errors")
for values, colour in ((plain, "C1"), (weighed, "C0")):
    panel.plot(
        np.mean(values),
        0,
        "^",
        color=colour,
        markersize=11,
        markeredgecolor="black",
        clip_on=False,
        zorder=5,
    )
panel.set(xlabel="estimated share of errors (triangles: means)", ylabel="of 100 draws")
panel.legend(loc="upper right")
plt.show()

# %%
for name, found in accuracy.items():
    print(f"{name:<16}", *(f"{value:.3f}" for value in found.mean(axis=0)))

# %%
# Do not expect as much everywhere: of the eight tables in :doc:`/labeling` the digits
# are the one on which asking pays most; on the others the gain is within chance, or
# nearly so.
