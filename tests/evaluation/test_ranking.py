"""Whether probabilities rank rows better than chance."""

import numpy as np
import pytest

from agnoboost.evaluation.ranking import knows_something


@pytest.mark.parametrize("classes", [2, 5])
def test_chance_seldom_looks_like_knowledge(rng, classes):
    said = [knows_something(rng.dirichlet(np.ones(classes), 200), rng.integers(0, classes, 200)) for _ in range(200)]
    assert np.mean(said) < 0.06


@pytest.mark.parametrize("classes", [2, 5])
def test_what_is_known_of_one_class_is_seen(rng, classes):
    codes = rng.integers(0, classes, 200)
    p = rng.dirichlet(np.ones(classes), 200)
    p[codes == 1, 1] += 0.5
    assert knows_something(p / p.sum(axis=1, keepdims=True), codes)
    assert not knows_something(p, np.zeros(200, dtype=int))
