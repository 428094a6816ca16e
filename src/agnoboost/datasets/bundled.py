"""The paper's six tables, inside the package: gzipped CSV, with provenance and checksum."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.extras import require
from ..basics.typing import Floats, Ints

_TABLES = files(__package__) / "tables"


@dataclass(frozen=True)
class Table:
    """A table and where it is from.

    Attributes
    ----------
    name : str
        As for :func:`load`.
    X : array of shape (rows, features)
        Numbers; categories as whole numbers, missing values as NaN.
    y : array of shape (rows,)
        +1 for the positive class, -1 for the rest.
    labels : array of shape (rows,)
        The classes as they stand in the file.
    features : tuple of str
        Names of the columns.
    categories : dict
        For each categorical column (by number) its categories, in the order of their codes.
    provenance : dict
        Source, licence, meaning of the classes, and what to mind.
    """

    name: str
    X: Floats
    y: Ints
    labels: npt.NDArray[Any]
    features: tuple[str, ...]
    categories: dict[int, tuple[str, ...]] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)

    @property
    def frame(self) -> Any:
        """The columns as a pandas data frame, categories with their own type; needs the extra ``data``."""
        pd = require("pandas", "data", "A data frame needs pandas")
        columns = {}
        for number, name in enumerate(self.features):
            values = self.X[:, number]
            if number in self.categories:
                codes = np.where(np.isnan(values), -1, values).astype(int)
                columns[name] = pd.Categorical.from_codes(codes, categories=list(self.categories[number]))
            else:
                columns[name] = values
        return pd.DataFrame(columns)


def available() -> list[str]:
    """The names that :func:`load` knows.

    Returns
    -------
    list of str
        Sorted.
    """
    return sorted(_provenance())


def load(name: str) -> Table:
    """Load a bundled table.

    Parameters
    ----------
    name : str
        One of :func:`available`.

    Returns
    -------
    Table
        Rows, labels, names, and where they are from.

    Examples
    --------
    >>> table = load("german")
    >>> table.X.shape, len(table.categories), int((table.y == 1).sum())
    ((1000, 20), 13, 700)
    """
    known = _provenance()
    if name not in known:
        raise ValueError(f"name must be one of {', '.join(sorted(known))}. Got {name!r}.")
    facts = known[name]
    raw = (_TABLES / facts["file"]).read_bytes()
    if hashlib.sha256(raw).hexdigest() != facts["sha256"]:
        raise OSError(f"The bundled file {facts['file']} is damaged: its checksum differs. Install agnoboost again.")
    header, *rows = csv.reader(io.TextIOWrapper(gzip.GzipFile(fileobj=io.BytesIO(raw)), newline=""))
    return _build(name, header, rows, facts)


def _build(name: str, header: list[str], rows: list[list[str]], facts: dict[str, Any]) -> Table:
    target = header.index(facts["target"])
    labels = np.array([row[target] for row in rows])
    features = tuple(column for column in header if column != facts["target"])
    X = np.empty((len(rows), len(features)))
    categories: dict[int, tuple[str, ...]] = {}
    for number, column in enumerate(features):
        cells = [row[header.index(column)] for row in rows]
        try:
            X[:, number] = np.array(cells, dtype=np.float64)
        except ValueError:
            names = sorted(set(cells))
            categories[number] = tuple(names)
            X[:, number] = np.searchsorted(names, cells)
        if column in facts.get("zero_is_missing", ()):
            X[X[:, number] == 0, number] = np.nan
    y = np.where(labels == facts["positive"], 1, -1)
    return Table(name, X, y, labels.astype(int), features, categories, facts)


def _provenance() -> dict[str, dict[str, Any]]:
    return dict(json.loads((_TABLES / "PROVENANCE.json").read_text(encoding="utf-8")))
