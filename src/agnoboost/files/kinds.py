"""Models to and from files, by kind: where each packs and unpacks itself, its newest layout, and the way to it.

A kind whose layout changes gets the next number here, and a migration from the one before; its own room reads and
writes the newest layout only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from .._version import __version__
from ..basics.names import prefixed
from ..basics.typing import Arrays
from ..labels.models import one_against_rest
from .container import Facts, ModelFileError, read, refusing, write
from .engine_trees import EngineTrees
from .first_few_labels import to_second_layout
from .lightgbm_trees import trees_of_lightgbm
from .xgboost_trees import trees_of_xgboost


@dataclass(frozen=True)
class Kind:
    """``saving`` is a module with ``pack`` (a model as facts and arrays), ``unpack`` (the model again) and ``SCHEMA``.

    What is written, and what is read, is checked by ``SCHEMA``: ``unpack`` can rely on it.

    It is imported when it is needed: rooms above this one are known here by name only.
    """

    saving: str
    layout: int = 1

    @property
    def module(self) -> Any:
        return import_module(self.saving)


KINDS: dict[str, Kind] = {
    "AgnosticBoostingClassifier": Kind("agnoboost.estimators.boosting.saving", layout=3),
    "TableClassifier": Kind("agnoboost.estimators.table.saving", layout=2),
    "FewLabelClassifier": Kind("agnoboost.estimators.table.saving", layout=3),
    "XGBAgnosticClassifier": Kind("agnoboost.integrations.saving", layout=3),
    "LGBMAgnosticClassifier": Kind("agnoboost.integrations.saving", layout=3),
    "Mixture": Kind("agnoboost.rl.saving"),
}


def save(model: Any, path: str | Path, sign: bytes | None = None) -> None:
    """Write a fitted model, or a policy, to ``path``, signed if there is a key.

    Parameters
    ----------
    model : classifier or Mixture
        What to write; ``model.save`` is the same.
    path : str or Path
        Where. The file appears whole or not at all.
    sign : bytes, optional
        A key of at least 16 bytes that only writer and reader have.
    """
    # Its own kind, or that of the class that it is derived from.
    kind = next(KINDS[base.__name__] for base in type(model).__mro__ if base.__name__ in KINDS)
    facts, arrays = kind.module.pack(model)
    facts = {"kind": type(model).__name__, "agnoboost": __version__, "layout": kind.layout, **facts}
    kind.module.SCHEMA.check(facts, arrays)  # nothing is written that could not be read
    write(Path(path), facts, arrays, sign=sign)


def load(path: str | Path, *, verify: bytes | None = None) -> Any:
    """Read a model, or a policy, that was saved with its ``save``.

    Nothing in the file is executed. Predictions are the same to the bit.

    Parameters
    ----------
    path : str or Path
        The file.
    verify : bytes, optional
        A key: files that were not signed with it (``model.save(path, sign=key)``) are refused.

    Returns
    -------
    classifier or Mixture
        As it was saved.

    Raises
    ------
    ModelFileError
        For a file that is not a model, is damaged, is from a later version, or is not signed as it should be.
    """
    facts, arrays = read(Path(path), verify=verify)
    with refusing(path):
        name = facts.get("kind")
        if not isinstance(name, str) or name not in KINDS:
            raise ModelFileError(f"{path} holds a {name!s:.60}, which this version of agnoboost does not know.")
        facts, arrays = migrated(name, facts, arrays)
        KINDS[name].module.SCHEMA.check(facts, arrays)
        return KINDS[name].module.unpack(facts, arrays)


def migrated(name: str, facts: Facts, arrays: Arrays) -> tuple[Facts, Arrays]:
    """Facts and arrays in the newest layout of the kind; files that name none have the first one."""
    layout, newest = facts.get("layout", 1), KINDS[name].layout
    if type(layout) is not int or layout not in range(1, newest + 1):
        raise ModelFileError(
            f"The model file has layout {layout} of {name}; this agnoboost reads layouts up to {newest}. "
            "Update with: pip install -U agnoboost"
        )
    for older in range(layout, newest):
        facts, arrays = MIGRATIONS[name, older](facts, arrays)
    return {**facts, "layout": newest}, arrays


def _boosting_1(facts: Facts, arrays: Arrays) -> tuple[Facts, Arrays]:
    """What early files did not say: no shift, runs by the plain loop, and held-out labels that stand for themselves."""
    facts = {"shift": 1.0, "engines": ["loop"] * len(facts["units"]), **facts}
    if "held_out/codes" in arrays and "held_out/targets" not in arrays:
        targets = one_against_rest(arrays["held_out/codes"], len(facts["classes"]["values"]))
        arrays = {**arrays, "held_out/targets": targets}
    return facts, arrays


def _with_readers(facts: Facts, arrays: Arrays) -> tuple[Facts, Arrays]:
    """Columns were numbers or categories, and the order of columns with numbers for names was not kept."""
    kept = {name: fact for name, fact in facts.items() if name != "categories"}
    categories = {column: {"kind": "category", "values": values} for column, values in facts["categories"].items()}
    return {**kept, "columns": categories, "column_numbers": []}, arrays


def _table_1(facts: Facts, arrays: Arrays) -> tuple[Facts, Arrays]:
    """There was no sharpness, and there were no importances: they need rows, which a file does not hold."""
    return _with_readers({**facts, "sharpness": 1.0, "importances": None}, arrays)


def _own_trees(read: Callable[[bytes], EngineTrees], facts: Facts, arrays: Arrays) -> tuple[Facts, Arrays]:
    """Boosters were kept in the backend's own format."""
    kept = {name: array for name, array in arrays.items() if not name.startswith("booster")}
    per_round = 1
    for name, array in arrays.items():
        if name.startswith("booster"):
            trees = read(array.tobytes())
            per_round = trees.per_round
            kept |= prefixed(f"{name}/", trees.pack())
    return {**facts, "trees_a_round": per_round}, kept


# From the layout of that number to the next one.
MIGRATIONS: dict[tuple[str, int], Callable[[Facts, Arrays], tuple[Facts, Arrays]]] = {
    ("AgnosticBoostingClassifier", 1): _boosting_1,
    ("AgnosticBoostingClassifier", 2): _with_readers,
    ("TableClassifier", 1): _table_1,
    ("FewLabelClassifier", 1): to_second_layout,
    ("FewLabelClassifier", 2): _table_1,
    ("XGBAgnosticClassifier", 1): _with_readers,
    ("XGBAgnosticClassifier", 2): partial(_own_trees, trees_of_xgboost),
    ("LGBMAgnosticClassifier", 1): _with_readers,
    ("LGBMAgnosticClassifier", 2): partial(_own_trees, lambda content: trees_of_lightgbm(content.decode())),
}
