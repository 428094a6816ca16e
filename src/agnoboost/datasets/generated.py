"""Tables that are made, not collected."""

from __future__ import annotations

import numpy as np

from ..basics.checks import check_count
from ..basics.typing import Floats, Ints, Rng


def make_waveform(rows: int, rng: Rng | int) -> tuple[Floats, Ints]:
    """Breiman's waveforms with 21 columns: random mixtures of two of three triangles, plus noise.

    The triangles peak at columns 7, 11 and 15. Class 0 mixes the first and third, class 1 the first and second, class
    2 the second and third, as in UCI's table; classes are equally likely. The best possible accuracy is about .86.

    Parameters
    ----------
    rows : int
        How many.
    rng : Generator or int
        Where chance comes from.

    Returns
    -------
    (array, array)
        Rows and classes.

    Examples
    --------
    >>> X, wave = make_waveform(100, 0)
    >>> X.shape, sorted(set(wave.tolist()))
    ((100, 21), [0, 1, 2])
    """
    rng = np.random.default_rng(rng)
    place = np.arange(1, 22)
    triangles = np.array([np.maximum(6 - np.abs(place - peak), 0) for peak in (7, 11, 15)])
    wave = rng.integers(3, size=check_count(rows, "rows"))
    first, second = np.array([[0, 2], [0, 1], [1, 2]])[wave].T
    share = rng.random((rows, 1))
    X = share * triangles[first] + (1 - share) * triangles[second] + rng.normal(size=(rows, 21))
    return X, wave
