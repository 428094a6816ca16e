"""Make labels scarce or noisy, for experiments."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.checks import check_between
from ..basics.typing import Rng
from ..labels.reading import as_column, known_rows


def drop_labels(y: npt.ArrayLike, fraction: float, rng: Rng | int) -> npt.NDArray[Any]:
    """Remove this fraction of the labels, chosen at random: NaN in numbers, None in texts. At least one label stays.

    Parameters
    ----------
    y : array
        Labels.
    fraction : float in [0, 1]
        How many of them are removed.
    rng : Generator or int
        Where chance comes from.

    Returns
    -------
    array
        Labels with gaps.

    Examples
    --------
    >>> int(np.isnan(drop_labels([0, 1] * 50, 0.9, 0)).sum())
    90
    """
    check_between(fraction, 0.0, 1.0, "fraction", open_low=False)
    labels = as_column(y)
    known = np.flatnonzero(known_rows(labels))
    numeric = labels.dtype.kind in "iufb" or all(isinstance(value, (int, float)) for value in labels[known])
    labels = labels.astype(np.float64 if numeric else object)
    count = min(round(fraction * len(known)), len(known) - 1)
    labels[np.random.default_rng(rng).choice(known, size=count, replace=False)] = np.nan if numeric else None
    return labels


def flip_labels(y: npt.ArrayLike, rate: float, rng: Rng | int) -> npt.NDArray[Any]:
    """Change each label, with probability ``rate``, to another class drawn at random; unlabeled rows stay unlabeled.

    Parameters
    ----------
    y : array
        Labels, with gaps or without.
    rate : float in [0, 1]
        How likely each is to be changed.
    rng : Generator or int
        Where chance comes from.

    Returns
    -------
    array
        Labels, of which some are wrong.
    """
    check_between(rate, 0.0, 1.0, "rate", open_low=False)
    rng = np.random.default_rng(rng)
    labels = as_column(y).copy()
    known = np.flatnonzero(known_rows(labels))
    classes, codes = np.unique(labels[known], return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"Labels of at least 2 classes are needed to flip them. Got {classes.tolist()}.")
    hit = rng.random(len(known)) < rate
    moved = (codes + rng.integers(1, len(classes), len(known))) % len(classes)
    labels[known] = classes[np.where(hit, moved, codes)]
    return labels
