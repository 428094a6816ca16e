"""A GPU: its memory, and kernels on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ...basics.extras import require
from ..dispatch import in_parts

DeviceArray = Any  # an array of CuPy
Size = tuple[int, ...]

CHUNK = 64 * 2**20  # bytes of a table that travel at once
_WHY = "Work on a GPU needs CuPy"


class Kernels(Protocol):
    """The kernels of a compiled source."""

    def ready(self, name: str, grid: Size, block: Size, *arguments: Any, shared: int = 0) -> Callable[[], None]:
        """A launch that can be repeated. Arguments are arrays of the device, and whole numbers (int64)."""

    def __call__(self, name: str, grid: Size, block: Size, *arguments: Any, shared: int = 0) -> None:
        """Launch one kernel."""


class Device(Protocol):
    """What our work asks of a GPU. All of it goes on one after the other; only :meth:`to_host` waits."""

    processors: int  # multiprocessors
    shared_bytes: int  # of memory that a block can have for itself

    def free_bytes(self) -> int:
        """How much memory can still be had."""

    def empty(self, shape: Size, dtype: npt.DTypeLike) -> DeviceArray: ...

    def zeros(self, shape: Size, dtype: npt.DTypeLike) -> DeviceArray: ...

    def array(self, values: npt.NDArray[Any]) -> DeviceArray:
        """A copy on the device."""

    def to_host(self, values: DeviceArray) -> npt.NDArray[Any]:
        """A copy of its own in the memory of the host."""

    def write(self, into: DeviceArray, values: npt.NDArray[Any]) -> None:
        """Copy values of the host into an array of the device."""

    def sort(self, values: DeviceArray) -> DeviceArray: ...

    def address(self, values: DeviceArray) -> int: ...

    def kernels(self, source: str, **types: str) -> Kernels:
        """The kernels of a file in this room, compiled for these types."""

    def chunks(self, table: npt.NDArray[Any], dtype: npt.DTypeLike, threads: int) -> Iterator[tuple[int, DeviceArray]]:
        """A table of the host, some rows at a time: number of the first one, and a copy that lasts until the next."""


def require_gpu() -> Any:
    """CuPy, if it is there and finds a GPU; else an error that says what is missing."""
    cupy = require("cupy", "gpu", _WHY)
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise RuntimeError(f"{_WHY}, and a GPU with CUDA. CuPy finds none: {error}") from None
    return cupy


def why_no_gpu() -> str | None:
    """Why there is no GPU to work on; None if there is one."""
    try:
        require_gpu()
    except (ImportError, RuntimeError) as error:
        return str(error)
    return None


def source_of(name: str) -> str:
    """The text of a ``.cu`` file in this room, with what all of them begin with."""
    here = Path(__file__).parent
    return (here / "common.cuh").read_text() + (here / name).read_text()


class CudaDevice:
    """The GPU that CuPy works on at present."""

    def __init__(self) -> None:
        self._cupy = require_gpu()
        found = self._cupy.cuda.Device().attributes
        self.processors = int(found["MultiProcessorCount"])
        self.shared_bytes = int(found["MaxSharedMemoryPerBlockOptin"])

    def free_bytes(self) -> int:
        free, _ = self._cupy.cuda.Device().mem_info
        return int(free + self._cupy.get_default_memory_pool().free_bytes())

    def empty(self, shape: Size, dtype: npt.DTypeLike) -> DeviceArray:
        return self._cupy.empty(shape, dtype)

    def zeros(self, shape: Size, dtype: npt.DTypeLike) -> DeviceArray:
        return self._cupy.zeros(shape, dtype)

    def array(self, values: npt.NDArray[Any]) -> DeviceArray:
        return self._cupy.array(values)

    def to_host(self, values: DeviceArray) -> npt.NDArray[Any]:
        if not values.size:
            return np.empty(values.shape, values.dtype)
        # Memory that the device writes to by itself, and that is kept for the next time when nobody has it any more.
        found: npt.NDArray[Any] = require("cupyx", "gpu", _WHY).empty_pinned(values.shape, values.dtype)
        self._cupy.ascontiguousarray(values).get(out=found)
        return found

    def write(self, into: DeviceArray, values: npt.NDArray[Any]) -> None:
        into.set(values)

    def sort(self, values: DeviceArray) -> DeviceArray:
        return self._cupy.sort(values)

    def address(self, values: DeviceArray) -> int:
        return int(values.data.ptr)

    def kernels(self, source: str, **types: str) -> Kernels:
        return _compiled(source, tuple(sorted(types.items())), self._cupy.cuda.Device().id)

    def chunks(self, table: npt.NDArray[Any], dtype: npt.DTypeLike, threads: int) -> Iterator[tuple[int, DeviceArray]]:
        """Through two buffers that the device reads by itself: one is filled by all threads while the other travels."""
        cupy, features = self._cupy, table.shape[1]
        most = max(1, min(len(table), CHUNK // (features * np.dtype(dtype).itemsize)))
        stream = cupy.cuda.get_current_stream()
        buffers = [require("cupyx", "gpu", _WHY).empty_pinned((most, features), dtype) for _ in range(2)]
        arrays, sent = [cupy.empty((most, features), dtype) for _ in range(2)], [cupy.cuda.Event() for _ in range(2)]
        for number, start in enumerate(range(0, len(table), most)):
            buffer, array, done = buffers[number % 2], arrays[number % 2], sent[number % 2]
            done.synchronize()
            part = table[start : start + most]
            in_parts(_copy, len(part), threads, buffer, part)
            array[: len(part)].set(buffer[: len(part)], stream=stream)
            done.record(stream)
            yield start, array[: len(part)]
        stream.synchronize()  # before the buffers are somebody else's


def _copy(into: npt.NDArray[Any], values: npt.NDArray[Any], start: int, end: int) -> None:
    into[start:end] = values[start:end]


class _CudaKernels:
    """Kernels that CuPy has compiled."""

    def __init__(self, module: Any):
        self._kernel = lru_cache(maxsize=None)(module.get_function)

    def ready(self, name: str, grid: Size, block: Size, *arguments: Any, shared: int = 0) -> Callable[[], None]:
        kernel = self._kernel(name)
        if shared > kernel.max_dynamic_shared_size_bytes:
            kernel.max_dynamic_shared_size_bytes = shared
        given = tuple(np.int64(value) if isinstance(value, (int, np.integer)) else value for value in arguments)
        return partial(kernel, grid, block, given, shared_mem=shared)

    def __call__(self, name: str, grid: Size, block: Size, *arguments: Any, shared: int = 0) -> None:
        self.ready(name, grid, block, *arguments, shared=shared)()


@lru_cache(maxsize=16)
def _compiled(source: str, types: tuple[tuple[str, str], ...], device: int) -> Kernels:
    """Compiled once a device; CuPy keeps the result on disk, too. Products are not fused: floats must match numpy's."""
    cupy = require("cupy", "gpu", _WHY)
    options = ("--std=c++17", "--fmad=false", *(f"-D{name}={value}" for name, value in types))
    return _CudaKernels(cupy.RawModule(code=source_of(source), options=options))
