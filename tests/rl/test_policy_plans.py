"""Plans for reinforcement learning, run; and Theorem ``rl2`` where everything in it is known."""

from itertools import product
from math import log

import numpy as np
import pytest

import agnoboost as ab
from agnoboost import ParityLearner
from agnoboost.core.samplers import Reuse
from agnoboost.rl import Annotated, PolicyBooster, TabularMDP, TabularSimulator, boosting, completeness, mismatch

CUBE = np.array(list(product((-1.0, 1.0), repeat=3)))
LEARNER = ParityLearner(1)
CANDIDATES = np.array([sign * column > 0 for sign in (1, -1) for column in (np.ones(8), *CUBE.T)]).astype(float)


def cube_world(often, beta=0.0, reset=None):
    """The right action is the majority of three bits; the next state is drawn anew, whatever is done."""
    right = np.sign(CUBE.sum(axis=1))
    reward = np.where(right[:, None] == np.array([-1.0, 1.0]), 1.0, 0.0)
    return TabularMDP("cube", np.broadcast_to(often, (8, 2, 8)), reward, often, CUBE, beta, reset)


UNIFORM = np.full(8, 1 / 8)


def planned(**ask):
    """Candidates are the weak learner's own class: the weak learner is exact, and gamma is 1."""
    return ab.plan("rl", **{"delta": 0.1, "gamma": 1.0, "log_size": log(LEARNER.size(3)), **ask})


def test_a_plan_is_run_to_the_letter(monkeypatch):
    p = ab.plan("rl", epsilon=1.0, delta=0.2, gamma=0.5, log_size=log(2), beta=0.0, mismatch=1.4)
    boosters, sizes, pool = [], [], Annotated.labeled

    def without_rounds(booster, learner, *, rounds, rng):
        boosters.append((booster, rounds))
        return boost(booster, learner, rounds=2, rng=rng)  # what is spent is drawn before the rounds

    def counting(own, targets):
        sizes.append(len(own))
        np.testing.assert_array_equal(targets, own.actions * (2 * own.rewards - 1))  # the paper's label, by its mean
        return pool(own, targets)

    boost = boosting.boost
    monkeypatch.setattr(boosting, "boost", without_rounds)
    monkeypatch.setattr(Annotated, "labeled", counting)
    run = PolicyBooster.from_plan(p, ParityLearner(0)).run(TabularSimulator(cube_world(UNIFORM)), 0)
    assert p.outer_rounds == len(boosters) == len(run.policies) - 1 == 2
    assert run.ledger.annotated_episodes == run.ledger.reward_queries == p.annotated_episodes
    assert run.ledger.reward_free_episodes == p.reward_free_episodes
    assert (run.ledger - run.spent[-1]).reward_queries == p.rollouts * 3
    assert sizes == [p.inner.S, p.inner.S0] * 2
    for booster, rounds in boosters:
        rule, reuse = booster.rule, booster.sampler.unlabeled
        assert rounds == p.inner.T == booster.max_rounds + 2  # two were run
        assert isinstance(reuse, Reuse)
        assert (reuse.rows, reuse.decay, reuse.tolerance) == (p.inner.U, p.inner.sigma, p.inner.tolerance)
        assert (rule.gamma, rule.threshold) == (0.5, p.inner.tau)
        assert rule.step == p.inner.eta / 0.5


def test_exactly_s0_episodes_are_set_aside():
    """A share of them, as a float, would be one off now and then."""
    for annotated in range(2, 400):
        for aside in {1, annotated // 3, annotated - 1}:
            booster = PolicyBooster(LEARNER, annotated=annotated, held_out=aside)
            assert booster._set_aside(annotated) == aside
    assert PolicyBooster(LEARNER, annotated=100, held_out=40)._set_aside(50) == 20  # the others have ended too soon
    assert PolicyBooster(LEARNER, annotated=100, held_out=0.4)._set_aside(50) == 20


def test_what_from_plan_takes_from_a_plan():
    episodic, resets = (planned(epsilon=0.5, beta=0.2, access=access) for access in ("episodic", "nu-reset"))
    assert not PolicyBooster.from_plan(episodic, LEARNER).reset
    assert PolicyBooster.from_plan(resets, LEARNER).reset
    wide = planned(epsilon=0.5, beta=0.2, mismatch=4.0)
    assert PolicyBooster.from_plan(wide, LEARNER).mismatch == 4.0
    assert PolicyBooster.from_plan(wide, LEARNER).outer_step is None
    assert PolicyBooster.from_plan(resets, LEARNER).outer_step == pytest.approx(0.8 * (2 / resets.outer_rounds) ** 0.5)
    changed = PolicyBooster.from_plan(episodic, LEARNER, tolerance=0.0, rollouts=7)
    assert (changed.tolerance, changed.rollouts, changed.inner_rounds) == (0.0, 7, episodic.inner.T)
    with pytest.raises(ValueError, match=r"plan must be an RLPlan: agnoboost.plan\('rl', ...\). Got Plan"):
        PolicyBooster.from_plan(episodic.inner, LEARNER)
    with pytest.raises(ValueError, match=r"learner must be a weak learner"):
        PolicyBooster.from_plan(episodic, None)
    with pytest.raises(ValueError, match=r"planned for beta=0.2. Got beta=0"):
        PolicyBooster.from_plan(episodic, LEARNER).run(TabularSimulator(cube_world(UNIFORM)), 0)


@pytest.mark.parametrize("C", [1.0, 5.0, 10.0])
def test_the_outer_steps_of_a_plan_bring_down_what_is_lacking_in_its_rounds(C):
    """With gradient domination by C a step s leaves at most (1 - s/C) h + smoothness * s^2 of a lack h."""
    lack = {}
    for epsilon in (0.1, 0.01):
        p = planned(epsilon=epsilon, beta=0.5, mismatch=C)
        booster = PolicyBooster.from_plan(p, LEARNER)
        h = 2.0
        for number in range(1, p.outer_rounds + 1):
            s = booster._outer_step(number)
            h = (1 - s / C) * h + 8.0 * s**2
        lack[epsilon] = h
    assert lack[0.01] < 0.11 * lack[0.1]  # of the order of epsilon
    assert lack[0.01] < 0.05


def test_the_bound_in_numbers():
    episodic, resets = (
        planned(epsilon=0.5, beta=0.5, mismatch=3.0, access=access) for access in ("episodic", "nu-reset")
    )
    assert episodic.bound(0.1) == pytest.approx(3 * 0.1 / 0.5 + 0.5)
    assert resets.bound(0.1) == pytest.approx(3 * 0.1 / 0.25 + 0.5)
    assert episodic.guarantee == "V* - V <= 6 * E + 0.5"
    assert resets.guarantee == "V* - V <= 12 * E_nu + 0.5"


# The second and the third bit seldom overrule the first; nu sees some of the other states less often than mu_0.
OVERRULED = (CUBE[:, 1] == CUBE[:, 2]) & (CUBE[:, 1] != CUBE[:, 0])
LEANING = np.where(OVERRULED, 0.03, 0.94 / 6)
RESET = np.where(OVERRULED, 0.03, 0.94 / 6 * (1 + 0.15 * CUBE[:, 0]))


@pytest.mark.parametrize(
    ("often", "reset", "ask", "sharper"),
    [
        (UNIFORM, None, {"epsilon": 0.7, "beta": 0.1}, 0.01),  # the majority itself
        (LEANING, RESET, {"epsilon": 0.9, "beta": 0.05, "access": "nu-reset"}, 0.07),  # the first bit: 0.063
    ],
)
def test_theorem_rl2(often, reset, ask, sharper):
    """A plan, run with every number that it has, but for the tolerance, which is 0: nothing is forgotten.

    Where actions do not move the world, E is the same for all policies, C_inf is 1 and D_inf is known. No candidate
    is right everywhere, so E > 0. The bound must hold, and it must be one that a bad policy breaks. Its constants are
    generous, so what was found is also held against the best that the weak learner's class can do.
    """
    mdp = cube_world(often, ask["beta"], reset)
    resets = reset is not None
    E = completeness(mdp, CANDIDATES[0], CANDIDATES, mdp.reset)
    assert E > 0.05
    known = mdp.reset_mismatch if resets else mismatch(mdp, CANDIDATES)
    assert (known > 1.1) if resets else known == pytest.approx(1.0)
    p = planned(mismatch=max(known, 1.0), **ask)
    run = PolicyBooster.from_plan(p, LEARNER, tolerance=0.0).run(TabularSimulator(mdp), 0)
    assert run.ledger.reward_free_episodes == p.reward_free_episodes
    assert run.ledger.annotated_episodes == p.annotated_episodes
    lost = mdp.best_value - mdp.value(run.policy.chance(CUBE))
    assert lost <= p.bound(E)
    assert mdp.best_value - mdp.value(1.0 - mdp.best_policy) > p.bound(E)
    assert lost < sharper < mdp.best_value - max(map(mdp.value, CANDIDATES)) + 0.01
