"""
The paper's loop, round by round
================================

Everything in this library rests on one short loop: look at the rows through the
gradient of a potential, ask a weak learner for a hypothesis of large correlation, and
take a step. This example runs Algorithm 1 of the paper in the plane, keeps its diary,
and draws it.

The algorithm, its lemmas and where each is tested: :doc:`/paper`. How rounds are run
fast: :doc:`/engine`.
"""

# %%
# Few noisy labels, many rows without
# -----------------------------------
#
# A disc in a square, which no single small tree can draw. 600 labels, of which 15% are
# wrong, train; 200 more choose among the iterates at the end; 2,000 rows have no label;
# 4,000 are for judging, by their true labels.

import numpy as np

import agnoboost as ab

X = np.random.default_rng(0).uniform(-1.5, 1.5, (6800, 2))
truth = np.where((X**2).sum(axis=1) < 1.4, 1, -1)
y = ab.datasets.flip_labels(truth, 0.15, rng=0)
labeled, held_out, unlabeled, unseen = np.split(np.arange(6800), [600, 800, 2800])

# %%
# A *booster* is a recipe: where rows come from, which potential, and how to step. It is
# run with a weak learner, here trees of two questions. In **case A** the learner has
# found a hypothesis with an edge above the threshold, and it is added. In **case B** it
# has not, and all margins H(x) take a step towards zero: what was learned by chance is
# unlearned.

ROUNDS, THRESHOLD = 240, 0.035
booster = ab.algorithm1(
    (X[labeled], y[labeled]), X[unlabeled], step=0.05, gamma=0.5, threshold=THRESHOLD
)
run = ab.boost(booster, ab.TreeLearner(2), rounds=ROUNDS, rng=0)
chosen = run.select(X[held_out], y[held_out])

case = run.history["branch"]
accuracy = np.array(
    [
        np.mean(np.where(H >= 0, 1, -1) == truth[unseen])
        for H in run.tape.staged(X[unseen])
    ]
)
print(f"case A in {np.sum(case == 'A')} rounds, case B in {np.sum(case == 'B')}")
print(f"chosen, after {chosen.rounds} rounds: accuracy {accuracy[chosen.rounds]:.3f}")
print(f"the last iterate: {accuracy[-1]:.3f}; the best one: {accuracy.max():.3f}")

# %%
# The margins over the plane
# --------------------------
#
# After 1, 8, and 20 rounds, and where the held-out labels would stop. Red and blue are
# the two classes, white is undecided; black is the border, dotted the true one. Dots
# are the labels, wrong ones included.

import matplotlib.pyplot as plt

stages = [1, 8, 20, chosen.rounds]
side = np.linspace(-1.5, 1.5, 150)
plane = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
figure, panels = plt.subplots(
    1, 4, figsize=(9, 2.6), sharex=True, sharey=True, layout="constrained"
)
for panel, rounds in zip(panels, stages, strict=True):
    H = run.tape.prefix(rounds).margin(plane).reshape(len(side), -1)
    panel.imshow(
        H, extent=(-1.5, 1.5) * 2, origin="lower", cmap="RdBu_r", vmin=-1, vmax=1
    )
    panel.contour(side, side, H, levels=[0.0], colors="black", linewidths=1)
    panel.scatter(
        *X[labeled].T,
        c=y[labeled],
        cmap="RdBu_r",
        vmin=-1.6,
        vmax=1.6,
        s=3,
        linewidths=0,
    )
    panel.add_patch(
        plt.Circle((0, 0), np.sqrt(1.4), fill=False, linestyle=":", color="0.2")
    )
    name = "chosen: " if rounds == chosen.rounds else ""
    panel.set_title(
        f"{name}{rounds} round{'s' * (rounds > 1)}: {accuracy[rounds]:.1%}", fontsize=9
    )
    panel.grid(visible=False)
    panel.set(xticks=[], yticks=[])
plt.show()

# %%
# The diary
# ---------
#
# Top: the edge of the weak hypothesis. It falls quickly to the threshold; from then on
# cases A and B take turns. Middle: the potential, as the booster sees it, falls with
# every round until no tree has an edge any more, and then stays about where it is.
# Bottom: what that means for accuracy. Iterates differ a lot, since a step back
# undecides what was hardly decided. The theorem does not promise that the last iterate
# is good, only that *some* iterate is; held-out labels choose it, and the two lines
# show that they can, though 15% of them are wrong.

number = run.history["number"]
figure, (top, middle, bottom) = plt.subplots(
    3, 1, figsize=(9, 6.2), sharex=True, layout="constrained"
)
for letter, colour in (("A", "C0"), ("B", "C1")):
    own = case == letter
    top.vlines(
        number[own],
        0,
        run.history["edge"][own],
        color=colour,
        linewidth=1.6,
        label=f"case {letter}",
    )
top.axhline(THRESHOLD, color="black", linewidth=1, linestyle=":", label="threshold")
top.set(ylabel="edge")
top.legend(loc="upper right")
middle.plot(number, run.history["potential"])
middle.set(ylabel="potential")
bottom.plot(np.arange(ROUNDS + 1), accuracy, label="accuracy on 4,000 unseen rows")
agreement = (1 + chosen.scores) / 2
bottom.plot(
    np.arange(ROUNDS + 1),
    agreement,
    color="C2",
    linewidth=1.2,
    label="agreement with 200 held-out labels",
)
bottom.axvline(chosen.rounds, color="0.4", linewidth=1)
bottom.text(chosen.rounds + 1.5, 0.5, "chosen", color="0.3")
bottom.set(xlabel="round", ylabel="share", ylim=(0.35, 1.0), xlim=(-1, ROUNDS + 1))
bottom.legend(loc="lower right", ncols=2)
plt.show()

# %%
# Step, threshold and rounds were set by hand here, to make a picture.
# ``agnoboost.plan("theorem1", ...)`` has those under which the theorem holds
# (:doc:`plot_family`), and :class:`agnoboost.AgnosticBoostingClassifier` chooses its
# own.
