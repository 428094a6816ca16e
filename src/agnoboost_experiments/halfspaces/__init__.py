"""Halfspaces over the hypercube under agnostic noise, learned by boosting parities; unlabeled points cost nothing."""

from ..experiment import Experiment, Option

EXPERIMENT = Experiment(
    "halfspaces",
    __name__,
    "Halfspaces over the hypercube under agnostic noise, by boosting parities; unlabeled points are free.",
    (Option("seeds", 8, "Random halfspaces of each kind.", least=2),),
    quick={"seeds": 4, "labels": (1000, 3000), "shapes": ((20, 2),), "noise": ("nuisance",)},
)
