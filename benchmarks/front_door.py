"""How long the classifiers that users meet first take, and how good they are, beside their peers, in one run.

    python benchmarks/front_door.py --out benchmarks/results/front_door.json
    python benchmarks/front_door.py --show benchmarks/results/front_door.json

30 columns, of which 5 matter, and labels with noise; everybody with the defaults and two threads. Contenders take turns
in one process; figures are medians of seconds on the clock, with their ratios to LightGBM's. Scores are of 20,000 new
rows; ``predict_us`` are the microseconds that one of them takes. Fits of more than ``--once`` rows are run once. It
also measures what the first fit of 100 labels takes in a fresh process, import included.
"""

import argparse
import json
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from record import write
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

import agnoboost as ab

FEATURES, NEW, THREADS = 30, 20_000, 2
PACKAGES = ("agnoboost", "numpy", "numba", "scikit-learn", "lightgbm", "xgboost-cpu", "catboost")


def make(rows, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, FEATURES)).astype(np.float32)
    signal = X[:, 0] + np.sin(2 * X[:, 1]) + X[:, 2] * X[:, 3] - 0.5 * (X[:, 4] > 0)
    return X, (signal + 0.7 * rng.normal(size=rows) > 0).astype(int)


def lightgbm():
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_jobs=THREADS, verbosity=-1)


def xgboost():
    from xgboost import XGBClassifier

    return XGBClassifier(n_jobs=THREADS)


def catboost():
    from catboost import CatBoostClassifier

    return CatBoostClassifier(thread_count=THREADS, verbose=0, allow_writing_files=False)


# What makes each, and the most labels that it is asked to learn from here.
CONTENDERS = {
    "TableClassifier": (lambda: ab.TableClassifier(n_jobs=THREADS, random_state=0), 10**9),
    "TableClassifier, fast": (lambda: ab.TableClassifier(effort="fast", n_jobs=THREADS, random_state=0), 10**9),
    "AgnosticBoosting": (lambda: ab.AgnosticBoostingClassifier(n_jobs=THREADS, random_state=0), 10_000),
    "LightGBM": (lightgbm, 10**9),
    "XGBoost": (xgboost, 10**9),
    "HistGradientBoosting": (HistGradientBoostingClassifier, 10**9),
    "CatBoost": (catboost, 10**9),
    "random forest": (lambda: RandomForestClassifier(n_jobs=THREADS, random_state=0), 10_000),
    "extra trees": (lambda: ExtraTreesClassifier(n_jobs=THREADS, random_state=0), 10_000),
}


def compare(labels, repeats):
    X, y = make(labels)
    new, truth = make(NEW, seed=99)
    names = [name for name, (_, most) in CONTENDERS.items() if labels <= most]
    times, scores = {name: [] for name in names}, {}
    for _ in range(repeats):
        for name in names:
            start = time.perf_counter()
            model = CONTENDERS[name][0]().fit(X, y)
            middle = time.perf_counter()
            positive = model.predict_proba(new)[:, 1]
            times[name].append((middle - start, time.perf_counter() - middle))
            scores[name] = (
                np.mean((positive >= 0.5) == truth),
                roc_auc_score(truth, positive),
                np.mean((positive - truth) ** 2),
            )
    medians = {name: np.median(own, axis=0) for name, own in times.items()}
    unit = medians["LightGBM"]
    return [
        {
            "labels": labels,
            "method": name,
            "fit": round(float(own[0]), 3),
            "fit_ratio": round(float(own[0] / unit[0]), 2),
            "predict_us": round(float(own[1] / NEW * 1e6), 2),
            "predict_ratio": round(float(own[1] / unit[1]), 2),
            **dict(zip(("accuracy", "auc", "brier"), np.round(scores[name], 4).tolist(), strict=True)),
        }
        for name, own in medians.items()
    ]


FIRST = """
import time
start = time.perf_counter()
import numpy as np
from {module} import {name}
X = np.random.default_rng(0).normal(size=(100, 30))
{name}({arguments}).fit(X, X[:, 0] > 0)
print(time.perf_counter() - start)
"""
FRESH = {
    "TableClassifier": {"module": "agnoboost", "name": "TableClassifier", "arguments": "random_state=0"},
    "random forest": {"module": "sklearn.ensemble", "name": "RandomForestClassifier", "arguments": ""},
    "LightGBM": {"module": "lightgbm", "name": "LGBMClassifier", "arguments": "verbosity=-1"},
}


def first_fits(repeats):
    found = []
    for name, facts in FRESH.items():
        program = [sys.executable, "-c", FIRST.format(**facts)]
        runs = [subprocess.run(program, capture_output=True, text=True, check=True) for _ in range(repeats)]
        found.append({"method": name, "first_fit": round(float(np.median([float(run.stdout) for run in runs])), 2)})
    return found


def show(record):
    """The record as tables in Markdown."""
    lines = ["| fit, seconds (times LightGBM) | " + " | ".join(f"{n:,}" for n in _sizes(record)) + " |"]
    lines.append("|---" * (1 + len(_sizes(record))) + "|")
    cells = {(one["labels"], one["method"]): one for one in record if "labels" in one}
    for title, text in (
        (None, lambda one: f"{one['fit']:.2f} ({one['fit_ratio']:.1f})"),
        ("predict, microseconds a row", lambda one: f"{one['predict_us']:.1f}"),
        ("accuracy / AUC / Brier", lambda one: " / ".join(f"{one[m]:.3f}"[1:] for m in ("accuracy", "auc", "brier"))),
    ):
        if title is not None:
            lines += ["", f"| {title} | " + " | ".join(f"{n:,}" for n in _sizes(record)) + " |"]
            lines.append("|---" * (1 + len(_sizes(record))) + "|")
        for name in CONTENDERS:
            own = [cells.get((labels, name)) for labels in _sizes(record)]
            lines.append(f"| {name} | " + " | ".join("" if one is None else text(one) for one in own) + " |")
    first = [f"{one['method']} {one['first_fit']} s" for one in record if "first_fit" in one]
    return "\n".join([*lines, "", f"First fit of 100 labels in a fresh process, import included: {', '.join(first)}."])


def _sizes(record):
    return sorted({one["labels"] for one in record if "labels" in one})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--show", type=Path)
    parser.add_argument("--labels", default="100,500,1000,10000,100000,1000000")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--once", type=int, default=50_000)
    options = parser.parse_args()
    if options.show:
        print(show(json.loads(options.show.read_text())["results"]))
        return
    warnings.simplefilter("ignore")
    results = first_fits(options.repeats)
    with threadpool_limits(THREADS):
        compare(300, 1)  # load the libraries and their kernels
        compare(3000, 1)
        for labels in map(int, options.labels.split(",")):
            results += compare(labels, options.repeats if labels <= options.once else 1)
            for one in [one for one in results if one.get("labels") == labels]:
                print("  ".join(f"{name} {value}" for name, value in one.items()), flush=True)
    asked = f"--labels {options.labels} --repeats {options.repeats}"
    write(options.out, f"python benchmarks/front_door.py {asked}", results, PACKAGES)


if __name__ == "__main__":
    main()
