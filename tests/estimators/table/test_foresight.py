"""Whether a student has learned anything but noise, seen without a gold label."""

import numpy as np
import pytest

from agnoboost.estimators.table.machines import FORESEEN, foresight
from agnoboost.estimators.table.terms import Terms


def terms_of(pull, psi=None):
    """Units of which only the labels matter."""
    rows = len(pull)
    none = np.zeros(rows, dtype=np.int64)
    return Terms(np.zeros((rows, 1)), np.ones(rows) if psi is None else psi, pull, none.astype(np.uint64), none, none)


def test_foresight_counts_standard_errors():
    pull, margins = np.array([1.0, 1.0, -1.0, -1.0]), np.array([3.0, 1.0, -1.0, np.nan])
    products = np.array([2 / 3, 2 / 3, -4 / 3]) * np.array([2.0, 0.0, -2.0])  # without their means
    expected = products.sum() / np.sqrt(np.sum(products**2))
    assert foresight(margins[:, None], terms_of(pull[:, None])) == pytest.approx(expected)


def test_foresight_takes_the_problem_that_is_foreseen_best_and_weighs_rows():
    rng = np.random.default_rng(0)
    pull, noise = rng.choice([-1.0, 1.0], size=200), rng.normal(size=(200, 2))
    one, other = (np.column_stack([a, b]) for a, b in ((noise[:, 0], pull), (pull, noise[:, 0])))
    both = terms_of(np.column_stack([pull, pull]))
    assert foresight(one, both) == foresight(other, both) > 10
    twice = np.r_[0:200, 0:50]
    psi = np.r_[np.full(50, 2.0), np.ones(150)]
    heavy = foresight(noise[:, :1], terms_of((psi * pull)[:, None], psi))
    means = np.average(pull, weights=psi), np.average(noise[:, 0], weights=psi)
    products = psi * (pull - means[0]) * (noise[:, 0] - means[1])
    assert heavy == pytest.approx(products.sum() / np.sqrt(np.sum(products**2)))
    assert means[0] == pytest.approx(pull[twice].mean())


def test_foresight_of_chance_is_about_normal():
    rng = np.random.default_rng(0)
    found = [
        foresight(rng.normal(size=(300, 1)), terms_of(rng.choice([-1.0, 1.0], p=[0.8, 0.2], size=(300, 1))))
        for _ in range(2000)
    ]
    assert np.mean(found) == pytest.approx(0.0, abs=0.07)
    assert np.std(found) == pytest.approx(1.0, abs=0.07)
    assert np.mean(np.array(found) > FORESEEN) < 0.005


def test_margins_that_say_the_same_of_all_foresee_nothing():
    assert foresight(np.ones((9, 1)), terms_of(np.tile([1.0, -1.0, 1.0], 3)[:, None])) == 0.0
