"""Ridge regression against direct linear algebra, and leave-one-out against leaving one out."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from agnoboost.estimators.table import kernel_ridge
from agnoboost.estimators.table.kernel_ridge import KERNELS, KernelSum, LinearSum, best_ridges, fit

RNG = np.random.default_rng
METRICS = {"gaussian": "sqeuclidean", "laplace": "cityblock"}


def naive_kernel(kernel, one, other, width):
    if kernel == "linear":
        return 1.0 + one @ other.T / one.shape[1]
    return 1.0 + np.exp(-width * cdist(one, other, METRICS[kernel]) / one.shape[1])


def naive_coefficients(matrix, psi, pull, ridge):
    """H = K c minimises sum psi H^2/2 - pull H + ridge/2 c K c: ridge c = pull - psi K c."""
    return np.linalg.solve(ridge * np.eye(len(matrix)) + psi[:, None] * matrix, pull)


def naive_left_out(matrix, psi, pull, ridge):
    found = np.empty_like(pull)
    for row in range(len(matrix)):
        kept = np.arange(len(matrix)) != row
        own = naive_coefficients(matrix[np.ix_(kept, kept)], psi[kept], pull[kept], ridge)
        found[row] = matrix[row, kept] @ own
    return found


def problem(seed=0, rows=24, columns=3, problems=2):
    rng = RNG(seed)
    scores, psi = rng.normal(size=(rows, columns)), rng.uniform(0.5, 2.0, rows)
    truth = scores[:, :1] * rng.normal(size=(1, problems)) + np.sin(2 * scores[:, 1:2])
    pull = psi[:, None] * np.where(truth + 0.5 * rng.normal(size=truth.shape) > 0, 1.0, -1.0)
    psi[4] = 0.0  # rows that pull, and have no psi part
    psi[9] = 0.0
    pull[7] = 0.0  # and one that does not pull
    return scores, psi, pull


def fitted(monkeypatch, kernel, scores, psi, pull, ridges=(0.3,), widths=(0.5,), order=None):
    """With all rows as landmarks, unless told otherwise; no two rows are equal, so hardly any jitter is needed."""
    monkeypatch.setattr(kernel_ridge, "JITTER", 1e-15)
    monkeypatch.setattr(kernel_ridge, "RIDGES", np.array(ridges))
    monkeypatch.setattr(kernel_ridge, "WIDTHS", widths)
    return fit(kernel, scores, psi, pull, np.arange(len(scores)) if order is None else order)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("ridge", [0.01, 0.3, 30.0])
def test_with_all_rows_as_landmarks_it_is_exact_kernel_ridge(kernel, ridge, monkeypatch):
    scores, psi, pull = problem()
    fresh = RNG(1).normal(size=(15, 3))
    expected = naive_coefficients(naive_kernel(kernel, scores, scores, 0.5), psi, pull, ridge)
    found = fitted(monkeypatch, kernel, scores, psi, pull, (ridge,))
    assert len(found) == 2
    for problem_number, (model, _) in enumerate(found):
        margins = naive_kernel(kernel, fresh, scores, 0.5) @ expected[:, problem_number]
        np.testing.assert_allclose(model.margin(fresh), margins, atol=1e-7)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("ridge", [0.05, 3.0])
def test_leave_one_out_is_leaving_one_out(kernel, ridge, monkeypatch):
    scores, psi, pull = problem(2)
    expected = naive_left_out(naive_kernel(kernel, scores, scores, 0.5), psi, pull, ridge)
    found = fitted(monkeypatch, kernel, scores, psi, pull, (ridge,))
    np.testing.assert_allclose(np.column_stack([margins for _, margins in found]), expected, atol=1e-7)


@pytest.mark.parametrize("kernel", METRICS)
def test_leave_one_out_with_few_landmarks_is_leaving_one_out_in_their_features(kernel, monkeypatch):
    scores, psi, pull = problem(3, rows=40)
    order = RNG(4).permutation(40)
    monkeypatch.setattr(kernel_ridge, "LANDMARKS", 10)
    (model, left_out), _ = fitted(monkeypatch, kernel, scores, psi, pull, order=order)
    np.testing.assert_array_equal(model.rows, scores[np.sort(order[:10])])
    own = naive_kernel(kernel, model.rows, model.rows, 0.5)
    shared = naive_kernel(kernel, scores, model.rows, 0.5)
    matrix = shared @ np.linalg.solve(own, shared.T)  # what Nystrom makes of the kernel
    np.testing.assert_allclose(left_out, naive_left_out(matrix, psi, pull[:, :1], 0.3)[:, 0], atol=1e-7)
    np.testing.assert_allclose(
        model.margin(scores), matrix @ naive_coefficients(matrix, psi, pull[:, 0], 0.3), atol=1e-7
    )


def test_each_problem_has_the_ridge_of_its_least_leave_one_out_loss(monkeypatch):
    """One that follows a line wants a small ridge, one of pure noise a large one."""
    rng = RNG(5)
    scores, psi = rng.normal(size=(60, 2)), rng.uniform(0.5, 2.0, 60)
    pull = psi[:, None] * np.column_stack([np.sign(scores[:, 0]), rng.choice([-1.0, 1.0], 60)])
    ridges = np.array([0.1, 1.0, 10.0, 100.0])
    matrix = naive_kernel("linear", scores, scores, 0.0)
    losses = []
    for ridge in ridges:
        left_out = naive_left_out(matrix, psi, pull, ridge)
        losses.append((0.5 * psi[:, None] * left_out**2 - pull * left_out).sum(axis=0))
    best = np.argmin(losses, axis=0)
    assert best[0] < best[1]
    monkeypatch.setattr(kernel_ridge, "RIDGES", ridges)
    features = np.column_stack([np.ones(60), scores / np.sqrt(2)])
    found, weights, margins = best_ridges(features, psi, pull)
    np.testing.assert_allclose(found, np.min(losses, axis=0))
    for number, ridge in enumerate(ridges[best]):
        np.testing.assert_allclose(margins[:, number], naive_left_out(matrix, psi, pull, ridge)[:, number])
        square = features.T @ (psi[:, None] * features) + ridge * np.eye(3)
        np.testing.assert_allclose(weights[:, number], np.linalg.solve(square, features.T @ pull[:, number]))


@pytest.mark.parametrize("kernel", METRICS)
def test_the_width_has_the_least_leave_one_out_loss(kernel, monkeypatch):
    scores, psi, pull = problem(6, rows=50, problems=1)
    widths = (0.1, 1.0, 10.0)
    losses = []
    for width in widths:
        left_out = naive_left_out(naive_kernel(kernel, scores, scores, width), psi, pull, 0.3)
        losses.append((0.5 * psi[:, None] * left_out**2 - pull * left_out).sum())
    (model, _), *_ = fitted(monkeypatch, kernel, scores, psi, pull, widths=widths)
    assert model.width == widths[int(np.argmin(losses))]


@pytest.mark.parametrize("kernel", KERNELS)
def test_equal_rows_are_no_trouble(kernel):
    """They make the matrix of similarities singular."""
    scores = np.repeat(RNG(7).normal(size=(5, 2)), 6, axis=0)
    y = np.sign(scores[:, :1])
    (model, left_out), *_ = fit(kernel, scores, np.ones(30), y, np.arange(30))
    assert np.isfinite(left_out).all()
    assert (np.sign(model.margin(scores)) == y[:, 0]).all()


@pytest.mark.parametrize("model", [LinearSum(0.5, np.array([1.0, -2.0])), None], ids=["linear", "kernel"])
def test_sums_are_what_they_say_and_can_be_scaled(model):
    scores = RNG(8).normal(size=(7, 2))
    expected = 0.5 + scores @ [1.0, -2.0]
    if model is None:
        rows, coefficients = RNG(9).normal(size=(4, 2)), np.array([1.0, -1.0, 0.5, 2.0])
        model = KernelSum("laplace", 0.8, 0.25, rows, coefficients)
        expected = 0.25 + np.exp(-0.4 * cdist(scores, rows, "cityblock")) @ coefficients  # a mean of two columns
    np.testing.assert_allclose(model.margin(scores), expected)
    np.testing.assert_allclose(model.scaled(-3.0).margin(scores), -3.0 * expected)
