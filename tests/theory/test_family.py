"""The other boosters of the family: each against a plain numpy twin, and against its own guarantee on a population."""

from dataclasses import replace
from itertools import combinations
from math import sqrt

import numpy as np
import pytest
from problems import Population, cube, majorities, random_parities, random_stump

import agnoboost as ab
from agnoboost.core import (
    Add,
    AddWithin,
    Booster,
    FixedStep,
    Fresh,
    FreshBelowPar,
    Huber,
    InPlace,
    Pool,
    PseudoHuber,
    Reuse,
    Shrink,
    SmoothHinge,
    WithLabels,
)
from agnoboost.core.batch import Batch
from agnoboost.testing import check_sampler

LEARNER = ab.ParityLearner(3)
GAMMA = 0.5  # some parity has half of the correlation of any majority of three, whatever the labels


def population(rng, noise=0.5):
    """Uniform cube of 5 coordinates; a majority with noise, and an adversary in a quarter of the points."""
    X = cube(5)
    majority = np.sign(X[:, 0] + X[:, 1] - X[:, 2])
    mean = np.where(rng.random(len(X)) < 0.25, -majority, majority) * rng.uniform(noise, 1.0, len(X))
    return Population(X, np.full(len(X), 1 / len(X)), mean)


def best(world):
    return float(np.abs(majorities(world.X) @ (world.mass * world.mean)).max())


def sign(values):
    return np.where(values >= 0, 1.0, -1.0)


class Recorded(Pool):
    """A pool that remembers what it handed out."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.samples = []

    def draw(self, n, rng):
        self.samples.append(super().draw(n, rng))
        return self.samples[-1]


def parity_values(X, degree):
    """All parities of at most ``degree`` coordinates, in the learner's order, one row each."""
    subsets = [s for size in range(degree + 1) for s in combinations(range(X.shape[1]), size)]
    return np.array([X[:, list(s)].prod(axis=1) for s in subsets])


def best_parity(X, signed, degree=3):
    """The values at all points of the cube of the parity of largest correlation, with its sign, and the correlation."""
    points = cube(X.shape[1])
    edges = parity_values(X, degree) @ signed
    place = int(np.argmax(np.round(np.abs(edges), 11)))
    return np.sign(edges[place]) * parity_values(points, degree)[place], abs(edges[place])


def rows_of(X):
    """The number of each row among the points of the cube."""
    return ((X > 0) @ (2 ** np.arange(X.shape[1])[::-1])).astype(int)


# ------------------------------------------------------------------------------ Kanade and Kalai


@pytest.mark.parametrize("degree", [1, 3])
def test_kanade_kalai_is_the_published_loop(rng, degree):
    world = population(rng)
    joint = world.labeled()
    source = Recorded(joint.X, joint.y, joint.mass)
    run = ab.boost(ab.kanade_kalai(source, rows=40), ab.ParityLearner(degree), rounds=60, rng=3)
    H, branches = np.zeros(len(world.X)), []
    for sample in source.samples:
        rows = rows_of(sample.X)
        weight = np.minimum(1.0, np.exp(-sample.y * H[rows]))  # -phi', the chance that a label is kept and not redrawn
        signed = sample.mass * weight * sample.y
        weak, edge = best_parity(sample.X, signed, degree)
        back = float(-(signed * sign(H[rows])).sum())
        branches.append("B" if back > edge + 1e-11 else "A")
        H = H - back * sign(H) if back > edge + 1e-11 else H + edge * weak
    np.testing.assert_allclose(run.tape.margin(world.X), H, atol=1e-6)
    assert list(run.history["branch"]) == branches
    assert degree == 3 or "B" in branches


def test_kanade_kalai_reaches_the_best_in_class(rng):
    world = population(rng)
    run = ab.boost(ab.kanade_kalai(world.labeled(), rows=10**6), LEARNER, rounds=60, rng=0)
    found = max(world.corr(sign(H)) for H in run.tape.staged(world.X))
    assert found >= best(world) - 0.02


# ------------------------------------------------------------------------------------- Feldman


@pytest.mark.parametrize("form", ["labels alone", "with unlabeled rows"])
def test_feldman_descends_the_squared_distance_to_the_labels(rng, form):
    """Targets (y - H)/2; a step along h takes step * (2 E[(y-H) h] - step) off E[(f-H)^2], projections only more."""
    world, step, tau = population(rng), 0.05, 0.04
    other = () if form == "labels alone" else (world.unlabeled(),)
    run = ab.boost(ab.feldman_2009(world.labeled(), *other, step=step, threshold=tau), LEARNER, rounds=300, rng=0)
    margins, clipped = list(run.tape.staged(world.X)), 0
    distances = [float(np.sum(world.mass * (world.mean - H) ** 2)) for H in margins]
    final = None
    for number, (taken, edge) in enumerate(zip(run.tape.steps, run.history["edge"], strict=True)):
        H = margins[number]
        assert np.abs(H).max() <= 1.0
        residual = world.mass * (world.mean - H)
        if isinstance(taken, AddWithin):
            direction = taken.hypothesis.predict(world.X)
            assert edge == pytest.approx(float(np.sum(residual * direction)) / 2)
            clipped += int((np.abs(H + step * direction) > 1.0).any())
        else:
            direction = -sign(H)
            slope = float(np.sum(residual * direction))
            if slope <= 2 * tau:
                final = number
                break
        fall = 2 * step * float(np.sum(residual * direction)) - step**2
        assert distances[number] - distances[number + 1] >= fall - 1e-9
    assert final is not None
    # No hypothesis has an edge and -sign(H) neither: E[y h] <= E[H h] + 2 tau/gamma <= E|H| + 2 tau/gamma, and
    # E[y sign(H)] >= E|H| - 2 tau.
    assert world.corr(sign(margins[final])) >= best(world) - 2 * tau / GAMMA - 2 * tau


def test_feldman_projects(rng):
    X = cube(3)
    world = Population(X, np.full(8, 1 / 8), np.ones(8))  # all labels +1: H must stop at 1
    run = ab.boost(ab.feldman_2009(world.labeled(), step=0.3), ab.ParityLearner(1), rounds=6, rng=0)
    assert run.tape.margin(X) == pytest.approx(np.ones(8))
    assert [float(H.max()) for H in run.tape.staged(X)][:5] == pytest.approx([0.0, 0.3, 0.6, 0.9, 1.0])


def test_projections_survive_a_checkpoint(rng, tmp_path):
    world, place = population(rng), tmp_path / "run"
    make = lambda: ab.feldman_2009(world.labeled(), step=0.2, threshold=0.02)  # noqa: E731
    whole = ab.boost(make(), LEARNER, rounds=20, rng=1)

    def die(progress):
        if progress.round.number == 11:
            raise RuntimeError

    with pytest.raises(RuntimeError):
        ab.boost(make(), LEARNER, rounds=20, rng=1, checkpoint=place, checkpoint_every=1e-9, callbacks=[die])
    assert ab.boost(make(), LEARNER, rounds=20, rng=1, checkpoint=place).tape == whole.tape
    assert any(isinstance(step, AddWithin) for step in whole.tape.steps)


# ------------------------------------------------------------------------ SmoothBoost, MadaBoost


def realizable(rng):
    X = cube(5)
    return Population(X, rng.dirichlet(np.full(len(X), 5.0)), np.sign(X[:, 0] + X[:, 1] - X[:, 2]))


@pytest.mark.parametrize("name", ["smooth_boost", "madaboost"])
def test_reweighting_boosters_are_the_published_loops(rng, name):
    world, gamma = realizable(rng), 0.2
    theta = gamma / (2 + gamma)
    booster = ab.smooth_boost(world.labeled(), gamma=gamma) if name == "smooth_boost" else ab.madaboost(world.labeled())
    run = ab.boost(booster, LEARNER, rounds=25, rng=0)
    y, H, N, weight = world.mean, np.zeros(len(world.X)), np.zeros(len(world.X)), np.ones(len(world.X))
    for number in range(25):
        chances = world.mass * weight / np.sum(world.mass * weight)
        weak, edge = best_parity(world.X, chances * y)
        assert run.history["edge"][number] == pytest.approx(edge)
        if name == "smooth_boost":
            H, N = H + weak, N + y * weak - theta
            weight = np.where(N < 0, 1.0, (1 - gamma) ** (N / 2))
        else:
            H = H + 0.5 * np.log((1 + edge) / (1 - edge)) * weak
            weight = np.minimum(1.0, np.exp(-y * H))
    np.testing.assert_allclose(run.tape.margin(world.X), H, atol=1e-6)


def test_what_smooth_boost_takes_if_nothing_is_said(rng):
    sampler = ab.smooth_boost(realizable(rng).labeled()).sampler
    assert sampler.par == pytest.approx(0.1 / 2.1)
    assert sampler.potential.pace == pytest.approx(-np.log(0.9) / 2)


def test_smooth_boost_keeps_its_promise(rng):
    """When the mean weight is below kappa, rows with votes below theta a round are fewer than kappa; in time."""
    world, gamma, kappa = realizable(rng), 0.2, 0.05
    theta = gamma / (2 + gamma)
    limit = int(np.ceil(2 / (kappa * gamma**2 * sqrt(1 - gamma))))
    booster = ab.smooth_boost(world.labeled(), gamma=gamma)
    run = ab.boost(booster, LEARNER, rounds=limit, rng=0)
    for t, H in enumerate(run.tape.staged(world.X)):
        N = world.mean * H - theta * t
        weight = np.where(N < 0, 1.0, (1 - gamma) ** (N / 2))
        if np.sum(world.mass * weight) < kappa:
            break
    else:
        pytest.fail("the weights never fell below kappa")
    assert np.sum(world.mass[world.mean * H <= theta * t]) < kappa
    # Smooth: no row ever weighs more than 1/kappa times its probability, until then.
    assert t < limit


def test_labels_show_what_reweighting_takes_for_granted(rng):
    """On noisy labels the weak learner's edge falls below what SmoothBoost assumes: it is no agnostic booster."""
    world, gamma = population(rng, noise=0.2), 0.2
    run = ab.boost(ab.smooth_boost(world.labeled(), gamma=gamma), LEARNER, rounds=200, rng=0)
    assert min(run.history["edge"]) < 2 * gamma


# ------------------------------------------------------------------------------- Brukhim et al.


@pytest.mark.parametrize("rounds", [40, 400])
def test_brukhim_2020_keeps_its_regret_bound_and_its_guarantee(rng, rounds):
    world = population(rng)
    run = ab.boost(ab.brukhim_2020(world.labeled(), rounds=rounds, gamma=GAMMA), LEARNER, rounds=rounds, rng=0)
    G = 1 + 1 / GAMMA
    pace = 1 / (G * sqrt(rounds))
    votes = np.array([step.hypothesis.predict(world.X) for step in run.tape.steps], dtype=float)
    assert not any(isinstance(step, Shrink) for step in run.tape.steps)
    np.testing.assert_allclose(run.tape.margin(world.X), pace / GAMMA * votes.sum(axis=0), atol=1e-6)
    mean_vote = votes.sum(axis=0) / (GAMMA * rounds)
    weights = np.zeros((rounds, len(world.X)))  # E[p y | x], in every round
    for y, share in ((1.0, (1 + world.mean) / 2), (-1.0, (1 - world.mean) / 2)):
        losses = y * votes / GAMMA - 1.0  # of p = 1, in every round
        past = np.vstack([np.zeros(len(world.X)), np.cumsum(losses, axis=0)[:-1]])
        weight = np.clip(1.0 - pace * past, 0.0, 1.0)  # what lazy gradient descent plays
        played = (weight * losses).sum(axis=0)
        fixed = np.minimum(0.0, losses.sum(axis=0))
        assert (played <= fixed + G * sqrt(rounds) + 1e-9).all()
        weights += y * world.mass * share * weight
    # The weights that the sampler used are these: the edges of the run follow from them.
    edges = [float(np.sum(weights[t] * votes[t])) for t in range(rounds)]
    np.testing.assert_allclose(run.history["edge"], edges, atol=1e-9)
    np.testing.assert_allclose(run.tape.stretched(G / sqrt(rounds)).margin(world.X), mean_vote, atol=1e-6)
    found = float(np.sum(world.mass * world.mean * np.clip(mean_vote, -1, 1)))
    assert found >= best(world) - G / sqrt(rounds)
    if rounds == 400:
        assert found >= best(world) - 0.05  # the guarantee allows .15


def test_weights_below_par_are_those_of_the_online_learner(rng):
    world, pace = population(rng), 0.03
    sampler = FreshBelowPar(world.labeled(), SmoothHinge(), par=pace)
    run = ab.boost(Booster(sampler, ab.brukhim_2020(world.labeled(), rounds=50).rule), LEARNER, rounds=30, rng=0)
    draw, _ = sampler.draw(run.tape, sampler.init(rng), rng)
    batch: Batch = draw.batch
    expected = np.clip(1 - (batch_labels(batch) * run.tape.margin(batch.X) - 30 * pace), 0, 1)
    np.testing.assert_allclose(np.abs(batch.target), expected, atol=1e-12)
    with pytest.raises(ValueError, match="needs labeled rows"):
        FreshBelowPar(world.unlabeled(), Huber(), par=0.1)


def batch_labels(batch):
    """The labels of a population's own pool: first all +1, then all -1."""
    return np.repeat([1.0, -1.0], len(batch) // 2)


# ------------------------------------------------------------------------- Algorithm 2, for real


def table(rng):
    X = rng.normal(size=(380, 4))
    return X[:80], np.where(X[:80, 0] * X[:80, 1] + rng.normal(size=80) > 0, 1.0, -1.0), X[80:]


def test_algorithm_2_reuses_by_default(rng):
    X, y, U = table(rng)
    booster = ab.algorithm2((X, y), U)
    inner = booster.sampler.unlabeled
    assert (booster.rule, inner.rows, inner.decay) == (FixedStep(0.1), 30, 0.1)
    run = ab.boost(booster, ab.StumpLearner(), rounds=60, rng=0)
    fresh = Booster(WithLabels(Pool(X, y), Fresh(Pool(U), PseudoHuber())), FixedStep(0.1))
    assert run.tape != ab.boost(fresh, ab.StumpLearner(), rounds=60, rng=0).tape
    assert run.history["unlabeled_drawn"][-1] == 60 * 30
    # The whole table in every round leaves nothing to reuse, whatever the decay: it is what fresh rows give.
    whole = Booster(WithLabels(Pool(X, y), Reuse(Pool(U), PseudoHuber(), 0.1, 0.5)), FixedStep(0.1))
    assert (
        ab.boost(whole, ab.StumpLearner(), rounds=60, rng=0).tape
        == ab.boost(fresh, ab.StumpLearner(), rounds=60, rng=0).tape
    )


def test_the_pool_of_a_table_is_the_recursion_over_its_rows(rng):
    """In place: after t rounds row i carries sum_s (1-sigma)^(t-s) * count_s(i)/U * what it got in round s."""
    X, y, U = table(rng)
    booster = ab.algorithm2((X, y), U, step=0.2, tolerance=0.0)
    inner, decay = booster.sampler.unlabeled, 0.2
    source = InPlace(Pool(U))
    sampler = replace(inner, source=source)
    state, tape, pool = sampler.init(rng), ab.Tape(0.2), np.zeros(len(U))
    psi, draws, before = PseudoHuber(), np.random.default_rng(5), np.zeros(len(U))
    for number in range(12):
        counts = np.random.default_rng([9, number]).multinomial(inner.rows, np.full(len(U), 1 / len(U))) / inner.rows
        draw, state = sampler.draw(tape, state, np.random.default_rng([9, number]))
        now = tape.margin(U)
        change = psi.psi_grad(now) - ((1 - decay) * psi.psi_grad(before) if number else 0.0)
        pool = (1 - decay) * pool - (1 / 2 if number == 0 else decay / (0.2 + decay)) * counts * change
        np.testing.assert_allclose(draw.batch.signed, pool, atol=1e-12)
        before = now
        tape = tape.append(Add(random_stump(draws, 4), 1))
    assert source.drawn == 12 * inner.rows


def test_draws_in_place_have_the_law_of_draws(rng):
    U = rng.normal(size=(40, 2))
    mass = rng.dirichlet(np.ones(40))
    source = InPlace(Pool(U, mass=mass))
    drawn = np.array([source.draw(10, rng).mass for _ in range(4000)])
    assert np.abs(drawn.mean(axis=0) - mass).max() < 0.01
    expected = mass * (1 - mass) / 10
    assert np.abs(drawn.var(axis=0) - expected).max() < 0.002
    assert source.drawn == 40_000
    assert source.draw(None, rng).mass.tolist() == source.whole().mass.tolist() == source.mass.tolist()


def test_a_pool_that_draws_in_its_own_way_is_left_alone(rng):
    X, y, U = table(rng)
    source = Recorded(U)
    ab.boost(ab.algorithm2((X, y), source, step=0.1), ab.StumpLearner(), rounds=3, rng=0)
    assert [len(sample.X) for sample in source.samples] == [30, 30, 30]
    whole = ab.algorithm2((X, y), U, decay=1.0).sampler.unlabeled  # nothing is kept: all rows, as fresh ones
    assert whole.rows is None


def test_algorithm_2_draws_what_one_pass_rows_allow_and_refuses_streams_without_a_number(rng):
    X, y, U = table(rng)
    booster = ab.algorithm2((X, y), ab.OnePass(U), step=0.1)
    assert (booster.sampler.unlabeled.rows, booster.max_rounds) == (30, 10)
    begun = ab.OnePass(U)
    begun.draw(100, rng)
    assert ab.algorithm2((X, y), begun, step=0.1).sampler.unlabeled.rows == 20  # of the 200 that are left
    with pytest.raises(ValueError, match="rows"):
        ab.algorithm2((X, y), ab.Stream(lambda n, r: r.normal(size=(n, 4)), n_features=4))


@pytest.mark.parametrize("shift", [1.0, 3.0])
def test_algorithm_2_under_shift_has_the_potential_of_algorithm_3(rng, shift):
    world = population(rng)
    q = rng.dirichlet(np.ones(len(world.X)))
    sampler = ab.algorithm2(world.labeled(), Pool(world.X, mass=q), step=0.1, shift=shift).sampler
    assert sampler.scale == pytest.approx(1 / (1 + 2 * shift))
    whole = replace(sampler, unlabeled=replace(sampler.unlabeled, rows=None))  # the distributions themselves
    psi = PseudoHuber()

    def slope(tape, hypothesis):
        h, H = hypothesis.predict(world.X), tape.margin(world.X)
        return shift * float(np.sum(q * psi.psi_grad(H) * h)) - world.corr(h)

    tape = ab.Tape(0.1).extend(Add(parity, 1) for parity in random_parities(rng, 5))
    check_sampler(whole, tape, slope, random_parities(rng, 5))


# ------------------------------------------------------------------------------------- GS24


@pytest.mark.parametrize("decay", [0.1, 0.25, 0.5])
def test_the_step_of_gs24_does_not_depend_on_its_decay(rng, decay):
    """The first batch is the labels, scaled by sigma/(sigma + 1/e): the step is the derivative all the same."""
    X, y, _ = table(rng)
    run = ab.boost(ab.ghai_singh_2024((X, y), rows=80, decay=decay), ab.StumpLearner(), rounds=1, rng=0)
    (step,) = run.tape.steps
    derivative = float(np.mean(y * step.hypothesis.predict(X)))  # phi'(0) = -1
    assert step.coef * run.tape.unit == pytest.approx(derivative)
