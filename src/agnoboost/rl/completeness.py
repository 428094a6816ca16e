"""What the theorem on reinforcement learning leaves open: how well a class of policies can follow the better actions.

For finite decision processes and finite lists of policies, exactly. Policies are tables of the probability of +1, one
row a policy, one column a state (as in :class:`~agnoboost.rl.mdp.TabularMDP`).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..basics.typing import Floats, Matrix
from .mdp import TabularMDP


def completeness(
    mdp: TabularMDP, policies: npt.ArrayLike, candidates: npt.ArrayLike, start: npt.ArrayLike | None = None
) -> float:
    """E, or E_nu with ``start=mdp.reset``: how much of a greedy improvement no candidate can make.

        max over pi in policies, min over pi' in candidates, of
            E[max over a of Q^pi(s, a) - Q^pi(s, pi'(s))],   s from the occupancy of pi from ``start`` (mu_0 by default)

    In the paper ``candidates`` is the class Pi that the weak learner is for, and ``policies`` the convex hull of all
    that boosting can make of it. A maximum over some of the hull, for example the policies of one run, is a lower
    bound. It is the whole where transitions do not depend on the action: then all policies give the same.

    Parameters
    ----------
    mdp : TabularMDP
        The process.
    policies : array of shape (policies, states)
        P(+1) in each state: those that may have to be improved.
    candidates : array of shape (policies, states)
        Those that may improve them.
    start : array of shape (states,), optional
        Where episodes start.

    Returns
    -------
    float
        0 where every improvement can be made.
    """
    begin = None if start is None else np.asarray(start, dtype=np.float64)
    choices = _tables(candidates, mdp, "candidates")
    return max(_lacking(mdp, policy, choices, begin) for policy in _tables(policies, mdp, "policies"))


def _lacking(mdp: TabularMDP, policy: Floats, candidates: Matrix, start: Floats | None) -> float:
    """What the best candidate lacks beside the greedy policy, on the states of one policy."""
    worth, often = mdp.action_values(policy), mdp.occupancy(policy, start)
    reached = worth[:, 0] + candidates * (worth[:, 1] - worth[:, 0])  # Q(s, pi'(s)): a row a candidate
    return float(np.min((worth.max(axis=1) - reached) @ often))


def mismatch(mdp: TabularMDP, policies: npt.ArrayLike) -> float:
    """C_inf, the largest max mu*/mu^pi over policies; D_inf does not depend on them: ``mdp.reset_mismatch``.

    Parameters
    ----------
    mdp : TabularMDP
        The process.
    policies : array of shape (policies, states)
        P(+1) in each state.

    Returns
    -------
    float
        1 where all of them are in the same states as the best policy.
    """
    return max(mdp.mismatch(policy) for policy in _tables(policies, mdp, "policies"))


def _tables(policies: npt.ArrayLike, mdp: TabularMDP, name: str) -> Matrix:
    found = np.atleast_2d(np.asarray(policies, dtype=np.float64))
    if found.shape[1] != mdp.states or not len(found) or not ((found >= 0) & (found <= 1)).all():  # NaN fails too
        raise ValueError(
            f"{name} must hold a probability of +1 for each of the {mdp.states} states, one row a policy. Got an array "
            f"of shape {found.shape} with values from {np.min(found, initial=1.0):g} to {np.max(found, initial=0.0):g}."
        )
    return found
