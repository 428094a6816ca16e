"""The bytes of a file, unpacked if they are packed.

A few bytes can be packed so that they fill all memory. So there is a limit, and it holds while unpacking: what a file
says of its own size may be wrong.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from ...basics.places import STANDARD, read_bytes
from .findings import Findings, TableFileError, listed

PACKED: dict[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
}
ZIP = b"PK\x03\x04"
WORKBOOK = "xl/workbook.xml"
MOST = 4_000_000_000  # bytes that are unpacked
PLENTY = 100_000_000  # bytes; from here on
MOST_TIMES = 200  # as many as the packed ones: tables are packed to a half or to a tenth
CHUNK = 1 << 20


def unpacked_bytes(path: Path, findings: Findings) -> tuple[bytes, bool]:
    """The bytes of a table, and whether they are an Excel workbook; ``-`` is the standard input."""
    data = _bytes(path, findings)
    for mark, unpack in PACKED.items():
        if data.startswith(mark):
            try:
                with unpack(io.BytesIO(data)) as stream:
                    data = _Unpacked(len(data), findings).all_of(stream)
            except TableFileError:
                raise
            except Exception as error:  # each of them has kinds of its own
                raise findings.damaged("a packed file", error) from None
            break
    return _member(data, findings) if data.startswith(ZIP) else (data, False)


def _bytes(path: Path, findings: Findings) -> bytes:
    if path != STANDARD and not path.exists():
        raise TableFileError(f"There is no file {path}. Check the name and the folder.")
    if path.is_dir():
        raise findings.fail("is a folder. Name a file with a table in it.")
    try:
        return read_bytes(path)
    except OSError as error:
        raise findings.fail(f"cannot be opened: {error.strerror}. Check who may read it.") from None


def _member(data: bytes, findings: Findings) -> tuple[bytes, bool]:
    """The one file in an archive, or all of it if it is a workbook."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        names = [name for name in archive.namelist() if not name.endswith("/") and not name.startswith("__MACOSX")]
        unpacked = _Unpacked(len(data), findings)
        if WORKBOOK in names:
            for each in archive.infolist():  # its reader has no limit of its own
                with archive.open(each) as stream:
                    unpacked.count(stream)
            return data, True
        if len(names) == 1:
            with archive.open(names[0]) as stream:
                return unpacked.all_of(stream), False
    except TableFileError:
        raise
    except Exception as error:  # damage shows in many ways
        raise findings.damaged("a zip archive", error) from None
    raise findings.fail(f"must hold one file, being an archive. It holds {len(names)}: {listed(names)}. Unpack it.")


class _Unpacked:
    """What comes out of one packed file, chunk by chunk; too much is refused."""

    def __init__(self, packed: int, findings: Findings):
        self._most = min(MOST, max(PLENTY, MOST_TIMES * packed))
        self._packed, self._findings = packed, findings
        self._size = 0

    def count(self, stream: IO[bytes], keep: Callable[[bytes], Any] = len) -> None:
        """All of a stream, given to ``keep``."""
        while chunk := stream.read(CHUNK):
            self._size += len(chunk)
            if self._size > self._most:
                raise self._findings.fail(
                    f"is {self._packed:,} bytes that unpack to more than {self._most:,}. A packed table may have "
                    f"{MOST_TIMES} times its packed size (or {PLENTY:,} bytes), and {MOST:,} bytes at most. "
                    "If it is what you expect, unpack it yourself, and read the unpacked file."
                )
            keep(chunk)

    def all_of(self, stream: IO[bytes]) -> bytes:
        found = io.BytesIO()  # hands over its bytes without a copy
        self.count(stream, found.write)
        return found.getvalue()
