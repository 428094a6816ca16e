"""Policies to and from model files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._version import __version__
from .container import Arrays, ModelFileError, under, write
from .hypotheses import pack_tape, unpack_tape

if TYPE_CHECKING:
    from ..rl import Mixture

POLICY = "Mixture"  # how a file says that it holds one


def save_policy(policy: Mixture, path: str | Path) -> None:
    """Write a policy: its tapes, and their weights."""
    if policy.tapes and policy.n_features is None:
        raise ValueError("A policy can be saved if it knows what it looks at. Got n_features=None. Pass it to Mixture.")
    facts = {
        "kind": POLICY,
        "agnoboost": __version__,
        "n_features": policy.n_features,
        "weights": list(policy.weights),
        "units": [tape.unit for tape in policy.tapes],
    }
    arrays: Arrays = {}
    for number, tape in enumerate(policy.tapes):
        arrays |= {f"tape{number}/{name}": array for name, array in pack_tape(tape).items()}
    write(Path(path), facts, arrays)


def unpack_policy(facts: dict[str, Any], arrays: Arrays) -> Mixture:
    """The policy that :func:`save_policy` saved."""
    from ..rl import Mixture

    weights = tuple(map(float, facts["weights"]))
    if len(weights) != len(facts["units"]) or not (all(weight >= 0.0 for weight in weights) and sum(weights) < 1.001):
        raise ModelFileError("The policy file is damaged: it must have a weight for every tape, no more than 1 in all.")
    known = facts["n_features"]
    tapes = (unpack_tape(under(arrays, f"tape{i}/"), unit, int(known)) for i, unit in enumerate(facts["units"]))
    return Mixture(tuple(tapes), weights, known)
