"""The trajectory samplers: states as a policy visits them, with a label for the better action or without.

An episode runs for a geometric number of steps, so that its last state s is drawn from the discounted occupancy of the
policy. In a *reward-annotated* episode an action a' is then drawn by a fair coin and taken, the policy goes on for
another geometric number of steps, and the one reward received at the end, r, is looked at. Since

    E[r | s, a'] = (1 - beta) Q(s, a'),

the mean label a' (2 r - 1) has expectation (1 - beta)(Q(s, +1) - Q(s, -1)) given s: the better action, on average.
(The paper prints the sum of rewards instead, which is no probability; see docs/paper.md.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .._checks import check_count
from .._typing import Bools, Floats, Ints, Matrix, Rng
from ..sources import Pool
from .ledger import Ledger
from .policies import Policy
from .simulators import RewardFree, Simulator, States

LONGEST = 100_000  # steps of an episode; one that is longer is taken for one that never ends


@dataclass(frozen=True)
class Annotated:
    """Reward-annotated episodes: what was seen at s, the action taken there, and the one reward that was looked at.

    Episodes that had ended before s are left out: there is nothing to decide.
    """

    observations: Matrix
    actions: Ints
    rewards: Floats

    def __len__(self) -> int:
        return len(self.actions)

    def targets(self, baseline: float | Floats = 0.5) -> Floats:
        """Mean labels in [-1, 1].

        a' (2 r - 1) is the paper's label, without the coin that it draws. Any ``baseline`` that does not depend on the
        action may take the place of 1/2: a' * 2 (r - b), divided by its largest possible value, has an expectation in
        proportion to the same advantage, and less noise if b is near the mean reward. (This is beyond the paper.)
        """
        largest = 2.0 * np.maximum(baseline, 1.0 - np.asarray(baseline))
        return np.asarray(self.actions * 2.0 * (self.rewards - baseline) / np.max(largest))

    def labeled(self, targets: Floats) -> Pool:
        """Both labels of every row, with the mass that makes ``targets`` their mean: fractional relabeling."""
        rows = np.concatenate([self.observations, self.observations])
        labels = np.repeat([1.0, -1.0], len(self))
        return Pool(rows, labels, np.concatenate([1.0 + targets, 1.0 - targets]))

    def centred(self) -> Floats:
        """:meth:`targets` with the mean reward as baseline, each half of the episodes using that of the other half."""
        half = len(self) // 2
        if half == 0:
            return self.targets()
        baseline = np.empty(len(self))
        baseline[:half], baseline[half:] = self.rewards[half:].mean(), self.rewards[:half].mean()
        return self.targets(baseline)

    def sampled(self, rng: Rng) -> Floats:
        """The paper's labels: a' with probability r, else the other action."""
        return np.where(rng.random(len(self)) < self.rewards, self.actions, -self.actions).astype(np.float64)

    def take(self, rows: slice) -> Annotated:
        """Some of the episodes."""
        return Annotated(self.observations[rows], self.actions[rows], self.rewards[rows])


def value_estimate(
    simulator: Simulator, policy: Policy, episodes: int, rng: Rng, ledger: Ledger
) -> tuple[float, float]:
    """V from mu_0 and its standard error, from one reward an episode: at a geometric time its mean is (1 - beta) V."""
    found = _rewards_at_the_end(simulator, policy, simulator.start(episodes, rng, reset=False), None, rng, ledger)
    ledger.annotated_episodes += episodes
    ledger.reward_queries += episodes
    values = found / (1.0 - simulator.beta)
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(episodes))


def annotated(
    simulator: Simulator, policy: Policy, episodes: int, rng: Rng, ledger: Ledger, *, reset: bool = False
) -> Annotated:
    """Run reward-annotated episodes; one reward is looked at in each."""
    check_count(episodes, "episodes")
    states, alive = _stop(RewardFree(simulator), simulator.chances(policy), episodes, rng, ledger, reset)
    seen = simulator.observe(states)
    first = np.where(rng.random(episodes) < 0.5, 1, -1)
    rewards = _rewards_at_the_end(simulator, policy, states[alive], first[alive], rng, ledger)
    ledger.annotated_episodes += episodes
    ledger.reward_queries += len(rewards)
    return Annotated(np.asarray(seen)[alive], first[alive], rewards)


def _rewards_at_the_end(
    simulator: Simulator, policy: Policy, states: States, first: Ints | None, rng: Rng, ledger: Ledger
) -> Floats:
    """Go on from these states (with these first actions) for a geometric number of steps; the reward of the last one.

    An episode that ends before receives nothing at that time.
    """
    chance, count = simulator.chances(policy), len(states)
    rewards, running = np.zeros(count), np.arange(count)
    left = rng.geometric(1.0 - simulator.beta, count)
    actions = np.where(rng.random(count) < chance(states), 1, -1) if first is None else first.copy()
    for _ in range(LONGEST):
        if not len(running):
            return rewards
        moved, received, ended = simulator.step(states[running], actions[running], rng)
        ledger.steps += len(running)
        left[running] -= 1
        last = left[running] == 0
        _check_rewards(received[last])
        rewards[running[last]] = received[last]
        states[running] = moved
        running = running[~last & ~ended]
        actions[running] = np.where(rng.random(len(running)) < chance(states[running]), 1, -1)
    raise RuntimeError(_endless(simulator.beta))


def reward_free(
    simulator: RewardFree, policy: Policy, episodes: int, rng: Rng, ledger: Ledger, *, reset: bool = False
) -> Matrix:
    """Observations at the last states of reward-free episodes; those that had ended before are left out."""
    check_count(episodes, "episodes")
    states, alive = _stop(simulator, simulator.chances(policy), episodes, rng, ledger, reset)
    ledger.reward_free_episodes += episodes
    return np.asarray(simulator.observe(states))[alive]


def _stop(
    simulator: RewardFree, chance: Callable[[States], Floats], episodes: int, rng: Rng, ledger: Ledger, reset: bool
) -> tuple[States, Bools]:
    """Run each episode for a geometric number of steps: its state then, and whether it was still running."""
    states = simulator.start(episodes, rng, reset=reset)
    left = rng.geometric(1.0 - simulator.beta, episodes) - 1
    alive = np.ones(episodes, dtype=bool)
    running = np.flatnonzero(left > 0)
    for _ in range(LONGEST):
        if not len(running):
            return states, alive
        actions = np.where(rng.random(len(running)) < chance(states[running]), 1, -1)
        moved, ended = simulator.advance(states[running], actions, rng)
        ledger.steps += len(running)
        states[running] = moved
        alive[running[ended]] = False
        left[running] -= 1
        running = running[(left[running] > 0) & ~ended]
    raise RuntimeError(_endless(simulator.beta))


def _check_rewards(rewards: Floats) -> None:
    if not ((rewards >= 0.0) & (rewards <= 1.0)).all():  # NaN fails too
        raise ValueError(
            f"Rewards must be in [0, 1]. Got {rewards.min():g} to {rewards.max():g}. Say how to scale them: (r - low)/"
            "(high - low)."
        )


def _endless(beta: float) -> str:
    return f"An episode took more than {LONGEST} steps. With beta={beta:g} that should not happen; is beta below 1?"
