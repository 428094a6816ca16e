"""Tabular Q-learning: what one would try first on a small table, and what wins there."""

from __future__ import annotations

import numpy as np

from agnoboost.basics.typing import Floats, Rng
from agnoboost.rl import TabularMDP, TabularSimulator

REPLAYED = 10  # old transitions that are learned from again with every new one
EXPLORED = 0.1  # the share of random actions
SLOWING = 0.6  # a pair of state and action that was seen n times learns by n^-0.6


def q_learning(mdp: TabularMDP, queries: int, rng: Rng) -> Floats:
    """The greedy policy after so many rewards: one for every step, in episodes that stop with probability 1 - beta.

    Values start at the largest possible, so that what is unknown is tried; old transitions are replayed.
    """
    simulator = TabularSimulator(mdp)
    values = np.full((mdp.states, 2), 1.0 / (1.0 - mdp.beta))
    counts = np.zeros((mdp.states, 2))
    seen: list[tuple[int, int, float, int]] = []
    states = simulator.start(1, rng, reset=False)
    for _ in range(queries):
        here = int(states[0])
        place = int(rng.integers(2)) if rng.random() < EXPLORED else int(values[here, 1] > values[here, 0])
        moved, rewards, _ = simulator.step(states, np.array([2 * place - 1]), rng)
        seen.append((here, place, float(rewards[0]), int(moved[0])))
        for number in (len(seen) - 1, *rng.integers(len(seen), size=REPLAYED)):
            state, action, reward, then = seen[number]
            counts[state, action] += 1
            rate = counts[state, action] ** -SLOWING
            values[state, action] += rate * (reward + mdp.beta * values[then].max() - values[state, action])
        states = moved if rng.random() < mdp.beta else simulator.start(1, rng, reset=False)
    return np.where(values[:, 1] > values[:, 0], 1.0, 0.0)
