"""Labels by a person's rule: what somebody who knows the trade would write down without looking at a single label.

They were written before any of them was compared with labels, and are not to be improved.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from agnoboost.basics.typing import Bools

Columns = Mapping[str, Any]  # name -> values, categories as texts
Rule = Callable[[Columns], Bools]

SPAM_WORDS = ("free", "money", "credit", "remove", "000", "order", "business")
WORK_WORDS = ("hp", "hpl", "george", "lab", "labs", "telnet", "meeting", "project", "conference", "edu", "cs")
LIKED_GENRES = ("Drama", "Film-Noir", "War", "Documentary")


def _any(columns: Columns, names: list[str]) -> Bools:
    return np.asarray(np.any([np.asarray(columns[name], dtype=np.float64) > 0.0 for name in names], axis=0))


def spam(columns: Columns) -> Bools:
    """A filter by keywords: a word that sells, and none of those that colleagues use."""
    sells = _any(columns, [f"word_freq_{word}" for word in SPAM_WORDS])
    return sells & ~_any(columns, [f"word_freq_{word}" for word in WORK_WORDS])


def creditworthy(columns: Columns) -> Bools:
    """A banker: no to overdrawn accounts without savings, and to loans over more than three years."""
    overdrawn = (columns["status"] == "A11") & (columns["savings"] == "A61")
    return np.asarray(~overdrawn & (columns["duration"] <= 36))


def diabetic(columns: Columns) -> Bools:
    """A doctor: glucose of 140 and more, or very heavy from the age of 40 on."""
    return np.asarray((columns["glucose"] >= 140) | ((columns["bmi"] >= 35) & (columns["age"] >= 40)))


def well_paid(columns: Columns) -> Bools:
    """A clerk: married, and at least some years of college."""
    return np.asarray((columns["marital-status"] == "Married-civ-spouse") & (columns["educational-num"] >= 12))


def benign(columns: Columns) -> Bools:
    """A doctor: the cells of a harmless lump are small."""
    return np.asarray(columns["mean radius"] < 15.0)


def subscribes(columns: Columns) -> Bools:
    """A salesman: who has bought before, students, pensioners, and money in the account without a mortgage."""
    free = np.isin(columns["job"], ["student", "retired"])
    wealthy = (columns["housing"] == "no") & (columns["balance"] > 1500)
    return np.asarray((columns["poutcome"] == "success") | free | wealthy)


def lodgepole_pine(columns: Columns) -> Bools:
    """A forester: it grows between 2,600 and 3,050 metres."""
    return np.asarray((columns["Elevation"] > 2600) & (columns["Elevation"] < 3050))


def expensive_homes(columns: Columns) -> Bools:
    """An agent: homes are dear where households earn 40,000 dollars and more."""
    return np.asarray(columns["MedInc"] >= 4.0)


def liked_film(columns: Columns) -> Bools:
    """A critic: serious films, and old ones that are still watched."""
    return np.asarray(_any(columns, list(LIKED_GENRES)) | (columns["year"] < 1975))


def late_flight(columns: Columns) -> Bools:
    """A dispatcher: delays pile up until the evening, and rain holds everybody up."""
    return np.asarray((columns["hour"] >= 17) | (np.nan_to_num(columns["precip"]) > 0.0))


def rain_forecast(columns: Columns, usual: float) -> Bools:
    """The forecast as it stands: the mean of its runs."""
    return np.asarray(np.mean([np.asarray(values, dtype=np.float64) for values in columns.values()], axis=0) > usual)


def good_income(columns: Columns) -> Bools:
    """A clerk: full time, with a degree."""
    degree = np.isin(columns["educcat"], ["Junior College", "Bachelor", "Graduate"])
    return np.asarray((columns["wrkstat"] == "Full-Time") & degree)


def badly_hurt(columns: Columns) -> Bools:
    """A doctor: very fast, or rather fast without a belt."""
    fast = np.isin(columns["dvcat"], ["40-54", "55+"])
    return np.asarray(fast | ((columns["dvcat"] == "25-39") & (columns["seatbelt"] == "none")))


def dear_room(columns: Columns) -> Bools:
    """A porter: dear days are dear every year, from 100 euros on."""
    return np.asarray(columns["historical_adr"] > 100.0)
