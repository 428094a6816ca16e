"""Checkpoints of distributed runs: trees of our own in the container of all our files.

XGBoost's parser believes what it is given, and a damaged file can end the process. So it gets what was written anew
from trees that have been checked, as with model files.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from ..basics.errors import CheckpointError
from ..basics.fact_schema import Record, SchemaError, Text, Whole
from ..files.container import CHECKPOINT_FORMAT, ModelFileError, read, refusing, write
from ..files.engine_trees import ENGINE_TREES, EngineTrees
from ..rounds.checkpoint_places import told_if_it_fails
from .xgboost_backend import XGBEnsemble

_FACTS = Record({"kind": Text(20), "problem": Text(64), "trees_a_round": Whole(1, 10_000)})
_KIND = "xgboost"


def keep(path: Path, ensemble: XGBEnsemble, problem: str) -> None:
    """Write what was trained so far. If that fails it is said, and the run goes on."""
    trees = ensemble.kept()
    facts = {"kind": _KIND, "problem": _digest(problem), "trees_a_round": trees.per_round}
    with told_if_it_fails(path):
        write(path, facts, trees.pack(), CHECKPOINT_FORMAT)


def kept(path: Path, problem: str, columns: int) -> XGBEnsemble | None:
    """What a run that was stopped had trained; None if there is none."""
    if not path.exists():
        return None
    try:
        facts, arrays = read(path, CHECKPOINT_FORMAT)
        with refusing(path, CHECKPOINT_FORMAT):
            _FACTS.check(facts, "model.json", {})
            if facts["kind"] != _KIND:
                raise SchemaError("it is of another kind")
            ENGINE_TREES.check(arrays, "", {"columns": columns})
            if len(arrays["ends"]) % facts["trees_a_round"] or len(arrays["sets"]):
                raise SchemaError("its trees are not those of whole rounds, on numbers")
    except ModelFileError as error:
        raise CheckpointError(str(error)) from None
    if facts["problem"] != _digest(problem):
        raise CheckpointError(f"{path} belongs to another fit. Delete it to start anew, or choose another checkpoint.")
    return XGBEnsemble.of_trees(EngineTrees.unpack(arrays, True, facts["trees_a_round"]), columns, ())


def _digest(problem: str) -> str:
    return sha256(problem.encode()).hexdigest()
