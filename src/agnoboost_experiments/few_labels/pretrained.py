"""TabPFN and TabICL, whose weights come from elsewhere.

Both packages fetch weights from the network when they have none. Here they never do: the user names a file of weights
that is there, and without it the method counts as not installed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

TABPFN_WEIGHTS, TABICL_WEIGHTS = "AGNOBOOST_TABPFN_WEIGHTS", "AGNOBOOST_TABICL_WEIGHTS"
TABPFN_ROWS = 1000  # more than that the package refuses without a GPU
TABICL_ROWS = 10_000  # it is made for 100,000, which would take hours on one core


def weights(variable: str) -> Path | None:
    """The file that an environment variable names, if it is there."""
    path = Path(os.environ.get(variable, ""))
    return path if path.is_file() else None


def tabpfn(seed: int, categorical: list[int]) -> Any:
    from tabpfn import TabPFNClassifier

    return TabPFNClassifier(
        model_path=weights(TABPFN_WEIGHTS),
        categorical_features_indices=categorical or None,
        device="cpu",
        random_state=seed,
    )


def tabicl(seed: int, categorical: list[int]) -> Any:
    """It is told of no categories: in an array they are numbers to it."""
    from tabicl import TabICLClassifier

    return TabICLClassifier(
        model_path=weights(TABICL_WEIGHTS), allow_auto_download=False, device="cpu", random_state=seed, n_jobs=1
    )
