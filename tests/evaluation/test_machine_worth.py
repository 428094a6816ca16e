"""What machines were worth: figures, words, and the way through files."""

import json

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, balanced_accuracy_score, brier_score_loss, roc_auc_score

from agnoboost import TableClassifier
from agnoboost.basics.fact_schema import SchemaError
from agnoboost.estimators.table.machine_schema import MACHINES
from agnoboost.evaluation.error_regions import ErrorRegion
from agnoboost.evaluation.goal import BALANCED, COST, Goal
from agnoboost.evaluation.held_out import cross_evaluate
from agnoboost.evaluation.machine_worth import (
    INVERTED,
    LEFT_OUT,
    NO_USE,
    USED,
    Answers,
    MachineGain,
    MachineRecord,
    MachineWorth,
    counted_pairs,
    machine_gains,
)
from agnoboost.evaluation.ranking import roc_area, roc_area_gain

REGION = ErrorRegion("kind is z", 20, 12, 80, 8, 0.001)


def record(role=USED, confusion=((30, 10), (5, 55)), regions=(REGION,)):
    counts = [list(row) for row in confusion]
    return MachineRecord("llm", 1100, counts, 0.4, role, [600, 400], [60, 100], list(regions))


def told(**settings):
    return " ".join(record(**settings).sentences(["ham", "spam"]))


def test_figures_are_those_of_scikit_learn(rng):
    codes = rng.integers(0, 2, 80)
    alone, together = (np.clip(codes * size + rng.random(80) * 0.6, 0.01, 0.99) for size in (0.2, 0.4))
    pair = [np.column_stack([1 - p, p]) for p in (alone, together)]
    found = {one.measure: one for one in machine_gains(codes, *map(Answers.likeliest, pair))}
    for name, score in (
        ("accuracy", lambda p: accuracy_score(codes, p > 0.5)),
        ("Brier score", lambda p: brier_score_loss(codes, p)),
        ("ROC area", lambda p: roc_auc_score(codes, p)),
    ):
        one = found[name]
        assert (one.alone, one.together) == (pytest.approx(score(alone)), pytest.approx(score(together)))
        assert one.gain == pytest.approx(one.together - one.alone)
        assert one.half > 0


def test_equal_answers_do_not_make_an_interval_of_no_width(rng):
    """The models that rows tell of are not quite the one that is kept."""
    codes, p = rng.integers(0, 2, 100), rng.random(100)
    pair = np.column_stack([1 - p, p])
    for one in machine_gains(codes, *2 * [Answers.likeliest(pair)]):
        assert (one.gain, one.verdict) == (0.0, "no clear difference")
        assert one.half == pytest.approx(1.96 * 0.005)


def test_several_classes_have_no_roc_area_and_a_sum_of_squares(rng):
    codes, p = rng.integers(0, 3, 50), rng.dirichlet(np.ones(3), 50)
    found = machine_gains(codes, *map(Answers.likeliest, (p, np.eye(3)[codes])))
    assert [one.measure for one in found] == ["accuracy", "Brier score"]
    assert found[1].alone == pytest.approx(np.mean(((p - np.eye(3)[codes]) ** 2).sum(axis=1)))
    assert (found[0].together, found[1].together) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("rows", "positive", "measures"),
    [
        (0, 0, []),
        (19, 9, []),
        (20, 10, ["accuracy", "Brier score"]),
        (60, 24, ["accuracy", "Brier score"]),
        (60, 25, ["accuracy", "Brier score", "ROC area"]),
    ],
)
def test_few_rows_are_no_ground_for_verdicts(rng, rows, positive, measures):
    """With 8 rows an area that went from .2 to .9 was called clearly better."""
    codes, p = (np.arange(rows) < positive).astype(int), rng.random((2, rows))
    both = map(Answers.likeliest, np.stack([1 - p, p], axis=2))
    assert [one.measure for one in machine_gains(codes, *both)] == measures


def test_models_that_were_tuned_are_compared_in_what_they_were_tuned_for(rng):
    """By accuracy, whoever finds a rare class loses against whoever never says it."""
    truth = (np.arange(200) < 20).astype(int)
    p = np.clip(0.3 * truth + 0.3 * rng.random(200), 0.0, 0.49)
    alone = Answers.likeliest(np.column_stack([1 - p, p]))
    together = Answers(alone.probabilities, (p > 0.25).astype(int))
    said = machine_gains(truth, alone, together)[0]
    assert (said.measure, said.alone) == ("accuracy", 0.9)
    balanced = machine_gains(truth, alone, together, Goal(BALANCED))[0]
    assert (balanced.measure, balanced.alone, balanced.verdict) == ("balanced accuracy", 0.5, "clearly better")
    assert balanced.together == pytest.approx(balanced_accuracy_score(truth, together.said))
    cost = machine_gains(truth, alone, together, Goal(COST, {0: 1.0, 1: 20.0}))[0]
    assert (cost.measure, cost.alone, cost.verdict) == ("mean cost", pytest.approx(2.0), "clearly better")
    assert cost.gain == pytest.approx(cost.together - cost.alone)


def test_too_few_rows_are_told():
    assert "fewer than 20 such rows nobody can say" in str(MachineWorth(["ham", "spam"], [record()], 9, []))


def test_the_interval_of_the_roc_gain_covers(rng):
    """Paired: narrower than that of either area, and it holds the true gain in about 95 of 100 tables."""
    inside, narrower = [], []
    for _ in range(300):
        own = rng.random(120) < 0.4
        score = rng.normal(size=120)
        before, after = score + 0.8 * own, score + 1.2 * own + 0.3 * rng.normal(size=120)
        gain, half = roc_area_gain(own, before, after)
        inside.append(abs(gain - TRUE_GAIN) <= half)
        narrower.append(half < roc_area(own, before)[1])
    assert 0.91 <= np.mean(inside) <= 0.99
    assert np.mean(narrower) > 0.95


def normal_area(shift, spread):
    from scipy.stats import norm

    return norm.cdf(shift / (spread * np.sqrt(2)))


TRUE_GAIN = normal_area(1.2, np.sqrt(1.09)) - normal_area(0.8, 1.0)


def test_pairs_are_counted_by_checked_label_first():
    assert counted_pairs(np.array([0, 0, 2]), np.array([1, 1, 0]), 3) == [[0, 2, 0], [0, 0, 0], [1, 0, 0]]


def test_what_is_said_of_a_machine():
    words = told()
    assert "llm has labeled 1,100 rows, of which 100 have a checked label as well." in words
    assert "right in 85.0% of these (95% interval 76.5% to 91.4%)" in words
    assert "Its most frequent mistake: spam instead of ham (10 of 40)." in words
    assert "40% of the differences between the model's answers come from it." in words
    assert "It errs more often where kind is z: wrong in 12 of 20 rows (60%), elsewhere in 8 of 80 (10%)." in words
    assert "in 16.0% of 1,000 rows without a checked label (where it says ham: 10.0%, spam: 25.0%)" in words


def test_whole_numbers_are_whole():
    assert "0 instead of -1 (10 of 40)" in " ".join(record().sentences([-1.0, 0.0]))


def test_what_is_said_of_bad_ones():
    assert "mistaken as a rule" in told(role=INVERTED)
    assert "adds nothing of use" in told(role=NO_USE)
    left_out = told(role=LEFT_OUT)
    assert "It is left out" in left_out
    assert "kind is z" in left_out  # a machine may know what the columns do not say: where it errs is news all the same
    assert "The model disagrees" not in left_out
    assert "not clearly right more often than by chance (50.0%)" in told(confusion=((25, 25), (25, 25)))
    assert "No column shows where it errs. With 100 rows to compare, only gross errors would show." in told(regions=())
    assert "only gross" not in told(regions=(), confusion=((300, 10), (5, 55)))


def test_a_machine_without_checked_rows_and_one_without_mistakes():
    words = told(confusion=((0, 0), (0, 0)), regions=())
    assert "of which 0 have a checked label" in words
    assert "right in" not in words
    assert record(confusion=((0, 0), (0, 0))).accuracy is None
    assert record(confusion=((9, 0), (0, 9))).worst_mistake() is None


@pytest.mark.parametrize(
    ("confusion", "sign"), [(((40, 10), (10, 40)), 1), (((10, 40), (40, 10)), -1), (((25, 25), (25, 25)), 0),
                            (((0, 90), (0, 10)), 0), (((0, 0), (0, 0)), 0)],
)  # fmt: skip
def test_chance_is_what_the_shares_of_classes_give(confusion, sign):
    """A machine that says the frequent class of everything is right often, and knows nothing."""
    assert record(confusion=confusion).against_chance == sign


@pytest.mark.parametrize(
    ("measure", "gain", "half", "verdict"),
    [
        ("accuracy", 0.05, 0.02, "clearly better"),
        ("accuracy", -0.05, 0.02, "clearly worse"),
        ("Brier score", -0.05, 0.02, "clearly better"),
        ("accuracy", 0.05, 0.06, "no clear difference"),
        ("Brier score", 0.01, 0.02, "no clear difference"),
    ],
)
def test_verdicts(measure, gain, half, verdict):
    assert MachineGain(measure, 0.5, 0.5 + gain, gain, half).verdict == verdict


def worth():
    return MachineWorth(["ham", "spam"], [record()], 100, [MachineGain("accuracy", 0.8, 0.9, 0.1, 0.05)])


def test_facts_go_through_json_and_come_back():
    assert MachineWorth.of_facts(json.loads(json.dumps(worth().facts()))) == worth()
    assert "accuracy 0.800 by checked labels alone, 0.900 with machine labels" in str(worth())
    assert "On 100 rows with checked labels" in str(worth())


@pytest.mark.parametrize("change", [{"confusion": [[1]]}, {"said": [1]}, {"changed": [1, 2, 3]}, {"confusion": 3}])
def test_facts_that_do_not_fit_are_refused(change):
    facts = worth().facts()
    facts["machines"][0] |= change
    with pytest.raises(SchemaError, match=r"machines\[0\]"):
        MACHINES.check(facts, "machines", {"classes": 2})


def test_facts_that_fit_are_taken():
    MACHINES.check(json.loads(json.dumps(worth().facts())), "machines", {"classes": 2})


def test_without_unlabeled_rows_there_are_no_machine_labels_either(rng):
    """Machines speak of these: the comparison once asked students to learn from nothing."""
    X = rng.normal(size=(80, 2))
    truth = (X[:, 0] > 0).astype(object)
    y = np.where(np.arange(80) < 40, truth, None)
    model = TableClassifier("fast", members=["linear"], random_state=0, missing_label=None)
    found = cross_evaluate(model, X, y, None, 2, machine_labels=truth)
    assert found.without_unlabeled is not None
    assert found.accuracy[0] > 0.7


def test_a_machine_that_names_one_class_only_is_told_what_to_do():
    silent = MachineRecord("rule", 40, [[0, 0], [0, 8]], 0.0, LEFT_OUT, [0, 32], [0, 0], [])
    assert silent.named == [0, 40]
    text = " ".join(silent.sentences(["ham", "spam"]))
    assert "It names spam only: where it is silent and means another class, write that." in text
    assert "disagrees" not in text
    assert "names spam only" not in told(role=LEFT_OUT)


@pytest.mark.parametrize(
    ("weight", "gains", "words"),
    [
        (
            0.0,
            [MachineGain("accuracy", 0.8, 0.8, 0.0, 0.05)],
            "No machine takes part: the model is that of the checked",
        ),
        (0.4, [], "nobody can say what the model gained: check more rows"),
    ],
)
def test_why_nobody_can_say_what_was_gained(weight, gains, words):
    one = MachineRecord("llm", 1100, [[30, 10], [5, 55]], weight, USED, [600, 400], [60, 100], [])
    worth = MachineWorth(["ham", "spam"], [one], 100, gains)
    assert words in worth.no_gains
    assert worth.no_gains in str(worth)
    assert "accuracy" not in str(worth)
