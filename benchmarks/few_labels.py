"""How long FewLabelClassifier takes, beside a random forest and gradient boosting, in one run.

    python benchmarks/few_labels.py --out benchmarks/results/few_labels_time.json

50 features and 5000 unlabeled rows; median seconds of a fit, and of a prediction for 5000 rows.
"""

import argparse
import time
from pathlib import Path

import numpy as np
from record import write
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

import agnoboost as ab

FEATURES, UNLABELED = 50, 5000


def make(labels, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((labels + UNLABELED, FEATURES))
    y = (X[:, :5].sum(axis=1) + X[:, 5] * X[:, 6] > 0) ^ (rng.random(len(X)) < 0.1)
    return X, y.astype(int)


def ours(X, y, labels):
    return ab.FewLabelClassifier(random_state=0).fit(X[:labels], y[:labels], X_unlabeled=X[labels:])


METHODS = {
    "FewLabelClassifier": ours,
    "random forest": lambda X, y, n: RandomForestClassifier(random_state=0).fit(X[:n], y[:n]),
    "HistGradientBoosting": lambda X, y, n: HistGradientBoostingClassifier(random_state=0).fit(X[:n], y[:n]),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    record = []
    for labels in (100, 500):
        X, y = make(labels)
        seconds = {name: [] for name in METHODS}
        for _ in range(options.repeats + 1):  # the first one warms up
            for name, fit in METHODS.items():
                start = time.perf_counter()
                model = fit(X, y, labels)
                middle = time.perf_counter()
                model.predict_proba(X[labels:])
                seconds[name].append((middle - start, time.perf_counter() - middle))
        for name, values in seconds.items():
            fitting, predicting = np.median(values[1:], axis=0)
            record.append({"labels": labels, "method": name, "fit": round(fitting, 3), "predict": round(predicting, 3)})
            print(f"{labels} labels  {name:<22}{fitting:7.3f} s to fit{predicting:7.3f} s to predict", flush=True)
    write(options.out, f"python benchmarks/few_labels.py --repeats {options.repeats}", record)


if __name__ == "__main__":
    main()
