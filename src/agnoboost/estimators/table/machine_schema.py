"""What a file may tell of machine labels, and of what they were worth."""

from __future__ import annotations

from typing import Any

from ...basics.fact_schema import ListOf, Number, OneOf, PlainValue, Record, SchemaError, Text, Whole
from ...evaluation.machine_worth import INVERTED, LEFT_OUT, NO_USE, USED

_COUNTS = ListOf(Whole(), "classes")
_REGION = Record(
    {
        "condition": Text(),
        **dict.fromkeys(("rows", "rows_elsewhere"), Whole(1)),
        **dict.fromkeys(("wrong", "wrong_elsewhere"), Whole()),
        "p_value": Number(0.0, 1.0),
    }
)
_MACHINE = Record(
    {
        "name": Text(),
        "rows": Whole(),
        "confusion": ListOf(_COUNTS, "classes"),
        "weight": Number(0.0, 1.0),
        "role": OneOf((USED, INVERTED, NO_USE, LEFT_OUT)),
        "said": _COUNTS,
        "changed": _COUNTS,
        "regions": ListOf(_REGION),
    }
)
_GAIN = Record({"measure": Text(), **dict.fromkeys(("alone", "together", "gain", "half"), Number())})
MACHINES = Record(
    {
        "classes": ListOf(PlainValue(gap=False), "classes"),
        "machines": ListOf(_MACHINE, least=1),
        "checked": Whole(),
        "gains": ListOf(_GAIN),
    }
)


def check_machines(facts: dict[str, Any], classes: list[Any]) -> None:
    """Refuse counts that are parts of other counts, and larger; and what is told of other classes than the model's."""
    if facts["classes"] != classes:
        raise SchemaError("machines.classes must be the classes of the model")
    for place, one in enumerate(facts["machines"]):
        parts = [
            (sum(map(sum, one["confusion"])), one["rows"]),
            *zip(one["changed"], one["said"], strict=True),
            *((region["wrong"], region["rows"]) for region in one["regions"]),
            *((region["wrong_elsewhere"], region["rows_elsewhere"]) for region in one["regions"]),
        ]
        if any(part > whole for part, whole in parts):
            raise SchemaError(f"machines.machines[{place}] must count no more rows in a part than in the whole")
