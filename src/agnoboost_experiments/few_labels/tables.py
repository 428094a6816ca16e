"""The tables: those on which recipes were developed, those that report, and how a table is split."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, make_friedman1, make_hastie_10_2, make_moons

from agnoboost.datasets import fetch, flip_labels, load

from ..splits import RowSplit
from ..studies import generator
from . import r_tables
from .binary import Binary, from_frame
from .many_rows import MANY_ROWS

MADE_ROWS = 5000
MOST_UNLABELED = 1500
FEWEST_OF_A_CLASS = 5  # so that everybody's five folds work


def _bundled(name: str) -> Binary:
    table = load(name)
    return Binary(table.X, table.y, tuple(table.categories))


def _waveform() -> Binary:
    """Waves 1 and 2; the first is far from both."""
    table = load("waveform")
    kept = table.labels > 0
    return Binary(table.X[kept], np.where(table.labels[kept] == 1, 1, -1))


def _breast_cancer() -> Binary:
    found = load_breast_cancer()
    return Binary(found.data, 2 * found.target - 1)


def _digits() -> Binary:
    """Odd digits against even ones."""
    found = load_digits()
    return Binary(found.data, np.where(found.target % 2, 1, -1))


def _sphere() -> Binary:
    X, y = make_hastie_10_2(MADE_ROWS, random_state=0)
    return Binary(X, y.astype(int))


def _friedman() -> Binary:
    """Friedman's first function of five columns out of ten, above or below its median."""
    X, value = make_friedman1(MADE_ROWS, n_features=10, noise=2.0, random_state=0)
    return Binary(X, np.where(value > np.median(value), 1, -1))


def _moons() -> Binary:
    """Two moons, and eight columns of noise."""
    X, y = make_moons(MADE_ROWS, noise=0.25, random_state=0)
    noise = np.random.default_rng(0).normal(size=(MADE_ROWS, 8))
    return Binary(np.column_stack([X, noise]), 2 * y - 1)


def _fetched(name: str, without: tuple[str, ...] = ()) -> Callable[[Path], Binary]:
    def read(folder: Path) -> Binary:
        frame, y = fetch(name, folder=folder)
        frame = frame.drop(columns=[column for column in without if column in frame])
        return from_frame(frame, y)

    return read


def _higgs(folder: Path) -> Binary:
    import pandas as pd

    frame = pd.read_csv(folder / "higgs_sample.csv.gz")
    return from_frame(frame, np.where(frame.pop("target") == 1, 1, -1))


# Tables that everybody has, and tables from a folder.
Maker = Callable[[], Binary]
Reader = Callable[[Path], Binary]

DEVELOPMENT: dict[str, Maker] = {
    "spambase": lambda: _bundled("spambase"),
    "german": lambda: _bundled("german"),
    "diabetes": lambda: _bundled("diabetes"),
    "ionosphere": lambda: _bundled("ionosphere"),
    "made: sphere": _sphere,
    "made: moons": _moons,
}
DEVELOPMENT_FOLDER: dict[str, Reader] = {"magic": _fetched("magic"), "adult": _fetched("adult")}
REPORTING: dict[str, Maker] = {
    "sonar": lambda: _bundled("sonar"),
    "waveform": _waveform,
    "breast cancer": _breast_cancer,
    "digits, odd": _digits,
    "made: friedman": _friedman,
}
REPORTING_FOLDER: dict[str, Reader] = {
    "bank_marketing": _fetched("bank_marketing", without=("duration",)),  # which leaks the label
    "covtype": _fetched("covtype"),
    "higgs_sample": _higgs,
}
HALVES = {"development": (DEVELOPMENT, DEVELOPMENT_FOLDER), "reporting": (REPORTING, REPORTING_FOLDER)}


def names(half: str, folder: str | None) -> list[str]:
    """The tables of one half: those that everybody has, and those that the folder holds."""
    everybody, from_folder = HALVES[half]
    here = [] if folder is None else [name for name in from_folder if (Path(folder) / f"{name}.csv.gz").exists()]
    return [*everybody, *here]


def for_labels(half: str, folder: str | None, labels: int) -> list[str]:
    """The tables of one half that have so many labels to give away, and as many rows left."""
    more = []
    if half == "reporting":
        more += [name for name, made in MANY_ROWS.items() if labels >= made.fewest_labels]
        more += r_tables.names()
    return [name for name in [*names(half, folder), *more] if 2 * labels <= len(table(name, folder).y)]


@cache
def table(name: str, folder: str | None) -> Binary:
    """A table of either half; in one process it is read once."""
    if name in MANY_ROWS:
        return MANY_ROWS[name].make()
    if name in r_tables.TABLES:
        return r_tables.TABLES[name]().binary
    for everybody, from_folder in HALVES.values():
        if name in everybody:
            return everybody[name]()
        if name in from_folder and folder is not None:
            return from_folder[name](Path(folder))
    raise ValueError(f"{name} is not a table of this study, or needs a folder.")


def most_test(labels: int) -> int:
    """Rows that score: more where methods differ by less."""
    return 2000 if labels < 10_000 else 10_000


def split(name: str, folder: str | None, labels: int, flips: float, seed: int) -> RowSplit:
    """Labels of rows drawn at random, some of them flipped; unlabeled rows; clean rows that nothing has seen.

    The same seed has the same rows at every rate of flips. At least five labels of each class, before and after
    flipping: otherwise the rows are drawn again.
    """
    data = table(name, folder)
    rng = generator(seed, name, labels)
    for _ in range(1000):
        order = rng.permutation(len(data.y))
        train, rest = order[:labels], order[labels:]
        noisy = flip_labels(data.y[train], flips, np.random.default_rng([seed, labels])) if flips else data.y[train]
        counts = [np.count_nonzero(y == k) for y in (data.y[train], noisy) for k in (-1, 1)]
        if min(counts) >= FEWEST_OF_A_CLASS:
            break
    else:
        raise ValueError(f"{name} is too unbalanced for {labels} labels with {FEWEST_OF_A_CLASS} of each class.")
    tested = min(most_test(labels), len(rest) // 2)
    test, unlabeled = rest[:tested], rest[tested:][:MOST_UNLABELED]
    return RowSplit(
        (data.X[train], noisy.astype(np.float64)),
        None,
        data.X[unlabeled],
        (data.X[test], data.y[test]),
        data.categorical,
    )
