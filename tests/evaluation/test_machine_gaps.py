"""Gaps of machine labels that go along with gold labels: found, said, and no longer filled in row by row."""

import warnings

import numpy as np
import pytest

import agnoboost as ab
from agnoboost.basics.spread_sampling import inclusion_probabilities, pivotal_sample
from agnoboost.evaluation.certificate import certify
from agnoboost.evaluation.machine_gaps import LEVEL, MachineGapsWarning, chance_of_gaps

ROWS, GOLD, ATOMS = 600, 40, 5000


@pytest.fixture(scope="module")
def world():
    """True labels, probabilities of a model that is too sure of itself, and a machine that is right in 94 of 100."""
    rng = np.random.default_rng(1)
    signal = 1.5 * rng.normal(size=ATOMS)
    y = (rng.random(ATOMS) < 1 / (1 + np.exp(-1.2 * signal))).astype(int)
    p = 1 / (1 + np.exp(1.0 - 2.5 * signal))
    return y, p, np.where(rng.random(ATOMS) < 0.06, 1 - y, y)


def one_audit(world, rng, spoken, planned=False):
    """Of rows by chance; ``spoken`` says where there are machine labels, given which rows are gold, and unclear."""
    y, p, machine = (column[rows] for rows in [rng.integers(ATOMS, size=ROWS)] for column in world)
    unclear = np.abs(p - 0.5) < 0.2
    chance = inclusion_probabilities(np.where(unclear & planned, 3.0, 1.0), GOLD)
    known = np.isin(np.arange(ROWS), pivotal_sample(chance, rng.permutation(ROWS), rng))
    given = {"machine_labels": np.where(spoken(known, unclear), machine, np.nan), "classes": [0, 1]}
    given |= {"sampling_probability": chance} if planned else {}
    return (p >= 0.5).astype(int), np.where(known, y, np.nan), given | {"probabilities": p}


def mostly_gold(rng):
    return lambda known, unclear: known | (rng.random(ROWS) < 0.1)


def test_intervals_hold_where_the_machine_speaks_mainly_of_gold_rows(world):
    """Filled in row by row they held two times of three."""
    rng, held, repeats = np.random.default_rng(2), 0, 150
    y, p, _ = world
    for _ in range(repeats):
        said, gold, given = one_audit(world, rng, mostly_gold(rng))
        with pytest.warns(MachineGapsWarning, match=r"100% of 40 gold rows, and for \d+% of the 560 others"):
            found = ab.evaluate_predictions(said, gold, **given)
        assert found.machine_unused
        held += found["accuracy"].low <= np.mean((p >= 0.5) == y) <= found["accuracy"].high
    assert held > 0.92 * repeats


def test_the_probabilities_of_the_model_take_the_place_of_the_machine(world):
    rng = np.random.default_rng(3)
    said, gold, given = one_audit(world, rng, mostly_gold(rng))
    with pytest.warns(MachineGapsWarning, match="the model's own probabilities take their place on all rows"):
        found = ab.evaluate_predictions(said, gold, **given)
    own = ab.evaluate_predictions(said, gold, **given | {"machine_labels": None})
    assert found.figures == own.figures
    assert not own.machine_unused
    with pytest.raises(ValueError, match="no probabilities of the model to take their place"):
        ab.evaluate_predictions(said, gold, **given | {"probabilities": None})


@pytest.mark.parametrize("planned", [False, True])
def test_gaps_that_go_by_rows_are_fine(world, planned):
    """Also where a plan draws rather the rows that have gaps: gold rows count by their weights."""
    rng = np.random.default_rng(4)
    for _ in range(50):
        said, gold, given = one_audit(world, rng, lambda known, unclear: ~unclear, planned)
        assert not ab.evaluate_predictions(said, gold, **given).machine_unused  # a warning would be an error


def test_a_plan_does_not_hide_gaps_that_go_along_with_gold_labels(world):
    rng = np.random.default_rng(5)
    said, gold, given = one_audit(world, rng, mostly_gold(rng), planned=True)
    with pytest.warns(MachineGapsWarning):
        ab.evaluate_predictions(said, gold, **given)


def test_a_machine_that_speaks_of_no_gold_row_is_not_used(world):
    said, gold, given = one_audit(world, np.random.default_rng(6), lambda known, unclear: ~known)
    with pytest.warns(MachineGapsWarning, match="0% of 40 gold rows, and for 100% of the 560 others"):
        ab.evaluate_predictions(said, gold, **given)


def test_labels_of_gold_rows_only_are_refused(world):
    said, gold, given = one_audit(world, np.random.default_rng(7), lambda known, unclear: known)
    message = "Got some for 40 of 40 gold rows, and for none of the 560 others. Are they gold labels themselves?"
    for machine in (given["machine_labels"], gold, np.where(np.arange(ROWS) < np.flatnonzero(gold >= 0)[9], gold, -1)):
        with pytest.raises(ValueError, match=message.replace("40 of", r"\d+ of")):
            ab.evaluate_predictions(said, gold, **given | {"machine_labels": machine})


def test_where_all_rows_are_gold_nothing_is_filled_in(world):
    y, p, machine = (column[:ROWS] for column in world)
    found = ab.evaluate_predictions(p >= 0.5, y == 1, machine_labels=np.where(np.arange(ROWS) < 9, machine == 1, None))
    assert (found.gold, found.machine_unused) == (ROWS, False)


def test_certificates_refuse_them_too(world):
    y, _, machine = world

    class Mostly:
        classes_ = np.array([0, 1])

        def predict(self, X):
            return X[:, 1].astype(int)

    X = np.column_stack([y, machine])[:ROWS]
    silent = np.where(np.arange(ROWS) < GOLD, machine[:ROWS], np.nan)
    given = {"X_unlabeled": X[GOLD:], "sign_draws": 1}
    with pytest.raises(ValueError, match="Got some for 40 of 40 gold rows, and for none of the 560 others"):
        certify(Mostly(), X[:GOLD], y[:GOLD], machine_labels=silent, **given)
    few = np.where(np.arange(ROWS) < GOLD + 60, machine[:ROWS], np.nan)
    with pytest.raises(ValueError, match="100% of 40 gold rows, and for 11% of the 560 others"):
        certify(Mostly(), X[:GOLD], y[:GOLD], machine_labels=few, **given)


@pytest.mark.parametrize("equal", [True, False])
def test_gaps_by_chance_are_seldom_taken_for_others(equal):
    rng, found = np.random.default_rng(8), []
    for _ in range(2000):
        chance = np.full(300, 0.1) if equal else np.where(np.arange(300) % 3, 0.05, 0.2)
        weight = (rng.random(300) < chance) / chance
        spoken = rng.random(300) < np.where(np.arange(300) % 3, 0.3, 0.7)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found.append(chance_of_gaps(spoken, weight * 300 / weight.sum(), equal))
    assert np.mean(np.array(found) < LEVEL) < 0.005
    assert np.mean(np.array(found) < 0.2) == pytest.approx(0.15 if equal else 0.2, abs=0.06)
