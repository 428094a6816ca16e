"""How long the first fit takes on a machine that has compiled nothing yet, and how much of it is compiling.

    python benchmarks/cold_start.py --out benchmarks/results/cold_start.json

Each fit in a fresh process with an empty cache, and once more with the cache that it has left.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from record import write

FITS = {
    "trees: TableClassifier, 1,000 labels": """
X = np.random.default_rng(0).normal(size=(1000, 30))
ab.TableClassifier(random_state=0).fit(X, X[:, 0] > 0).predict_proba(X)
""",
    "stumps: 200,000 rows, 1,000 rounds": """
X = np.random.default_rng(0).normal(size=(200_000, 30))
booster = ab.algorithm1((X[:20_000], np.where(X[:20_000, 0] > 0, 1, -1)), X[20_000:], step=0.002)
ab.boost(booster, ab.HistogramStumpLearner.from_data(X), rounds=1000, rng=0, engine="incremental")
""",
}


def seconds(program, cache):
    start = time.perf_counter()
    whole = f"import numpy as np\nimport agnoboost as ab\n{program}"
    there = {**os.environ, "NUMBA_CACHE_DIR": cache}
    subprocess.run([sys.executable, "-c", whole], env=there, check=True, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    found = {}
    for name, program in FITS.items():
        turns = []
        for _ in range(options.repeats):
            with tempfile.TemporaryDirectory() as cache:
                turns.append((seconds(program, cache), seconds(program, cache)))
        first, again = (median(one) for one in zip(*turns, strict=True))
        found[name] = {"first": round(first, 1), "with_cache": round(again, 1)}
        print(f"{name:40} first {first:.1f} s, with what it compiled {again:.1f} s", flush=True)
    command = f"python benchmarks/cold_start.py --repeats {options.repeats}"
    write(options.out, command, found, ("agnoboost", "numpy", "numba"))


if __name__ == "__main__":
    main()
