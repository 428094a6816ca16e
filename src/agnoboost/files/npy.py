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
_HEADER = re.compile(
    rb"\{'descr': '([<>|](?:b1|[iu][1248]|f[48]))', 'fortran_order': (True|False), "
    rb"'shape': \(((?:[0-9]{1,18}, ?)*(?:[0-9]{1,18})?)\), \} *\n"
)


_START = len(MAGIC) + 2  # of the header, after its length


def _end(content: bytes) -> int:
    return _START + int.from_bytes(content[len(MAGIC) : _START], "little")


def to_npy(array: npt.NDArray[Any]) -> bytes:
    """The array as numpy writes it; what could not be read again is refused."""
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    content = buffer.getvalue()
    if _HEADER.fullmatch(content[_START : _end(content)]) is None:
        raise ValueError(f"A file holds arrays of plain numbers. Got one of {array.dtype}. Convert it before.")
    return content


def from_npy(content: bytes, name: str) -> npt.NDArray[Any]:
    """What :func:`to_npy` wrote, in the byte order of this machine."""
    end = _end(content)
    header = _HEADER.fullmatch(content[_START:end])
    if not content.startswith(MAGIC) or header is None:
        raise SchemaError(f"{name} must be an array of plain numbers, as numpy.save writes it")
    dtype, turned, shape = (
        np.dtype(header[1].decode()),
        header[2] == b"True",
        [int(n) for n in header[3].split(b",") if n.strip()],
    )
    if len(shape) > MOST_DIMENSIONS or prod(shape) * dtype.itemsize != len(content) - end:
        raise SchemaError(f"{name} must hold as many numbers as it declares, in {MOST_DIMENSIONS} dimensions at most")
    flat = np.frombuffer(content, dtype, offset=end).astype(dtype.newbyteorder("="))
    if dtype.kind == "b" and (flat.view(np.uint8) > 1).any():
        raise SchemaError(f"{name} must hold true and false as 1 and 0")
    return flat.reshape(shape[::-1]).T if turned else flat.reshape(shape)
