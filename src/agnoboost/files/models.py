"""Estimators to and from model files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..core.history import History
from ..estimators.boosting.training import FitHistory
from ..estimators.held_out_choice import Choice, HeldOut
from ..labels.models import one_against_rest
from .backends import KINDS, unpack_engine_model
from .common import common_facts, problems, restored
from .container import Arrays, ModelFileError, read, under, write
from .few_labels import FEW_LABELS, unpack_few_label_model
from .hypotheses import pack_tape, unpack_tape
from .policies import POLICY, unpack_policy


def save(model: Any, path: str | Path) -> None:
    """Write a fitted :class:`~agnoboost.AgnosticBoostingClassifier` to ``path``."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model, "tape_")
    choice = model.history_.choice
    facts = {
        **common_facts(model),
        "shift": model.shift_,
        "engines": model.history_.engines,
        "units": [tape.unit for tape in model._tapes],
        "choice": {
            "rounds": choice.rounds,
            "unlabeled_weight": choice.unlabeled_weight,
            "reason": choice.reason,
            "tried": list(choice.losses),
        },
    }
    arrays: Arrays = {}
    for number, (tape, history) in enumerate(zip(model._tapes, model.history_.runs, strict=True)):
        arrays |= {f"tape{number}/{name}": array for name, array in pack_tape(tape).items()}
        arrays |= {f"history{number}/{name}": array for name, array in history.to_arrays().items()}
    for place, losses in enumerate(choice.losses.values()):
        arrays[f"losses/{place}"] = losses
    if choice.held_out is not None:
        arrays |= {f"held_out/{name}": array for name, array in vars(choice.held_out).items()}
    write(Path(path), facts, arrays)


def load(path: str | Path) -> Any:
    """Read a model, or a policy, that was saved with its ``save``.

    Nothing in the file is executed. Predictions are the same to the bit. Raises :class:`ModelFileError` for a file
    that is not a model, is damaged, or is from a later version.
    """
    from ..estimators import AgnosticBoostingClassifier

    facts, arrays = read(Path(path))
    try:
        if facts["kind"] == POLICY:
            return unpack_policy(facts, arrays)
        if facts["kind"] in KINDS:
            return unpack_engine_model(facts, arrays)
        if facts["kind"] == FEW_LABELS:
            return unpack_few_label_model(facts, arrays)
        if facts["kind"] != "AgnosticBoostingClassifier":
            raise ModelFileError(f"{path} holds a {facts['kind']}, which this version of agnoboost does not know.")
        model = restored(AgnosticBoostingClassifier, facts)
        _restore(model, facts, arrays)
    except ModelFileError:
        raise
    except (KeyError, TypeError, IndexError, ValueError, AttributeError) as error:
        raise ModelFileError(f"{path} is not a whole model file: {error!r}. Save the model again.") from None
    return model


def _restore(model: Any, facts: dict[str, Any], arrays: Arrays) -> None:
    """What is this estimator's own."""
    model.shift_, model.shift_estimate_ = float(facts.get("shift", 1.0)), None
    model._tapes = [
        unpack_tape(under(arrays, f"tape{i}/"), unit, model.n_features_in_) for i, unit in enumerate(facts["units"])
    ]
    if len(model._tapes) != problems(model) or len(model.classes_) < 2:
        raise ModelFileError(f"The model file has {len(model.classes_)} classes and {len(model._tapes)} tapes.")
    model.tape_ = model._tapes[0] if len(model._tapes) == 1 else model._tapes
    model.n_rounds_ = max(map(len, model._tapes))
    runs = [History.from_arrays(under(arrays, f"history{i}/")) for i in range(len(model._tapes))]
    chosen, held = facts["choice"], under(arrays, "held_out/")
    losses = {share: arrays[f"losses/{place}"] for place, share in enumerate(chosen["tried"])}
    if held and "targets" not in held:  # files of earlier versions, whose labels stand for themselves
        held["targets"] = one_against_rest(held["codes"], len(model.classes_))
    choice = Choice(
        chosen["rounds"], chosen["unlabeled_weight"], chosen["reason"], losses, HeldOut(**held) if held else None
    )
    engines = facts.get("engines", ["loop"] * len(runs))
    model.history_ = FitHistory(runs, choice, [str(name) for name in engines])
