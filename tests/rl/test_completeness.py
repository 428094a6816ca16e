"""Policy completeness and mismatch, against brute force."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from agnoboost.rl import TabularMDP, completeness, mismatch
from agnoboost.rl.worlds import garnet


def lacking(mdp, policy, candidate, start):
    """The definition, sum by sum: occupancies as a long sum, values by iteration."""
    chance = np.array([1 - policy, policy]).T
    moves = sum(chance[:, [a]] * mdp.transition[:, a] for a in range(2))
    V, now, often = np.zeros(mdp.states), np.array(start, dtype=float), np.zeros(mdp.states)
    for step in range(200):
        often += (1 - mdp.beta) * mdp.beta**step * now
        now = now @ moves
        V = (chance * mdp.reward).sum(axis=1) + mdp.beta * moves @ V
    total = 0.0
    for s in range(mdp.states):
        Q = [mdp.reward[s, a] + mdp.beta * mdp.transition[s, a] @ V for a in range(2)]
        total += often[s] * (max(Q) - (1 - candidate[s]) * Q[0] - candidate[s] * Q[1])
    return total


def hull(candidates, parts=20):
    """All mixtures of these policies, on a grid."""
    weights = [w for w in product(range(parts + 1), repeat=len(candidates)) if sum(w) == parts]
    return np.array(weights) @ np.asarray(candidates, dtype=float) / parts


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("with_reset", [False, True])
def test_two_states_by_brute_force(seed, with_reset):
    mdp = replace(garnet(2, 2, beta=0.6, seed=seed), reset=np.array([0.9, 0.1]))
    candidates = [[1.0, 1.0], [0.0, 1.0], [0.3, 0.6]]
    policies = hull(candidates, 8)
    start = mdp.reset if with_reset else mdp.start
    expected = max(min(lacking(mdp, policy, np.array(c), start) for c in candidates) for policy in policies)
    assert completeness(mdp, policies, candidates, mdp.reset if with_reset else None) == pytest.approx(expected)
    ratios = [np.max(mdp.occupancy(mdp.best_policy) / mdp.occupancy(policy)) for policy in policies]
    assert mismatch(mdp, policies) == pytest.approx(max(ratios))


def test_all_policies_give_the_same_where_actions_move_nothing(rng):
    """Then E is what the best candidate lacks in rewards: V* - max V = E/(1 - beta), for every mixture."""
    states = 5
    move = rng.dirichlet(np.ones(states), states)
    mdp = TabularMDP(
        "fixed moves", np.repeat(move[:, None, :], 2, axis=1), rng.random((states, 2)), rng.dirichlet(np.ones(states)),
        np.eye(states), 0.7, rng.dirichlet(np.ones(states)),
    )  # fmt: skip
    candidates = rng.integers(2, size=(3, states)).astype(float)
    E = completeness(mdp, hull(candidates), candidates)
    assert E > 0.01
    assert completeness(mdp, rng.random(states), candidates) == pytest.approx(E)
    assert mdp.best_value - max(map(mdp.value, candidates)) == pytest.approx(E / (1 - mdp.beta))
    assert completeness(mdp, hull(candidates), candidates, mdp.reset) != pytest.approx(E)
    assert completeness(mdp, candidates, np.vstack([candidates, mdp.best_policy])) == pytest.approx(0.0)
    assert mismatch(mdp, hull(candidates)) == pytest.approx(1.0)


def test_more_candidates_lack_less_and_more_policies_more(rng):
    mdp = garnet(6, 2)
    policies, candidates = rng.random((8, 6)), rng.random((8, 6))
    assert completeness(mdp, policies, candidates[:4]) >= completeness(mdp, policies, candidates)
    assert completeness(mdp, policies[:4], candidates) <= completeness(mdp, policies, candidates)
    assert mismatch(mdp, policies) == max(mdp.mismatch(policy) for policy in policies)


@pytest.mark.parametrize("bad", [[0.5], [[0.5, 2.0]], [[np.nan, 0.5]], np.zeros((0, 2))])
def test_bad_tables(bad):
    mdp = garnet(2, 2)
    with pytest.raises(ValueError, match=r"candidates must hold a probability of \+1 for each of the 2 states"):
        completeness(mdp, [0.5, 0.5], bad)
    with pytest.raises(ValueError, match=r"policies must hold"):
        mismatch(mdp, bad)
