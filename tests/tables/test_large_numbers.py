"""Whole numbers that floats cannot tell apart."""

import numpy as np
import pytest

pd = pytest.importorskip("pandas")

from agnoboost.tables.encoder import TableEncoder  # noqa: E402
from agnoboost.tables.large_numbers import counting, rounded  # noqa: E402


def test_only_columns_that_need_it_are_rounded():
    table = pd.DataFrame({"a": [2**53, 1], "b": [2**53 - 1, 1], "c": [-(2**60) - 1, 1], "d": ["x", "y"]})
    found = rounded(table)
    assert found.dtypes.map(lambda kind: kind.kind).tolist()[:3] == ["f", "i", "f"]
    assert found["c"].tolist() == [-(2.0**60), 1.0]
    assert table["c"].tolist() == [-(2**60) - 1, 1]
    assert rounded(table, ["a", "c"]) is table


def test_gaps_and_numbers_without_sign():
    table = pd.DataFrame({"a": pd.array([2**60 + 1, None], "Int64"), "b": np.array([2**64 - 1, 0], dtype=np.uint64)})
    found = rounded(table)
    assert found["a"].isna().tolist() == [False, True]
    assert found.dtypes.astype(str).tolist() == ["float64", "float64"]
    empty = pd.DataFrame({"a": pd.array([None], "Int64")})
    assert rounded(empty) is empty


def test_numbers_of_rows_stay_what_they_are():
    rows = np.arange(60) + 2**59
    table = pd.DataFrame({"row": rows, "account": np.random.default_rng(0).permutation(rows)})
    assert counting(table) == ["row"]
    with pytest.warns(UserWarning, match="Left out"):
        encoder = TableEncoder().fit(rounded(table, counting(table)))
    assert encoder.left_out == ["row"]
