"""How many trees and steps a file of some size may hold: each becomes an object, far larger than its share of a file.

Arrays of nothing but zeros pack to nearly nothing. So their length is bounded by the size of the packed file.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..basics.fact_schema import SchemaError
from ..basics.typing import Arrays


@dataclass(frozen=True)
class ObjectLimit:
    """So many are ``free``, and one more for every so many ``bytes`` of the file."""

    what: str
    free: int
    bytes: int

    def most(self, size: int) -> int:
        return self.free + size // self.bytes


# By how the name of the array ends that has an entry for each of them. Honest files need more bytes than that.
LIMITS = {
    "/set_ends": ObjectLimit("trees", 50_000, 64),
    "/tree/below": ObjectLimit("nodes", 500_000, 4),
    "/which": ObjectLimit("steps", 250_000, 8),
}


def too_many(arrays: Arrays, size: int) -> str | None:
    """What there is too much of for a file of this size, if anything."""
    for end, limit in LIMITS.items():
        found = sum(array.size for name, array in arrays.items() if f"/{name}".endswith(end))
        if found > limit.most(size):
            return f"it has {found:,} {limit.what}; for its size {limit.most(size):,} are allowed"
    return None


def check_objects(arrays: Arrays, size: int) -> None:
    """Refuse what would become too many objects."""
    if (why := too_many(arrays, size)) is not None:
        raise SchemaError(why)
