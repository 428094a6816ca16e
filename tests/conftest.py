import numpy as np
import pytest

from agnoboost.kernels import dispatch


@pytest.fixture
def rng():
    return np.random.default_rng(20)


@pytest.fixture
def compile_from(monkeypatch):
    """Say from how much work on compiled kernels are used: 0 for always, 1e18 for never."""

    def use(cells):
        for name in ("WORTH", "WORTH_WITH_NUMBA", "WORTH_ONCE_LOADED"):
            monkeypatch.setattr(dispatch, name, cells)

    return use


@pytest.fixture(autouse=True)
def the_same_numbers_every_time():
    """Estimators without a seed draw from numpy's global generator, as scikit-learn's do."""
    np.random.seed(0)  # noqa: NPY002
