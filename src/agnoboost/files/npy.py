"""Arrays as .npy members: plain numbers only, and never more than the member holds.

numpy's own reader evaluates the header as Python and believes the shape that it declares. This one takes the header
that numpy writes for plain numbers, and nothing else.
"""

from __future__ import annotations

import io
import re
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.fact_schema import SchemaError

MAGIC = b"\x93NUMPY\x01\x00"
MOST_DIMENSIONS = 4
ALIGNED = 16  # numpy fills headers up to a multiple of it: the numbers after them are aligned, too
_HEADER = re.compile(
    rb"\{'descr': '([<>|](?:b1|[iu][1248]|f[48]))', 'fortran_order': (True|False), "
    rb"'shape': \(((?:[0-9]{1,18}, ?)*(?:[0-9]{1,18})?)\), \} *\n"
)


_START = len(MAGIC) + 2  # of the header, after its length


def _header(content: memoryview) -> tuple[bytes, int]:
    """The header, and where it ends."""
    end = _START + int.from_bytes(content[len(MAGIC) : _START], "little")
    return bytes(content[_START:end]), end


def to_npy(array: npt.NDArray[Any]) -> bytes:
    """The array as numpy writes it; what could not be read again is refused."""
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    content = buffer.getvalue()
    if _HEADER.fullmatch(_header(memoryview(content))[0]) is None:
        raise ValueError(f"A file holds arrays of plain numbers. Got one of {array.dtype}. Convert it before.")
    return content


def from_npy(content: npt.NDArray[np.uint8], name: str) -> npt.NDArray[Any]:
    """What :func:`to_npy` wrote, in the byte order of this machine and in the place of ``content``."""
    start = content.data
    text, end = _header(start)
    header = _HEADER.fullmatch(text)
    if bytes(start[: len(MAGIC)]) != MAGIC or header is None or end % ALIGNED:
        raise SchemaError(f"{name} must be an array of plain numbers, as numpy.save writes it")
    dtype, turned, shape = (
        np.dtype(header[1].decode()),
        header[2] == b"True",
        [int(n) for n in header[3].split(b",") if n.strip()],
    )
    if len(shape) > MOST_DIMENSIONS or prod(shape) * dtype.itemsize != len(content) - end:
        raise SchemaError(f"{name} must hold as many numbers as it declares, in {MOST_DIMENSIONS} dimensions at most")
    flat = content[end:].view(dtype)
    if not dtype.isnative:
        flat = flat.byteswap(inplace=True).view(dtype.newbyteorder("="))
    if dtype.kind == "b" and content[end:].max(initial=0) > 1:
        raise SchemaError(f"{name} must hold true and false as 1 and 0")
    return flat.reshape(shape[::-1]).T if turned else flat.reshape(shape)
