"""Whether a student has learned anything but noise, seen without a gold label."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

import agnoboost as ab
from agnoboost.estimators.table.machines import FORESEEN, TELLING, TOLD, Student, foresees, foresight, goes_with_gold
from agnoboost.estimators.table.terms import Terms
from agnoboost.labels.machine import MachineLeftOutWarning

EVEN = np.ones(200)


def terms_of(pull):
    """Units of which only the labels matter."""
    none = np.zeros(len(pull), dtype=np.int64)
    return Terms(np.zeros((len(pull), 1)), np.ones(len(pull)), pull, none.astype(np.uint64), none, none)


def test_foresight_is_mann_and_whitneys_test_of_hard_labels():
    rng = np.random.default_rng(0)
    y = rng.choice([-1.0, 1.0], p=[0.7, 0.3], size=200)
    margins = rng.normal(size=200) + 0.3 * y
    found = mannwhitneyu(margins[y > 0], margins[y < 0], alternative="greater", use_continuity=False)
    ones = np.sum(y > 0)
    mean, error = ones * (200 - ones) / 2, np.sqrt(ones * (200 - ones) * 201 / 12)
    assert foresight(margins, y, EVEN) == pytest.approx((found.statistic - mean) / error, rel=0.01)


def test_rows_that_were_seen_do_not_count_nor_does_the_unit_of_weights():
    rng = np.random.default_rng(0)
    y, margins = rng.choice([-1.0, 1.0], size=200), rng.normal(size=200)
    seen = np.where(np.arange(200) < 50, np.nan, margins)
    assert foresight(seen, y, EVEN) == pytest.approx(foresight(margins[50:], y[50:], EVEN[50:]))
    assert foresight(margins, 3 * y, 3 * EVEN) == pytest.approx(foresight(margins, y, EVEN))


@pytest.mark.parametrize("share", [0.5, 0.1, 0.03])
def test_foresight_of_chance_is_about_normal(share):
    rng = np.random.default_rng(0)
    found = []
    for _ in range(2000):
        margins = np.exp(2.0 * rng.normal(size=300))  # some are far from all others
        found.append(foresight(margins, np.where(rng.random(300) < share, 1.0, -1.0), np.ones(300)))
    assert np.mean(found) == pytest.approx(0.0, abs=0.07)
    assert np.std(found) == pytest.approx(1.0, abs=0.07)
    assert np.mean(np.array(found) > 3.0) < 0.006


def test_margins_that_say_the_same_of_all_foresee_nothing():
    y = np.tile([1.0, -1.0, 1.0], 3)
    assert foresight(np.ones(9), y, np.ones(9)) == 0.0
    assert foresight(np.full(9, np.nan), y, np.ones(9)) == 0.0
    assert foresight(np.arange(9.0), np.ones(9), np.ones(9)) == 0.0


def test_the_best_problem_decides_and_must_do_better_the_more_there_are():
    rng = np.random.default_rng(0)
    y, noise = rng.choice([-1.0, 1.0], size=200), rng.normal(size=(200, 3))
    margins = noise[:, 0].copy()
    while foresight(margins, y, EVEN) < FORESEEN + 0.1:
        margins += 0.01 * y
    assert foresees(margins[:, None], terms_of(y[:, None]))
    four = np.column_stack([noise, margins])
    assert not foresees(four, terms_of(np.tile(y[:, None], 4)))
    assert foresees(four + 3 * y[:, None], terms_of(np.tile(y[:, None], 4)))


def surely(errors, y):
    """Log-odds that go with labels by a hair more than so many standard errors."""
    log_odds = np.random.default_rng(0).normal(size=len(y))
    while foresight(log_odds, y, np.ones(len(y))) < errors:
        log_odds += 0.001 * y
    return log_odds


@pytest.mark.parametrize(("rows", "enough"), [(25, TELLING * 5), (64, TELLING * 8), (400, TOLD)])
def test_gold_labels_must_tell_by_a_correlation_or_by_two_standard_errors(rows, enough):
    y = np.tile([1.0, -1.0], rows)[:rows]

    def believed(*columns):
        student = Student("llm", None, np.column_stack(columns))
        return goes_with_gold(student, terms_of(np.tile(y[:, None], len(columns))))

    assert believed(surely(enough, y))
    assert not believed(surely(enough - 0.1, y))
    assert believed(-surely(TOLD, y))
    assert not believed(-surely(TOLD - 0.1, y))
    assert believed(surely(2.5, y), -surely(2.5, y), np.zeros(rows))
    assert not believed(surely(2.5, y), np.zeros(rows), np.zeros(rows))
    assert not believed(np.zeros(rows))


def test_noisy_and_uneven_gold_labels_are_asked_for_less():
    """As many clean ones as they are worth: 100 that tell as little as nine, or of which a quarter counts."""
    y = np.tile([1.0, -1.0], 50)
    student = Student("llm", None, surely(1.1, y)[:, None])
    assert not goes_with_gold(student, terms_of(y[:, None]))
    assert goes_with_gold(student, terms_of(y[:, None]), spread=11.0)
    uneven = replace(terms_of(y[:, None]), psi=np.where(np.arange(100) < 25, 1.0, 1e-6))
    few = surely(1.1, y[:25])
    student = Student("llm", None, np.append(few, np.zeros(75))[:, None])
    assert goes_with_gold(student, replace(uneven, pull=uneven.psi[:, None] * y[:, None]))


@pytest.mark.filterwarnings("ignore:On rows left out")
def test_a_machine_that_names_a_class_seldom_is_heard():
    """Of 1,500 rows it names some thirty, and is right."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 5))
    truth = (X[:, 0] + X[:, 1] > 2.9).astype(float)
    checked = np.concatenate([np.flatnonzero(truth)[:4], np.flatnonzero(truth == 0)[:46]])
    y = np.full(1500, np.nan)
    y[checked] = truth[checked]
    assert np.sum(truth) < 35
    model = ab.TableClassifier(members=["stumps", "linear"], random_state=0).fit(X, y, machine_labels=truth)
    assert [one.role for one in model.machines_.machines] == ["used"]


def test_coins_of_four_classes_are_left_out_as_a_rule():
    """Real students, whose members were weighed by the rows that judge them."""
    out = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, coin = rng.normal(size=(330, 4)), rng.integers(0, 4, 330)
        y = np.where(np.arange(330) < 60, np.digitize(X[:, 0], [-0.7, 0.0, 0.7]), np.nan)
        model = ab.TableClassifier("fast", members=["stumps", "linear"], random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MachineLeftOutWarning)
            model.fit(X, y, machine_labels=coin.astype(float))
        out += model.machines_.machines[0].role == "left out"
    assert out >= 6
