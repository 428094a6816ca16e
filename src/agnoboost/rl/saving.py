"""Policies to and from model files."""

from __future__ import annotations

from ..basics.typing import Arrays
from ..files.container import Facts, ModelFileError
from ..files.hypotheses import pack_tapes, unpack_tapes
from .policies import Mixture


def pack(policy: Mixture) -> tuple[Facts, Arrays]:
    """A policy as facts and arrays: its tapes, and their weights."""
    if policy.tapes and policy.n_features is None:
        raise ValueError("A policy can be saved if it knows what it looks at. Got n_features=None. Pass it to Mixture.")
    facts = {
        "n_features": policy.n_features,
        "weights": list(policy.weights),
        "units": [tape.unit for tape in policy.tapes],
    }
    return facts, pack_tapes(policy.tapes)


def unpack(facts: Facts, arrays: Arrays) -> Mixture:
    """The policy that :func:`pack` packed."""
    weights = tuple(map(float, facts["weights"]))
    if len(weights) != len(facts["units"]) or not (all(weight >= 0.0 for weight in weights) and sum(weights) < 1.001):
        raise ModelFileError("The policy file is damaged: it must have a weight for every tape, no more than 1 in all.")
    known = facts["n_features"]
    return Mixture(tuple(unpack_tapes(arrays, facts["units"], int(known or 0))), weights, known)
