"""Arrays into arrays, number by number.

numpy's way, ``into[:] = values``, says in words which shapes do not fit: numba compiles code for texts with it, which
takes seconds.
"""

from __future__ import annotations

from . import kernel


@kernel
def put(values, into, first):
    """Write all values, from place ``first`` on."""
    for place in range(values.size):
        into[first + place] = values[place]


@kernel
def subtract(values, from_sums):
    """Take all values away."""
    for place in range(values.size):
        from_sums[place] -= values[place]
