"""Where a path leads, and whether something may be written there.

Only regular files are ever replaced. Links are followed, and stay. What is open already (``/dev/stdout``,
``/dev/fd/N``), pipes and terminals are written through. Folders, disks and sockets are refused.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

STANDARD = Path("-")  # standard input where something is read, standard output where something is written
MOST_LINKS = 40
NO_TERMINAL = getattr(os, "O_NOCTTY", 0)  # a terminal that is written to must not become ours


@dataclass(frozen=True)
class Place:
    """A path with its links followed (``given`` is as it was written), or a descriptor that is open already."""

    path: Path
    given: Path = field(compare=False)
    descriptor: int | None = None

    @property
    def is_regular(self) -> bool:
        """Whether a new file may take this place: there is a regular file, or nothing yet."""
        return self.descriptor is None and self.path != STANDARD and (self.path.is_file() or not self.path.exists())

    @property
    def is_replaced(self) -> bool:
        """Whether a new file takes this place at the end. Where the folder is closed, the old file is written to."""
        return self.is_regular and os.access(self.path.parent, os.W_OK)

    def check(self) -> None:
        """Raise OSError, with a sentence, if nothing can be written here."""
        if self.path == STANDARD:
            return
        if self.descriptor is not None:
            self._check_descriptor()
        elif not self.path.parent.is_dir():
            end = self.path if self.given.is_symlink() else self.given
            raise FileNotFoundError(
                f"There is no folder {end.parent} for {end.name}. Make it first, or choose another place."
            )
        elif self.path.exists():
            self._check_what_is_there()
        elif not os.access(self.path.parent, os.W_OK):
            raise PermissionError(f"Cannot write {self.given}: its folder may not be written to. Choose another place.")

    def _check_descriptor(self) -> None:
        assert self.descriptor is not None
        try:
            os.write(self.descriptor, b"")
        except OSError:
            raise OSError(f"Cannot write {self.given}: it is not open for writing. Choose another place.") from None

    def _check_what_is_there(self) -> None:
        mode = self.path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(f"Cannot write {self.given}: it is a folder. Name a file in it.")
        if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)):
            kind = "a disk" if stat.S_ISBLK(mode) else "neither a file nor a pipe"
            raise OSError(f"Cannot write {self.given}: it is {kind}. Choose another place.")
        if not os.access(self.path, os.W_OK):
            raise PermissionError(f"Cannot write {self.given}: it is protected. Choose another place.")

    @contextmanager
    def stream(self) -> Iterator[BinaryIO]:
        """Into what is there; nothing is made, and only a regular file is emptied first."""
        sys.stdout.flush()
        if self.path == STANDARD:
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
            return
        emptied = os.O_TRUNC if self.is_regular else 0
        if self.descriptor is None:
            handle = os.open(self.path, os.O_WRONLY | emptied | NO_TERMINAL)
        else:
            handle = os.dup(self.descriptor)  # opened anew, a file that is appended to would be overwritten
        with os.fdopen(handle, "wb") as stream:
            yield stream


def place_of(path: str | os.PathLike[str]) -> Place:
    """Where the path leads.

    >>> place_of("-").is_replaced, place_of("/dev/fd/1").descriptor
    (False, 1)
    """
    if Path(path) == STANDARD:
        return Place(STANDARD, STANDARD)
    at = Path(os.path.abspath(path))
    for _ in range(MOST_LINKS):
        at = Path(os.path.realpath(at.parent)) / at.name
        if (number := _descriptor(at)) is not None:
            return Place(at, Path(path), number)
        if not at.is_symlink():
            return Place(at, Path(path))
        at = at.parent / at.readlink()
    raise OSError(f"Cannot write {path}: it is a link that leads to itself. Remove it, or choose another place.")


def _descriptor(path: Path) -> int | None:
    """The number of a descriptor of this process."""
    opened = re.fullmatch(rf"(/proc/{os.getpid()}(/task/\d+)?|/dev)/fd/(\d+)", str(path))
    return int(opened.group(3)) if opened else None


def is_standard_output(path: Path) -> bool:
    """Whether what is written there is seen where messages are."""
    place = place_of(path)
    return place.path == STANDARD or place.descriptor == 1


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """All of a file, or of standard input (``-``)."""
    return sys.stdin.buffer.read() if Path(path) == STANDARD else Path(path).read_bytes()
