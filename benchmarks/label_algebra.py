"""Labels through a channel: what they are worth, rounds without negatives, bags of which only shares are known.

    python benchmarks/label_algebra.py --out benchmarks/results/label-algebra.json
    python benchmarks/label_algebra.py --show benchmarks/results/label-algebra.json

Five tables that everybody has; scores on rows that nothing has seen.

worth: 600 labels that went through a channel, beside as many clean ones as ``worth()`` says they stand for: for rows of
which x tells nothing, and for rows whose class is 90% sure.
rounds: 100 positives and 600 unlabeled rows; the usual rounds, rounds chosen by positives and unlabeled rows left out,
and rounds chosen by 100 more rows with true labels.
bags: only the share of positives of each bag is known. Face value takes it for the probability of each of its rows;
linear stand-ins are ``NoiseMatrix.of_bags``; EM fits eight times, each time on the probabilities of the last fit (rows
left out), moved so that their mean in each bag is the known share.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from record import write
from scipy.special import expit, logit
from scipy.stats import t
from sklearn.metrics import roc_auc_score

import agnoboost as ab
from agnoboost.integrations import LGBMAgnosticClassifier
from agnoboost.labels import FlipRates, NoiseMatrix, PositiveUnlabeled, RandomisedResponse, SeenChance, SoftLabels
from agnoboost_experiments.few_labels import tables

NAMES = ("spambase", "made: sphere", "waveform", "digits, odd", "made: friedman")
TEST = 400
CHANNELS = {
    "20% flipped": FlipRates(0.2),
    "30% and 10% flipped": FlipRates(positive=0.3, negative=0.1),
    "private, epsilon 1": RandomisedResponse(1.0),
    "flipped 10%, then positives seen 4 times as often": FlipRates(0.1).then(SeenChance({0: 0.2, 1: 0.8})),
}
SHARES = (None, [0.1, 0.9])  # rows of which nothing is known, and rows whose class is 90% sure
LABELS, POSITIVES, UNLABELED, VALIDATION = 600, 100, 600, 100
BAGS = ((10, 60), (50, 12), (50, 25))  # rows of a bag, and how many there are
EM_ROUNDS = 8


def table_model(seed, label_model=None):
    return ab.TableClassifier(label_model=label_model, random_state=seed, n_jobs=1, effort="fast")


def scores(p, y):
    return [float(roc_auc_score(y, p)), float(np.mean((p > 0.5) == y)), float(np.mean((p - y) ** 2))]


def worth(X, y, order, test, seed):
    for name, channel in CHANNELS.items():
        seen = channel.draw(y[order].astype(int), seed)
        kept = np.flatnonzero([label is not None for label in seen])[:LABELS]
        rows = order[: kept[-1] + 1]  # all rows that were looked at: gaps belong to the channel
        ways = {f"{name}: {LABELS} labels": (X[rows], seen[: len(rows)], channel)}
        for clean in (round(LABELS * channel.worth(shares=shares)) for shares in SHARES):
            ways[f"{name}: {clean} clean labels"] = (X[order[:clean]], y[order[:clean]].astype(int), None)
        for way, (own, labels, model) in ways.items():
            yield way, scores(table_model(seed, model).fit(own, labels).predict_proba(X[test])[:, 1], y[test])


def rounds(X, y, order, test, seed):
    unlabeled, rest = order[:UNLABELED], order[UNLABELED:]
    found, judges = rest[y[rest]][:POSITIVES], rest[-VALIDATION:]
    model = PositiveUnlabeled(float(y[unlabeled].mean()))
    given = {"X_val": X[judges], "y_val": y[judges].astype(int)}
    for kind in (ab.AgnosticBoostingClassifier, LGBMAgnosticClassifier):
        for way, share, more in (
            ("usual rounds", None, {}),
            ("positives and unlabeled rows left out", "auto", {}),
            (f"{VALIDATION} true labels more", "auto", given),
        ):
            fitted = kind(label_model=model, random_state=seed, n_jobs=1, validation_fraction=share)
            fitted.fit(X[found], np.ones(len(found), dtype=int), X_unlabeled=X[unlabeled], **more)
            yield f"{kind.__name__}: {way}", scores(fitted.predict_proba(X[test])[:, 1], y[test])


def bags(X, y, order, test, seed):
    rng = np.random.default_rng([seed, 5])
    for size, count in BAGS:
        positives, negatives = list(order[y[order]]), list(order[~y[order]])
        rows, bag = [], np.repeat(np.arange(count), size)
        for share in rng.random(count):
            own = min(rng.binomial(size, share), len(positives))
            own = max(own, size - len(negatives))
            rows += [positives.pop() for _ in range(own)] + [negatives.pop() for _ in range(size - own)]
        share = np.bincount(bag, y[rows]) / size
        channel = NoiseMatrix.of_bags(bag, dict(enumerate(share.tolist())))
        models = {
            "face value": table_model(seed, SoftLabels()).fit(X[rows], share[bag]),
            "linear stand-ins": table_model(seed, channel).fit(X[rows], bag),
            "EM": by_em(X[rows], bag, share, seed),
            "true labels": table_model(seed).fit(X[rows], y[rows].astype(int)),
        }
        for way, model in models.items():
            yield f"{count} bags of {size} rows: {way}", scores(model.predict_proba(X[test])[:, 1], y[test])


def by_em(X, bag, share, seed):
    guess = share[bag]
    for _ in range(EM_ROUNDS):
        model = table_model(seed, SoftLabels()).fit(X, guess)
        margins = np.nan_to_num(model._model.slopes * model.oob_decision_function_)
        guess = moved(expit(margins), bag, share)
    return model


def moved(p, bag, share):
    """Probabilities with the known mean in each bag: their log-odds are moved by a number of the bag's own."""
    odds, count = logit(np.clip(p, 1e-4, 1.0 - 1e-4)), np.bincount(bag)
    low, high = np.full(len(share), -30.0), np.full(len(share), 30.0)
    for _ in range(50):
        middle = (low + high) / 2.0
        small = np.bincount(bag, expit(odds + middle[bag])) / count < share
        low, high = np.where(small, middle, low), np.where(small, high, middle)
    return expit(odds + middle[bag])


KINDS = ("AgnosticBoostingClassifier", "LGBMAgnosticClassifier")
DIFFERENCES = [
    *((f"{kind}: positives and unlabeled rows left out", f"{kind}: usual rounds") for kind in KINDS),
    *((f"{n} bags of {size} rows: EM", f"{n} bags of {size} rows: linear stand-ins") for size, n in BAGS),
]
PARTS = {"worth": worth, "rounds": rounds, "bags": bags}


def measure(part, seeds):
    for name in NAMES:
        table = tables.table(name, None)
        for seed in range(seeds):
            order = np.random.default_rng([seed, 1]).permutation(len(table.y))
            for way, found in PARTS[part](table.X, table.y > 0, order[TEST:], order[:TEST], seed):
                yield {
                    "part": part,
                    "table": name,
                    "seed": seed,
                    "way": way,
                    "scores": [round(one, 4) for one in found],
                }


def show(results):
    """Means over tables."""
    for part in PARTS:
        own = [one for one in results if one["part"] == part]
        print(f"\n| {part} | AUC | accuracy | Brier |\n|---|---|---|---|")
        for way in dict.fromkeys(one["way"] for one in own):
            means = np.mean([one["scores"] for one in own if one["way"] == way], axis=0)
            print(f"| {way} | " + " | ".join(f"{value:.3f}"[1:] for value in means) + " |")


def show_differences(results):
    """Paired, averaged within tables; +- is half of a 95% interval, Student's t over tables."""
    print("\n| difference | AUC | accuracy | Brier |\n|---|---|---|---|")
    for way, other in DIFFERENCES:
        by_table = []
        for name in NAMES:
            own = [one for one in results if one["table"] == name]
            means = [np.mean([one["scores"] for one in own if one["way"] == w], axis=0) for w in (way, other)]
            by_table.append(means[0] - means[1])
        half = t.ppf(0.975, len(NAMES) - 1) * np.std(by_table, axis=0, ddof=1) / np.sqrt(len(NAMES))
        cells = [f"{mean:+.4f} +- {one:.4f}" for mean, one in zip(np.mean(by_table, axis=0), half, strict=True)]
        print(f"| {way} - {other} | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--part", choices=PARTS, action="append", help="Only these.")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--show", type=Path)
    given = parser.parse_args()
    if given.show is not None:
        results = json.loads(given.show.read_text())["results"]
        show(results)
        show_differences(results)
        return
    results = [one for part in given.part or PARTS for one in measure(part, given.seeds)]
    show(results)
    write(given.out, f"python benchmarks/label_algebra.py --seeds {given.seeds}", results)


if __name__ == "__main__":
    main()
