"""Policies to and from model files."""

from __future__ import annotations

from ..basics.array_schema import ArrayGroup
from ..basics.fact_schema import ListOf, Maybe, Number, Record, SchemaError, Sizes, Whole
from ..basics.typing import Arrays
from ..files.common import MOST_COLUMNS
from ..files.container import Facts
from ..files.hypotheses import pack_tapes, unpack_tapes
from ..files.hypothesis_schemas import TAPE, UNIT
from ..files.schema import FileSchema
from .policies import Mixture

ROUNDING = 1e-9  # of weights that sum to 1


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


def _sizes(facts: Facts, arrays: Arrays, sizes: Sizes) -> Arrays:
    if sum(facts["weights"]) > 1.0 + ROUNDING:
        raise SchemaError("the weights of a policy must be no more than 1 in all")
    if facts["n_features"] is None and facts["weights"]:
        raise SchemaError("n_features must be known where there are tapes")
    sizes["columns"] = facts["n_features"] or 0
    return arrays


SCHEMA = FileSchema(
    Record(
        {
            "n_features": Maybe(Whole(1, MOST_COLUMNS)),
            "weights": ListOf(Number(0.0, 1.0), "problems"),
            "units": ListOf(UNIT, "problems"),
        },
        meaning={
            "n_features": "numbers of an observation",
            "weights": "of the tapes; a coin has what is left",
            "units": "of the margins of each tape",
        },
    ),
    ArrayGroup({"tape{}": TAPE}),
    _sizes,
)


def unpack(facts: Facts, arrays: Arrays) -> Mixture:
    """The policy that :func:`pack` packed."""
    weights = tuple(map(float, facts["weights"]))
    return Mixture(tuple(unpack_tapes(arrays, facts["units"])), weights, facts["n_features"])
