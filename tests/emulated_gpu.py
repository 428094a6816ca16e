"""A GPU that is none: our CUDA sources, compiled for the host by g++, with blocks of one thread each.

Kernels go on in strides, whatever the number of threads in a block, so that one thread alone does all the work of its
block, and barriers mean nothing. What this cannot show is how threads get along; that is for a real GPU.
"""

import ctypes
import shutil
import subprocess
from functools import lru_cache, partial
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pytest

from agnoboost.kernels.gpu.device import source_of, why_no_gpu

COMPILER = shutil.which("g++")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="needs g++")


def needs_gpu(test):
    """Mark a test for a real GPU."""
    return pytest.mark.gpu(pytest.mark.skipif(why_no_gpu() is not None, reason="needs a GPU")(test))


SHIM = """
#include <cmath>
#define __global__
#define __device__ static inline
#define __shared__ static
#define __align__(bytes) alignas(bytes)
#define __threadfence()
#define __launch_bounds__(...)
#define __syncthreads()
struct Place { int x = 0, y = 0, z = 0; };
static Place threadIdx, blockIdx, blockDim, gridDim;
alignas(8) char own_memory[1 << 20];
template <class T, class U> static T atomicAdd(T* place, U value)
{
    T old = *place;
    *place = old + (T)value;
    return old;
}
extern "C" void set_place(int x, int y, int width, int height)
{
    blockIdx.x = x; blockIdx.y = y; blockDim.x = blockDim.y = 1; gridDim.x = width; gridDim.y = height;
}
"""


@lru_cache
def compiled(source, types):
    folder = Path(mkdtemp())
    text = source_of(source)
    for line in text.splitlines():  # memory of a block: the start of one array
        if "extern __shared__" in line:
            kind, name = line.replace("[];", "").split()[-2:]
            text = text.replace(line, f"    {kind}* {name} = ({kind}*)own_memory;")
    (folder / "kernels.cpp").write_text(SHIM + text)
    options = ["-std=c++17", "-O1", "-ffp-contract=off", "-shared", "-fPIC"]
    defined = [f"-D{name}={value}" for name, value in types]
    subprocess.run([COMPILER, *options, *defined, folder / "kernels.cpp", "-o", folder / "kernels.so"], check=True)
    return ctypes.CDLL(folder / "kernels.so")


class EmulatedKernels:
    def __init__(self, library):
        self._library = library

    def ready(self, name, *rest, **settings):
        return partial(self, name, *rest, **settings)

    def __call__(self, name, grid, block, *arguments, shared=0):
        assert shared <= 1 << 20
        assert 0 < np.prod(block) <= 1024
        width, height = (*grid, 1)[:2]
        assert width > 0
        assert height > 0
        ready = [argument(value) for value in arguments]
        for y in range(height):
            for x in range(width):
                self._library.set_place(x, y, width, height)
                getattr(self._library, name)(*ready)


def argument(value):
    if isinstance(value, np.ndarray):
        return ctypes.c_void_p(value.ctypes.data)
    return ctypes.c_int64(int(value))


class EmulatedDevice:
    """As :class:`agnoboost.kernels.gpu.device.CudaDevice`, of arrays of numpy."""

    processors = 1
    shared_bytes = 1 << 20

    def __init__(self, free=2**30):
        self.free = free

    def free_bytes(self):
        return self.free

    def empty(self, shape, dtype):
        return np.full(shape, 77, dtype)  # what was there before

    zeros = staticmethod(np.zeros)
    array = staticmethod(np.array)
    sort = staticmethod(np.sort)

    def to_host(self, values):
        return np.array(values, order="C")

    def write(self, into, values):
        into[:] = values

    def address(self, values):
        return values.ctypes.data

    def kernels(self, source, **types):
        return EmulatedKernels(compiled(source, tuple(sorted(types.items()))))

    def chunks(self, table, dtype, threads):
        for start in range(0, len(table), 100):
            yield start, np.array(table[start : start + 100], dtype, order="C")
