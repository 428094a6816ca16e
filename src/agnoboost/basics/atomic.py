"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from .places import Place, place_of


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


def drop_leftovers(path: str | os.PathLike[str]) -> None:
    """Remove parts of ``path`` that a killed process has left."""
    target = place_of(path).path
    for rest in target.parent.glob(f".{target.name}.*.part"):
        rest.unlink()


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
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _keep_permissions(target, temporary)
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _keep_permissions(target: Path, temporary: str) -> None:
    """Owner (where we may) and mode of the file that is replaced; of a new file what the user's mask says."""
    if not target.exists():
        os.chmod(temporary, 0o666 & ~_umask())
        return
    old = target.stat()
    if hasattr(os, "chown"):
        with suppress(PermissionError):
            os.chown(temporary, old.st_uid, old.st_gid)
    os.chmod(temporary, old.st_mode & 0o777)


def _umask() -> int:
    """The permissions that new files do not get; the only way to ask is to set it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
