"""Dask collections as parts that a worker can hold, and what is learned of them without moving their rows."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from ..basics.errors import RowsLostError
from ..basics.extras import require
from ..basics.typing import Floats, Ints
from ..labels.reading import check_come_again, known_rows
from .dask_connection import gathered
from .objective import UNLABELED


def current_client(client: Any) -> Any:
    """The client that was given, or the current one."""
    import distributed

    try:
        return distributed.get_client() if client is None else client
    except ValueError:
        raise ValueError(
            "A dask client is needed. Got none. Start one, for example distributed.Client(LocalCluster()), or pass "
            "client= to fit."
        ) from None


def in_short(error: Exception) -> str:
    """An error in one line."""
    first_line = (str(error).splitlines() or [""])[0][:200]
    return first_line if isinstance(error, RowsLostError) else f"{type(error).__name__}: {first_line}"


def stopped(error: Exception, checkpoint: Any, again: str) -> RuntimeError:
    """The error for a run that a cluster did not end, which says what is left of it."""
    saved = checkpoint is not None and Path(checkpoint).exists()
    kept = f"What was done is in {checkpoint}" if saved else "Nothing had been saved"
    return RuntimeError(
        f"Distributed training stopped: a worker was lost, or failed ({in_short(error)}). No model was made. {kept}; "
        f"{again}."
    )


def require_dask() -> Any:
    """dask, or an error that says how to get it."""
    for part in ("dask.array", "dask.dataframe", "distributed"):
        require(part, "dask", "dask is needed here")
    return require("dask", "dask")


@dataclass(frozen=True)
class Partitions:
    """A table and its labels as lists of delayed numpy parts, all numbers."""

    X: list[Any]
    y: list[Any]
    columns: int
    names: list[str]


def partitions(X: Any, y: Any) -> Partitions:
    """The parts of dask collections, after checking that they fit together."""
    dask = require_dask()
    frames = (dask.dataframe.DataFrame, dask.dataframe.Series)
    for name, value in (("X", X), ("y", y)):
        if not isinstance(value, (*frames, dask.array.Array)):
            raise TypeError(
                f"{name} must be a dask DataFrame, Series or array. Got {type(value).__name__}. For tables in memory "
                "use the class of this name without Dask."
            )
    for name, value, axes in (("X", X, 2), ("y", y, 1)):
        if value.ndim != axes:
            raise ValueError(f"{name} must have {axes} {'axes' if axes > 1 else 'axis'}. Got {value.ndim}.")
    names = _check_columns(X, frames)
    kind = np.dtype(y.dtype).kind if isinstance(y.dtype, np.dtype) else "O"
    if kind not in "biuf":
        raise TypeError(
            f"Labels on dask must be numbers, with NaN or -1 where there is none. Got dtype {y.dtype}. Number the "
            "classes first, for example y.map({'no': 0.0, 'yes': 1.0}, meta=('y', float)), or use astype(float)."
        )
    if isinstance(X, dask.array.Array) and X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    rows, labels = (_parts(value) for value in (X, y))
    if len(rows) != len(labels):
        raise ValueError(
            f"X and y must be cut into the same partitions. Got {len(rows)} and {len(labels)}. Take both from one "
            "frame, or rechunk y like X."
        )
    return Partitions(rows, labels, X.shape[1], names)


def _parts(value: Any) -> list[Any]:
    found = value.to_delayed()
    return list(found) if isinstance(found, list) else list(found.ravel())


def _check_columns(X: Any, frames: tuple[Any, ...]) -> list[str]:
    if not isinstance(X, frames):
        return []
    if texts := [name for name, kind in X.dtypes.items() if not isinstance(kind, np.dtype) or kind.kind not in "biuf"]:
        raise TypeError(
            f"Columns on dask must be numbers. Got {X.dtypes[texts[0]]} for {texts[0]!r}. Encode such columns "
            "first, for example by their category codes."
        )
    return [str(name) for name in X.columns]


@dataclass(frozen=True)
class Glimpse:
    """What one partition tells: its size, the labels in it, and a fingerprint if it is asked for."""

    rows: int
    lengths_agree: bool
    values: Floats
    counts: Floats
    fingerprint: str


def glimpse(X: Any, y: Any, fingerprint: bool) -> Glimpse:
    labels = np.asarray(y, dtype=np.float64)
    if np.isinf(labels).any():
        raise ValueError("y must hold class labels. Got infinity. Use NaN for unlabeled rows.")
    values, counts = np.unique(labels[~np.isnan(labels)], return_counts=True)
    digest = blake2b(digest_size=16)
    if fingerprint:
        for part in (np.asarray(X, dtype=np.float64), labels):
            digest.update(np.ascontiguousarray(part).data)
    return Glimpse(len(X), len(X) == len(labels), values, counts.astype(np.float64), digest.hexdigest())


@dataclass(frozen=True)
class LabelCounts:
    """What all partitions tell: the classes, how many labeled and unlabeled rows each has, and a fingerprint."""

    classes: Any
    labeled: Ints
    unlabeled: Ints
    fingerprint: str


def count_labels(client: Any, parts: Partitions, missing_label: Any, boolean: bool, fingerprint: bool) -> LabelCounts:
    """One pass over the labels; over all rows if there is to be a ``fingerprint``."""
    dask = require_dask()
    tasks = [dask.delayed(glimpse)(X, y, fingerprint) for X, y in zip(parts.X, parts.y, strict=True)]
    seen: list[Glimpse] = gathered(client, tasks)
    if wrong := [number for number, part in enumerate(seen) if not part.lengths_agree]:
        raise ValueError(
            f"Partitions of X and y must have the same rows. Those of partition {wrong[0]} differ. Take both from "
            "one frame, and repartition before you take them apart."
        )
    values = np.unique(np.concatenate([part.values for part in seen]))
    classes = values[known_rows(values, missing_label)]
    labeled = np.array([part.counts[np.isin(part.values, classes)].sum() for part in seen]).astype(np.int64)
    unlabeled = np.array([part.rows for part in seen]) - labeled
    if len(classes) < 2:
        raise ValueError(
            f"y must have labeled rows of at least 2 classes. Got {len(classes)}, in {labeled.sum()} labeled and "
            f"{unlabeled.sum()} unlabeled rows."
        )
    known = [np.isin(part.values, classes) for part in seen]
    place = np.searchsorted(classes, np.concatenate([part.values[own] for part, own in zip(seen, known, strict=True)]))
    rows = np.concatenate([part.counts[own] for part, own in zip(seen, known, strict=True)])
    check_come_again(np.bincount(place, rows))
    whole = (classes == np.floor(classes)).all()
    classes = classes.astype(bool if boolean else np.int64) if whole else classes
    return LabelCounts(classes, labeled, unlabeled, ",".join(part.fingerprint for part in seen))


def codes_of(y: Any, classes: Floats) -> Any:
    """Numbers of classes, and -1 for all else."""
    labels = np.asarray(y, dtype=np.float64)
    found = np.full(len(labels), UNLABELED)
    for code, value in enumerate(classes):
        found[labels == value] = code
    return found


def some_rows(X: Any, y: Any, classes: Floats, labeled: float, unlabeled: float, seed: int) -> tuple[Any, ...]:
    """A share of the labeled and of the unlabeled rows of a partition, drawn at random."""
    rng = np.random.default_rng(seed)
    codes, table = codes_of(y, classes), np.asarray(X, dtype=np.float64)
    draw = rng.random(len(codes))
    known, others = (codes >= 0) & (draw < labeled), (codes < 0) & (draw < unlabeled)
    return table[known], codes[known], table[others]


def backend_labels(y: Any, classes: Floats, problem: int | None) -> Floats:
    """1, 0 and -1 (none), for class ``problem`` against the rest; the second class against the first if None."""
    codes = codes_of(y, classes)
    wanted = 1 if problem is None else problem
    return np.where(codes < 0, float(UNLABELED), (codes == wanted).astype(np.float64))


def as_array(part: Any, columns: int | None, dtype: Any = np.float64) -> Any:
    """A delayed part as a dask array of unknown length."""
    dask = require_dask()
    shape = (np.nan,) if columns is None else (np.nan, columns)
    return dask.array.from_delayed(dask.delayed(np.asarray)(part, dtype=dtype), shape, dtype)
