"""Boosting models to and from model files."""

from __future__ import annotations

from ...basics.names import under
from ...basics.typing import Arrays
from ...core.history import History
from ...files.common import common_arrays, common_facts, problems, restored
from ...files.container import Facts, ModelFileError
from ...files.hypotheses import pack_tapes, unpack_tapes
from ..held_out_choice import Choice
from ..threshold import HeldOut
from .estimator import AgnosticBoostingClassifier
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


def unpack(facts: Facts, arrays: Arrays) -> AgnosticBoostingClassifier:
    """The model that :func:`pack` packed."""
    model: AgnosticBoostingClassifier = restored(AgnosticBoostingClassifier, facts, arrays)
    model.shift_, model.shift_estimate_ = float(facts["shift"]), None
    tapes = unpack_tapes(arrays, facts["units"], len(model._matrix_names))
    if len(tapes) != problems(model) or len(model.classes_) < 2:
        raise ModelFileError(f"The model file has {len(model.classes_)} classes and {len(tapes)} tapes.")
    runs = [History.from_arrays(under(arrays, f"history{i}/")) for i in range(len(tapes))]
    chosen, held = dict(facts["choice"]), under(arrays, "held_out/")
    losses = {share: arrays[f"losses/{place}"] for place, share in enumerate(chosen.pop("tried"))}
    choice = Choice(**chosen, losses=losses, held_out=HeldOut(**held) if held else None)
    model._keep(tapes, FitHistory(runs, choice, [str(name) for name in facts["engines"]]))
    return model
