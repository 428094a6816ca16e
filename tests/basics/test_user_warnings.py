"""Warnings point to the line outside of the package."""

import warnings

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import agnoboost as ab
from agnoboost.basics.user_warnings import tell


@pytest.mark.parametrize("wrapped", [False, True])
def test_warnings_of_fits_point_here(wrapped):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 2)), (np.arange(80) % 16 == 0).astype(int)
    model = ab.TableClassifier("fast", members=["linear"], random_state=0)
    with pytest.warns(UserWarning, match="never predicted") as told:
        (make_pipeline(StandardScaler(), model) if wrapped else model).fit(X, y)
    assert {one.filename for one in told} == {__file__}


def test_where_all_is_ours_they_point_to_where_they_arise():
    space = {"__name__": "agnoboost.nowhere", "tell": tell}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        exec(compile("tell('so it is', RuntimeWarning)", "nowhere.py", "exec"), space)
    assert (told[0].category, str(told[0].message)) == (RuntimeWarning, "so it is")
