"""How many labels each algorithm needs for an excess of epsilon: the paper's central claim as a figure."""

from ..experiment import Experiment, Option

EXPERIMENT = Experiment(
    "complexity",
    __name__,
    "Labels needed for an excess of epsilon: PAB, GS24, Algorithms 1 and 2, labels alone, and trying all targets.",
    (Option("repetitions", 16, "Repetitions, of which the median counts.", least=2),),
    quick={"repetitions": 8, "epsilons": (0.2, 0.1), "votes": (3,)},
)
