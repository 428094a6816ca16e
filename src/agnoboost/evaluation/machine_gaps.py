"""Rows of which a machine says nothing: whether the model may speak for it there, and there only.

To fill gaps row by row is right if they have nothing to do with the draw of gold rows. Where the machine speaks mainly
of gold rows, these compare gold labels with the machine while most others have the model's own probabilities: what the
machine gets wrong is then no sign of what the model gets wrong, and intervals miss. So it is tested whether gaps are as
frequent among gold rows as among all. Gold rows that were drawn as planned count by their weights: a plan may rather
draw rows without machine label, as long as gaps were there before the draw.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr
from scipy.stats import fisher_exact

from ..basics.typing import Bools, Floats
from ..basics.user_warnings import tell

LEVEL = 1e-3  # with gaps by chance, so seldom are machine labels left unused
ADVICE = "Have the machine label all rows, or rows that were chosen without regard to the gold ones"


def without_chance_gaps(machine: Floats, spoken: Bools, weight: Floats, equal: bool, own: Floats | None) -> Floats:
    """What the machine says, gaps filled; or what the model says of all rows where gaps go along with gold labels.

    Parameters
    ----------
    machine : array of shape (rows, classes)
        Gaps are filled already.
    spoken : array of bool
        Where they were none.
    weight : array
        Of gold rows, with sum the number of rows; 0 for others.
    equal : bool
        Whether gold rows were equally likely to be drawn.
    own : array of shape (rows, classes), or None
        The model's probabilities.
    """
    known = weight > 0.0
    if spoken.all() or known.all():
        return machine
    gold, others = int(known.sum()), int(np.sum(~known))
    if not spoken[~known].any():
        raise ValueError(
            f"machine_labels must be there for rows without gold label, too: that is where they help. Got some for "
            f"{int(spoken[known].sum())} of {gold} gold rows, and for none of the {others} others. Are they gold "
            f"labels themselves? {ADVICE}; or leave them out to use the model's probabilities."
        )
    if chance_of_gaps(spoken, weight, equal) >= LEVEL:
        return machine
    said = (
        f"machine_labels are there for {spoken[known].mean():.0%} of {gold} gold rows, and for "
        f"{spoken[~known].mean():.0%} of the {others} others. That is no chance, and would make intervals wrong."
    )
    if own is None:
        raise ValueError(f"{said} There are no probabilities of the model to take their place. {ADVICE}.")
    tell(
        f"{said} They are not used: the model's own probabilities take their place on all rows. {ADVICE}.",
        MachineGapsWarning,
    )
    return own


class MachineGapsWarning(UserWarning):
    """Machine labels of an audit are not used, since their gaps go along with gold labels."""


def chance_of_gaps(spoken: Bools, weight: Floats, equal: bool) -> float:
    """How likely gaps are to differ so much between gold rows and others if they have nothing to do with the draw.

    >>> row = np.arange(100)
    >>> weight = np.where(row < 10, 10.0, 0.0)
    >>> chance_of_gaps(row < 30, weight, True) < 1e-5, chance_of_gaps(row % 3 == 0, weight, True) > 0.5
    (True, True)
    """
    known = weight > 0.0
    if equal:
        table = [[int(np.sum(rows & says)) for says in (spoken, ~spoken)] for rows in (known, ~known)]
        return float(fisher_exact(table).pvalue)
    share = spoken.mean()
    apart = float(weight @ (spoken - share)) / len(weight)
    by_rows = float(weight**2 @ (spoken - share) ** 2)  # right where a plan drew rows by what the machine says
    by_share = share * (1.0 - share) * float(weight @ weight)  # larger where gold rows are all of one kind
    return float(2.0 * ndtr(-abs(apart) * len(weight) / np.sqrt(max(by_rows, by_share))))
