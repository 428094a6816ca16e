"""The one promise of every sampler: corr(h) = -scale * Phi'(H, h)."""

import numpy as np
import pytest
from problems import cube, random_parities, random_population, random_stump, random_tape

from agnoboost import OnePass, Pool, Stream, Tape, bernoulli
from agnoboost.core.potentials import POTENTIALS, Huber, Madaboost, PseudoHuber
from agnoboost.core.samplers import SAMPLERS, Fresh, Reuse, WithLabels
from agnoboost.core.tape import Add, Shrink
from agnoboost.testing import check_sampler

SEPARABLE = [name for name, potential in POTENTIALS.items() if potential.separable]


def parity_tape(rng, n, steps=12, unit=0.05):
    tape = Tape(unit)
    for parity in random_parities(rng, n, steps):
        tape = tape.append(Shrink(1) if rng.random() < 0.3 else Add(parity, 2))
    return tape


def shifted_slope(potential, world, q, shift, weight=1.0):
    """Phi'(H, h) = weight * shift * E_Q[psi'(H) h] + (1 - weight) * E_D[psi'(H) h] - E_D[y h]."""

    def slope(tape, hypothesis):
        H, h = tape.margin(world.X), hypothesis.predict(world.X)
        psi_mass = weight * shift * q + (1 - weight) * world.mass
        return np.sum(psi_mass * potential.psi_grad(H) * h) - world.corr(h)

    return slope


def test_the_tests_below_cover_every_registered_sampler():
    assert set(SAMPLERS) == {"fresh", "fresh_below_par", "reuse", "with_labels"}


@pytest.mark.parametrize("name", POTENTIALS)
@pytest.mark.parametrize("kind", ["fresh", "reuse"])
def test_labeled_samplers(rng, name, kind):
    potential, world = POTENTIALS[name], random_population(rng)
    source = world.labeled()
    sampler = Fresh(source, potential) if kind == "fresh" else Reuse(source, potential, max_step=0.1, decay=0.25)

    def slope(tape, hypothesis):
        return world.slope(potential, tape.margin(world.X), hypothesis.predict(world.X))

    check_sampler(sampler, parity_tape(rng, 4), slope, random_parities(rng, 4))


@pytest.mark.parametrize("name", SEPARABLE)
@pytest.mark.parametrize("shift", [1.0, 3.0])
@pytest.mark.parametrize("weight", [1.0, 0.6, 0.0])
@pytest.mark.parametrize("kind", ["fresh", "reuse", "reuse, other decay"])
def test_samplers_with_labels(rng, name, shift, weight, kind):
    potential, world = POTENTIALS[name], random_population(rng)
    q = rng.dirichlet(np.ones(len(world.X)))  # the unlabeled rows may come from anywhere
    inner = {
        "fresh": Fresh(Pool(world.X, mass=q), potential),
        "reuse": Reuse(Pool(world.X, mass=q), potential, max_step=0.1, decay=0.1),
        "reuse, other decay": Reuse(Pool(world.X, mass=q), potential, max_step=0.1, decay=0.6),
    }[kind]
    sampler = WithLabels(world.labeled(), inner, shift, unlabeled_weight=weight)
    slope = shifted_slope(potential, world, q, shift, weight)
    check_sampler(sampler, parity_tape(rng, 4), slope, random_parities(rng, 4))


@pytest.mark.parametrize("weight", [0.0, 0.25, 0.5, 0.75, 1.0])
def test_the_gradient_is_unbiased_for_every_unlabeled_weight(rng, weight):
    """Without shift every weight estimates the same Phi': over real samples the mean error vanishes."""
    world, potential, tape = random_population(rng, 3), Huber(), parity_tape(rng, 3)
    h = random_parities(rng, 3, 1)[0]
    exact = shifted_slope(potential, world, world.mass, 1.0)(tape, h)
    found = []
    for _ in range(600):
        inner = Fresh(world.unlabeled(), potential, 80)
        sampler = WithLabels(world.labeled(), inner, rows=20, unlabeled_weight=weight)
        draw, _ = sampler.draw(tape, sampler.init(rng), rng)
        found.append(draw.batch.corr(h.predict(draw.batch.X)) / -sampler.scale)
    assert abs(np.mean(found) - exact) < 4 * np.std(found) / np.sqrt(600)


def test_the_papers_mixture_weights_follow_from_one_rule(rng):
    world = random_population(rng)
    fresh = Fresh(world.unlabeled(), Huber())
    reuse = Reuse(world.unlabeled(), PseudoHuber(), max_step=0.02, decay=0.02)  # sigma = eta/gamma
    assert reuse.scale == pytest.approx(1 / 2)
    assert WithLabels(world.labeled(), fresh).scale == pytest.approx(1 / 2)  # Algorithm 1
    assert WithLabels(world.labeled(), reuse).scale == pytest.approx(1 / 3)  # Algorithm 2
    assert WithLabels(world.labeled(), fresh, shift=4.0).scale == pytest.approx(1 / 5)  # Algorithm 3


@pytest.mark.parametrize("kind", ["fresh", "reuse"])
def test_sampled_batches_are_unbiased(rng, kind):
    """Real draws of rows and bernoulli(m) labels average to -scale * Phi'."""
    world, potential = random_population(rng, 3), PseudoHuber()
    tape = parity_tape(rng, 3, steps=4)
    h = random_parities(rng, 3, 1)[0]
    realize = bernoulli(400)
    found = []
    for _ in range(300):
        source = world.unlabeled()
        inner = Fresh(source, potential, 50) if kind == "fresh" else Reuse(source, potential, 0.1, 0.3, 50)
        sampler = WithLabels(world.labeled(), inner, rows=200)
        state = sampler.init(rng)
        for length in range(len(tape) + 1):
            draw, state = sampler.draw(tape.prefix(length), state, rng)
        batch = realize(draw.batch, rng)
        found.append(batch.corr(h.predict(batch.X)))
    expected = -sampler.scale * shifted_slope(potential, world, world.mass, 1.0)(tape, h)
    assert abs(np.mean(found) - expected) < 4 * np.std(found) / np.sqrt(len(found))


def test_bernoulli_converges(rng):
    world, potential = random_population(rng, 3), Huber()
    sampler = WithLabels(world.labeled(), Fresh(world.unlabeled(), potential))
    tape = parity_tape(rng, 3)
    draw, _ = sampler.draw(tape, sampler.init(rng), rng)
    h = random_parities(rng, 3, 1)[0]
    exact = -sampler.scale * shifted_slope(potential, world, world.mass, 1.0)(tape, h)
    for m in (10**3, 10**5, 10**6):
        drawn = bernoulli(m)(draw.batch, rng)
        assert abs(drawn.corr(h.predict(drawn.X)) - exact) < 5 / np.sqrt(m)


def literal_recursion(tape, datasets, *, eta, gamma, sigma, draws, rng):
    """Algorithm 2, line 6, as printed with the errata: one sample of D'_t at a time, eta' drawn, labels drawn.

    The round in which a sample enters the pool is geometric: walk back from t while a coin says "reuse".
    """
    potential = PseudoHuber()
    counts = {}
    for _ in range(draws):
        t = len(datasets)
        while t > 1 and rng.random() < 1 - sigma:
            t -= 1
        X = datasets[t - 1]
        row = int(rng.integers(len(X)))
        if t == 1:
            p = 0.5
        else:
            before = tape.prefix(t - 2).margin(X[row : row + 1])[0]
            direction = (tape.prefix(t - 1).margin(X[row : row + 1])[0] - before) / eta
            eta_prime = rng.uniform(0, eta)
            scale = 2 * (eta / gamma + sigma)
            curvature = potential.psi_curvature(before + eta_prime * direction)
            p = 0.5 - sigma * potential.psi_grad(before) / scale - eta * curvature * direction / scale
            assert 0 <= p <= 1
        label = 1 if rng.random() < p else -1
        key = (*X[row].tolist(), label)
        counts[key] = counts.get(key, 0) + 1
    return counts


def test_the_pool_of_algorithm_2_is_the_printed_recursion_in_distribution(rng):
    gamma, eta = 0.5, 0.1
    step, unit = eta / gamma, eta
    tape = Tape(unit)
    for parity in random_parities(rng, 2, 4):
        tape = tape.append(Shrink(1) if rng.random() < 0.3 else Add(parity, 2))
    datasets = [cube(2)[rng.integers(4, size=3)] for _ in range(len(tape) + 1)]
    served = iter(datasets)
    source = Stream(lambda n, rng: next(served), n_features=2)
    sampler = Reuse(source, PseudoHuber(), max_step=step, decay=step, rows=3, tolerance=0.0)
    state = sampler.init(rng)
    for length in range(len(tape) + 1):
        draw, state = sampler.draw(tape.prefix(length), state, rng)
    draws = 60_000
    counts = literal_recursion(tape, datasets, eta=eta, gamma=gamma, sigma=step, draws=draws, rng=rng)
    expected = {}
    for x, target, mass in zip(draw.batch.X, draw.batch.target, draw.batch.mass, strict=True):
        for label in (-1, 1):
            key = (*x.tolist(), label)
            expected[key] = expected.get(key, 0) + mass * (1 + label * target) / 2
    assert set(counts) <= set(expected)
    for key, p in expected.items():
        z = (counts.get(key, 0) - draws * p) / np.sqrt(draws * p * (1 - p))
        assert abs(z) < 4.5, (key, z)


def test_the_printed_denominator_leaves_the_unit_interval():
    """ERRATA 4: with 2*(eta + sigma) in the denominator the probability exceeds 1 at gamma = .1."""
    gamma, eta = 0.1, 0.01
    sigma, h = eta / gamma, -1 / gamma
    H = 0.0
    p = 0.5 - sigma * H / (2 * (eta + sigma)) - eta * 1.0 * h / (2 * (eta + sigma))
    corrected = 0.5 - eta * h / (2 * (eta / gamma + sigma))
    assert p == pytest.approx(0.9545, abs=1e-3)
    H = -0.4
    psi_grad, curvature = H / np.hypot(1, H), np.hypot(1, H) ** -3.0
    p = 0.5 - sigma * psi_grad / (2 * (eta + sigma)) - eta * curvature * h / (2 * (eta + sigma))
    assert p > 1
    assert corrected <= 1


@pytest.mark.parametrize("tolerance", [0.2, 0.05, 1e-3])
def test_forgetting_old_rows_changes_no_correlation_by_more_than_the_tolerance(rng, tolerance):
    def run(tolerance):
        draws = np.random.default_rng(5)
        source = Stream(lambda n, rng: rng.normal(size=(n, 2)))
        sampler = Reuse(source, PseudoHuber(), max_step=0.1, decay=0.1, rows=4, tolerance=tolerance)
        state, batches, sizes = sampler.init(draws), [], []
        for length in range(len(tape) + 1):
            draw, state = sampler.draw(tape.prefix(length), state, draws)
            batches.append(draw.batch)
            sizes.append(len(state.pool))
            assert state.dropped <= tolerance
            assert draw.batch.mass.sum() == pytest.approx(1.0)
        return batches, sizes

    tape = random_tape(rng, 2, steps=120, unit=0.05, largest=2)
    exact, kept = run(0.0)
    forgetful, sizes = run(tolerance)
    stumps = [random_stump(rng, 2) for _ in range(20)]
    differences = [
        abs(a.corr(h.predict(a.X)) - b.corr(h.predict(b.X)))
        for a, b in zip(exact, forgetful, strict=True)
        for h in stumps
    ]
    assert 0 < max(differences) <= tolerance
    assert kept[-1] == 121
    assert max(sizes) <= np.log(1 / tolerance) / -np.log(0.9) + 2  # memory does not grow with the rounds


def test_the_same_rows_again_are_merged(rng):
    world = random_population(rng)
    sampler = Reuse(world.unlabeled(), PseudoHuber(), max_step=0.1, decay=0.1, tolerance=0.0)
    tape, state = parity_tape(rng, 4, 30), sampler.init(rng)
    for length in range(len(tape) + 1):
        draw, state = sampler.draw(tape.prefix(length), state, rng)
    assert len(draw.batch) == len(world.X)


def test_labeled_only_is_algorithm_1_on_its_own_rows(rng):
    world = random_population(rng)
    pool = world.labeled()
    alone = Fresh(pool, Huber())
    twin = WithLabels(world.labeled(), Fresh(Pool(pool.X, mass=pool.mass), Huber()))
    tape = parity_tape(rng, 4)
    first, _ = alone.draw(tape, alone.init(rng), rng)
    second, _ = twin.draw(tape, twin.init(rng), rng)
    for h in random_parities(rng, 4):
        assert first.batch.corr(h.predict(first.batch.X)) == pytest.approx(
            second.batch.corr(h.predict(second.batch.X)), abs=1e-13
        )
    assert first.potential == pytest.approx(second.potential, abs=1e-13)


def test_unlabeled_weight_zero_is_labeled_only(rng):
    world, tape = random_population(rng), parity_tape(rng, 4)
    alone = Fresh(world.labeled(), Huber())
    weighted = WithLabels(world.labeled(), Fresh(world.unlabeled(), Huber()), unlabeled_weight=0.0)
    first, _ = alone.draw(tape, alone.init(rng), rng)
    second, _ = weighted.draw(tape, weighted.init(rng), rng)
    labeled_rows = len(first.batch)
    assert np.array_equal(first.batch.signed, second.batch.signed[:labeled_rows])
    assert (second.batch.mass[labeled_rows:] == 0).all()
    assert first.potential == pytest.approx(second.potential, abs=1e-13)


def test_the_reported_potential_is_the_populations(rng):
    world, tape = random_population(rng), parity_tape(rng, 4)
    for name, potential in POTENTIALS.items():
        sampler = Fresh(world.labeled(), potential)
        draw, _ = sampler.draw(tape, sampler.init(rng), rng)
        assert draw.potential == pytest.approx(world.potential(potential, tape.margin(world.X))), name


def test_mismatched_parts_are_refused_before_work(rng):
    world = random_population(rng)
    with pytest.raises(ValueError, match=r"Madaboost needs a label for every row"):
        Fresh(world.unlabeled(), Madaboost())
    with pytest.raises(ValueError, match=r"Madaboost needs a label for every row"):
        Reuse(world.unlabeled(), Madaboost(), 0.1, 0.1)
    with pytest.raises(ValueError, match=r"WithLabels needs a labeled source"):
        WithLabels(world.unlabeled(), Fresh(world.unlabeled(), Huber()))
    with pytest.raises(ValueError, match=r"use Fresh or Reuse alone"):
        WithLabels(world.labeled(), Fresh(world.labeled(), Huber()))
    with pytest.raises(ValueError, match=r"must have 4 features"):
        WithLabels(world.labeled(), Fresh(Pool(cube(3)), Huber()))
    with pytest.raises(ValueError, match=r"shift must be in \[1, 1e"):
        WithLabels(world.labeled(), Fresh(world.unlabeled(), Huber()), shift=0.5)
    with pytest.raises(ValueError, match=r"must hold 9 rows. Got 8 left"):
        WithLabels(OnePass(cube(3), np.ones(8)), Fresh(Pool(cube(3)), Huber()), rows=9)
    with pytest.raises(ValueError, match=r"decay must be in \(0, 1\]"):
        Reuse(world.unlabeled(), PseudoHuber(), 0.1, 0.0)
    with pytest.raises(ValueError, match=r"no end"):
        Fresh(Stream(lambda n, rng: cube(3)[:n]), Huber())


def test_states_are_passed_not_changed(rng):
    world, tape = random_population(rng), parity_tape(rng, 4, 3)
    sampler = WithLabels(world.labeled(), Reuse(world.unlabeled(), PseudoHuber(), 0.1, 0.1, rows=5), rows=50)
    state = sampler.init(rng)
    _, state = sampler.draw(tape.prefix(1), state, rng)
    twice = [sampler.draw(tape.prefix(2), state, np.random.default_rng(1))[0].batch for _ in range(2)]
    assert np.array_equal(twice[0].X, twice[1].X)
    assert np.array_equal(twice[0].signed, twice[1].signed)


def test_reported_potentials_of_reuse_and_shift(rng):
    world, tape = random_population(rng), parity_tape(rng, 4)
    H = tape.margin(world.X)
    for potential, inner in (
        (PseudoHuber(), Reuse(world.unlabeled(), PseudoHuber(), 0.1, 0.1)),
        (Huber(), Fresh(world.unlabeled(), Huber())),
    ):
        sampler = WithLabels(world.labeled(), inner, shift=3.0)
        draw, _ = sampler.draw(tape, sampler.init(rng), rng)
        expected = 3 * np.sum(world.mass * potential.psi(H)) - world.corr(H)
        assert draw.potential == pytest.approx(expected)


def test_dropped_mass_goes_to_the_newest_rows(rng):
    sampler = Reuse(Stream(lambda n, rng: rng.normal(size=(n, 2))), PseudoHuber(), 0.1, 0.5, rows=2, tolerance=0.3)
    tape, state = random_tape(rng, 2, steps=6, unit=0.05, largest=2), sampler.init(rng)
    for length in range(7):
        draw, state = sampler.draw(tape.prefix(length), state, rng)
    # Shares are 1/2, 1/4, 1/8, ...: the first two stay (1/4 + 1/8 + ... = 1/2 > 0.3 would go, 1/4 may).
    assert len(draw.batch) == 4
    assert [part.share for part in state.pool] == pytest.approx([0.25, 0.5])
    assert draw.batch.mass.sum() == pytest.approx(1.0)
    assert draw.batch.mass[-2:].sum() > 0.5  # its own half and what was dropped
    assert state.dropped == pytest.approx(0.25)


def test_forgetting_leaves_the_rows_that_stay_as_they_were(rng):
    """No renormalisation: what is kept has the same signed mass as in a pool that forgets nothing."""
    tape = random_tape(rng, 2, steps=6, unit=0.05, largest=2)
    last = []
    for tolerance in (0.3, 0.0):
        draws = np.random.default_rng(3)
        source = Stream(lambda n, rng: rng.normal(size=(n, 2)))
        sampler = Reuse(source, PseudoHuber(), 0.1, 0.5, rows=2, tolerance=tolerance)
        state = sampler.init(draws)
        for length in range(7):
            draw, state = sampler.draw(tape.prefix(length), state, draws)
        last.append(draw.batch)
    forgetful, exact = last
    assert (len(forgetful), len(exact)) == (4, 14)
    assert np.array_equal(forgetful.X, exact.X[-4:])
    assert forgetful.signed == pytest.approx(exact.signed[-4:], abs=1e-13)
    assert np.abs(exact.signed[-4:]).max() > 1e-3
