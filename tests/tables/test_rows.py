"""Rows of tables of any kind, and tables with other cells in one column."""

import numpy as np
import pytest

from agnoboost.tables.cells import columns_of
from agnoboost.tables.rows import row_count, spread, take, with_column

pd = pytest.importorskip("pandas")


def held(kind):
    frame = pd.DataFrame({"a": [1.0, np.nan, 3.0], "b": [4.0, 5.0, 6.0]}, index=[7, 7, 9])
    if kind == "array":
        return frame.to_numpy()
    if kind == "categories":
        return frame.astype({"b": "category"})
    if kind == "polars":
        return pytest.importorskip("polars").DataFrame({"a": [1.0, None, 3.0], "b": [4.0, 5.0, 6.0]})
    return pytest.importorskip("pyarrow").table({"a": [1.0, None, 3.0], "b": [4.0, 5.0, 6.0]})


@pytest.mark.parametrize("kind", ["array", "categories", "polars", "pyarrow"])
def test_a_column_from_other_rows(kind):
    table = held(kind)
    changed = with_column(table, 1, table, np.array([2, 0, 0]))
    assert [column.cells for column in columns_of(changed)] == [[1.0, None, 3.0], [6.0, 4.0, 4.0]]
    assert [column.cells for column in columns_of(table)] == [[1.0, None, 3.0], [4.0, 5.0, 6.0]]  # stays as it is
    assert [column.kind for column in columns_of(changed)] == [column.kind for column in columns_of(table)]
    tiled = take(table, np.array([2, 1, 2, 0]))
    changed = with_column(tiled, 0, table, np.array([1, 0, 2, 2]))
    assert [column.cells for column in columns_of(changed)] == [[None, 1.0, 3.0, 3.0], [6.0, 5.0, 6.0, 4.0]]
    assert row_count(changed) == 4


def test_places_at_even_distances():
    assert spread(np.arange(11), 3).tolist() == [0, 5, 10]
    assert spread(np.arange(2), 3).tolist() == [0, 1]
