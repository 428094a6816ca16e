"""Boosting models to and from model files."""

from __future__ import annotations

from dataclasses import replace

from ...basics.array_schema import Array, ArrayGroup
from ...basics.fact_schema import ListOf, Number, Record, SchemaError, Sizes, Text, refuse
from ...basics.names import parts
from ...basics.typing import Arrays
from ...core.history import History
from ...files.common import COMMON, common_arrays, common_facts, common_sizes, encoder_of, restored
from ...files.container import Facts
from ...files.hypotheses import pack_tapes, unpack_tapes
from ...files.hypothesis_schemas import TAPE, UNIT, tested_by_sets
from ...files.schema import FileSchema
from ..held_out_choice import CHOICE, Choice
from ..threshold import HeldOut
from .estimator import AgnosticBoostingClassifier
from .parameters import LEARNER_NAMES
from .training import FitHistory


def pack(model: AgnosticBoostingClassifier) -> tuple[Facts, Arrays]:
    """A fitted model as facts and arrays."""
    choice = model.history_.choice
    facts = {
        **common_facts(model),
        "shift": model.shift_,
        "engines": model.history_.engines,
        "units": [tape.unit for tape in model._tapes],
        "choice": {**choice.facts, "tried": list(choice.losses)},
    }
    arrays = common_arrays(model) | pack_tapes(model._tapes)
    for number, history in enumerate(model.history_.runs):
        arrays |= {f"history{number}/{name}": array for name, array in history.to_arrays().items()}
    for place, losses in enumerate(choice.losses.values()):
        arrays[f"losses/{place}"] = losses
    if choice.held_out is not None:
        arrays |= {f"held_out/{name}": array for name, array in vars(choice.held_out).items() if array is not None}
    return facts, arrays


def _check_fit(facts: Facts, arrays: Arrays, sizes: Sizes) -> None:
    """Sets of categories are for columns of categories, and each step has its round."""
    learner = facts["parameters"].get("weak_learner", LEARNER_NAMES[0])  # on which it depends what rows may have gaps
    if learner not in LEARNER_NAMES and not (isinstance(learner, dict) and "learner" in learner):
        refuse("parameters.weak_learner", f"one of {', '.join(LEARNER_NAMES)}, or an object with `learner`", learner)
    known = set(encoder_of(facts, arrays).categorical)
    each = parts(arrays)
    for number in range(sizes["problems"]):
        own = each[f"tape{number}"]
        if not tested_by_sets(own) <= known:
            raise SchemaError(f"tape{number} looks for categories in a column of numbers")
        if len(own["which"]) != len(arrays[f"history{number}/number"]):
            raise SchemaError(f"history{number} must have a round for each step of tape{number}")


SCHEMA = FileSchema(
    COMMON
    | Record(
        {
            "shift": Number(1.0),
            "engines": ListOf(Text(100), "problems"),
            "units": ListOf(UNIT, "problems"),
            "choice": Record({**CHOICE.fields, "tried": ListOf(Number(0.0, 1.0), "tried", distinct=True)}),
        },
        meaning={
            "shift": "how many times likelier a region can be among labeled rows",
            "engines": "which made each tape",
            "units": "of the margins of each tape",
            "choice": "of rounds and unlabeled weight, and why",
        },
    ),
    ArrayGroup(
        {
            "tape{}": TAPE,
            "history{}": replace(History.schema, count="problems"),
            "losses": ArrayGroup(
                {
                    "{}": Array(
                        "number",
                        (None,),
                        "the held-out loss after 0, 1, ... rounds",
                        infinite=True,
                        gaps=True,
                        count="tried",
                    )
                },
                optional=True,
            ),
            "held_out": HeldOut.schema,
        }
    ),
    common_sizes,
    _check_fit,
)


def unpack(facts: Facts, arrays: Arrays) -> AgnosticBoostingClassifier:
    """The model that :func:`pack` packed."""
    model: AgnosticBoostingClassifier = restored(AgnosticBoostingClassifier, facts, arrays)
    model.shift_, model.shift_estimate_ = float(facts["shift"]), None
    tapes = unpack_tapes(arrays, facts["units"])
    each = parts(arrays)
    runs = [History.from_arrays(each[f"history{i}"]) for i in range(len(tapes))]
    chosen, held = dict(facts["choice"]), each["held_out"]
    losses = {share: arrays[f"losses/{place}"] for place, share in enumerate(chosen.pop("tried"))}
    choice = Choice(**chosen, losses=losses, held_out=HeldOut(**held) if held else None)
    model._keep(tapes, FitHistory(runs, choice, facts["engines"]))
    return model
