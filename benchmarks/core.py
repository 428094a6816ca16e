"""Side-by-side timings of the core, as ratios within one run (machines are noisy: repeated, medians).

python benchmarks/core.py --out benchmarks/results/core.json
"""

import argparse
import time
from pathlib import Path

import numpy as np
from record import write
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

import agnoboost as ab

ROUNDS = 50


def make(rows, features, rng):
    X = rng.normal(size=(rows, features))
    y = np.where(X[:, 0] + X[:, 1] + rng.normal(size=rows) > 0, 1, -1)
    return X, y


def contenders(X, y):
    """Stump boosters on the same rows: a tenth labeled for ours, all labeled for AdaBoost."""
    labeled, unlabeled = (X[: len(X) // 10], y[: len(X) // 10]), X[len(X) // 10 :]

    def ours(learner):
        return lambda: ab.boost(ab.algorithm1(labeled, unlabeled), learner(), rounds=ROUNDS, rng=0)

    return {
        "histogram stumps": ours(lambda: ab.HistogramStumpLearner.from_data(X)),
        "sorted stumps": ours(ab.StumpLearner),
        "scikit-learn stumps in our loop": ours(lambda: ab.ClassifierLearner(DecisionTreeClassifier(max_depth=1))),
        "AdaBoostClassifier": lambda: AdaBoostClassifier(n_estimators=ROUNDS).fit(X, y),
    }


def seconds(task):
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    results = []
    for rows, features in ((1_000, 20), (10_000, 20), (50_000, 20)):
        X, y = make(rows, features, np.random.default_rng(0))
        tasks = contenders(X, y)
        times = {name: [] for name in tasks}
        for _ in range(options.repeats):
            for name, task in tasks.items():
                times[name].append(seconds(task))
        medians = {name: float(np.median(found)) for name, found in times.items()}
        base = medians["histogram stumps"]
        print(f"{rows:,} x {features}, {ROUNDS} rounds")
        for name, found in medians.items():
            print(f"  {name:<34}{found:>8.3f} s   {found / base:>6.1f} x")
        results.append({"rows": rows, "features": features, "rounds": ROUNDS, "median_seconds": medians})
    write(options.out, f"python benchmarks/core.py --repeats {options.repeats}", results)


if __name__ == "__main__":
    main()
