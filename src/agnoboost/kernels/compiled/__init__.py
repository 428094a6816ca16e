"""Kernels compiled by numba, one module a stage. Importing any of them imports numba."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit

from .first_time import listen

listen()

# Compiled once, kept on disk; other Python threads run meanwhile. Floating-point arithmetic stays as written, so
# that results equal those of the numpy twins to the bit.
kernel: Callable[[Callable[..., Any]], Callable[..., Any]] = njit(nogil=True, cache=True)

# The same for loops that divide: nobody asks whether a denominator is 0, so that they run several numbers at a time.
dividing_kernel: Callable[[Callable[..., Any]], Callable[..., Any]] = njit(nogil=True, cache=True, error_model="numpy")
