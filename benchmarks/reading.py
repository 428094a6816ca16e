"""How long tables take to be read, beside pandas.read_csv.

    python benchmarks/reading.py --out benchmarks/results/reading.json [--rows 200000]

Made files of 21 columns: numbers only; with eight columns of text; with gaps and codes; with decimal commas in eight or
all columns; with eight columns of amounts. pandas is told a decimal mark that all columns have, and leaves others as
text. Seconds are processor time, the median of three; memory is the most that was held at once beyond what was held
before, in sizes of the file.
"""

import argparse
import gc
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from record import write

from agnoboost.tables.files import read_table

COLUMNS, LOOKED_AT, TIMES = 20, 8, 3


def numbers(rows, rng):
    table = pd.DataFrame({f"c{i}": rng.normal(scale=1000, size=rows).round(3) for i in range(COLUMNS)})
    return table.assign(label=rng.integers(0, 2, rows))


def replaced(table, make):
    """With other cells in some columns."""
    return table.assign(**{f"c{i}": make(table[f"c{i}"]) for i in range(LOOKED_AT)})


def texts(rows, rng):
    table = numbers(rows, rng)
    words = np.array([f"{a} {b}" for a in ("red", "green", "blue") for b in ("house", "garden, old", "lake", "")])
    table = replaced(table, lambda column: words[rng.integers(len(words), size=rows)])
    return table.assign(c0=[f"customer {i}" for i in rng.permutation(rows)])


def gaps(rows, rng):
    table = replaced(numbers(rows, rng), lambda column: column.where(rng.random(rows) > 0.2))
    return table.assign(c0=[f"{i:05d}" for i in rng.integers(10**5, size=rows)])


def amounts(rows, rng):
    return replaced(numbers(rows, rng), lambda column: [f"${value:,.2f}" for value in column.abs()])


def commas(rows, rng):
    return replaced(numbers(rows, rng), lambda column: column.astype(str).str.replace(".", ","))


FILES = {
    "plain numbers": (numbers, {}, {}),
    "text columns": (texts, {}, {}),
    "gaps and codes": (gaps, {}, {}),
    "eight columns of decimal commas": (commas, {"sep": ";"}, {"sep": ";"}),
    "decimal commas everywhere": (numbers, {"sep": ";", "decimal": ","}, {"sep": ";", "decimal": ","}),
    "amounts of money": (amounts, {}, {}),
}


def seconds(read):
    taken = []
    for _ in range(TIMES):
        gc.collect()
        begin = time.process_time()
        read()
        taken.append(time.process_time() - begin)
    return float(np.median(taken))


def memory(path):
    """In a process of its own, whose largest size is that of this one file."""
    command = [sys.executable, __file__, "--memory-of", str(path)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def held():
    """The largest size so far of this process in bytes, as Linux tells it."""
    return 1024 * int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1])


def measured(name, rows):
    make, writing, reading = FILES[name]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        make(rows, np.random.default_rng(0)).to_csv(path, index=False, **writing)
        ours, pandas = seconds(lambda: read_table(path, "label")), seconds(lambda: pd.read_csv(path, **reading))
        size = path.stat().st_size
        return {
            "file": name,
            "megabytes": round(size / 1e6, 1),
            "seconds": round(ours, 3),
            "pandas": round(pandas, 3),
            "ratio": round(ours / pandas, 1),
            "memory": round(memory(path) / size, 1),
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--memory-of", type=Path, help=argparse.SUPPRESS)
    settings = parser.parse_args()
    if settings.memory_of:
        small = settings.memory_of.with_name("small.csv")
        small.write_text("a,b\n1.5,x\n2.5,y\n")
        read_table(small)  # imports are not counted
        before = held()
        read_table(settings.memory_of, "label")
        print(held() - before)
        return
    results = []
    for name in FILES:
        results.append(measured(name, settings.rows))
        print(results[-1], flush=True)
    command = f"python benchmarks/reading.py --rows {settings.rows}"
    write(settings.out, command, results, ("agnoboost", "numpy", "pandas", "pyarrow"))


if __name__ == "__main__":
    main()
