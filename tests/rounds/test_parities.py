"""Rounds that keep correlations instead of rows give the tape of the plain loop."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest

import agnoboost as ab
from agnoboost.core.booster import Booster
from agnoboost.core.learners.parity import Parity
from agnoboost.core.potentials import Huber, Madaboost
from agnoboost.core.rules import EdgeStep, FixedStep
from agnoboost.core.samplers import Fresh
from agnoboost.core.sources import Pool
from agnoboost.kernels.walsh import subsets, walsh_vector
from agnoboost.labels import FlipRates


def rows(n, count, rng):
    return rng.choice([-1.0, 1.0], size=(count, n))


@pytest.mark.parametrize(("n", "degree"), [(1, 0), (1, 3), (4, 1), (5, 2), (6, 3), (7, 4), (3, 5)])
def test_the_walsh_vector_is_that_of_brute_force(rng, n, degree, monkeypatch):
    monkeypatch.setattr("agnoboost.kernels.walsh.BLOCK", 13)
    X, signed = rows(n, 50, rng), rng.normal(size=50)
    expected = [
        np.sum(signed * X[:, list(subset)].prod(axis=1))
        for k in range(min(n, degree) + 1)
        for subset in combinations(range(n), k)
    ]
    np.testing.assert_allclose(walsh_vector(X, signed, degree), expected, atol=1e-12)
    np.testing.assert_allclose(walsh_vector(X.astype(np.int8), signed, degree), expected, atol=1e-12)
    assert len(subsets(n, degree)) == len(expected)


def test_a_sum_of_parities_is_that_of_one_after_the_other(rng, monkeypatch):
    monkeypatch.setattr("agnoboost.core.learners.parity.BLOCK", 16)
    X = rows(6, 100, rng)
    parities = [Parity(subset, int(rng.choice([-1, 1]))) for subset in subsets(6, 3)]
    coefs = rng.integers(1, 1000, len(parities)).tolist()
    expected = sum(coef * parity.predict(X) for coef, parity in zip(coefs, parities, strict=True))
    assert (Parity.weighted_sum(parities, coefs, X) == expected).all()


def boosters(rng_seed):
    """Every recipe, over pools and streams; new sources for every run."""
    rng = np.random.default_rng(rng_seed)
    X = rows(6, 200, rng)
    y = np.where(rng.random(200) < 0.2, -1, 1) * np.sign(X[:, :3].sum(axis=1))

    def stream():
        return ab.Stream(lambda n, rng: rows(6, n, rng), n_features=6)

    yield "Algorithm 1", lambda: ab.algorithm1((X, y), stream(), step=0.1, gamma=0.5, threshold=0.02, rows_unlabeled=50)
    yield "Algorithm 1, pools", lambda: ab.algorithm1((X, y), rows(6, 300, np.random.default_rng(1)), step=0.1)
    yield "Algorithm 1, labels drawn", lambda: ab.algorithm1((X, y), stream(), rows_labeled=60, rows_unlabeled=50)
    yield "Algorithm 2", lambda: ab.algorithm2((X, y), stream(), step=0.1, rows_unlabeled=30, tolerance=0.0)
    yield "Algorithm 3", lambda: ab.algorithm3((X, y), stream(), shift=4, step=0.05, rows_unlabeled=50)
    yield "labeled-only", lambda: ab.labeled_only((X, y), step=0.1)
    yield "PAB", lambda: ab.pab((X, y), rows=5)
    yield "Madaboost, with a threshold", lambda: Booster(Fresh(Pool(X, y), Madaboost()), EdgeStep(0.5, 0.3))
    yield "GS24", lambda: ab.ghai_singh_2024((X, y), rows=5, tolerance=0.0)
    yield "GS24, fixed steps", lambda: ab.ghai_singh_2024((X, y), rows=5, step=0.1, threshold=0.05, tolerance=0.0)


@pytest.mark.parametrize("name", [name for name, _ in boosters(0)])
@pytest.mark.parametrize("seed", range(3))
def test_the_same_tape_as_the_loop(name, seed):
    make = dict(boosters(seed))[name]
    loop, walsh = (ab.boost(make(), ab.ParityLearner(3), rounds=40, rng=seed, engine=e) for e in ("loop", "walsh"))
    assert (loop.engine, walsh.engine) == ("loop", "walsh")
    assert walsh.tape == loop.tape
    for column in ("labeled_drawn", "unlabeled_drawn", "branch"):
        assert (walsh.history[column] == loop.history[column]).all()
    for column in ("edge", "potential"):
        np.testing.assert_allclose(walsh.history[column], loop.history[column], atol=1e-12)


class Flipped(Fresh):
    """A sampler of the user's own."""

    def draw(self, tape, state, rng):
        draw, state = super().draw(tape, state, rng)
        return replace(draw, batch=replace(draw.batch, target=-draw.batch.target)), state


def test_case_b_where_no_parity_has_any_correlation():
    """Degree 1 is fitted, and sign(H) still has a correlation that steps by the edge go back along."""
    X = np.repeat(np.array(list(product((-1.0, 1.0), repeat=3))), 2, axis=0)
    mean = (X.sum(axis=1) + X.prod(axis=1)) / 4.0
    pool = Pool(np.concatenate([X, X]), np.repeat([1.0, -1.0], len(X)), np.concatenate([1 + mean, 1 - mean]))
    runs = [
        ab.boost(Booster(Fresh(pool, Huber()), EdgeStep(2.0)), ab.ParityLearner(1), rounds=8, rng=0, engine=engine)
        for engine in ("loop", "walsh")
    ]
    assert runs[0].tape == runs[1].tape
    assert "B" in runs[0].history["branch"].tolist()


def test_a_stream_of_another_width_is_refused(rng):
    stream = ab.Stream(lambda n, rng: rows(4, n, rng))
    X = rows(5, 20, rng)
    with pytest.raises(ValueError, match=r"The unlabeled table"):
        ab.boost(ab.algorithm1((X, X[:, 0]), stream, rows_unlabeled=10), ab.ParityLearner(0), rounds=2, rng=0)


def test_auto_takes_it(rng):
    X = rows(5, 50, rng)
    assert ab.boost(ab.labeled_only((X, X[:, 0])), ab.ParityLearner(2), rounds=3, rng=0).engine == "walsh"


@pytest.mark.parametrize(
    ("booster", "learner", "message"),
    [
        (lambda X, y: ab.labeled_only((X, y)), ab.StumpLearner(), "Walsh vector"),
        (lambda X, y: ab.labeled_only((X, y), realize=ab.bernoulli(20)), ab.ParityLearner(2), "draws rows"),
        (lambda X, y: ab.ghai_singh_2024((X, y), rows=5, threshold=0.1, tolerance=0), ab.ParityLearner(2), "case B"),
        (lambda X, y: ab.ghai_singh_2024((X, y), rows=5), ab.ParityLearner(2), "tolerance=0"),
        (lambda X, y: Booster(Flipped(Pool(X, y), Huber()), FixedStep()), ab.ParityLearner(2), "Flipped is not"),
        (lambda X, y: ab.algorithm1((X, y), X, unlabeled_weight=0.5), ab.ParityLearner(2), "psi"),
    ],
)
def test_what_it_does_not_cover_runs_in_the_loop(rng, booster, learner, message):
    X = rows(5, 50, rng)
    with pytest.raises(ValueError, match=rf"engine='walsh' cannot run this booster: .*{message}"):
        ab.boost(booster(X, X[:, 0]), learner, rounds=3, rng=0, engine="walsh")
    assert ab.boost(booster(X, X[:, 0]), learner, rounds=3, rng=0).engine != "walsh"


@pytest.mark.parametrize("name", [name for name, _ in boosters(0)])
def test_a_run_that_was_stopped_goes_on_to_the_same_end(name, tmp_path):
    make = dict(boosters(0))[name]
    whole = ab.boost(make(), ab.ParityLearner(3), rounds=40, rng=0, engine="walsh")

    def die(progress):
        if progress.round.number == 18:
            raise RuntimeError

    settings = {"rng": 0, "checkpoint": tmp_path / "state", "checkpoint_every": 1e-9}
    with pytest.raises(RuntimeError):
        ab.boost(make(), ab.ParityLearner(3), rounds=40, callbacks=[die], **settings)
    run = ab.boost(make(), ab.ParityLearner(3), rounds=40, **settings)
    assert run.engine == "walsh"
    assert run.tape == whole.tape
    for column, values in whole.history.to_dict().items():
        assert np.array_equal(run.history[column], values), column


@pytest.mark.parametrize("threshold", [0.0, 0.02])
def test_soft_labels_weigh_what_they_weigh_in_the_loop(threshold):
    rng = np.random.default_rng(0)
    X = rows(5, 400, rng)
    y = np.where(rng.random(400) < np.clip(0.5 + 0.2 * X[:, 0] * X[:, 1] + 0.2 * X[:, 2], 0, 1), 1, -1)
    labeled, _ = FlipRates(0.25).pools(X, y)
    assert labeled.label_bound == 2.0
    booster = ab.algorithm1(labeled, rows(5, 600, rng), step=0.1, threshold=threshold)
    loop, walsh = (ab.boost(booster, ab.ParityLearner(2), rounds=60, rng=0, engine=e) for e in ("loop", "walsh"))
    assert walsh.tape == loop.tape
    np.testing.assert_allclose(walsh.history["edge"], loop.history["edge"], atol=1e-12)


def test_points_that_are_not_on_the_cube_are_refused():
    stream = ab.Stream(lambda n, rng: rng.normal(size=(n, 3)), n_features=3)
    X = np.array([[1.0, 1.0, -1.0], [1.0, -1.0, 1.0]])
    with pytest.raises(ValueError, match=r"Parities need features in \{-1, \+1\}"):
        ab.boost(ab.algorithm1((X, [1, -1]), stream, rows_unlabeled=10), ab.ParityLearner(2), rounds=3, rng=0)


def test_forty_coordinates_and_degree_three_are_practical(rng):
    """10,701 parities, 2000 new points a round."""
    X = rows(40, 500, rng)
    stream = ab.Stream(lambda n, rng: rows(40, n, rng), n_features=40)
    y = np.sign(X[:, 0] * X[:, 1] * X[:, 2])
    booster = ab.algorithm1((X, y), stream, step=0.1, rows_unlabeled=2000)
    run = ab.boost(booster, ab.ParityLearner(3), rounds=5, rng=0)
    assert run.tape.steps[0].hypothesis == Parity((0, 1, 2), 1)
