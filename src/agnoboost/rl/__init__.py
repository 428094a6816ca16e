"""Reinforcement learning by boosting, where rewards are expensive and episodes without them are not."""

from .boosting import PolicyBooster, PolicyRun
from .ledger import Ledger
from .mdp import TabularMDP
from .policies import Mixture, Policy
from .sampling import Annotated, annotated, reward_free, value_estimate
from .simulators import RewardFree, Simulator, TabularSimulator
from .worlds import WORLDS

__all__ = [
    "WORLDS",
    "Annotated",
    "Ledger",
    "Mixture",
    "Policy",
    "PolicyBooster",
    "PolicyRun",
    "RewardFree",
    "Simulator",
    "TabularMDP",
    "TabularSimulator",
    "annotated",
    "reward_free",
    "value_estimate",
]
