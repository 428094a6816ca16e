"""The bytes of a file, unpacked if they are packed."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path

from ...basics.places import STANDARD, read_bytes
from .findings import Findings, TableFileError, listed

PACKED: dict[bytes, Callable[[bytes], bytes]] = {
    b"\x1f\x8b": gzip.decompress,
    b"BZh": bz2.decompress,
    b"\xfd7zXZ\x00": lzma.decompress,
}
ZIP = b"PK\x03\x04"
WORKBOOK = "xl/workbook.xml"


def unpacked_bytes(path: Path, findings: Findings) -> tuple[bytes, bool]:
    """The bytes of a table, and whether they are an Excel workbook; ``-`` is the standard input."""
    data = _bytes(path, findings)
    for mark, unpack in PACKED.items():
        if data.startswith(mark):
            try:
                data = unpack(data)
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
        if WORKBOOK in names:
            return data, True
        if len(names) == 1:
            return archive.read(names[0]), False
    except Exception as error:  # damage shows in many ways
        raise findings.damaged("a zip archive", error) from None
    raise findings.fail(f"must hold one file, being an archive. It holds {len(names)}: {listed(names)}. Unpack it.")
