"""Who is ahead in the Brier score where labels to learn from are flipped? That depends on which labels are scored.

    python benchmarks/flipped_scores.py --data FOLDER --out benchmarks/results/flipped_scores.json

The few-label study flips labels to learn from, and scores clean ones. There CatBoost is ahead of TableClassifier in the
Brier score, but not in accuracy or the area under the ROC curve. Here both are scored in two ways on the same splits:
on clean labels, and on labels that are flipped at the same rate as those seen (a mean over all such flips, so that no
chance comes in). Beside them stand TableClassifier when it is told the rate, and TableClassifier with all its log-odds
times 1.5: the same ranking of rows, only surer.
"""

import argparse
from functools import partial
from pathlib import Path

import numpy as np
import record
from scipy.special import expit, logit

from agnoboost.estimators import TableClassifier
from agnoboost.labels import FlipRates
from agnoboost_experiments.few_labels import tables
from agnoboost_experiments.few_labels.fitting import with_unlabeled
from agnoboost_experiments.few_labels.methods import probabilities

LABELS, RATES, SEEDS, SURER, CERTAIN = (50, 300), (0.1, 0.3), 2, 1.5, 1e-12
OURS, TOLD, SHARPENED, PEER = "TableClassifier", "told the rate", f"log-odds times {SURER}", "CatBoost"
METHODS = (OURS, TOLD, SHARPENED, PEER)


def predictions(split, rate, seed):
    """P(y = +1 | x) on the test rows, by each method."""
    told = with_unlabeled(partial(TableClassifier, label_model=FlipRates(positive=rate, negative=rate)))
    plain = probabilities(OURS, split, seed)
    surer = expit(SURER * logit(np.clip(plain, CERTAIN, 1.0 - CERTAIN)))
    return dict(
        zip(METHODS, (plain, told(split, seed)(split.test[0]), surer, probabilities(PEER, split, seed)), strict=True)
    )


def scores(positive, truth, rate):
    """The Brier score on clean labels, and its mean on labels of which a share of ``rate`` is flipped."""
    clean, flipped = np.mean((positive - truth) ** 2), np.mean((positive - ~truth) ** 2)
    return clean, (1.0 - rate) * clean + rate * flipped


def block(name, folder, labels, rate):
    """Both scores of all methods, means over the splits."""
    found = []
    for seed in range(SEEDS):
        split = tables.split(name, folder, labels, rate, seed)
        found.append([scores(own, split.test[1] > 0, rate) for own in predictions(split, rate, seed).values()])
    means = np.mean(found, axis=0)
    print(f"{labels:5} labels, {rate:.0%} flipped, {name:22}", np.round(means, 4).tolist(), flush=True)
    return dict(zip(METHODS, means.tolist(), strict=True))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="a folder with the larger tables")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    blocks = [
        {"table": name, "labels": labels, "flips": rate, "scores": block(name, options.data, labels, rate)}
        for labels in LABELS
        for rate in RATES
        for name in tables.for_labels("reporting", options.data, labels)
    ]
    for rate in RATES:
        for place, scored in enumerate(("clean labels", "labels like those seen")):
            own = [one["scores"] for one in blocks if one["flips"] == rate]
            table = np.array([[one[method][place] for method in METHODS] for one in own])
            means = ", ".join(f"{method} {mean:.4f}" for method, mean in zip(METHODS, table.mean(axis=0), strict=True))
            ahead = ", ".join(
                f"{method} {np.sum(column < table[:, -1])}"
                for method, column in zip(METHODS[:-1], table.T, strict=False)
            )
            print(f"{rate:.0%} flipped, scored on {scored}: {means}; ahead of {PEER} in {len(own)} blocks: {ahead}")
    packages = ("agnoboost", "catboost", "numpy", "scikit-learn")
    record.write(options.out, "python benchmarks/flipped_scores.py --data FOLDER", blocks, packages)


if __name__ == "__main__":
    main()
