"""The tree grower beside LightGBM and HistGradientBoosting: the same rows, 255 bins, 31 leaves, 100 rounds.

    python benchmarks/gradient_trees.py --out benchmarks/results/gradient_trees.json

Binning is counted for all (LightGBM's too). Contenders take turns in one process; figures are medians of seconds on the
clock and of seconds of the processor, and their ratios to ours; a million rows are run once. ``log_loss`` is that of
20,000 new rows, ``predict_us`` the microseconds that a new row takes, binning included.
"""

import argparse
import time
from pathlib import Path

import lightgbm
import numpy as np
from record import write
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss
from threadpoolctl import threadpool_limits

from agnoboost.kernels.binning import MISSING, Bins
from agnoboost.kernels.gradient_trees import TreeGrowth, grow

FEATURES, ROUNDS, LEAVES, NEW = 30, 100, 31, 20_000
LARGE = 1_000_000  # rows from which on every contender runs once
PACKAGES = ("agnoboost", "numpy", "numba", "scikit-learn", "lightgbm")


def make(rows, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, FEATURES))
    signal = X[:, 0] + X[:, 1] * X[:, 2] + np.sin(3 * X[:, 3]) + 0.5 * X[:, 4:9].sum(axis=1)
    return X, (signal + rng.standard_normal(rows) > 0).astype(int)


def ours(X, y, threads):
    # LightGBM's leaves hold 20 rows, whose curvatures here are 10 in the first round; its ridge is 0.
    growth = TreeGrowth(rounds=ROUNDS, leaves=LEAVES, step=0.1, ridge=0.0, least=10.0)
    bins = Bins.from_data(X)
    codes, missing = np.empty((FEATURES, len(X)), dtype=np.uint8), np.full(FEATURES, MISSING, dtype=np.uint8)
    bins.encode_into(X, codes.T, missing, threads, compiled=True)
    counts = np.ones((1, len(X)), dtype=np.uint8)
    forest = grow(codes, np.ones(len(X)), 2.0 * y - 1.0, counts, growth, threads=threads, compiled=True).forest

    def predict(new):
        rows = np.empty(new.shape, dtype=np.uint8)
        bins.encode_into(new, rows, missing, threads, compiled=True)
        return 1.0 / (1.0 + np.exp(-forest.margins(rows.T, threads, compiled=True)[0]))

    return predict


def light(X, y, threads):
    options = {"n_estimators": ROUNDS, "num_leaves": LEAVES, "max_bin": 255, "n_jobs": threads, "verbose": -1}
    model = lightgbm.LGBMClassifier(**options).fit(X, y)
    return lambda new: model.predict_proba(new)[:, 1]


def histogram(X, y, threads):
    with threadpool_limits(threads):
        model = HistGradientBoostingClassifier(max_iter=ROUNDS, max_leaf_nodes=LEAVES, early_stopping=False).fit(X, y)
    return lambda new: model.predict_proba(new)[:, 1]


CONTENDERS = {"agnoboost": ours, "LightGBM": light, "HistGradientBoosting": histogram}


def compare(rows, threads, repeats):
    X, y = make(rows)
    new, truth = make(NEW, seed=1)
    times, losses = {name: [] for name in CONTENDERS}, {}
    for _ in range(repeats if rows < LARGE else 1):
        for name, fit in CONTENDERS.items():
            clock, processor = time.perf_counter(), time.process_time()
            predict = fit(X, y, threads)
            middle = time.perf_counter()
            own = middle - clock, time.process_time() - processor
            losses[name] = log_loss(truth, predict(new))
            times[name].append((*own, time.perf_counter() - middle))
    medians = {name: np.median(found, axis=0) for name, found in times.items()}
    return [
        {
            "rows": rows,
            "threads": threads,
            "method": name,
            "seconds": round(float(own[0]), 3),
            "processor_seconds": round(float(own[1]), 3),
            "times_ours": round(float(own[0] / medians["agnoboost"][0]), 2),
            "times_ours_processor": round(float(own[1] / medians["agnoboost"][1]), 2),
            "predict_us": round(float(own[2] / NEW * 1e6), 2),
            "log_loss": round(losses[name], 4),
        }
        for name, own in medians.items()
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--rows", default="10000,100000,1000000")
    parser.add_argument("--threads", default="1,2")
    options = parser.parse_args()
    X, y = make(2_000)
    for threads in map(int, options.threads.split(",")):  # load the libraries and their kernels
        for fit in CONTENDERS.values():
            fit(X, y, threads)(X)
    results = []
    for rows in map(int, options.rows.split(",")):
        for threads in map(int, options.threads.split(",")):
            results += compare(rows, threads, options.repeats)
            for one in results[-len(CONTENDERS) :]:
                print("  ".join(f"{name} {value}" for name, value in one.items()), flush=True)
    asked = f"--repeats {options.repeats} --rows {options.rows} --threads {options.threads}"
    write(options.out, f"python benchmarks/gradient_trees.py {asked}", results, PACKAGES)


if __name__ == "__main__":
    main()
