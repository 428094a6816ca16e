"""Do the estimator's defaults keep up with what a user would try first, on few and noisy labels?

    python benchmarks/defaults.py --out benchmarks/results/defaults.json [--data FOLDER]

Every method sees the same labels; accuracy is measured on clean rows that nothing has seen. FOLDER may hold further
tables as NAME.csv.gz with a 0/1 column "target" (text columns become codes, as not all methods take text).
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
from record import write
from sklearn.datasets import load_breast_cancer, load_digits, make_classification, make_hastie_10_2
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import agnoboost as ab
from agnoboost.datasets import flip_labels, load

UNLABELED, TEST = 1500, 3000
# The defaults were chosen while looking at these tables; the others are new to them.
DEVELOPMENT = ("spambase", "magic", "adult", "german_credit", "pima_diabetes", "ionosphere", "made, sphere")


def bundled():
    spam = load("spambase")
    yield "spambase", spam.X, spam.y
    cancer = load_breast_cancer()
    yield "breast cancer", cancer.data, 2 * cancer.target - 1
    digits = load_digits()
    yield "digits, odd", digits.data, np.where(digits.target % 2, 1, -1)
    X, y = make_classification(4000, 20, n_informative=6, n_clusters_per_class=3, random_state=0)
    yield "made, clusters", X, 2 * y - 1
    X, y = make_hastie_10_2(4000, random_state=0)
    yield "made, sphere", X, y.astype(int)


def from_folder(folder):
    import pandas as pd

    for path in sorted(folder.glob("*.csv.gz")):
        frame = pd.read_csv(path)
        target = frame.pop("target")
        if set(target) != {0, 1}:
            continue
        for name in frame.columns:
            if not pd.api.types.is_numeric_dtype(frame[name]):
                frame[name] = frame[name].astype("category").cat.codes
        yield path.name.removesuffix(".csv.gz"), frame.to_numpy(float), np.where(target == 1, 1, -1)


def ours(**parameters):
    def fit(X, y, unlabeled, seed):
        model = ab.AgnosticBoostingClassifier(random_state=seed, **parameters)
        return model.fit(X, y, X_unlabeled=unlabeled)

    return fit


def other(make):
    return lambda X, y, unlabeled, seed: make(seed).fit(X, y)


METHODS = {
    "ours, defaults": ours(),
    "ours, no unlabeled rows": ours(unlabeled_weight=0.0),
    "ours, paper's weight 1": ours(unlabeled_weight=1.0),
    "ours, stumps": ours(weak_learner="stump"),
    "random forest, leaf 5": other(lambda seed: RandomForestClassifier(min_samples_leaf=5, random_state=seed)),
    "hist. gradient boosting": other(lambda seed: HistGradientBoostingClassifier(random_state=seed)),
    "logistic regression": other(lambda seed: make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))),
}


def one(X, y, labels, flips, seed):
    """Accuracy and seconds of every method on one split."""
    rng = np.random.default_rng([seed, labels, int(100 * flips)])
    order = rng.permutation(len(y))
    train, rest = order[:labels], order[labels:]
    test, unlabeled = rest[:TEST][: len(rest) // 2], rest[min(TEST, len(rest) // 2) :][:UNLABELED]
    noisy = flip_labels(y[train], flips, rng)
    found = {}
    for name, method in METHODS.items():
        start = time.perf_counter()
        model = method(X[train], noisy, X[unlabeled], seed)
        seconds = time.perf_counter() - start
        found[name] = (float(np.mean(model.predict(X[test]) == y[test])), seconds)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--data", type=Path, help="a folder with further tables")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--show", type=Path, help="print a result that was written before")
    options = parser.parse_args()
    if options.show:
        for part in by_setting(json.loads(options.show.read_text())["results"]):
            show(part)
        return
    tables = [*bundled(), *(from_folder(options.data) if options.data else ())]
    record = []
    for labels, flips in ((50, 0.1), (100, 0.0), (100, 0.2), (300, 0.0), (300, 0.2)):
        for name, X, y in tables:
            if labels > len(y) // 3:
                continue
            runs = [one(X, y, labels, flips, seed) for seed in range(options.seeds)]
            record.append({"table": name, "labels": labels, "flips": flips, "means": average(runs)})
        show(by_setting(record)[-1])
    folder = " --data FOLDER" if options.data else ""
    write(options.out, f"python benchmarks/defaults.py --seeds {options.seeds}{folder}", record)


def average(runs):
    return {name: [round(float(v), 4) for v in np.mean([run[name] for run in runs], axis=0)] for name in METHODS}


def by_setting(record):
    settings = list(dict.fromkeys((entry["labels"], entry["flips"]) for entry in record))
    return [[entry for entry in record if (entry["labels"], entry["flips"]) == setting] for setting in settings]


def show(entries):
    """Mean accuracy, and the difference to the forest with its standard error over tables: development, others."""
    print(f"\n{entries[0]['labels']} labels, {entries[0]['flips']:.0%} flipped", flush=True)
    groups = {
        "development": [entry for entry in entries if entry["table"] in DEVELOPMENT],
        "other": [entry for entry in entries if entry["table"] not in DEVELOPMENT],
    }
    for group, members in groups.items():
        if len(members) < 2:
            continue
        print(f"  {len(members)} {group} tables", flush=True)
        base = np.array([entry["means"]["random forest, leaf 5"][0] for entry in members])
        for name in METHODS:
            values = np.array([entry["means"][name] for entry in members])
            difference = values[:, 0] - base
            error = difference.std(ddof=1) / np.sqrt(len(difference))
            worst = members[int(difference.argmin())]["table"]
            print(
                f"    {name:<26}{values[:, 0].mean():.3f}   {difference.mean():+.3f} +- {error:.3f}"
                f"   worst {difference.min():+.3f} ({worst})   {values[:, 1].mean():6.2f} s"
            )


if __name__ == "__main__":
    main()
