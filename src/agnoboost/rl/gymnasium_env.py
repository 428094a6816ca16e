"""Environments of gymnasium with two actions, run side by side; needs the extra ``rl``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..basics.checks import check_between, check_count
from ..basics.extras import require
from ..basics.typing import Bools, Floats, Ints, Matrix, Rng
from .policies import Policy
from .simulators import check_reward_range

NATIVE, ONE_BY_ONE = 500, 32  # how many run side by side: of those written for it, and of others
PROBE = 100  # steps of every copy in which the range of rewards is looked at if it is not stated

Environment = str | Callable[[], Any]


def require_gymnasium() -> Any:
    """The module gymnasium, or an error that says how to get it.

    Returns
    -------
    module
        gymnasium.
    """
    return require("gymnasium", "rl")


def vectorised(env: Environment, count: int | None = None, **options: Any) -> Any:
    """Many copies of an environment with two actions, after checking that we can use it."""
    gymnasium = require_gymnasium()
    if isinstance(env, str):
        native = gymnasium.spec(env).vector_entry_point is not None  # an unknown name is refused here
        made = gymnasium.make_vec(env, num_envs=count or (NATIVE if native else ONE_BY_ONE), **options)
    elif not callable(env):
        raise TypeError(f"env must be a name, or a function that makes an environment. Got {env}. Pass lambda: ...")
    elif options:
        raise TypeError(f"Options are for environments by name. Got {sorted(options)} with a function.")
    else:
        made = gymnasium.vector.SyncVectorEnv([env] * (count or ONE_BY_ONE))
    try:
        _check_spaces(env, made.single_action_space, made.single_observation_space, gymnasium.spaces)
    except ValueError:
        made.close()
        raise
    return made


def _check_spaces(env: Environment, actions: Any, seen: Any, spaces: Any) -> None:
    if not isinstance(actions, spaces.Discrete) or actions.n != 2:
        raise ValueError(
            f"{env} must have two discrete actions. Got {actions}. Wrap it so that it has two, for example by cutting "
            "a continuous action at a threshold or by joining actions (gymnasium.wrappers.TransformAction)."
        )
    if not isinstance(seen, spaces.Box) or len(seen.shape) != 1:
        raise ValueError(f"{env} must show rows of numbers. Got {seen}. Wrap it in gymnasium's FlattenObservation.")


class GymSimulator:
    """Episodes of a gymnasium environment.

    Parameters
    ----------
    env : str or function
        The name of a registered environment, or a function that makes one. Its second action is our +1.
    beta : float in [0, 1)
        The discount: an episode is looked at after 1/(1 - beta) steps on average, however long it would be.
    rewards : (low, high), optional
        The range of the environment's rewards, which is mapped to [0, 1]; it must hold 0, which is what an episode pays
        after its end. If it is not stated, rewards must be in [0, 1], and a hundred steps of a coin in every copy are
        looked at beforehand to see whether they are. (A time limit that cuts an episode off counts as its end.)
    most : int, optional
        How many episodes run side by side; by default 500 of an environment that was written for that, 32 of others.
    **options
        For ``gymnasium.make_vec``, if ``env`` is a name.
    """

    def __init__(
        self,
        env: Environment,
        *,
        beta: float,
        rewards: tuple[float, float] | None = None,
        most: int | None = None,
        **options: Any,
    ):
        self.beta = check_between(beta, 0.0, 1.0, "beta", open_low=False, open_high=True)
        if rewards is not None and not (rewards[0] < rewards[1] and rewards[0] <= 0 <= rewards[1]):
            raise ValueError(f"rewards must be (low, high) with low < high and 0 between them. Got {rewards}.")
        self._low, self._width = (0.0, 1.0) if rewards is None else (rewards[0], rewards[1] - rewards[0])
        self.nothing = -self._low / self._width
        self._env = vectorised(env, None if most is None else check_count(most, "most"), **options)
        self.most: int | None = self._env.num_envs
        self._first = int(self._env.single_action_space.start)
        self.n_features = int(self._env.single_observation_space.shape[0])
        self._seen: Matrix = np.zeros((self._env.num_envs, self.n_features))
        if rewards is None:
            self._probe()

    def start(self, count: int, rng: Rng, *, reset: bool) -> Ints:
        if reset:
            raise ValueError("gymnasium has no other start states to reset to. Use the episodic model: reset=False.")
        self._seen, _ = self._env.reset(seed=int(rng.integers(2**31)))
        return np.arange(count)

    def observe(self, states: Ints) -> Matrix:
        return np.asarray(self._seen[states], dtype=np.float64)

    def step(self, states: Ints, actions: Ints, rng: Rng) -> tuple[Ints, Floats, Bools]:
        """All copies move; what happens to those that are not asked for is of no interest."""
        chosen = np.full(self._env.num_envs, self._first)
        chosen[states] += actions > 0
        self._seen, rewards, terminated, truncated, _ = self._env.step(chosen)
        scaled = (np.asarray(rewards, dtype=np.float64)[states] - self._low) / self._width
        return states, scaled, (terminated | truncated)[states]

    def chances(self, policy: Policy) -> Callable[[Ints], Floats]:
        return lambda states: policy.chance(self.observe(states))

    def close(self) -> None:
        """End the environment."""
        self._env.close()

    def _probe(self) -> None:
        """Refuse rewards outside [0, 1] before any episode is run."""
        rng = np.random.default_rng(0)
        states = self.start(self._env.num_envs, rng, reset=False)
        for _ in range(PROBE):
            _, rewards, _ = self.step(states, rng.choice([-1, 1], len(states)), rng)
            check_reward_range(rewards)
