"""From chances of a row's class, given what was said of it, to stand-ins that are right on average for every x.

What annotators say depends on the true class, not on x. So for the posterior p = P(class | votes) of a row at x

    E[p | x] = P(class | x) M,      M[k, l] = E[p_l | class k],

and p M^-1 has the mean P(class | x): p itself leans to the overall share of the classes. If p is calibrated, M can be
had without any true label, since E[p_l | class k] = E[p_k p_l] / E[p_k]. For two classes that is (p - m0)/(m1 - m0),
with m1 = E[p^2]/E[p] and m0 = E[p (1 - p)]/E[1 - p].
"""

from __future__ import annotations

import numpy as np

from ..basics.typing import Floats

LEAST = 0.1  # stand-ins grow as 1/the least eigenvalue of M: below it they are drawn towards p


def without_lean(posterior: Floats) -> Floats:
    """p M^-1 for each row (shape: rows, classes); rows still sum to 1, and may leave [0, 1].

    Where votes hardly tell the classes apart M is nearly singular, and is mixed with the identity, which leaves p.

    >>> without_lean(np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]])).round(3).tolist()
    [[1.562, -0.562], [-0.528, 1.528], [0.666, 0.334]]
    """
    tiny = 1e-12  # a class that nobody has voted for stays as it is
    total = posterior.sum(axis=0) + tiny
    both = posterior.T @ posterior + tiny * np.eye(len(total))
    root = np.sqrt(total)
    least = float(np.linalg.eigvalsh(both / np.outer(root, root))[0])
    share = max(0.0, (LEAST - least) / (1.0 - least)) if least < LEAST else 0.0
    lean = (1.0 - share) * both / total[:, None] + share * np.eye(len(total))
    return np.asarray(np.linalg.solve(lean.T, posterior.T).T)
