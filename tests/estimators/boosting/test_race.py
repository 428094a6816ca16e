"""The race of unlabeled weights: what is run, what is given up, and that the winner is the one by all folds."""

import numpy as np
import pytest

from agnoboost.core.sources import Pool
from agnoboost.estimators.data import Data
from agnoboost.estimators.race import FEWEST_TO_COMPARE, JUDGES, choose_on, cross_choose

SHARES = (0.0, 0.5, 1.0)


class Margins:
    """A run whose margins are the labels of its judges, times what its share is worth, and noise."""

    def __init__(self, worth, y, noise):
        self._margins = (worth * y + noise)[:, None]

    def margins(self, rounds, X):
        return self._margins


class FakeTrainer:
    """Shares have the worth that is given to them; every task is noted."""

    usual_rounds, seed, classes = 10, 0, 2

    def __init__(self, worth, luck=0):
        self.worth, self.luck, self.tasks = worth, luck, []

    def all_watched(self, tasks, n_jobs):
        self.tasks += [task.share for task in tasks]
        found = []
        for task in tasks:
            noise = np.random.default_rng([self.luck, len(self.tasks), len(found)]).normal(
                scale=0.3, size=len(task.held_out.codes)
            )
            curve = -self.worth[task.share] * np.minimum(np.arange(21) / 10, 1.0)
            found.append((Margins(self.worth[task.share], task.held_out.targets[:, 0], noise), curve))
        return found


def data(rows):
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=rows)
    X = rng.normal(size=(rows, 2))
    return Data.of_classes(X, codes, 2, np.ones(rows), Pool(rng.normal(size=(50, 2))))


def test_a_weight_that_cannot_win_is_given_up_after_two_folds_and_those_beyond_with_it():
    trainer = FakeTrainer({0.0: 0.5, 0.5: 0.2, 1.0: 0.5})
    choice = cross_choose(trainer, data(1000), 5, SHARES)
    assert trainer.tasks == [0.0] * 5 + [0.5] * 2
    assert choice.unlabeled_weight == 0.0
    assert "unlabeled weight 0.5 and beyond could not win after 2 folds" in choice.reason
    assert set(choice.losses) == {0.0, 0.5}


def test_a_weight_that_may_win_is_run_on_all_folds_and_wins_if_it_is_clearly_better():
    trainer = FakeTrainer({0.0: 0.3, 0.5: 0.6, 1.0: 0.7})
    choice = cross_choose(trainer, data(1000), 5, SHARES)
    assert trainer.tasks == [0.0] * 5 + [0.5] * 5 + [1.0] * 5
    assert choice.unlabeled_weight == 1.0
    assert choice.held_out.margins.shape == (1000, 1)


def test_a_weight_that_is_as_good_is_not_enough_but_mostly_stays_in_the_race():
    """It is given up where two folds put it behind by 0.7 standard errors: in about a quarter of all cases."""
    left, won = 0, 0
    for luck in range(60):
        trainer = FakeTrainer({0.0: 0.5, 0.5: 0.5}, luck)
        won += cross_choose(trainer, data(500), 5, (0.0, 0.5)).unlabeled_weight > 0.0
        left += len(trainer.tasks) < 10
    assert 4 <= left <= 22
    assert won <= 5


@pytest.mark.parametrize("labels", [FEWEST_TO_COMPARE - 1, FEWEST_TO_COMPARE])
def test_weights_are_compared_only_where_judges_are_numerous(labels):
    trainer = FakeTrainer({0.0: 0.1, 0.5: 0.9, 1.0: 0.9})
    choice = cross_choose(trainer, data(labels), 5, SHARES)
    compared = labels == FEWEST_TO_COMPARE
    assert (0.5 in trainer.tasks) == compared
    assert (choice.unlabeled_weight > 0.0) == compared
    assert (f"{labels} labels cannot tell weights apart" in choice.reason) != compared
    trainer = FakeTrainer({0.0: 0.1, 0.5: 0.9, 1.0: 0.9})
    choose_on(trainer, data(50), data(labels), SHARES)
    assert (0.5 in trainer.tasks) == compared


def test_weights_are_compared_where_labels_alone_have_taught_nothing():
    trainer = FakeTrainer({0.0: 0.0, 0.5: 0.9, 1.0: 0.5})
    assert cross_choose(trainer, data(120), 5, SHARES).unlabeled_weight == 0.5
    trainer = FakeTrainer({0.0: 0.0})
    assert "unlabeled" not in cross_choose(trainer, data(120), 5, (0.0,)).reason


def test_as_many_folds_as_give_enough_judges():
    for labels, folds in ((JUDGES, 5), (JUDGES + 5, 5), (2 * JUDGES, 3), (10 * JUDGES, 1)):
        trainer = FakeTrainer({0.0: 0.5})
        choice = cross_choose(trainer, data(labels), 5, (0.0,))
        assert len(trainer.tasks) == folds
        assert ("enough" in choice.reason) == (folds < 5)
        assert len(choice.held_out.codes) == pytest.approx(folds * labels / 5, abs=5)


def test_judges_are_never_among_the_rows_of_their_run():
    seen = []

    class Spy(FakeTrainer):
        def all_watched(self, tasks, n_jobs):
            seen.extend((set(map(tuple, task.data.X)), set(map(tuple, task.held_out.X))) for task in tasks)
            return super().all_watched(tasks, n_jobs)

    cross_choose(Spy({0.0: 0.3, 0.5: 0.6, 1.0: 0.2}), data(500), 5, SHARES)
    assert len(seen) >= 12
    assert all(not train & judges for train, judges in seen)
