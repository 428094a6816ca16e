"""Small tables inside the package: gzipped CSV, with provenance and checksum."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np

from .._typing import Floats, Ints

_TABLES = files(__package__) / "tables"


@dataclass(frozen=True)
class Table:
    """Rows, labels in {-1, +1}, column names, and where they are from."""

    name: str
    X: Floats
    y: Ints
    features: tuple[str, ...]
    provenance: dict[str, Any]


def available() -> list[str]:
    """The names that :func:`load` knows."""
    return sorted(_provenance())


def load(name: str) -> Table:
    """Load a bundled table.

    >>> table = load("spambase")
    >>> table.X.shape, int((table.y == 1).sum())
    ((4601, 57), 1813)
    """
    known = _provenance()
    if name not in known:
        raise ValueError(f"name must be one of {', '.join(sorted(known))}. Got {name!r}.")
    facts = known[name]
    raw = (_TABLES / facts["file"]).read_bytes()
    if hashlib.sha256(raw).hexdigest() != facts["sha256"]:
        raise OSError(f"The bundled file {facts['file']} is damaged: its checksum differs. Install agnoboost again.")
    header, *rows = csv.reader(io.TextIOWrapper(gzip.GzipFile(fileobj=io.BytesIO(raw)), newline=""))
    values = np.array(rows, dtype=np.float64)
    target = header.index(facts["target"])
    y = np.where(values[:, target] == facts["positive"], 1, -1)
    features = tuple(column for column in header if column != facts["target"])
    return Table(name, np.delete(values, target, axis=1), y, features, facts)


def _provenance() -> dict[str, dict[str, Any]]:
    return dict(json.loads((_TABLES / "PROVENANCE.json").read_text()))
