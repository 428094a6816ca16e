"""The meta-algorithm on processes that are known exactly."""

from dataclasses import replace

import numpy as np
import pytest

from agnoboost import ParityLearner, StumpLearner
from agnoboost.core.learners.parity import Parity
from agnoboost.core.tape import Add, Tape
from agnoboost.rl import Ledger, Mixture, PolicyBooster, TabularSimulator
from agnoboost.rl.boosting import INNER
from agnoboost.rl.worlds import bits, maintenance


class NoRewards(TabularSimulator):
    """The same process, but nobody knows its rewards."""

    def step(self, states, actions, rng):
        moved, rewards, ended = super().step(states, actions, rng)
        return moved, np.full_like(rewards, np.nan), ended


def gap(mdp, policy):
    return mdp.gap(policy.chance(mdp.features))


@pytest.mark.parametrize("inner", INNER)
def test_every_inner_booster_improves_on_a_coin(inner):
    mdp = bits()
    booster = PolicyBooster(ParityLearner(2), inner, outer_rounds=3, annotated=4000, reward_free=2000)
    run = booster.run(TabularSimulator(mdp), 0)
    assert gap(mdp, run.policy) < 0.6
    assert run.ledger.annotated_episodes == run.ledger.reward_queries == 12_000 + 4 * booster.rollouts
    assert run.ledger.reward_free_episodes == (6000 if inner.startswith("algorithm") else 0)
    assert [spent.annotated_episodes for spent in run.spent] == [0, 4000, 8000, 12_000]


def test_stumps_learn_to_service_the_machine():
    mdp = maintenance()
    run = PolicyBooster(StumpLearner(), outer_rounds=6, annotated=2000).run(TabularSimulator(mdp), 0)
    assert gap(mdp, run.policy) < 0.2


def test_reward_free_episodes_cannot_see_rewards():
    """A simulator whose rewards are all NaN, for the reward-free episodes, leaves the model as it is."""
    booster = PolicyBooster(ParityLearner(2), outer_rounds=2, annotated=200, reward_free=500)
    plain, blind = (
        booster.run(TabularSimulator(bits()), 0, reward_free_simulator=hidden) for hidden in (None, NoRewards(bits()))
    )
    assert plain.policies == blind.policies
    assert plain.ledger == blind.ledger


def test_the_same_seed_gives_the_same_policy():
    booster = PolicyBooster(ParityLearner(2), outer_rounds=2, annotated=200, reward_free=300)
    first, second, other = (booster.run(TabularSimulator(bits()), seed) for seed in (1, 1, 2))
    assert first.policies == second.policies
    assert first.policies != other.policies


def test_rollouts_choose_and_are_paid_for():
    mdp = bits()
    booster = PolicyBooster(ParityLearner(2), outer_rounds=3, annotated=500, reward_free=500, rollouts=2000)
    run = booster.run(TabularSimulator(mdp), 0)
    assert run.ledger.reward_queries == 3 * 500 + 4 * 2000
    assert run.chosen == int(np.argmax([value for value, _ in run.estimates]))
    for policy, (value, error) in zip(run.policies, run.estimates, strict=True):
        assert abs(value - mdp.value(policy.chance(mdp.features))) < 4.5 * error


def test_the_best_policy_is_taken_and_not_the_last():
    """Judged by rewards that are the other way round, everything that was learned is worse than the coin."""
    mdp = bits()
    against = TabularSimulator(replace(mdp, reward=1.0 - mdp.reward))
    booster = PolicyBooster(ParityLearner(2), outer_rounds=2, annotated=2000, reward_free=600)
    assert booster.rollouts == 200  # post-selection is part of Algorithm 4
    judged = booster.run(TabularSimulator(mdp), 0, judge=against)
    assert judged.chosen == 0
    assert judged.policy == judged.policies[0] == Mixture(n_features=7)
    assert "policy 0 of 0 to 2 (the best by rollouts, value " in str(judged)
    last = replace(booster, rollouts=0).run(TabularSimulator(mdp), 0, judge=against)
    assert (last.chosen, last.estimates) == (2, [])
    assert last.policies == judged.policies
    assert "policy 2 of 0 to 2 (the last: there were no rollouts to choose by)" in str(last)


def test_a_judge_that_sees_further_and_likelier_actions():
    """Rollouts are run where they are told to, with the coin left out."""
    mdp, longer = bits(), bits(beta=0.9)
    booster = PolicyBooster(
        ParityLearner(2), outer_rounds=2, annotated=500, reward_free=500, rollouts=4000, judge_likelier=True
    )
    run = booster.run(TabularSimulator(mdp), 0, judge=TabularSimulator(longer))
    for policy, (value, error) in zip(run.policies, run.estimates, strict=True):
        likelier = (policy.chance(mdp.features) >= 0.5).astype(float)
        np.testing.assert_array_equal(policy.likelier.chance(mdp.features), likelier)
        assert abs(value - longer.value(likelier)) < 4.5 * error


def test_every_round_is_told():
    seen = []
    booster = PolicyBooster(ParityLearner(1), outer_rounds=3, annotated=50, reward_free=50, inner_rounds=2)
    run = booster.run(TabularSimulator(bits()), 0, on_round=lambda policy, ledger: seen.append(ledger))
    assert [ledger.annotated_episodes for ledger in seen] == [50, 100, 150]
    assert run.ledger.annotated_episodes == 150 + 4 * 200  # and then the rollouts


def test_a_baseline_that_draws_is_seeded():
    from sklearn.ensemble import RandomForestRegressor

    booster = PolicyBooster(
        ParityLearner(2), outer_rounds=2, annotated=200, reward_free=100, baseline=RandomForestRegressor(3)
    )
    first, second = (booster.run(TabularSimulator(bits()), 0).policies for _ in range(2))
    assert first == second


def test_what_cannot_work_is_refused_before_an_episode_is_run():
    class Counting(TabularSimulator):
        steps = 0

        def step(self, states, actions, rng):
            Counting.steps += 1
            return super().step(states, actions, rng)

    with pytest.raises(ValueError, match=r"Parities need features"):
        PolicyBooster(ParityLearner(1)).run(Counting(maintenance()), 0)
    with pytest.raises(ValueError, match=r"planned for beta=0.5. Got beta=0.7"):
        PolicyBooster(ParityLearner(1), beta=0.5).run(Counting(bits()), 0)
    with pytest.raises(ValueError, match=r"must have the same beta, 0.7. Got 0.8"):
        PolicyBooster(ParityLearner(1)).run(Counting(bits()), 0, reward_free_simulator=TabularSimulator(bits(beta=0.8)))
    assert Counting.steps == 0


def test_a_policy_is_a_function_of_an_observation():
    up = Tape.of(1.0, [Add(Parity((), 1), 1)])
    policy = Mixture((up,), (1.0,))
    assert policy(np.zeros((2, 3))).tolist() == [1, 1]
    assert policy(np.zeros(3)) == policy.act([0.0, 0.0, 0.0]) == 1


def test_outer_steps():
    """2/(t + 2) for t = 0, 1, 2: the coin goes first; or always the same, and the coin fades."""
    settings = {"outer_rounds": 3, "annotated": 50, "reward_free": 50, "inner_rounds": 2}
    usual = PolicyBooster(ParityLearner(1), **settings).run(TabularSimulator(bits()), 0).policies
    assert [policy.weights for policy in usual[1:]] == [
        (1.0,), pytest.approx((1 / 3, 2 / 3)), pytest.approx((1 / 6, 1 / 3, 1 / 2))
    ]  # fmt: skip
    longer = PolicyBooster(ParityLearner(1), mismatch=1.5, **settings).run(TabularSimulator(bits()), 0).policies
    assert [policy.weights for policy in longer[1:]] == [(1.0,), (1.0,), pytest.approx((1 / 4, 3 / 4))]
    fixed = PolicyBooster(ParityLearner(1), outer_step=0.1, **settings).run(TabularSimulator(bits()), 0).policies
    assert fixed[-1].weights == pytest.approx((0.081, 0.09, 0.1))
    assert fixed[-1].coin == pytest.approx(0.729)


def test_frank_wolfe_mixtures():
    up, down = (Tape.of(1.0, [Add(Parity((), sign), 1)]) for sign in (1, -1))
    X = np.zeros((2, 3))
    policy = Mixture().towards(up, 2 / 3)
    assert policy.chance(X) == pytest.approx([5 / 6, 5 / 6])
    policy = policy.towards(down, 0.5)
    assert policy.chance(X) == pytest.approx([5 / 12, 5 / 12])
    assert policy.coin == pytest.approx(1 / 6)
    assert policy.act(X).tolist() == [-1, -1]
    draws = policy.act(np.zeros((20_000, 3)), 0)
    assert np.mean(draws == 1) == pytest.approx(5 / 12, abs=0.015)
    assert policy.towards(up, 1.0) == Mixture((up,), (1.0,))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"inner": "q-learning"}, r"inner must be one of 'algorithm2'"),
        ({"labels": "gold"}, r"labels must be one of"),
        ({"outer_rounds": 0}, r"outer_rounds"),
        ({"annotated": -1}, r"annotated"),
        ({"step": 0.0}, r"step"),
        ({"outer_step": 1.5}, r"outer_step"),
        ({"held_out": 1.0}, r"held_out"),
        ({"held_out": 300}, r"held_out must be in \[0, 300\). Got 300"),
        ({"held_out": -1}, r"held_out"),
        ({"gamma": 0.0}, r"gamma"),
        ({"tolerance": 1.0}, r"tolerance"),
        ({"reward_free": 59}, r"reward_free must be at least inner_rounds, 60. Got 59"),
        ({"learner": None}, r"learner must be a weak learner"),
        ({"rollouts": -1}, r"rollouts"),
        ({"rollouts": 1}, r"rollouts must be 0, or at least 2"),
        ({"decay": 0.0}, r"decay"),
        ({"threshold": 1.0}, r"threshold"),
        ({"baseline": "mean"}, r"baseline must be a scikit-learn regressor"),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        PolicyBooster(**{"learner": ParityLearner(1), **settings})


def test_only_algorithm_2_needs_as_many_states_as_rounds():
    for inner in INNER[1:]:
        assert PolicyBooster(ParityLearner(1), inner, reward_free=59).inner_rounds == 60


def test_a_simulator_with_a_bad_discount_is_refused():
    simulator = TabularSimulator(bits())
    simulator.beta = 1.0
    with pytest.raises(ValueError, match=r"beta"):
        PolicyBooster(ParityLearner(1)).run(simulator, 0)


def test_ledgers_subtract():
    assert Ledger(5, 4, 3, 2) - Ledger(1, 1, 1, 1) == Ledger(4, 3, 2, 1)
