"""The classifier for few labels under the name, and with the names of members, that it first had."""

import numpy as np
import pytest
from partly_labeled import table

import agnoboost as ab

FIRST_NAMES = ["stumps", "trees", "linear", "gaussian", "laplace"]


def test_it_has_the_members_that_it_had():
    X, y, truth = table()
    model = ab.FewLabelClassifier(random_state=0).fit(X, y)
    assert list(model.weights_[0]) == FIRST_NAMES
    assert model.score(X[120:], truth[120:]) > 0.82


def test_it_is_the_table_classifier_with_those_members(tmp_path):
    X, y, _ = table()
    few = ab.FewLabelClassifier(members=["trees", "linear"], random_state=0).fit(X, y)
    same = ab.TableClassifier(members=["small trees", "linear"], random_state=0).fit(X, y)
    np.testing.assert_array_equal(few.predict_proba(X), same.predict_proba(X))
    few.save(tmp_path / "m.agno")
    back = ab.load(tmp_path / "m.agno")
    assert type(back) is ab.FewLabelClassifier
    assert back.get_params() == few.get_params()
    assert back.weights_ == few.weights_
    assert list(back.weights_[0]) == ["trees", "linear"]


@pytest.mark.parametrize("members", [["oaks"], [], None, "auto", ["small trees"]])
def test_other_names_are_refused(members):
    X, y, _ = table()
    with pytest.raises(ValueError, match=r"members must be 'all' or some of stumps, trees, linear, gaussian, laplace"):
        ab.FewLabelClassifier(members=members).fit(X, y)


def test_its_first_argument_is_what_it_was():
    assert ab.FewLabelClassifier(["linear"]).members == ["linear"]
    assert ab.FewLabelClassifier(effort="fast").effort == "fast"
