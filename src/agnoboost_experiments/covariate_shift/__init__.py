"""Unlabeled rows from another distribution: what ignoring the shift costs, and what Algorithm 3 makes of it."""

from ..experiment import Experiment, Option

EXPERIMENT = Experiment(
    "shift",
    __name__,
    "Unlabeled rows from another distribution: Algorithm 3 against ignoring the shift and against labels alone.",
    (Option("repetitions", 32, "Repetitions.", least=2),),
    quick={"repetitions": 8, "labels": (200, 2000)},
)
