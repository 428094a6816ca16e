import pytest

pd = pytest.importorskip("pandas")

from agnoboost.tables.spreadsheets import formula_cells, without_formulas  # noqa: E402


@pytest.mark.parametrize("text", ["=1+1", "+cmd", "-cmd", "@SUM(A1)", "\tx", "\r=1", "-1_0", "=-1"])
def test_what_a_spreadsheet_would_run_gets_an_apostrophe(text):
    for dtype in (object, "category", "string"):
        table = pd.DataFrame({"a": pd.Series([text, "b", None], dtype=dtype)})
        assert formula_cells(table) == 1
        found = without_formulas(table)
        assert found["a"].tolist()[:2] == ["'" + text, "b"]
        assert pd.isna(found["a"].iloc[2])
        assert table["a"].iloc[0] == text  # untouched
        assert formula_cells(found) == 0


def test_numbers_stay_numbers():
    table = pd.DataFrame({"a": [-1, 2], "b": [-0.5, None], "c": ["-5", "+1e3"], "d": [True, False]})
    table["e"] = pd.to_datetime(["2020-01-01", None])
    assert formula_cells(table) == 0
    pd.testing.assert_frame_equal(without_formulas(table), table)


def test_names_of_columns_count_too():
    table = pd.DataFrame({"=x": [1], "y": [2]})
    assert formula_cells(table) == 1
    assert without_formulas(table).columns.tolist() == ["'=x", "y"]
