"""The arithmetic that compiled and plain trees share: potentials, rounding, random numbers."""

import numpy as np
import pytest

from agnoboost.kernels import tree_arithmetic as arithmetic
from agnoboost.kernels.plain_gradient_trees import derivatives, potential


@pytest.mark.parametrize("huber", [True, False])
def test_derivatives_are_those_of_the_potential(huber, rng):
    z = np.concatenate([rng.normal(size=50), rng.normal(size=50) * 10, [0.0]])
    mass, label = rng.random(101), rng.normal(size=101)

    def phi(margin):
        return np.array([potential(*(values[[row]] for values in (margin, mass, label)), huber) for row in range(101)])

    gradient, curvature = derivatives(z, mass, label, huber)
    np.testing.assert_allclose(gradient, -(phi(z + 1e-5) - phi(z - 1e-5)) / 2e-5, atol=1e-6)
    if huber:
        np.testing.assert_array_equal(curvature, mass)
    else:
        changes = derivatives(z - 1e-5, mass, label, huber)[0] - derivatives(z + 1e-5, mass, label, huber)[0]
        np.testing.assert_allclose(curvature, changes / 2e-5, atol=1e-6)


def test_the_logistic_potential_is_the_logistic_loss():
    z = np.linspace(-59, 59, 4001)
    t = arithmetic.decay(z)
    np.testing.assert_allclose(t, np.exp(-np.abs(z)), rtol=1e-11)
    np.testing.assert_allclose(arithmetic.logistic_slope(z, t), np.tanh(z / 2), atol=1e-12)
    np.testing.assert_allclose(arithmetic.logistic_curvature(t), 0.5 / np.cosh(z / 2) ** 2, rtol=1e-11, atol=1e-30)
    np.testing.assert_allclose(
        arithmetic.logistic_height(z, t) - z, 2 * np.logaddexp(0, -z) - 2 * np.log(2), atol=1e-12, rtol=1e-13
    )
    far = np.array([-1e300, -70.0, 70.0, 1e300])
    np.testing.assert_allclose(arithmetic.logistic_slope(far, arithmetic.decay(far)), np.sign(far))


def test_sums_never_leave_their_half():
    for total, rows in ((1e-6, 1), (1.0, 10), (1e6, 2**29), (2.0**31, 3), (1e100, 1000), (0.0, 5)):
        scale = arithmetic.scale_of(total, rows)
        assert np.log2(scale) == np.rint(np.log2(scale))
        assert total * scale + rows / 2 < 2**31
        assert total == 0 or 4 * total * scale + 2 * rows > 2**31


def test_random_numbers_are_spread():
    numbers = arithmetic.mixed(np.arange(1000)[:, None], np.arange(100)[None])
    assert len(np.unique(numbers)) > 99_980  # of 100,000 numbers of 32 bits about one pair is the same
    assert abs(np.mean(numbers / 2**32) - 0.5) < 0.005
    assert abs(np.corrcoef(numbers[:-1].ravel(), numbers[1:].ravel())[0, 1]) < 0.01
