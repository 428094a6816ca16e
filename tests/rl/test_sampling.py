"""The trajectory samplers, against exact occupancies and advantages."""

import numpy as np
import pytest

from agnoboost.core.sources import OnePass
from agnoboost.rl import (
    Annotated,
    Ledger,
    Mixture,
    RewardFree,
    TabularSimulator,
    annotated,
    reward_free,
    value_estimate,
)
from agnoboost.rl.sampling import one_pass_states
from agnoboost.rl.worlds import bits, chain, garnet, maintenance


class Table:
    """A policy by table, for processes whose first feature is the state's number."""

    def __init__(self, chance):
        self._chance = chance

    def chance(self, observations):
        return self._chance


def sampled_states(simulator, policy, episodes, rng, **how):
    found = annotated(simulator, policy, episodes, rng, Ledger(), **how)
    rows = {bytes(row): number for number, row in enumerate(simulator.mdp.features)}
    return np.array([rows[bytes(row)] for row in found.observations]), found


@pytest.mark.parametrize("world", [bits, garnet, maintenance])
@pytest.mark.parametrize("kind", ["targets", "sampled", "centred"])
def test_labels_have_the_advantage_as_their_mean(world, kind, rng):
    mdp = world()
    chance = rng.random(mdp.states)
    simulator, episodes = TabularSimulator(mdp), 200_000
    states, found = sampled_states(simulator, Table(chance), episodes, rng)
    labels = found.sampled(rng) if kind == "sampled" else getattr(found, kind)()
    scale = 1.0
    if kind == "centred":
        baseline = found.rewards.mean()
        scale = 1.0 / max(2 * baseline, 2 * (1 - baseline))
    exact = scale * mdp.occupancy(chance) * mdp.advantage(chance)
    sums = np.bincount(states, labels, mdp.states) / episodes
    squares = np.bincount(states, labels**2, mdp.states) / episodes
    z = (sums - exact) / np.sqrt(np.maximum(squares - sums**2, 1e-12) / episodes)
    often = mdp.occupancy(chance) * episodes > 50  # elsewhere a normal approximation says nothing
    assert often.sum() >= mdp.states / 4
    assert np.abs(z[often]).max() < 4
    assert np.abs(labels).max() <= 1.0 + 1e-12


def test_states_follow_the_occupancy(rng):
    mdp = garnet()
    chance = rng.random(mdp.states)
    states, _ = sampled_states(TabularSimulator(mdp), Table(chance), 100_000, rng)
    np.testing.assert_allclose(np.bincount(states, minlength=mdp.states) / 1e5, mdp.occupancy(chance), atol=0.005)


@pytest.mark.parametrize("world", [garnet, maintenance, bits])
def test_reward_free_states_follow_the_occupancy(world, rng):
    mdp = world()
    chance = rng.random(mdp.states)
    rows = {bytes(row): number for number, row in enumerate(mdp.features)}
    seen = reward_free(RewardFree(TabularSimulator(mdp)), Table(chance), 100_000, rng, Ledger())
    assert len(seen) == 100_000
    counts = np.bincount([rows[bytes(row)] for row in seen], minlength=mdp.states)
    np.testing.assert_allclose(counts / 1e5, mdp.occupancy(chance), atol=0.006)


def test_the_reset_model_starts_elsewhere(rng):
    from dataclasses import replace

    nu = np.zeros(12)
    nu[6] = 1.0
    mdp = replace(chain(), reset=nu)
    chance = rng.random(12)
    states, _ = sampled_states(TabularSimulator(mdp), Table(chance), 50_000, rng, reset=True)
    np.testing.assert_allclose(np.bincount(states, minlength=12) / 5e4, mdp.occupancy(chance, nu), atol=0.01)


def test_centred_labels_are_less_noisy(rng):
    """Rare rewards: the paper's label is mostly the other action."""
    mdp = maintenance()
    simulator = TabularSimulator(mdp)
    found = annotated(simulator, Mixture(), 20_000, rng, Ledger())
    rare = Annotated(found.observations, found.actions, found.rewards * 0.1)
    states = {bytes(row): number for number, row in enumerate(mdp.features)}
    numbers = np.array([states[bytes(row)] for row in found.observations])
    weight = np.sign(mdp.advantage(np.full(mdp.states, 0.5)))[numbers]  # the right action, where s was seen

    def signal_to_noise(labels):
        return np.mean(weight * labels) / np.std(weight * labels)

    plain, centred = rare.targets(), rare.centred()
    assert np.var(centred) < np.var(plain) / 2
    assert signal_to_noise(centred) > 1.5 * signal_to_noise(plain) > 0


def rows_equal(table, row):
    return np.equal(table, row).all(axis=1)


def test_pools_carry_the_targets(rng):
    found = annotated(TabularSimulator(garnet()), Mixture(), 50, rng, Ledger())
    targets = found.targets()
    pool = found.labeled(targets)
    assert len(pool) == 2 * len({bytes(row) for row in found.observations}) < 100  # a state stands there once
    for state in found.observations:
        here, own = (rows_equal(table, state) for table in (pool.X, found.observations))
        assert (pool.y * pool.mass)[here].sum() == pytest.approx(targets[own].sum() / 50)
        assert pool.mass[here].sum() == pytest.approx(own.mean())


def test_equal_states_are_counted_but_drawn_all_the_same(rng):
    """Both forms of a one-pass source hand out the same states in the same order, each once."""
    numbers = rng.integers(5, size=60)
    states = np.column_stack([numbers, -numbers]).astype(float)
    counted, plain = one_pass_states(states), OnePass(states)
    assert type(counted) is not OnePass
    draws = []
    for source in (counted, plain):
        own = np.random.default_rng(3)
        draws.append([source.draw(20, own) for _ in range(3)])
        assert source.remaining == 0
    for one, other in zip(*draws, strict=True):
        assert one.X is draws[0][0].X
        for row in one.X:
            assert one.mass[rows_equal(one.X, row)].sum() == pytest.approx(rows_equal(other.X, row).mean())
    assert type(one_pass_states(rng.normal(size=(60, 2)))) is OnePass  # nothing to count


def test_values_are_estimated_from_one_reward_an_episode(rng):
    mdp = garnet()
    ledger = Ledger()
    value, error = value_estimate(TabularSimulator(mdp), Table(np.full(60, 0.3)), 50_000, rng, ledger)
    assert abs(value - mdp.value(np.full(60, 0.3))) < 4 * error
    # One reward in [0, 1] divided by 1 - beta: plan("rl") counts rollouts for values in an interval of this width.
    assert error <= 1.01 / (1 - mdp.beta) / 2 / np.sqrt(50_000)
    assert (ledger.annotated_episodes, ledger.reward_queries) == (50_000, 50_000)


def test_the_ledger_counts_what_was_spent(rng):
    simulator, ledger = TabularSimulator(garnet(beta=0.75)), Ledger()
    annotated(simulator, Mixture(), 1000, rng, ledger)
    assert (ledger.annotated_episodes, ledger.reward_queries, ledger.reward_free_episodes) == (1000, 1000, 0)
    assert 6000 < ledger.steps < 8000  # 3 before and 4 after, on average
    before = ledger.copy()
    reward_free(RewardFree(simulator), Mixture(), 500, rng, ledger)
    since = ledger - before
    assert (since.annotated_episodes, since.reward_queries, since.reward_free_episodes) == (0, 0, 500)
    assert 1200 < since.steps < 1800
    assert "reward queries: 1,000" in str(ledger)


class Ending:
    """Episodes that end after their first step; rewards outside [0, 1] if asked for."""

    beta, n_features, most, nothing = 0.5, 1, 300, 0.0

    def __init__(self, reward=1.0):
        self._reward = reward

    def start(self, count, rng, *, reset):
        return np.zeros(count, dtype=np.int64)

    def observe(self, states):
        return states[:, None].astype(float)

    def step(self, states, actions, rng):
        count = len(states)
        return states + 1, np.full(count, self._reward), np.ones(count, dtype=bool)

    def chances(self, policy):
        return lambda states: np.full(len(states), 0.5)


def test_episodes_that_have_ended_are_left_out_and_pay_nothing(rng):
    ledger = Ledger()
    found = annotated(Ending(), Mixture(), 10_000, rng, ledger)
    assert 4700 < len(found) < 5300  # half of the episodes stop at once, the others have ended by then
    assert (found.observations == 0).all()
    assert found.rewards.mean() == pytest.approx(0.5, abs=0.03)  # the geometric time is 1 for half of them
    assert ledger.reward_queries == found.rewards.sum()  # all others had ended before they could be paid
    assert ledger.annotated_episodes == 10_000
    _, before = value_estimate(Ending(), Mixture(), 1000, rng, ledger), ledger.reward_queries
    assert 400 < before - found.rewards.sum() < 600


def test_an_episode_that_has_ended_pays_what_the_scale_makes_of_nothing(rng):
    simulator = Ending(0.5)
    simulator.nothing = 0.75
    found = annotated(simulator, Mixture(), 1000, rng, Ledger())
    assert set(found.rewards.tolist()) == {0.5, 0.75}


def test_episodes_that_all_end_too_soon_are_refused(rng):
    simulator = Ending()
    simulator.beta = 0.999
    with pytest.raises(ValueError, match=r"Got none of 3. Run more"):
        annotated(simulator, Mixture(), 3, rng, Ledger())
    with pytest.raises(ValueError, match=r"Got none of 3. Run more"):
        reward_free(RewardFree(simulator), Mixture(), 3, rng, Ledger())


@pytest.mark.parametrize("reward", [1.5, -0.1, np.nan])
def test_bad_rewards(reward, rng):
    with pytest.raises(ValueError, match=r"Rewards must be in \[0, 1\]"):
        annotated(Ending(reward), Mixture(), 10, rng, Ledger())


def test_the_simulator_moves_as_the_table_says(rng):
    mdp = garnet(7, 3)
    simulator = TabularSimulator(mdp)
    for state in range(7):
        for place, action in enumerate((-1, 1)):
            moved, rewards, ended = simulator.step(np.full(40_000, state), np.full(40_000, action), rng)
            np.testing.assert_allclose(np.bincount(moved, minlength=7) / 4e4, mdp.transition[state, place], atol=0.012)
            assert (rewards == mdp.reward[state, place]).all()
            assert not ended.any()


class WithAnEnd(TabularSimulator):
    """The same table, but episodes end in its first state, which pays nothing."""

    def step(self, states, actions, rng):
        moved, rewards, _ = super().step(states, actions, rng)
        return moved, rewards, moved == 0


def with_an_end():
    """Garnet with an end, as a table: the first state is never left, and pays nothing."""
    from dataclasses import replace

    mdp = garnet(20, 3)
    transition, reward, start = mdp.transition.copy(), mdp.reward.copy(), mdp.start.copy()
    transition[0], reward[0] = 0.0, 0.0
    transition[0, :, 0] = 1.0
    start[0] = 0.0
    return replace(mdp, transition=transition, reward=reward, start=start / start.sum())


@pytest.mark.parametrize("kind", ["targets", "centred"])
def test_leaving_out_ended_episodes_keeps_the_direction(kind, rng):
    """In the state that is never left both actions are worth the same: its labels are pure noise."""
    mdp = with_an_end()
    chance, episodes = rng.random(mdp.states), 200_000
    states, found = sampled_states(WithAnEnd(mdp), Table(chance), episodes, rng)
    assert len(found) < 0.9 * episodes
    assert (states != 0).all()
    assert mdp.advantage(chance)[0] == 0.0
    labels = getattr(found, kind)()
    baseline = found.rewards.mean() if kind == "centred" else 0.5
    exact = mdp.occupancy(chance) * mdp.advantage(chance) / (2 * max(baseline, 1 - baseline))
    sums = np.bincount(states, labels, mdp.states) / episodes
    squares = np.bincount(states, labels**2, mdp.states) / episodes
    z = (sums - exact)[1:] / np.sqrt(np.maximum(squares - sums**2, 1e-12) / episodes)[1:]
    assert np.abs(z).max() < 4


def test_a_baseline_by_state_keeps_the_direction_and_takes_noise_away(rng):
    """The advantage is still the mean of a label; what the state alone explains is gone from its spread."""
    from sklearn.tree import DecisionTreeRegressor

    mdp = garnet(beta=0.3)
    chance, episodes = rng.random(mdp.states), 100_000
    states, found = sampled_states(TabularSimulator(mdp), Table(chance), episodes, rng)
    plain, by_state = found.centred(), found.centred(DecisionTreeRegressor(min_samples_leaf=200))
    baseline = DecisionTreeRegressor(min_samples_leaf=200).fit(found.observations, found.rewards).predict(mdp.features)
    scale = 2 * np.max(np.maximum(baseline, 1 - baseline))
    exact = mdp.occupancy(chance) * mdp.advantage(chance) / scale
    sums = np.bincount(states, by_state, mdp.states) / episodes
    squares = np.bincount(states, by_state**2, mdp.states) / episodes
    often = mdp.occupancy(chance) * episodes > 50
    z = (sums - exact) / np.sqrt(np.maximum(squares - sums**2, 1e-12) / episodes)
    assert np.abs(z[often]).max() < 4
    mean = found.rewards.mean()
    assert np.std(by_state) * scale < 0.95 * np.std(plain) * 2 * max(mean, 1 - mean)
