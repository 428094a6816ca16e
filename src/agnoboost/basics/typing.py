"""Array types used throughout.

Conventions: ``X`` has shape (rows, features); ``y``, ``target``, ``mass``, margins and predictions
have shape (rows,). Labels are -1 or +1, and 0 means unlabeled. ``sign(0) = +1`` everywhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Matrix = npt.NDArray[Any]
Arrays = dict[str, npt.NDArray[Any]]  # by name, as files hold them
Rng = np.random.Generator
