"""
Unlabeled rows: when they help, and when they do not
====================================================

The potential of agnostic boosting, E[psi(H)] - E[y H], has a part that needs no labels.
The paper estimates it from unlabeled rows (Algorithm 1); one could as well take the
labeled rows for both parts (labeled-only boosting). The theorem says that the first
needs few labels in the *worst* case. This example looks at other cases, and does not
take sides.

What the library makes of it: :doc:`/estimator` on ``unlabeled_weight``; where unlabeled
rows are indispensable: :doc:`plot_positives_only`.
"""

# %%
# One table, twice: labels that are right, and labels of which a third is wrong
# -----------------------------------------------------------------------------
#
# Eight clusters in ten columns, 150 labels, 1,500 rows without, boosted stumps, 200
# rounds. Accuracy is that on the true labels of 1,500 unseen rows, after every round;
# thin lines are six draws.

import numpy as np

import agnoboost as ab

CENTRES = np.random.default_rng(5).normal(0, 3, size=(8, 10))


def clusters(rows, rng):
    which = rng.choice(8, rows, p=np.arange(1, 9) / 36)
    return CENTRES[which] + rng.normal(size=(rows, 10)), np.where(which % 2 == 0, 1, -1)


def course(wrong, seed, rounds=200):
    """Accuracy after every round: of labeled-only boosting, and of Algorithm 1."""
    rng = np.random.default_rng(seed)
    X, truth = clusters(150, rng)
    y = np.where(rng.random(150) < wrong, -truth, truth)
    unlabeled, _ = clusters(1500, rng)
    X_unseen, y_unseen = clusters(1500, rng)
    boosters = (
        ab.labeled_only((X, y), step=0.05),
        ab.algorithm1((X, y), unlabeled, step=0.05),
    )
    runs = [
        ab.boost(booster, ab.StumpLearner(), rounds=rounds, rng=0)
        for booster in boosters
    ]
    return [
        [np.mean((H >= 0) == (y_unseen > 0)) for H in run.tape.staged(X_unseen)][1:]
        for run in runs
    ]


by_share = {
    wrong: np.array([course(wrong, seed) for seed in range(6)]) for wrong in (0.0, 0.33)
}

# %%
# Left, labels are right: the unlabeled rows cost several points. Labeled rows that
# estimate both parts let their errors cancel; unlabeled ones bring noise of their own.
# Right, a third of the labels is wrong: both overfit as rounds go on, and unlabeled
# rows slow that down. That is a gain for those who boost for too long; who stops in
# time, at the peak of the curves, gains far more, and what is left between the two
# peaks is within what draws differ by.

import matplotlib.pyplot as plt

NAMES = ("labeled-only boosting", "Algorithm 1, with unlabeled rows")
figure, panels = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
for panel, (wrong, found) in zip(panels, by_share.items(), strict=True):
    for number, name in enumerate(NAMES):
        own = found[:, number].T
        panel.plot(own, color=f"C{number}", alpha=0.2, linewidth=0.8)
        panel.plot(own.mean(axis=1), color=f"C{number}", linewidth=2.4, label=name)
    panel.set(
        xlabel="rounds",
        title="all labels right" if not wrong else "a third of the labels wrong",
    )
panels[0].set(ylabel="accuracy on 1,500 unseen rows", ylim=(0.8, 1.0))
panels[0].legend(loc="lower right")
plt.show()

for wrong, found in by_share.items():
    mean = found.mean(axis=0)
    for own, name in zip(mean, NAMES, strict=True):
        best, last = own.max(), own[-1]
        print(f"{wrong:>3.0%} wrong, {name:<33} best round {best:.3f}, last {last:.3f}")

# %%
# Real tables
# -----------
#
# The estimator has the choice as a weight: 0 is labeled-only, 1 is the paper, values
# between combine both without bias. 100 labels (a fifth of them flipped) of three
# bundled tables, all other training rows unlabeled, six draws; the gain is that over
# weight 0 on the same rows.

tables = {name: ab.datasets.load(name) for name in ("diabetes", "german", "ionosphere")}
weights, draws = (0.0, 0.5, 1.0), 6
accuracy = np.zeros((len(tables), draws, len(weights)))
for line, table in zip(accuracy, tables.values(), strict=True):
    for draw in range(draws):
        order = np.random.default_rng(draw).permutation(len(table.y))
        train, unseen = np.split(order, [2 * len(order) // 3])
        noisy = ab.datasets.flip_labels(table.y[train[:100]], 0.2, rng=draw)
        for place, weight in enumerate(weights):
            model = ab.AgnosticBoostingClassifier(
                weak_learner="stump", unlabeled_weight=weight, batch_size=None
            )
            model.set_params(random_state=0).fit(
                table.X[train[:100]], noisy, X_unlabeled=table.X[train[100:]]
            )
            line[draw, place] = model.score(table.X[unseen], table.y[unseen])
gain = accuracy[:, :, 1:] - accuracy[:, :, :1]

figure, panel = plt.subplots(figsize=(9, 2.8), layout="constrained")
for place in range(len(tables)):
    for number in range(len(weights) - 1):
        height = place + 0.18 * (2 * number - 1)
        own = gain[place, :, number]
        error = own.std(ddof=1) / np.sqrt(draws)
        panel.plot(own, np.full(draws, height), ".", color=f"C{number + 1}", alpha=0.45)
        panel.errorbar(
            own.mean(),
            height,
            xerr=2 * error,
            fmt="D",
            color=f"C{number + 1}",
            capsize=3,
            zorder=3,
        )
for number, weight in enumerate(weights[1:]):
    panel.plot(
        [], [], "D", color=f"C{number + 1}", label=f"unlabeled_weight = {weight:g}"
    )
panel.axvline(0, color="0.3", linewidth=1)
panel.set_yticks(range(len(tables)), list(tables))
panel.set(
    ylim=(-0.6, len(tables) - 0.2),
    xlabel="gain in accuracy over weight 0 (means with two standard errors)",
)
panel.grid(visible=False)
panel.legend(loc="upper right", ncols=2)
plt.show()

for name, own in zip(tables, gain.mean(axis=1), strict=True):
    print(
        f"{name:<11} mean gain of weight 0.5: {own[0]:+.3f}, of weight 1: {own[1]:+.3f}"
    )

# %%
# So on these tables unlabeled rows bring nothing at a fixed weight, and rather cost a
# little. That is why ``unlabeled_weight="auto"``, the default, uses them only where
# held-out labels say clearly that they help, and why :class:`agnoboost.TableClassifier`
# uses them for bins and ranks only. What unlabeled rows do give, for certain, is the
# theorem: see :doc:`plot_family` for what that means for the number of labels.
