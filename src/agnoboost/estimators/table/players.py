"""Which columns of the table the columns of the matrix come from: what is explained are columns of the table."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...basics.typing import Ints


def players(model: Any) -> Ints:
    """For each column of the matrix that the model sees, its column of the table."""
    sources = getattr(model._encoder, "sources", None)
    return np.arange(model.n_features_in_) if sources is None else np.asarray(sources, dtype=np.int64)
