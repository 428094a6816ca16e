"""One line to say that kernels are being compiled, which takes a while, once on a machine."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from numba.core.event import Listener, register

WORTH_A_WORD = 1.0  # seconds of compiling; a kernel for one more type of argument takes less
NOTE = "agnoboost: compiling kernels for the first time: some twenty seconds, kept for later"


class FirstTime(Listener):
    """Listens to numba, which speaks only when it really compiles, not when it finds a kernel on disk."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._inside = 0  # kernels call kernels, which are compiled on the way
        self._began = self._seconds = 0.0
        self._said = False

    def on_start(self, event: Any) -> None:
        if not _is_ours(event):
            return
        now = self._clock()
        if self._inside == 0:
            self._began = now
        self._inside += 1
        if not self._said and self._seconds + now - self._began > WORTH_A_WORD:
            self._said = True
            print(NOTE, file=sys.stderr, flush=True)

    def on_end(self, event: Any) -> None:
        if not _is_ours(event):
            return
        self._inside -= 1
        if self._inside == 0:
            self._seconds += self._clock() - self._began


def _is_ours(event: Any) -> bool:
    return bool(event.data["dispatcher"].__module__.startswith("agnoboost."))


def listen() -> None:
    register("numba:compile", FirstTime())
