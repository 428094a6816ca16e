import os

import numpy as np
import pytest

from agnoboost.kernels import dispatch

# About forks, pipes, signals, or limits and permissions as Unix has them.
UNIX = ["mutants/*", "fuzz/*", "*/test_places.py", "basics/test_atomic.py", "kernels/test_dispatch.py"]
UNIX += ["rounds/test_checkpoint*.py", "rounds/test_many.py", "integrations/test_dask.py", "report/test_browser.py"]
collect_ignore_glob = UNIX if os.name == "nt" else []


@pytest.fixture
def rng():
    return np.random.default_rng(20)


@pytest.fixture
def compile_from(monkeypatch):
    """Say how many seconds of work compiled kernels are loaded for: 0 for any, infinity for none."""

    def use(seconds):
        monkeypatch.setattr(dispatch, "LOADING", seconds)

    return use


@pytest.fixture(autouse=True)
def the_same_numbers_every_time():
    """Estimators without a seed draw from numpy's global generator, as scikit-learn's do."""
    np.random.seed(0)  # noqa: NPY002
