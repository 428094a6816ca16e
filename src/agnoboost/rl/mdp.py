"""Finite Markov decision processes with two actions, solved exactly: what learners are measured against.

Actions are -1 and +1 and stand in the order (-1, +1) in tables; a policy is a table of the probability of +1 in each
state. Occupancies are normalised: mu(s) = (1 - beta) * sum over h of beta^h P(s_h = s).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..basics.checks import check_between
from ..basics.typing import Floats, Matrix

_CONVERGED = 1e-12


@dataclass(frozen=True)
class TabularMDP:
    """States 0, 1, ..., with features that policies look at.

    Attributes
    ----------
    name : str
        For messages.
    transition : array of shape (states, 2, states)
        P(s' | s, a).
    reward : array of shape (states, 2)
        Mean rewards, in [0, 1].
    start : array of shape (states,)
        mu_0.
    features : array of shape (states, n_features)
        What policies see of each state.
    beta : float in [0, 1)
        The discount factor.
    reset : array of shape (states,), optional
        nu, for the reset model; mu_0 by default.
    """

    name: str
    transition: Floats
    reward: Floats
    start: Floats
    features: Matrix
    beta: float
    reset: Floats | None = None

    def __post_init__(self) -> None:
        check_between(self.beta, 0.0, 1.0, "beta", open_low=False, open_high=True)
        for name in ("transition", "reward", "start", "features", "reset"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=np.float64))
        if self.features.ndim != 2:
            raise ValueError(f"features must have shape (states, n_features). Got {self.features.shape}.")
        states = len(self.start)
        for name, shape in (("transition", (states, 2, states)), ("reward", (states, 2))):
            if getattr(self, name).shape != shape:
                raise ValueError(f"{name} must have shape {shape}, two actions. Got {getattr(self, name).shape}.")
        if len(self.features) != states:
            raise ValueError(f"features must have a row for each of the {states} states. Got {len(self.features)}.")
        for name in ("transition", "start", *(() if self.reset is None else ("reset",))):
            table = np.asarray(getattr(self, name))
            if (table < 0).any() or not np.allclose(table.sum(axis=-1), 1.0):
                raise ValueError(f"{name} must hold probabilities that sum to 1.")
        if not ((self.reward >= 0) & (self.reward <= 1)).all():  # NaN fails too
            low, high = self.reward.min(), self.reward.max()
            raise ValueError(f"Rewards must be in [0, 1]. Got {low:g} to {high:g}. Scale them: (r - low)/(high - low).")

    @property
    def states(self) -> int:
        """How many there are."""
        return len(self.start)

    def under(self, policy: Floats) -> tuple[Floats, Floats]:
        """Transitions between states, and mean rewards, of a policy."""
        choice = np.column_stack([1.0 - policy, policy])
        return np.einsum("sa,sat->st", choice, self.transition), (choice * self.reward).sum(axis=1)

    def values(self, policy: Floats) -> Floats:
        """V(s), by one linear system."""
        moves, rewards = self.under(policy)
        return np.asarray(np.linalg.solve(np.eye(self.states) - self.beta * moves, rewards), dtype=np.float64)

    def action_values(self, policy: Floats) -> Floats:
        """Q(s, a) (shape: states, 2)."""
        return self.reward + self.beta * self.transition @ self.values(policy)

    def value(self, policy: Floats) -> float:
        """V of the policy from mu_0."""
        return float(self.start @ self.values(policy))

    def occupancy(self, policy: Floats, start: Floats | None = None) -> Floats:
        """mu^pi, from mu_0 or another distribution."""
        moves, _ = self.under(policy)
        begin = self.start if start is None else start
        found = np.linalg.solve(np.eye(self.states) - self.beta * moves.T, (1.0 - self.beta) * begin)
        return np.asarray(found, dtype=np.float64)

    @cached_property
    def best_policy(self) -> Floats:
        """A policy of largest value, by policy iteration."""
        policy = np.ones(self.states)
        while True:
            gain = np.diff(self.action_values(policy), axis=1)[:, 0] * (1.0 - 2.0 * policy)  # of the other action
            if (gain <= _CONVERGED).all():
                return policy
            policy = np.where(gain > _CONVERGED, 1.0 - policy, policy)

    @property
    def best_value(self) -> float:
        """V*."""
        return self.value(self.best_policy)

    def gap(self, policy: Floats) -> float:
        """(V* - V) as a share of what the uniform policy lacks: 0 for the best policy, 1 for a coin."""
        lacking = self.best_value - self.value(np.full(self.states, 0.5))
        if lacking <= _CONVERGED:
            raise ValueError(f"{self.name} has no gap to measure: a coin is as good as the best policy.")
        return (self.best_value - self.value(policy)) / lacking

    def advantage(self, policy: Floats) -> Floats:
        """(1 - beta)(Q(s, +1) - Q(s, -1)): the mean label of the trajectory sampler."""
        q = self.action_values(policy)
        return np.asarray((1.0 - self.beta) * (q[:, 1] - q[:, 0]))

    def signal(self, policy: Floats | None = None) -> float:
        """E|(1 - beta)(Q(s, +1) - Q(s, -1))| over the policy's states (the coin's by default): how hard learning is."""
        policy = np.full(self.states, 0.5) if policy is None else policy
        return float(self.occupancy(policy) @ np.abs(self.advantage(policy)))

    def mismatch(self, policy: Floats | None = None) -> float:
        """max mu*/mu^pi, for one policy (the coin by default); C_inf is the largest over the policies of a run."""
        policy = np.full(self.states, 0.5) if policy is None else policy
        return _largest_ratio(self.occupancy(self.best_policy), self.occupancy(policy))

    @property
    def reset_mismatch(self) -> float:
        """D_inf = max mu*/nu."""
        return _largest_ratio(self.occupancy(self.best_policy), self.start if self.reset is None else self.reset)


def _largest_ratio(above: Floats, below: Floats) -> float:
    known = above > _CONVERGED
    with np.errstate(divide="ignore"):
        return float(np.max(above[known] / below[known]))
