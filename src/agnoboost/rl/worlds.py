"""Decision processes to try learners on: two that suit boosting, and two hard cases."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np

from ..basics.typing import Floats
from .mdp import TabularMDP


def bits(beta: float = 0.7) -> TabularMDP:
    """128 states of seven bits; the right action is the majority of three parities, which no single parity matches.

    The right action pays .9, the wrong one .1. Most of the time the next state is drawn at random; otherwise one bit
    remembers whether the action was right, so that occupancies of policies differ a little.
    """
    points = np.array(list(product((-1.0, 1.0), repeat=7)))
    votes = np.column_stack([points[:, 0], points[:, 1] * points[:, 2], points[:, 3] * points[:, 4]])
    right = np.sign(votes.sum(axis=1))
    states, numbers = len(points), np.arange(len(points))
    transition = np.full((states, 2, states), 0.8 / states)
    reward = np.empty((states, 2))
    for place, action in enumerate((-1.0, 1.0)):
        correct = right == action
        reward[:, place] = np.where(correct, 0.9, 0.1)
        remembered = np.where(correct, numbers | 1, numbers & ~1)  # the last bit is the lowest of the number
        transition[numbers, place, remembered] += 0.2
    return TabularMDP("bits", transition, reward, np.full(states, 1.0 / states), points, beta)


def maintenance(levels: int = 12, beta: float = 0.8) -> TabularMDP:
    """A machine that wears out: run it (+1) or service it (-1). What a run was worth takes an expensive inspection.

    Running pays more the newer the machine is, and wears it, faster in bad weather. Servicing pays little, and makes it
    as new.
    """
    weather = 2
    states = levels * weather
    transition, reward = np.zeros((states, 2, states)), np.zeros((states, 2))
    for wear, bad in product(range(levels), range(weather)):
        here = wear * weather + bad
        worse = min(wear + 1, levels - 1)
        pace = 0.8 if bad else 0.4
        for other in range(weather):
            chance = 0.7 if other == bad else 0.3
            transition[here, 1, worse * weather + other] += chance * pace
            transition[here, 1, wear * weather + other] += chance * (1.0 - pace)
            transition[here, 0, other] += chance  # as new
        reward[here, 1] = 1.0 - 0.9 * (wear / (levels - 1)) ** 0.5
        reward[here, 0] = 0.3
    features = np.array(list(product(range(levels), range(weather))), dtype=np.float64)
    start = np.zeros(states)
    start[:weather] = 0.5
    return TabularMDP("maintenance", transition, reward, start, features, beta)


def chain(length: int = 12, beta: float = 0.9) -> TabularMDP:
    """A walk with a reward at the far end only: a coin hardly ever gets there, and so sees no signal.

    A lamp shows which action leads on; the other one leads back to the start. To follow the lamp is one stump.
    """
    lamp = np.where(np.arange(length) % 3 == 0, -1.0, 1.0)
    transition, reward = np.zeros((length, 2, length)), np.zeros((length, 2))
    for here, shown in enumerate(lamp):
        on = int(shown > 0)
        transition[here, on, min(here + 1, length - 1)] += 0.9
        transition[here, on, here] += 0.1
        transition[here, 1 - on, 0] += 1.0
    reward[length - 1, int(lamp[-1] > 0)] = 1.0
    start = np.zeros(length)
    start[0] = 1.0
    features = np.column_stack([np.arange(length, dtype=np.float64), lamp])
    return TabularMDP("chain", transition, reward, start, features, beta)


def garnet(states: int = 60, successors: int = 3, beta: float = 0.8, seed: int = 0) -> TabularMDP:
    """Random transitions and rewards; features are random too, and say nothing simple about the right action."""
    rng = np.random.default_rng(seed)
    transition = np.zeros((states, 2, states))
    for here, place in product(range(states), range(2)):
        to = rng.choice(states, successors, replace=False)
        transition[here, place, to] = rng.dirichlet(np.ones(successors))
    reward = rng.random((states, 2))
    features: Floats = rng.normal(size=(states, 6))
    return TabularMDP("garnet", transition, reward, np.full(states, 1.0 / states), features, beta)


World = Callable[..., TabularMDP]
WORLDS: dict[str, World] = {"bits": bits, "maintenance": maintenance, "chain": chain, "garnet": garnet}
