"""What the campaign takes for nonsense: what no valid file could hold, and nothing else."""

import json
from random import Random

import numpy as np
import pytest

import agnoboost as ab
from agnoboost.files.container import read
from fuzz import array_damage, fact_damage


def verdicts(facts, wanted):
    """What is said of the changes that set a fact, by the value."""
    found = {}
    for number in range(5000):
        _, words, nonsense = fact_damage.changed(json.loads(json.dumps(facts)), Random(number))
        if f"{wanted} = " in words:
            found[words.partition(" = ")[2]] = nonsense
    return found


def test_cuts_may_be_as_large_as_the_cells_of_a_table(tmp_path):
    X = np.array([0.0, 1.0, 2.0, 9e307, 1e308] * 12)[:, None]
    model = ab.TableClassifier("fast", random_state=0).fit(X, X[:, 0] > 9.5e307)
    model.save(tmp_path / "model.agno")
    facts, _ = read(tmp_path / "model.agno")
    assert max(map(abs, facts["bins"]["cuts"][0])) > 9e307  # a valid file that has them
    said = verdicts({"bins": {"cuts": [[0.5]]}}, "bins/cuts/0/0")
    assert not said["-1e+308"]
    assert not said["1e+308"]
    assert said["nan"]
    assert said["inf"]
    assert said["None"]


def test_other_numbers_may_not():
    said = verdicts({"cut": 0.5}, "cut")
    assert said["-1e+308"]
    assert said["nan"]
    assert not said["0.5"]


@pytest.mark.parametrize(
    ("name", "value", "nonsense"),
    [
        ("state/17/X.npy", np.nan, False),  # rows of a table may have gaps
        ("state/17/X.npy", np.inf, True),
        ("state/17/mass.npy", np.nan, True),
        ("tape0/stump/threshold.npy", -np.inf, False),
        ("tape0/stump/threshold.npy", np.nan, True),
        ("tape0/coef.npy", 2**63 - 1, True),
        ("tape0/coef.npy", 1000, False),
        ("curves.npy", 1e308, False),
    ],
)
def test_numbers_of_arrays(name, value, nonsense, monkeypatch):
    monkeypatch.setattr(array_damage, "_odd", lambda dtype, dice: value)
    content = array_damage.packed(np.zeros(3, np.int64 if isinstance(value, int) else np.float64))
    found = [array_damage.changed(content, name, Random(number)) for number in range(50)]
    assert {said for _, words, said in found if "->" in words} == {nonsense}
