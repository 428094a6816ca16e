"""What cannot be used is told in one sentence with what to do, and all of it at once."""

from decimal import Decimal

import numpy as np
import pytest

import agnoboost as ab
from agnoboost.tables.encoder import TableEncoder

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

BAD = {
    "lists": ([[1], [2, 3]], r"lists, structs or dicts\. Spread them over columns"),
    "dicts": ([{"a": 1}, {"a": 2}], r"lists, structs or dicts"),
    "complex": ([1j, 2.0 + 1j], r"complex numbers\. Make two columns"),
    "mixed": (["a", 1], r"values of several kinds \(such as 'a' and 1\)\. Convert it to one kind, or list it in cat"),
    "dates and numbers": ([pd.Timestamp("2024-01-01"), 3.5], r"values of several kinds"),
    "bytes": ([b"a", b"b"], r"cells of type bytes\. Convert it to numbers or text, or drop it"),
    "objects": ([object(), object()], r"cells of type object\."),
    "infinite": ([1.0, -np.inf], r"must be finite\. Got infinity\. Replace it by a large number"),
    "large": ([1.0, -1.5e308], r"within 1e308 of zero\. Got larger ones\. Divide it"),
    "larger": (pd.Series([1, 10**400], dtype=object), r"within 1e308 of zero"),
    "decimal": ([Decimal("1e400"), Decimal(1)], r"must be finite"),
    "long": (
        [1, 2**53 + 1],
        r"whole numbers beyond 2\*\*53 \(about 9007199254740992\).*identifiers, drop the column",
    ),
}


def fitted(frame):
    return TableEncoder().fit(frame).transform(frame)


@pytest.mark.parametrize("name", BAD)
def test_each_problem_has_its_sentence(name):
    cells, sentence = BAD[name]
    with pytest.raises(ValueError, match=rf"^Column '{name}' .*{sentence}"):
        fitted(pd.DataFrame({"x": [1.0, 2.0], name: cells}))


def test_all_problems_are_listed_at_once():
    """Those that are found while columns are told apart, and those of their numbers."""
    frame = pd.DataFrame({"x": [1.0, 2.0], "a": [[1], [2]], "b": ["a", 1], "c": [1j, 2j], "d": [1.0, np.inf]})
    with pytest.raises(
        ValueError, match=r"^4 columns cannot be used:\n- Column 'a' .*\n- .* 'b' .*\n- .* 'c' .*\n- .* 'd' "
    ):
        ab.TableClassifier().fit(frame, [0, 1])


@pytest.mark.parametrize("convert", [pl.DataFrame, pa.table], ids=["polars", "pyarrow"])
def test_nested_cells_of_other_frames(convert):
    with pytest.raises(ValueError, match=r"'a' must hold .*lists, structs"):
        fitted(convert({"x": [1.0, 2.0], "a": [[1], [2]]}))
    with pytest.raises(ValueError, match=r"'a' must hold .*lists, structs"):
        fitted(convert({"x": [1.0, 2.0], "a": [{"k": 1}, {"k": 2}]}))
    with pytest.raises(ValueError, match=r"'a' has whole numbers beyond 2\*\*53"):
        fitted(convert({"a": [2**60, None]}))


def test_mixed_columns_may_be_listed():
    frame = pd.DataFrame({"m": ["a", 1, 1.0, None]})
    assert TableEncoder(["m"]).fit(frame).categories == {0: ["1", "a"]}
    with pytest.raises(ValueError, match=r"must be numeric. Got values such as 'a'"):
        TableEncoder(None).fit(frame).transform(frame)


def test_the_cell_that_is_no_number_is_shown():
    """Not a good one before it that is written as text, as all cells of such a file are."""
    with pytest.raises(ValueError, match=r"'n' must be numeric. Got values such as 'k.A.'"):
        TableEncoder().fit(pd.DataFrame({"n": [1, 2, 4]})).transform(pd.DataFrame({"n": ["16248", "k.A.", "7"]}))


def test_exact_whole_numbers_are_welcome():
    np.testing.assert_array_equal(
        fitted(pd.DataFrame({"n": [2**53 - 1, 1 - 2**53, 2]}))[:, 0], [2.0**53 - 1, 1 - 2.0**53, 2]
    )


def labeled():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    return X, (X[:, 0] > 0).astype(int)


def model(**settings):
    return ab.AgnosticBoostingClassifier(n_rounds=5, random_state=0, **settings)


def test_tables_that_are_none():
    X, y = labeled()
    lazy = pl.DataFrame(X).lazy()
    with pytest.raises(ValueError, match=r"X must be a table in memory. Got a LazyFrame. Pass X.collect\(\)"):
        model().fit(lazy, y)
    twice = pd.DataFrame(X, columns=["a", "b", "a"])
    with pytest.raises(ValueError, match=r"different names. Got 'a' more than once. Rename or drop"):
        model().fit(twice, y)
    with pytest.raises(ValueError, match=r"at least one row and one column. Got shape \(0, 2\)"):
        model().fit(pd.DataFrame({"a": [], "b": []}), [])


def test_arrays_beyond_floats():
    X, y = labeled()
    with pytest.raises(ValueError, match=r"^X must have numbers within 1e308"):
        model().fit(np.where(X > 1, 1.5e308, X), y)
    with pytest.raises(ValueError, match=r"^X has whole numbers beyond 2\*\*53"):
        model().fit(np.arange(180).reshape(60, 3) + 2**53, y)


def test_columns_with_numbers_for_names_keep_their_order(tmp_path):
    X, y = labeled()
    frame = pd.DataFrame(X)
    fit = model().fit(frame, y)
    fit.save(tmp_path / "m.agno")
    for known in (fit, ab.load(tmp_path / "m.agno")):
        with pytest.raises(ValueError, match=r"in the same order: 0, 1, 2. Got 2, 1, 0. Select them by name"):
            known.predict(frame[[2, 1, 0]])
        np.testing.assert_array_equal(known.predict(frame), known.predict(X))
    assert model().fit(X, y).predict(frame[[2, 1, 0]]).shape == (60,)  # an array has no names to compare with


def test_masks_are_honoured():
    X, y = labeled()
    hidden = np.zeros(X.shape, dtype=bool)
    hidden[::3, 1] = True
    labels = np.ma.masked_array(y, mask=np.arange(60) >= 40)
    masked = model().fit(np.ma.masked_array(X, mask=hidden), labels)
    expected = model().fit(np.where(hidden, np.nan, X), np.where(np.arange(60) < 40, y, np.nan))
    assert masked.tape_ == expected.tape_
    assert masked.n_unlabeled_ == 20
    rows = np.ma.masked_array(X, mask=hidden)
    np.testing.assert_array_equal(
        masked.decision_function(rows), expected.decision_function(np.where(hidden, np.nan, X))
    )
    whole = np.ma.masked_array(np.arange(6).reshape(3, 2))
    assert TableEncoder().fit(whole).only_numbers


def test_weights():
    X, y = labeled()
    with pytest.raises(
        ValueError, match=r"sample_weight must hold numbers up to 1e\+100. Got weights up to 1e\+308. Divide them"
    ):
        model().fit(X, y, np.full(60, 1e308))
    with pytest.raises(ValueError, match=r"known for every row. Got 2 that are masked"):
        model().fit(X, y, np.ma.masked_array(np.ones(60), mask=np.arange(60) < 2))
    masked = np.ma.masked_array(np.ones(60))
    assert model().fit(X, y, masked).tape_ == model().fit(X, y).tape_
