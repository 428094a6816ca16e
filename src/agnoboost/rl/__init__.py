"""Reinforcement learning by boosting, where rewards are expensive and episodes without them are not."""

from .boosting import PolicyBooster, PolicyRun
from .completeness import completeness, mismatch
from .evaluation import Evaluation, Predictor, evaluate_policy
from .gymnasium_env import GymSimulator, require_gymnasium
from .ledger import Ledger
from .mdp import TabularMDP
from .policies import Mixture, Policy
from .sampling import Annotated, annotated, reward_free, value_estimate
from .simulators import RewardFree, Simulator, TabularSimulator
from .worlds import WORLDS

__all__ = [
    "WORLDS",
    "Annotated",
    "Evaluation",
    "GymSimulator",
    "Ledger",
    "Mixture",
    "Policy",
    "PolicyBooster",
    "PolicyRun",
    "Predictor",
    "RewardFree",
    "Simulator",
    "TabularMDP",
    "TabularSimulator",
    "annotated",
    "completeness",
    "evaluate_policy",
    "mismatch",
    "require_gymnasium",
    "reward_free",
    "value_estimate",
]
