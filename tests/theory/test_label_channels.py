"""Labels of which P(seen | true class) is known: their stand-ins are the clean labels on average, for every x.

The whole distribution of (x, what is seen) is written down as a weighted table, gaps included.
"""

from itertools import combinations

import numpy as np
import pytest

from agnoboost.labels import (
    Chain,
    ComplementaryLabels,
    FlipRates,
    NoiseMatrix,
    RandomisedResponse,
    SeenChance,
    chance_weights,
)
from agnoboost.labels.channel import stand_ins

NAMES = ("a", "b", "c", "d")


def candidate_pairs(names):
    """Each class is shown as one of the pairs that hold it, all equally likely."""
    pairs = list(combinations(names, 2))
    chances = [[(name in pair) / (len(names) - 1) for pair in pairs] for name in names]
    return NoiseMatrix(chances, classes=names, seen=["|".join(pair) for pair in pairs])


def channels(classes, rng):
    """Every kind of channel, for so many classes."""
    names = NAMES[:classes]
    mistakes = NoiseMatrix(0.6 * np.eye(classes) + 0.4 * rng.dirichlet(np.ones(classes), classes), classes=names)
    chance = SeenChance(dict(zip(names, rng.uniform(0.3, 1.0, classes).tolist(), strict=True)))
    some = 0.8 * np.eye(classes) + 0.1 * rng.dirichlet(np.ones(classes), classes)  # a tenth of the labels is missing
    found = {
        "flips": FlipRates(0.3),
        "matrix": mistakes,
        "matrix, with gaps": NoiseMatrix(some, classes=names),
        "not this class": ComplementaryLabels(names),
        "private": RandomisedResponse(1.0),
        "seen by chance": chance,
        "flipped, then seen": FlipRates(0.1).then(chance),
        "seen, then flipped": chance.then(FlipRates(0.1)),
        "flipped, then private": mistakes.then(RandomisedResponse(2.0)),
        "not this class, flipped": ComplementaryLabels(names).then(FlipRates(0.05)),
    }
    if classes == 2:
        found["two rates"] = FlipRates(positive=0.3, negative=0.1)
        bags = np.repeat(["u", "v", "w"], [5, 20, 10])
        found["bags"] = NoiseMatrix.of_bags(bags, {"u": 0.2, "v": 0.5, "w": 0.9}, classes=names)
    else:
        found["pairs"] = candidate_pairs(names)
        found["pairs, with mistakes"] = mistakes.then(candidate_pairs(names))
    return found


KINDS = [(classes, kind) for classes in (2, 3, 4) for kind in channels(classes, np.random.default_rng(0))]


def population(channel, classes, rng, points=6):
    """(x, seen) with their masses: x is a number; P(class | x) and the masses of x are drawn, some classes are sure."""
    share = np.concatenate([rng.dirichlet(np.ones(classes), points), np.eye(classes)])
    mass = rng.dirichlet(np.ones(len(share)))
    matrix = channel.matrix(classes)
    full = np.hstack([matrix, 1.0 - matrix.sum(axis=1, keepdims=True)])
    joint = (mass[:, None] * (share @ full)).clip(0.0)
    names = [*(channel.seen_values or NAMES[:classes]), None]
    x, seen = np.indices(joint.shape)
    kept = joint.ravel() > 1e-12
    y = np.array(names, dtype=object)[seen.ravel()]
    return share, mass, x.ravel()[kept], y[kept], joint.ravel()[kept]


def bias(model, classes, share, mass, x, y, weight):
    """The largest difference of weighted stand-ins to E[y|x], and of their weight to P(x), over all x and classes."""
    sample = model.sample(model.read(y, len(y)), weight)
    clean = 2.0 * (share[:, 1:] if classes == 2 else share) - 1.0
    total = sample.weight.sum()
    worst = [np.abs(np.bincount(x[sample.rows], sample.weight, len(mass)) / total - mass)]
    for problem in range(clean.shape[1]):
        found = np.bincount(x[sample.rows], sample.weight * sample.targets[:, problem], len(mass)) / total
        worst.append(np.abs(found - mass * clean[:, problem]))
    return float(np.max(worst)), sample


@pytest.mark.parametrize(("classes", "kind"), KINDS)
def test_stand_ins_are_the_clean_label_on_average(classes, kind):
    """For every x, by which every psi and every h: sum w t h / sum w = E[y h], sum w psi / sum w = E[psi]."""
    rng = np.random.default_rng(classes)
    channel = channels(classes, rng)[kind]
    share, mass, x, y, weight = population(channel, classes, rng)
    worst, sample = bias(channel, classes, share, mass, x, y, weight)
    assert worst < 1e-12
    if len(sample.unlabeled):  # rows without a label, or all rows, stand for the population too
        unlabeled = np.bincount(x[sample.unlabeled], weight[sample.unlabeled], len(mass))
        np.testing.assert_allclose(unlabeled / unlabeled.sum(), mass, atol=1e-12)


@pytest.mark.parametrize(("classes", "kind"), KINDS)
def test_another_channel_is_not_clean(classes, kind):
    """Otherwise the test above could not fail."""
    rng = np.random.default_rng(classes)
    channel = channels(classes, rng)[kind]
    told = population(channel, classes, rng)
    names = channel.seen_values or NAMES[:classes]
    wrong = 0.9 * channel.matrix(classes) + 0.1 / len(names)
    other = NoiseMatrix(wrong / wrong.sum(axis=1, keepdims=True), classes=NAMES[:classes], seen=names)
    assert bias(other, classes, *told)[0] > 1e-3


@pytest.mark.parametrize("model", [FlipRates(0.2), RandomisedResponse(1.0), NoiseMatrix([[0.9, 0.1], [0.3, 0.7]])])
def test_flipped_and_observed_with_a_chance_of_each_row(model):
    """Labeled rows weigh 1/chance, the others 1/(1 - chance): both are the population, and stand-ins are clean."""
    rng = np.random.default_rng(0)
    share, mass, x, y, weight = population(model, 2, rng)
    chance = rng.uniform(0.2, 0.9, len(mass))[x]
    x, column = np.tile(x, 2), np.concatenate([y, np.full(len(y), None)])
    drawn = np.concatenate([weight * chance, weight * (1 - chance)])
    weights = drawn * chance_weights(column, np.tile(chance, 2))
    worst, sample = bias(model, 2, share, mass, x, column, weights)
    assert worst < 1e-12
    unlabeled = np.bincount(x[sample.unlabeled], weights[sample.unlabeled])
    np.testing.assert_allclose(unlabeled / unlabeled.sum(), mass, atol=1e-12)
    assert bias(model, 2, share, mass, x, column, drawn)[0] > 1e-3


@pytest.mark.parametrize(("classes", "kind"), KINDS)
def test_what_a_label_is_worth(classes, kind):
    """Simulated: the variance of n such labels is that of n * worth clean ones, for a rule that x tells nothing of."""
    rng = np.random.default_rng(5)
    channel = channels(classes, rng)[kind]
    shares = rng.dirichlet(5 * np.ones(classes))
    matrix = channel.matrix(classes)
    cells = np.hstack([matrix, 1.0 - matrix.sum(axis=1, keepdims=True)]).clip(0.0) * shares[:, None]
    rows, repeats = 4000, 2000
    counts = rng.multinomial(rows, cells.ravel() / cells.sum(), repeats).reshape(repeats, *cells.shape)
    rule = rng.binomial(counts, 0.5)  # h = 1 in so many rows, h = -1 in the others
    h = (2 * rule - counts).sum(axis=1)[:, :-1]
    names = channel.seen_values or NAMES[:classes]
    evidence = channel.read(list(names), len(names))
    weight = np.ones(len(names)) if evidence.weight is None else evidence.weight
    mean = 2.0 * (shares[1:] if classes == 2 else shares) - 1.0
    seen = counts.sum(axis=1)[:, :-1]
    total = seen @ weight
    found = [(h @ (weight * (t - m))) / total for t, m in zip(evidence.targets.T, mean, strict=True)]
    noisy = np.sum([np.var(one) for one in found]) * seen.sum(axis=1).mean()
    clean = np.sum(1.0 - mean**2)
    assert channel.worth(shares=shares) == pytest.approx(clean / noisy, rel=0.1)


def test_known_values():
    assert FlipRates(0.3).worth() == pytest.approx(0.4**2)
    m = 0.8  # E[y|x] of rows that are 90% sure: (1 - m^2) / (E[s^2] - m^2)
    assert FlipRates(0.3).worth(shares=[0.1, 0.9]) == pytest.approx((1 - m**2) / (1 / 0.4**2 - m**2))
    for classes in (2, 3, 5):
        assert ComplementaryLabels().worth(classes) == pytest.approx(1 / (classes - 1) ** 2)
        assert RandomisedResponse(50.0).worth(classes) == pytest.approx(1.0)
    assert SeenChance({0: 0.2, 1: 0.8}).worth() == pytest.approx(1 / (0.5 * np.mean([5.0, 1.25])))
    assert SeenChance({0: 0.3, 1: 0.3}).worth() == pytest.approx(1.0)


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
def test_privacy_is_what_was_asked_for_and_no_channel_behind_it_can_take_it_away(classes, epsilon):
    private = RandomisedResponse(epsilon)
    assert private.privacy(classes) == pytest.approx(epsilon)
    for other in (FlipRates(0.1), ComplementaryLabels()):
        for chain in (private.then(other), other.then(private)):
            assert chain.privacy(classes) <= epsilon + 1e-12
    twice = np.einsum("ka,kb->kab", private.matrix(classes), private.matrix(classes)).reshape(classes, -1)
    assert np.log(twice.max(axis=0) / twice.min(axis=0)).max() == pytest.approx(2 * epsilon)
    assert ComplementaryLabels().privacy(3) == np.inf


def test_gaps_tell_something_too():
    """Whether there is a label at all is seen as well."""
    assert NoiseMatrix([[0.5, 0.4], [0.2, 0.4]]).privacy() == pytest.approx(np.log(0.4 / 0.1))


@pytest.mark.parametrize("channel", [candidate_pairs(NAMES), channels(2, np.random.default_rng(0))["bags"]])
def test_of_many_stand_ins_those_of_least_variance_are_taken(channel):
    """Any other S with T S = I differs by columns in the kernel of T; classes are equally common."""
    matrix = channel.matrix()
    best = stand_ins(matrix)
    kernel = np.linalg.svd(matrix)[2][len(matrix) :]
    rng = np.random.default_rng(0)
    seen = matrix.mean(axis=0)
    for _ in range(50):
        other = best + kernel.T @ rng.normal(scale=0.1, size=(len(kernel), len(matrix)))
        np.testing.assert_allclose(matrix @ other, np.eye(len(matrix)), atol=1e-12)
        assert np.sum(seen[:, None] * other**2) > np.sum(seen[:, None] * best**2)


def test_bags_are_seen_as_often_as_the_class_is_in_them():
    """P(bag | class) is the number of rows of that class in the bag, of all rows of the class."""
    y = np.array([0, 0, 1, 2, 1, 1, 2, 0, 2, 2])
    bags = np.array(["u"] * 4 + ["v"] * 3 + ["w"] * 3)
    shares = {bag: np.mean(y[bags == bag][:, None] == np.arange(3), axis=0) for bag in "uvw"}
    counts = np.array([[np.sum((y == code) & (bags == bag)) for bag in "uvw"] for code in range(3)])
    found = NoiseMatrix.of_bags(bags, shares, classes=[0, 1, 2]).matrix()
    np.testing.assert_allclose(found, counts / counts.sum(axis=1, keepdims=True))


def test_chains_are_products():
    first, second, third = FlipRates(0.1), RandomisedResponse(2.0), FlipRates(positive=0.2, negative=0.1)
    chain = first.then(second).then(third)
    np.testing.assert_allclose(chain.matrix(), first.matrix() @ second.matrix() @ third.matrix())
    np.testing.assert_allclose(Chain((first, second, third)).matrix(), chain.matrix())


@pytest.mark.parametrize("kind", channels(3, np.random.default_rng(0)))
def test_draws_have_the_chances_of_the_matrix(kind):
    channel = channels(3, np.random.default_rng(0))[kind]
    y = np.repeat(NAMES[:3], 20_000)
    seen = channel.draw(y, 0).reshape(3, -1)
    names = channel.seen_values or NAMES[:3]
    found = np.array([[np.mean(row == name) for name in names] for row in seen])
    np.testing.assert_allclose(found, channel.matrix(3), atol=0.015)
