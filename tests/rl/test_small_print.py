"""Corners of the policy room, one number each."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor

from agnoboost import StumpLearner, Tape
from agnoboost.core.learners import Constant
from agnoboost.core.tape import Add
from agnoboost.rl import (
    Annotated,
    Ledger,
    Mixture,
    PolicyBooster,
    RewardFree,
    TabularMDP,
    TabularSimulator,
    annotated,
    reward_free,
    value_estimate,
)
from agnoboost.rl.evaluation import _own_limit
from agnoboost.rl.worlds import bits, chain, maintenance


def episodes(actions, rewards):
    count = len(actions)
    return Annotated(np.arange(2.0 * count).reshape(count, 2), np.array(actions), np.array(rewards, dtype=float))


@pytest.mark.parametrize(("held_out", "rounds"), [(2, 0), (1, 6)])
def test_two_episodes_are_enough_to_choose_an_iterate_and_one_is_not(held_out, rounds):
    """Training says -1 everywhere, the episodes that are set aside +1: so does H_1 = 0, which is then the choice."""
    seen = episodes([*[1] * held_out, *[-1] * 10], np.ones(10 + held_out))
    booster = PolicyBooster(
        StumpLearner(),
        inner="labeled_only",
        annotated=len(seen),
        held_out=held_out,
        inner_rounds=6,
        labels="fractional",
    )
    assert len(booster._improved(seen, None, np.random.default_rng(0))) == rounds


def test_centred_labels_of_one_episode_and_of_baselines_out_of_range():
    one = episodes([1], [0.75])
    assert one.centred().tolist() == one.targets().tolist() == [0.5]
    four = episodes([1, -1, 1, -1], [1.0, 0.5, 0.25, 0.0])
    far = four.centred(DummyRegressor(strategy="constant", constant=3.0))
    assert far.tolist() == four.targets(1.0).tolist()
    assert np.abs(far).max() <= 1.0


def test_probabilities_never_leave_the_unit_interval():
    up = Tape.of(1.0, [Add(Constant(1), 1)])
    assert Mixture((up, up), (0.6, 0.4 + 1e-12)).chance(np.zeros((2, 1))).max() == 1.0


def test_negative_probabilities_that_sum_to_one_are_refused():
    world = chain(3)
    transition = world.transition.copy()
    transition[0, 0] = [1.5, -0.5, 0.0]
    with pytest.raises(ValueError, match="transition must hold probabilities"):
        TabularMDP("bad", transition, world.reward, world.start, world.features, world.beta)


def test_the_signal_is_that_of_the_policy():
    world = maintenance()
    best, q = world.best_policy, world.action_values(world.best_policy)
    expected = (1 - world.beta) * float(world.occupancy(best) @ np.abs(q[:, 1] - q[:, 0]))
    assert world.signal(best) == pytest.approx(expected)
    assert world.signal(best) != pytest.approx(world.signal())


def test_the_error_of_a_value_is_that_of_a_mean():
    """On average its square is the variance of the estimate: the spread of three values has two degrees of freedom."""
    simulator, rng = TabularSimulator(maintenance()), np.random.default_rng(3)
    found = np.array([value_estimate(simulator, Mixture(), 3, rng, Ledger()) for _ in range(4000)])
    assert np.mean(found[:, 1] ** 2) == pytest.approx(np.var(found[:, 0]), rel=0.1)


def test_limits_of_environments_are_found_behind_wrappers():
    inner = SimpleNamespace(spec=None, _max_episode_steps=7)
    wrapped = SimpleNamespace(spec=SimpleNamespace(max_episode_steps=None), env=inner)
    assert _own_limit(SimpleNamespace(envs=[wrapped])) == 7
    assert _own_limit(inner) == 7
    assert _own_limit(SimpleNamespace(spec=None)) is None


def test_the_worlds_pay_what_they_say():
    assert set(np.unique(bits().reward)) == {0.1, 0.9}
    for length in (10, 12):  # the last lamp shows -1 in the one, +1 in the other
        world = chain(length)
        lamp = world.features[:, 1]
        assert set(lamp) == {-1.0, 1.0}
        expected = np.zeros((length, 2))
        expected[-1, int(lamp[-1] > 0)] = 1.0
        assert world.reward.tolist() == expected.tolist()


def test_simulators_are_told_minus_one_or_plus_one():
    told = set()

    class Watched(TabularSimulator):
        def step(self, states, actions, rng):
            told.update(actions.tolist())
            return super().step(states, actions, rng)

    simulator = Watched(maintenance())
    annotated(simulator, Mixture(), 50, np.random.default_rng(0), Ledger())
    reward_free(RewardFree(simulator), Mixture(), 50, np.random.default_rng(0), Ledger())
    assert told == {-1, 1}
