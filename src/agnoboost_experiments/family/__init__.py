"""All agnostic boosters on the same tasks: what each reaches, and what it costs."""

from ..experiment import Experiment, Option

EXPERIMENT = Experiment(
    "family",
    __name__,
    "Every agnostic booster on the same tasks: excess, labels, unlabeled rows, oracle calls and seconds.",
    (Option("seeds", 10, "Repetitions of every task.", least=2),),
    quick={"seeds": 2, "labels": (400,), "tables": ("ionosphere",)},
)
