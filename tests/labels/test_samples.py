"""What label models make of label columns, number by number."""

import numpy as np
import pytest

import agnoboost as ab
import agnoboost.labels
from agnoboost.labels import PositiveUnlabeled, SoftLabels, dawid_skene
from agnoboost.labels.reading import as_column, label_column, label_table, scored_rows


def sampled(model, y):
    column = np.array(y, dtype=object)
    return model.sample(model.read(column, len(column), "auto"), np.ones(len(column)))


def test_positives_that_come_first_keep_their_class():
    """Classes are sorted: with the positive class first its code is 0, and targets are about the other one."""
    made = sampled(PositiveUnlabeled(0.4, positive="a"), ["a", None, "a", None, "b", None])
    rows = dict(
        zip(made.rows.tolist(), zip(made.codes.tolist(), made.targets[:, 0].tolist(), strict=True), strict=True)
    )
    assert {rows[0][0], rows[2][0]} == {0}
    assert {rows[4][0], rows[1][0], rows[3][0]} == {1}
    assert rows[0][1] < 0 < rows[4][1]


def test_unlabeled_rows_stand_for_labels_only_where_the_blend_has_a_share_of_them():
    with_share = sampled(PositiveUnlabeled(0.5, positive=1), [1, 1, 0, *[None] * 20])
    assert (with_share.labels, len(with_share.rows)) == (3, 23)
    without = sampled(PositiveUnlabeled(0.5, positive=1), [1, 1, 0, 0, *[None] * 20])
    assert (without.labels, len(without.rows)) == (4, 4)
    assert without.weight.sum() == pytest.approx(4.0)
    assert without.weight == pytest.approx(np.ones(4))


def test_columns_of_one_column():
    assert as_column(np.array([[1], [2], [3]])).tolist() == [1, 2, 3]
    assert as_column([["a"], ["b"]]).tolist() == ["a", "b"]
    assert as_column(np.array([[1, 2], [3, 4]])).shape == (2, 2)


def test_defaults_of_dawid_and_skene():
    votes = np.array([[0, 1, 0], [1, 1, 0], [0, 0, -1], [1, -1, 1]])
    found, same, other = dawid_skene(votes, 2), dawid_skene(votes, 2, prior_votes=8.0), dawid_skene(votes, 2, 16.0)
    assert np.array_equal(found.posterior, same.posterior)
    assert not np.allclose(found.posterior, other.posterior)


def test_a_class_that_nobody_names_has_no_share_and_no_trouble():
    found = dawid_skene(np.array([[0, 0], [1, 1], [0, 1]]), 3, prior_votes=0.0)
    assert np.isfinite(found.posterior).all()
    assert (found.prior > 0).all()
    assert found.prior[2] < 1e-9


def test_estimates_are_found_in_this_room():
    assert ab.labels.estimate_prior.__name__ == "estimate_prior"
    assert "FlipRateEstimate" in dir(agnoboost.labels)
    with pytest.raises(AttributeError, match="no attribute 'estimate'"):
        _ = agnoboost.labels.estimate


def test_frames_of_numbers_stay_numbers():
    pd = pytest.importorskip("pandas")
    table = label_table(pd.DataFrame({"first": [1.0, np.nan], "second": [0.0, 1.0]}))
    assert table.dtype == np.float64
    assert np.isnan(table[1, 0])


def test_which_rows_are_scored():
    """-1 marks an unlabeled row unless it is one of the classes; another mark, or none, may be named."""
    y, two, three = np.array([0, 1, -1, 1]), np.array([0, 1]), np.array([-1, 0, 1])
    assert scored_rows(y, two, "auto").tolist() == [True, True, False, True]
    assert scored_rows(y, three, "auto").all()
    assert scored_rows(y, two, None).all()
    assert scored_rows(np.array(["a", "?", "b"], dtype=object), np.array(["a", "b"]), "?").tolist() == [
        True,
        False,
        True,
    ]
    with pytest.raises(ValueError, match="needs labeled rows"):
        scored_rows(np.array([-1, -1]), two, "auto")


def test_columns_of_labels():
    assert label_column([1, None, 0], 3, "fit").tolist() == [1, None, 0]  # no shape, and no warning
    with pytest.warns(UserWarning, match="column-vector"):
        assert label_column(np.array([[1], [0]]), 2, "fit").tolist() == [1, 0]
    pd = pytest.importorskip("pandas")
    assert label_column(pd.DataFrame({"y": [1, 0]}), 2, "fit").tolist() == [1, 0]  # a column by name: no warning either
    with pytest.raises(ValueError, match=r"for each of the 3 rows of X\. Got 2"):
        label_column([1, 0], 3, "fit")


def test_names_among_soft_labels_are_classes():
    """For a score, one column of names holds classes, gaps among them too."""
    y = np.array(["yes", None, "no"], dtype=object)
    assert SoftLabels(classes=["no", "yes"]).classes_of(y, 3, "auto", "score").tolist() == ["yes", None, "no"]
