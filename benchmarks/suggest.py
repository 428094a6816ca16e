"""Does it pay to choose the rows to label next, and do the estimates stay unbiased?

    python benchmarks/suggest.py --data FOLDER --out benchmarks/results/suggest.json
    python benchmarks/suggest.py --show benchmarks/results/suggest.json

Tables that were not used to develop the method; the folder holds the larger ones. 50 labels at random, then five times
20 more out of up to 2,000 rows: at random; as `suggest` draws them; or the 20 most uncertain ones. Accuracy is that of
new rows. After each step the share of wrong predictions on rows without label is estimated from the 20 new labels,
before they are learned from: with weights 1/probability, and as they are.
"""

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
from record import write

import agnoboost as ab
from agnoboost_experiments.few_labels import tables
from agnoboost_experiments.few_labels.many_rows import MANY_ROWS

START, STEPS, MORE, MOST_POOL, MOST_TEST = 50, 5, 20, 2000, 2000
ARMS = ("at random", "suggest", "most uncertain")


def fitted(table, rows, seed):
    model = ab.TableClassifier(
        effort="fast", random_state=seed, n_jobs=1, categorical_features=list(table.categorical) or None
    )
    return model.fit(table.X[rows], table.y[rows])


def chosen(arm, model, X, luck):
    """Places of the rows to label, and their probabilities."""
    if arm == "suggest":
        found = ab.suggest(model, X, MORE, random_state=luck)
        return found.row, found.probability
    if arm == "at random":
        return np.random.default_rng(luck).choice(len(X), MORE, replace=False), np.full(MORE, MORE / len(X))
    return np.argsort(-model.predict_proba(X).min(axis=1), kind="stable")[:MORE], np.ones(MORE)


def run(table, seed, arm, first):
    """Accuracies at each step, and how far estimates of the share of wrong predictions in the pool are off."""
    order = np.random.default_rng([seed, 7]).permutation(len(table.y))
    test, rest = np.split(order, [min(MOST_TEST, len(order) // 3)])
    labeled, pool = np.split(rest[:MOST_POOL], [START])
    scores, off = [], []
    for step in range(STEPS + 1):
        if not step and seed not in first:  # all begin alike
            first[seed] = fitted(table, labeled, seed)
        model = fitted(table, labeled, seed) if step else first[seed]
        scores.append(model.score(table.X[test], table.y[test]))
        if step == STEPS:
            break
        places, probability = chosen(arm, model, table.X[pool], 100 * seed + step)
        wrong = model.predict(table.X[pool]) != table.y[pool]
        estimate = np.sum(wrong[places] / probability) / len(pool)
        off.append((estimate - wrong.mean(), wrong[places].mean() - wrong.mean()))
        labeled, pool = np.append(labeled, pool[places]), np.delete(pool, places)
    return scores, off


def show(record):
    names = list(dict.fromkeys(one["table"] for one in record))
    cells = {(one["table"], one["arm"]): one for one in record}
    sizes = [START + MORE * step for step in range(STEPS + 1)]
    lines = ["| accuracy after labels | " + " | ".join(map(str, sizes)) + " |", "|---" * (len(sizes) + 1) + "|"]
    for arm in ARMS:
        mean = np.mean([cells[name, arm]["accuracy"] for name in names], axis=0)
        lines.append(f"| {arm} | " + " | ".join(f"{value:.3f}".lstrip("0") for value in mean) + " |")
    lines += ["", f"| gain over random at {sizes[-1]} | " + " | ".join(ARMS[1:]) + " |", "|---" * len(ARMS) + "|"]
    for name in names:
        gains = [f"{cells[name, arm]['gain']:+.3f} ± {cells[name, arm]['error']:.3f}" for arm in ARMS[1:]]
        lines.append(f"| {name} | " + " | ".join(gains) + " |")
    mean = [f"{np.mean([cells[name, arm]['gain'] for name in names]):+.3f}" for arm in ARMS[1:]]
    lines += ["| mean | " + " | ".join(mean) + " |", ""]
    lines += [
        "| estimated share of wrong predictions | weighted: bias | spread | as they are: bias | spread |",
        "|---" * 5 + "|",
    ]
    for arm in ("at random", "suggest"):
        bias, spread = (np.mean([cells[name, arm][word] for name in names], axis=0) for word in ("bias", "spread"))
        lines.append(f"| {arm} | {bias[0]:+.3f} | {spread[0]:.3f} | {bias[1]:+.3f} | {spread[1]:.3f} |")
    return "\n".join(lines)


def summary(name, runs):
    """``runs`` of each arm: accuracies and what estimates are off by, for each seed."""
    found = []
    random = np.array([scores for scores, _ in runs["at random"]])
    for arm, own in runs.items():
        scores, off = np.array([s for s, _ in own]), np.concatenate([o for _, o in own])
        gain = scores[:, -1] - random[:, -1]
        found.append(
            {
                "table": name,
                "arm": arm,
                "accuracy": scores.mean(axis=0).round(4).tolist(),
                "gain": round(float(gain.mean()), 4),
                "error": round(float(gain.std(ddof=1) / len(gain) ** 0.5), 4),
                "bias": off.mean(axis=0).round(4).tolist(),
                "spread": off.std(axis=0).round(4).tolist(),
            }
        )
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--show", type=Path)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--tables", type=int, default=9, help="the first so many")
    options = parser.parse_args()
    if options.show:
        print(show(json.loads(options.show.read_text())["results"]))
        return
    warnings.simplefilter("ignore")
    record = []
    names = [
        *tables.names("reporting", options.data),
        *(n for n, made in MANY_ROWS.items() if made.fewest_labels <= START),
    ]
    large = [name for name in names if len(tables.table(name, options.data).y) >= 3 * (START + STEPS * MORE)]
    asked = f"--data FOLDER --seeds {options.seeds} --tables {options.tables}"
    for name in large[: options.tables]:
        table = tables.table(name, options.data)
        first = {}
        runs = {arm: [run(table, seed, arm, first) for seed in range(options.seeds)] for arm in ARMS}
        record += summary(name, runs)
        print(name, flush=True)
        write(options.out, f"python benchmarks/suggest.py {asked}", record)
    print(show(record))


if __name__ == "__main__":
    main()
