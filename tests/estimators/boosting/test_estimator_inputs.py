import numpy as np
import pytest
from partly_labeled import FAST, table

from agnoboost import AgnosticBoostingClassifier
from agnoboost.core.history import Progress, Round
from agnoboost.core.learners import Constant
from agnoboost.core.tape import Add, Tape
from agnoboost.estimators.boosting.training import PATIENCE, HeldOutPotential, Trainer
from agnoboost.estimators.data import Data
from agnoboost.estimators.held_out_choice import HeldOut, candidate

pd = pytest.importorskip("pandas")


def test_masks_of_another_length_are_refused():
    X, y, _ = table()
    with pytest.raises(ValueError, match=r"mask must have one entry for each of the 6 columns. Got 2"):
        AgnosticBoostingClassifier(categorical_features=[True, False]).fit(X, y)


def test_categories_are_the_same_as_text_and_as_numbers():
    X, y, _ = table()
    words = np.where(X[:, 0] > 0, "7", "x")
    frame = pd.DataFrame({"c": words, "n": X[:, 1]})
    numbers = pd.DataFrame({"c": np.full(50, 7), "n": X[:50, 1]})  # a file in which the column happens to be numeric
    model = AgnosticBoostingClassifier(unlabeled_weight=1.0, **FAST).fit(frame[:120], y[:120], X_unlabeled=numbers)
    assert model._encoder.categories[0] == ["7", "x"]
    seven = frame[frame["c"] == "7"]
    assert np.array_equal(model.predict(seven), model.predict(seven.assign(c=7.0)))
    with pytest.warns(UserWarning, match=r"No value of column 'c' was seen in training"):
        model.predict(frame.assign(c="never"))


def test_categories_of_unlabeled_rows_are_learned():
    X, y, _ = table()
    frame = pd.DataFrame({"c": np.where(np.isnan(y), "new", "old"), "n": X[:, 0]})
    apart = AgnosticBoostingClassifier(**FAST).fit(frame[:120], y[:120], X_unlabeled=frame[120:])
    assert apart._encoder.categories[0] == ["new", "old"]


def test_a_score_compares_labels_as_they_are():
    X, y, _ = table()
    model = AgnosticBoostingClassifier(**FAST).fit(X, np.where(y == 1, "a", np.where(y == 0, "b", None)))
    assert model.score(X[:3], np.array(["apple", "bee", "ant"])) == 0.0
    half = np.where(np.arange(120) < 60, model.predict(X[:120]), "nothing")
    assert model.score(X[:120], half, sample_weight=np.where(np.arange(120) < 60, 3.0, 1.0)) == pytest.approx(0.75)


def test_labels_in_lists_masks_and_frames():
    X, y, _ = table()
    words = ["no" if v == 0 else "yes" if v == 1 else float("nan") for v in y]
    expected = AgnosticBoostingClassifier(**FAST).fit(X, np.array(words, dtype=object))
    assert expected.n_unlabeled_ == 280
    for other in (words, tuple(words), pd.Series(words), pd.DataFrame({"y": words})):
        assert AgnosticBoostingClassifier(**FAST).fit(X, other).tape_ == expected.tape_
    masked = np.ma.masked_array(np.nan_to_num(y), mask=np.isnan(y))
    assert AgnosticBoostingClassifier(**FAST).fit(X, masked).n_unlabeled_ == 280


def test_the_final_run_uses_every_unlabeled_row_with_its_weight():
    rng = np.random.default_rng(0)
    X, y, _ = table(labeled=120)
    many = rng.normal(size=(1500, 6))
    parameters = {**FAST, "unlabeled_weight": 1.0}
    model = AgnosticBoostingClassifier(**parameters).fit(X[:120], y[:120], X_unlabeled=many)
    drawn = model.history_.runs[0]["unlabeled_drawn"]
    assert drawn[0] == 1500
    both = np.concatenate([X[:120], many])
    marks = np.concatenate([y[:120], np.full(1500, np.nan)])
    weights = np.concatenate([np.ones(120), np.ones(1500)])
    same = AgnosticBoostingClassifier(**parameters).fit(both, marks, weights)
    assert same.tape_ == model.tape_
    weights[120:900] = 0.01
    assert AgnosticBoostingClassifier(**parameters).fit(both, marks, weights).tape_ != model.tape_


def test_departures_from_the_usual_need_evidence():
    """The lowest point of a held-out curve is taken only if its rows, together, win by two standard errors."""
    trainer = Trainer(None, None, rounds=60, usual_rounds=24, classes=2, seed=0)
    rng = np.random.default_rng(0)
    codes, noise = rng.integers(2, size=400), rng.normal(scale=0.2, size=400)
    y = 2.0 * codes - 1.0
    curve = np.zeros(61)
    curve[40] = -1.0

    def chosen(gain, weight):
        margins = {24: np.zeros(400), 40: gain * y + noise - np.mean(noise * y) * y}
        return candidate(trainer, 0.0, curve, lambda t: HeldOut(margins[t][:, None], codes, y[:, None], weight)).rounds

    even = np.ones(400)
    early = np.zeros(61)
    early[2] = -1.0  # the lowest point is too early: a quarter of the usual rounds is the least
    asked = []

    def nothing(rounds):
        asked.append(rounds)
        return HeldOut(np.zeros((400, 1)), codes, y[:, None], even)

    candidate(trainer, 0.0, early, nothing)
    assert asked == [24, 6]
    error = 0.2 / np.sqrt(400)  # of the mean of y * noise; psi adds its own, downward, part of about 0.02
    assert chosen(0.02 + 1.0 * error, even) == 24
    assert chosen(0.02 + 4.0 * error, even) == 40
    # What counts is weighted: a gain on rows of next to no weight is none.
    helped = np.where(np.arange(400) < 200, 0.3, 0.0)
    assert chosen(helped, np.where(np.arange(400) < 200, 1.0, 1e-6)) == 40
    assert chosen(helped, np.where(np.arange(400) < 200, 1e-6, 1.0)) == 24


def same_rows(code):
    """Five labels of one class."""
    return Data.of_classes(np.zeros((5, 1)), np.full(5, code), 2, np.ones(5))


def test_patience_does_not_cut_the_usual_rounds_short():
    """Every step goes the wrong way, so the first round is the best: still the usual rounds are run, and no more."""
    for least, expected in ((120, 120), (10, PATIENCE)):
        watch = HeldOutPotential(same_rows(0), 0, least)
        tape, stopped = Tape(0.01), None
        for number in range(1, 200):
            tape = tape.append(Add(Constant(1), 1))
            if watch(Progress(Round(number, 0.0, "A", 0.0, 0, 0), tape, 200)):
                stopped = number
                break
        assert stopped == expected
        assert len(watch.curve) == expected + 1


def test_the_curve_goes_up_to_the_last_round():
    """Rounds are looked at a few at a time, and the last ones too."""
    watch, tape = HeldOutPotential(same_rows(1), 0, 100), Tape(0.01)
    for number in range(1, 14):
        tape = tape.append(Add(Constant(1), 1))
        watch(Progress(Round(number, 0.0, "A", 0.0, 0, 0), tape, 13))
    margins = 0.01 * np.arange(14)
    np.testing.assert_allclose(watch.curve, margins**2 / 2 - margins)


def test_clear_evidence_changes_the_number_of_rounds():
    X, _, truth = table(rows=800, flips=0.0)
    model = AgnosticBoostingClassifier(step_size=0.01, n_rounds=300, random_state=0).fit(X[:600], truth[:600])
    assert model.n_rounds_ > 120
    assert len(model.history_.choice.losses[0.0]) - 1 - np.argmin(model.history_.choice.losses[0.0]) <= 40


def test_class_weights_count_on_validation_rows_too():
    X, _, truth = table(rows=800)
    model = AgnosticBoostingClassifier(class_weight={0: 1.0, 1: 9.0}, **FAST)
    model.fit(X[:300], truth[:300], X_val=X[300:600], y_val=truth[300:600])
    assert set(model.history_.choice.held_out.weight) == {1.0, 9.0}
