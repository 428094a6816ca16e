"""Models of XGBoost and LightGBM to and from model files: as trees of our own, which no native parser reads."""

from __future__ import annotations

from dataclasses import replace

from ..basics.array_schema import ArrayGroup
from ..basics.fact_schema import Number, Record, SchemaError, Sizes, Whole
from ..basics.names import parts, prefixed
from ..basics.typing import Arrays
from ..estimators.held_out_choice import CHOICE, Choice
from ..files.common import COMMON, common_arrays, common_facts, common_sizes, encoder_of, problems, restored
from ..files.container import Facts
from ..files.engine_trees import ENGINE_TREES, EngineTrees
from ..files.hypothesis_schemas import tested_by_sets
from ..files.schema import FileSchema
from .backend import LoadedEnsemble
from .estimators import BackendClassifier, LGBMAgnosticClassifier, XGBAgnosticClassifier
from .trainer import Ensembles

TYPES = {kind.__name__: kind for kind in (XGBAgnosticClassifier, LGBMAgnosticClassifier)}


def pack(model: BackendClassifier) -> tuple[Facts, Arrays]:
    """A fitted model as facts and arrays."""
    each = [ensemble.kept() for ensemble in model._model.each]
    own = {
        "n_rounds": model.n_rounds_,
        "trees_a_round": each[0].per_round,
        "stretch": model._model.stretch,
        "choice": model.choice_.facts,
    }
    arrays = common_arrays(model)
    for number, trees in enumerate(each):
        arrays |= prefixed(f"booster{number}/", trees.pack())
    return {**common_facts(model), **own}, arrays


def _check_fit(facts: Facts, arrays: Arrays, sizes: Sizes) -> None:
    """Rounds are whole, and sets of categories are for columns of categories."""
    known = set(encoder_of(facts, arrays).categorical)
    each = parts(arrays)
    for number in range(sizes["problems"]):
        own = each[f"booster{number}"]
        if len(own["ends"]) % facts["trees_a_round"]:
            raise SchemaError(f"booster{number} must have {facts['trees_a_round']} trees a round")
        if not tested_by_sets(prefixed("regression_tree/", own)) <= known:
            raise SchemaError(f"booster{number} looks for categories in a column of numbers")


SCHEMA = FileSchema(
    COMMON
    | Record(
        {"n_rounds": Whole(), "trees_a_round": Whole(1, 10_000), "stretch": Number(0.0, 1e6), "choice": CHOICE},
        meaning={
            "n_rounds": "how many are used",
            "trees_a_round": "1, unless XGBoost was asked for more",
            "stretch": "brings margins to scale",
            "choice": "of rounds and unlabeled weight, and why",
        },
    ),
    ArrayGroup({"booster{}": replace(ENGINE_TREES, count="problems")}),
    common_sizes,
    _check_fit,
)


def unpack(facts: Facts, arrays: Arrays) -> BackendClassifier:
    """The model that :func:`pack` packed. The backend is not needed, unless it is asked for."""
    model: BackendClassifier = restored(TYPES[facts["kind"]], facts, arrays)
    kind, columns = model._backend_type.ensemble, len(model._matrix_names)
    single = isinstance(model, XGBAgnosticClassifier)
    kept = parts(arrays)
    each = [
        LoadedEnsemble(
            EngineTrees.unpack(kept[f"booster{number}"], single, facts["trees_a_round"]),
            kind,
            columns,
            tuple(model._encoder.categorical),
        )
        for number in range(problems(len(model.classes_)))
    ]
    model._model = Ensembles(each, float(facts["stretch"]))
    model.n_rounds_ = facts["n_rounds"]
    model.choice_ = Choice(**facts["choice"])
    return model
