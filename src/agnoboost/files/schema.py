"""The schema of a kind of file: all that its ``model.json`` and its arrays may hold, and the sizes that they share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..basics.array_schema import ArrayGroup
from ..basics.fact_schema import Record, Sizes, Text, Whole
from ..basics.typing import Arrays
from .container import Facts

# What every file says of itself. That the kind is known is found out before its schema is looked up.
HEAD = Record(
    {"kind": Text(100), "agnoboost": Text(100), "layout": Whole(1, 1000)},
    meaning={"kind": "the class of the model", "agnoboost": "the version that wrote it", "layout": "of the kind"},
)


@dataclass(frozen=True)
class FileSchema:
    """``facts`` are checked first, then ``sizes`` adds what follows from them, then ``arrays`` are checked.

    ``sizes`` may check arrays of its own; it gives back those that are left. ``fits`` refuses, with a ValueError, what
    does not fit together although every part is as it should be.
    """

    facts: Record
    arrays: ArrayGroup
    sizes: Callable[[Facts, Arrays, Sizes], Arrays] | None = None
    fits: Callable[[Facts, Arrays, Sizes], None] | None = None

    def check(self, facts: Facts, arrays: Arrays) -> None:
        """Raise a ValueError for anything that such a file may not hold."""
        sizes: Sizes = {}
        (HEAD | self.facts).check(facts, "", sizes)
        left = arrays if self.sizes is None else self.sizes(facts, arrays, sizes)
        self.arrays.check(left, "", sizes)
        if self.fits is not None:
            self.fits(facts, arrays, sizes)
