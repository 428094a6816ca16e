"""
Rare classes: move the threshold, not the probabilities
=======================================================

Five payments in a hundred are fraud, and a fraud that passes costs twenty times as much
as a false alarm. A classifier that predicts the likelier class will hardly ever say
"fraud", and is right about 95% of the payments. There are two ways out: weigh the
classes while training, which changes the probabilities, or leave these alone and decide
by costs.

The options are described in :doc:`/table_classifier` under "Rare classes and
thresholds".
"""

# %%
# Payments whose probabilities are known
# --------------------------------------
#
# 800 labeled payments, of which about 45 are fraud; 20,000 more to judge with. Costs
# are counted per 1,000 payments. As the true probabilities are known, so is the lowest
# cost that anybody could reach.

import warnings

import numpy as np
from scipy.special import expit

from agnoboost import TableClassifier
from agnoboost.evaluation.by_class import NeverPredictedWarning

MISS, ALARM = 20, 1


def payments(rows, rng):
    X = rng.normal(size=(rows, 8))
    chance = expit(
        1.3 * X[:, 0]
        + 1.1 * np.maximum(X[:, 1], 0) * X[:, 2]
        + 0.9 * X[:, 3] ** 2
        - 5.2
    )
    return X, np.where(rng.random(rows) < chance, "fraud", "fine"), chance


X_unseen, y_unseen, chance_unseen = payments(20_000, np.random.default_rng(100))


def cost(says_fraud):
    fraud = y_unseen == "fraud"
    return 1000 * np.mean(MISS * (fraud & ~says_fraud) + ALARM * (~fraud & says_fraud))


print(f"share of fraud: {np.mean(y_unseen == 'fraud'):.1%}")
print(f"cost of never saying fraud: {cost(np.zeros(len(y_unseen), dtype=bool)):.0f}")
lowest = cost(chance_unseen > ALARM / (ALARM + MISS))
print(f"cost of the best possible decisions: {lowest:.0f}")

# %%
# The plain model warns, on its own, that it never or hardly ever predicts a class:

X, y, _ = payments(800, np.random.default_rng(2))
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    plain = TableClassifier(effort="fast", random_state=0).fit(X, y)
print(*(str(one.message) for one in told), sep="\n")

# %%
# Five ways to decide
# -------------------
#
# 1. the likelier class;
# 2. ``class_weight="balanced"``;
# 3. ``class_weight={"fraud": 20, "fine": 1}``;
# 4. ``tune_threshold={"fraud": 20, "fine": 1}``: the lowest cost on rows left out;
# 5. no option, but arithmetic: an alarm pays if P(fraud) is above 1/21.

warnings.simplefilter("ignore", NeverPredictedWarning)
COSTS = {"fraud": MISS, "fine": ALARM}
OPTIONS = {
    "the likelier class": {},
    "class_weight, balanced": {"class_weight": "balanced"},
    "class_weight, 20 to 1": {"class_weight": COSTS},
    "tune_threshold, 20 to 1": {"tune_threshold": COSTS},
}
BY_HAND = "P(fraud) > 1/21"
draws = 6
costs = {name: [] for name in (*OPTIONS, BY_HAND)}
models = {}
for draw in range(draws):
    X, y, _ = payments(800, np.random.default_rng(draw))
    for name, options in OPTIONS.items():
        models[name] = TableClassifier(effort="fast", random_state=0, **options).fit(
            X, y
        )
        costs[name].append(cost(models[name].predict(X_unseen) == "fraud"))
    chance = models["the likelier class"].predict_proba(X_unseen)[
        :, 1
    ]  # classes_ are fine, fraud
    costs[BY_HAND].append(cost(chance > ALARM / (ALARM + MISS)))

# %%
# What to look at
# ---------------
#
# Top left is the cost of every threshold, for the model of the last draw: the valley is
# far from one half, and so wide that a threshold need not be found exactly. Below are
# the six draws of each way: the likelier class costs most by far; moving the threshold
# costs least, by tuning or by arithmetic. Top right is why: whoever weighs classes
# while training gets probabilities that are far too high, and trains on a few heavy
# rows.

import matplotlib.pyplot as plt

figure, panels = plt.subplot_mosaic(
    [["valley", "belief"], ["dots", "dots"]],
    figsize=(9, 6.6),
    layout="constrained",
    height_ratios=[5, 4],
)
valley, belief, dots = (panels[name] for name in ("valley", "belief", "dots"))
thresholds = np.geomspace(0.004, 0.9, 80)
valley.plot(thresholds, [cost(chance > one) for one in thresholds])
for threshold, label in ((1 / 21, "1/21"), (0.5, "1/2")):
    valley.axvline(threshold, color="0.5", linestyle=":")
    valley.text(threshold * 0.92, 60, label, ha="right")
valley.set(
    xscale="log",
    ylim=(0, 1200),
    xlabel="threshold of P(fraud)",
    ylabel="cost per 1,000 payments",
)

belief.plot([0, 1], [0, 1], "--", color="0.6", linewidth=1)
for place, (name, model) in enumerate(models.items()):
    if "tune" not in name:  # its probabilities are those of the first one
        said = model.predict_proba(X_unseen)[:, 1]
        parts = np.array_split(np.argsort(said), 12)
        x, y = (
            [values[part].mean() for part in parts] for values in (said, chance_unseen)
        )
        belief.plot(x, y, ".-", color=f"C{place}", label=name)
belief.set(xlabel="P(fraud) that the model says", ylabel="true P(fraud)")
belief.legend(loc="upper left")

for place, found in enumerate(costs.values()):
    dots.plot(
        found,
        np.full(draws, place) + np.linspace(-0.2, 0.2, draws),
        ".",
        color=f"C{place}",
        markersize=9,
    )
    dots.plot(
        [np.mean(found)] * 2,
        [place - 0.36, place + 0.36],
        color=f"C{place}",
        linewidth=2.5,
    )
dots.axvline(lowest, color="black", linewidth=1, linestyle="--")
dots.text(lowest - 8, -0.3, "best possible", ha="right")
dots.set(xlim=(0, 1150), xlabel="cost per 1,000 payments: six draws, and their mean")
dots.set_yticks(range(len(costs)), list(costs))
dots.grid(visible=False)
dots.invert_yaxis()
plt.show()

# %%
for name, found in costs.items():
    print(
        f"{name:<24} mean cost {np.mean(found):5.0f}, single draws",
        *(f"{one:.0f}" for one in found),
    )

# %%
# Arithmetic with the probabilities is even a little cheaper here than tuning, which has
# only some 45 frauds to go by. ``tune_threshold`` is for those who want ``predict``
# itself to decide by cost, or who do not trust the probabilities.
