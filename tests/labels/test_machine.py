"""Machine labels in every form in which people have them, and what is refused."""

import time

import numpy as np
import pytest

from agnoboost.labels.machine import beside, class_shares, gold_and_machine, read_machines

WORDS = ["a", "b", None, "a"]
NAMES = np.array(["a", "b"])
SHARES = [[1.0, 0.0], [0.0, 1.0], [np.nan, np.nan], [1.0, 0.0]]
SOFT = [[0.1, 0.9], [0.2, 0.8], [np.nan, np.nan], [0.5, 0.5]]


def read(labels, classes=NAMES, rows=4, missing_label="auto"):
    return {one.name: one.shares for one in read_machines(labels, rows, classes, missing_label)}


def assert_says(found, expected):
    assert list(found) == list(expected)
    for name, shares in expected.items():
        np.testing.assert_allclose(found[name], shares)


def masked():
    return np.ma.masked_array(np.array(["a", "b", "a", "a"]), mask=[False, False, True, False])


@pytest.mark.parametrize(
    "form", [list, lambda words: np.array(words, dtype=object), lambda words: [[w] for w in words]]
)
def test_a_plain_column(form):
    assert_says(read(form(WORDS)), {"machine": SHARES})


def test_masks_are_gaps():
    assert_says(read(masked()), {"machine": SHARES})
    assert_says(read({"one": masked()}), {"one": SHARES})
    both = np.ma.column_stack([masked(), masked()])
    assert_says(read(both), {"machine 1": SHARES, "machine 2": SHARES})


@pytest.mark.parametrize("kind", [object, "category", "string"])
def test_series_of_pandas_name_the_machine(kind):
    pd = pytest.importorskip("pandas")
    assert_says(read(pd.Series(WORDS, dtype=kind, name="llm")), {"llm": SHARES})
    assert_says(read(pd.Series(WORDS, dtype=kind, index=[5, 5, 1, 0])), {"machine": SHARES})
    frame = pd.DataFrame({"u": pd.Series(WORDS, dtype=kind), "v": ["b"] * 4})
    assert_says(read(frame), {"u": SHARES, "v": [[0.0, 1.0]] * 4})
    assert_says(read(frame[["u"]]), {"u": SHARES})


def test_numbers_that_may_be_missing():
    pd = pytest.importorskip("pandas")
    assert_says(read(pd.Series([0, 1, None, 0], dtype="Int64"), np.array([0, 1])), {"machine": SHARES})
    assert_says(read(pd.Series([0.9, 0.8, None, 0.5], dtype="Float64")), {"machine": SOFT})
    assert_says(
        read(pd.Series([False, True, None, False], dtype="boolean"), np.array([False, True])), {"machine": SHARES}
    )


def test_frames_of_polars_and_pyarrow():
    pl = pytest.importorskip("polars")
    assert_says(read(pl.Series("llm", WORDS)), {"llm": SHARES})
    assert_says(read(pl.Series("llm", WORDS, dtype=pl.Categorical)), {"llm": SHARES})
    assert_says(read(pl.DataFrame({"u": WORDS, "v": WORDS})), {"u": SHARES, "v": SHARES})
    pa = pytest.importorskip("pyarrow")
    assert_says(read(pa.table({"u": WORDS, "v": WORDS})), {"u": SHARES, "v": SHARES})
    assert_says(read({"one": pa.array(WORDS)}), {"one": SHARES})


def test_a_dict_of_machines_of_every_kind():
    pd = pytest.importorskip("pandas")
    found = read({"hard": WORDS, 7: pd.Series([0.9, 0.8, np.nan, 0.5]), "all": np.array(SOFT)})
    assert_says(found, {"hard": SHARES, "7": SOFT, "all": SOFT})


def test_probabilities_of_all_classes_are_one_machine():
    """As of ``predict_proba``: taken for a machine each, the first would be one that is always mistaken."""
    assert_says(read(np.array(SOFT)), {"machine": SOFT})
    three = np.array([[0.2, 0.3, 0.5]] * 4)
    assert_says(read(three, np.array([0, 1, 2])), {"machine": three})
    hard = np.array([[1, 0], [0, 1], [1, 0], [0, 1]])  # as of a decision tree
    assert list(read(hard, np.array([0, 1]))) == ["machine"]
    hard[0] = [1, 1]
    assert list(read(hard, np.array([0, 1]))) == ["machine 1", "machine 2"]


def test_machines_of_different_rows_are_a_machine_each():
    """However few rows both speak of, and whatever they say there."""
    pd = pytest.importorskip("pandas")
    apart = pd.DataFrame({"llm": [0, 1, 1, np.nan], "rule": [np.nan, np.nan, 0, 1]})
    found = read(apart, np.array([0, 1]))
    assert {name: np.isfinite(shares[:, 0]).sum() for name, shares in found.items()} == {"llm": 3, "rule": 2}
    soft = pd.DataFrame(
        {"llm": [0.9, 0.2, 0.7, np.nan], "rule": [np.nan, np.nan, 0.3, 0.6]}
    )  # whose sum is 1 by chance
    assert list(read(soft)) == ["llm", "rule"]
    assert list(read(soft.to_numpy())) == ["machine 1", "machine 2"]
    as_named = apart.rename(columns={"llm": "0", "rule": "1"})
    assert list(read(as_named, np.array([0, 1]))) == ["machine"]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_columns_with_names_of_classes_may_stand_in_any_order(library):
    module = pytest.importorskip(library)
    cells = {"b": [0.9, 0.8, None, 0.5], "a": [0.1, 0.2, 0.3, 0.5]}
    frame = module.table(cells) if library == "pyarrow" else module.DataFrame(cells)
    assert_says(read({"llm": frame}), {"llm": SOFT})
    assert_says(read(frame), {"machine": SOFT})


def test_names_of_classes_that_are_true_and_false():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"True": [0.9, 0.8, None, 0.5], "False": [0.1, 0.2, 0.3, 0.5]})
    assert_says(read(frame, np.array([False, True])), {"machine": SOFT})


def test_marks_of_gaps():
    numbers = np.array([0, 1])
    assert_says(read([0, 1, -1, 0], numbers), {"machine": SHARES})
    assert_says(read([0, 1, -9, 0], numbers, missing_label=-9), {"machine": SHARES})
    assert_says(read(["a", "b", "?", "a"], missing_label="?"), {"machine": SHARES})
    assert_says(read([-1, 1, None, -1], np.array([-1, 1])), {"machine": SHARES})


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ({}, "at least one machine"),
        ("a", "must be a column of labels, a column for each machine, or a dict of such. Got str"),
        (3, "Got int"),
        (np.zeros((4, 2, 2)), "of 3 dimensions"),
        ({"m": "a"}, "m: a machine must have a column of labels. Got str"),
        (WORDS[:3], "one label .* for each of the 4 rows of X. Got 3"),
        ({"m": np.array(SOFT)[:3]}, "m: .* 4 rows of X. Got 3"),
        (["A", "b", "b", None], r"Got 'A'. Did you mean 'a'\? Write them alike"),
        (["c"] * 4, "must be among those of y, 'a', 'b', or probabilities of 'b' in .0, 1.. Got 'c'"),
        ([0.5, 1.5, 0.2, 0.1], "Got 0.1, 0.2, 0.5, 1.5"),
        (["a", "b", 1, 2], "machine: the column must hold labels of one kind"),
        ([np.inf, 0.0, 1.0, 0.0], "machine: the column must hold class labels. Got infinity"),
        ({"m": np.array([[0.1, 0.8]] * 4)}, "m: probabilities must lie in .* sums from 0.9 to 0.9"),
        ({"m": np.array([[-0.1, 1.1]] * 4)}, "m: probabilities must lie in .* from -0.1 to 1.1"),
        ({"m": np.array([["a", "b"]] * 4)}, "m: a machine with several columns must hold probabilities"),
        ({"m": np.full((4, 3), 1 / 3)}, "m: .* probability for each of the 2 classes, 'a', 'b'. Got 3 columns"),
        ({1: WORDS, "1": WORDS}, "a name for each machine. Got '1' twice"),
    ],
)  # fmt: skip
def test_what_is_refused(labels, words):
    with pytest.raises(ValueError, match=words):
        read(labels)


def test_columns_of_one_name_are_refused():
    pd = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="Got 'u' twice"):
        read(pd.DataFrame([["a", "b"]] * 4, columns=["u", "u"]))


def test_probabilities_of_three_classes_are_no_classes():
    with pytest.raises(ValueError, match=r"among those of y, 0, 1, 2\. Got 0.5"):
        read([0.5, 1.0, 0.0, 2.0], np.array([0, 1, 2]))


def test_what_it_says_in_other_words():
    (found,) = read_machines(np.array([[0.2, 0.5, 0.3], [0.5, 0.5, np.nan]]), 2, np.arange(3))
    assert found.known.tolist() == [True, False]
    assert found.codes[0] == 1
    np.testing.assert_allclose(found.targets[0], [-0.6, 0.0, -0.4])
    (two,) = read_machines([0.25, None], 2, NAMES)
    np.testing.assert_allclose(two.targets[0], [-0.5])


def test_some_rows_of_every_form():
    rows = np.array([3, 0])
    assert beside(None, rows) == {}
    assert beside(WORDS, rows) == {"machine_labels": ["a", "a"]}
    assert beside({"u": WORDS, "v": np.arange(4)}, rows)["machine_labels"]["v"].tolist() == [3, 0]
    pd = pytest.importorskip("pandas")
    frame = beside(pd.DataFrame({"u": WORDS}, index=[4, 3, 2, 1]), rows)["machine_labels"]
    assert frame.index.tolist() == [1, 4]


def test_many_rows_are_read_in_seconds(rng):
    words = np.array(["a", "b"], dtype=object)[rng.integers(0, 2, 300_000)]
    start = time.perf_counter()
    read(words, rows=len(words))
    read(rng.random(300_000), rows=300_000)
    assert time.perf_counter() - start < 6.0  # on a busy machine; a loop over pairs of rows would take minutes


@pytest.mark.parametrize(
    ("gold", "machine"),
    [
        ([np.nan] * 3, [1, 1, 1]),
        ([1, 1, np.nan], [1, np.nan, 1]),
        ([1, 1, np.nan], [1, 2, 1]),
        ([3, 1, np.nan], [1, 1, 1]),
    ],
)
def test_stand_ins_need_gold_labels_and_whole_machines(gold, machine):
    with pytest.raises(ValueError, match="gold must hold labels of -1 and"):
        gold_and_machine(np.zeros((3, 1)), gold, machine)
    with pytest.raises(ValueError, match=r"must be of one length\. Got 2, 3 and 3"):
        gold_and_machine(np.zeros((2, 1)), [1, 1, 1], [1, 1, 1])


def test_names_of_classes_that_are_numbers_are_compared_as_numbers():
    pandas = pytest.importorskip("pandas")
    shares = np.array([[0.1, 0.2, 0.7], [0.8, 0.1, 0.1], [0.2, 0.6, 0.2]])
    classes = np.array([0.0, 1.0, 2.0])
    for names in ([2, 0, 1], ["2", "0", "1"], [2.0, 0.0, 1.0]):
        frame = pandas.DataFrame(shares, columns=names)
        np.testing.assert_array_equal(class_shares(frame, classes), shares[:, [1, 2, 0]])
    other = pandas.DataFrame(shares, columns=["2", "0", "1"])
    np.testing.assert_array_equal(class_shares(other, np.array(["a", "b", "c"])), shares)


@pytest.mark.parametrize("before", ["", "p_", "prob_", "proba_"])
def test_probabilities_go_by_the_names_of_their_columns(before):
    pd = pytest.importorskip("pandas")
    turned = pd.DataFrame({f"{before}b": np.array(SOFT)[:, 1], f"{before}a": np.array(SOFT)[:, 0]})
    assert_says(read({"one": turned}), {"one": SOFT})


def test_probabilities_under_other_names_are_refused():
    """Nobody knows in which order they stand."""
    pd = pytest.importorskip("pandas")
    with pytest.raises(
        ValueError, match=r"bear the names of the classes, 'a', 'b' \(or p_ and the name\). Got 'x', 'y'"
    ):
        read({"one": pd.DataFrame(np.array(SOFT), columns=["x", "y"])})
    assert_says(read({"one": pd.DataFrame(np.array(SOFT))}), {"one": SOFT})  # numbered columns say nothing


@pytest.mark.parametrize("classes", [[1, 2], [0, 2], [-1, 1]])
def test_0_and_1_are_no_probabilities_where_one_of_them_is_a_class(classes):
    """Who writes 0 and 1 there has another code: taken for probabilities, one class would become the other."""
    with pytest.raises(ValueError, match="could be these classes in another code, probabilities, or no answer"):
        read([0, 1, 1, 0], np.array(classes))
    assert_says(read([0.0, 0.5, 1.0, 0.25], np.array(classes)), {"machine": [[1, 0], [0.5, 0.5], [0, 1], [0.75, 0.25]]})


def test_labels_of_more_rows_than_there_are_say_where_these_belong():
    with pytest.raises(ValueError, match=r"Got 6\. For rows of X_unlabeled there are none: put these rows into X"):
        read(["a", "b"] * 3)
