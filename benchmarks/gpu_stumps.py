"""Stump rounds on a GPU: whole fits from arrays of the host and from CuPy arrays, stage by stage, beside the host.

    python benchmarks/gpu_stumps.py --out benchmarks/results/gpu_stumps.json

A tenth of the rows is labeled, a tenth of these labels is flipped. A fit is all that a user waits
for: the booster (which checks the rows), the bins, and the rounds. Fits are repeated in one process, after one on a few
rows, which loads CUDA and the kernels. Stages are taken from further fits that wait for the device after each of them.
Tapes are compared with those of the host, to the bit. With ``--peer`` XGBoost runs as many rounds of depth 1
on the same device, from the same CuPy arrays, with as many bins, and all rows labeled.
"""

import argparse
import hashlib
import platform
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import cupy
import numpy as np
import record

import agnoboost as ab
from agnoboost.kernels.dispatch import cores
from agnoboost.rounds.stumps import device_rounds, gpu
from agnoboost.rounds.stumps.board import Board
from agnoboost.rounds.stumps.keepers import joints
from agnoboost.rounds.stumps.keepers.gpu import GpuKeeper
from agnoboost.rounds.stumps.problem import Problem

PACKAGES = ("numpy", "numba", "scikit-learn")


def make(rows, features, dtype, seed=0):
    """An additive signal in ten features, a tenth of the labels flipped; made on the device."""
    draw = cupy.random.RandomState(seed)
    X = cupy.empty((rows, features), dtype=dtype)
    for start in range(0, rows, 1_000_000):
        X[start : start + 1_000_000] = draw.standard_normal((min(1_000_000, rows - start), features), dtype=np.float32)
    y = (X[:, :10].sum(axis=1, dtype=np.float64) > 0) ^ (draw.random_sample(rows, dtype=np.float32) < 0.1)
    return X, cupy.where(y, 1, -1).get()


def to_host(X):
    """In parts, so that no buffer of the size of X is made."""
    here = np.empty(X.shape, X.dtype)
    for start in range(0, len(X), 250_000):
        X[start : start + 250_000].get(out=here[start : start + 250_000])
    return here


def fit(X, signs, rounds, engine, total_step=2.0):
    labeled = len(X) // 10
    with stage("booster (checks rows)"):
        booster = ab.algorithm1((X[:labeled], signs[:labeled]), X[labeled:], step=total_step / rounds)
    with stage("places of cuts"):
        learner = ab.HistogramStumpLearner.from_data([X[:labeled], X[labeled:]])
    return ab.boost(booster, learner, rounds=rounds, rng=0, engine=engine)


STAGES = {}
WATCHED = False


@contextmanager
def stage(name):
    """Seconds and calls of a stage, where stages are watched: then the device is waited for."""
    if not WATCHED:
        yield
        return
    cupy.cuda.Device().synchronize()
    start = time.perf_counter()
    yield
    cupy.cuda.Device().synchronize()
    seconds, calls = STAGES.get(name, (0.0, 0))
    STAGES[name] = seconds + time.perf_counter() - start, calls + 1


def watch(owner, method, name):
    """Let calls of a method count as a stage."""
    inner = getattr(owner, method)

    def timed(*arguments, **settings):
        with stage(name):
            return inner(*arguments, **settings)

    setattr(owner, method, timed)


BOARDS = []  # of the last fit, which knows what was asked


def watch_all():
    watch(Problem, "psi_weights", "weights and labels as whole numbers")
    watch(Problem, "whole_labels", "weights and labels as whole numbers")
    watch(gpu, "encode", "bins")
    watch(GpuKeeper, "__init__", "weights, labels, margins to the device")
    watch(GpuKeeper, "totals", "label sums")
    watch(GpuKeeper, "restart", "sums of psi'")
    watch(GpuKeeper, "take", "case-B steps")
    watch(joints.JointHistograms, "_make", "joint histograms")
    watch(device_rounds.DeviceRounds, "_run", "rounds (with the log)")
    inner = Board.__init__

    def noted(self, *arguments):
        inner(self, *arguments)
        BOARDS[:] = [self]

    Board.__init__ = noted


def digest(run):
    """A tape in a few digits."""
    return hashlib.sha256(repr(run.tape.steps).encode()).hexdigest()[:16]


def measured(repeats, *task):
    """Seconds of whole fits, stages of a further one, memory of the device, and the tape."""
    global WATCHED
    pool = cupy.get_default_memory_pool()
    BOARDS.clear()
    pool.free_all_blocks()
    before, seconds = pool.total_bytes(), []
    for _ in range(repeats):
        cupy.cuda.Device().synchronize()
        start = time.perf_counter()
        run = fit(*task)
        seconds.append(time.perf_counter() - start)
        if len(seconds) == 1:
            memory = pool.total_bytes() - before
    found = {"seconds": seconds, "median": median(seconds), "engine": run.engine, "tape": digest(run)}
    found |= {"case_B": int((run.history["branch"] == "B").sum()), "synchronisations": dict(BOARDS[0].asked)}
    if run.engine == "gpu":
        STAGES.clear()
        WATCHED = True
        start = time.perf_counter()
        fit(*task)
        found |= {"device_bytes": memory, "watched_seconds": time.perf_counter() - start}
        WATCHED = False
        found["stages"] = {name: {"seconds": took, "calls": calls} for name, (took, calls) in STAGES.items()}
    return found


def xgboost_fit(X, signs, rounds):
    import xgboost

    matrix = xgboost.QuantileDMatrix(X, cupy.asarray(signs > 0), max_bin=255)
    settings = {"device": "cuda", "tree_method": "hist", "max_depth": 1, "max_bin": 255, "objective": "binary:logistic"}
    xgboost.train(settings, matrix, rounds)


def peer(X, signs, rounds):
    """Seconds of a whole fit of XGBoost, after one on a few rows."""
    xgboost_fit(X[:20_000], signs[:20_000], 20)
    start = time.perf_counter()
    xgboost_fit(X, signs, rounds)
    seconds = time.perf_counter() - start
    return {"seconds": [seconds], "median": seconds}


def show(name, found):
    print(f"{name:60}" + " ".join(f"{one:7.3f}" for one in found["seconds"]), found["tape"], flush=True)
    for part, took in found.get("stages", {}).items():
        print(f"    {part:40} {took['seconds']:8.4f} s in {took['calls']} calls")
    print("   ", found["synchronisations"], f"{found.get('device_bytes', 0) / 2**30:.2f} GiB", flush=True)


def compare(shape, total_step, options):
    """Fits of one size from all kinds of arrays; those of one table must have the same tape."""
    found, peers = {rounds: {} for rounds in options.rounds}, {}

    def run(kind, X, engine, repeats):
        for rounds in options.rounds:
            found[rounds][kind] = measured(repeats, X, signs, rounds, engine, total_step)
            name = f"{shape[0]:,} x {shape[1]}, {rounds:,} rounds, total step {total_step:g}, {kind}"
            show(name, found[rounds][kind])

    for dtype in options.dtypes:
        X, signs = make(*shape, dtype)
        run(f"CuPy {dtype}", X, "auto", options.repeats)
        if options.peer and dtype == options.dtypes[-1]:
            for rounds in options.rounds:
                peers[rounds] = {"XGBoost": {"from": f"CuPy {dtype}", **peer(X, signs, rounds)}}
                print(shape, rounds, "XGBoost", peers[rounds]["XGBoost"]["seconds"], flush=True)
        here = to_host(X)
        del X
        cupy.get_default_memory_pool().free_all_blocks()
        run(f"host {dtype}", here, "gpu", options.repeats)
        if shape[0] <= options.host_rows and dtype == options.dtypes[0]:
            run(f"host {dtype}, engine incremental", here, "incremental", 1)
    for fits in found.values():  # float32 values are those of float64: both are drawn as float32
        assert len({one["tape"] for one in fits.values()}) == 1, "tapes differ"
    facts = {"rows": shape[0], "features": shape[1], "total_step": total_step}
    return [{**facts, "rounds": rounds, "fits": fits, **peers.get(rounds, {})} for rounds, fits in found.items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shapes", nargs="+", default=["1000000x100", "10000000x100"])
    parser.add_argument("--rounds", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--total-steps", type=float, nargs="+", default=[2.0])
    parser.add_argument("--dtypes", nargs="+", default=["float64", "float32"])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--peer", action="store_true", help="XGBoost beside it")
    parser.add_argument("--host-rows", type=int, default=1_000_000, help="up to here tapes are made on the host too")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    asked = [word for word in sys.argv[1:] if word not in ("--out", str(options.out))]
    command = " ".join(["python benchmarks/gpu_stumps.py", *asked])
    start = time.perf_counter()
    X, signs = make(20_000, 20, "float32")
    fit(X, signs, 200, "auto")
    fit(to_host(X), signs, 200, "incremental")
    print(f"first fits, with loading: {time.perf_counter() - start:.1f} s", flush=True)
    watch_all()
    packages = (*PACKAGES, *(["xgboost"] if options.peer else []))
    properties, results = cupy.cuda.runtime.getDeviceProperties(0), []
    machine = f"{properties['name'].decode()}, {cores()} cores, {platform.machine()}, CuPy {cupy.__version__}"
    for shape in options.shapes:
        for total_step in options.total_steps:
            results += compare(tuple(map(int, shape.split("x"))), total_step, options)
            record.write(options.out, command, {"machine": machine, "fits": results}, packages)


if __name__ == "__main__":
    main()
