"""How good a policy is in an environment of gymnasium, and a form in which other libraries can run it."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..basics.checks import check_count
from ..basics.typing import Floats, Ints, Rng
from .gymnasium_env import Environment, vectorised
from .policies import Mixture


@dataclass(frozen=True)
class Evaluation:
    """Undiscounted returns, and lengths, of whole episodes.

    Attributes
    ----------
    returns : array of shape (episodes,)
        The sum of rewards of each.
    lengths : array of shape (episodes,)
        Steps of each.
    """

    returns: Floats
    lengths: Ints

    @property
    def mean(self) -> float:
        """The mean return."""
        return float(self.returns.mean())

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return float(self.returns.std(ddof=1) / np.sqrt(len(self.returns)))

    def __str__(self) -> str:
        return f"return {self.mean:.4g} +- {self.error:.2g} over {len(self.returns)} episodes"


def evaluate_policy(
    policy: Mixture,
    env: Environment,
    *,
    episodes: int = 100,
    seed: int = 0,
    deterministic: bool = True,
    max_steps: int | None = None,
    **options: Any,
) -> Evaluation:
    """Run whole episodes, all side by side.

    Parameters
    ----------
    policy : Mixture
        The policy to judge.
    env : str or function
        The name of a registered environment, or a function that makes one.
    episodes : int, default=100
        How many.
    seed : int, default=0
        For the environment, and for policies that draw.
    deterministic : bool, default=True
        Whether the policy takes the likelier action, or draws.
    max_steps : int, optional
        When to cut episodes off that do not end by themselves.
    **options
        For ``gymnasium.make_vec``, if ``env`` is a name.

    Returns
    -------
    Evaluation
        Returns and lengths.
    """
    rng = np.random.default_rng(seed)
    with closing(vectorised(env, check_count(episodes, "episodes", least=2), **options)) as made:
        limit = check_count(max_steps, "max_steps") if max_steps is not None else _own_limit(made)
        if limit is None:
            raise ValueError(
                f"Episodes of {env} might never end: it states no max_episode_steps. Pass max_steps, or wrap it in "
                "gymnasium's TimeLimit."
            )
        predictor = Predictor(policy, int(made.single_action_space.start), rng)
        seen, _ = made.reset(seed=int(rng.integers(2**31)))
        returns, lengths = np.zeros(episodes), np.zeros(episodes, dtype=np.int64)
        running = np.ones(episodes, dtype=bool)
        for _ in range(limit):
            actions, _ = predictor.predict(seen, deterministic=deterministic)
            seen, rewards, terminated, truncated, _ = made.step(actions)
            returns += np.where(running, rewards, 0.0)
            lengths += running
            running &= ~(terminated | truncated)
            if not running.any():
                break
    return Evaluation(returns, lengths)


def _own_limit(made: Any) -> int | None:
    """After how many steps the environment itself cuts episodes off."""
    one = made.envs[0] if getattr(made, "envs", ()) else made
    while one is not None:
        known = getattr(one.spec, "max_episode_steps", None) or getattr(one, "_max_episode_steps", None)
        if known is not None:
            return int(known)
        one = getattr(one, "env", None)  # what a wrapper such as TimeLimit is around
    return None


class Predictor:
    """A policy with the ``predict`` of stable-baselines3, for its evaluation loops and others like it.

    Parameters
    ----------
    policy : Mixture
        The policy.
    first : int
        The number of the environment's first action.
    rng : seed or generator
        For policies that draw.
    """

    def __init__(self, policy: Mixture, first: int = 0, rng: Rng | int = 0):
        self._policy, self._first, self._rng = policy, first, np.random.default_rng(rng)

    def predict(
        self, observation: npt.ArrayLike, state: Any = None, episode_start: Any = None, deterministic: bool = False
    ) -> tuple[Ints, Any]:
        """The actions for one observation or for many; ``state`` is handed back as it came."""
        rows = np.asarray(observation, dtype=np.float64)
        actions = self._policy.act(rows, None if deterministic else self._rng)
        return np.asarray(self._first + (actions > 0)), state
