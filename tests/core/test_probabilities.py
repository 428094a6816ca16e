import numpy as np
import pytest

from agnoboost.core.probabilities import probabilities


def test_probabilities_keep_the_order_of_the_margins():
    margins = np.linspace(-3, 3, 61)[:, None]
    p = probabilities(margins)[:, 1]
    assert (np.diff(p) > 0).all()
    assert 0 < p[0] < 1e-8
    assert 1 - 1e-8 < p[-1] < 1
    many = probabilities(np.array([[2.0, 3.0, -1.0], [-2.0, -3.0, -5.0]]))
    assert many.argmax(axis=1).tolist() == [1, 0]
    assert many.sum(axis=1) == pytest.approx(1)
