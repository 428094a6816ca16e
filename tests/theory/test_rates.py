"""Lemmas concmain and concmain2: how fast sup over B of |Phi'(H_t, h) + corr_{D_t}(h)/scale| falls with the samples.

B are parities of the cube, so that one Walsh transform gives the error of all. The margins move in every round.
"""

from math import log, sqrt

import numpy as np
import pytest
from problems import Population, cube
from scipy.linalg import hadamard

from agnoboost import Tape, algorithm1, algorithm2
from agnoboost.core.learners import Parity
from agnoboost.core.tape import Add
from agnoboost.planner.bounds import FiniteClass

N = 9
POINTS = 2**N
WALSH = hadamard(POINTS)  # row S: the parity of the coordinates in S, at all points
X = cube(N)
BITS = 2 ** np.arange(N - 1, -1, -1)


@pytest.fixture(scope="module")
def world():
    rng = np.random.default_rng(5)
    return Population(X, np.full(POINTS, 1 / POINTS), rng.uniform(-1, 1, POINTS))


def path(step, rounds):
    """Margins that move by ``step`` a round along x1, x2, x3 in turn: the same path in time step * t for every step."""
    return Tape.of(step, [Add(Parity((t % 3,), 1), 1) for t in range(rounds)])


def errors(world, sampler, tape, slope, rng):
    """|Phi'(H, h) + corr(h)/scale| at the end of a tape, for every parity h."""
    state = sampler.init(rng)
    for length in range(len(tape) + 1):
        draw, state = sampler.draw(tape.prefix(length), state, rng)
    signed = np.bincount(((draw.batch.X > 0) @ BITS).astype(int), draw.batch.signed, POINTS)
    gradient = world.mass * (slope(tape.margin(X)) - world.mean)
    return np.abs(WALSH @ (gradient + signed / sampler.scale))


def fitted_slope(sizes, found):
    return np.polyfit(np.log(sizes), np.log(found), 1)[0]


def huber_slope(z):
    return np.clip(z, -1, 1)


def pseudo_huber_slope(z):
    return z / np.sqrt(1 + z**2)


def of_algorithm1(world, S, U, repeats):
    """Errors of so many runs, in the first round after four steps: earlier rounds leave no trace."""
    rng, tape = np.random.default_rng(11), path(0.3, 4)
    booster = algorithm1(world.labeled(), world.unlabeled(), rows_labeled=S, rows_unlabeled=U)
    return np.array([errors(world, booster.sampler, tape, huber_slope, rng) for _ in range(repeats)])


@pytest.mark.parametrize("grows", ["S", "U", "both"])
def test_algorithm_1_errs_by_one_over_the_root_of_the_smaller_sample(world, grows):
    sizes = np.array([60, 240, 960])
    found = [
        of_algorithm1(world, None if grows == "U" else size, None if grows == "S" else size, 60).max(axis=1).mean()
        for size in sizes.tolist()
    ]
    assert fitted_slope(sizes, found) == pytest.approx(-0.5, abs=0.05)


def test_of_two_samples_the_smaller_one_decides(world):
    lopsided, even = (of_algorithm1(world, 60, U, 60).max(axis=1).mean() for U in (6000, 60))
    assert 0.5 < lopsided / even < 1


def test_the_error_grows_as_the_root_of_the_logarithm_of_the_class(world):
    found = of_algorithm1(world, 240, 240, 300)
    relative = [found[:, :k].max(axis=1).mean() / sqrt(log(2 * k)) for k in (1, 8, 64, 512)]
    assert max(relative) < 1.5 * min(relative)
    assert found.max(axis=1).mean() > 2.5 * found[:, 0].mean()


@pytest.mark.parametrize("k", [1, 16, 512])
def test_the_planners_bound_covers_the_error_of_algorithm_1(world, k):
    """Hoeffding for each sample, with probability 1 - failure: what the plans ask S and U for."""
    S, U, failure = 240, 480, 0.05
    found = of_algorithm1(world, S, U, 200)[:, :k].max(axis=1)
    base = FiniteClass(log(2 * k))
    bound = base.error(S, failure) + base.error(U, failure)
    assert np.mean(found <= bound) >= 1 - 2 * failure
    assert found.max() > bound / 4  # and not by far


def of_algorithm2(world, sigma, S, U, repeats, *, time=2.5):
    """Errors of so many runs of Algorithm 2 at the same time sigma * t, with sigma = eta/gamma."""
    rng, tape = np.random.default_rng(12), path(sigma, round(time / sigma))
    settings = {"step": sigma, "decay": sigma, "rows_labeled": S, "rows_unlabeled": U, "tolerance": 0.0}
    booster = algorithm2(world.labeled(), world.unlabeled(), **settings)
    assert booster.sampler.scale == pytest.approx(1 / 3)
    return np.array([errors(world, booster.sampler, tape, pseudo_huber_slope, rng) for _ in range(repeats)])


def test_algorithm_2_errs_by_one_over_the_root_of_the_labels(world):
    sizes = np.array([15, 60, 240])
    found = [of_algorithm2(world, 1 / 8, size, 2000, 40).max(axis=1).mean() for size in sizes.tolist()]
    assert fitted_slope(sizes, found) == pytest.approx(-0.5, abs=0.05)


def test_algorithm_2_errs_by_one_over_the_root_of_its_new_rows(world):
    sizes = np.array([10, 40, 160])
    found = [of_algorithm2(world, 1 / 8, None, size, 30).max(axis=1).mean() for size in sizes.tolist()]
    assert fitted_slope(sizes, found) == pytest.approx(-0.5, abs=0.05)


def test_algorithm_2_errs_by_the_root_of_the_share_of_new_rows(world):
    """(eta/gamma) * sqrt(1/(sigma U)) with sigma = eta/gamma: smaller steps need fewer new rows a round."""
    shares = np.array([1 / 4, 1 / 16, 1 / 64])
    found = [of_algorithm2(world, share, None, 40, 12).max(axis=1).mean() for share in shares.tolist()]
    assert fitted_slope(shares, found) == pytest.approx(0.5, abs=0.07)


def test_the_planners_bound_covers_the_error_of_algorithm_2(world):
    """Without the lemma's second term, log(|B| T/delta) eta/gamma, which would make it idle here."""
    sigma, S, U, failure = 1 / 16, 240, 40, 0.05
    found = of_algorithm2(world, sigma, S, U, 40).max(axis=1)
    base = FiniteClass(log(2 * POINTS))
    terms = base.log_size + log(round(2.5 / sigma) / failure)
    bound = base.error(S, failure) + sigma * sqrt(terms / (sigma * U))
    assert np.mean(found <= bound) >= 1 - 2 * failure
    assert found.max() > bound / 4
