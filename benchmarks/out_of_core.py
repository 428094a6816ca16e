"""``agnoboost fit`` on a Parquet file that is larger than the memory it may take: time and peak memory.

    python benchmarks/out_of_core.py --rows 60000000 --memory 4GB --out benchmarks/results/out_of_core.json

20 columns of 64 bits that do not pack (160 bytes a row), an additive signal in ten of them, a tenth of the rows
labeled, a tenth of these labels flipped. The file lies in a folder that is removed afterwards. Peak memory is that of
the process that runs the command, with what is mapped from files.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import record

FEATURES, BLOCK = 20, 500_000


def write(path, rows):
    """Row group by row group."""
    names = [f"x{number}" for number in range(FEATURES)]
    with pq.ParquetWriter(path, pa.schema([*((name, pa.float64()) for name in names), ("label", pa.int8())])) as out:
        for start in range(0, rows, BLOCK):
            rng = np.random.default_rng([0, start])
            X = rng.standard_normal((min(BLOCK, rows - start), FEATURES))
            y = ((X[:, :10].sum(axis=1) > 0) ^ (rng.random(len(X)) < 0.1)).astype(np.int8)
            known = pa.array(y, mask=rng.random(len(X)) >= 0.1)
            out.write_table(pa.table([*map(pa.array, X.T.copy()), known], schema=out.schema))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=60_000_000)
    parser.add_argument("--memory", default="4GB")
    parser.add_argument("--folder", type=Path, help="where the file may lie; a temporary folder by default")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        big = Path(folder) / "big.parquet"
        write(big, options.rows)
        program = [sys.executable, "-c", "from agnoboost.cli import main; main()", "fit", str(big), "--target", "label"]
        start = time.perf_counter()
        done = subprocess.run([*program, "--memory", options.memory, "--out", f"{folder}/model.agno"], check=False)
        seconds = time.perf_counter() - start
        done.check_returncode()
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        found = {"rows": options.rows, "file_bytes": big.stat().st_size, "seconds": seconds, "peak_bytes": peak}
    print(found)
    command = f"python benchmarks/out_of_core.py --rows {options.rows} --memory {options.memory}"
    record.write(options.out, command, found, ("agnoboost", "numpy", "numba", "pyarrow"))


if __name__ == "__main__":
    main()
