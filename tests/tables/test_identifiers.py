"""Columns that tell rows apart and nothing else are left out, and named."""

from uuid import UUID

import numpy as np
import pytest

from agnoboost.tables.encoder import LeftOutWarning, TableEncoder

pd = pytest.importorskip("pandas")
ROWS = 60


def uuids(different, rows=ROWS):
    return [str(UUID(int=7**40 + number % different)) for number in range(rows)]


@pytest.mark.parametrize(
    ("cells", "left_out"),
    [
        ([f"A-{n}" for n in range(ROWS)], True),
        ([f"A-{n}" for n in range(ROWS - 1)] + ["A-0"], False),
        ([f"A-{n}" for n in range(ROWS - 1)] + [None], True),
        ([f"A {n}" for n in range(ROWS)], False),  # words: text
        (uuids(ROWS), True),
        (uuids(40), True),
        (uuids(20), False),  # a third of the rows: those are somebody who comes again
        (list(range(5, 5 + ROWS)), True),
        (list(range(ROWS))[::-1], False),
        ([*range(ROWS - 1), ROWS], True),
        (sorted({n * 7 % 400 for n in range(ROWS)}), True),  # row numbers of a part of a table
        (np.arange(ROWS, dtype=np.uint8)[::-1], False),
        ([*range(ROWS - 1), ROWS - 2], False),  # one comes twice
        (list(range(0, 12 * ROWS, 12)), False),  # as numbers of rows they would have too many gaps
        (np.arange(ROWS) + 0.0, False),
    ],
)
def test_identifiers(cells, left_out):
    frame = pd.DataFrame({"x": np.ones(ROWS), "id": cells})
    if not left_out:
        assert TableEncoder().fit(frame).left_out == []
        return
    with pytest.warns(LeftOutWarning, match=r"identifiers .*: 'id'\. To use .* categorical_features=\['id'\]"):
        encoder = TableEncoder().fit(frame)
    assert (encoder.names, encoder.sources) == (["x"], [0])
    np.testing.assert_array_equal(encoder.transform(frame), np.ones((ROWS, 1)))
    kept = TableEncoder(["id"]).fit(frame)
    assert kept.names == ["x", "id"]
    assert kept.left_out == []


def test_few_rows_and_arrays_are_left_as_they_are():
    assert TableEncoder().fit(pd.DataFrame({"x": [1.0] * 19, "id": range(19)})).left_out == []
    array = np.column_stack([np.arange(50), np.zeros(50)])
    assert TableEncoder().fit(array).only_numbers
    assert TableEncoder([1]).fit(array).left_out == []


def test_something_is_left():
    found = TableEncoder().fit(pd.DataFrame({"a": range(ROWS), "b": [f"B{n}" for n in range(ROWS)]}))
    assert found.names == ["a", "b"]
    assert list(found.categories) == [1]


def test_unlabeled_rows_count():
    """A column whose values come again among the rows without labels is no identifier."""
    frame = pd.DataFrame({"x": np.ones(ROWS), "id": [f"A{n}" for n in range(ROWS)]})
    assert TableEncoder().fit(frame, frame).left_out == []
