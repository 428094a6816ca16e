"""
Labels that look wrong, the worst first
=======================================

Some labels are wrong, in every table that people have labeled. Which ones?
``model.suspicious_labels_`` ranks the given labels by parts of the model that have not
seen them, and says about how many are wrong. Who checks the top of that list finds most
of them at a fraction of the work.

What is assumed, and how it compares with cleanlab on eight tables: :doc:`/labeling`.
"""

# %%
# Digits, of which a tenth is called by the name of a lookalike
# -------------------------------------------------------------
#
# 500 handwritten digits have labels. A tenth of these are wrong in a way in which
# people are: 1 and 7, 4 and 9 and so on are taken for each other. The other 1,297
# digits are for judging. (Labels that every part of the model has seen cannot be
# ranked; so the list is a little shorter than 500.)

import numpy as np
from sklearn.datasets import load_digits

from agnoboost import TableClassifier

LOOKALIKE = np.array([6, 7, 8, 5, 9, 3, 0, 1, 2, 4])  # of 0, 1, 2, ...

X, digit = load_digits(return_X_y=True)
rng = np.random.default_rng(0)
order = rng.permutation(len(digit))
rows, unseen = order[:500], order[500:]
truth = digit[rows]
given = truth.copy()
mistaken = rng.choice(500, 50, replace=False)
given[mistaken] = LOOKALIKE[truth[mistaken]]

model = TableClassifier(effort="fast", random_state=0).fit(X[rows], given)
suspects = model.suspicious_labels_
print(suspects)
print(f"worth a look: the first {suspects.to_check}")
suspects.to_frame(5)

# %%
# Above, the sixteen most suspicious; below, sixteen from where the list ends. Under
# each digit is the label that it was given, and what the model would call it. An orange
# frame says that the label is indeed wrong, which the model cannot know. Look at those
# without a frame: they are labeled rightly, and hard to read.

import matplotlib.pyplot as plt

wrong = (given != truth)[suspects.row]
end = suspects.to_check
shown = np.concatenate([np.arange(16), np.arange(end - 6, end + 10)])
figure, panels = plt.subplots(4, 8, figsize=(9, 5.6), layout="constrained")
for place, panel in zip(shown, panels.flat, strict=True):
    panel.imshow(X[rows[suspects.row[place]]].reshape(8, 8), cmap="gray_r")
    panel.set(xticks=[], yticks=[])
    panel.grid(visible=False)
    panel.set_title(
        f"{place + 1}", loc="left", fontsize=7.5, weight="normal", color="0.5", pad=2
    )
    panel.set_xlabel(
        f"“{suspects.given[place]}”, rather {suspects.suggested[place]}", fontsize=8.5
    )
    for spine in panel.spines.values():
        spine.set(
            visible=True,
            color="#d55e00" if wrong[place] else "0.85",
            linewidth=3.5 if wrong[place] else 1,
        )
plt.show()

# %%
# How much work does the list save?
# ---------------------------------
#
# How many of the fifty wrong labels are found, by how many are looked at: in the order
# of the list; in that of a plain recipe, the probability of the given label by a random
# forest in cross-validation; and without any order. Then somebody corrects what they
# find among those that are worth a look, and the model is fitted again.

from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_predict

forest = cross_val_predict(
    RandomForestClassifier(random_state=0), X[rows], given, cv=5, method="predict_proba"
)
by_forest = np.argsort(forest[np.arange(500), given])

corrected = given.copy()
looked_at = suspects.row[: suspects.to_check]
corrected[looked_at] = truth[looked_at]
scores = {"labels as given": model.score(X[unseen], digit[unseen])}
for name, labels in (("after the look", corrected), ("all labels right", truth)):
    again = TableClassifier(effort="fast", random_state=0).fit(X[rows], labels)
    scores[name] = again.score(X[unseen], digit[unseen])

figure, (curve, bars) = plt.subplots(
    1, 2, figsize=(9, 3.8), width_ratios=[3, 2], layout="constrained"
)
curve.plot(np.arange(1, len(wrong) + 1), np.cumsum(wrong), label="suspicious_labels_")
curve.plot(
    np.arange(1, 501),
    np.cumsum((given != truth)[by_forest]),
    "--",
    label="a forest's probabilities",
)
curve.plot([0, 500], [0, 50], ":", color="0.5", label="without any order")
curve.axvline(suspects.to_check, color="0.4", linewidth=1)
curve.text(
    suspects.to_check + 4, 3, f"{suspects.to_check} are worth a look", color="0.3"
)
curve.set(
    xlim=(0, 200),
    ylim=(0, 53),
    xlabel="labels looked at",
    ylabel="wrong labels found, of 50",
)
curve.legend(loc="center right")
places = np.arange(len(scores))
bars.barh(
    places,
    [1 - value for value in scores.values()],
    color=["C1", "C0", "0.7"],
    height=0.55,
)
for place, value in zip(places, scores.values(), strict=True):
    bars.text(1 - value + 0.001, place, f"{1 - value:.1%}", va="center")
bars.set_yticks(places, list(scores))
bars.set(
    xlabel="errors on 1,297 unseen digits", xlim=(0, 1.25 * (1 - min(scores.values())))
)
bars.xaxis.set_major_formatter("{x:.0%}")
bars.invert_yaxis()
bars.grid(visible=False)
plt.show()

# %%
found = wrong[: suspects.to_check].sum()
print(f"{suspects.to_check} labels looked at, {found} of the 50 wrong ones found")
for name, value in scores.items():
    print(f"{name:<18} {value:.3f}")

# %%
# Digits are kind: their classes hardly overlap, and a label that disagrees is nearly
# always wrong. Where classes do overlap, some right labels look wrong, and no list can
# tell. The estimated number then is too large, and its interval does not know that.
