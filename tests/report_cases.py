"""Cases for the report: models with the probabilities that a test wants."""

import numpy as np
import pandas as pd

from agnoboost import TableClassifier
from agnoboost.evaluation.held_out import HeldOutPredictions
from agnoboost.report.advice import next_steps
from agnoboost.report.case import Case


def judged(y, p, names=("a", "b"), folds=2):
    labels = np.array(names, dtype=object)
    return HeldOutPredictions(labels[y], labels[p.argmax(axis=1)], p, None, folds)


def case(code, p, X=None, folds=2):
    y = np.array(["a", "b"], dtype=object)[code]
    X = pd.DataFrame({"x": np.random.default_rng(1).normal(size=len(code))}) if X is None else X
    model = TableClassifier("fast", members=["linear"], random_state=0)
    model.classes_ = np.array(["a", "b"], dtype=object)
    return Case(model, X, y, None if p is None else judged(code, p, folds=folds), "t", "s")


def told(found):
    """The advice, as one line."""
    return " | ".join(f"{what}: {why}" for what, why in next_steps(found))
