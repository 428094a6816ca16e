"""Machine labels beside gold ones: what is joined, how it is weighed, and what may have no influence."""

import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

import agnoboost as ab
from agnoboost.estimators.table.machines import (
    Joined,
    calibration,
)
from agnoboost.estimators.table.model import summed
from agnoboost.estimators.table.terms import Terms
from agnoboost.estimators.table.worth import Fitted, role_of
from agnoboost.evaluation.suspicious import unweighted
from agnoboost.labels import ComplementaryLabels, FlipRates, SoftLabels
from agnoboost.labels.machine import MachineLeftOutWarning

GOLD, ROWS = 60, 700
FAST = {"effort": "fast", "members": ["stumps", "linear"], "random_state": 0}


def problem(classes=2, seed=0, rows=ROWS):
    """Rows, the truth, and a machine that is wrong in a tenth of the rows."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 5))
    score = X[:, 0] + X[:, 1] * (X[:, 2] > 0) + 0.3 * rng.normal(size=rows)
    truth = np.digitize(score, [0.0] if classes == 2 else [-0.6, 0.6])
    machine = np.where(rng.random(rows) < 0.1, (truth + 1) % classes, truth).astype(float)
    return X, truth, machine


def gold(truth, count=GOLD):
    y = truth.astype(float)
    y[count:] = np.nan
    return y


def fitted(X, y, machine, **settings):
    return ab.TableClassifier(**FAST, **settings).fit(X, y, machine_labels=machine)


@pytest.fixture(scope="module")
def data():
    return problem()


@pytest.fixture(scope="module")
def model(data):
    X, truth, machine = data
    return fitted(X, gold(truth), machine)


# ------------------------------------------------------------------ the parts


def test_a_sum_of_blends_is_the_weighted_sum_of_their_margins(rng):
    X, truth, _ = problem()
    one, other = (
        ab.TableClassifier(**(FAST | {"members": members})).fit(X[:300], y)
        for members, y in (
            (["stumps", "small trees", "linear"], truth[:300]),
            (["forest", "gaussian"], 1 - truth[:300]),
        )
    )
    coder, scores = one._model.coder, one._model.scores
    codes, z = coder.encode(X, 1), scores.transform(X)
    blends, factors = [one._model.blends[0], other._model.blends[0]], [0.7, -1.3]
    parts = [factor * blend.margin(codes, z, 1, False) for blend, factor in zip(blends, factors, strict=True)]
    found = summed(blends, factors, 0.25).margin(codes, z, 1, False)
    np.testing.assert_allclose(found, sum(parts) + 0.25, rtol=1e-9, atol=1e-9)


# ------------------------------------------------------------------ the model


def test_a_good_machine_helps(data, model):
    X, truth, _ = data
    alone = ab.TableClassifier(**FAST).fit(X, gold(truth))
    fresh, labels, _ = problem(seed=1)
    gain = [roc_auc_score(labels, one.predict_proba(fresh)[:, 1]) for one in (alone, model)]
    assert gain[1] > gain[0] + 0.005
    assert model.machines_.machines[0].role == "used"
    assert model.weights_[0]["machine"] > 0.2
    assert model.machines_.gains[2].gain > 0


def test_a_machine_that_is_mistaken_as_a_rule_helps_as_much(data, model):
    X, truth, machine = data
    found = fitted(X, gold(truth), 1 - machine)
    assert found.machines_.machines[0].role == "inverted"
    fresh, labels, _ = problem(seed=1)
    areas = [roc_auc_score(labels, one.predict_proba(fresh)[:, 1]) for one in (found, model)]
    assert areas[0] == pytest.approx(areas[1], abs=0.02)


@pytest.mark.parametrize("seed", range(3))
def test_a_coin_is_left_out_without_a_trace(data, seed):
    """Its student foresees nothing of what it says: no gold label is needed to see that."""
    X, truth, _ = data
    coin = np.random.default_rng(seed).integers(0, 2, ROWS)
    with pytest.warns(MachineLeftOutWarning, match="machine says of a row can be foreseen from its columns") as told:
        found = fitted(X, gold(truth), coin)
    assert {one.filename for one in told} <= {__file__}
    assert [one.role for one in found.machines_.machines] == ["left out"]
    alone = ab.TableClassifier(**FAST).fit(X, gold(truth))
    np.testing.assert_array_equal(found.predict_proba(X), alone.predict_proba(X))


def test_what_goes_by_the_columns_and_knows_nothing_leaves_the_gold_model(data):
    """Only gold labels can tell: what it says can be foreseen."""
    X, truth, machine = data
    nonsense = (X[:, 3] + X[:, 4] > 0).astype(float)
    found, alone = fitted(X, gold(truth), nonsense), ab.TableClassifier(**FAST).fit(X, gold(truth))
    assert [one.role for one in found.machines_.machines] == ["no use"]
    np.testing.assert_array_equal(found.predict_proba(X), alone.predict_proba(X))
    both = fitted(X, gold(truth), {"nonsense": nonsense, "machine": machine})
    assert [one.role for one in both.machines_.machines] == ["no use", "used"]
    assert "nonsense" not in both.weights_[0]


def test_what_it_says_of_gold_rows_changes_no_prediction(data, model):
    """Otherwise the student would know gold rows, and could not be judged by them."""
    X, truth, machine = data
    other = machine.copy()
    other[:GOLD] = np.where(np.arange(GOLD) % 3 == 0, np.nan, 1 - other[:GOLD])
    found = fitted(X, gold(truth), other)
    np.testing.assert_array_equal(found.predict_proba(X), model.predict_proba(X))
    assert found.machines_.machines[0].checked < model.machines_.machines[0].checked


def test_threads_and_names_of_columns_change_nothing(data, model):
    X, truth, machine = data
    one = fitted(X, gold(truth), {"llm": machine}, n_jobs=1)
    np.testing.assert_array_equal(one.predict_proba(X), model.predict_proba(X))
    assert one.machines_.machines[0].name == "llm"
    assert one.machines_.gains == model.machines_.gains


def test_more_rows_without_machine_labels_are_no_lesson(data):
    """Rows of X_unlabeled follow on those of the table, of which alone machines speak."""
    X, truth, machine = data
    found = ab.TableClassifier(**FAST).fit(
        X[:400], gold(truth)[:400], X_unlabeled=X[400:], machine_labels=machine[:400]
    )
    assert found.machines_.machines[0].rows == 400
    assert sum(found.machines_.machines[0].said) == 400 - GOLD


def test_soft_ones_and_gaps(data):
    X, truth, machine = data
    soft = np.where(machine == 1, 0.9, 0.2)
    soft[::5] = np.nan
    found = fitted(X, gold(truth), soft)
    assert found.machines_.machines[0].rows == np.isfinite(soft).sum()
    assert found.score(X[GOLD:], truth[GOLD:]) > 0.8


@pytest.mark.parametrize("silent", [True, False])
def test_a_machine_of_one_word_is_told_what_silence_may_mean_only_if_it_is_silent(data, silent):
    X, truth, _ = data
    rule = np.where(np.arange(ROWS) % 2 == 0, 1.0, np.nan) if silent else np.ones(ROWS)
    with pytest.warns(MachineLeftOutWarning) as told:
        fitted(X, gold(truth), rule)
    assert ("if its silence means another class" in str(told[0].message)) is silent


def test_several_machines_of_which_one_is_useless_and_one_is_left_out(data):
    X, truth, machine = data
    coin = np.random.default_rng(0).integers(0, 2, ROWS)
    with (
        pytest.warns(MachineLeftOutWarning, match="coin says of a row"),
        pytest.warns(MachineLeftOutWarning, match="same says the same of all rows"),
    ):
        found = fitted(X, gold(truth), {"llm": machine, "coin": coin, "same": np.ones(ROWS)})
    roles = {one.name: one.role for one in found.machines_.machines}
    assert roles == {"llm": "used", "coin": "left out", "same": "left out"}
    assert not {"same", "coin"} & set(found.weights_[0])


def test_all_machines_left_out_leave_the_gold_model(data):
    X, truth, _ = data
    with pytest.warns(MachineLeftOutWarning):
        found = fitted(X, gold(truth), np.ones(ROWS))
    assert [one.role for one in found.machines_.machines] == ["left out"]
    assert {one.gain for one in found.machines_.gains} == {0.0}
    alone = ab.TableClassifier(**FAST).fit(X, gold(truth))
    np.testing.assert_array_equal(found.predict_proba(X), alone.predict_proba(X))
    np.testing.assert_array_equal(found.oob_decision_function_, alone.oob_decision_function_)


def test_several_classes_and_one_that_the_machine_never_names():
    X, truth, machine = problem(3)
    shy = np.where(machine == 2, 1, machine)
    found = fitted(X, gold(truth), {"llm": machine, "shy": shy})
    assert found.predict_proba(X).sum(axis=1) == pytest.approx(1.0)
    llm, poor = found.machines_.machines
    assert [row[2] for row in poor.confusion] == [0, 0, 0]
    assert poor.said[2] == 0
    assert llm.right > poor.right
    assert [one.measure for one in found.machines_.gains] == ["accuracy", "Brier score"]
    assert found.score(X[GOLD:], truth[GOLD:]) > 0.7


def test_names_of_members_are_not_taken_away(data):
    X, truth, machine = data
    found = fitted(X, gold(truth), {"linear": machine})
    assert list(found.weights_[0]) == ["stumps", "linear", "linear (machine)"]


@pytest.mark.parametrize(
    "settings",
    [
        {"class_weight": "balanced"},
        {"class_weight": {0: 1, 1: 4}},
        {"tune_threshold": True},
        {"tune_threshold": {0: 1, 1: 5}},
    ],
)
def test_weights_of_classes_and_thresholds(data, model, settings):
    X, truth, machine = data
    found = fitted(X, gold(truth), machine, **settings)
    assert found.machines_.machines[0].confusion == model.machines_.machines[0].confusion
    assert found.machines_.gains[2].together == pytest.approx(model.machines_.gains[2].together, abs=0.05)
    assert found.score(X[GOLD:], truth[GOLD:]) > 0.7


def test_weights_of_rows(data):
    X, truth, machine = data
    weight = np.ones(ROWS)
    weight[:10] = 0.0
    found = ab.TableClassifier(**FAST).fit(X, gold(truth), weight, machine_labels=machine)
    assert found.machines_.machines[0].rows == ROWS
    assert found.score(X[GOLD:], truth[GOLD:]) > 0.8


def test_soft_gold_labels(data):
    X, truth, machine = data
    soft = np.where(truth == 1, 0.9, 0.15)
    soft[GOLD:] = np.nan
    found = fitted(X, soft, machine, label_model=SoftLabels())
    assert found.machines_.machines[0].checked == GOLD
    assert found.machines_.machines[0].right > 0.75 * GOLD
    assert found.score(X[GOLD:], truth[GOLD:].astype(float)) > 0.8


@pytest.mark.parametrize("seed", range(3))
def test_flipped_gold_labels_do_not_make_it_certain(seed):
    """What stands for them is larger than a label, and agrees with a machine more than perfectly by chance."""
    X, truth, machine = problem(seed=seed)
    rng = np.random.default_rng(seed)
    flipped = np.where(rng.random(ROWS) < 0.4, 1 - truth, truth)
    found = fitted(X, gold(flipped, 40), machine, label_model=FlipRates(positive=0.4, negative=0.4))
    p = found.predict_proba(X[40:])[:, 1]
    assert 0.01 < p.min() < p.max() < 0.99
    assert np.mean((p - truth[40:]) ** 2) < 0.3
    assert np.isfinite([one.half for one in found.machines_.gains]).all()


def test_calibration_of_stand_ins_has_an_end(rng):
    """Without the doubts it runs away: here every stand-in of 5 agrees."""
    f = rng.normal(size=40)
    a, b = calibration(f, np.ones(40), 5.0 * np.sign(f), 25.0)
    assert np.abs(a + b * f).max() < 10.0


def test_models_are_judged_by_the_probabilities_that_they_would_give():
    """Of several weighted classes, too: the sharpness is that of rows as they count."""
    X, truth, machine = problem(3)
    found = fitted(X, gold(truth), machine, class_weight={0: 10, 1: 1, 2: 1})
    margins = found.oob_decision_function_
    data = found._read(X, gold(truth), None, None)
    terms = Terms.of(data)
    units = (margins * found._model.slopes)[np.argsort(terms.place)[terms.group]]
    known = ~np.isnan(margins).any(axis=1)
    expected = unweighted(found._probabilities(margins[known]), data.class_weights)
    np.testing.assert_allclose(Fitted(found, data, terms).probabilities(units)[known], expected, rtol=1e-6)


def test_probabilities_of_weighted_classes_are_judged_as_if_there_were_no_weights(data, model):
    X, truth, machine = data
    found = fitted(X, gold(truth), machine, class_weight={0: 1, 1: 20})
    assert found.machines_.gains[1].together == pytest.approx(model.machines_.gains[1].together, abs=0.03)


@pytest.mark.parametrize(
    ("confusion", "role"),
    [([[5, 45], [45, 5]], "inverted"), ([[25, 25], [25, 25]], "used"), ([[0, 0], [0, 0]], "used")],
)
def test_to_be_mistaken_as_a_rule_takes_labels_that_show_it(model, confusion, role):
    """A line that falls by chance is not enough."""
    record = replace(model.machines_.machines[0], confusion=confusion, weight=0.3)
    line = np.zeros((1, 1))
    joined = Joined(model._model, line, line, line, {"machine": 0.3}, {"machine": [-0.5]}, np.zeros(1, dtype=int))
    assert role_of(record, joined) == role
    assert role_of(replace(record, weight=0.01), joined) == "no use"
    assert role_of(replace(record, name="other"), joined) == "left out"


# ------------------------------------------------------------------ errors, copies and files


def test_what_is_refused(data):
    X, truth, machine = data
    with pytest.raises(ValueError, match=r"cover at least 20 rows without a label in y\. machine covers 0"):
        fitted(X, truth, machine)
    few = np.full(ROWS, np.nan)
    few[: GOLD + 19] = machine[: GOLD + 19]
    with pytest.raises(ValueError, match="machine covers 19"):
        fitted(X, gold(truth), few)
    with pytest.raises(ValueError, match=r"for each of the 700 rows of X\. Got 600"):
        fitted(X, gold(truth), machine[:600])
    ones = np.where(np.arange(ROWS) < GOLD, 1.0, np.nan)
    with pytest.raises(ValueError, match="machine_labels need labels of all classes in y"):
        fitted(X, ones, machine, label_model=ab.labels.PositiveUnlabeled(0.5))


def test_without_machines_there_is_nothing_to_tell(data):
    X, truth, _ = data
    assert ab.TableClassifier(**FAST).fit(X, gold(truth)).machines_ is None


def test_copies_and_files(data, model, tmp_path):
    X = data[0]
    assert not hasattr(clone(model), "machines_")
    again = pickle.loads(pickle.dumps(model))
    assert again.machines_ == model.machines_
    model.save(tmp_path / "m.agno")
    back = ab.load(tmp_path / "m.agno")
    assert back.machines_ == model.machines_
    np.testing.assert_array_equal(back.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(back.oob_decision_function_, model.oob_decision_function_)


def test_files_of_earlier_versions_tell_nothing(model, tmp_path):
    from agnoboost.files.container import read, write

    model.save(tmp_path / "m.agno")
    facts, arrays = read(tmp_path / "m.agno")
    write(tmp_path / "early.agno", {name: fact for name, fact in facts.items() if name != "machines"}, arrays)
    assert ab.load(tmp_path / "early.agno").machines_ is None


def test_the_first_name_of_the_classifier(data):
    X, truth, machine = data
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = ab.FewLabelClassifier(["trees", "linear"], effort="fast", random_state=0).fit(
            X, gold(truth), machine_labels=machine
        )
    assert found.machines_.machines[0].role == "used"
    assert {"trees", "machine"} <= set(found.weights_[0])


def test_labels_that_name_no_class_judge_no_machine(data):
    """What is seen is the class that a row is not of: to agree with it is to be wrong."""
    X, truth, machine = problem(3)
    seen = (gold(truth) + 1) % 3
    found = fitted(X, seen, machine, label_model=ComplementaryLabels())
    (record,) = found.machines_.machines
    assert (record.checked, record.accuracy, record.regions) == (0, None, [])
    assert found.machines_.gains == []
    assert "right in" not in str(found.machines_)
