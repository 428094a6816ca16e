"""Anything at fit and predict: a clear error or a right answer, never a crash or a silent misreading."""

import numpy as np
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from agnoboost import AgnosticBoostingClassifier

MODEL = {"n_rounds": 6, "step_size": 0.2, "random_state": 0}
SETTINGS = settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.too_slow])

DTYPES = st.sampled_from([np.float64, np.float32, np.float16, np.int8, np.int64, np.uint8, np.bool_, object])
VALUES = st.one_of(
    st.floats(-1e300, 1e300),
    st.sampled_from([0.0, -0.0, 1.0, np.nan, np.inf, -np.inf, 5e-324, 1.7e308]),
)


@st.composite
def tables(draw):
    shape = draw(st.tuples(st.integers(1, 25), st.integers(1, 4)))
    X = draw(hnp.arrays(np.float64, shape, elements=VALUES))
    if draw(st.booleans()):
        X = X[draw(st.lists(st.integers(0, shape[0] - 1), min_size=1, max_size=40))]  # duplicated rows
    if draw(st.booleans()):
        X[:, 0] = 3.0  # a constant column
    with np.errstate(all="ignore"):
        return X.astype(draw(DTYPES))


LABELS = st.sampled_from(
    [
        [0, 1],
        [-1, 1],
        [0, 1, -1],
        [0, 1, 2],
        [-1, 0],
        ["a", "b"],
        ["a", "b", None],
        [0.0, 1.0, np.nan],
        [True, False],
        [1],
    ]
)


@SETTINGS
@pytest.mark.filterwarnings("ignore")
@given(tables(), LABELS, st.integers(0, 1000), st.sampled_from(["tree", "stump"]))
def test_fit_and_predict(X, kinds, seed, learner):
    rng = np.random.default_rng(seed)
    y = np.array(kinds, dtype=object)[rng.integers(len(kinds), size=len(X))]
    if None not in kinds and not any(isinstance(k, str) for k in kinds):
        y = y.astype(type(kinds[0]) if kinds[0] is not True else bool) if np.nan not in kinds else y.astype(float)
    try:
        model = AgnosticBoostingClassifier(weak_learner=learner, **MODEL).fit(X, y)
    except ValueError as error:
        event(f"refused: {str(error)[:40]}")
        return
    p = model.predict_proba(X)
    assert np.isfinite(p).all()
    assert p.sum(axis=1) == pytest.approx(1.0)
    assert np.array_equal(model.classes_[p.argmax(axis=1)], model.predict(X))
    present = {value for value in y.tolist() if value is not None and value == value}
    assert set(model.classes_.tolist()) <= present
    assert len(model.classes_) >= 2
    if present == {-1, 1}:
        assert set(model.classes_.tolist()) == {-1, 1}  # signed labels, never "unlabeled"
    order = rng.permutation(len(X))
    assert np.array_equal(model.predict(X[order]), model.predict(X)[order])


@SETTINGS
@pytest.mark.filterwarnings("ignore")
@given(tables())
def test_predict_takes_any_table_of_the_right_width(X):
    rng = np.random.default_rng(0)
    train = rng.normal(size=(30, X.shape[1]))
    model = AgnosticBoostingClassifier(**MODEL).fit(train, np.arange(30) % 2)
    with np.errstate(all="ignore"):
        infinite = np.isinf(X.astype(float)).any()
    if infinite:
        with pytest.raises(ValueError, match="infinity"):
            model.predict(X)
    else:
        assert set(model.predict(X)) <= {0, 1}


@SETTINGS
@given(st.integers(2, 12), st.integers(0, 1000))
def test_scaling_and_shifting_a_column_changes_nothing(power, seed):
    """Trees see the order of values only."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 3)), rng.integers(2, size=60)
    if len(set(y)) < 2:
        return
    moved = X * 2.0**power  # exact in floating point
    parameters = {**MODEL, "batch_size": None}
    a = AgnosticBoostingClassifier(**parameters).fit(X, y)
    b = AgnosticBoostingClassifier(**parameters).fit(moved, y)
    assert np.array_equal(a.decision_function(X), b.decision_function(moved))
