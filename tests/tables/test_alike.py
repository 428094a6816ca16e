"""Two tables of the same columns."""

import numpy as np
import pandas as pd
import pytest

from agnoboost.tables.alike import with_columns_of

FIRST = pd.DataFrame({"a": [1, 2], "b": [3, 4]})


def test_columns_come_in_the_order_of_the_first_table():
    assert with_columns_of(FIRST, FIRST[["b", "a"]], "it").columns.tolist() == ["a", "b"]
    assert with_columns_of(FIRST, FIRST, "it") is FIRST
    numbered = FIRST.set_axis([7, 3], axis=1)
    assert with_columns_of(numbered, numbered[[3, 7]], "it").columns.tolist() == [7, 3]


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (FIRST.rename(columns={"b": "c"}), r"It lacks 'b', and has 'c'"),
        (FIRST.set_axis([0, 1], axis=1), r"It lacks 'a', 'b', and has 0, 1"),
        (FIRST.assign(c=0), r"It lacks none, and has 'c'"),
        (FIRST[["a"]], r"It lacks 'b', and has none"),
    ],
)
def test_other_columns_are_named(second, message):
    with pytest.raises(ValueError, match=message):
        with_columns_of(FIRST, second, "it")


def test_without_names_places_count():
    rows = np.zeros((3, 2))
    assert with_columns_of(FIRST, rows, "it") is rows
    with pytest.raises(ValueError, match="it must have 2 features"):
        with_columns_of(FIRST, np.zeros((3, 5)), "it")
