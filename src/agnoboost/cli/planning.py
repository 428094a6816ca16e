"""``agnoboost plan``: what the theorems ask for."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ..planner import compare as compare_costs
from ..planner import plan as make_plan
from .console import out


def plan(
    theorem: Annotated[str, typer.Argument(help="theorem1, theorem2, theorem3, shift, half or rl.")] = "theorem1",
    epsilon: Annotated[float, typer.Option(help="Excess correlation (twice the excess error); for half: error.")] = 0.1,
    delta: Annotated[float, typer.Option(help="Probability of failing.")] = 0.05,
    gamma: Annotated[float | None, typer.Option(help="Edge of the weak learner; 0.5 by default. Not for half.")] = None,
    vc: Annotated[float | None, typer.Option(help="VC dimension of the base class.")] = None,
    log_size: Annotated[float | None, typer.Option(help="Logarithm of the size of the base class.")] = None,
    shift: Annotated[float, typer.Option(help="For shift: C_X.")] = 1.0,
    epsilon0: Annotated[float, typer.Option(help="Additive error of the weak learner.")] = 0.0,
    constant: Annotated[float, typer.Option(help="The universal constant that the paper leaves open.")] = 1.0,
    beta: Annotated[float | None, typer.Option(help="For rl: discount factor.")] = None,
    mismatch: Annotated[float | None, typer.Option(help="For rl: C_inf, or D_inf with nu-reset.")] = None,
    access: Annotated[str | None, typer.Option(help="For rl: episodic (default) or nu-reset.")] = None,
    n: Annotated[int | None, typer.Option("--n", help="For half: coordinates of the cube.")] = None,
    degree: Annotated[int | None, typer.Option(help="For half: largest degree of the parities.")] = None,
) -> None:
    """The settings and sample sizes under which a theorem guarantees its result."""
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
    out.print(str(found), highlight=False, markup=False)
    if theorem != "rl":
        out.print(f"\nThe same excess elsewhere:\n{compare_costs(theorem, **settings)}", highlight=False, markup=False)
