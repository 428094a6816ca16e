"""What columns of dates, codes and texts are worth, and what reading them in other ways would be worth.

    python benchmarks/columns.py --out benchmarks/results/columns.json [--labels 300] [--seeds 5]

The classifier is always the same, TableClassifier(effort="fast"). It gets the table without these columns ("left out"),
the table as it is ("read"), what skrub's TableVectorizer makes of it ("skrub"), and, where there are codes, the table
with one more column ("with means"): the mean label of the other rows of that code, in five folds, drawn to the mean of
all as if there were five more rows. Figures are areas under the ROC curve on rows that nothing has seen.
"""

import argparse
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
from column_tables import all_tables
from record import write
from sklearn.metrics import roc_auc_score
from skrub import StringEncoder, TableVectorizer

import agnoboost as ab

UNLABELED, TEST, FOLDS, MORE_ROWS = 2000, 2000, 5, 5.0


def left_out(table, known, train):
    return table.X.drop(columns=list(table.columns))


def read(table, known, train):
    return table.X


def by_skrub(table, known, train):
    reader = TableVectorizer(high_cardinality=StringEncoder(random_state=0))
    return reader.fit(table.X[train]).transform(table.X)


def with_means(table, known, train):
    """Only for a single column of codes."""
    if table.columns not in (("zip",), ("product",)):
        return None
    codes, fold = table.X[table.columns[0]].to_numpy(), np.arange(len(table.y)) % FOLDS
    fold[~known] = -1  # rows without labels, and unseen ones, get the means of all labels
    means = np.empty(len(codes))
    for number in np.unique(fold):
        others = known & (fold != number)
        sums, counts = Counter(), Counter(codes[others])
        for code, label in zip(codes[others], table.y[others], strict=True):
            sums[code] += label
        overall = table.y[others].mean()
        for row in np.flatnonzero(fold == number):
            means[row] = (sums[codes[row]] + MORE_ROWS * overall) / (counts[codes[row]] + MORE_ROWS)
    return table.X.assign(mean_label=means)


METHODS = {"left out": left_out, "read": read, "skrub": by_skrub, "with means": with_means}


def area(method, table, labels):
    """On the last third of the rows; the first ones have labels."""
    rows = len(table.y)
    known, train = np.arange(rows) < labels, np.arange(rows) < rows - min(TEST, rows // 3)
    X = METHODS[method](table, known, train)
    if X is None:
        return None
    y = np.where(known, table.y, np.nan)
    model = ab.TableClassifier(effort="fast", random_state=0).fit(X[train], y[train])
    return float(roc_auc_score(table.y[~train], model.decision_function(X[~train])))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--labels", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    found = {}
    for seed in range(given.seeds):
        for table in all_tables(given.labels + UNLABELED + TEST, seed):
            for method in METHODS:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # skrub's about texts, ours about classes that are never predicted
                    score = area(method, table, given.labels)
                if score is not None:
                    found.setdefault(table.name, {}).setdefault(method, []).append(score)
    for name, methods in found.items():
        mean = {
            method: f"{np.mean(own):.3f} ± {np.std(own, ddof=1) / len(own) ** 0.5:.3f}"
            for method, own in methods.items()
        }
        print(f"{name:16}", *(f"{method} {text}" for method, text in mean.items()), sep="  ")
    command = f"python benchmarks/columns.py --labels {given.labels} --seeds {given.seeds}"
    write(given.out, command, found, ("agnoboost", "numpy", "scikit-learn", "scipy", "skrub"))


if __name__ == "__main__":
    main()
