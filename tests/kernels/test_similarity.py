"""Sums of similarities: compiled and plain to the bit, and close to those of scipy."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from agnoboost.kernels.similarity import expansion

METRICS = {"gaussian": "sqeuclidean", "laplace": "cityblock"}


def problem(rows, landmarks, columns, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, columns)), rng.normal(size=(landmarks, columns)), rng.normal(size=landmarks)


@pytest.mark.parametrize("kernel", METRICS)
@pytest.mark.parametrize("rows", [1, 63, 64, 65, 200])  # compiled code works on 64 rows at a time
def test_compiled_sums_are_the_plain_ones_to_the_bit(kernel, rows):
    X, landmarks, coefficients = problem(rows, 30, 5)
    plain = expansion(kernel, X, landmarks, coefficients, 0.3, compiled=False)
    for threads in (1, 3):
        found = expansion(kernel, X, landmarks, coefficients, 0.3, threads=threads, compiled=True)
        np.testing.assert_array_equal(found, plain)


@pytest.mark.parametrize("kernel", METRICS)
@pytest.mark.parametrize("compiled", [False, True])
def test_sums_are_those_of_scipy(kernel, compiled):
    X, landmarks, coefficients = problem(150, 40, 4, seed=1)
    expected = np.exp(-0.7 * cdist(X, landmarks, METRICS[kernel])) @ coefficients
    found = expansion(kernel, X, landmarks, coefficients, 0.7, compiled=compiled)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("compiled", [False, True])
def test_no_rows_and_no_landmarks(compiled):
    X, landmarks, coefficients = problem(4, 3, 2)
    assert expansion("laplace", X[:0], landmarks, coefficients, 1.0, compiled=compiled).shape == (0,)
    assert expansion("laplace", X, landmarks[:0], coefficients[:0], 1.0, compiled=compiled).tolist() == [0.0] * 4


@pytest.mark.parametrize("compiled", [False, True])
def test_columns_may_lie_in_any_order_in_memory(compiled):
    X, landmarks, coefficients = problem(70, 5, 3)
    expected = expansion("gaussian", X, landmarks, coefficients, 1.0, compiled=compiled)
    for same in (np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2]):
        found = expansion("gaussian", same, np.asfortranarray(landmarks), coefficients, 1.0, compiled=compiled)
        np.testing.assert_array_equal(found, expected)
