"""Environments of gymnasium: what is refused, what is counted, and a pole that is balanced."""

import sys

import numpy as np
import pytest

import agnoboost
from agnoboost import LinearLearner, StumpLearner
from agnoboost.core.tape import Add, Tape
from agnoboost.rl import (
    GymSimulator,
    Ledger,
    Mixture,
    PolicyBooster,
    Predictor,
    RewardFree,
    annotated,
    evaluate_policy,
    require_gymnasium,
    reward_free,
)

gymnasium = pytest.importorskip("gymnasium")

UPRIGHT = Tape.of(1.0, [Add(agnoboost.core.learners.Linear((0.0, 0.1, 1.0, 0.5), 0.0), 1)])  # a known good policy


class Game(gymnasium.Env):
    """+1 pays ``pays``, and so does nothing; ends after ``length`` steps. Shows how many steps were made."""

    def __init__(self, pays=1.0, length=5, actions=None, seen=None):
        self.action_space = actions or gymnasium.spaces.Discrete(2, start=3)
        self.observation_space = seen or gymnasium.spaces.Box(0, np.inf, (1,))
        self._pays, self._length, self._now = pays, length, 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._now = 0
        return np.zeros(1, dtype=np.float32), {}

    def step(self, action):
        assert action in (3, 4)
        self._now += 1
        pay = self._pays if action == 4 else 0.0
        return np.full(1, self._now, dtype=np.float32), pay, self._now >= self._length, False, {}


class Late(Game):
    """Too large a reward, but only in the fifth step."""

    def step(self, action):
        seen, _, over, cut, info = super().step(action)
        return seen, 5.0 if over else 0.0, over, cut, info


class Costly(Game):
    """Every step costs 1; the second action ends it all, the first goes on for 30 steps."""

    def step(self, action):
        seen, _, over, cut, info = super().step(action)
        return seen, -1.0, over or action == 4, cut, info


def test_costs_are_saved_by_ending_soon():
    """After the end nothing is paid, which is the best there is."""
    simulator = GymSimulator(lambda: Costly(length=30), beta=0.8, rewards=(-1.0, 0.0), most=16)
    assert simulator.nothing == 1.0
    run = PolicyBooster(StumpLearner(), outer_rounds=1, annotated=400, reward_free=100, inner_rounds=5).run(
        simulator, 0
    )
    assert run.policy.act(np.zeros((1, 1))).tolist() == [1]


def test_how_environments_are_given():
    with pytest.raises(TypeError, match=r"Pass lambda"):
        GymSimulator(gymnasium.make("CartPole-v1"), beta=0.9)
    with pytest.raises(TypeError, match=r"Got \['reward'\] with a function"):
        GymSimulator(Game, beta=0.9, reward=(0, 5))
    limited = evaluate_policy(Mixture(), lambda: gymnasium.wrappers.TimeLimit(Game(length=99), 7), episodes=2)
    assert limited.lengths.tolist() == [7, 7]


def test_a_pole_is_balanced():
    """One seed of what ``agnoboost reproduce rl`` shows, where seeds differ much; a coin gets about 22."""
    from agnoboost_experiments.rl.balancing import ANNOTATED, BETA, BETA_JUDGE, EPISODES, SETTINGS

    booster = PolicyBooster(annotated=ANNOTATED, **SETTINGS)
    run = booster.run(GymSimulator("CartPole-v1", beta=BETA), 1, judge=GymSimulator("CartPole-v1", beta=BETA_JUDGE))
    assert run.ledger.annotated_episodes == EPISODES <= 10_000
    assert evaluate_policy(run.policy, "CartPole-v1", episodes=50).mean > 100
    assert evaluate_policy(run.policies[0], "CartPole-v1", episodes=50, deterministic=False).mean < 40


def test_the_same_seed_gives_the_same_policy():
    booster = PolicyBooster(LinearLearner(), outer_rounds=2, annotated=100, reward_free=100, inner_rounds=3)
    first, second, other = (
        booster.run(GymSimulator("CartPole-v1", beta=0.9, most=most), seed).policies
        for seed, most in ((1, 200), (1, 200), (2, 200))
    )
    assert first == second
    assert first != other


def test_an_environment_of_ones_own_with_other_action_numbers():
    simulator = GymSimulator(Game, beta=0.5, most=7)
    run = PolicyBooster(StumpLearner(), outer_rounds=2, annotated=300, reward_free=50, inner_rounds=5).run(simulator, 0)
    assert run.policy.act(np.zeros((1, 1))).tolist() == [1]
    judged = evaluate_policy(run.policy, Game, episodes=3, max_steps=50)
    assert judged.returns.tolist() == [5.0, 5.0, 5.0]
    assert judged.lengths.tolist() == [5, 5, 5]
    assert str(judged) == "return 5 +- 0 over 3 episodes"


def test_rewards_are_scaled():
    simulator = GymSimulator(lambda: Game(pays=-4.0), beta=0.0, rewards=(-4.0, 0.0), most=10)
    found = annotated(simulator, Mixture(), 100, np.random.default_rng(0), Ledger())
    np.testing.assert_array_equal(found.rewards, np.where(found.actions > 0, 0.0, 1.0))


def test_reward_free_episodes_hide_rewards():
    """Rewards that cannot be: only annotated episodes would notice."""
    simulator = GymSimulator(lambda: Game(pays=np.nan), beta=0.5, rewards=(0.0, 1.0), most=10)
    ledger = Ledger()
    reward_free(RewardFree(simulator), Mixture(), 50, np.random.default_rng(0), ledger)
    assert (ledger.reward_queries, ledger.reward_free_episodes) == (0, 50)
    with pytest.raises(ValueError, match=r"Rewards must be in \[0, 1\]"):
        annotated(simulator, Mixture(), 50, np.random.default_rng(0), ledger)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: GymSimulator("MountainCar-v0", beta=0.9), r"two discrete actions. Got Discrete\(3\)"),
        (lambda: GymSimulator("Pendulum-v1", beta=0.9), r"two discrete actions. Got Box"),
        (lambda: GymSimulator("CartPole-v1", beta=1.0), r"beta"),
        (lambda: GymSimulator("CartPole-v1", beta=0.9, rewards=(1.0, 1.0)), r"low < high"),
        (lambda: GymSimulator("CartPole-v1", beta=0.9, rewards=(1.0, 2.0)), r"0 between them"),
        (lambda: GymSimulator(lambda: Late(), beta=0.9), r"Got 5 to 5"),
        (lambda: GymSimulator("CartPole-v1", beta=0.9, most=0), r"most"),
        (lambda: GymSimulator(lambda: Game(pays=2.0), beta=0.9), r"Got 0 to 2. State their whole range"),
        (lambda: GymSimulator(lambda: Game(seen=gymnasium.spaces.Discrete(3)), beta=0.9), r"rows of numbers"),
        (lambda: evaluate_policy(Mixture(), Game), r"might never end"),
        (lambda: evaluate_policy(Mixture(), Game, episodes=1), r"episodes"),
        (lambda: GymSimulator("CartPole-v1", beta=0.9).start(2, np.random.default_rng(0), reset=True), r"reset=False"),
        (lambda: PolicyBooster(StumpLearner()).run(GymSimulator(Game, beta=0.9999), 0), r"Episodes must end"),
    ],
)
def test_bad_input_is_refused_before_the_first_rollout(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_an_unknown_environment():
    with pytest.raises(gymnasium.error.NameNotFound):
        GymSimulator("NoSuchGame-v0", beta=0.9)


def test_without_gymnasium(monkeypatch):
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(ImportError, match=r"agnoboost\[rl\]"):
        require_gymnasium()


def test_loops_of_other_libraries_can_run_a_policy():
    """As in stable-baselines3: predict(observation, state, episode_start, deterministic) -> (action, state)."""
    env = gymnasium.make("CartPole-v1")
    model = Predictor(Mixture((UPRIGHT,), (1.0,)))
    seen, _ = env.reset(seed=0)
    state, total, over = None, 0.0, False
    while not over:
        action, state = model.predict(seen, state=state, episode_start=np.ones(1), deterministic=True)
        assert action.shape == ()
        seen, reward, terminated, truncated, _ = env.step(action)
        total, over = total + reward, terminated or truncated
    env.close()
    assert total > 300
    actions, state = model.predict(np.zeros((4, 4)), state="kept")
    assert (actions.shape, state) == ((4,), "kept")
    draws, _ = Predictor(Mixture(), first=3).predict(np.zeros((1000, 4)))
    assert 0.4 < np.mean(draws == 4) < 0.6
    assert set(draws.tolist()) == {3, 4}
