"""
Stumps as curves: the paper's estimator as a readable model
===========================================================

A decision stump asks one question about one column. A boosted sum of stumps is
therefore a sum of curves, one for each column, and these curves *are* the model:
nothing is approximated when they are drawn.
:class:`agnoboost.AgnosticBoostingClassifier` with ``weak_learner="stump"`` makes such
models by the paper's Algorithm 1.

The estimator and its settings: :doc:`/estimator`. Explanations for models that are not
sums of curves: :doc:`plot_explain`.
"""

# %%
# Do the curves find the truth?
# -----------------------------
#
# A made table in which the answer is known: a wave, a jump, a straight line, and a
# fourth column that does nothing. Rows are labeled by chance, and nobody could be right
# more often than in 77 of 100 cases. Five draws of 600 labels.

import numpy as np
from scipy.special import expit

from agnoboost import AgnosticBoostingClassifier, TableClassifier

COLUMNS = ("a wave", "a jump", "a line", "nothing")


def parts(X):
    """What each column adds to the log-odds."""
    return np.column_stack(
        [
            1.8 * np.sin(3 * X[:, 0]),
            np.where(X[:, 1] > 0.3, 1.5, -0.9),
            1.2 * X[:, 2],
            np.zeros(len(X)),
        ]
    )


def world(rows, rng):
    X = rng.uniform(-1, 1, (rows, 4))
    chance = expit(parts(X).sum(axis=1))
    return X, (rng.random(rows) < chance).astype(int), chance


def curve(decide, X, column, values):
    """The part of a sum that belongs to one column, with a mean of 0."""
    rows = np.repeat(X[:1], len(values), axis=0)
    rows[:, column] = values
    heights = decide(rows)
    return heights - heights.mean()


X_unseen, y_unseen, chance_unseen = world(5000, np.random.default_rng(100))
models, scores = [], []
for draw in range(5):
    X, y, _ = world(600, np.random.default_rng(draw))
    stumps = AgnosticBoostingClassifier(
        weak_learner="stump", batch_size=None, random_state=0
    ).fit(X, y)
    blend = TableClassifier(effort="fast", random_state=0).fit(X, y)
    models.append(stumps)
    scores.append([model.score(X_unseen, y_unseen) for model in (stumps, blend)])
best = np.mean((chance_unseen > 0.5) == (y_unseen == 1))
print(
    "mean accuracy: a sum of stumps {:.3f}, TableClassifier {:.3f}".format(
        *np.mean(scores, axis=0)
    )
)
print(f"best possible: {best:.3f}")

# %%
# Blue: the curves of the five models, exactly as they predict. Black: the truth, which
# is the mean of 2P - 1 over the other columns. Look at the height of the curves, too:
# they are a little flat, since steps are small and rounds end where labels left out say
# so. The column that does nothing gets next to nothing.

import matplotlib.pyplot as plt

figure, panels = plt.subplots(1, 4, figsize=(9, 3.0), sharey=True, layout="constrained")
values = np.linspace(-1, 1, 200)
others = world(400, np.random.default_rng(7))[0]
for column, (panel, name) in enumerate(zip(panels, COLUMNS, strict=True)):
    for model in models:
        heights = curve(model.decision_function, others, column, values)
        panel.plot(values, heights, color="C0", alpha=0.55, linewidth=1.2)
    at_values = np.repeat(others[None], len(values), axis=0)
    at_values[:, :, column] = values[:, None]
    truth = np.mean(
        2 * expit(parts(at_values.reshape(-1, 4)).sum(axis=1)).reshape(len(values), -1)
        - 1,
        axis=1,
    )
    panel.plot(
        values, truth - truth.mean(), color="black", linestyle="--", linewidth=1.4
    )
    panel.set_title(name)
panels[0].set_ylabel("part of the margin H(x)")
plt.show()

# %%
# A real table on one page
# ------------------------
#
# The bundled *diabetes* table again, 400 rows to learn from. Each curve adds to the
# margin, and (1 + H)/2 is the probability of diabetes: so 0.2 on the upright axis is
# ten percentage points. The diamond at the right is what a missing cell adds. Nothing
# is left out: the eight curves and one constant *are* the margins.

from agnoboost.datasets import load

table = load("diabetes")
order = np.random.default_rng(0).permutation(len(table.y))
train, unseen = order[:400], order[400:]
model = AgnosticBoostingClassifier(
    weak_learner="stump", batch_size=None, random_state=0
)
model.fit(table.X[train], table.y[train])
blend = TableClassifier(random_state=0).fit(table.X[train], table.y[train])
for name, one in (("a sum of stumps", model), ("TableClassifier", blend)):
    accuracy = one.score(table.X[unseen], table.y[unseen])
    print(f"{name}: accuracy on unseen rows {accuracy:.3f}")

usual = np.nanmedian(table.X[train], axis=0)
constant = model.decision_function(usual[None])[0]
moved = np.array(
    [np.where(np.arange(8) == column, table.X[unseen], usual) for column in range(8)]
)
summed = constant + sum(model.decision_function(rows) - constant for rows in moved)
difference = np.abs(summed - model.decision_function(table.X[unseen])).max()
print(f"curves added up, and the margins: they differ by {difference:.0e} at most")

figure, panels = plt.subplots(2, 4, figsize=(9, 4.8), sharey=True, layout="constrained")
for column, (panel, name) in enumerate(zip(panels.flat, table.features, strict=True)):
    own = table.X[:, column]
    known = np.sort(own[~np.isnan(own)])
    values = np.append(np.linspace(known[0], known[-1], 300), np.nan)
    rows = np.repeat(table.X[:1], len(values), axis=0)
    rows[:, column] = values
    heights = model.decision_function(rows)
    heights -= np.interp(known, values[:-1], heights[:-1]).mean()
    panel.fill_between(values[:-1], heights[:-1], step="mid", alpha=0.25, linewidth=0)
    panel.plot(values[:-1], heights[:-1])
    if np.isnan(own).any():
        panel.plot(
            1.04,
            heights[-1],
            "D",
            color="C1",
            transform=panel.get_yaxis_transform(),
            clip_on=False,
        )
    panel.plot(
        np.quantile(known, np.arange(0.1, 1, 0.1)),
        np.full(9, -0.58),
        "|",
        color="0.4",
        markersize=6,
    )
    panel.axhline(0, color="0.5", linewidth=0.8)
    panel.set_title(name)
for panel in panels[:, 0]:
    panel.set_ylabel("adds to H(x)")
plt.show()

# %%
# Taking it elsewhere
# -------------------
#
# Such a model runs anywhere: ``save`` writes one file without pickle
# (:doc:`/model_file`), signed if you pass a key, and :func:`agnoboost.export_onnx` a
# graph for ONNX runtimes. Where ``onnxruntime`` is installed, it is asked about the
# unseen rows, too.

import tempfile
from importlib.util import find_spec
from pathlib import Path

import agnoboost as ab

folder, key = Path(tempfile.mkdtemp()), b"a key of at least sixteen bytes"
model.save(folder / "diabetes.agno", sign=key)
again = ab.load(folder / "diabetes.agno", verify=key)
print(
    "the same after loading:",
    np.array_equal(again.predict_proba(table.X), model.predict_proba(table.X)),
)
ab.export_onnx(model, folder / "diabetes.onnx")
print(
    {file.name: f"{file.stat().st_size:,} bytes" for file in sorted(folder.iterdir())}
)

if find_spec("onnxruntime"):
    from onnxruntime import InferenceSession

    label, _ = InferenceSession(folder / "diabetes.onnx").run(
        ["label", "probabilities"], {"X": table.X[unseen]}
    )
    print(
        "ONNX predicts the same:", np.array_equal(label, model.predict(table.X[unseen]))
    )

# %%
# A sum of curves cannot say that one column matters only together with another; where
# that is the truth, it will be behind (:doc:`plot_the_loop` shows what trees do there).
# On these two tables nothing was lost by being readable.
