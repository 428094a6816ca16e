"""How gold labels and students become one model: every number is worked out again from its parts."""

from dataclasses import replace

import numpy as np
import pytest

import agnoboost as ab
from agnoboost.estimators.table import blending
from agnoboost.estimators.table.machines import (
    FOLDS,
    _weights,
    calibration,
    join,
    lessons,
    scrambled,
    unseen_calibrations,
    unseen_sums,
)
from agnoboost.estimators.table.members import BINS
from agnoboost.estimators.table.terms import Terms
from agnoboost.estimators.table.training import Training
from agnoboost.labels.machine import read_machines

NAMES = ("stumps", "linear")
ROWS, GOLD = 300, 60


@pytest.fixture(scope="module")
def table():
    """Rows, gold labels anywhere among them, a machine that is wrong where the fourth column is large, and weights."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, 5))
    truth = (X[:, 0] + X[:, 1] * (X[:, 2] > 0) + 0.3 * rng.normal(size=ROWS) > 0).astype(float)
    y = np.full(ROWS, np.nan)
    own = rng.permutation(ROWS)[:GOLD]
    y[own] = truth[own]
    machine = np.where((X[:, 3] > 0.8) & (rng.random(ROWS) < 0.9), 1 - truth, truth)
    machine[own[:9]] = np.nan
    return X, y, machine, rng.uniform(0.2, 2.0, ROWS)


@pytest.fixture(scope="module")
def parts(table):
    """A training, its machine, the whole, and the models of gold labels and of the machine by themselves."""
    X, y, said, weight = table
    reader = ab.TableClassifier()
    data = reader._read(X, y, weight, None)
    training = Training(data, Terms.of(data), NAMES, "fast", 7, [], 1, lambda stage: None)
    machine = read_machines(said, ROWS, reader.classes_)[0]
    joined = join(training, [machine], lambda rows: NAMES)
    gold = replace(training, columns=training.placed(BINS))
    lesson = lessons(data, machine)
    return joined, gold, gold.run(), replace(gold, data=lesson, terms=Terms.of(lesson)).run()


@pytest.fixture(scope="module")
def columns(parts):
    """Unseen log-odds of gold labels and of the machine's student, with their terms and folds."""
    _, training, gold, student = parts
    terms = training.terms
    f = (student.margins(terms.X, 1) * student.slopes)[:, 0]
    fold = (scrambled(terms.keys ^ np.uint64(7)) % np.uint64(FOLDS)).astype(np.int64)
    psi, pull = terms.psi, terms.pull[:, 0]
    alone = training.unseen[:, 0] * gold.slopes[0]
    return f, np.column_stack([alone, unseen_calibrations(f, psi, pull, fold)]), psi, pull, fold


def test_the_model_is_the_weighted_sum_of_its_parts(table, parts, columns):
    joined, _, gold, student = parts
    f, unseen, psi, pull, _ = columns
    judged = ~np.isnan(unseen).any(axis=1)
    first, second = _weights(unseen[judged], psi[judged], pull[judged], 1.0)
    a, b = calibration(f, psi, pull)
    expected = first * gold.margins(table[0], 1) * gold.slopes
    expected = expected + second * (a + b * student.margins(table[0], 1) * student.slopes)
    np.testing.assert_allclose(joined.model.margins(table[0], 1), expected, rtol=1e-6, atol=1e-8)
    assert joined.model.blends[0].weights["machine"] == pytest.approx(second)
    np.testing.assert_allclose(joined.unseen[:, 0], unseen @ [first, second], rtol=1e-6)
    final = blending.slope(joined.unseen[judged, 0], psi[judged], pull[judged])
    assert joined.model.slopes[0] == pytest.approx(final, rel=1e-4)


def test_what_is_compared_has_not_seen_the_row(parts, columns):
    joined, (_, unseen, psi, pull, fold) = parts[0], columns
    np.testing.assert_allclose(joined.together[:, 0], unseen_sums(unseen, psi, pull, fold), rtol=1e-5)
    np.testing.assert_allclose(joined.gold_only[:, 0], unseen_sums(unseen[:, :1], psi, pull, fold), rtol=1e-5)


def test_shares_are_those_of_moves_and_not_of_levels(parts, columns):
    joined, (_, unseen, psi, pull, _) = parts[0], columns
    judged = ~np.isnan(unseen).any(axis=1)
    weights = _weights(unseen[judged], psi[judged], pull[judged], 1.0)
    mean = np.average(unseen[judged], axis=0, weights=psi[judged])
    moves = weights * np.sqrt(np.average((unseen[judged] - mean) ** 2, axis=0, weights=psi[judged]))
    assert joined.shares["machine"] == pytest.approx(moves[1] / moves.sum(), rel=1e-6)


def test_machines_are_expected_to_weigh_so_much_together(rng):
    """Whatever their number: rows that hardly count leave what is expected."""
    table, nothing = rng.normal(size=(30, 4)), np.full(30, 1e-9)
    np.testing.assert_allclose(_weights(table, nothing, 0 * nothing, 1.0), [0.25, 0.25, 0.25, 0.25], atol=1e-4)


def test_stand_ins_that_agree_too_well_do_not_make_weights_large(rng):
    table = rng.normal(size=(40, 2))
    pull = 5.0 * np.sign(table.sum(axis=1))
    assert _weights(table, np.ones(40), pull, 25.0).sum() < 8.0 < _weights(table, np.ones(40), pull, 1.0).sum()


def test_lessons_have_the_weights_of_their_rows(table, parts):
    X, y, said, weight = table
    lesson = lessons(parts[1].data, read_machines(said, ROWS, np.array([0.0, 1.0]))[0])
    taught = np.isnan(y)
    np.testing.assert_array_equal(lesson.X, X[taught])
    np.testing.assert_array_equal(lesson.codes, said[taught])
    np.testing.assert_allclose(lesson.weight / lesson.weight.sum(), weight[taught] / weight[taught].sum())


def test_machines_are_compared_on_the_rows_that_have_both_labels(table):
    X, y, said, _ = table
    found = ab.TableClassifier("fast", members=list(NAMES), random_state=0).fit(X, y, machine_labels=said)
    record, both = found.machines_.machines[0], ~np.isnan(y) & ~np.isnan(said)
    counts = [[int(np.sum(both & (y == true) & (said == named))) for named in (0, 1)] for true in (0, 1)]
    assert record.confusion == counts
    region = record.regions[0]
    assert "3 is above" in region.condition
    assert region.wrong + region.wrong_elsewhere == np.sum(both & (y != said))
    assert region.share > 0.5 > region.share_elsewhere
