"""The tables of the study: those on which methods were developed, and those that report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer

from agnoboost.basics.typing import Bools
from agnoboost.datasets import fetch, load

from ..few_labels import r_tables
from ..few_labels import tables as plain_tables
from ..few_labels.binary import from_frame
from ..few_labels.many_rows import MANY_ROWS
from . import packaged, rules
from .scenes import Scene, columns_of, divided, taken

LAST_CALLS = 15_000  # of the bank's, from February 2009 on


@dataclass(frozen=True)
class TableSource:
    """How a table is read, and the files that must be in the folder (or in a package) for it."""

    read: Callable[[str | None], Scene]
    files: tuple[str, ...] = ()
    packaged: tuple[str, ...] = ()
    package: str | None = None

    def is_here(self, folder: str | None) -> bool:
        in_folder = all(folder is not None and (Path(folder) / f"{name}.csv.gz").exists() for name in self.files)
        in_package = all(packaged.found(name, folder) is not None for name in self.packaged)
        return in_folder and in_package and (self.package is None or find_spec(self.package) is not None)


def _plain(name: str) -> Callable[[str | None], Scene]:
    """A table of the few-label study, without a real machine."""

    def read(folder: str | None) -> Scene:
        return Scene(plain_tables.table(name, folder))

    return read


def _large(name: str) -> Callable[[str | None], Scene]:
    return lambda folder: Scene(MANY_ROWS[name].make())


def _bundled(name: str, rule: rules.Rule) -> Callable[[str | None], Scene]:
    """A table of the library, with a person's rule."""

    def read(folder: str | None) -> Scene:
        table = load(name)
        columns: dict[str, Any] = {feature: table.X[:, place] for place, feature in enumerate(table.features)}
        for place, levels in table.categories.items():
            columns[table.features[place]] = np.array(levels)[table.X[:, place].astype(int)]
        return Scene(plain_tables.table(name, folder), rule=rule(columns))

    return read


def _of_r(name: str, rule: Callable[[rules.Columns, float], Bools]) -> TableSource:
    """A table of R's packages: here the later rows, elsewhere the earlier ones."""

    def read(folder: str | None) -> Scene:
        found = r_tables.TABLES[name]()
        return divided(found.binary, found.later, rule(columns_of(found.frame), found.border))

    return TableSource(read, package=r_tables.PACKAGE)


def _breast_cancer(folder: str | None) -> Scene:
    found = load_breast_cancer(as_frame=True)
    return Scene(plain_tables.table("breast cancer", folder), rule=rules.benign(columns_of(found.data)))


def _fetched(
    name: str, rule: rules.Rule, here: Callable[[Any], Bools], without: tuple[str, ...], folder: str | None
) -> Scene:
    """A table of two times or places, from the folder."""
    frame, y = fetch(name, folder=folder)
    decided, own = rule(columns_of(frame)), here(frame)
    return divided(from_frame(frame.drop(columns=list(without)), y), own, decided)


def _areas(folder: str | None) -> Scene:
    """Here one wilderness area, elsewhere another: the two large ones."""
    frame, y = fetch("covtype", folder=folder)
    areas = [name for name in frame.columns if name.startswith("Wilderness")]
    here, elsewhere = (np.asarray(frame[f"Wilderness_Area{number}"] == 1) for number in (3, 1))
    table = from_frame(frame.drop(columns=areas), y)
    rule = rules.lodgepole_pine(columns_of(frame[["Elevation"]]))
    return Scene(taken(table, here), taken(table, elsewhere), rule[here])


DEVELOPMENT: dict[str, TableSource] = {
    "spambase": TableSource(_bundled("spambase", rules.spam)),
    "german": TableSource(_bundled("german", rules.creditworthy)),
    "diabetes": TableSource(_bundled("diabetes", rules.diabetic)),
    "made: sphere": TableSource(_plain("made: sphere")),
    "made: moons": TableSource(_plain("made: moons")),
    "magic": TableSource(_plain("magic"), ("magic",)),
    "adult": TableSource(  # people born in the United States; elsewhere those born abroad
        partial(
            _fetched, "adult", rules.well_paid, lambda frame: np.asarray(frame["native-country"] == "United-States"), ()
        ),
        ("adult",),
    ),
}
REPORTING: dict[str, TableSource] = {
    "waveform": TableSource(_plain("waveform")),
    "breast cancer": TableSource(_breast_cancer),
    "digits, odd": TableSource(_plain("digits, odd")),
    "made: friedman, large": TableSource(_large("made: friedman, large")),
    "made: clusters": TableSource(_large("made: clusters")),
    "made: mixed": TableSource(_large("made: mixed")),
    "higgs_sample": TableSource(_plain("higgs_sample"), ("higgs_sample",)),
    "bank_marketing": TableSource(  # rows are in order of time; the length of the call leaks the label
        partial(
            _fetched,
            "bank_marketing",
            rules.subscribes,
            lambda frame: np.arange(len(frame)) >= len(frame) - LAST_CALLS,
            ("duration",),
        ),
        ("bank_marketing",),
    ),
    "covtype": TableSource(_areas, ("covtype",)),
    "reviews": TableSource(packaged.reviews, packaged=(packaged.REVIEWS,)),
    "housing": TableSource(packaged.housing, packaged=(packaged.HOUSING,)),
    "films": TableSource(packaged.films, packaged=(packaged.RATINGS, packaged.FILMS, packaged.USERS)),
    "flights": _of_r("flights", lambda columns, border: rules.late_flight(columns)),
    "rain": _of_r("rain", rules.rain_forecast),
    "wages": _of_r("wages", lambda columns, border: rules.good_income(columns)),
    "crashes": _of_r("crashes", lambda columns, border: rules.badly_hurt(columns)),
    "hotels": _of_r("hotels", lambda columns, border: rules.dear_room(columns)),
}
HALVES = {"development": DEVELOPMENT, "reporting": REPORTING}


def names(half: str, folder: str | None) -> list[str]:
    """The tables of one half that can be read here."""
    return [name for name, source in HALVES[half].items() if source.is_here(folder)]


@cache
def scene(name: str, folder: str | None) -> Scene:
    """A table of either half; in one process it is read once."""
    return {**DEVELOPMENT, **REPORTING}[name].read(folder)
