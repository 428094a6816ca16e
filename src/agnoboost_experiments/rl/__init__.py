"""Learning policies where rewards are expensive: worlds that are known exactly, and a pole to balance."""

from ..experiment import Experiment, Option

EXPERIMENT = Experiment(
    "rl",
    __name__,
    "Policies where rewards are expensive: boosting with reward-free episodes, on small worlds and on CartPole.",
    (Option("seeds", 10, "Runs of each kind.", least=2),),
    quick={"seeds": 4, "episodes": (1080, 3600), "worlds": ("bits",)},
)
