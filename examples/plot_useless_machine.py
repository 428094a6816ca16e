"""
A useless machine does little harm
==================================

Whoever adds machine labels to a few checked ones takes a risk: what if the machine is
bad? Here it is made better and better on purpose, from always wrong over a coin to
always right, while the checked labels stay the same. A method that deserves trust
follows the machine where it is good, and the checked labels where it is not, without
being told which.

How this is done is written in :doc:`/machine_labels`; with a real machine:
:doc:`plot_machine_labels`.
"""

# %%
# Machines of every quality
# -------------------------
#
# Breiman's waveforms: 21 noisy columns, and the question is whether a row is of the
# first wave. 40 rows have a checked label, 460 more only that of the machine, and 2,000
# rows are for judging. Errors of the machine lie anywhere.

import warnings

import numpy as np

from agnoboost import TableClassifier
from agnoboost.datasets import make_waveform
from agnoboost.evaluation.by_class import NeverPredictedWarning
from agnoboost.labels.machine import MachineLeftOutWarning

# Who learns from a coin is warned that a class is never predicted, and who has one
# beside checked labels that it is left out: the point here.
warnings.simplefilter("ignore", NeverPredictedWarning)
warnings.simplefilter("ignore", MachineLeftOutWarning)

X, wave = make_waveform(2500, rng=0)
y = (wave == 0).astype(float)
train, unseen = np.arange(500), np.arange(500, 2500)
qualities, draws = [0.0, 0.2, 0.35, 0.5, 0.65, 0.8, 1.0], 3
WAYS = ("checked labels alone", "machine labels alone", "both")
accuracy = np.zeros((draws, len(qualities), len(WAYS)))
weight = np.zeros((draws, len(qualities)))
roles = []

for draw in range(draws):
    rng = np.random.default_rng(draw)
    rows, luck = rng.permutation(train), rng.random(len(train))
    checked = np.where(np.arange(len(rows)) < 40, y[rows], np.nan)
    model = TableClassifier(effort="fast", random_state=0)
    alone = model.fit(X[rows], checked).score(X[unseen], y[unseen])
    for place, quality in enumerate(qualities):
        machine = np.where(luck < quality, y[rows], 1 - y[rows])
        believing = (
            model.fit(X[rows], machine).score(X[unseen], y[unseen])
            if quality >= 0.5
            else np.nan
        )
        both = model.fit(X[rows], checked, machine_labels=machine).score(
            X[unseen], y[unseen]
        )
        accuracy[draw, place] = alone, believing, both
        (record,) = model.machines_.machines
        weight[draw, place] = record.weight
        roles.append(record.role)

# %%
# What to look at
# ---------------
#
# Above: the line of both is never far below that of the checked labels alone, not even
# in the middle, where the machine is a coin. There a model of what it says foresees
# nothing on rows left out, and it is left out itself: no checked label is needed to see
# that. The line rises on *both* sides, since a machine that is mistaken as a rule tells
# as much as one that is right as a rule.
# Whoever believes the machine falls with it. At the right end the caution has its
# price: there belief would have been better. Below: how much of the model comes from
# the machine ("inverted" is only said of one that is clearly mistaken as a rule, by 40
# checked labels; that of 35% is not yet).

import matplotlib.pyplot as plt
from matplotlib.patches import Patch

figure, (above, below) = plt.subplots(
    2, 1, figsize=(9, 5.6), sharex=True, height_ratios=[3, 1.3], layout="constrained"
)
for number, (name, mark) in enumerate(zip(WAYS, "s^o", strict=True)):
    own, colour = accuracy[:, :, number], f"C{[1, 2, 0][number]}"
    above.plot(
        qualities,
        own.mean(axis=0),
        f"{mark}-",
        color=colour,
        label=name,
        linewidth=2.6 if number == 2 else 1.6,
    )
    above.plot(qualities, own.T, ".", color=colour, alpha=0.4)
above.set(ylabel="accuracy on 2,000 unseen rows", ylim=(0.66, 0.92))
above.annotate(
    "who believes a bad machine\nis far below this picture",
    (0.56, 0.665),
    (0.3, 0.70),
    color="C2",
    arrowprops={"arrowstyle": "->", "color": "C2"},
)
above.legend(loc="lower right")

colours = {"used": "C0", "inverted": "C3", "no use": "0.65", "left out": "0.85"}
places = (
    np.repeat([qualities], draws, axis=0) + np.linspace(-0.014, 0.014, draws)[:, None]
)
below.bar(
    places.ravel(), weight.ravel(), width=0.012, color=[colours[role] for role in roles]
)
below.set(
    xlabel="how often the machine is right",
    ylabel="its share\nof the model",
    ylim=(0, 1),
)
below.xaxis.set_major_formatter("{x:.0%}")
below.yaxis.set_major_formatter("{x:.0%}")
below.set_title("what the model makes of it, a bar for each draw")
below.legend(
    handles=[Patch(color=colour, label=name) for name, colour in colours.items()],
    loc="upper center",
    ncols=4,
)
plt.show()

# %%
# The price of a coin, and what a perfect machine brings, each as the difference from
# the checked labels alone:

gain = accuracy[:, :, 2] - accuracy[:, :, 0]
for quality in (0.5, 1.0):
    own = gain[:, qualities.index(quality)]
    print(
        f"machine right in {quality:.0%}: mean {own.mean():+.3f}, single draws",
        *(f"{one:+.3f}" for one in own),
    )

# %%
# A coin costs nothing where it is found out. One sort of machine is worse: one that
# goes by the columns and errs in a pattern that the few checked labels do not show. No
# method can find out what no label tells.
