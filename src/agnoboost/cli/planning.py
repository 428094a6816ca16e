"""``agnoboost plan``: what the theorems ask for."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from ..planner import compare as compare_costs
from ..planner import plan as make_plan
from .console import Facts, is_given, say

EXPLANATION = """\
How many rows do the theorems ask for, and with which settings do they promise
their result? A plan needs

  a theorem      theorem1 (new unlabeled rows every round), theorem2 (few of
                 them, used again), theorem3 (more of them, fewer rounds),
                 shift (unlabeled rows from elsewhere), half (halfspaces), rl
                 (policies from few rewards)
  the base class --log-size (logarithm of the number of rules to choose from)
                 or --vc (its VC dimension); half takes --n instead
  the aim        --epsilon (how far from the best rule), --delta (probability
                 of failing), --gamma (how much better than chance the weak
                 learner is)

For example, for 52 rules (log 52 = 3.95):

  agnoboost plan theorem1 --log-size 3.95 --epsilon 0.3
  agnoboost plan half --n 6 --degree 2 --epsilon 0.2
  agnoboost plan rl --log-size 2 --epsilon 0.5 --beta 0.5

The numbers are large: proofs are for the worst case. For a table of your own
use agnoboost fit; all options of this command: agnoboost plan --help"""


def plan(
    context: typer.Context,
    theorem: Annotated[str, typer.Argument(help="theorem1, theorem2, theorem3, shift, half or rl.")] = "theorem1",
    epsilon: Annotated[float, typer.Option(help="Excess correlation (twice the excess error); for half: error.")] = 0.1,
    delta: Annotated[float, typer.Option(help="Probability of failing.")] = 0.05,
    gamma: Annotated[
        float | None,
        typer.Option(help="How much better than chance the weak learner is; 0.5 by default. Not for half."),
    ] = None,
    vc: Annotated[float | None, typer.Option(help="VC dimension of the base class.")] = None,
    log_size: Annotated[float | None, typer.Option(help="Logarithm of the size of the base class.")] = None,
    shift: Annotated[
        float, typer.Option(help="For shift: how many times rarer labeled rows may be among unlabeled ones.")
    ] = 1.0,
    epsilon0: Annotated[float, typer.Option(help="Additive error of the weak learner.")] = 0.0,
    constant: Annotated[float, typer.Option(help="The universal constant that the paper leaves open.")] = 1.0,
    beta: Annotated[float | None, typer.Option(help="For rl: discount factor.")] = None,
    mismatch: Annotated[
        float | None, typer.Option(help="For rl: how many times as often as ours the best policy may visit a state.")
    ] = None,
    access: Annotated[str | None, typer.Option(help="For rl: episodic (default) or nu-reset.")] = None,
    n: Annotated[int | None, typer.Option("--n", help="For half: coordinates of the cube.")] = None,
    degree: Annotated[int | None, typer.Option(help="For half: largest degree of the parities.")] = None,
) -> Facts:
    """The settings and sample sizes under which a theorem guarantees its result; alone it explains itself."""
    if not any(is_given(context, name) for name in context.params if name != "as_json"):
        say(EXPLANATION)
        return {"explanation": EXPLANATION}
    settings: dict[str, Any] = {
        "epsilon": epsilon,
        "delta": delta,
        "gamma": 0.5 if gamma is None and theorem != "half" else gamma,
        "vc": vc,
        "log_size": log_size,
        "shift": shift,
        "epsilon0": epsilon0,
        "constant": constant,
        "n": n,
        "degree": degree,
    }
    found = make_plan(theorem, beta=beta, mismatch=mismatch, access=access, **settings)
    say(str(found))
    facts = {
        "plan": asdict(found),
        "labeled": getattr(found, "total_labeled", None),
        "unlabeled": getattr(found, "total_unlabeled", None),
        "guarantee": found.guarantee,
        "comparison": None,
    }
    if theorem != "rl":
        compared = compare_costs(theorem, **settings)
        say(f"\nThe same excess elsewhere:\n{compared}")
        facts["comparison"] = [asdict(cost) for cost in compared.costs]
    return facts
