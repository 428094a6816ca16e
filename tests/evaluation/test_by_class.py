"""How well each class is found."""

import numpy as np
import pytest

from agnoboost.evaluation.by_class import by_class, warnings_of


def test_figures_by_hand():
    truth = np.array(["a", "a", "a", "b", "b", "c"])
    predicted = np.array(["a", "a", "b", "b", "a", "a"])
    p = np.array([[0.8, 0.1, 0.1], [0.7, 0.2, 0.1], [0.3, 0.6, 0.1], [0.2, 0.7, 0.1], [0.6, 0.2, 0.2], [0.5, 0.1, 0.4]])
    a, b, c = by_class(truth, predicted, p, ["a", "b", "c"])
    assert (a.rows, a.share, a.found, a.right) == (3, 0.5, pytest.approx(2 / 3), 0.5)
    assert (b.rows, b.found, b.right) == (2, 0.5, 0.5)
    # b by its probability: b, a, then b among two equals: precision 1 at the first, 2 of 4 at the second.
    assert b.ranking == pytest.approx((1 + 2 / 4) / 2)
    assert (c.found, c.right, c.ranking, c.share) == (0.0, None, 1.0, pytest.approx(1 / 6))
    assert "never predicted" in str(c)
    (warning,) = warnings_of([a, b, c], "--class-weight balanced", "--tune-threshold")
    assert warning.startswith("Class c is never predicted, though 1 of the rows")
    assert warnings_of([a, b]) == []


def test_classes_that_do_not_occur_are_left_out():
    truth = np.array([1, 1])
    assert [one.name for one in by_class(truth, truth, np.array([[0.1, 0.9], [0.2, 0.8]]), [0, 1])] == [1]


def test_of_one_or_two_rows_no_ranking_is_told():
    truth = np.array(["a"] * 8 + ["b"] * 2)
    p = np.column_stack([np.linspace(0.9, 0.6, 10), np.linspace(0.1, 0.4, 10)])
    (warning,) = warnings_of(by_class(truth, np.array(["a"] * 10), p, ["a", "b"]))
    assert warning.endswith("These are too few to say more: label more of it.")
    truth[7] = "b"
    (warning,) = warnings_of(by_class(truth, np.array(["a"] * 10), p, ["a", "b"]), "--class-weight balanced")
    assert "average precision 1.000" in warning
    assert "(--class-weight balanced)" in warning
