"""
Positives and unlabeled rows only
=================================

Patients with a diagnosis, customers who have answered, sites where a plant was found:
of one class there are examples, of the other none, only rows of which nobody knows. Who
takes these for negatives teaches the model that positives are negative.
:class:`agnoboost.labels.PositiveUnlabeled` needs one number more, the share of
positives among the unlabeled rows, and then has the potential of ordinary labels
without bias.

See :doc:`/labels` for what must hold.
"""

# %%
# Two islands in a ring
# ---------------------
#
# Positives live on two islands, negatives in a ring around them; they overlap a little.
# There are 120 positives, and 900 rows without a label, of which 35% are positive.

import warnings

import numpy as np

from agnoboost import TableClassifier
from agnoboost.evaluation.by_class import NeverPredictedWarning
from agnoboost.labels import PositiveUnlabeled, estimate_prior

SHARE = 0.35


def islands(rows, rng):
    positive = rng.random(rows) < SHARE
    centre = np.array([[0.0, 0.0], [2.2, 1.8]])[rng.integers(2, size=rows)]
    angle = rng.uniform(0, 2 * np.pi, rows)
    ring = np.column_stack([1.1 + 2.4 * np.cos(angle), 0.9 + 2.4 * np.sin(angle)])
    return np.where(positive[:, None], centre, ring) + rng.normal(
        0, 0.5, (rows, 2)
    ), positive.astype(float)


def draw(seed, positives=120):
    """Positives that were found, unlabeled rows, and what these really are."""
    rng = np.random.default_rng(seed)
    more, which = islands(1000, rng)
    unlabeled, hidden = islands(900, rng)
    return more[which == 1][:positives], unlabeled, hidden


def fit(found, unlabeled, labels=np.nan, label_model=None):
    """By default unlabeled rows are unlabeled: NaN."""
    X = np.concatenate([found, unlabeled])
    y = np.append(np.ones(len(found)), np.broadcast_to(labels, len(unlabeled)))
    return TableClassifier(label_model=label_model, random_state=0).fit(X, y)


X_unseen, y_unseen = islands(4000, np.random.default_rng(100))

# %%
# Three models of the same rows: unlabeled rows taken for negatives; read as what they
# are; and, for comparison, with the true labels of all rows, which nobody has. The
# first warns that it never predicts the positives, and is right to.

warnings.simplefilter("ignore", NeverPredictedWarning)
draws = 3
models, accuracy = [], []
for seed in range(draws):
    found, unlabeled, hidden = draw(seed)
    own = {
        "unlabeled rows taken for negatives": fit(found, unlabeled, 0.0),
        "PositiveUnlabeled(0.35)": fit(
            found, unlabeled, label_model=PositiveUnlabeled(SHARE)
        ),
        "all true labels (nobody has them)": fit(found, unlabeled, hidden),
    }
    models.append(own)
    accuracy.append([model.score(X_unseen, y_unseen) for model in own.values()])

print(f"{'accuracy on unseen rows':<36} mean   draws")
for name, values in zip(models[0], np.transpose(accuracy), strict=True):
    print(
        f"{name:<36} {values.mean():.3f}  (",
        ", ".join(f"{value:.3f}" for value in values),
        ")",
        sep="",
    )
print(f"{'always saying negative':<36} {np.mean(y_unseen == 0):.3f}")

# %%
# The probability of "positive" over the plane, of the first draw. In the first panel is
# all that the models get to see. In the second the islands are there, but so pale that
# no row is ever taken for positive. In the third they come close to those of the last
# one, which knows everything.

import matplotlib.pyplot as plt

figure, panels = plt.subplots(
    2, 2, figsize=(9, 7.6), sharex=True, sharey=True, layout="constrained"
)
first, *others = panels.flat
found, unlabeled, _ = draw(0)
first.plot(*unlabeled.T, ".", color="0.7", markersize=4, label="unlabeled")
first.plot(*found.T, "o", color="C1", markersize=4.5, label="positive")
first.set_title("what there is to learn from")
first.legend(loc="upper left")
side = np.linspace(-2.6, 4.8, 90)
plane = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
for panel, (name, model) in zip(others, models[0].items(), strict=True):
    chance = model.predict_proba(plane)[:, 1].reshape(len(side), -1)
    shade = panel.contourf(
        side, side, chance, levels=np.linspace(0, 1, 11), cmap="RdBu_r", alpha=0.85
    )
    if chance.max() > 0.5:
        panel.contour(side, side, chance, levels=[0.5], colors="black", linewidths=1.4)
    panel.set_title(
        f"{name}: {model.score(X_unseen, y_unseen):.1%} right", fontsize=9.5
    )
for panel in panels.flat:
    panel.set(aspect="equal", xlim=(-2.6, 4.8), ylim=(-2.6, 4.4))
    panel.grid(visible=False)
figure.colorbar(shade, ax=panels, label="probability of positive", shrink=0.6)
plt.show()

# %%
# What if the share is wrong?
# ---------------------------
#
# It has to come from somewhere: an earlier survey, a small sample that somebody labels,
# or an estimate, which assumes that the positives at hand are a random sample of all
# positives. There is no default for it.

estimate = estimate_prior(found, unlabeled)
print(estimate)
stated = [0.15, 0.2, 0.25, 0.3, 0.35, 0.45, 0.6, 0.75]
by_share = [
    fit(found, unlabeled, label_model=PositiveUnlabeled(share)).score(
        X_unseen, y_unseen
    )
    for share in stated
]

figure, panel = plt.subplots(figsize=(9, 3.4), layout="constrained")
panel.plot(stated, by_share, "o-")
panel.axvline(SHARE, color="0.4", linewidth=1, label="the true share")
panel.axvspan(
    estimate.prior - 2 * estimate.error,
    estimate.prior + 2 * estimate.error,
    color="C1",
    alpha=0.2,
    linewidth=0,
    label="estimate_prior, two standard errors",
)
panel.axhline(accuracy[0][2], color="0.4", linestyle="--", linewidth=1.2)
panel.text(0.76, accuracy[0][2], "all true labels", va="bottom", ha="right")
panel.axhline(accuracy[0][0], color="0.4", linestyle=":", linewidth=1.2)
panel.text(
    0.76, accuracy[0][0], "unlabeled rows taken for negatives", va="bottom", ha="right"
)
panel.set(
    xlabel="share of positives that is stated", ylabel="accuracy on 4,000 unseen rows"
)
panel.xaxis.set_major_formatter("{x:.0%}")
panel.legend(loc="lower center", bbox_to_anchor=(0.55, 0.12))
plt.show()

# %%
# A share that is somewhat too high costs little here; one that is too low by 40% brings
# the model back to where it finds few positives. If the positives at hand are only the
# obvious ones, the estimate is too low, and nothing in the data shows it.
