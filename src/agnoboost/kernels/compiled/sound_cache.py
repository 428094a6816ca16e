"""Compiled kernels on disk are a convenience: whatever is wrong with them, kernels are compiled anew.

numba raises where a file was cut short by a failing disk, where there is no room to keep what it has compiled, and
where no folder at all may be written to. And it takes a kernel for fresh as long as its own file is the same, though
kernels of other files are compiled into it: here all files of kernels have to be the same.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba import njit
from numba.core.caching import FunctionCache, IndexDataCacheFile

Kernel = Callable[[Callable[..., Any]], Callable[..., Any]]


KERNELS = Path(__file__).parents[1]
SWALLOWED = "no compiled object yet"
"""LLVM hands what it has compiled to a callback, from which no exception comes through: a Ctrl-C in it is gone, and so
is what was compiled. This is what numba says then."""


@cache
def stamp_of_all_kernels(folder: Path = KERNELS) -> str:
    """Changes with any of their files."""
    files = sorted(folder.rglob("*.py"))
    return sha256(b"\0".join(part for file in files for part in (file.name.encode(), file.read_bytes()))).hexdigest()


class SoundCache(FunctionCache):
    """numba's cache of a function, which finds nothing where it would raise or where any kernel has changed."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        own = self._impl.locator.get_source_stamp()
        self._cache_file = IndexDataCacheFile(self._cache_path, self._impl.filename_base, (own, stamp_of_all_kernels()))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # of whatever kind damaged files lead to
            with suppress(Exception):
                self.flush()  # so that the kernel can be kept in the place of the damaged one
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError:  # a full disk, or a folder that was closed or removed: it works without
            pass
        except RuntimeError as error:
            if SWALLOWED not in str(error):
                raise
            raise KeyboardInterrupt from error


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
