"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from .places import Place, place_of

LONGEST = 200  # bytes of a name that its parts begin with: most systems take 255 in all
LEFT_ALONE = 3600.0  # seconds without a write, after which nobody is writing a part any more


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write to, which takes the place of ``path`` at the end, and is dropped if anything fails before.

    Links are followed, and permissions kept. What is not a regular file is not replaced: it is written to, at the end.
    ``-`` is standard output.
    """
    place = place_of(path)
    place.check()
    with _renamed(place) if place.is_replaced else _written_through(place) as file:
        yield file


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text, whole or not at all."""
    with replacing(path) as file:
        file.write(text.encode())


def try_out(path: str | os.PathLike[str], size: int = 2**16) -> None:
    """Raise OSError if a file of ``size`` bytes cannot be written here. Nothing is left, and what is there stays."""
    place = place_of(path)
    place.check()
    if place.is_replaced:
        with suppress(_TriedOut), _renamed(place) as file:
            file.write(bytes(size))
            file.flush()
            os.fsync(file.fileno())  # some disks tell only now that they are full
            raise _TriedOut


class _TriedOut(Exception):
    """Nothing failed, and nothing is to be kept."""


def drop_leftovers(path: str | os.PathLike[str]) -> None:
    """Remove parts of ``path`` that a killed process has left; young ones may be those of a process at work."""
    target = place_of(path).path
    own = re.compile(re.escape(_start(target)) + r"[a-z0-9_]{8}\.part")
    for rest in target.parent.glob(".*.part"):
        if own.fullmatch(rest.name):
            with suppress(FileNotFoundError):  # another process sweeps, too
                if time.time() - rest.stat().st_mtime > LEFT_ALONE:
                    rest.unlink()


def _start(target: Path) -> str:
    """What the names of parts begin with."""
    return f".{os.fsencode(target.name)[:LONGEST].decode(errors='ignore')}."


@contextmanager
def _written_through(place: Place) -> Iterator[BinaryIO]:
    with tempfile.TemporaryFile() as file:  # whoever writes may want to go back and forth, which a pipe cannot
        yield file
        file.seek(0)
        with place.stream() as stream:
            shutil.copyfileobj(file, stream)


@contextmanager
def _renamed(place: Place) -> Iterator[BinaryIO]:
    target = place.path
    part = target.parent / f"{_start(target)}{secrets.token_hex(4)}.part"
    mode = 0o600 if target.exists() else 0o666  # of which the system takes away what the user's mask says
    file = open(part, "xb", opener=lambda name, flags: os.open(name, flags, mode))  # noqa: SIM115 (closed below)
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            _keep_permissions(target, part)
        os.replace(part, target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _keep_permissions(target: Path, part: Path) -> None:
    """Owner (where we may) and mode of the file that is replaced."""
    old = target.stat()
    if hasattr(os, "chown"):
        with suppress(PermissionError):
            os.chown(part, old.st_uid, old.st_gid)
    os.chmod(part, old.st_mode & 0o777)
