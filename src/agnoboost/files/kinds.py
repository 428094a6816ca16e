"""The kinds of models that files hold: where each packs and unpacks itself, its newest layout, and the way to it.

A kind whose layout changes gets the next number here, and a migration from the one before; its own room reads and
writes the newest layout only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from ..basics.typing import Arrays
from ..labels.models import one_against_rest
from .container import Facts, ModelFileError


@dataclass(frozen=True)
class Kind:
    """``saving`` is a module with ``pack(model) -> (facts, arrays)`` and ``unpack(facts, arrays) -> model``.

    It is imported when it is needed: rooms above this one are known here by name only.
    """

    saving: str
    layout: int = 1

    @property
    def module(self) -> Any:
        return import_module(self.saving)


KINDS: dict[str, Kind] = {
    "AgnosticBoostingClassifier": Kind("agnoboost.estimators.boosting.saving", layout=2),
    "FewLabelClassifier": Kind("agnoboost.estimators.few_labels.saving"),
    "XGBAgnosticClassifier": Kind("agnoboost.integrations.saving"),
    "LGBMAgnosticClassifier": Kind("agnoboost.integrations.saving"),
    "Mixture": Kind("agnoboost.rl.saving"),
}


def kind_of(model: Any) -> Kind:
    """The kind of a model, or of the class that it is derived from."""
    return next(KINDS[base.__name__] for base in type(model).__mro__ if base.__name__ in KINDS)


def migrated(name: str, facts: Facts, arrays: Arrays) -> tuple[Facts, Arrays]:
    """Facts and arrays in the newest layout of the kind; files that name none have the first one."""
    layout, newest = facts.get("layout", 1), KINDS[name].layout
    if layout not in range(1, newest + 1):
        raise ModelFileError(
            f"The model file has layout {layout} of {name}; this agnoboost reads layouts up to {newest}. "
            "Update with: pip install -U agnoboost"
        )
    for older in range(layout, newest):
        facts, arrays = MIGRATIONS[name, older](facts, arrays)
    return facts, arrays


def _boosting_1(facts: Facts, arrays: Arrays) -> tuple[Facts, Arrays]:
    """What early files did not say: no shift, runs by the plain loop, and held-out labels that stand for themselves."""
    facts = {"shift": 1.0, "engines": ["loop"] * len(facts["units"]), **facts}
    if "held_out/codes" in arrays and "held_out/targets" not in arrays:
        targets = one_against_rest(arrays["held_out/codes"], len(facts["classes"]["values"]))
        arrays = {**arrays, "held_out/targets": targets}
    return facts, arrays


# From the layout of that number to the next one.
MIGRATIONS: dict[tuple[str, int], Callable[[Facts, Arrays], tuple[Facts, Arrays]]] = {
    ("AgnosticBoostingClassifier", 1): _boosting_1,
}
