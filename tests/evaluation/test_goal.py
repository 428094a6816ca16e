"""What a model was asked for: figures against scikit-learn's and plain sums, intervals against draws."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score

from agnoboost import TableClassifier
from agnoboost.evaluation.goal import ACCURACY, BALANCED, COST, Goal

COSTS = {"no": 1.0, "yes": 20.0}
GOALS = [Goal(), Goal(BALANCED), Goal(COST, COSTS)]


def rare(rng, found=0.7, kept=0.8, rows=400):
    truth = np.where(rng.random(rows) < 0.1, "yes", "no").astype(object)
    right = rng.random(rows) < np.where(truth == "yes", found, kept)
    return truth, right


@pytest.mark.parametrize(
    ("settings", "goal"),
    [
        ({}, Goal()),
        ({"tune_threshold": True}, Goal(BALANCED)),
        ({"class_weight": "balanced"}, Goal(BALANCED)),
        ({"class_weight": {"yes": 3}}, Goal()),
        ({"tune_threshold": COSTS}, Goal(COST, COSTS)),
    ],
)
def test_a_model_is_asked_for_what_its_parameters_say(settings, goal):
    assert Goal.of(TableClassifier(**settings)) == goal


def test_figures_are_the_usual_ones(rng):
    truth, right = rare(rng)
    said = np.where(right, truth, np.where(truth == "yes", "no", "yes"))
    assert Goal().figure(truth, right)[0] == np.mean(right)
    assert Goal(BALANCED).figure(truth, right)[0] == pytest.approx(balanced_accuracy_score(truth, said))
    cost = np.mean([COSTS[name] * (name != other) for name, other in zip(truth, said, strict=True)])
    assert Goal(COST, COSTS).figure(truth, right)[0] == pytest.approx(cost)
    codes = (truth == "yes").astype(int)
    by_number = Goal(COST, COSTS).by_number(["no", "yes"])
    assert by_number.figure(codes, right) == Goal(COST, COSTS).figure(truth, right)


@pytest.mark.parametrize("goal", GOALS, ids=lambda goal: goal.name)
def test_intervals_cover(rng, goal):
    """Those of costs take the shares of the classes as they are, and cover a little less."""
    truth = np.where(np.arange(300) < 25, "yes", "no").astype(object)
    chance = np.where(truth == "yes", 0.7, 0.8)
    sizes = [275_000_000, 25_000_000]
    true = goal.of_counts(["no", "yes"], [220_000_000, 17_500_000], sizes)[0]
    inside, ahead = [], []
    for _ in range(400):
        right, other = rng.random((2, 300)) < chance
        _, low, high = goal.figure(truth, right)
        inside.append(low <= true <= high)
        gain, half = goal.gain(truth, right, other)
        assert gain == pytest.approx(goal.figure(truth, right)[0] - goal.figure(truth, other)[0])
        ahead.append(abs(gain) > half)
    assert np.mean(inside) > 0.92
    assert np.mean(ahead) < 0.08


def test_few_rows_of_a_class_on_which_both_agree_are_not_certain():
    truth = np.array(["yes"] * 2 + ["no"] * 98, dtype=object)
    right, other = np.ones(100, dtype=bool), np.arange(100) >= 2
    gain, half = Goal(BALANCED).gain(truth, right, other)
    assert gain == 0.5
    assert half > 0.3
    assert not Goal().is_better(-0.1)
    assert Goal(COST).is_better(-0.1)
    assert Goal.of(None).name == ACCURACY
