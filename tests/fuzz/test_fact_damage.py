"""Damage to facts: whatever is changed can be written, and leaves no trace in the next case."""

from copy import deepcopy
from random import Random

from fuzz.fact_damage import NONSENSE, as_text, changed

FACTS = {"a": {"b": [1, 2, {"c": "x"}], "d": 0.5}, "e": [[1], [2]], "f": None}


def test_changes_upon_changes_can_be_written_and_share_nothing():
    before = deepcopy(NONSENSE)
    for seed in range(3000):
        dice, facts = Random(seed), deepcopy(FACTS)
        for _ in range(4):
            facts, _, _ = changed(facts, dice)
        as_text(facts)
    assert repr(NONSENSE) == repr(before)
