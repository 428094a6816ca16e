"""Tables that come through a pipe: they are kept in a file while they are read, for a reader may look twice."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

from ..basics.places import STANDARD, read_bytes

Reader = TypeVar("Reader", bound=Callable[..., Any])

SUFFIXES = {b"PAR1": ".parquet", b"\x1f\x8b": ".csv.gz"}  # by how the content begins; else the name decides


def from_any_place(reader: Reader) -> Reader:
    """Let a reader of files, by its first argument, also read standard input (``-``), pipes and devices."""

    @functools.wraps(reader)
    def wrapped(path: Path, *args: Any, **kwargs: Any) -> Any:
        if path != STANDARD and (path.is_file() or path.is_dir() or not path.exists()):
            return reader(path, *args, **kwargs)
        name = "standard input" if path == STANDARD else str(path)
        content = read_bytes(path)
        found = [suffix for start, suffix in SUFFIXES.items() if content.startswith(start)]
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder, "table" + (found or [path.suffix])[0])
            copy.write_bytes(content)
            try:
                return reader(copy, *args, **kwargs)
            except ValueError as error:
                raise type(error)(str(error).replace(str(copy), name)) from None

    return cast(Reader, wrapped)
