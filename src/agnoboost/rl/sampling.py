"""The trajectory samplers: states as a policy visits them, with a label for the better action or without.

An episode runs for a geometric number of steps, so that its last state s is drawn from the discounted occupancy of the
policy. In a *reward-annotated* episode an action a' is then drawn by a fair coin and taken, the policy goes on for
another geometric number of steps, and the one reward received at the end, r, is looked at. Since

    E[r | s, a'] = (1 - beta) Q(s, a'),

the mean label a' (2 r - 1) has expectation (1 - beta)(Q(s, +1) - Q(s, -1)) given s: the better action, on average.
(The paper prints the sum of rewards instead, which is no probability; see docs/paper.md.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from ..basics.checks import as_matrix, check_count
from ..basics.typing import Bools, Floats, Ints, Matrix, Rng
from ..core.learners.sklearn_classifier import seed_estimator
from ..core.sources import OnePass, Pool, Sample
from .ledger import Ledger
from .policies import Policy
from .simulators import LONGEST, RewardFree, Simulator, States, check_reward_range

NEVER = -1  # an episode of which no reward is looked at


@dataclass(frozen=True)
class Annotated:
    """Reward-annotated episodes: what was seen at s, the action taken there, and the one reward that was looked at.

    Episodes that had ended before s are left out: there is nothing to decide.

    Attributes
    ----------
    observations : array of shape (episodes, features)
        What was seen.
    actions : array of shape (episodes,)
        -1 or +1.
    rewards : array of shape (episodes,)
        From 0 to 1.
    """

    observations: Matrix
    actions: Ints
    rewards: Floats

    def __len__(self) -> int:
        return len(self.actions)

    def targets(self, baseline: float | Floats = 0.5) -> Floats:
        """Mean labels in [-1, 1].

        a' (2 r - 1) is the paper's label, without the coin that it draws. Any ``baseline`` that does not depend on the
        action may take the place of 1/2: a' * 2 (r - b), divided by its largest possible value, has an expectation in
        proportion to the same advantage, and less noise if b is near the mean reward. (This is beyond the paper.)
        """
        largest = 2.0 * np.maximum(baseline, 1.0 - np.asarray(baseline))
        return np.asarray(self.actions * 2.0 * (self.rewards - baseline) / np.max(largest))

    def labeled(self, targets: Floats) -> Pool:
        """Both labels of every row, with the mass that makes ``targets`` their mean: fractional relabeling.

        A state that was seen in many episodes stands there once, with all of their mass.
        """
        distinct, numbers = _distinct(self.observations)
        seen, signed = np.bincount(numbers), np.bincount(numbers, targets)
        return Pool(*_both_labels(distinct, signed / seen, seen))

    def one_pass(self, targets: Floats) -> OnePass:
        """The same, each episode handed out once."""
        return _OnePassEpisodes(self.observations, targets)

    def centred(self, regressor: Any = None, rng: Rng | int = 0) -> Floats:
        """:meth:`targets` with the mean reward as baseline, each half of the episodes using that of the other half.

        With a scikit-learn ``regressor`` the baseline is its prediction of the reward from the state; ``rng`` is for
        one that draws random numbers.
        """
        half, rng = len(self) // 2, np.random.default_rng(rng)
        if half == 0:
            return self.targets()
        baseline = np.empty(len(self))
        for own, other in ((slice(0, half), slice(half, None)), (slice(half, None), slice(0, half))):
            if regressor is None:
                baseline[own] = self.rewards[other].mean()
            else:
                model = clone(regressor)
                seed_estimator(model, rng)
                model.fit(self.observations[other], self.rewards[other])
                baseline[own] = np.clip(model.predict(self.observations[own]), 0.0, 1.0)
        return self.targets(baseline)

    def sampled(self, rng: Rng) -> Floats:
        """The paper's labels: a' with probability r, else the other action."""
        return np.where(rng.random(len(self)) < self.rewards, self.actions, -self.actions).astype(np.float64)

    def take(self, rows: slice) -> Annotated:
        """Some of the episodes."""
        return Annotated(self.observations[rows], self.actions[rows], self.rewards[rows])


def _both_labels(rows: Matrix, targets: Floats, seen: Ints | int = 1) -> tuple[Matrix, Floats, Floats]:
    """X, y and mass, for rows that were ``seen`` so often."""
    twice, labels = np.concatenate([rows, rows]), np.repeat([1.0, -1.0], len(rows))
    return twice, labels, np.concatenate([seen * (1.0 + targets), seen * (1.0 - targets)])


def _distinct(rows: Matrix) -> tuple[Matrix, Ints]:
    """The different rows, and which of them each row is."""
    order = np.lexsort(rows.T)  # far quicker than np.unique, which compares rows byte by byte
    ordered = rows[order]
    new = np.concatenate([[True], (ordered[1:] != ordered[:-1]).any(axis=1)])
    numbers = np.empty(len(rows), dtype=np.int64)
    numbers[order] = np.cumsum(new) - 1
    return ordered[new], numbers


def states_pool(states: Matrix) -> Pool:
    """States to be used all at once; equal ones stand there once, with all of their mass."""
    distinct, numbers = _distinct(states)
    return Pool(distinct, mass=np.bincount(numbers))


def one_pass_states(states: Matrix) -> OnePass:
    """States that are handed out once each; where many are equal, in the form that rounds are quickest with."""
    distinct, numbers = _distinct(states)
    return _CountedStates(states, distinct, numbers) if 2 * len(distinct) <= len(states) else OnePass(states)


class _CountedStates(OnePass):
    """A sample is all ``distinct`` states, by how often each was drawn: the same array every time, so that margins are
    carried along instead of being replayed, and the pool of Algorithm 2 does not grow."""

    def __init__(self, states: Matrix, distinct: Matrix, numbers: Ints):
        super().__init__(states)
        self._distinct, self._numbers = as_matrix(distinct), numbers

    def draw(self, n: int | None, rng: Rng) -> Sample:
        drawn = self._numbers[self.take(n, rng)]
        counts = np.bincount(drawn, minlength=len(self._distinct))
        return Sample(self._distinct, np.zeros(len(self._distinct)), counts / len(drawn))


class _OnePassEpisodes(OnePass):
    """Episodes that are handed out once each, with both labels."""

    def __init__(self, observations: Matrix, targets: Floats):
        super().__init__(observations)
        self.labeled, self._targets = True, targets

    def draw(self, n: int | None, rng: Rng) -> Sample:
        episodes = self.take(n, rng)
        X, y, mass = _both_labels(self.X[episodes], self._targets[episodes])
        return Sample(X, y, mass / mass.sum())


def annotated(
    simulator: Simulator, policy: Policy, episodes: int, rng: Rng, ledger: Ledger, *, reset: bool = False
) -> Annotated:
    """Run reward-annotated episodes; one reward is looked at in each.

    Parameters
    ----------
    simulator : Simulator
        Runs them.
    policy : Policy
        Chooses actions, but for the one that a coin chooses.
    episodes : int
        How many.
    rng : Generator
        Where chance comes from.
    ledger : Ledger
        Counts what is spent.
    reset : bool, default=False
        Whether episodes start from nu instead of mu_0.

    Returns
    -------
    Annotated
        Those that had not ended too soon.
    """
    parts = []
    for count in _portions(episodes, simulator):
        look = rng.geometric(1.0 - simulator.beta, count) - 1
        pay = look + rng.geometric(1.0 - simulator.beta, count) - 1
        actions = np.where(rng.random(count) < 0.5, 1, -1)
        seen, reached, rewards = _play(simulator, simulator.step, policy, look, pay, actions, rng, ledger, reset)
        parts.append((seen[reached], actions[reached], rewards[reached]))
    ledger.annotated_episodes += episodes
    found = Annotated(*map(np.concatenate, zip(*parts, strict=True)))
    _refuse_none(len(found), episodes, simulator.beta)
    return found


def reward_free(
    simulator: RewardFree, policy: Policy, episodes: int, rng: Rng, ledger: Ledger, *, reset: bool = False
) -> Matrix:
    """Observations at the last states of reward-free episodes; those that had ended before are left out.

    Parameters
    ----------
    simulator : RewardFree
        Runs them, and cannot show rewards.
    policy, episodes, rng, ledger, reset
        As for :func:`annotated`.

    Returns
    -------
    array of shape (episodes, features)
        What was seen.
    """

    def step(states: States, actions: Ints, rng: Rng) -> tuple[States, Floats, Bools]:
        moved, ended = simulator.advance(states, actions, rng)
        return moved, np.zeros(len(ended)), ended

    parts = []
    for count in _portions(episodes, simulator):
        look, never = rng.geometric(1.0 - simulator.beta, count) - 1, np.full(count, NEVER)
        seen, reached, _ = _play(simulator, step, policy, look, never, None, rng, ledger, reset)
        parts.append(seen[reached])
    ledger.reward_free_episodes += episodes
    found = np.concatenate(parts)
    _refuse_none(len(found), episodes, simulator.beta)
    return found


def _refuse_none(found: int, episodes: int, beta: float) -> None:
    if not found:
        raise ValueError(
            f"Some episodes must still be running when they are looked at, after 1/(1 - beta) steps on average. Got "
            f"none of {episodes}. Run more, or pass a beta below {beta:g} for episodes that end so soon."
        )


def value_estimate(
    simulator: Simulator, policy: Policy, episodes: int, rng: Rng, ledger: Ledger
) -> tuple[float, float]:
    """V from mu_0 and its standard error, from one reward an episode: at a geometric time its mean is (1 - beta) V.

    Parameters
    ----------
    simulator, policy, episodes, rng, ledger
        As for :func:`annotated`.

    Returns
    -------
    (float, float)
        The estimate, and its standard error.
    """
    parts = []
    for count in _portions(episodes, simulator):
        look, pay = np.zeros(count, dtype=np.int64), rng.geometric(1.0 - simulator.beta, count) - 1
        parts.append(_play(simulator, simulator.step, policy, look, pay, None, rng, ledger, reset=False)[2])
    ledger.annotated_episodes += episodes
    values = np.concatenate(parts) / (1.0 - simulator.beta)
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(episodes))


def _portions(episodes: int, simulator: Simulator | RewardFree) -> list[int]:
    """As many episodes at once as the simulator can run."""
    left, most = check_count(episodes, "episodes"), simulator.most
    if most is None:
        return [left]
    return [most] * (left // most) + ([left % most] if left % most else [])


def _play(
    simulator: Simulator | RewardFree,
    step: Callable[[States, Ints, Rng], tuple[States, Floats, Bools]],
    policy: Policy,
    look: Ints,
    pay: Ints,
    own: Ints | None,
    rng: Rng,
    ledger: Ledger,
    reset: bool,
) -> tuple[Matrix, Bools, Floats]:
    """Run episodes side by side: each is looked at before its step ``look``, and paid for its step ``pay``.

    The actions ``own`` are taken in the step ``look``, if given; the policy acts in all others. An episode that is only
    looked at is not stepped any further. Returns what was seen, which episodes were still running then, and rewards.
    """
    count, chance = len(look), simulator.chances(policy)
    seen, reached = np.zeros((count, simulator.n_features)), np.zeros(count, dtype=bool)
    rewards = np.full(count, simulator.nothing)  # for an episode that ends before it is paid
    states, running = simulator.start(count, rng, reset=reset), np.arange(count)
    for now in range(LONGEST):
        here = running[look[running] == now]
        seen[here], reached[here] = simulator.observe(states[here]), True
        running = running[(look[running] != now) | (pay[running] >= now)]
        if not len(running):
            return seen, reached, rewards
        actions = np.where(rng.random(len(running)) < chance(states[running]), 1, -1)
        if own is not None:
            actions = np.where(look[running] == now, own[running], actions)
        moved, received, ended = step(states[running], actions, rng)
        paid = pay[running] == now
        ledger.steps += len(running)
        ledger.reward_queries += int(paid.sum())
        check_reward_range(received[paid])
        rewards[running[paid]] = received[paid]
        states[running] = moved
        running = running[~ended & ~paid]
    raise RuntimeError(
        f"An episode took more than {LONGEST} steps. With beta={simulator.beta:g} that should not happen; is "
        "beta below 1?"
    )
