"""Do the intervals of what a model gained by machine labels hold? And are the figures right on average?

    python benchmarks/machine_gains.py --out benchmarks/results/machine_gains.json

Made rows of which the truth is known: eight columns, a machine that is right in 88% of the rows, 150 checked labels,
and 1,500 more rows that the machine has labeled. ``machines_.gains`` says what was gained, from checked labels alone;
5,000 new rows say what was.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
import record
from sklearn.metrics import accuracy_score, brier_score_loss, roc_auc_score

from agnoboost import TableClassifier

CHECKED, LABELED, NEW, DRAWS, RIGHT = 150, 1500, 5000, 40, 0.88
SHARES = (0.2, 0.5)  # of positives
SCORES = {
    "accuracy": lambda truth, p: accuracy_score(truth, p >= 0.5),
    "Brier score": brier_score_loss,
    "ROC area": roc_auc_score,
}


def rows(count, cut, rng):
    X = rng.normal(size=(count, 8))
    return X, X[:, 0] + 0.7 * X[:, 1] * X[:, 2] + 1.2 * rng.normal(size=count) > cut


def drawn(cut, seed):
    """Of each figure: the gain as it was told, half of its interval, and what it was."""
    rng = np.random.default_rng(seed)
    (X, truth), (new, wanted) = rows(CHECKED + LABELED, cut, rng), rows(NEW, cut, rng)
    y = np.where(np.arange(len(X)) < CHECKED, truth.astype(float), np.nan)
    machine = np.where(rng.random(len(X)) < RIGHT, truth, ~truth).astype(float)
    both = TableClassifier("fast", random_state=seed).fit(X, y, machine_labels=machine)
    alone = TableClassifier("fast", random_state=seed).fit(X, y)
    p = {name: model.predict_proba(new)[:, 1] for name, model in (("alone", alone), ("both", both))}
    return {
        one.measure: (
            one.gain,
            one.half,
            SCORES[one.measure](wanted, p["both"]) - SCORES[one.measure](wanted, p["alone"]),
        )
        for one in both.machines_.gains
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    results = {}
    for share in SHARES:
        cut = _cut(share)
        draws = [drawn(cut, seed) for seed in range(DRAWS)]
        for name in SCORES:
            found = np.array([one[name] for one in draws if name in one])
            gain, half, truth = found.T
            results[f"{share:.0%}, {name}"] = entry = {
                "draws": len(found),
                "told": round(float(gain.mean()), 4),
                "true": round(float(truth.mean()), 4),
                "half": round(float(half.mean()), 4),
                "held": round(float(np.mean(np.abs(gain - truth) <= half)), 3),
            }
            print(f"{share:.0%} positives, {name}: {entry}", flush=True)
    record.write(options.out, "python benchmarks/machine_gains.py", results)


def _cut(share):
    """Above which so many rows are positive."""
    rng = np.random.default_rng(99)
    X = rng.normal(size=(400_000, 3))
    return float(np.quantile(X[:, 0] + 0.7 * X[:, 1] * X[:, 2] + 1.2 * rng.normal(size=len(X)), 1.0 - share))


if __name__ == "__main__":
    main()
