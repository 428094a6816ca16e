import numpy as np
import pytest

from agnoboost.labels.reading import MANY_CLASSES, as_column, read_labels, scored_rows

pd = pytest.importorskip("pandas")


def read(values, missing_label="auto", dtype=None):
    labels = read_labels(np.array(values, dtype=dtype), missing_label)
    return labels.classes.tolist(), labels.codes.tolist()


@pytest.mark.parametrize(
    ("values", "dtype", "classes", "codes"),
    [
        ([0, 1, 1, 0], None, [0, 1], [0, 1, 1, 0]),
        ([-1, 1, 1, -1], None, [-1, 1], [0, 1, 1, 0]),  # signed labels
        ([0, 1, -1, -1], None, [0, 1], [0, 1, -1, -1]),  # scikit-learn's mark
        ([0, 1, 2, -1], None, [0, 1, 2], [0, 1, 2, -1]),
        ([0.0, 1.0, np.nan], None, [0, 1], [0, 1, -1]),
        ([-1.0, 1.0, np.nan], None, [-1, 1], [0, 1, -1]),
        ([5, 7, None], object, [5, 7], [0, 1, -1]),
        (["a", "b", None, "a"], object, ["a", "b"], [0, 1, -1, 0]),
        (["a", "b", float("nan")], object, ["a", "b"], [0, 1, -1]),
        (["a", "b", pd.NA], object, ["a", "b"], [0, 1, -1]),
        ([True, False, None], object, [False, True], [1, 0, -1]),
        ([True, False], None, [False, True], [1, 0]),
        (["a", "b"], None, ["a", "b"], [0, 1]),
    ],
)
def test_conventions(values, dtype, classes, codes):
    assert read(values, dtype=dtype) == (classes, codes)


@pytest.mark.parametrize("values", [[-1, 0, 0], [-1, 5], [-1.0, 0.0, np.nan]])
def test_ambiguous_labels_are_refused_with_both_ways_out(values):
    with pytest.raises(ValueError, match=r"can mean two things.*missing_label=None.*missing_label=-1"):
        read(values)


def test_an_explicit_mark_overrides():
    assert read([-1, 0, 0], None) == ([-1, 0], [0, 1, 1])
    assert read([9, 0, 1], 9) == ([0, 1], [-1, 0, 1])
    assert read(["?", "a", "b"], "?", dtype=object) == (["a", "b"], [-1, 0, 1])
    assert read(["?", 0, 1], "?", dtype=object) == ([0, 1], [-1, 0, 1])
    assert read([-1, 0, 1], None) == ([-1, 0, 1], [0, 1, 2])
    with pytest.raises(ValueError, match="Got one class"):
        read([-1, 1, 1], -1)  # signed without the parameter, one labeled class with it


@pytest.mark.parametrize(
    ("values", "dtype", "message"),
    [
        ([np.nan, np.nan], None, "Got none: all 2 rows are unlabeled"),
        ([None, None], object, "Got none"),
        ([1, 1, 1], None, "Got one class, 1"),
        (["a", None], object, "Got one class, 'a', and 1 unlabeled rows"),
        ([1.0, np.inf, 0.0], None, "Got infinity"),
        (["a", 1, 2.5], object, "a mixture of float, int, str"),
        ([1, float("inf"), 0], object, "Got infinity or a huge number"),
        ([1, 10**30, 0], object, "Got infinity or a huge number"),
        ([0.3, 0.7, 1.2], None, "Unknown label type"),
    ],
)
def test_labels_that_mean_nothing_are_refused(values, dtype, message):
    with pytest.raises(ValueError, match=message):
        read(values, dtype=dtype)


def test_marks_of_the_wrong_kind_are_refused():
    with pytest.raises(ValueError, match="of the kind of the labels"):
        read([9, 0, 1], "9")
    with pytest.raises(ValueError, match="must be a single value"):
        read([9, 0, 1], [9])
    assert read([-1, 0, 1], np.nan) == ([-1, 0, 1], [0, 1, 2])


@pytest.mark.parametrize("text", ["nan", "None"])
def test_gaps_that_numpy_made_text_are_told(text):
    y = np.array(["a", "b", text, text])
    with pytest.warns(
        UserWarning, match=rf"'{text}' \(rows: 2\).*Pass missing_label='{text}' if .*, or missing_label=N"
    ):
        assert len(read_labels(y).classes) == 3
    assert read_labels(y, text).classes.tolist() == ["a", "b"]
    assert len(read_labels(y, None).classes) == 3
    assert len(read_labels(y.astype(object)).classes) == 3  # as from a file, where a class may have that name


@pytest.mark.parametrize("dtype", [object, str])
@pytest.mark.parametrize("text", ["", "  "])
def test_empty_text_is_neither_a_class_nor_a_gap(text, dtype):
    y = np.array(["a", "b", text, text], dtype=dtype)
    for mark in ("auto", None, "?"):
        with pytest.raises(ValueError, match=r"^y must hold.*Got empty text \(rows: 2\).*Put None or NaN there"):
            read_labels(y, mark)
    assert read_labels(y, text).codes.tolist() == [0, 1, -1, -1]
    with pytest.raises(ValueError, match="Got empty text"):
        scored_rows(y, np.array(["a", "b"]), "auto")


OF_SCIKIT_LEARN = pytest.mark.filterwarnings("ignore:The number of unique classes is greater than 50%")


@OF_SCIKIT_LEARN
@pytest.mark.parametrize("values", [[f"text {i}" for i in range(80)], [*range(70), *range(20)]])
def test_texts_and_amounts_are_no_classes(values):
    with pytest.raises(ValueError, match=r"which come again.*with a single row\. Is it the column"):
        read_labels(np.array(values, dtype=object))


@OF_SCIKIT_LEARN
@pytest.mark.parametrize(
    "values",
    [
        [*range(10), *range(10)],  # few labels
        [*range(MANY_CLASSES)],  # one of each
        [*range(80), *range(80)],  # two of each
        [*range(80), *range(20), *[0] * 200],  # a long tail
    ],
)
def test_many_and_rare_classes_are_read(values):
    assert len(read_labels(np.array(values)).classes) == len(set(values))


def test_columns_of_pyarrow_are_labels():
    arrow = pytest.importorskip("pyarrow")
    for column in (arrow.array(["p", None, "q"]), arrow.chunked_array([["p"], [None, "q"]])):
        assert as_column(column).tolist() == ["p", None, "q"]
    assert as_column(arrow.array([1.0, None])).tolist() == [1.0, None]
