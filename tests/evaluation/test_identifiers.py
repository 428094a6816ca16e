"""A column of row numbers in a table that is sorted by class must not make estimates look good."""

import numpy as np
import pytest

import agnoboost as ab
from agnoboost.evaluation.held_out import cross_evaluate
from agnoboost.evaluation.identifiers import without_identifiers
from agnoboost.evaluation.learning_curve import labeling_curve
from agnoboost.explain import permutation_importance

pd = pytest.importorskip("pandas")
ROWS = 120


@pytest.fixture
def sorted_by_class():
    """Nothing but the row's number tells the class."""
    frame = pd.DataFrame({"id": np.arange(ROWS), "x": np.random.default_rng(0).normal(size=ROWS)})
    return frame, np.repeat(["a", "b"], ROWS // 2).astype(object)


def model():
    return ab.TableClassifier("fast", members=["linear"], random_state=0)


def test_cross_validation(sorted_by_class):
    assert cross_evaluate(model(), *sorted_by_class, None, 4).accuracy[0] < 0.7


def test_small_parts_of_the_labels_do_not_use_it_either(sorted_by_class):
    assert labeling_curve(model(), *sorted_by_class).accuracies.max() < 0.7


def test_importances_of_folds(sorted_by_class):
    found = permutation_importance(model(), *sorted_by_class, cv=3, repeats=2)
    assert found.columns == ["id", "x"]
    assert not found.losses[0].any()


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_the_same_cell_in_all_rows_of_both_tables(sorted_by_class, kind):
    frame, _ = sorted_by_class
    more = frame.assign(id=np.arange(ROWS) + ROWS)
    package = pytest.importorskip(kind)
    make = {"pandas": lambda one: one, "polars": lambda one: package.DataFrame(one.to_dict("list"))}
    make["pyarrow"] = lambda one: package.Table.from_pandas(one)
    found = without_identifiers(model(), *map(make[kind], (frame, more)))
    for one, before in zip(found, (frame, more), strict=True):
        assert set(np.asarray(one["id"])) == {0}
        np.testing.assert_array_equal(one["x"], before["x"])
    assert frame["id"].is_unique


def test_tables_of_two_kinds(sorted_by_class):
    polars = pytest.importorskip("polars")
    _, more = without_identifiers(model(), sorted_by_class[0], polars.DataFrame(sorted_by_class[0].to_dict("list")))
    assert more["id"].n_unique() == 1


def test_what_is_asked_for_stays(sorted_by_class):
    frame, _ = sorted_by_class
    asked = model().set_params(categorical_features=["id"])
    assert without_identifiers(asked, frame)[0]["id"].is_unique
    array = frame.to_numpy()
    assert without_identifiers(model(), array)[0] is array
    assert without_identifiers(object(), frame)[0] is frame
