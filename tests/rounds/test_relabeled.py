"""Relabel, boost, filter by margins, validate."""

import numpy as np
import pytest
from problems import cube, majorities

import agnoboost as ab

LEARNER = ab.ParityLearner(1)


def sample(rng, count, flips=0.2):
    X = rng.choice([-1.0, 1.0], size=(count, 5))
    y = np.sign(X[:, 0] + X[:, 1] - X[:, 2])
    return X, np.where(rng.random(count) < flips, -y, y)


def test_it_finds_the_best_majority_under_noise(rng):
    X, y = sample(rng, 300)
    found = ab.boost_relabeled(X, y, majorities, LEARNER, rounds=30, gamma=0.2, rng=0)
    points = cube(5)
    assert np.array_equal(found.predict(points), np.sign(points[:, 0] + points[:, 1] - points[:, 2]))
    assert found.labelings == 80  # 10 triples, 8 signs
    assert 1 <= found.kept <= 4
    assert 0.3 < found.correlation < 0.9


def test_every_stage_uses_a_third_of_its_own(rng):
    """Recomputed by hand: votes on the first third, margins on the second, the choice on the third."""
    X, y = sample(rng, 90)
    margins = (0.0, 0.15, 0.4)
    found = ab.boost_relabeled(X, y, majorities, LEARNER, rounds=12, gamma=0.2, margins=margins, rng=5)
    draws = np.random.default_rng(5)
    first, second, third = np.array_split(draws.permutation(90), 3)
    tapes = [
        ab.boost(ab.smooth_boost((X[first], labels), gamma=0.2), LEARNER, rounds=12, rng=draws).tape
        for labels in np.unique(majorities(X[first]), axis=0)
    ]
    kept = []
    for level in margins:
        low = [np.mean(y[second] * tape.margin(X[second]) / 12 <= level) for tape in tapes]
        if (place := int(np.argmin(low))) not in kept:
            kept.append(place)
    scores = [np.mean(y[third] * tapes[place].predict(X[third])) for place in kept]
    assert found.tape == tapes[kept[int(np.argmax(scores))]]
    assert (found.kept, found.correlation) == (len(kept), pytest.approx(max(scores)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"references": lambda X: np.zeros((2, len(X)))}, "must return -1 or [+]1"),
        ({"references": lambda X: np.ones(len(X))}, "must return -1 or [+]1"),
        ({"references": lambda X: np.ones((0, len(X)))}, "must return -1 or [+]1"),
        ({"margins": ()}, "a margin"),
        ({"margins": (1.0,)}, "margins"),
        ({"rounds": 0}, "rounds"),
        (
            {"references": lambda X: np.random.default_rng(0).choice([-1, 1], size=(10_001, len(X)))},
            "At most 10,000 labelings.*algorithm1",
        ),
    ],
)
def test_bad_input_is_refused(rng, change, message):
    X, y = sample(rng, 90)
    settings = {"references": majorities, "rounds": 5} | change
    with pytest.raises(ValueError, match=message):
        ab.boost_relabeled(X, y, settings.pop("references"), LEARNER, **settings)


@pytest.mark.filterwarnings("ignore:Stopped by Ctrl-C")
def test_ctrl_c_ends_it(rng):
    X, y = sample(rng, 60)
    calls = []

    class Interrupted(ab.ParityLearner):
        def fit(self, batch, rng):
            calls.append(1)
            if len(calls) == 8:
                raise KeyboardInterrupt
            return super().fit(batch, rng)

    with pytest.raises(KeyboardInterrupt):
        ab.boost_relabeled(X, y, majorities, Interrupted(1), rounds=5, rng=0)
    assert len(calls) == 8
