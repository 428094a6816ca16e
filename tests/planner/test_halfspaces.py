"""Theorem half as a plan. Its lemma is tested in tests/theory/test_halfspaces.py."""

from itertools import pairwise
from math import ceil, log

import numpy as np
import pytest

import agnoboost as ab
from agnoboost.planner import HalfspacePlan

ASK = {"epsilon": 0.2, "delta": 0.1}


def half(**settings):
    return ab.plan("half", **{**ASK, **settings})


@pytest.mark.parametrize(("n", "degree"), [(5, None), (6, 2), (9, 9), (30, 5)])
def test_it_is_theorem_1_for_parities(n, degree):
    p = half(n=n, degree=degree)
    taken = n if degree is None else degree
    lemma = 0.0 if taken == n else 0.9 * 0.2
    assert isinstance(p, HalfspacePlan)
    assert (p.n, p.degree, p.learner) == (n, taken, ab.ParityLearner(taken))
    assert p.approximation == pytest.approx(lemma)
    same = ab.plan(
        "theorem1",
        epsilon=2 * (0.2 - lemma),
        delta=0.1,
        gamma=n**-taken,
        log_size=log(p.learner.size(n)),
        epsilon0=lemma * n**-taken,
    )
    assert p.inner.gamma == pytest.approx(same.gamma)
    for name in ("T", "S", "U", "S0", "m", "eta", "tau", "guarantee"):
        assert getattr(p.inner, name) == pytest.approx(getattr(same, name), rel=1e-9)
    assert (p.total_labeled, p.total_unlabeled, p.oracle_calls) == (
        p.inner.S + p.inner.S0,
        p.inner.T * p.inner.U,
        p.inner.T,
    )


@pytest.mark.parametrize(
    "settings", [{"n": 4}, {"n": 40, "degree": 3}, {"n": 60}, {"n": 700, "epsilon": 0.5, "degree": 40}]
)
def test_epsilon_is_an_error_and_twice_of_it_a_correlation(settings):
    p = half(**settings)
    assert p.guarantee == pytest.approx(p.epsilon)
    assert p.inner.guarantee == pytest.approx(2 * p.epsilon)
    assert 2 * p.inner.epsilon0 / p.inner.gamma == pytest.approx(2 * p.approximation)
    assert p.inner.epsilon + 2 * p.approximation == pytest.approx(2 * p.epsilon)


def test_the_degree_is_the_lemmas_or_n():
    lemma = ceil(20 / (0.9 * 0.5) ** 4)
    assert lemma == 488
    assert half(epsilon=0.5, n=74).degree == 74
    assert half(epsilon=0.5, n=2, degree=7).degree == 2
    assert any(c.name == "degree" and c.origin == "ours" and "n:" in c.meaning for c in half(n=20).constants)
    assumed = next(c for c in half(n=20, degree=3).constants if c.name == "degree")
    assert "ASSUMED" in assumed.meaning
    with pytest.raises(ValueError, match=r"at most 140 digits.*Got 1000\^488, about 10\^1464"):
        half(epsilon=0.5, n=1000)


@pytest.mark.parametrize("n", [1, 6, 74])
def test_it_prints_however_large_the_numbers(n):
    printed = str(half(n=n))
    assert f"ParityLearner({n})" in printed
    assert "guaranteed excess error" in printed
    assert max(map(len, printed.splitlines())) < 140
    p = half(n=n)
    assert isinstance(p.total_unlabeled, int)
    table = str(ab.compare("half", **ASK, n=n))
    assert "GS24 (2024)" in table


def test_the_labels_that_boosting_saves_on_halfspaces():
    """1/gamma^2 = n^(2d) against GS24's n^(3d): what Theorem half claims over earlier boosting."""
    n, degree = 50, 8
    own, pab, gs24 = ab.compare("half", **ASK, n=n, degree=degree).costs
    smaller = ab.compare("half", **ASK, n=n, degree=degree - 1).costs

    def power(cost, before):
        return log(cost.labeled / before.labeled, n)

    assert power(own, smaller[0]) == pytest.approx(2, abs=0.1)
    assert power(pab, smaller[1]) == pytest.approx(4, abs=0.1)
    assert power(gs24, smaller[2]) == pytest.approx(3, abs=0.1)


def test_a_logarithm_of_n_is_missing_in_the_theorem():
    """At one epsilon, hence one degree d, labels must be O(n^(2d)) by the theorem; the proof has d n^(2d) log n."""
    degree = 3
    relative = [half(n=n, degree=degree).inner.S / n ** (2 * degree) for n in (10, 10**2, 10**4, 10**8)]
    assert all(after > 1.5 * before for before, after in pairwise(relative))
    per_log = [found / log(n) for found, n in zip(relative[1:], (10**2, 10**4, 10**8), strict=True)]
    assert max(per_log) < 1.5 * min(per_log)


def test_a_plan_for_halfspaces_run(rng):
    """On two coordinates, with labels for which the best of all 14 halfspaces is known."""
    p = half(epsilon=0.5, n=2)
    X = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    mean = np.array([0.9, -0.5, -0.4, 0.2])  # nearly an exclusive or, which no halfspace is
    labeled = ab.Pool(np.concatenate([X, X]), np.repeat([1.0, -1.0], 4), np.concatenate([1 + mean, 1 - mean]))
    _, chosen = ab.from_plan(p.inner, labeled, ab.Pool(X)).run(p.learner, rng)
    best_halfspace = 0.5 - (0.9 + 0.5 + 0.4 - 0.2) / 8
    error = 0.5 - np.mean(mean * chosen.predict(X)) / 2
    assert error <= best_halfspace + p.guarantee
    assert error <= best_halfspace  # boosting may leave the class: here it finds the exclusive or


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, "needs n, the number of coordinates"),
        ({"n": 0}, "n must be a whole number of at least 1"),
        ({"n": 4, "degree": 0}, "degree must be a whole number of at least 1"),
        ({"n": 4, "epsilon": 0.6}, r"epsilon must be in \(0, 0.5\]"),
        ({"n": 4, "delta": 1.0}, r"delta must be in \(0, 1\)"),
        ({"n": 4, "gamma": 0.5}, "has its own weak learner. Got gamma=0.5"),
        ({"n": 4, "log_size": 3.0}, "has its own weak learner. Got log_size=3.0"),
        ({"n": 4, "epsilon0": 0.1}, "has its own weak learner. Got epsilon0=0.1"),
        ({"n": 4, "shift": 2.0}, "shift is for theorem='shift' only"),
        ({"n": 4, "beta": 0.5}, "beta is for theorem='rl' only"),
        ({"n": 4, "constant": 0.0}, "constant must be in"),
    ],
)
def test_bad_requests_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        half(**changes)


def test_only_its_inner_plan_is_run():
    with pytest.raises(ValueError, match=r"Got HalfspacePlan.*plan.inner"):
        ab.from_plan(half(n=3), (np.ones((2, 1)), [1, -1]), np.ones((2, 1)))


def test_the_largest_numbers_that_can_be_planned_for():
    assert ab.plan("half", epsilon=0.5, delta=0.1, n=100, degree=70).inner.S > 10**280
    with pytest.raises(ValueError, match="at most 140 digits"):
        ab.plan("half", epsilon=0.5, delta=0.1, n=100, degree=71)


def test_the_share_of_the_lemma_is_said():
    for degree, share in ((3, 0.9), (20, 0.0)):
        said = {constant.name: constant.value for constant in half(n=20, degree=degree).constants}
        assert said["share of the lemma"] == share
