"""Table 1 of the paper: six data sets, four noise levels, PAB against Algorithm 1; honestly, and as it was printed."""

from enum import StrEnum

from ..experiment import Experiment, Option


class Protocol(StrEnum):
    """How Table 1 is measured."""

    honest = "honest"
    printed = "printed"


class StumpKind(StrEnum):
    """Which weak learners the boosters have."""

    correlation = "correlation"
    gini = "gini"
    both = "both"


EXPERIMENT = Experiment(
    "table1",
    __name__,
    "Table 1: six data sets, four noise levels, PAB, GS24, Algorithm 1 and what a user would try instead.",
    (
        Option(
            "protocol",
            Protocol.honest,
            "honest: choices on training labels, scores on unseen rows. printed: optimistic.",
        ),
        Option("folds", 50, "Folds (honest) or random splits (printed).", least=2),
        Option("step", 0.1, "Step of Algorithm 1; the paper does not give it."),
        Option(
            "stumps",
            StumpKind.both,
            "Of the boosters. correlation: ours. gini: scikit-learn's, which the paper cites. both: side by side.",
        ),
        Option("held_out", False, "Choose grid point and iterate on a third of the labels, kept for that."),
        Option("estimator_every", 10, "Run our estimator, the slowest, on one fold in so many.", least=1),
        Option(
            "data_sets",
            None,
            "ionosphere, diabetes, spambase, german, sonar or waveform; may be given several times.",
            several=True,
        ),
    ),
    quick={"folds_run": 2, "noise": (0.0, 0.2)},
)
