import numpy as np
import pytest

from agnoboost.core.potentials import POTENTIALS, Huber, Madaboost
from agnoboost.testing import check_potential


@pytest.mark.parametrize("pace", [0.05, 0.7, 3.0])
def test_the_pace_of_weights(pace):
    potential = Madaboost(pace)
    check_potential(potential)
    margins = np.array([-2.0, 0.0, 1.0, 5.0])
    assert potential.slope(margins) == pytest.approx(-np.minimum(1.0, np.exp(-pace * margins)))
    for bad in (0.0, -1.0, np.nan):
        with pytest.raises(ValueError, match="pace"):
            Madaboost(bad)


@pytest.mark.parametrize("name", POTENTIALS)
def test_derivatives_convexity_and_stated_bounds(name):
    check_potential(POTENTIALS[name])


@pytest.mark.parametrize(
    ("name", "smoothness", "gap"),
    [("huber", 1, 0.5), ("pseudo_huber", 1, 1), ("madaboost", 1, 1), ("gs24", np.exp(-1), 2)],
)
def test_stated_bounds_are_attained(name, smoothness, gap):
    potential, z, one = POTENTIALS[name], np.linspace(-3, 40, 100_001), np.ones(100_001)
    assert potential.smoothness == pytest.approx(smoothness)
    assert potential.curvature(z, one).max() == pytest.approx(smoothness, abs=1e-3)
    fall = potential.value(np.zeros(1), one[:1])[0] - potential.value(z, one).min()
    assert potential.gap == gap
    assert fall == pytest.approx(gap, abs=0.02)


@pytest.mark.parametrize("name", [name for name, potential in POTENTIALS.items() if not potential.separable])
def test_a_potential_that_needs_labels_refuses_unlabeled_rows(name):
    potential = POTENTIALS[name]
    for method in (potential.value, potential.grad, potential.curvature):
        with pytest.raises(ValueError, match=r"needs a label for every row.*Huber"):
            method(np.zeros(2), np.array([1.0, 0.0]))
    with pytest.raises(ValueError, match=r"needs a label"):
        potential.bound(labeled=False)


def test_huber_at_its_boundary():
    huber, z = Huber(), np.array([-1.0, 1.0, 1.5])
    assert huber.psi(z).tolist() == [0.5, 0.5, 1.0]
    assert huber.psi_grad(z).tolist() == [-1.0, 1.0, 1.0]


def test_values_stay_finite_far_out():
    far = np.array([-1e300, -800.0, 0.0, 800.0, 1e300])
    for potential in POTENTIALS.values():
        for y in (-1.0, 1.0):
            for method in (potential.value, potential.grad, potential.curvature):
                assert np.isfinite(method(far, np.full(5, y))).all()


def test_the_checks_catch_a_wrong_gradient_and_a_wrong_bound():
    class Wrong(Huber):
        def psi_grad(self, z):
            return np.clip(z, -0.9, 0.9)

    class TooSmall(Huber):
        gap = 0.4

    with pytest.raises(AssertionError, match=r"not the derivative"):
        check_potential(Wrong())
    with pytest.raises(AssertionError, match=r"falls further"):
        check_potential(TooSmall())
