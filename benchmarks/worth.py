"""Does the interval of what more labels are worth hold what they turn out to be worth?

    python benchmarks/worth.py --data FOLDER --out benchmarks/results/worth.json
    python benchmarks/worth.py --show benchmarks/results/worth.json

Tables that were not used for development, or (``--half development``) those by which the interval's width was set. From
100 labels the gain of 100 more is estimated, from 200 that of 200 more. It is compared with the gain of the average
draw of so many labels (24 draws, on rows that nothing has seen), and with the gain of the very labels that were drawn,
together with new ones, which has luck of its own.
"""

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
from record import write

import agnoboost as ab
from agnoboost.evaluation.learning_curve import labeling_curve
from agnoboost_experiments.few_labels import tables

SIZES, LARGEST, FEWEST_TEST, MOST_TEST, DRAWS = (100, 200), 400, 300, 2000, 24


def maker(table, seed):
    return ab.TableClassifier(
        effort="fast", random_state=seed, n_jobs=1, categorical_features=list(table.categorical) or None
    )


def accuracies(table, seed):
    """With the first 100, 200 and 400 of the labels of one draw; and the draw."""
    order = np.random.default_rng([seed, 3]).permutation(len(table.y))
    test = order[LARGEST:][:MOST_TEST]
    sizes = (*SIZES, LARGEST)
    models = {size: maker(table, seed).fit(table.X[order[:size]], table.y[order[:size]]) for size in sizes}
    return {size: model.score(table.X[test], table.y[test]) for size, model in models.items()}, order


def compare(name, table, seeds):
    draws = [accuracies(table, seed) for seed in range(DRAWS)]
    for size in SIZES:
        gains = [scores[2 * size] - scores[size] for scores, _ in draws]
        for seed in range(seeds):
            rows = draws[seed][1][:size]
            found = labeling_curve(maker(table, seed), table.X[rows], table.y[rows], random_state=seed).worth(size)
            yield {
                "table": name,
                "labels": size,
                "seed": seed,
                "estimate": round(found.gain, 4),
                "average_interval": [round(end, 4) for end in found.interval],
                "average_gain": round(float(np.mean(gains)), 4),
                "own_interval": [round(end, 4) for end in found.own_interval],
                "own_gain": round(float(gains[seed]), 4),
            }


def show(record):
    heads = (
        "labels",
        "tables",
        "mean estimate",
        "mean gain",
        "error",
        "width, average",
        "holds the average",
        "width, own",
        "holds own",
    )
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for size in SIZES:
        own = [one for one in record if one["labels"] == size]
        estimate, gain = (np.array([one[word] for one in own]) for word in ("estimate", "average_gain"))
        numbers = (estimate.mean(), gain.mean(), np.sqrt(np.mean((estimate - gain) ** 2)))
        cells = [f"{size} + {size}", str(len({one["table"] for one in own})), *(f"{number:.3f}" for number in numbers)]
        for word in ("average", "own"):
            low, high = np.array([one[f"{word}_interval"] for one in own]).T
            truth = np.array([one[f"{word}_gain"] for one in own])
            cells += [f"{np.mean(high - low):.3f}", f"{np.mean((low <= truth) & (truth <= high)):.0%}"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--show", type=Path)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--half", choices=("reporting", "development"), default="reporting", help="of the tables")
    options = parser.parse_args()
    if options.show:
        print(show(json.loads(options.show.read_text())["results"]))
        return
    warnings.simplefilter("ignore")
    record = []
    asked = f"--data FOLDER --seeds {options.seeds} --half {options.half}"
    for name in tables.names(options.half, options.data):
        table = tables.table(name, options.data)
        if len(table.y) < LARGEST + FEWEST_TEST:
            continue
        record += compare(name, table, options.seeds)
        print(name, flush=True)
        write(options.out, f"python benchmarks/worth.py {asked}", record)
    print(show(record))


if __name__ == "__main__":
    main()
