"""Values to bins on a GPU: the host's bins, from kernels on the host, and on a real GPU where there is one."""

import numpy as np
import pytest
from emulated_gpu import EmulatedDevice, needs_compiler, needs_gpu

from agnoboost.kernels.binning import Bins
from agnoboost.kernels.cells import Layout
from agnoboost.kernels.gpu.binning import encode, stride_of
from agnoboost.kernels.gpu.device import CudaDevice, why_no_gpu

DEVICES = [
    pytest.param(EmulatedDevice, marks=needs_compiler),
    pytest.param(CudaDevice, marks=[pytest.mark.gpu, pytest.mark.skipif(why_no_gpu() is not None, reason="no GPU")]),
]


def table(rng, rows=431, features=21):
    X = rng.normal(size=(rows, features))
    X[:, 1], X[:, 2], X[:, 5] = np.round(X[:, 1]), rng.integers(0, 5, rows), 3.0
    X[rng.random(X.shape) < 0.1] = np.nan
    return X


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", ">f8", "i8", "u1"])
def test_bins_are_those_of_the_host(rng, device, dtype):
    X = table(rng)
    if "f" not in dtype:
        X = np.abs(np.nan_to_num(X) * 20)
    X = X.astype(dtype)
    bins = Bins.from_data(X, max_bins=40, categorical=[2] if "f" in dtype else [])
    tables = [X[:100], np.asfortranarray(X[100:250]), X[250:]]
    layout = Layout.of(bins, tables)
    device = device()
    found = device.to_host(encode(device, layout, tables))
    assert found.shape == (len(X), stride_of(21))
    assert np.array_equal(found[:, :21], layout.encode(tables))
    assert not found[:, 21:].any()


@needs_gpu
def test_tables_on_the_gpu_are_cut_and_read_there(rng):
    import cupy

    X = table(rng, rows=300_000)
    there = cupy.asarray(X)
    bins = Bins.from_data(X, categorical=[2])
    assert Bins.from_data([there[:1000], there[1000:]], categorical=[2]) == Bins.from_data(
        [X[:1000], X[1000:]], categorical=[2]
    )
    device, layout = CudaDevice(), Layout.of(bins, [X])
    for tables in ([there], [there[::-1]], [cupy.asfortranarray(there)], [there[:7], X[7:]]):
        here = [table if isinstance(table, np.ndarray) else table.get() for table in tables]
        assert np.array_equal(encode(device, layout, tables)[:, :21].get(), layout.encode(here))
