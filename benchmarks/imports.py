"""How long imports take in a fresh process.

    python benchmarks/imports.py --out benchmarks/results/imports.json [--repeats 15]

The programs take turns; seconds are the median of what the processor spends, from before the import until after it.
"""

import argparse
import subprocess
import sys
from pathlib import Path
from statistics import median

from record import write

PROGRAMS = {
    "import sklearn": "import sklearn",
    "import agnoboost": "import agnoboost",
    "sklearn: a random forest": "from sklearn.ensemble import RandomForestClassifier",
    "agnoboost: TableClassifier": "from agnoboost import TableClassifier",
    "agnoboost: all public names": "from agnoboost import *",
}
TIMED = "from time import process_time as now; start = now(); {}; print(now() - start)"


def seconds(program):
    done = subprocess.run([sys.executable, "-c", TIMED.format(program)], capture_output=True, text=True, check=True)
    return float(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--repeats", type=int, default=15)
    options = parser.parse_args()
    for program in PROGRAMS.values():
        seconds(program)  # files are read from the disk once
    turns = [{name: seconds(program) for name, program in PROGRAMS.items()} for _ in range(options.repeats)]
    found = {name: median(turn[name] for turn in turns) for name in PROGRAMS}
    for name, value in found.items():
        print(f"{name:30s} {value:.3f} s")
    write(options.out, f"python benchmarks/imports.py --repeats {options.repeats}", found)


if __name__ == "__main__":
    main()
