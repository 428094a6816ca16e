"""Small fitted models of every class, whose files are damaged."""

import pickle
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import agnoboost as ab


def mixed(rows: int = 80, classes: int = 2) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers, words, dates and sentences with holes in them; half of the labels are missing."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame(
        {
            "number": rng.normal(size=rows),
            "word": rng.choice(["x", "y", "z"], rows),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 900, rows), unit="D"),
            "text": [
                f"part {a} of lot {b}"
                for a, b in zip(rng.integers(0, 40, rows), rng.integers(0, 60, rows), strict=True)
            ],
        }
    )
    X.loc[::7, "number"] = np.nan
    X.loc[3::9, "word"] = None
    score = X["number"].fillna(0) + (X["word"] == "x")
    labels = np.array(["no", "yes", "perhaps"], dtype=object)[np.digitize(score, np.linspace(0.2, 1, classes - 1))]
    labels[rows // 2 :] = None
    return X, labels


def numbers(rows: int = 80) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(rows, 4))
    y = np.where(X[:, 0] + X[:, 1] > 0, 1.0, 0.0)
    y[rows // 2 :] = np.nan
    return X, y


def _fitted(model: Any, data: tuple[Any, Any]) -> tuple[Any, Any]:
    return model.fit(*data), data[0][:9]


def _with_machine_labels(data: tuple[Any, Any]) -> tuple[Any, Any]:
    """A machine that errs in one place, and one that guesses."""
    X, y = data
    truth = np.where(X[:, 0] + X[:, 1] > 0, 1.0, 0.0)
    told = {"model": np.where(X[:, 2] > 1, 1 - truth, truth), "rule": np.where(X[:, 3] > 0, 1.0, 0.0)}
    model = ab.TableClassifier(effort="fast", **SETTINGS).fit(X, y, machine_labels=told)
    return model, X[:9]


def _policy() -> tuple[Any, Any]:
    from agnoboost.rl.boosting import PolicyBooster
    from agnoboost.rl.simulators import TabularSimulator
    from agnoboost.rl.worlds import bits

    settings = {"outer_rounds": 2, "annotated": 60, "reward_free": 60, "inner_rounds": 4, "rollouts": 0}
    return PolicyBooster(ab.StumpLearner(), **settings).run(TabularSimulator(bits()), 0).policy, bits().features


def _xgboost() -> tuple[Any, Any]:
    from agnoboost.integrations import XGBAgnosticClassifier

    return _fitted(XGBAgnosticClassifier(n_estimators=5, random_state=0), numbers())


def _lightgbm() -> tuple[Any, Any]:
    from agnoboost.integrations import LGBMAgnosticClassifier

    return _fitted(LGBMAgnosticClassifier(n_estimators=5, random_state=0), numbers(400))


SETTINGS: dict[str, Any] = {"random_state": 0}

# Each gives a fitted model, and rows to predict.
MODELS: dict[str, Callable[[], tuple[Any, Any]]] = {
    "stumps": lambda: _fitted(ab.AgnosticBoostingClassifier(weak_learner="stump", n_rounds=12, **SETTINGS), mixed()),
    "trees": lambda: _fitted(ab.AgnosticBoostingClassifier(weak_learner="tree", n_rounds=6, **SETTINGS), mixed()),
    "regression trees": lambda: _fitted(ab.AgnosticBoostingClassifier(n_rounds=6, **SETTINGS), numbers()),
    "three classes": lambda: _fitted(
        ab.AgnosticBoostingClassifier(weak_learner="stump", n_rounds=6, validation_fraction=None, **SETTINGS),
        mixed(classes=3),
    ),
    "table": lambda: _fitted(ab.TableClassifier(effort="fast", **SETTINGS), mixed()),
    "table, full": lambda: _fitted(ab.TableClassifier(**SETTINGS), numbers()),
    "table, three classes": lambda: _fitted(ab.TableClassifier(effort="fast", **SETTINGS), mixed(classes=3)),
    "table, machine labels": lambda: _with_machine_labels(numbers()),
    "few labels": lambda: _fitted(ab.FewLabelClassifier(**SETTINGS), numbers()),
    "xgboost": _xgboost,
    "lightgbm": _lightgbm,
    "policy": _policy,
}


def answers(model: Any, rows: Any) -> tuple[np.ndarray, ...]:
    """What a model says of rows."""
    if hasattr(model, "chance"):
        return (np.asarray(model.chance(rows)),)
    if getattr(model, "machines_", None) is not None:
        str(model.machines_)  # what is told of machines can be told
    return np.asarray(model.predict_proba(rows)), np.asarray(model.predict(rows))


def saved(folder: Path, names: Iterable[str] = tuple(MODELS)) -> None:
    """Write models, with the rows; backends that are not installed are left out."""
    for name in names:
        try:
            model, rows = MODELS[name]()
        except ImportError:
            continue
        model.save(folder / f"{name}.agno")
        (folder / f"{name}.rows").write_bytes(pickle.dumps(rows))  # our own, never read from elsewhere
