"""Arrays in the memory of a GPU, of CuPy or of anybody with the same interface (PyTorch, numba): read through CuPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .extras import require


def on_device(array: Any) -> bool:
    """Whether an array lies on a GPU."""
    return not isinstance(array, np.ndarray) and hasattr(array, "__cuda_array_interface__")


def as_cupy(array: Any) -> Any:
    """An array of CuPy: without a copy if it lies on the GPU already."""
    return require("cupy", "gpu", "Arrays on a GPU need CuPy").asarray(array)


def to_host(array: Any) -> npt.NDArray[Any]:
    """The array itself, or a copy of one that lies on a GPU."""
    found: npt.NDArray[Any] = as_cupy(array).get() if on_device(array) else array
    return found
