"""Several keepers as one: the answers of a single keeper of all rows."""

import numpy as np
import pytest
from keeper_contract import check_keeper

from agnoboost.rounds.stumps.keepers.parts import KeepersHere
from agnoboost.rounds.stumps.keepers.plain import PlainKeeper


@pytest.mark.parametrize("parts", [1, 2, 5])
def test_parts_answer_as_one(parts):
    def make(counting, codes, weights, labels):
        rows = np.array_split(np.arange(len(codes)), min(parts, len(codes)))
        return KeepersHere([PlainKeeper(counting, codes[own], weights[own], labels[own]) for own in rows])

    check_keeper(make)
