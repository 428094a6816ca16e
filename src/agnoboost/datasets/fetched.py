"""Larger tables, from OpenML or from a folder that the user names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..basics.extras import require


@dataclass(frozen=True)
class Remote:
    """Where a table is, and which of its classes is the positive one."""

    openml: int
    target: str
    positive: tuple[str, ...]
    note: str


REMOTE = {
    "adult": Remote(1590, "class", (">50K",), "fnlwgt is a survey weight"),
    "magic": Remote(1120, "class:", ("g",), "gamma rays against hadrons"),
    "bank_marketing": Remote(1461, "Class", ("2",), "'duration' leaks the label; rows are ordered by date"),
    "covtype": Remote(1596, "class", ("2",), "cover type 2 against the rest; row order is not random"),
}


def fetch(name: str, *, folder: str | Path | None = None, cache: str | Path | None = None) -> tuple[Any, Any]:
    """A larger table as (data frame, labels in {-1, +1}).

    Parameters
    ----------
    name : {"adult", "magic", "bank_marketing", "covtype"}
        Which one.
    folder : path, optional
        Read NAME.csv.gz (or NAME.csv) from here, with a 0/1 column ``target`` (cover types 1 to 7 for covtype),
        instead of asking OpenML.
    cache : path, optional
        Where scikit-learn keeps what it has downloaded; by default in the home directory.

    Returns
    -------
    (pandas.DataFrame, array)
        Rows, and labels in {-1, +1}.
    """
    if name not in REMOTE:
        raise ValueError(f"name must be one of {', '.join(REMOTE)}. Got {name!r}; see agnoboost.datasets.load too.")
    if folder is not None:
        return _from_folder(name, Path(folder))
    from sklearn.datasets import fetch_openml

    remote = REMOTE[name]
    found = fetch_openml(data_id=remote.openml, as_frame=True, parser="auto", data_home=cache)
    labels = np.asarray(found.target.astype(str))
    return found.data, np.where(np.isin(labels, remote.positive), 1, -1)


def _from_folder(name: str, folder: Path) -> tuple[Any, Any]:
    pd = require("pandas", "data", "Reading tables needs pandas")
    for path in (folder / f"{name}.csv.gz", folder / f"{name}.csv"):
        if path.exists():
            frame = pd.read_csv(path)
            break
    else:
        raise FileNotFoundError(f"{folder} must hold {name}.csv.gz or {name}.csv. Got neither.")
    target = frame.pop("target")
    for column in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[column]):
            frame[column] = frame[column].astype("category")
    positive = 2 if name == "covtype" else 1
    return frame, np.where(target == positive, 1, -1)
