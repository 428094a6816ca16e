"""Labels by machines: a language model, a legacy system, a rule, a crowd. Cheap, biased, and on nearly every row.

Few rows have labels of an expert as well, the *gold* ones. The potential is linear in the label, so that for every
machine label g

    E[y H(x)] = E_all[g H(x)] + E_gold[(y - g) H(x)]:

machines carry the bulk, gold labels take their bias away (:func:`gold_and_machine`, for the recipes of the core). In
:class:`~agnoboost.TableClassifier` a machine has a student instead, of which gold labels say how far it is to be
believed: on tables that was the better way (see docs/machine_labels.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.gaps import is_missing
from ..basics.typing import Bools, Floats, Ints
from ..core.sources import Pool
from .reading import as_column, label_table, plain_values, shown

UNNAMED = "machine"
ROUNDING = 1e-3  # what probabilities of a row may miss 1 by


@dataclass(frozen=True)
class MachineLabels:
    """What one machine says: probabilities of the classes (shape: rows, classes), NaN where it says nothing."""

    name: str
    shares: Floats

    @property
    def known(self) -> Bools:
        return np.asarray(~np.isnan(self.shares[:, 0]))

    @property
    def codes(self) -> Ints:
        """The likeliest class of each row; of rows without a label it means nothing."""
        return np.asarray(np.nan_to_num(self.shares).argmax(axis=1))

    @property
    def targets(self) -> Floats:
        """Mean labels in every one-against-rest problem (shape: rows, problems)."""
        wanted = self.shares[:, 1:] if self.shares.shape[1] == 2 else self.shares
        return 2.0 * wanted - 1.0


def read_machines(
    labels: Any, rows: int, classes: npt.NDArray[Any], missing_label: Any = "auto"
) -> list[MachineLabels]:
    """One column of labels, or several: a table with a column for each machine, or a dict of names and columns.

    A column holds classes, or, of two classes, probabilities of the second one. An entry of a dict may also be a table
    with a column of probabilities for each class.
    """
    if isinstance(labels, Mapping):
        named = dict(labels)
    elif hasattr(labels, "columns"):
        named = {str(name): labels[name] for name in labels.columns}
    else:
        table = labels if hasattr(labels, "shape") else as_column(labels)
        if len(table.shape) > 2:
            raise ValueError(f"machine_labels must be one column, or a column for each machine. Got {table.shape}.")
        several = table.shape[1] if len(table.shape) == 2 else 1
        if several == 1:
            named = {str(getattr(labels, "name", None) or UNNAMED): table}
        else:
            named = {f"{UNNAMED} {number + 1}": table[:, number] for number in range(several)}
    if not named:
        raise ValueError("machine_labels must hold the labels of at least one machine. Got none.")
    return [_read(str(name), one, rows, classes, missing_label) for name, one in named.items()]


def _read(name: str, labels: Any, rows: int, classes: npt.NDArray[Any], missing_label: Any) -> MachineLabels:
    if isinstance(labels, MachineLabels):
        return labels
    table = label_table(labels) if len(getattr(labels, "shape", ())) == 2 else as_column(labels)[:, None]
    if len(table) != rows:
        raise ValueError(
            f"{name}: there must be one label (or NaN) for each of the {rows} rows of X. Got {len(table)}."
        )
    if table.shape[1] == 1:
        return MachineLabels(name, _of_column(name, table[:, 0], classes, missing_label))
    if table.shape[1] != len(classes):
        raise ValueError(
            f"{name}: a machine with several columns must have a probability for each of the {len(classes)} classes, "
            f"{', '.join(map(shown, classes))}. Got {table.shape[1]} columns."
        )
    shares = np.where(is_missing(table.ravel()).reshape(table.shape), np.nan, table).astype(np.float64)
    shares[np.isnan(shares).any(axis=1)] = np.nan
    _check_probabilities(name, shares)
    return MachineLabels(name, shares)


def _check_probabilities(name: str, shares: Floats) -> None:
    known = shares[~np.isnan(shares[:, 0])]
    if len(known) and (known.min() < 0.0 or known.max() > 1.0 or np.abs(known.sum(axis=1) - 1.0).max() > ROUNDING):
        raise ValueError(
            f"{name}: probabilities must lie in [0, 1] and sum to 1 in every row. Got values from {known.min():g} to "
            f"{known.max():g}, and sums from {known.sum(axis=1).min():g} to {known.sum(axis=1).max():g}."
        )


def _of_column(name: str, column: npt.NDArray[Any], classes: npt.NDArray[Any], missing_label: Any) -> Floats:
    """Classes, or probabilities of the second of two."""
    known = ~is_missing(column)
    mark = -1 if isinstance(missing_label, str) and missing_label == "auto" else missing_label
    places = {value: place for place, value in enumerate(classes.tolist())}
    if mark is not None and mark not in places:
        known[known] = np.array([value != mark for value in column[known].tolist()], dtype=bool)
    shares = np.full((len(column), len(classes)), np.nan)
    different, codes = np.unique(plain_values(column[known]), return_inverse=True)
    strange = [value for value in different.tolist() if value not in places]
    if not strange:
        shares[known] = np.eye(len(classes))[
            np.array([places[value] for value in different.tolist()], dtype=int)[codes]
        ]
        return shares
    probable = different.dtype.kind in "fiu" and different[0] >= 0.0 and different[-1] <= 1.0
    if len(classes) == 2 and probable:
        second = different.astype(np.float64)[codes]
        shares[known] = np.column_stack([1.0 - second, second])
        return shares
    hint = f", or probabilities of {shown(classes[1])} in [0, 1]" if len(classes) == 2 else ""
    raise ValueError(
        f"{name}: the machine's labels must be among those of y, {', '.join(map(shown, classes))}{hint}. Got "
        f"{', '.join(shown(value) for value in strange[:5])}. Write them alike; gaps are NaN or None."
    )


def gold_and_machine(X: Any, gold: Any, machine: Any, strength: float = 1.0) -> Pool:
    """All rows as one pool for the recipes of the core (labels -1 and +1), by the identity of this module.

    Every row has the stand-in strength * g + (N/n) * (y - strength * g), without the second part where there is no gold
    label: N rows, of which n were drawn at random for gold labels. Its mean over draws is that of y, for every
    machine and every strength; the better the machine, the less it scatters.

    Parameters
    ----------
    X : array of shape (N, n_features)
    gold : labels in {-1, +1}, NaN where there is none
    machine : labels in [-1, 1], for every row
    strength : float
        0 leaves the machine out.

    Examples
    --------
    >>> gold_and_machine(np.zeros((4, 1)), [1, np.nan, -1, np.nan], [1, 1, 1, -1]).y.tolist()
    [1.0, 1.0, -3.0, -1.0]
    """
    X, y = np.asarray(X), np.asarray(gold, dtype=np.float64)
    guess = strength * np.asarray(machine, dtype=np.float64)
    if not len(X) == len(y) == len(guess):
        raise ValueError(f"X, gold and machine must be of one length. Got {len(X)}, {len(y)} and {len(guess)}.")
    known = ~np.isnan(y)
    if not known.any() or np.isnan(guess).any() or np.abs(guess).max() > abs(strength) or np.abs(y[known]).max() > 1:
        raise ValueError(
            "gold must hold labels of -1 and +1 (NaN for gaps), at least one; machine numbers in [-1, 1] for all rows."
        )
    stand_ins = guess + np.where(known, (len(y) / known.sum()) * (np.where(known, y, 0.0) - guess), 0.0)
    return Pool(X, stand_ins, soft=True)
