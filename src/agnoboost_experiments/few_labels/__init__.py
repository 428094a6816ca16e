"""Few labels: what a user would try in ten minutes, against what we offer."""

from enum import StrEnum

from ..experiment import DATA, Experiment, Option


class Half(StrEnum):
    """Which tables of the few-label study."""

    reporting = "reporting"
    development = "development"


EXPERIMENT = Experiment(
    "few-labels",
    __name__,
    "50 to 500 labels, up to 30% flipped: our classifiers against what a user would try in ten minutes.",
    (
        Option("half", Half.reporting, "The tables that report, or those that recipes were developed on."),
        DATA,
        Option("seeds", 10, "Random splits of each kind.", least=1),
    ),
    quick={"seeds": 2, "labels": (50,), "flips": (0.0, 0.2), "fast": True},
)
