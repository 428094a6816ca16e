"""A one-slot memory for values derived from an array that comes again, round after round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class LastArray(Generic[Value]):
    """Remember what was derived from the array(s) last seen, by identity.

    Full-batch boosting shows the very same matrix to the weak learner in each round; sorting or binning
    it anew each time would dominate. The memory never changes a result: another object, even an equal
    one, is worked out again. Copies start empty, so that a memory never travels with a saved object.
    """

    def __init__(self) -> None:
        self._last: tuple[tuple[object, ...], Value] | None = None

    def get(self, make: Callable[[], Value], *keys: object) -> Value:
        """Return the value made from ``keys``, calling ``make`` only if they differ from the last ones."""
        last = self._last  # read and written in one go each: safe from any number of threads
        if last is not None and len(last[0]) == len(keys) and all(a is b for a, b in zip(last[0], keys, strict=True)):
            return last[1]
        value = make()
        self._last = (keys, value)
        return value

    def __reduce__(self) -> tuple[type[LastArray[Value]], tuple[()]]:
        return (type(self), ())
