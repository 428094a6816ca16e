"""Labels by machines: a language model, a legacy system, a rule, a crowd. Cheap, biased, and on nearly every row.

Few rows have labels of an expert as well, the *gold* ones. The potential is linear in the label, so that for every
machine label g

    E[y H(x)] = E_all[g H(x)] + E_gold[(y - g) H(x)]:

machines carry the bulk, gold labels take their bias away (:func:`gold_and_machine`, for the recipes of the core). In
:class:`~agnoboost.TableClassifier` a machine has a student instead, of which gold labels say how far it is to be
believed: on tables that was the better way (see docs/machine_labels.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import _safe_indexing

from ..basics.gaps import is_missing
from ..basics.suggestions import same_but_for_case
from ..basics.typing import Bools, Floats, Ints
from ..core.sources import Pool
from .reading import as_column, label_table, plain_values, rows_said, shown

UNNAMED = "machine"
ROUNDING = 1e-3  # what probabilities of a row may miss 1 by
BEFORE_CLASSES = ("", "p_", "prob_", "proba_")  # in names of columns


class MachineLeftOutWarning(UserWarning):
    """A machine that says the same of all rows, or what has nothing to do with their columns, is not used."""


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

    A column holds classes, or, of two classes, probabilities of the second one. Probabilities of all classes are a
    table with a column for each; of a frame whose columns bear the names of the classes, in any order.
    """
    named = _by_name(labels, classes)
    if not named:
        raise ValueError("machine_labels must hold the labels of at least one machine. Got none.")
    twice = [name for name, count in Counter(str(name) for name, _ in named).items() if count > 1]
    if twice:
        raise ValueError(f"machine_labels must have a name for each machine. Got {twice[0]!r} twice. Rename one.")
    return [_read(str(name), one, rows, classes, missing_label) for name, one in named]


def beside(labels: Any, rows: Ints) -> dict[str, Any]:
    """Machine labels of some rows, in the form in which they came, for ``fit``; nothing where there are none."""
    if labels is None:
        return {}
    if isinstance(labels, Mapping):
        return {"machine_labels": {name: _safe_indexing(one, rows) for name, one in labels.items()}}
    return {"machine_labels": _safe_indexing(labels, rows)}


def _by_name(labels: Any, classes: npt.NDArray[Any]) -> list[tuple[Any, Any]]:
    """Who says what."""
    if isinstance(labels, Mapping):
        return list(labels.items())
    table = labels if hasattr(labels, "shape") else as_column(labels)
    if len(table.shape) not in (1, 2):
        raise ValueError(
            "machine_labels must be a column of labels, a column for each machine, or a dict of such. Got "
            f"{type(labels).__name__} of {len(table.shape)} dimensions."
        )
    if len(table.shape) == 1 or table.shape[1] == 1 or _is_one_of_all_classes(table, classes):
        own = _names(table) or [getattr(labels, "name", None)]
        return [(own[0] if len(own) == 1 and own[0] else UNNAMED, table)]
    if (names := _names(table)) is not None:
        return [(name, table[name]) for name in names]
    return [(f"{UNNAMED} {number + 1}", table[:, number]) for number in range(table.shape[1])]


def _names(table: Any) -> list[Any] | None:
    """Of the columns of a frame."""
    if hasattr(table, "column_names"):  # of pyarrow, whose ``columns`` are the cells
        return list(table.column_names)
    return list(table.columns) if hasattr(table, "columns") else None


def _is_one_of_all_classes(table: Any, classes: npt.NDArray[Any]) -> bool:
    """Whether columns are the probabilities of one machine, as of ``predict_proba``, and not a machine each.

    Two machines would have to speak of the same rows, and contradict each other in all of them, to look like that.
    Machines of more classes name one in each cell.
    """
    if table.shape[1] != len(classes):
        return False
    try:
        shares = _numbers(table)
    except (TypeError, ValueError):
        return False
    gaps = np.isnan(shares)
    may_be_machines = len(classes) == 2 or np.isin(shares[~gaps], [0.0, 1.0]).all()
    speaks_alone = (gaps.any(axis=1) & ~gaps.all(axis=1)).any()
    if may_be_machines and speaks_alone and _class_columns(table, classes) is None:
        return False
    known = shares[~gaps.any(axis=1)]
    return bool(
        len(known) and known.min() >= 0.0 and known.max() <= 1.0 and np.abs(known.sum(axis=1) - 1.0).max() <= ROUNDING
    )


def _class_columns(table: Any, classes: npt.NDArray[Any]) -> list[int] | None:
    """Where each class stands in a frame whose columns bear their names, or all the same letters before them."""
    wanted = classes.tolist()
    numbers = all(isinstance(name, (int, float)) and not isinstance(name, bool) for name in wanted)
    plain = _as_number if numbers else str
    wanted = [plain(name) for name in wanted]
    for before in BEFORE_CLASSES:
        given = [name.removeprefix(before) if isinstance(name, str) else name for name in _names(table) or []]
        names = [plain(name) for name in given]
        if Counter(names) == Counter(wanted):
            return [names.index(name) for name in wanted]
    return None


def check_class_columns(table: Any, classes: npt.NDArray[Any]) -> None:
    """Refuse probabilities under other names: nobody knows in which order they stand."""
    names = _names(table) or []
    if any(isinstance(name, str) for name in names) and _class_columns(table, classes) is None:
        raise ValueError(
            "machine_labels with a probability for each class must have columns that bear the names of the classes, "
            f"{', '.join(map(shown, classes.tolist()))} (or p_ and the name). Got {', '.join(map(shown, names))}. "
            "Rename them, or pass an array with columns in that order; machines of their own in a dict."
        )


def is_other_code(values: Iterable[Any], classes: Sequence[Any]) -> bool:
    """Whether 0 and 1 may be neither classes nor shares: beside classes of which one is 0 or 1, the other is another.

    >>> is_other_code([0, 1], [1, 2]), is_other_code([0, 1], ["no", "yes"]), is_other_code([0.5, 1], [1, 2])
    (True, False, False)
    """
    return set(values) <= {0, 1} and sum(name in (0, 1) for name in classes) == 1


def of_other_code(classes: Sequence[Any]) -> str:
    """What to do about them."""
    names = " and ".join(map(shown, classes))
    return (
        f"labels of 0 and 1 beside the classes {names} could be these classes in another code, probabilities, or no "
        f"answer. Got only 0 and 1. Write {names}, with NaN where there is no answer; probabilities may be 0.0001."
    )


def _as_number(name: Any) -> Any:
    """Of classes that are numbers: 1, 1.0 and "1" are the same."""
    try:
        return float(name)
    except (TypeError, ValueError):
        return name


def class_shares(table: Any, classes: npt.NDArray[Any]) -> Floats:
    """Probabilities of all classes, in their order; NaN in rows with a gap. Call :func:`check_class_columns` first."""
    order, found = _class_columns(table, classes), _numbers(table)
    found[np.isnan(found).any(axis=1)] = np.nan
    return found if order is None else found[:, order]


def _numbers(table: Any) -> Floats:
    """The cells; NaN in gaps."""
    cells = label_table(table.to_pandas() if hasattr(table, "column_names") else table)
    return np.where(is_missing(cells.ravel()).reshape(cells.shape), np.nan, cells).astype(np.float64)


def _read(name: str, labels: Any, rows: int, classes: npt.NDArray[Any], missing_label: Any) -> MachineLabels:
    if len(getattr(labels, "shape", ())) == 2 and labels.shape[1] != 1:
        if labels.shape[1] != len(classes):
            raise ValueError(
                f"{name}: a machine with several columns must have a probability for each of the {len(classes)} "
                f"classes, {', '.join(map(shown, classes))}. Got {labels.shape[1]} columns."
            )
        check_class_columns(labels, classes)
        try:
            shares = class_shares(labels, classes)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name}: a machine with several columns must hold probabilities. Got {error}.") from None
        _check_probabilities(name, shares)
    else:
        column = as_column(labels)
        if column.ndim != 1:
            raise ValueError(f"{name}: a machine must have a column of labels. Got {type(labels).__name__}.")
        shares = _of_column(name, column, classes, missing_label) if len(column) == rows else column[:, None]
    if (more := len(shares) > rows) or len(shares) < rows:
        raise ValueError(
            f"{name}: there must be one label (or NaN) for each of the {rows} rows of X. Got {len(shares)}."
            + (" For rows of X_unlabeled there are none: put these rows into X, with NaN in y." if more else "")
        )
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
    known = rows_said(column, classes.tolist(), missing_label)
    places = {value: place for place, value in enumerate(classes.tolist())}
    shares = np.full((len(column), len(classes)), np.nan)
    try:
        different, codes = np.unique(plain_values(column[known]), return_inverse=True)
    except ValueError as error:
        raise ValueError(f"{name}: {str(error).replace('y must', 'the column must')}") from None
    strange = [value for value in different.tolist() if value not in places]
    if not strange:
        shares[known] = np.eye(len(classes))[
            np.array([places[value] for value in different.tolist()], dtype=int)[codes]
        ]
        return shares
    if len(classes) == 2 and different.dtype.kind in "fiu" and different[0] >= 0.0 and different[-1] <= 1.0:
        if is_other_code(different.tolist(), classes.tolist()):
            raise ValueError(f"{name}: {of_other_code(classes.tolist())}")
        second = different.astype(np.float64)[codes]
        shares[known] = np.column_stack([1.0 - second, second])
        return shares
    hint = f", or probabilities of {shown(classes[1])} in [0, 1]" if len(classes) == 2 else ""
    raise ValueError(
        f"{name}: the machine's labels must be among those of y, {', '.join(map(shown, classes))}{hint}. Got "
        f"{', '.join(shown(value) for value in strange[:5])}.{same_but_for_case(strange, places)} Write "
        "them alike; gaps are NaN or None. A class without any label in y needs one: check a row that is of it, "
        "or put NaN in its place."
    )


def gold_and_machine(X: Any, gold: Any, machine: Any, strength: float = 1.0) -> Pool:
    """All rows as one pool for the recipes of the core (labels -1 and +1), by the identity of this module.

    Every row has the stand-in strength * g + (N/n) * (y - strength * g), without the second part where there is no gold
    label: N rows, of which n were drawn at random for gold labels. Its mean over draws is that of y, for every
    machine and every strength; the better the machine, the less it scatters.

    Parameters
    ----------
    X : array of shape (N, n_features)
        All rows.
    gold : array of shape (N,)
        Labels in {-1, +1}, NaN where there is none.
    machine : array of shape (N,)
        Labels in [-1, 1], for every row.
    strength : float
        How far the machine is followed; 0 leaves it out.

    Returns
    -------
    Pool
        Soft labels for all rows.

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
