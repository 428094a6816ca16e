"""Do importances rank columns as held-out labels do, and how long do explanations take?

python benchmarks/explanations.py [--out benchmarks/results/explanations.json]

For each table: the rank correlation (Spearman) between importances and permutation importance (log loss) on the rows
that the model has not seen; both for ``feature_importances_`` of the front-door classifier and, for comparison, for
the permutation importance of a random forest, a model of another kind. Then seconds of all cores together for a fit,
its importances, and the Shapley values of 100 rows against 100.
"""

import argparse
import time
from pathlib import Path

import numpy as np
from record import write
from scipy.stats import spearmanr
from sklearn.datasets import load_breast_cancer, load_wine, make_classification, make_friedman1
from sklearn.ensemble import RandomForestClassifier

import agnoboost as ab
from agnoboost.explain import permutation_importance, shapley_values

SEEDS = 3


def tables():
    """Name, rows, labels, how many labels train."""
    for name, load in (("breast cancer", load_breast_cancer), ("wine", load_wine)):
        X, y = load(return_X_y=True)
        yield name, X, y, len(y) // 2
    X, y = make_classification(3000, 20, n_informative=5, n_redundant=5, flip_y=0.1, random_state=0)
    yield "made, 100 labels", X, y, 100
    yield "made, 1,000 labels", X, y, 1000
    X, score = make_friedman1(3000, 10, noise=1.0, random_state=0)
    yield "friedman, 100 labels", X, (score > np.median(score)).astype(int), 100
    yield "friedman, 1,000 labels", X, (score > np.median(score)).astype(int), 1000


def measured(X, y, labels, seed):
    order = np.random.default_rng(seed).permutation(len(y))
    train, test = order[:labels], order[labels:]
    start = time.process_time()
    model = ab.TableClassifier(random_state=seed).fit(X[train], y[train])
    fitting = time.process_time() - start
    start = time.process_time()
    importances = model.feature_importances_  # worked out here
    counting = time.process_time() - start
    held_out = permutation_importance(model, X[test], y[test], repeats=5).mean
    start = time.process_time()
    values = shapley_values(model, X[test[:100]], X[train]).values
    explaining = time.process_time() - start
    by_rows = np.abs(values.reshape(len(values), X.shape[1], -1)).mean(axis=(0, 2))
    forest = RandomForestClassifier(100, random_state=seed).fit(X[train], y[train])
    other = permutation_importance(forest, X[test], y[test], repeats=5).mean
    ranks = [float(spearmanr(one, held_out)[0]) for one in (importances, by_rows, other)]
    return {"ranks": ranks, "seconds": [fitting, counting, explaining]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    results = {}
    print("| table | columns | importances | mean Shapley value | a forest's | fit, s | importances, s | 100 rows, s |")
    print("|---|---|---|---|---|---|---|---|")
    for name, X, y, labels in tables():
        found = [measured(X, y, labels, seed) for seed in range(SEEDS)]
        ranks = np.mean([one["ranks"] for one in found], axis=0)
        seconds = np.median([one["seconds"] for one in found], axis=0)
        results[name] = {"columns": X.shape[1], "ranks": ranks.tolist(), "seconds": seconds.tolist()}
        cells = [*(f"{rank:.2f}" for rank in ranks), *(f"{one:.2f}" for one in seconds)]
        print(f"| {name} | {X.shape[1]} | {' | '.join(cells)} |", flush=True)
    write(options.out, "python benchmarks/explanations.py", results)


if __name__ == "__main__":
    main()
