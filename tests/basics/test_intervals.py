import numpy as np
import pytest
from scipy.stats import binom

from agnoboost.basics.intervals import binomial_high, binomial_interval, binomial_low, paired_difference, wilson


@pytest.mark.parametrize("right", [0, 1, 37, 99, 100])
def testbinomial_bounds(right):
    low, high = binomial_low(right, 100, 0.05), binomial_high(right, 100, 0.05)
    if right > 0:
        assert binom.sf(right - 1, 100, low) == pytest.approx(0.05)
    if right < 100:
        assert binom.cdf(right, 100, high) == pytest.approx(0.05)
    assert low <= right / 100 <= high


def test_intervals_of_all_or_nothing():
    assert binomial_interval(0, 10, 0.95)[0] == 0.0
    assert binomial_interval(10, 10, 0.95)[1] == 1.0
    assert binomial_interval(0, 10, 0.95)[1] == pytest.approx(1 - 0.025**0.1)


def test_wilson_stays_inside_the_unit_interval():
    """At no successes Wilson's interval is [0, z^2/(n + z^2)]."""
    share, low, high = wilson(np.zeros(10, dtype=bool), z=2.0)
    assert (share, low, high) == pytest.approx((0.0, 0.0, 4.0 / 14.0))


def test_paired_differences_cancel_what_both_get_wrong():
    first = np.array([True, True, False, False] * 25)
    assert paired_difference(first, first) == (0.0, 0.0)
    difference, half = paired_difference(first, ~first)
    assert difference == 0.0
    assert half > 0.1
