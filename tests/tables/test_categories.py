"""Categories, few and many, and what they are told from."""

import numpy as np
import pytest

from agnoboost.tables.encoder import TableEncoder

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")


def test_few_categories_are_numbers_in_sorted_order():
    frame = pd.DataFrame({"c": ["b", "a", None, "b"], "n": [1, 2, 3, 5]})
    encoder = TableEncoder().fit(frame)
    assert (encoder.names, encoder.sources, encoder.categories) == (["c", "n"], [0, 1], {0: ["a", "b"]})
    np.testing.assert_array_equal(encoder.transform(frame), [[1, 1], [0, 2], [np.nan, 3], [1, 5]])
    other = pd.DataFrame({"c": ["z", "a"], "n": [1, 2]})
    np.testing.assert_array_equal(encoder.transform(other), [[np.nan, 1], [0, 2]])
    assert encoder.unknown(other) == {0: ["z"]}


def many(values=300):
    """Value number k occurs values - k times; the last ones once."""
    return [f"v{number:03d}" for number in range(values) for _ in range(values - number)]


def test_of_many_categories_the_most_frequent_are_kept():
    frame = pd.DataFrame({"zip": many(), "n": 0.0})
    encoder = TableEncoder().fit(frame)
    assert encoder.names == ["zip", "n"]
    assert encoder.categories[0] == [f"v{number:03d}" for number in range(254)] + ["(rare)"]
    rows = pd.DataFrame({"zip": ["v000", "v253", "v254", "v299", "new", None], "n": 0.0})
    np.testing.assert_array_equal(encoder.transform(rows)[:, 0], [0, 253, 254, 254, 254, np.nan])
    assert encoder.unknown(rows) == {}  # what is new is rare
    again = TableEncoder().unpack(*encoder.pack(), ["zip", "n"])
    np.testing.assert_array_equal(again.transform(rows), encoder.transform(rows))
    assert again.categories == encoder.categories


def test_ties_do_not_depend_on_the_order_of_rows():
    cells = pd.Series(many(260)).drop_duplicates().repeat(2)
    found = [TableEncoder().fit(pd.DataFrame({"c": order})).categories for order in (cells, cells[::-1])]
    assert found[0] == found[1] == {0: [f"v{number:03d}" for number in range(254)] + ["(rare)"]}


def test_255_are_not_too_many():
    cells = [f"v{number}" for number in range(255)] * 2
    assert len(TableEncoder().fit(pd.DataFrame({"c": cells})).categories[0]) == 255


def test_listed_numbers_are_categories_however_many():
    frame = pd.DataFrame({"zip": np.repeat(np.arange(300), 2), "n": 1.5})
    encoder = TableEncoder(["zip"]).fit(frame)
    assert encoder.categories[0] == [*range(254), "(rare)"]
    np.testing.assert_array_equal(encoder.transform(frame)[[0, 507, 508, 599], 0], [0, 253, 254, 254])
    few = TableEncoder([0]).fit(np.array([[3.0, 1.0], [5.0, 2.0]]))
    assert few.categories == {0: [3.0, 5.0]}


def test_types_of_categories():
    plain = pd.DataFrame({"a": ["x", "y"] * 3, "b": ["u", None] * 3})
    typed = pl.DataFrame(
        {
            "a": pl.Series(["x", "y"] * 3, dtype=pl.Enum(["y", "x"])),
            "b": pl.Series(["u", None] * 3, dtype=pl.Categorical),
        }
    )
    expected = TableEncoder().fit(plain)
    found = TableEncoder().fit(typed)
    assert found.categories == expected.categories
    np.testing.assert_array_equal(found.transform(typed), expected.transform(plain))


def test_numbers_of_a_categorical_type():
    """They are categories, unless others are listed; text is looked at all the same."""
    frame = pd.DataFrame({"n": pd.Categorical([3, 5] * 20), "t": ["a", "b"] * 20, "c": [1, 2] * 20})
    assert TableEncoder().fit(frame).categories == {0: [3, 5], 1: ["a", "b"]}
    assert TableEncoder(["c"]).fit(frame).categories == {1: ["a", "b"], 2: [1, 2]}


def test_did_you_mean():
    frame = pd.DataFrame({"colour": ["a"], "size": [1]})
    with pytest.raises(ValueError, match=r"Got 'color', which is not among its 2 columns. Did you mean 'colour'\?"):
        TableEncoder(["color"]).fit(frame)
    with pytest.raises(ValueError, match=r"which is not among its 2 columns.$"):
        TableEncoder(["zzz"]).fit(frame)
