"""Dask: time and peak memory a row as rows and workers grow; rows are generated partition by partition.

python benchmarks/dask_scaling.py --rows 100000 1000000 10000000 --workers 1 2 --out benchmarks/results/dask.json
"""

import argparse
import json
import os
import platform
import threading
import time
from pathlib import Path

import dask
import dask.array as da
import distributed
import numpy as np
import psutil
import xgboost

from agnoboost.integrations.dask import DaskXGBAgnosticClassifier

FEATURES, ROUNDS, DEPTH, LABELED, PART = 20, 20, 6, 0.01, 250_000


def part(seed, rows):
    """A part of the table, its truth, and labels with gaps; 32 bits a number."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, FEATURES), dtype=np.float32)
    truth = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(np.float32)
    return X, np.where(rng.random(rows) < LABELED, truth, np.nan).astype(np.float32)


def table(rows):
    most = min(PART, rows // 4)  # every worker gets some
    sizes = [min(most, rows - start) for start in range(0, rows, most)]
    X, y = [], []
    for seed, size in enumerate(sizes):
        table, labels = dask.delayed(part, nout=2)(seed, size)
        X.append(da.from_delayed(table, (size, FEATURES), np.float32))
        y.append(da.from_delayed(labels, (size,), np.float32))
    return da.concatenate(X), da.concatenate(y)


class PeakMemory:
    """The largest memory of the client and all workers together, looked at ten times a second."""

    def __init__(self, pids):
        self._processes = [psutil.Process(pid) for pid in pids]
        self.start = self.peak = self._now()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def _now(self):
        return sum(process.memory_info().rss for process in self._processes)

    def _watch(self):
        while not self._over.wait(0.1):
            self.peak = max(self.peak, self._now())

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()


def measure(rows, workers):
    cluster = distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=None
    )
    with cluster, distributed.Client(cluster) as client:
        X, y = table(rows)
        model = DaskXGBAgnosticClassifier(
            ROUNDS, max_depth=DEPTH, unlabeled_weight=1.0, validation_fraction=None, learning_rate=0.15, random_state=0
        )
        pids = [os.getpid(), *client.run(os.getpid).values()]
        with PeakMemory(pids) as memory:
            start = time.perf_counter()
            model.fit(X, y)
            seconds = time.perf_counter() - start
        fresh, _ = part(10**6, 20_000)
        right = np.mean(model.predict(fresh) == (fresh[:, 0] + fresh[:, 1] * fresh[:, 2] > 0))
    found = {
        "rows": rows, "workers": workers, "seconds": seconds, "rounds": model.n_rounds_, "accuracy": float(right),
        "peak_bytes_a_row": (memory.peak - memory.start) / rows,
    }  # fmt: skip
    print(found, flush=True)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    facts = {
        "command": "python benchmarks/dask_scaling.py --rows "
        + " ".join(map(str, options.rows)) + " --workers " + " ".join(map(str, options.workers)),
        "python": platform.python_version(),
        "xgboost": xgboost.__version__,
        "dask": dask.__version__,
        "features": FEATURES,
        "depth": DEPTH,
        "labeled": LABELED,
        "results": [measure(rows, workers) for rows in options.rows for workers in options.workers],
    }  # fmt: skip
    options.out.write_text(json.dumps(facts, indent=1) + "\n")


if __name__ == "__main__":
    main()
