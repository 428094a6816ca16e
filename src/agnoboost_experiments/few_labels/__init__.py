"""Few labels, and many: what a user would try in ten minutes, against what we offer."""

from enum import StrEnum

from ..experiment import DATA, Experiment, Option


class Half(StrEnum):
    """Which tables of a study."""

    reporting = "reporting"
    development = "development"


EXPERIMENT = Experiment(
    "few-labels",
    __name__,
    "50 to 100,000 labels, up to 30% flipped: our classifiers against what a user would try in ten minutes.",
    (
        Option("half", Half.reporting, "The tables that report, or those that recipes were developed on."),
        DATA,
        Option("seeds", 5, "Random splits of each kind.", least=1),
        Option("most_labels", 100_000, "No numbers of labels beyond this one.", least=50),
        Option("tables", None, "Only this table, and others given the same way.", several=True),
        Option("methods", None, "Only this method, and others given the same way.", several=True),
        Option("exclude", None, "Not this method.", several=True),
        Option(
            "beside",
            None,
            "An earlier result (json), whose other tables and methods stand beside those of this run.",
            kind=str,
        ),
        Option("again", None, "Measure this method anew where another version of it was measured.", several=True),
    ),
    quick={"seeds": 1, "most_labels": 50, "fast": True},
)
