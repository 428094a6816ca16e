"""Kernels compiled by numba, one module a stage. Importing any of them imports numba."""

from __future__ import annotations

import numpy as np

from .first_time import listen
from .sound_cache import kept_on_disk

listen()

# Compiled once, kept on disk; other Python threads run meanwhile. Floating-point arithmetic stays as written, so
# that results equal those of the numpy twins to the bit.
kernel = kept_on_disk(nogil=True)

# The same for loops that divide: nobody asks whether a denominator is 0, so that they run several numbers at a time.
dividing_kernel = kept_on_disk(nogil=True, error_model="numpy")

# Numbers that one kernel hands to another. For a literal numba would compile the callee, and all that it calls, once
# more: a third of the time that the first fit on a machine takes.
ZERO, NONE, NO = np.int64(0), np.int64(-1), np.bool_(False)
