"""Arrays by name, of parts within parts, as files hold them."""

from __future__ import annotations

from collections import defaultdict

from .typing import Arrays


def prefixed(prefix: str, arrays: Arrays) -> Arrays:
    """The arrays of one part among those of others."""
    return {prefix + name: array for name, array in arrays.items()}


def parts(arrays: Arrays) -> defaultdict[str, Arrays]:
    """The arrays of all parts, by what is before the first slash; of a part that is not there there are none.

    >>> parts({"a/x": 1, "a/b/y": 2, "z": 3})["a"]
    {'x': 1, 'b/y': 2}
    """
    found: defaultdict[str, Arrays] = defaultdict(dict)
    for name, array in arrays.items():
        first, slash, rest = name.partition("/")
        if slash:
            found[first][rest] = array
    return found


def under(arrays: Arrays, prefix: str) -> Arrays:
    """The arrays of one part, without its prefix. It looks at all names: where there are many parts, use ``parts``."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
