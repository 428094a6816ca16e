"""How the files beside this one were made, with version 0.1.0: ``python tests/files/v1/make.py``.

They are kept as they are: later versions must read them, and go on from them, to the same numbers.
"""

from contextlib import suppress
from pathlib import Path

import numpy as np

import agnoboost as ab
from agnoboost.core import Booster, FixedStep, PseudoHuber, Reuse, WithLabels
from agnoboost.integrations import LGBMAgnosticClassifier, XGBAgnosticClassifier
from agnoboost.labels import CrowdVotes, FlipRates, PositiveUnlabeled
from agnoboost.rl import PolicyBooster, TabularSimulator
from agnoboost.rl.worlds import bits

HERE = Path(__file__).parent
STOP_AFTER, ROUNDS, SEED = 17, 40, 7


class Killed(Exception):
    """Stands for a sudden end."""


def table():
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(200, 4)), 2)
    X[:, 3] = rng.integers(0, 5, 200)
    X[rng.random(200) < 0.1, 1] = np.nan
    y = (X[:, 0] + (X[:, 3] > 2) + 0.7 * rng.normal(size=200) > 0.5).astype(int)
    return X, y


def models(X, y):
    """Name, and a fitted model."""
    few = y.astype(float)
    few[120:] = np.nan
    three = np.where(X[:, 0] > 0.7, "c", np.where(y == 1, "b", "a")).astype(object)
    three[120:] = None
    settings = {"categorical_features": [3], "random_state": 0}
    boosting = {**settings, "n_rounds": 40, "step_size": 0.05}
    yield "boosting-tree", ab.AgnosticBoostingClassifier(**boosting).fit(X, few)
    stump = {"weak_learner": "stump", "batch_size": None, "unlabeled_weight": 1.0}
    yield "boosting-stump", ab.AgnosticBoostingClassifier(**boosting, **stump).fit(X, three)
    yield "boosting-algorithm3", ab.AgnosticBoostingClassifier("algorithm3", shift=2.0, **boosting).fit(X, few)
    yield "boosting-pab", ab.AgnosticBoostingClassifier("pab", "stump", **boosting).fit(X, few)
    flips = ab.AgnosticBoostingClassifier(label_model=FlipRates(0.2), unlabeled_weight=0.5, **boosting)
    yield "boosting-flips", flips.fit(X, few)
    yield "few-labels", ab.FewLabelClassifier(**settings).fit(X, three)
    positives = np.where(few == 1, 1.0, np.nan)
    one_class = ab.FewLabelClassifier(label_model=PositiveUnlabeled(0.4), **settings)
    yield "few-labels-positives", one_class.fit(X, positives)
    votes = np.column_stack([few, np.where(np.arange(200) % 3 == 0, 1 - few, few)])
    yield "few-labels-votes", ab.FewLabelClassifier(label_model=CrowdVotes(), **settings).fit(X, votes)
    yield "xgboost", XGBAgnosticClassifier(20, **settings).fit(X, few)
    yield "lightgbm", LGBMAgnosticClassifier(20, **settings).fit(X, three)


def policy():
    settings = {"outer_rounds": 3, "annotated": 200, "reward_free": 200, "inner_rounds": 8, "rollouts": 0}
    booster = PolicyBooster(ab.StumpLearner(), **settings)
    return booster.run(TabularSimulator(bits()), 0).policy


def stream(n, rng):
    return rng.normal(size=(n, 3))


def stumps(X):
    return ab.HistogramStumpLearner.from_data(X)


# Each makes (booster, learner, settings) from the data.
RUNS = {
    "numpy": lambda X, y: (ab.algorithm1((X[:50], y[:50]), X[50:], step=0.05), stumps(X), {"engine": "numpy"}),
    "incremental": lambda X, y: (
        ab.algorithm1((X[:50], y[:50]), X[50:], step=0.05, threshold=0.03),
        stumps(X),
        {"engine": "incremental"},
    ),
    "rebuild": lambda X, y: (
        Booster(
            WithLabels(ab.Pool(X[:50], y[:50]), Reuse(ab.Pool(X[50:]), PseudoHuber(), 0.05, 0.05)), FixedStep(0.05)
        ),
        stumps(X),
        {"engine": "rebuild"},
    ),
    "sampled": lambda X, y: (
        ab.algorithm1((X[:50], y[:50]), X[50:], threshold=0.2, realize=ab.bernoulli(20)),
        stumps(X),
        {"engine": "sampled"},
    ),
    "trees": lambda X, y: (
        ab.algorithm1((X[:50], y[:50]), X[50:], realize=ab.bootstrap()),
        ab.HistogramTreeLearner.from_data(X, max_features=2),
        {},
    ),
    "stream": lambda X, y: (
        ab.algorithm1((X[:50], y[:50]), ab.Stream(stream, n_features=3), rows_labeled=30, rows_unlabeled=25),
        stumps(X),
        {},
    ),
    "reuse": lambda X, y: (ab.algorithm2((X[:50], y[:50]), X[50:], rows_unlabeled=15), ab.StumpLearner(), {}),
    "gs24": lambda X, y: (ab.ghai_singh_2024((X, y), rows=4), ab.StumpLearner(), {}),
}


def run_data(X, y):
    return np.nan_to_num(X[:, :3]), np.where(y == 1, 1, -1)


def checkpoints(X, y):
    """Name, and the margins at the end of a run that was never stopped; leaves the file of one that was."""

    def die(progress):
        if progress.round.number == STOP_AFTER + 1:
            raise Killed

    for name, make in RUNS.items():
        rows, labels = run_data(X, y)
        booster, learner, settings = make(rows, labels)
        whole = ab.boost(booster, learner, rounds=ROUNDS, rng=SEED, **settings)
        booster, learner, settings = make(rows, labels)
        saving = {"checkpoint": HERE / f"{name}.checkpoint", "checkpoint_every": 1e-9}
        with suppress(Killed):
            ab.boost(booster, learner, rounds=ROUNDS, rng=SEED, callbacks=[die], **settings, **saving)
        yield name, whole.tape.margin(rows)


def main():
    X, y = table()
    expected = {"X": X, "y": y}
    for name, model in models(X, y):
        model.save(HERE / f"{name}.agno")
        expected[f"decision/{name}"] = model.decision_function(X)
        expected[f"probability/{name}"] = model.predict_proba(X)
    saved = policy()
    saved.save(HERE / "policy.agno")
    expected["chance"] = saved.chance(bits().features)
    for name, margins in checkpoints(X, y):
        expected[f"margins/{name}"] = margins
    np.savez_compressed(HERE / "expected.npz", **expected)


if __name__ == "__main__":
    main()
