"""Arrays into arrays, number by number.

numpy's way, ``into[:] = values``, says in words which shapes do not fit: numba compiles code for texts with it, which
takes seconds.
"""

from __future__ import annotations

from . import kernel


@kernel
def put(values, into, first):
    """Write all values, from place ``first`` on."""
    part = into[first:]  # places from 0 on: nobody asks whether one is negative, so several are written at a time
    for place in range(values.size):
        part[place] = values[place]


@kernel
def subtract(values, from_sums):
    """Take all values away."""
    for place in range(values.size):
        from_sums[place] -= values[place]
