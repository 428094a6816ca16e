import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from problems import random_stump, random_tape
from sklearn.linear_model import LogisticRegression

from agnoboost import Batch, ProbabilityLearner, Tape
from agnoboost.basics.conventions import sign
from agnoboost.core.learners import Parity, Stump
from agnoboost.core.tape import Add, Margins, Shrink


def naive(tape, X):
    """The definition, row by row, in Python integers."""
    margins = []
    for row in X:
        h = 0
        for step in tape.steps:
            if isinstance(step, Shrink):
                h -= step.coef if h >= 0 else -step.coef
            else:
                h += step.coef * int(step.hypothesis.predict(row[None])[0])
        margins.append(h)
    return np.array(margins)


@pytest.mark.parametrize("shrink", [0.0, 0.3, 0.9])
def test_replay_staged_and_incremental_margins_agree_to_the_bit(rng, shrink):
    X = rng.normal(size=(60, 3))
    tape = random_tape(rng, 3, steps=80, shrink=shrink)
    expected = naive(tape, X)
    assert np.array_equal(tape.margin_units(X), expected)
    stages = list(tape.staged(X))
    assert len(stages) == 81
    memory, view = Margins(), np.asarray(X)
    for length, stage in enumerate(stages):
        prefix = tape.prefix(length)
        assert np.array_equal(stage, prefix.margin(X))
        assert np.array_equal(stage, memory.at(prefix, view))
    before, after = Margins().last_two(tape, view)
    assert np.array_equal(before, stages[-2])
    assert np.array_equal(after, stages[-1])


def test_real_valued_hypotheses_agree_to_the_bit(rng):
    X = rng.normal(size=(40, 3))
    batch = Batch(X, np.sign(X[:, 0]), np.full(40, 1 / 40))
    h = ProbabilityLearner(LogisticRegression()).fit(batch, rng)
    tape = Tape(2.0**-20)
    for step in (Add(h, 700_001), Shrink(9), Add(h, 13), Add(random_stump(rng, 3), 5), Add(h, 700_001)):
        tape = tape.append(step)
    assert np.array_equal(tape.margin(X), list(tape.staged(X))[-1])


def test_the_order_of_case_b_steps_matters(rng):
    X = rng.normal(size=(500, 3))
    tape = random_tape(rng, 3, steps=200)
    moved = Tape(tape.unit)
    for step in sorted(tape.steps, key=lambda step: isinstance(step, Shrink)):
        moved = moved.append(step)
    assert np.mean(tape.predict(X) != moved.predict(X)) > 0.05


def test_signs_at_zero_are_positive():
    X = np.array([[1.0], [-1.0]])
    plus, minus = Stump(0, 0.0, 1), Stump(0, 0.0, -1)
    tape = Tape(0.1)
    for _ in range(3):
        tape = tape.append(Add(plus, 1))
    for _ in range(3):
        tape = tape.append(Add(minus, 1))
    assert tape.margin(X).tolist() == [0.0, 0.0]  # 0.1 + 0.1 + 0.1 - 0.3 is not 0 in floating point
    assert tape.predict(X).tolist() == [1, 1]
    assert sign(np.array([-0.0, 0.0, -1e-300])).tolist() == [1, 1, -1]
    assert tape.append(Shrink(1)).margin_units(X).tolist() == [-1, -1]


def test_tapes_are_values(rng):
    X = rng.normal(size=(30, 2))
    base = random_tape(rng, 2, steps=10)
    kept = base.margin_units(X)
    left, right = base.append(Shrink(3)), base.append(Add(random_stump(rng, 2), 2))
    assert len(base) == 10
    assert np.array_equal(base.margin_units(X), kept)
    assert np.array_equal(left.margin_units(X), naive(left, X))
    assert np.array_equal(right.margin_units(X), naive(right, X))
    assert left != right
    assert [len(left), len(right)] == [11, 11]
    assert right.steps == [*base.steps, right.steps[-1]]
    assert isinstance(right.steps[-1], Add)
    assert left.prefix(10) == base == right.prefix(10)
    assert base.prefix(0).predict(X).tolist() == [1] * 30
    with pytest.raises(ValueError, match="at most 10"):
        base.prefix(11)


def test_many_stumps_collapse_into_tables(rng):
    X = np.round(rng.normal(size=(200, 2)), 1)  # values that fall on thresholds
    tape = Tape(1.0)
    for _ in range(300):
        stump = Stump(int(rng.integers(2)), float(np.round(rng.normal(), 1)), int(rng.choice([-1, 1])))
        tape = tape.append(Add(stump, int(rng.integers(1, 5))))
    tape = tape.append(Add(Stump(0, float("-inf"), -1), 7)).append(Add(Parity((), 1), 2))
    assert np.array_equal(tape.margin_units(X), naive(tape, X))


def test_bad_rows_are_refused(rng):
    with pytest.raises(ValueError, match="must be finite"):
        random_tape(rng, 2).margin([[np.inf, 0.0]])
    with pytest.raises(ValueError, match="unit must be in"):
        Tape(0.0)


def test_many_threads_may_predict_at_once(rng):
    X = rng.normal(size=(20, 3))
    stumps = [random_stump(rng, 3) for _ in range(300)]
    for _ in range(5):
        tape = Tape.of(0.1, [Add(stumps[i % 300], 1) for i in range(20_000)])
        expected = list(tape.staged(X))[-1]
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _: tape.margin(X), range(8)))  # noqa: B023
        assert all(np.array_equal(margin, expected) for margin in [*found, tape.margin(X)])


def test_margins_carried_along_notice_another_tape(rng):
    X = rng.normal(size=(30, 2))
    base = random_tape(rng, 2, steps=5)
    left = base.append(Add(random_stump(rng, 2), 3))
    right = base.append(Shrink(2)).append(Add(random_stump(rng, 2), 4))
    memory = Margins()
    memory.at(left, X)
    assert np.array_equal(memory.at(right, X), right.margin(X))
    assert np.array_equal(memory.at(base, X), base.margin(X))


def test_pickled_prefixes_are_small_and_equal(rng):
    tape = random_tape(rng, 2, steps=2000)
    short = pickle.loads(pickle.dumps(tape.prefix(3)))
    assert short == tape.prefix(3)
    assert len(pickle.dumps(tape.prefix(3))) < 2000
    assert len(short.append(Shrink(1))) == 4


def test_the_number_of_columns_is_checked_where_it_is_known(rng):
    tape = Tape(0.1, n_features=3).append(Add(Stump(0, 0.0, 1), 1))
    with pytest.raises(ValueError, match=r"must have 3 features.*Got 6"):
        tape.predict(rng.normal(size=(2, 6)))
