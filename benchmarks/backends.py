"""What unlabeled rows bring to XGBoost and LightGBM, on few and noisy labels.

    python benchmarks/backends.py --data FOLDER --out benchmarks/results/backends.json

FOLDER holds adult.csv.gz, magic.csv.gz, bank_marketing.csv.gz and covtype.csv.gz; without it they come from OpenML. All
methods see the same labels; accuracy, AUC and Brier score are measured on clean rows that nothing has seen. Differences
are paired, with standard errors over data sets and seeds.
"""

import argparse
import json
import platform
import time
from itertools import product
from pathlib import Path

import lightgbm
import numpy as np
import xgboost
from joblib import Parallel, delayed
from sklearn.metrics import brier_score_loss, roc_auc_score

from agnoboost.datasets import fetch, flip_labels
from agnoboost.integrations import LGBMAgnosticClassifier, XGBAgnosticClassifier

TABLES = ("adult", "magic", "bank_marketing", "covtype")
LABELS_AND_FLIPS = ((50, 0.0), (50, 0.3), (200, 0.15), (1000, 0.0), (1000, 0.3))
DEPTHS = (1, 3, 6)
UNLABELED, TEST, ROUNDS = 2000, 3000, 100
BACKENDS = {"XGBoost": XGBAgnosticClassifier, "LightGBM": LGBMAgnosticClassifier}
WEIGHTS = {"labeled-only": 0.0, "weight .5": 0.5, "weight 1": 1.0, "auto": "auto"}
KINDS = ("accuracy", "auc", "brier")
DEFAULTS = "backend's defaults"


def prepared(name, folder):
    """Text columns as codes: the backends' own estimators get the same numbers."""
    frame, y = fetch(name, folder=folder)
    for column in frame.columns:
        if frame[column].dtype.kind not in "biuf":
            frame[column] = frame[column].astype("category").cat.codes
    return frame.to_numpy(float), y


def scores(y, positive):
    return {
        "accuracy": float(np.mean((positive >= 0.5) == (y == 1))),
        "auc": float(roc_auc_score(y, positive)),
        "brier": float(brier_score_loss(y == 1, positive)),
    }


def peer(backend, seed):
    if backend == "XGBoost":
        return xgboost.XGBClassifier(n_jobs=1, random_state=seed)
    return lightgbm.LGBMClassifier(n_jobs=1, random_state=seed, verbosity=-1)


def one(name, X, y, labels, flips, depth, backend, seed):
    rng = np.random.default_rng([seed, labels, int(100 * flips)])
    order = rng.permutation(len(y))
    train, test = order[:labels], order[labels : labels + TEST]
    unlabeled = order[labels + TEST : labels + TEST + UNLABELED]
    noisy = flip_labels(y[train], flips, rng)
    if len(np.unique(noisy)) < 2:
        return None
    found, seconds, chosen = {}, {}, None
    for method, weight in WEIGHTS.items():
        start = time.perf_counter()
        model = BACKENDS[backend](ROUNDS, max_depth=depth, unlabeled_weight=weight, random_state=seed, n_jobs=1)
        model.fit(X[train], noisy, X_unlabeled=X[unlabeled])
        seconds[method] = time.perf_counter() - start
        found[method] = scores(y[test], model.predict_proba(X[test])[:, 1])
        chosen = model.choice_.unlabeled_weight
    if depth == 6:
        model = peer(backend, seed).fit(X[train], (noisy == 1).astype(int))
        found[DEFAULTS] = scores(y[test], model.predict_proba(X[test])[:, 1])
    return {
        "table": name, "labels": labels, "flips": flips, "depth": depth, "backend": backend, "seed": seed,
        "scores": found, "seconds": seconds, "auto_chose": chosen,
    }  # fmt: skip


def summary(results):
    """Means, and paired differences from labeled-only with the same backend and depth."""
    rows = []
    for backend, depth, (labels, flips) in product(BACKENDS, DEPTHS, LABELS_AND_FLIPS):
        setting = {"backend": backend, "depth": depth, "labels": labels, "flips": flips}
        own = [r for r in results if all(r[key] == value for key, value in setting.items())]
        row = {**setting, "runs": len(own)}
        for method in own[0]["scores"]:
            row[method] = {kind: _mean([r["scores"][method][kind] for r in own]) for kind in KINDS}
            gains = [r["scores"][method]["accuracy"] - r["scores"]["labeled-only"]["accuracy"] for r in own]
            row[method]["gain"] = _mean(gains)
        row["auto_used_unlabeled"] = float(np.mean([r["auto_chose"] > 0 for r in own]))
        row["seconds_auto"] = float(np.median([r["seconds"]["auto"] for r in own]))
        rows.append(row)
    return rows


def _mean(values):
    return {"mean": float(np.mean(values)), "error": float(np.std(values, ddof=1) / np.sqrt(len(values)))}


def show(rows):
    print("accuracy of labeled-only boosting; gain of weight .5, weight 1, auto, the defaults; auto used them")
    for row in rows:
        gains = [row[m]["gain"] if m in row else None for m in ("weight .5", "weight 1", "auto", DEFAULTS)]
        texts = ["" if g is None else f"{g['mean']:+.3f} +- {g['error']:.3f}" for g in gains]
        where = f"{row['backend']:8} depth {row['depth']}, {row['labels']:4} labels, {row['flips']:.0%} flips"
        base = row["labeled-only"]["accuracy"]["mean"]
        print(f"{where}: {base:.3f} | {', '.join(texts)} | {row['auto_used_unlabeled']:.0%}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    tables = {name: prepared(name, options.data) for name in TABLES}
    tables = {name: (X[:40_000], y[:40_000]) for name, (X, y) in ((n, _shuffled(*t)) for n, t in tables.items())}
    tasks = [
        (name, labels, flips, depth, backend, seed)
        for seed in range(options.seeds)
        for name in TABLES
        for labels, flips in LABELS_AND_FLIPS
        for depth in DEPTHS
        for backend in BACKENDS
    ]
    found = Parallel(n_jobs=options.jobs, batch_size=4)(
        delayed(one)(name, *tables[name], *rest) for name, *rest in tasks
    )
    rows = summary([result for result in found if result is not None])
    show(rows)
    # Below 100 labels nothing is held out, and "auto" is labeled-only boosting by construction.
    gains = [row["auto"]["gain"]["mean"] for row in rows if row["labels"] >= 100]
    print(
        f"auto against labeled-only, 100 labels and more: mean {np.mean(gains):+.4f}, worst setting {min(gains):+.4f}"
    )
    facts = {
        "command": f"python benchmarks/backends.py --data FOLDER --seeds {options.seeds}",
        "python": platform.python_version(),
        "xgboost": xgboost.__version__,
        "lightgbm": lightgbm.__version__,
        "tables": TABLES,
        "rounds": ROUNDS,
        "unlabeled": UNLABELED,
        "auto_mean_gain": float(np.mean(gains)),
        "auto_worst_gain": float(min(gains)),
        "rows": rows,
    }
    options.out.write_text(json.dumps(facts, indent=1) + "\n")


def _shuffled(X, y):
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], y[order]


if __name__ == "__main__":
    main()
