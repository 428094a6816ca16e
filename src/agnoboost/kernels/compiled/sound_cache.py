"""Compiled kernels on disk are a convenience: whatever is wrong with them, kernels are compiled anew.

numba raises where a file was cut short by a failing disk, where there is no room to keep what it has compiled, and
where no folder at all may be written to.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from numba import njit
from numba.core.caching import FunctionCache

Kernel = Callable[[Callable[..., Any]], Callable[..., Any]]


class SoundCache(FunctionCache):
    """numba's cache of a function, which finds nothing where it would raise."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # of whatever kind damaged files lead to
            with suppress(Exception):
                self.flush()  # so that the kernel can be kept in the place of the damaged one
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(OSError):  # a full disk, or a folder that was closed or removed: it works without
            super().save_overload(sig, data)


def kept_on_disk(**settings: Any) -> Kernel:
    """A decorator like numba's ``njit(cache=True)``."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        try:
            made: Any = njit(cache=True, **settings)(function)
        except RuntimeError:  # nowhere to keep it
            return njit(**settings)(function)  # type: ignore[no-any-return]
        if isinstance(getattr(made, "_cache", None), FunctionCache):  # not if kernels stay plain Python
            made._cache = SoundCache(function)
        return made  # type: ignore[no-any-return]

    return decorate
