"""What a file may tell of machines: figures that fit together, or nothing."""

from copy import deepcopy

import numpy as np
import pytest

import agnoboost as ab
from agnoboost.basics.fact_schema import SchemaError
from agnoboost.estimators.table.machine_schema import MACHINES, check_machines
from agnoboost.evaluation.machine_worth import MachineWorth
from agnoboost.files.container import ModelFileError, read, write

CLASSES = ["no", "yes"]
REGION = {"condition": "a > 1", "rows": 6, "wrong": 5, "rows_elsewhere": 9, "wrong_elsewhere": 0, "p_value": 0.01}
MACHINE = {
    "name": "model",
    "rows": 40,
    "confusion": [[7, 1], [4, 3]],
    "weight": 0.4,
    "role": "used",
    "said": [12, 13],
    "changed": [2, 0],
    "regions": [REGION],
}
GAIN = {"measure": "accuracy", "alone": 0.7, "together": 0.8, "gain": 0.1, "half": 0.05}
FACTS = {"classes": CLASSES, "machines": [MACHINE], "checked": 15, "gains": [GAIN]}

NONSENSE = {
    "another class": (("classes", 1), "perhaps"),
    "a class that is null": (("classes", 1), None),
    "fewer rows than were compared": (("machines", 0, "rows"), 14),
    "more changed than said": (("machines", 0, "changed", 0), 13),
    "more wrong rows than rows": (("machines", 0, "regions", 0, "wrong"), 7),
    "more wrong rows elsewhere": (("machines", 0, "regions", 0, "wrong_elsewhere"), 10),
    "no rows elsewhere": (("machines", 0, "regions", 0, "rows_elsewhere"), 0),
    "a count below zero": (("machines", 0, "confusion", 0, 1), -1),
    "a list too short": (("machines", 0, "said"), [12]),
    "an unknown role": (("machines", 0, "role"), "king"),
    "a share above one": (("machines", 0, "weight"), 1.5),
    "no machines": (("machines",), []),
    "an infinite gain": (("gains", 0, "gain"), float("inf")),
}


def check(facts):
    MACHINES.check(facts, "machines", {"classes": 2})
    check_machines(facts, CLASSES)


def test_what_was_worked_out_is_accepted_and_can_be_told():
    check(FACTS)
    assert "40 rows" in str(MachineWorth.of_facts(FACTS))


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_is_refused(name):
    path, value = NONSENSE[name]
    facts = deepcopy(FACTS)
    parent = facts
    for key in path[:-1]:
        parent = parent[key]
    parent[path[-1]] = value
    with pytest.raises(SchemaError):
        check(facts)


def test_a_file_that_tells_nonsense_of_machines_is_refused(tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = np.where(np.arange(60) < 20, np.where(X[:, 0] > 0, 1.0, 0.0), np.nan)
    model = ab.TableClassifier(effort="fast", random_state=0).fit(X, y, machine_labels=(X[:, 0] > 0.3) * 1.0)
    model.save(tmp_path / "model.agno")
    assert str(ab.load(tmp_path / "model.agno").machines_) == str(model.machines_)
    facts, arrays = read(tmp_path / "model.agno")
    facts["machines"]["machines"][0]["rows"] = 3
    write(tmp_path / "model.agno", facts, arrays)
    with pytest.raises(ModelFileError, match="no more rows in a part"):
        ab.load(tmp_path / "model.agno")
