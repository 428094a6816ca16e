"""Kernels compiled by numba, one module a stage. Importing any of them imports numba."""

from __future__ import annotations

from .first_time import listen
from .sound_cache import kept_on_disk

listen()

# Compiled once, kept on disk; other Python threads run meanwhile. Floating-point arithmetic stays as written, so
# that results equal those of the numpy twins to the bit.
kernel = kept_on_disk(nogil=True)

# The same for loops that divide: nobody asks whether a denominator is 0, so that they run several numbers at a time.
dividing_kernel = kept_on_disk(nogil=True, error_model="numpy")
