import numpy as np
import pytest

from agnoboost.kernels import dispatch


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
