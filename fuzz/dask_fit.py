"""A fit on a dask cluster, whose workers or scheduler may be killed meanwhile."""

import json
import os
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from agnoboost.integrations import UnlabeledObjective
from agnoboost.integrations import dask as ours

ROUNDS = 60
PLACE = "FUZZ_PLACE"  # the variable that names the folder, for all processes
CONNECTED = "connected"  # the file that says that there is a client
BEGUN = "begun"  # the file that says that trees are being grown
MODELS = {"xgboost": ours.DaskXGBAgnosticClassifier, "lightgbm": ours.DaskLGBMAgnosticClassifier}


class Slow(UnlabeledObjective):
    """Takes its time, and says that it was asked: so that there is a moment to kill in."""

    def __call__(self, *arguments: Any, **more: Any) -> Any:
        Path(os.environ[PLACE], BEGUN).touch()
        time.sleep(0.02)
        return super().__call__(*arguments, **more)


def table() -> tuple[np.ndarray, np.ndarray]:
    """Few different values: bins are the same, however the rows are spread."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 20, (2000, 5)).astype(float)
    truth = ((X[:, 0] > 9) ^ (X[:, 1] > 14)).astype(float)
    return X, np.where(rng.random(2000) < 0.3, truth, np.nan)


def fit(kind: str, scheduler_file: str, checkpoint: str) -> None:
    """Fit; what came of it is written down."""
    import dask.array
    import distributed

    warnings.simplefilter("ignore")
    ours.UnlabeledObjective = Slow  # type: ignore[misc]
    X, y = table()
    settings = {"checkpoint": checkpoint, "checkpoint_every": 10} if checkpoint else {}
    model = MODELS[kind](ROUNDS, unlabeled_weight=1.0, validation_fraction=None, random_state=0, **settings)
    client = distributed.Client(scheduler_file=scheduler_file, timeout=300)
    Path(os.environ[PLACE], CONNECTED).touch()
    try:
        model.fit(dask.array.from_array(X, (500, 5)), dask.array.from_array(y, 500), client=client)
        told = {"margins": model.decision_function(X).tolist()}
    except Exception as error:
        told = {"error": type(error).__name__, "told": str(error), "has a model": hasattr(model, "_cut")}
    part = Path(os.environ[PLACE], "told.part")
    part.write_text(json.dumps(told))
    part.rename(part.with_name("told"))
