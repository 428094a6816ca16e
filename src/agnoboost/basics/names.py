"""Arrays by name, of parts within parts, as files hold them."""

from __future__ import annotations

from .typing import Arrays


def prefixed(prefix: str, arrays: Arrays) -> Arrays:
    """The arrays of one part among those of others."""
    return {prefix + name: array for name, array in arrays.items()}


def under(arrays: Arrays, prefix: str) -> Arrays:
    """The arrays of one part, without its prefix."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
