"""The scripts in examples/ run as they stand."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name", ["xgboost_objective", "lightgbm_estimator", "dask_cluster"])
def test_an_example_runs(name, tmp_path):
    pytest.importorskip("xgboost")
    pytest.importorskip("lightgbm")
    pytest.importorskip("distributed")
    done = subprocess.run(
        [sys.executable, EXAMPLES / f"{name}.py"], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert float(re.search(r"accuracy.*?(0\.\d+)", done.stdout).group(1)) > 0.8
