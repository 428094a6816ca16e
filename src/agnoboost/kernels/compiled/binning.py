"""Values to bins: twin of :meth:`agnoboost.kernels.binning.Bins.encode`."""

from __future__ import annotations

import numpy as np

from . import kernel


@kernel
def below(tables, which, number):
    """How many of the 255 sorted values in a row of ``tables`` lie below a number.

    By halving, without branches that the processor would have to guess.
    """
    place = 0
    place += 128 * (tables[which, place + 127] < number)
    place += 64 * (tables[which, place + 63] < number)
    place += 32 * (tables[which, place + 31] < number)
    place += 16 * (tables[which, place + 15] < number)
    place += 8 * (tables[which, place + 7] < number)
    place += 4 * (tables[which, place + 3] < number)
    place += 2 * (tables[which, place + 1] < number)
    place += 1 * (tables[which, place] < number)
    return place


@kernel
def encode(X, cuts, categorical, missing, out, start, end):
    """Bins of rows start..end; ``cuts`` is padded with +inf to 255 columns, ``missing`` has each feature's NaN bin."""
    for row in range(start, end):
        for feature in range(X.shape[1]):
            value = X[row, feature]
            if value != value:
                out[row, feature] = missing[feature]
            elif categorical[feature]:
                out[row, feature] = np.uint8(value)
            else:
                out[row, feature] = below(cuts, feature, float(value))


@kernel
def add_values(column, found, count, most):
    """Add the values of a column to the sorted ``found[0, :count]``, which is padded with +inf; stop beyond ``most``.

    Returns the new count. NaN is no value.
    """
    for row in range(column.shape[0]):
        if count > most:
            break
        value = float(column[row])
        if value != value:
            continue
        place = below(found, 0, value)
        if found[0, place] != value:
            for later in range(count, place, -1):
                found[0, later] = found[0, later - 1]
            found[0, place] = value
            count += 1
    return count
