"""Stumps on Dask beside XGBoost on Dask with depth 1: time, processor time, peak memory, synchronisations.

python benchmarks/dask_stumps.py --rows 10000000 --workers 2 --out benchmarks/results/dask_stumps.json

Rows are generated partition by partition, and not kept: 20 numbers of 32 bits, an additive signal in ten of them, a
tenth of the labels flipped. Ours learns from a tenth of the rows labeled and the others unlabeled; XGBoost gets all
labels, and is run for a few rounds: the median of the seconds between them is its seconds a round, from which long runs
are extrapolated.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path

import dask
import dask.array as da
import distributed
import numpy as np
import psutil
import record
from dask_scaling import PeakMemory

from agnoboost.integrations.dask import DaskAgnosticBoostingClassifier

FEATURES, PART, LABELED = 20, 250_000, 0.1
TOTAL_STEP = 1.2  # rounds times step
FEW = 30  # rounds of XGBoost


def part(seed, rows, labeled):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, FEATURES), dtype=np.float32)
    y = (X[:, :10].sum(axis=1) > 0) ^ (rng.random(rows) < 0.1)
    return X, np.where(rng.random(rows) < labeled, y, np.nan).astype(np.float32)


def table(rows, labeled):
    sizes = [min(PART, rows - start) for start in range(0, rows, PART)]
    X, y = [], []
    for seed, size in enumerate(sizes):
        own, labels = dask.delayed(part, nout=2)(seed, size, labeled)
        X.append(da.from_delayed(own, (size, FEATURES), np.float32))
        y.append(da.from_delayed(labels, (size,), np.float32))
    return da.concatenate(X), da.concatenate(y)


def ours(client, rows, rounds):
    settings = {"unlabeled_weight": 1.0, "validation_fraction": None, "random_state": 0}
    model = DaskAgnosticBoostingClassifier(n_rounds=rounds, step_size=TOTAL_STEP / rounds, **settings)
    model.fit(*table(rows, LABELED), client=client)
    assert model.n_rounds_ == rounds
    return {"questions": dict(model.history_.questions[0])}


def xgboost(client, rows, rounds):
    import xgboost.dask

    class Clock(xgboost.callback.TrainingCallback):
        """Writes down when each round ends, on the workers."""

        def after_iteration(self, model, epoch, evals_log):
            with open(times, "a") as lines:
                lines.write(f"{time.time()}\n")

    with tempfile.TemporaryDirectory() as folder:
        times = os.path.join(folder, "times")
        matrix = xgboost.dask.DaskQuantileDMatrix(client, *table(rows, 1.0))
        settings = {"objective": "binary:logistic", "max_depth": 1, "tree_method": "hist"}
        xgboost.dask.train(client, settings, matrix, rounds, verbose_eval=False, callbacks=[Clock()])
        with open(times) as lines:  # of all workers, which wait for each other in every round
            ends = np.sort([float(line) for line in lines])
    return {"a_round": float(np.median(np.diff(ends[:: len(ends) // rounds])))}


def measured(work, rows, workers, rounds):
    """In a cluster of its own, after a small run that loads the libraries."""
    cluster = distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=None
    )
    with cluster, distributed.Client(cluster) as client:
        work(client, 100_000, rounds)
        pids = [os.getpid(), *client.run(os.getpid).values()]
        processes = [psutil.Process(pid) for pid in pids]

        def spent():
            return sum(sum(process.cpu_times()[:2]) for process in processes)

        with PeakMemory(pids) as memory:
            start, before = time.perf_counter(), spent()
            found = work(client, rows, rounds)
            seconds, processor = time.perf_counter() - start, spent() - before
    found |= {"rounds": rounds, "seconds": seconds, "processor_seconds": processor, "peak_memory": memory.peak}
    print(work.__name__, rows, workers, found, flush=True)
    return found


def compare(rows, workers, rounds, peer):
    results = {"rows": rows, "workers": workers, "ours": measured(ours, rows, workers, rounds)}
    if peer:
        found = results["xgboost"] = measured(xgboost, rows, workers, FEW)
        found["extrapolated"] = found["seconds"] + (rounds - FEW) * found["a_round"]
        results["times_ours"] = found["extrapolated"] / results["ours"]["seconds"]
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--workers", type=int, nargs="+", default=[2])
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--no-peer", action="store_true", help="leave XGBoost out")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    found = [
        compare(rows, workers, options.rounds, not options.no_peer)
        for rows in options.rows
        for workers in options.workers
    ]
    command = "python benchmarks/dask_stumps.py --rows " + " ".join(map(str, options.rows))
    command += " --workers " + " ".join(map(str, options.workers)) + f" --rounds {options.rounds}"
    command += " --no-peer" if options.no_peer else ""
    record.write(options.out, command, found, ("agnoboost", "numpy", "numba", "dask", "distributed", "xgboost-cpu"))


if __name__ == "__main__":
    main()
