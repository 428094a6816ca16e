"""
A messy table, from file to report
==================================

Tables come as people keep them: semicolons, decimal commas, amounts with a currency,
dates as text, codes that begin with a zero, question marks for gaps, and a label column
that is mostly empty. This example makes such a file, reads it, fits a model without
preparing anything, and writes a report for those who decide whether to use it.

Files are described in :doc:`/tables`, kinds of columns in :doc:`/columns`, the report
in :doc:`/report`. The same on the command line: ``agnoboost fit offers.csv --target
sold --report report.html``.
"""

# %%
# The file
# --------
#
# 1,500 offers of a shop, of which 300 have an answer in the column ``sold``. What
# decides is known here: the price, the season (December is good, June is bad), the
# branch, and whether the remark that somebody typed sounds urgent.

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import expit

rng = np.random.default_rng(0)
ROWS, LABELED = 1500, 300
PATIENT = ["compares prices", "no remark", "will think", "asks for samples"]
URGENT = ["needs it soon", "urgent, call!", "when delivered?"]

price = rng.gamma(4, 250, ROWS)
day = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 730, ROWS), unit="D")
branch = rng.integers(1, 9, ROWS)
urgent = rng.random(ROWS) < 0.3
season = np.cos(2 * np.pi * (day.day_of_year - 350) / 365)
log_odds = (
    3.4
    - price / 280
    + 1.2 * season
    + np.where(branch % 3 == 0, 1.2, -0.4)
    + 1.5 * urgent
)
sold = np.where(rng.random(ROWS) < expit(1.5 * log_odds), "yes", "no")


def money(amount):
    """1234.5 as 1.234,50 EUR, as people write it where commas are decimal marks."""
    return f"{amount:,.2f} EUR".translate(str.maketrans(",.", ".,"))


cells = pd.DataFrame(
    {
        "offer": [f"O-{number:05d}" for number in range(ROWS)],
        "date": day.strftime("%d.%m.%Y"),
        "branch": [f"{number:03d}" for number in branch],
        "price": np.where(
            rng.random(ROWS) < 0.06, "?", [money(amount) for amount in price]
        ),
        "remark": np.where(urgent, rng.choice(URGENT, ROWS), rng.choice(PATIENT, ROWS)),
        "sold": np.where(np.arange(ROWS) < LABELED, sold, ""),
    }
)
file = Path(tempfile.mkdtemp()) / "offers.csv"
cells.to_csv(file, sep=";", index=False)
print(file.read_text()[:340], "...")

# %%
# Reading it
# ----------
#
# ``read_table`` finds separators, marks and gaps by looking, and tells what it did
# where that is not plain. The 1,200 rows without a label stay in the table.

from agnoboost.tables.files import read_table

table = read_table(
    file, target="sold", tell=lambda line: print(line.replace(str(file), file.name))
)
labels = table.pop("sold")
table.head(3)

# %%
# One fit, and what a careless reading costs
# ------------------------------------------
#
# The model reads dates as dates, codes and remarks as categories, and leaves the
# numbers of the offers out, with a warning. Beside it: the same classifier on what
# ``pandas.read_csv`` makes of the file, in which prices are text and branches are
# numbers. Both are judged on the 1,200 rows whose answers they have not seen.

import warnings

from sklearn.metrics import roc_auc_score

from agnoboost import TableClassifier

with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    model = TableClassifier(random_state=0).fit(table, labels)
    careless = pd.read_csv(file, sep=";").drop(columns="sold")
    other = TableClassifier(random_state=0).fit(careless, labels)
print(told[0].message)

unseen = np.arange(ROWS) >= LABELED
for name, one, rows in (
    ("read_table", model, table),
    ("pandas.read_csv", other, careless),
):
    area = roc_auc_score(sold[unseen], one.predict_proba(rows[unseen])[:, 1])
    accuracy = one.score(rows[unseen], sold[unseen])
    print(f"{name:<16} accuracy {accuracy:.3f}, area under the ROC curve {area:.3f}")
best = np.mean((log_odds > 0) == (sold == "yes"))
print(f"nobody could be right more often than {best:.3f}")

# %%
# What it has learned
# -------------------
#
# How the probability of "yes" changes with each column, on average (bold) and for
# single rows (thin). Look at the date: the waves are two years of seasons, from dates
# that came as text. Of the branches 003 and 006 stand out, of the remarks the urgent
# ones. The diamond beside the price is a missing cell. (Differences between branches
# are flatter than the truth: 300 labels are few.)

import matplotlib.pyplot as plt

from agnoboost.explain import EffectDisplay

figure, panels = plt.subplots(2, 2, figsize=(9, 6), layout="constrained")
EffectDisplay.from_estimator(
    model, table, ["date", "price", "branch", "remark"], target="yes"
).plot(panels)
plt.show()

# %%
# The report
# ----------
#
# One page, one file, nothing from outside: how good the model is on rows left out
# beside simple alternatives, what to do next, what was learned, labels to check, and
# what stands out in the data. Here it is, as it was written:

from html import escape

from agnoboost import report
from agnoboost.tables.encoder import LeftOutWarning

warnings.simplefilter("ignore", LeftOutWarning)  # told above
page = file.with_name("report.html")
report.write(
    model, table, labels, page, target="sold", source=file.name, date="2025-01-01"
)


class Framed:
    """A page inside a page, for notebooks and galleries."""

    def _repr_html_(self):
        style = "width: 100%; height: 34rem; border: 1px solid #c3c9d2"
        inside = escape(page.read_text())
        return f'<iframe title="report" style="{style}" srcdoc="{inside}"></iframe>'


Framed()
