"""XGBoost with our objective on a GPU against the CPU, and how much of the time is ours.

python benchmarks/gpu.py --rows 1000000 10000000 --out benchmarks/results/gpu.json
"""

import argparse
import json
import platform
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import cupy
import numpy as np
import xgboost

from agnoboost.integrations.backend import ProblemRows
from agnoboost.integrations.objective import UnlabeledObjective
from agnoboost.integrations.xgboost_backend import XGBEnsemble, XGBoost
from agnoboost.integrations.xgboost_gpu import train_on_gpu

FEATURES, ROUNDS, DEPTH = 50, 30, 6
LABELED = 0.01
REPEATS = 3


@dataclass(frozen=True)
class Timed(UnlabeledObjective):
    """Counts the seconds in our part, waiting for the device before and after."""

    def gradients(self, margin, y, weight=None, totals=None):
        cupy.cuda.Device().synchronize()
        start = time.perf_counter()
        found = super().gradients(margin, y, weight, totals)
        assert all(isinstance(part, cupy.ndarray) for part in found), "gradients must stay on the device"
        cupy.cuda.Device().synchronize()
        SPENT.append(time.perf_counter() - start)
        return found


SPENT: list[float] = []


def make_rows(count, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((count, FEATURES), dtype=np.float32)
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.standard_normal(count, dtype=np.float32) > 0, 1.0, -1.0)
    y[rng.random(count) >= LABELED] = 0.0
    return ProblemRows(X, y, np.ones(count))


def backend(device):
    return XGBoost.of(max_depth=DEPTH, learning_rate=0.1, device=device, n_jobs=None, seed=0, params={})


def timed(work):
    cupy.cuda.Device().synchronize()
    start = time.perf_counter()
    found = work()
    cupy.cuda.Device().synchronize()
    return time.perf_counter() - start, found


def through_the_host(rows, objective):
    """The same by ``xgboost.train``, which hands margins to objectives in the memory of the host."""
    own = backend("cuda")
    matrix = own.matrix(ProblemRows(cupy.asarray(rows.X), rows.y, rows.weight))
    return XGBEnsemble(xgboost.train(own.settings, matrix, ROUNDS, obj=objective, verbose_eval=False))


def native(rows):
    """XGBoost's own logistic loss on as many rows, all labeled, on the device."""
    settings = {**backend("cuda").settings, "base_score": 0.5, "objective": "binary:logistic"}
    matrix = xgboost.QuantileDMatrix(cupy.asarray(rows.X), (rows.X[:, 0] > 0).astype(np.float32))
    return xgboost.train(settings, matrix, ROUNDS)


def measure(count, cpu_repeats):
    rows, objective = make_rows(count), UnlabeledObjective(unlabeled_weight=0.5)
    train_on_gpu(backend("cuda"), make_rows(1000), objective, 2)  # warm up
    found = {"rows": count, "gpu": [], "share": [], "through_host": [], "native": [], "cpu": []}
    for _ in range(REPEATS):
        seconds, (ensemble, _) = timed(lambda: train_on_gpu(backend("cuda"), rows, objective, ROUNDS))
        found["gpu"].append(seconds)
        SPENT.clear()
        seconds, _ = timed(lambda: train_on_gpu(backend("cuda"), rows, Timed(unlabeled_weight=0.5), ROUNDS))
        found["share"].append(sum(SPENT) / seconds)
        seconds, other = timed(lambda: through_the_host(rows, objective))
        found["through_host"].append(seconds)
        found["native"].append(timed(lambda: native(rows))[0])
    for _ in range(cpu_repeats):
        seconds, (plain, _) = timed(lambda: backend("cpu").train(rows, objective, ROUNDS))
        found["cpu"].append(seconds)
    few = rows.X[:100_000]
    on_gpu = ensemble.margin(few)
    found["largest_difference_from_host_path"] = float(np.abs(on_gpu - other.margin(few)).max())
    found["signs_that_agree_with_cpu"] = float(np.mean((on_gpu > 0) == (plain.margin(few) > 0)))
    medians = {name: median(found[name]) for name in ("gpu", "share", "through_host", "native", "cpu")}
    print(count, medians, found["largest_difference_from_host_path"], found["signs_that_agree_with_cpu"], flush=True)
    return {**found, "median": medians, "cpu_to_gpu": medians["cpu"] / medians["gpu"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--cpu-repeats", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    facts = {
        "command": "python benchmarks/gpu.py --rows " + " ".join(map(str, options.rows)),
        "gpu": name,
        "python": platform.python_version(),
        "xgboost": xgboost.__version__,
        "cupy": cupy.__version__,
        "features": FEATURES,
        "rounds": ROUNDS,
        "depth": DEPTH,
        "labeled": LABELED,
        "results": [measure(count, options.cpu_repeats) for count in options.rows],
    }
    options.out.write_text(json.dumps(facts, indent=1) + "\n")


if __name__ == "__main__":
    main()
