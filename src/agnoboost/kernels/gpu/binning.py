"""Values to bins on a GPU: twin of :meth:`agnoboost.kernels.cells.Layout.encode`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...basics.device_arrays import on_device
from ...basics.typing import Matrix
from ..cells import Layout
from .device import Device, DeviceArray

FEATURES = 16  # whose cuts a block has at hand
_THREADS = 512

# How binning.cu calls the types that are read as they are. All others are read as float64.
_NAMES = {
    "float64": "double",
    "float32": "float",
    "int64": "i64",
    "int32": "i32",
    "int16": "i16",
    "int8": "i8",
    "uint64": "u64",
    "uint32": "u32",
    "uint16": "u16",
    "uint8": "u8",
}


def stride_of(features: int) -> int:
    """Bytes from one row of bins to the next: whole words of four."""
    return -(-features // 4) * 4


def encode(device: Device, layout: Layout, tables: Sequence[Matrix], threads: int = 1) -> DeviceArray:
    """The bins of all rows on the device, uint8 (rows, stride), from tables of the host or of the device itself."""
    bins = layout.bins
    shared = [
        device.array(bins.padded_cuts),
        device.array(bins.is_categorical.astype(np.uint8)),
        device.array((np.diff(layout.start) - 1).astype(np.uint8)),
    ]
    codes = device.zeros((sum(map(len, tables)), stride_of(len(bins))), np.uint8)
    end = 0
    for table in tables:
        begin, end = end, end + len(table)
        if not on_device(table):
            dtype = table.dtype.newbyteorder("=") if table.dtype.name in _NAMES else np.dtype(np.float64)
            for start, rows in device.chunks(table, dtype, threads):
                _encode(device, rows, shared, codes[begin + start : begin + start + len(rows)])
        else:
            rows = table if table.dtype.name in _NAMES else table.astype(np.float64)
            _encode(device, rows, shared, codes[begin:end])
    return codes


def _encode(device: Device, rows: DeviceArray, shared: list[DeviceArray], codes: DeviceArray) -> None:
    """Rows that are on the device, in any order of rows and columns."""
    count, features = rows.shape
    together = min(FEATURES, features)
    height = _THREADS // together
    blocks = min(-(-count // height), 8 * device.processors)
    steps = [step // rows.dtype.itemsize for step in rows.strides]
    device.kernels("binning.cu", VALUE=_NAMES[rows.dtype.name])(
        "encode",
        (blocks, -(-features // together)),
        (together, height),
        *(count, features, rows, *steps),
        *(*shared, together, codes.shape[1], codes),
        shared=together * 255 * 8,
    )
