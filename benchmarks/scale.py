"""Stump rounds on many cores: what each pass over the rows takes, and whole fits, by the number of threads.

    python benchmarks/scale.py --rows 10000000 --threads 1,2,4,8,16 --out benchmarks/results/scale.json

A tenth of the rows is labeled, a tenth of these labels is flipped, the total step is 2. A fit is all that a user waits
for: the booster (which checks the rows), the bins and the rounds. Passes are the seconds that the keeper of rows takes
to answer each kind of question, over all rounds, and the bins. Every number of threads must give the same tape.
"""

import argparse
import hashlib
import os
import platform
import resource
import time
from collections import defaultdict
from functools import wraps
from pathlib import Path

import numpy as np
import record

import agnoboost as ab
from agnoboost.kernels.binning import Bins
from agnoboost.kernels.dispatch import in_parts
from agnoboost.rounds.stumps.keepers.host import HostKeeper

QUESTIONS = ("totals", "restart", "columns", "catch_up", "zone", "take")
SPENT, ASKED = defaultdict(float), defaultdict(int)


def timed(owner, name, label):
    work = getattr(owner, name)

    @wraps(work)
    def measured(*arguments, **options):
        start = time.perf_counter()
        try:
            return work(*arguments, **options)
        finally:
            SPENT[label] += time.perf_counter() - start
            ASKED[label] += 1

    setattr(owner, name, measured)


def make(rows, features, seed=0):
    """An additive signal in ten features; made by all cores, the same on any number of them."""
    X = np.empty((rows, features), dtype=np.float32)
    block = 100_000

    def fill(first, last):
        for number in range(first, last):
            own = slice(number * block, (number + 1) * block)
            np.random.default_rng([seed, number]).standard_normal(dtype=np.float32, out=X[own])

    in_parts(fill, -(-rows // block), os.cpu_count() or 1)
    flipped = np.random.default_rng(seed).random(rows) < 0.1
    return X, np.where((X[:, :10].sum(axis=1) > 0) ^ flipped, 1, -1)


def fit(X, signs, rounds, threads):
    labeled = len(X) // 10
    start = time.perf_counter()
    booster = ab.algorithm1((X[:labeled], signs[:labeled]), X[labeled:], step=2.0 / rounds)
    learner = ab.HistogramStumpLearner.from_data([X[:labeled], X[labeled:]])
    run = ab.boost(booster, learner, rounds=rounds, rng=0, engine="incremental", threads=threads)
    return run, time.perf_counter() - start


def tape_of(run):
    return hashlib.sha256(repr(run.tape.steps).encode()).hexdigest()[:16]


def measure(X, signs, rounds, threads):
    SPENT.clear()
    ASKED.clear()
    run, seconds = fit(X, signs, rounds, threads)
    return {
        "rows": len(X),
        "features": X.shape[1],
        "rounds": rounds,
        "threads": threads,
        "seconds": round(seconds, 3),
        "passes": {name: round(spent, 3) for name, spent in SPENT.items()},
        "asked": dict(ASKED),
        "peak_gb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, 2),
        "tape": tape_of(run),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", default="1000000")
    parser.add_argument("--features", type=int, default=100)
    parser.add_argument("--rounds", default="100,1000,10000")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    for name in QUESTIONS:
        timed(HostKeeper, name, name)
    timed(Bins, "encode_into", "bins")
    fit(*make(200_000, options.features), 50, 2)  # load the kernels
    results = [{"machine": platform.processor() or platform.machine(), "cores": os.cpu_count()}]
    for rows in map(int, options.rows.split(",")):
        X, signs = make(rows, options.features)
        for rounds in map(int, options.rounds.split(",")):
            tapes = set()
            for threads in map(int, options.threads.split(",")):
                found = measure(X, signs, rounds, threads)
                results.append(found)
                tapes.add(found["tape"])
                print("  ".join(f"{name} {value}" for name, value in found.items()), flush=True)
            assert len(tapes) == 1, "threads have changed the tape"
    asked = f"--rows {options.rows} --features {options.features} --rounds {options.rounds} --threads {options.threads}"
    record.write(options.out, f"python benchmarks/scale.py {asked}", results, ("numpy", "numba"))


if __name__ == "__main__":
    main()
