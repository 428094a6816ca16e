"""How much room the arrays of a file take in memory: numbers at their full width, and what becomes of them as objects.

Arrays of nothing but zeros pack to nearly nothing, steps and hypotheses become objects far larger than their share of a
file. So this room is bounded by the size of the packed file (:mod:`.archive`).
"""

from __future__ import annotations

from math import prod

from ..basics.typing import Arrays

WIDEST = 8  # bytes of a number: files may hold shorter ones, which become so wide when they are used

# Bytes of the objects that are made for each entry of an array, by how its name ends.
OBJECTS = {
    "/which": 96,  # a step
    "/number": 128,  # a hypothesis
    "/set_ends": 96,  # a tree of numbers
    "/tree/below": 96,  # a node of a tree of signs
    "/subset": 48,  # entries of tuples
    "/plus": 24,
    "/minus": 24,
    "/members": 24,
    "/weights": 40,
}


def room_of(arrays: Arrays) -> int:
    """Bytes that these arrays take, with the objects that are made of them."""
    total = 0
    for name, array in arrays.items():
        entries = prod(max(length, 1) for length in array.shape)  # even of none: there may be names for a billion rows
        total += entries * (1 if array.dtype.kind == "b" else WIDEST)
        total += entries * next((each for end, each in OBJECTS.items() if f"/{name}".endswith(end)), 0)
    return total
