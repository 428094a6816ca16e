"""Rows in bins in a file, which is mapped into memory: tables that are larger than it.

The file has no name: it is gone when nobody needs it any more, however the process ends. Beside it a few bytes a row
are held in memory. Rows are read in their order, a whole pass at a time; after each pass the system is told that it may
have the memory back.
"""

from __future__ import annotations

import mmap
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...basics.typing import Ints
from ...kernels.cells import Codes, Layout
from ..stumps.counting import Counting
from ..stumps.keepers.base import Keeper
from ..stumps.keepers.parts import PartsKeeper
from .table import FarTable, Sides

_DEARER = 2  # how much dearer a pass is than one over rows in memory


class DiskTable(FarTable):
    """Rows in a nameless file in ``folder``: ``blocks`` gives their bins and the numbers of their classes, in order."""

    def __init__(self, layout: Layout, blocks: Iterable[tuple[Codes, Ints]], rows: int, folder: Path, threads: int):
        self.layout, self._threads = layout, threads
        features = len(layout.categorical)
        check_room(folder, rows * features)
        self._classes: npt.NDArray[np.int16] = np.empty(rows, dtype=np.int16)
        self._file = tempfile.TemporaryFile(dir=folder, prefix="agnoboost-")  # noqa: SIM115 (closed below)
        try:
            self._write(blocks)
        except BaseException:
            self._file.close()
            raise
        self._map = mmap.mmap(self._file.fileno(), rows * features, access=mmap.ACCESS_READ)
        self._codes = np.frombuffer(self._map, dtype=np.uint8).reshape(rows, features)

    def _write(self, blocks: Iterable[tuple[Codes, Ints]]) -> None:
        first = 0
        for codes, classes in blocks:
            self._file.write(np.ascontiguousarray(codes).data)
            self._classes[first : first + len(codes)] = classes
            first += len(codes)
        self._file.flush()

    def keeper(self, counting: Counting, sides: Sides) -> Keeper:
        from ..stumps.keepers.host import HostKeeper  # not before: it loads numba

        weights, labels = sides.weights(self._classes), sides.labels(self._classes)
        return DiskKeeper(HostKeeper(counting, self._codes, weights, labels, self._threads), self._map)

    def close(self) -> None:
        self._codes = np.empty((0, 0), dtype=np.uint8)
        self._file.close()


class DiskKeeper(PartsKeeper):
    """A keeper of mapped rows, which lets go of them after each question."""

    def __init__(self, keeper: Keeper, mapped: mmap.mmap):
        super().__init__(keeper.counting, [keeper.rows], keeper.lanes, _DEARER * keeper.pass_cost, keeper.joint_cost)
        self._keeper, self._map = keeper, mapped

    def _ask(self, question: str, *arguments: Any) -> list[Any]:
        answer = getattr(self._keeper, question)(*arguments)
        if hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED)
        return [answer]


def check_room(folder: Path, needed: int) -> None:
    """Refuse, before any work, a disk on which the bins have no room."""
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise OSError(
            f"The bins of all rows need {needed:,} bytes on a disk. {folder} has {free:,} left. Choose another folder, "
            "or make room."
        )
