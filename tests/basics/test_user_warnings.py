"""Warnings point to the line outside of the package."""

import warnings
from contextlib import contextmanager
from threading import Thread

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


def ours(source):
    """Names of a module of the package with this source."""
    space = {"__name__": "agnoboost.nowhere", "tell": tell, "contextmanager": contextmanager, "Thread": Thread}
    exec(compile(source, "nowhere.py", "exec"), space)
    return space


def test_contexts_are_nobodys_line():
    context = ours("@contextmanager\ndef context():\n    yield\n    tell('at the end')")["context"]
    with pytest.warns(UserWarning, match="at the end") as told, context():
        pass
    assert told[0].filename == __file__


def test_where_all_is_ours_they_point_to_where_they_arise():
    thread = ours("thread = Thread(target=lambda: tell('so it is', RuntimeWarning))")["thread"]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        thread.start()
        thread.join()
    assert (told[0].category, str(told[0].message), told[0].filename) == (RuntimeWarning, "so it is", "nowhere.py")
