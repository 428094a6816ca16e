"""Classes in files: different values, which an array of their type holds as they are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.fact_schema import FactSchema, ListOf, PlainValue, Record, SchemaError, Sizes, Text

MOST_BYTES = 2**24  # of the array
_TYPE = re.compile(r"object|[<>|](?:b1|[iu][1248]|f[248]|U[1-9][0-9]{0,6})")
_RECORD = Record({"dtype": Text(20), "values": ListOf(PlainValue(gap=False), "classes", least=2, distinct=True)})


@dataclass(frozen=True)
class Classes(FactSchema):
    """The type of the array of classes, and their values."""

    words = f"{_RECORD.words}, as an array of that type holds them"

    def check(self, value: Any, where: str, sizes: Sizes) -> None:
        _RECORD.check(value, where, sizes)
        kind, values = value["dtype"], value["values"]
        if _TYPE.fullmatch(kind) is None or np.dtype(kind).itemsize * len(values) > MOST_BYTES:
            raise SchemaError(f"{where}.dtype must be that of numbers or texts, or 'object', not {kind!r}")
        if len({isinstance(one, str) for one in values}) > 1:
            raise SchemaError(f"{where}.values must be texts, or all of them something else: they are put in order")
        found = as_classes(value).tolist()
        if found != values or [isinstance(one, str) for one in found] != [isinstance(one, str) for one in values]:
            raise SchemaError(f"{where}.values must be as an array of the type {kind!r} holds them")


def as_classes(facts: dict[str, Any]) -> npt.NDArray[Any]:
    """The array of classes."""
    return np.array(facts["values"], dtype=np.dtype(facts["dtype"]))
