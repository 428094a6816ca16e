"""Exact solutions, against brute force and against each other."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest

from agnoboost.rl import WORLDS, TabularMDP
from agnoboost.rl.worlds import chain, garnet


@pytest.mark.parametrize("name", list(WORLDS))
def test_values_and_occupancies_agree(name, rng):
    """V = sum over states and actions of occupancy * policy * reward / (1 - beta)."""
    mdp = WORLDS[name]()
    policy = rng.random(mdp.states)
    occupancy = mdp.occupancy(policy)
    assert occupancy.sum() == pytest.approx(1.0)
    assert (occupancy >= -1e-12).all()
    choice = np.column_stack([1 - policy, policy])
    assert (occupancy[:, None] * choice * mdp.reward).sum() / (1 - mdp.beta) == pytest.approx(mdp.value(policy))
    q = mdp.action_values(policy)
    np.testing.assert_allclose((choice * q).sum(axis=1), mdp.values(policy))


def test_values_are_those_of_a_long_sum(rng):
    mdp, policy = garnet(8, 3), rng.random(8)
    moves, rewards = mdp.under(policy)
    state, total = mdp.start.copy(), 0.0
    for step in range(300):
        total += mdp.beta**step * state @ rewards
        state = state @ moves
    assert total == pytest.approx(mdp.value(policy))


@pytest.mark.parametrize("seed", range(5))
def test_the_best_policy_is_the_best_of_all(seed):
    mdp = garnet(6, 2, seed=seed)
    best = max(mdp.value(np.array(policy, float)) for policy in product((0, 1), repeat=6))
    assert mdp.best_value == pytest.approx(best)
    assert mdp.gap(mdp.best_policy) == pytest.approx(0.0)
    assert mdp.gap(np.full(6, 0.5)) == pytest.approx(1.0)


def test_performance_difference(rng):
    """V' - V = sum of occupancy' * advantage / (1 - beta): ties values, occupancies and action values together."""
    mdp = garnet(10, 3)
    old, new = rng.random(10), rng.random(10)
    advantage = mdp.action_values(old)[:, 1] - mdp.action_values(old)[:, 0]
    expected = mdp.occupancy(new) @ ((new - old) * advantage) / (1 - mdp.beta)
    assert mdp.value(new) - mdp.value(old) == pytest.approx(expected)


def test_the_worlds_are_as_hard_as_they_say():
    signal = {name: make().signal() for name, make in WORLDS.items()}
    assert signal["bits"] > 0.2 > signal["garnet"] > 0.05
    assert signal["chain"] < 1e-3
    assert WORLDS["bits"]().mismatch() < 1.2
    assert WORLDS["chain"]().mismatch() > 1000
    assert chain().reset_mismatch == np.inf
    spread = replace(chain(), reset=np.full(12, 1 / 12))
    assert spread.reset_mismatch < 12


def test_no_single_parity_is_right_in_bits():
    mdp = WORLDS["bits"]()
    right = 2 * mdp.best_policy - 1
    X = mdp.features
    singles = [X[:, list(subset)].prod(axis=1) for k in range(1, 8) for subset in combinations(range(7), k)]
    agreement = max(np.mean(single == right) for single in singles)
    assert agreement == 0.75


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"beta": 1.0}, "beta"),
        ({"beta": -0.1}, "beta"),
        ({"reward": np.full((6, 2), 2.0)}, r"Rewards must be in \[0, 1\].*Scale them"),
        ({"reward": np.full((6, 2), np.nan)}, r"Rewards must be in"),
        ({"reward": np.zeros((6, 3))}, r"two actions"),
        ({"start": np.full(6, 0.5)}, r"start must hold probabilities"),
        ({"features": np.zeros((5, 1))}, r"a row for each of the 6 states"),
        ({"reset": np.full(6, 0.5)}, r"reset must hold probabilities"),
    ],
)
def test_bad_processes(change, message):
    mdp = garnet(6, 2)
    with pytest.raises(ValueError, match=message):
        TabularMDP(**{**vars(mdp), **change})


def test_the_best_policy_is_best_from_every_state():
    """Also where the start does not lead: with few successors some states are far away."""
    from dataclasses import replace

    for seed in (*range(40), 239):
        mdp = replace(garnet(8, 1, beta=0.9, seed=seed), start=np.eye(8)[0])
        values = np.zeros(8)
        for _ in range(400):
            values = (mdp.reward + mdp.beta * mdp.transition @ values).max(axis=1)
        np.testing.assert_allclose(mdp.values(mdp.best_policy), values, atol=1e-9)


def test_tables_may_be_lists_and_must_make_sense():
    from dataclasses import replace

    mdp = garnet(4, 2)
    same = replace(mdp, transition=mdp.transition.tolist(), reward=mdp.reward.tolist(), start=mdp.start.tolist())
    assert same.best_value == mdp.best_value
    with pytest.raises(ValueError, match=r"features must have shape"):
        replace(mdp, features=np.arange(4.0))
    with pytest.raises(ValueError, match=r"a coin is as good"):
        replace(mdp, reward=np.zeros((4, 2))).gap(np.ones(4))
