"""How well wrong labels are found: ours, and cleanlab with the models that its users would take.

    python benchmarks/suspects.py --data FOLDER --out benchmarks/results/suspects.json
    python benchmarks/suspects.py --show benchmarks/results/suspects.json

Tables that were not used to develop the method (those of the few-labels study that have enough rows, and the ten
digits); the folder holds the larger ones. Some labels are made wrong: 10, 20 or 30% of all; 30% of one class (named as
another one); or 15%, mostly where a forest that knows the true labels is unsure. Everybody sees the same labels.

precision at k: of the k most suspicious labels, k being the number of wrong ones, the share that is wrong. Flagged are
the labels that a method calls wrong (ours: those that are worth a look); recall, precision and f1 are theirs. Error of
the number: |estimate - true|/labels.
"""

import argparse
import json
import warnings
from functools import cache
from pathlib import Path

import numpy as np
from record import write
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import agnoboost as ab
from agnoboost_experiments.few_labels import tables

TEN_DIGITS = "digits, ten classes"
KINDS = ("none", "10%", "20%", "30%", "one class", "where unsure")
PACKAGES = ("agnoboost", "numpy", "scikit-learn", "cleanlab")
MEASURES = ("precision_at_k", "recall", "precision", "f1", "error_of_number", "covered")


@cache
def read(name, folder):
    """Rows, class numbers, and categorical columns."""
    if name == TEN_DIGITS:
        found = load_digits()
        return found.data, found.target, ()
    table = tables.table(name, folder)
    return table.X, (table.y > 0).astype(int), table.categorical


def spoiled(kind, X, y, rng):
    """The labels with some of them wrong."""
    classes, rows = y.max() + 1, len(y)
    given = y.copy()
    if kind == "one class":
        own = np.flatnonzero(y == classes - 1)
        given[rng.choice(own, round(0.3 * len(own)), replace=False)] = 0
        return given
    share, likely = 0.15, None
    if kind == "where unsure":
        forest = RandomForestClassifier(random_state=0, oob_score=True).fit(np.nan_to_num(X), y)
        ranked = np.sort(forest.oob_decision_function_, axis=1)
        likely = np.exp(-(ranked[:, -1] - ranked[:, -2]) / 0.3)
        likely /= likely.sum()
    else:
        share = 0.0 if kind == "none" else float(kind[:-1]) / 100
    wrong = rng.choice(rows, round(share * rows), replace=False, p=likely)
    given[wrong] = (y[wrong] + rng.integers(1, classes, len(wrong))) % classes
    return given


def forest(categorical):
    return make_pipeline(SimpleImputer(), RandomForestClassifier(random_state=0))


def logistic(categorical):
    coded = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), list(categorical)),
        remainder=make_pipeline(SimpleImputer(), StandardScaler()),
    )
    return make_pipeline(coded, LogisticRegression(max_iter=2000))


def by_cleanlab(probabilities, given):
    from cleanlab.count import num_label_issues
    from cleanlab.filter import find_label_issues
    from cleanlab.rank import get_label_quality_scores

    order = np.argsort(get_label_quality_scores(given, probabilities), kind="stable")
    return order, find_label_issues(given, probabilities), num_label_issues(given, probabilities), None


def by_agnoboost(model, given):
    found = model.suspicious_labels_
    order = np.concatenate([found.row, np.setdiff1d(np.arange(len(given)), found.row)])
    flagged = np.isin(np.arange(len(given)), found.row[: found.to_check])
    return order, flagged, found.count, found.interval


def judged(wrong, order, flagged, count, interval):
    k, hits = int(wrong.sum()), int((wrong & flagged).sum())
    recall, precision = hits / max(k, 1), hits / max(int(flagged.sum()), 1)
    return {
        "precision_at_k": float(wrong[order[:k]].mean()) if k else None,
        "recall": recall if k else None,
        "precision": precision if k else None,
        "f1": 2 * recall * precision / max(recall + precision, 1e-12) if k else None,
        "error_of_number": abs(count - k) / len(wrong),
        "covered": None if interval is None else float(interval[0] <= k <= interval[1]),
    }


def compare(name, folder, labels, kind, seed):
    X, y, categorical = read(name, folder)
    rng = np.random.default_rng([seed, labels, KINDS.index(kind)])
    rows = rng.permutation(len(y))[:labels]
    X, y = X[rows], y[rows]
    given = spoiled(kind, X, y, rng)
    model = ab.TableClassifier(random_state=seed, n_jobs=1, categorical_features=list(categorical) or None)
    model.fit(X, given)
    margins = model.oob_decision_function_.reshape(len(given), -1)
    unseen = model._probabilities(np.nan_to_num(margins))
    found = {"agnoboost": by_agnoboost(model, given), "cleanlab, our probabilities": by_cleanlab(unseen, given)}
    for peer in (forest, logistic):
        probabilities = cross_val_predict(peer(categorical), X, given, method="predict_proba")
        found[f"cleanlab, {peer.__name__}"] = by_cleanlab(probabilities, given)
    about = {"table": name, "labels": labels, "kind": kind, "seed": seed}
    return [{**about, "method": method, **judged(given != y, *own)} for method, own in found.items()]


def mean(record, measure, **wanted):
    """Over tables first, so that all count the same."""
    own = [one for one in record if all(one[name] == value for name, value in wanted.items())]
    names = sorted({one["table"] for one in own})
    by_table = [[one[measure] for one in own if one["table"] == name and one[measure] is not None] for name in names]
    return float(np.mean([np.mean(values) for values in by_table if values])) if any(by_table) else None


def averaged(record):
    """One entry for each table, number of labels, kind and method: means over seeds."""
    names = ("table", "labels", "kind", "method")
    keys = list(dict.fromkeys(tuple(one[name] for name in names) for one in record))
    named = [dict(zip(names, key, strict=True)) for key in keys]
    found = [{**key, **{measure: mean(record, measure, **key) for measure in MEASURES}} for key in named]
    return [
        {name: round(value, 4) if isinstance(value, float) else value for name, value in one.items()} for one in found
    ]


def show(record):
    methods = list(dict.fromkeys(one["method"] for one in record))
    lines = []
    for measure in MEASURES:
        lines += ["", f"| {measure.replace('_', ' ')} | " + " | ".join(KINDS) + " |", "|---" * (len(KINDS) + 1) + "|"]
        for method in methods:
            cells = [mean(record, measure, method=method, kind=kind) for kind in KINDS]
            if any(cell is not None for cell in cells):
                texts = ["" if cell is None else f"{cell:.3f}".lstrip("0") for cell in cells]
                lines.append(f"| {method} | " + " | ".join(texts) + " |")
    return "\n".join(lines[1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--show", type=Path)
    parser.add_argument("--labels", default="300")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--half", choices=("reporting", "development"), default="reporting", help="of the tables")
    options = parser.parse_args()
    if options.show:
        print(show(json.loads(options.show.read_text())["results"]))
        return
    warnings.simplefilter("ignore")
    record = []
    names = tables.names(options.half, options.data) + ([TEN_DIGITS] if options.half == "reporting" else [])
    asked = f"--data FOLDER --labels {options.labels} --seeds {options.seeds} --half {options.half}"
    for labels in map(int, options.labels.split(",")):
        for name in names:
            if labels <= len(read(name, options.data)[1]):
                tasks = [(kind, seed) for kind in KINDS for seed in range(options.seeds)]
                record += [one for task in tasks for one in compare(name, options.data, labels, *task)]
                print(name, labels, flush=True)
                write(options.out, f"python benchmarks/suspects.py {asked}", averaged(record), PACKAGES)
    print(show(averaged(record)))


if __name__ == "__main__":
    main()
