"""Environments as samplers need them: many episodes side by side, with two actions, -1 and +1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from ..basics.checks import check_between
from ..basics.typing import Bools, Floats, Ints, Matrix, Rng
from .mdp import TabularMDP
from .policies import Policy

States = Any  # whatever a simulator uses for the states of many episodes; numpy indexing must work


LONGEST = 100_000  # steps of an episode; one that is longer is taken for one that never ends


class Simulator(Protocol):
    """Runs many episodes at once."""

    beta: float
    n_features: int
    most: int | None  # how many episodes can run side by side; None for any number
    nothing: float  # what an episode that has ended pays, on the scale [0, 1] of rewards

    def start(self, count: int, rng: Rng, *, reset: bool) -> States:
        """First states of ``count`` episodes: from mu_0, or with ``reset`` from nu."""

    def observe(self, states: States) -> Matrix:
        """What policies see, one row an episode."""

    def step(self, states: States, actions: Ints, rng: Rng) -> tuple[States, Floats, Bools]:
        """The next states, the rewards in [0, 1], and which episodes have ended."""

    def chances(self, policy: Policy) -> Callable[[States], Floats]:
        """How likely a policy is to choose +1, as a function of states."""


class RewardFree:
    """A simulator without its rewards: what reward-free episodes are drawn from cannot show them.

    Parameters
    ----------
    simulator : Simulator
        Whose rewards are hidden.
    """

    def __init__(self, simulator: Simulator):
        self._simulator = simulator
        self.beta, self.n_features, self.most = simulator.beta, simulator.n_features, simulator.most
        self.nothing = 0.0  # never used
        self.start, self.observe, self.chances = simulator.start, simulator.observe, simulator.chances

    def advance(self, states: States, actions: Ints, rng: Rng) -> tuple[States, Bools]:
        """The next states, and which episodes have ended."""
        moved, _, ended = self._simulator.step(states, actions, rng)
        return moved, ended


class TabularSimulator:
    """Episodes of a finite decision process, by table look-up.

    Parameters
    ----------
    mdp : TabularMDP
        The process.
    """

    def __init__(self, mdp: TabularMDP):
        self.mdp = mdp
        self.beta, self.n_features = mdp.beta, mdp.features.shape[1]
        self.most: int | None = None
        self.nothing = 0.0
        states = mdp.states
        # All rows of cumulative probabilities in one increasing list: row number + probability finds a successor.
        rows = np.cumsum(mdp.transition.reshape(2 * states, states), axis=1)
        rows[:, -1] = 1.0
        self._cumulative = (rows + np.arange(2 * states)[:, None]).ravel()
        self._begin = {False: np.cumsum(mdp.start), True: np.cumsum(mdp.start if mdp.reset is None else mdp.reset)}

    def start(self, count: int, rng: Rng, *, reset: bool) -> Ints:
        found = np.searchsorted(self._begin[reset], rng.random(count), side="right")
        return np.minimum(found, self.mdp.states - 1)

    def observe(self, states: Ints) -> Matrix:
        return self.mdp.features[states]

    def step(self, states: Ints, actions: Ints, rng: Rng) -> tuple[Ints, Floats, Bools]:
        places = (actions > 0).astype(np.int64)
        rows = 2 * states + places
        found = np.searchsorted(self._cumulative, rows + rng.random(len(states)), side="right")
        moved = np.minimum(found - rows * self.mdp.states, self.mdp.states - 1)
        return moved, self.mdp.reward[states, places], np.zeros(len(states), dtype=bool)

    def chances(self, policy: Policy) -> Callable[[Ints], Floats]:
        table = policy.chance(self.mdp.features)
        return lambda states: table[states]


def check_discount(beta: float) -> None:
    """Raise ValueError for episodes that would never end, or hardly ever."""
    check_between(beta, 0.0, 1.0, "beta", open_low=False, open_high=True)
    if (1.0 - beta) * LONGEST < 50:  # one episode in e^50 would be longer
        raise ValueError(
            f"Episodes must end: they are stopped after 1/(1 - beta) steps on average. Got beta={beta:g}, which means "
            f"{1.0 / (1.0 - beta):,.0f} steps; pass a beta of at most {1.0 - 50 / LONGEST:g}."
        )


def check_reward_range(rewards: Floats) -> None:
    """Raise ValueError for rewards that are not in [0, 1]."""
    if not ((rewards >= 0.0) & (rewards <= 1.0)).all():  # NaN fails too
        raise ValueError(
            f"Rewards must be in [0, 1], after scaling by their stated range if any. Got {rewards.min():g} to "
            f"{rewards.max():g}. State their whole range, GymSimulator(..., rewards=(low, high)), or scale them."
        )
