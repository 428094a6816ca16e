"""Small runs of every sampler, source, realisation and engine, whose checkpoints are damaged and gone on from."""

import numpy as np

import agnoboost as ab

ROUNDS = 40
SEED = 7


def data(rng, rows=200):
    """Three numbers a row, and labels that follow two of them."""
    X = rng.normal(size=(rows, 3))
    return X, np.where(X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=rows) > 0, 1, -1)


def stumps(X):
    return ab.HistogramStumpLearner.from_data(X)


def stream(n, rng):
    return rng.normal(size=(n, 3))


def labeled_stream(n, rng):
    X = stream(n, rng)
    return X, np.where(X[:, 0] > 0, 1, -1)


def _cube(X):
    return np.where(X > 0, 1.0, -1.0)


# Each makes (booster, learner, settings of boost) from the data.
RUNS = {
    "numpy": lambda X, y: (ab.algorithm1((X[:50], y[:50]), X[50:], step=0.05), stumps(X), {"engine": "numpy"}),
    "incremental": lambda X, y: (
        ab.algorithm1((X[:50], y[:50]), X[50:], step=0.05, threshold=0.03),
        stumps(X),
        {"engine": "incremental"},
    ),
    "sampled": lambda X, y: (
        ab.algorithm1((X[:50], y[:50]), X[50:], realize=ab.bernoulli(20)),
        stumps(X),
        {"engine": "sampled"},
    ),
    "sampled, case B": lambda X, y: (
        ab.algorithm1((X[:50], y[:50]), X[50:], threshold=0.5, realize=ab.bernoulli(20)),
        stumps(X),
        {"engine": "sampled"},
    ),
    "trees, bootstrap": lambda X, y: (
        ab.algorithm1((X[:50], y[:50]), X[50:], realize=ab.bootstrap()),
        ab.HistogramTreeLearner.from_data(X, max_features=2),
        {},
    ),
    "fresh rows": lambda X, y: (
        ab.algorithm1((X[:50], y[:50]), X[50:], rows_labeled=30, rows_unlabeled=20),
        ab.StumpLearner(),
        {},
    ),
    "stream": lambda X, y: (
        ab.algorithm1((X[:50], y[:50]), ab.Stream(stream, n_features=3), rows_unlabeled=25),
        stumps(X),
        {},
    ),
    "reuse in place": lambda X, y: (ab.algorithm2((X[:50], y[:50]), X[50:]), ab.StumpLearner(), {}),
    "reuse": lambda X, y: (ab.algorithm2((X[:50], y[:50]), X[50:], rows_unlabeled=15), ab.StumpLearner(), {}),
    "labeled stream": lambda X, y: (
        ab.labeled_only(ab.Stream(labeled_stream, labeled=True), rows=30),
        ab.StumpLearner(),
        {},
    ),
    "pab": lambda X, y: (ab.pab((X, y), rows=4), ab.StumpLearner(), {}),
    "gs24": lambda X, y: (ab.ghai_singh_2024((X, y), rows=4), ab.StumpLearner(), {}),
    "parities": lambda X, y: (
        ab.algorithm1((_cube(X[:50]), y[:50]), _cube(X[50:]), rows_unlabeled=25),
        ab.ParityLearner(2),
        {"engine": "walsh"},
    ),
}
