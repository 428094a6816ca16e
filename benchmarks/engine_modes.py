"""The engine's other promises: prediction, the paper's mode, many models at once, start-up; all as ratios in one run.

python benchmarks/engine_modes.py --out benchmarks/results/engine_modes.json
"""

import argparse
import json
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
from contenders import THREADS, lightgbm, make, use_threads
from engine import seconds
from sklearn.tree import DecisionTreeClassifier

import agnoboost as ab

STARTUP = """
import time; a = time.perf_counter()
import sklearn.ensemble, sklearn.model_selection; b = time.perf_counter()
import agnoboost as ab, numpy as np, sys; from agnoboost import *; c = time.perf_counter()
rng = np.random.default_rng(0); X = rng.normal(size=(100_000, 20)); y = np.where(X[:, 0] > 0, 1, -1)
booster = ab.algorithm1((X[:10_000], y[:10_000]), X[10_000:], step=.002); fits = []
for _ in range(2):
    d = time.perf_counter(); learner = ab.HistogramStumpLearner.from_data(X)
    ab.boost(booster, learner, rounds=1000, rng=0); fits.append(time.perf_counter() - d)
print(b - a, c - b, fits[0] - fits[1])
"""


def median(task, repeats):
    return float(np.median([seconds(task) for _ in range(repeats)]))


def prediction(repeats):
    """A model of 10,000 stumps on a million rows; LightGBM on a tenth of them, times ten."""
    X, y = make(1_000_000, 20)
    few = (X[:20_000], np.where(y[:20_000], 1, -1))
    booster = ab.algorithm1(few, X[20_000:60_000], step=2e-4)
    run = ab.boost(booster, ab.HistogramStumpLearner.from_data(X[:60_000]), rounds=10_000, rng=0)
    trees = lightgbm(X[:20_000], y[:20_000], 10_000)
    part = X[:100_000]
    run.tape.predict(X)  # load the kernels
    return {
        "agnoboost": median(lambda: run.tape.predict(X), repeats),
        "LightGBM": 10 * median(lambda: trees.predict(part, num_threads=THREADS), repeats),
    }


def paper_mode(repeats):
    """m = 100 rows a round, 100 rounds, on a table of the size of spambase."""
    X, y = make(4000, 57)
    signs = np.where(y, 1, -1)
    booster = ab.algorithm1((X[:1000], signs[:1000]), X[1000:], realize=ab.bernoulli(100))
    histogram, sklearn_stump = ab.HistogramStumpLearner.from_data(X), DecisionTreeClassifier(max_depth=1)

    def run(learner, engine):
        return lambda: ab.boost(booster, learner, rounds=100, rng=0, engine=engine)

    run(histogram, "sampled")()
    return {
        "agnoboost": median(run(histogram, "sampled"), repeats),
        "loop, histogram stumps": median(run(histogram, "loop"), repeats),
        "loop, scikit-learn stumps": median(run(ab.ClassifierLearner(sklearn_stump), "loop"), repeats),
    }


def many_models(repeats):
    """800 models: 50 folds, 4 batch sizes and 4 steps, 100 rounds each."""
    X, y = make(4000, 57)
    signs, rng = np.where(y, 1, -1), np.random.default_rng(0)
    boosters = []
    for _ in range(50):
        rows = rng.permutation(4000)
        labeled, unlabeled = ab.Pool(X[rows[:1000]], signs[rows[:1000]]), ab.Pool(X[rows[1000:]])
        boosters += [
            ab.algorithm1(labeled, unlabeled, step=step, realize=ab.bernoulli(m))
            for m in (20, 50, 100, 200)
            for step in (0.05, 0.1, 0.2, 0.4)
        ]
    learner = ab.HistogramStumpLearner.from_data(X)
    one_by_one = median(lambda: [ab.boost(b, learner, rounds=100, rng=0, engine="loop") for b in boosters[:16]], 1)
    return {
        "boost_many, 2 jobs": median(lambda: ab.boost_many(boosters, learner, rounds=100, rng=0, n_jobs=2), repeats),
        "boost_many, 1 job": median(lambda: ab.boost_many(boosters, learner, rounds=100, rng=0, n_jobs=1), repeats),
        "loop, one by one (16 models, times 50)": 50 * one_by_one,
    }


def startup(repeats):
    """Fresh processes with a warm cache of kernels."""
    runs = [
        subprocess.run([sys.executable, "-c", STARTUP], capture_output=True, text=True, check=True).stdout.split()
        for _ in range(repeats + 1)
    ][1:]  # the first one may have to compile
    sklearn, ours, kernels = np.median(np.array(runs, dtype=float), axis=0)
    return {
        "import sklearn": sklearn,
        "import agnoboost adds": ours,
        "first large fit: loading of kernels": kernels,
    }


def floor(repeats):
    """What must be moved through memory, at the measured bandwidth, and what the passes over a large table take."""
    rows, features = 1_000_000, 100
    X, y = make(rows, features)
    signs = np.where(y, 1, -1)
    target = np.empty_like(X)
    bandwidth = 2 * X.nbytes / median(lambda: np.copyto(target, X), repeats)  # read and write
    learner = ab.HistogramStumpLearner.from_data(X)
    codes = np.empty(X.shape, dtype=np.uint8)
    missing = np.full(features, 255, dtype=np.uint8)
    booster = ab.labeled_only((X, signs), step=0.01)

    def rebuild(rounds):
        return seconds(lambda: ab.boost(booster, learner, rounds=rounds, rng=0, engine="rebuild", threads=THREADS))

    learner.bins.encode_into(X, codes, missing, THREADS)
    rebuild(1)
    rounds = [(rebuild(21) - rebuild(1)) / 20 for _ in range(repeats)]
    return {
        "binning, floor": X.nbytes * 9 / 8 / bandwidth,
        "binning": median(lambda: learner.bins.encode_into(X, codes, missing, THREADS), repeats),
        "a round that looks at all rows, floor": codes.nbytes / bandwidth,
        "a round that looks at all rows": float(np.median(rounds)),
    }


PARTS = {
    "passes over 1,000,000 x 100": floor,
    "prediction: 1,000,000 rows x 20 features, 10,000 stumps": prediction,
    "paper mode: m = 100, T = 100, 4000 x 57": paper_mode,
    "800 models: T = 100, 4000 x 57": many_models,
    "start-up": startup,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    use_threads()
    results = {}
    for name, part in PARTS.items():
        results[name] = {key: float(value) for key, value in part(options.repeats).items()}
        print(name)
        first = next(iter(results[name].values()))
        for key, value in results[name].items():
            ratio = "" if part is startup else f"{value / first:>9.1f} x"
            print(f"  {key:<42}{value:>10.4f} s{ratio}", flush=True)
    if options.out:
        record = {
            "command": f"python benchmarks/engine_modes.py --repeats {options.repeats}",
            "versions": {
                "python": platform.python_version(),
                **{name: version(name) for name in ("agnoboost", "numpy", "numba", "scikit-learn", "lightgbm")},
            },
            "median_seconds": results,
        }
        options.out.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
