"""States without rewards, and where they are drawn from: that they are used at all, and as the paper says."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest

from agnoboost import ParityLearner
from agnoboost.core.sources import OnePass
from agnoboost.core.tape import Add
from agnoboost.rl import Annotated, PolicyBooster, TabularMDP, TabularSimulator, boosting
from agnoboost.rl.worlds import bits

HERE, THERE = np.array([[1.0]]), np.array([[-1.0]])  # two rooms, and no way from one to the other
SHARES = {"algorithm1": 1 / 2, "algorithm2": 2 / 3, "labeled_only": 0.0}  # of reward-free states in a batch


def two_rooms(start=0, reset=0):
    """In the first room +1 is right and pays 1, in the second -1 is right and pays 1/2."""
    transition = np.repeat(np.eye(2)[:, None, :], 2, axis=1)
    reward = np.array([[0.0, 1.0], [0.5, 0.0]])
    rooms = np.concatenate([HERE, THERE])
    return TabularMDP("two rooms", transition, reward, np.eye(2)[start], rooms, 0.5, np.eye(2)[reset])


@dataclass(frozen=True)
class Watching(ParityLearner):
    """Remembers how much of each batch is in the second room."""

    def fit(self, batch, rng):
        self.seen.append(float(batch.mass[batch.X[:, 0] < 0].sum()))
        return super().fit(batch, rng)

    @property
    def seen(self):
        return vars(self).setdefault("_seen", [])


def run(inner, simulator, hidden=None, **settings):
    """One outer round, and the share of each batch that was in the second room."""
    learner = Watching(1)
    usual = {"annotated": 400, "reward_free": 200, "inner_rounds": 20, "held_out": 0, "rollouts": 0}
    booster = PolicyBooster(learner, inner, outer_rounds=1, labels="fractional", **{**usual, **settings})
    done = booster.run(simulator, 0, reward_free_simulator=hidden)
    return done.policies[-1].tapes[0], np.array(learner.seen), done


@pytest.mark.parametrize("inner", SHARES)
def test_states_that_were_never_annotated_hold_the_margins_there_at_zero(inner):
    """Labels in the first room say +1, where "always +1" and "+1 in this room" are equally good; the first is tried
    first. Only states of the second room can tell that nothing speaks for +1 there."""
    tape, seen, _ = run(inner, TabularSimulator(two_rooms()), TabularSimulator(two_rooms(start=1)))
    np.testing.assert_allclose(seen, SHARES[inner])
    here, there = tape.margin(HERE)[0], tape.margin(THERE)[0]
    assert here > 0.4
    if inner == "labeled_only":
        assert there == here
    else:
        assert abs(there) <= 0.1 + 1e-9  # two steps


@pytest.mark.parametrize("inner", ["algorithm1", "algorithm2"])
def test_reward_free_episodes_start_where_the_model_says(inner):
    hidden = TabularSimulator(two_rooms(start=0, reset=1))
    for reset, expected in ((False, 0.0), (True, SHARES[inner])):
        _, seen, _ = run(inner, TabularSimulator(two_rooms()), hidden, reset=reset)
        np.testing.assert_allclose(seen, expected)


@pytest.mark.parametrize("inner", SHARES)
def test_annotated_episodes_start_where_the_model_says(inner):
    """What is right in the second room is learned only if episodes start there."""
    simulator = TabularSimulator(two_rooms(start=0, reset=1))
    for reset, expected in ((False, 0.0), (True, 1.0 - SHARES[inner])):
        tape, seen, done = run(inner, simulator, TabularSimulator(two_rooms()), reset=reset, rollouts=2000)
        np.testing.assert_allclose(seen, expected)
        assert (tape.predict(THERE)[0] == -1) == reset
        value, error = done.estimates[0]
        assert abs(value - 1.0) < 4 * error  # a coin's, from mu_0: rollouts are never reset (it would be 1/2)


def psi_slope(margin):
    return margin / np.sqrt(1.0 + margin**2)


def margins(steps, X, unit):
    """H, step by step: (columns, sign, size), with None for columns in case B; in whole units, so that 0 is 0."""
    H = np.zeros(len(X))
    for columns, sign, size in steps:
        count = round(size / unit)
        H = H - count * np.where(H >= 0, 1, -1) if columns is None else H + count * sign * X[:, columns].prod(axis=1)
    return unit * H


def by_hand(seen, targets, shares, step, sigma, gamma, threshold, fresh=False):
    """Algorithm 2 as it is printed (with the denominators of docs/paper.md), by looking at every parity in every round.

    With ``fresh`` all states get the label of now, which is what becomes of it if all are drawn in every round.
    """
    parities = [list(c) for k in range(2) for c in combinations(range(seen.shape[1]), k)]
    of_labels = np.array([np.mean(targets * seen[:, c].prod(axis=1)) for c in parities])
    pool, steps, reach, unit = np.zeros(len(parities)), [], step + sigma, gamma * step
    for number, rows in enumerate(shares):
        before, now = psi_slope(margins(steps[:-1], rows, unit)), psi_slope(margins(steps, rows, unit))
        if fresh:
            everything = np.concatenate(shares)
            label = -sigma / reach * psi_slope(margins(steps, everything, unit))
            pool = np.array([np.mean(label * everything[:, c].prod(axis=1)) for c in parities])
        elif number:  # the first labels are coins
            chance = 0.5 - sigma * before / (2 * reach) - (now - before) / (2 * reach)
            new = [np.mean((2 * chance - 1) * rows[:, c].prod(axis=1)) for c in parities]
            pool = (1 - sigma) * pool + sigma * np.array(new)
        weight = sigma / (sigma + reach)  # 1/3 where sigma is the step
        corr = weight * of_labels + (1 - weight) * pool
        best = int(np.argmax(np.abs(corr)))
        if abs(corr[best]) > threshold:
            steps.append((parities[best], int(np.sign(corr[best])), step))
        else:
            steps.append((None, 0, unit))
    return steps


def as_steps(tape):
    return [
        (list(s.hypothesis.subset), s.hypothesis.sign, pytest.approx(s.coef * tape.unit))
        if isinstance(s, Add)
        else (None, 0, pytest.approx(s.coef * tape.unit))
        for s in tape.steps
    ]


@pytest.fixture
def draws(monkeypatch):
    """What one-pass sources hand out, and the labeled rows, of the latest run."""
    shares, labeled = [], []
    take, pool = OnePass.take, Annotated.labeled

    def taking(source, n, rng):
        rows = take(source, n, rng)
        shares.append(np.array(source.X[rows]))
        return rows

    def labeling(own, targets):
        labeled[:] = [(own.observations, targets)]
        shares.clear()
        return pool(own, targets)

    monkeypatch.setattr(OnePass, "take", taking)
    monkeypatch.setattr(Annotated, "labeled", labeling)
    return shares, labeled


@pytest.mark.parametrize("tolerance", [0.0, 1e-3])  # with the engine for parities, and in the plain loop
@pytest.mark.parametrize("reward_free", [1200, 150])  # many equal states, which are counted, and few
@pytest.mark.parametrize(("decay", "gamma", "threshold"), [(None, 1.0, 0.0), (0.2, 0.5, 0.03)])
def test_reuse_is_the_papers_recursion(draws, tolerance, reward_free, decay, gamma, threshold):
    booster = PolicyBooster(
        ParityLearner(1), outer_rounds=1, annotated=300, reward_free=reward_free, inner_rounds=30, step=0.06,
        gamma=gamma, threshold=threshold, decay=decay, tolerance=tolerance, held_out=0, rollouts=0,
    )  # fmt: skip
    tape = booster.run(TabularSimulator(bits()), 0).policy.tapes[0]
    shares, labeled = draws
    assert [len(rows) for rows in shares] == [reward_free // 30] * 30
    settings = (0.06, decay or 0.06, gamma, threshold)
    found = as_steps(tape)
    assert found == by_hand(*labeled[0], shares, *settings)
    assert found != by_hand(*labeled[0], shares, *settings, fresh=True)
    assert {columns is None for columns, _, _ in found} == ({True, False} if threshold else {False})


@pytest.mark.parametrize("inner", SHARES)
def test_gamma_is_the_size_of_steps_back(inner):
    tape, _, _ = run(inner, TabularSimulator(two_rooms()), threshold=0.9, gamma=0.25, step=0.2)
    assert as_steps(tape) == [(None, 0, 0.05)] * 20


@pytest.fixture
def boosters(monkeypatch):
    """The inner boosters of runs."""
    made, boost = [], boosting.boost

    def watched(booster, *rest, **settings):
        made.append(booster)
        return boost(booster, *rest, **settings)

    monkeypatch.setattr(boosting, "boost", watched)
    return made


def test_how_fast_the_old_fades(boosters):
    """The recipes' own sigma, or one for both; and the tolerance."""
    for decay, expected in ((None, (0.07, 0.25)), (0.4, (0.4, 0.4))):
        for inner in ("algorithm2", "gs24"):
            run(inner, TabularSimulator(two_rooms()), step=0.07, decay=decay, tolerance=0.01)
        ours, gs24 = (booster.sampler for booster in boosters[-2:])
        assert (ours.unlabeled.decay, gs24.decay) == expected
        assert ours.unlabeled.tolerance == gs24.tolerance == 0.01


class Leaving(TabularSimulator):
    """Episodes that end after their first step."""

    def step(self, states, actions, rng):
        moved, rewards, _ = super().step(states, actions, rng)
        return moved, rewards, np.ones(len(moved), dtype=bool)


def test_fewer_states_than_were_asked_for(boosters):
    """Half of the episodes end too soon: at least one state a round, for as many rounds as they last."""
    for reward_free in (200, 24):
        tape, _, _ = run("algorithm2", Leaving(two_rooms()), reward_free=reward_free)
        sampler = boosters[-1].sampler.unlabeled
        came = len(sampler.source.X)
        assert 0.3 * reward_free < came < 0.7 * reward_free
        assert sampler.rows == max(1, came // 20)
        assert len(tape) == min(20, came)
