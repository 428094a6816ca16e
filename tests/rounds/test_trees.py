"""The engine of trees: that it is taken, that it goes on where it stopped, and the luck it shares with the loop."""

from dataclasses import replace

import numpy as np
import pytest

import agnoboost as ab
from agnoboost.basics.content_luck import POISSON, content_keys, multiplicities
from agnoboost.core import Booster, Reuse, WithLabels
from agnoboost.core.potentials import PseudoHuber
from agnoboost.core.rules import EdgeStep
from agnoboost.rounds.boosting import pick
from agnoboost.rounds.trees import CompiledTrees


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5)).round(1)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, np.where(np.nan_to_num(X[:, 0] * X[:, 1]) + 0.5 * rng.normal(size=200) > 0, 1, -1)


def test_multiplicities_are_those_of_the_loop(rows):
    from agnoboost.kernels.compiled.tree_rounds import multiplicity

    keys = content_keys(rows[0])
    for occasion in (0, 1, 2**62 + 3):
        found = [multiplicity(key, np.uint64(occasion), POISSON) for key in keys]
        assert found == multiplicities(keys, occasion).tolist()


def test_it_is_taken_where_it_can_be(rows):
    X, y = rows
    learner = ab.HistogramTreeLearner.from_data(X, 4)
    taken = ab.labeled_only((X, y), realize=ab.bootstrap())
    assert pick("auto", taken, learner, 1000).name == "trees"
    reuse = Reuse(ab.Pool(X[100:]), PseudoHuber(), 0.1, 0.2, tolerance=0.0)
    for booster, why in (
        (ab.labeled_only((X, y), realize=ab.bernoulli(20)), "whole batches"),
        (ab.labeled_only((X, y), realize=ab.fractional(20)), "whole batches"),
        (ab.labeled_only((X, y), rows=20), "new rows are drawn"),
        (Booster(taken.sampler, EdgeStep()), "fixed steps"),
        (Booster(WithLabels(ab.Pool(X[:100], y[:100]), reuse), taken.rule), "Huber's potential"),
    ):
        assert why in CompiledTrees.covers(booster, learner, 10)
    assert "histogram trees" in CompiledTrees.covers(taken, ab.HistogramStumpLearner.from_data(X), 10)
    assert "bins" in CompiledTrees.covers(taken, ab.HistogramTreeLearner(), 10)
    with pytest.raises(ValueError, match="cannot run this booster"):
        ab.boost(ab.labeled_only((X, y), rows=20), learner, rounds=3, engine="trees")


def make(X, y):
    return ab.algorithm1(
        (X[:120], y[:120]), X[120:], step=0.1, gamma=0.4, threshold=0.05, unlabeled_weight=0.5, realize=ab.bootstrap()
    )


def test_rounds_in_pieces_are_the_same_rounds(rows, tmp_path):
    """Callbacks and checkpoints cut a run into pieces; case-B steps and margins of all rows survive the cuts."""
    X, y = rows
    learner = replace(ab.HistogramTreeLearner.from_data(X, 4), max_features=3, max_leaves=9)
    whole = ab.boost(make(X, y), learner, rounds=70, rng=1, engine="trees")
    assert {"A", "B"} == set(whole.history["branch"])
    watched = ab.boost(make(X, y), learner, rounds=70, rng=1, engine="trees", callbacks=[lambda progress: False])
    place = tmp_path / "run.checkpoint"
    ab.boost(make(X, y), learner, rounds=23, rng=1, engine="trees", checkpoint=place)
    resumed = ab.boost(make(X, y), learner, rounds=70, rng=1, engine="trees", checkpoint=place)
    for run in (watched, resumed):
        assert run.tape == whole.tape
        for column in whole.history.columns():
            assert np.array_equal(run.history[column], whole.history[column])


def test_no_row_drawn_means_all_rows(rows):
    """One row is drawn no times in about a third of the rounds: then the batch stays whole, as in the loop."""
    X, y = rows
    one = ab.Pool(X, y, np.arange(200) == 7)
    runs = [
        ab.boost(ab.labeled_only(one, realize=ab.bootstrap()), ab.HistogramTreeLearner.from_data(X, 2), **settings)
        for settings in ({"rounds": 20, "rng": 0, "engine": engine} for engine in ("loop", "trees"))
    ]
    assert runs[0].tape == runs[1].tape
    assert len(runs[0].tape) == 20


def test_the_potential_falls(rows):
    X, y = rows
    run = ab.boost(ab.labeled_only((X, y)), ab.HistogramTreeLearner.from_data(X, 3), rounds=40, rng=0, engine="trees")
    assert (np.diff(run.history["potential"]) < 0).all()
