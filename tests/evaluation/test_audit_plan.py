"""Which rows to audit next: drawn with known probabilities, rather where labels are unclear."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from agnoboost import evaluate, rows_to_audit
from agnoboost.evaluation.unchecked_rows import UncheckedRowsWarning

ROWS = 400


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS + 100, 3))
    y = (X[:, 0] + 0.7 * rng.normal(size=len(X)) > 0.4).astype(int)
    return LogisticRegression().fit(X[:100], y[:100]), X[100:], y[100:]


def test_unclear_rows_are_likelier_and_none_is_impossible(rows):
    model, X, _ = rows
    plan = rows_to_audit(model, X, 40, random_state=0)
    assert len(plan) == len(set(plan.row.tolist())) == 40
    assert plan.sampling_probability.sum() == pytest.approx(40)
    assert plan.sampling_probability.min() >= 0.5 * 40 / ROWS - 1e-9
    p = model.predict_proba(X)[:, 1]
    unclear = np.argsort(np.abs(p - 0.5))
    assert plan.sampling_probability[unclear[:100]].min() > plan.sampling_probability[unclear[-100:]].max()
    again = rows_to_audit(model, X, 40, random_state=0)
    assert again.row.tolist() == plan.row.tolist()
    assert rows_to_audit(model, X, 40, random_state=1).row.tolist() != plan.row.tolist()
    even = rows_to_audit(model, X, 40, at_random=1.0, random_state=0)
    assert even.sampling_probability == pytest.approx(np.full(ROWS, 0.1))


def test_rows_where_machine_and_model_differ_are_likelier(rows):
    model, X, _ = rows
    said = model.predict(X)
    machine = np.where(np.arange(ROWS) % 4 == 0, 1 - said, said)
    chance = rows_to_audit(model, X, 40, machine_labels=machine, random_state=0).sampling_probability
    assert chance[machine != said].mean() > 1.4 * chance[machine == said].mean()


def test_the_figure_decides(rows):
    model, X, _ = rows
    chance = {
        figure: rows_to_audit(model, X, 40, figure=figure, random_state=0).sampling_probability
        for figure in ("accuracy", ("precision", 1), ("recall", 1), "brier_score", ("roc_auc", 1))
    }
    said = model.predict(X) == 1
    assert np.ptp(chance["precision", 1][~said]) == pytest.approx(
        0.0, abs=1e-9
    )  # only rows that are said to be 1 count
    assert chance["precision", 1][said].mean() > 2 * chance["precision", 1][~said].mean()
    assert len({tuple(one.round(6)) for one in chance.values()}) == 5
    with pytest.raises(ValueError, match=r"figure must be one of 'accuracy', .*\('recall', 1\).* Got 'recal'"):
        rows_to_audit(model, X, 40, figure="recal")


def test_rows_come_in_random_order(rows):
    model, X, _ = rows
    drawn = [rows_to_audit(model, X, 40, random_state=seed).row for seed in range(30)]
    halves = np.mean([np.mean(row[:20]) - np.mean(row[20:]) for row in drawn])
    assert abs(halves) < 4 * ROWS / np.sqrt(12 * 10 * 30)
    assert all(row.tolist() != sorted(row.tolist()) for row in drawn)


def test_a_class_may_be_left_out_where_there_is_one_figure(rows):
    model, X, _ = rows
    named, short = (rows_to_audit(model, X, 40, figure=one, random_state=0) for one in (("roc_auc", 1), "roc_auc"))
    assert named.row.tolist() == short.row.tolist()


def test_a_part_of_a_plan_is_told_and_judges_as_well(rows):
    """The first rows of a plan are a fair sample; a further plan counts what was checked, not what was planned."""
    model, X, y = rows
    plan = rows_to_audit(model, X, 80, random_state=0)
    gold = np.full(ROWS, np.nan)
    gold[plan.row[:75]] = y[plan.row[:75]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluate(model, X, gold, sampling_probability=plan.sampling_probability)
    gold[plan.row[30:]] = np.nan
    with pytest.warns(UncheckedRowsWarning, match="is that of 80 rows, but 30 have a gold label"):
        found = evaluate(model, X, gold, sampling_probability=plan.sampling_probability)
    assert found["accuracy"].low < np.mean(model.predict(X) == y) < found["accuracy"].high
    more = rows_to_audit(model, X, 50, y=gold, sampling_probability=plan.sampling_probability, random_state=0)
    assert more.sampling_probability.sum() == pytest.approx(80, rel=0.05)


def test_two_audits_of_which_one_was_left_off_speak_for_all_rows(rows):
    model, X, y = rows
    X, y = X[:80], y[:80]
    wrong = model.predict(X) != y
    found = []
    for seed in range(150):
        first = rows_to_audit(model, X, 40, random_state=seed)
        checked = first.row[:10]
        gold = np.full(80, np.nan)
        gold[checked] = y[checked]
        both = rows_to_audit(model, X, 15, y=gold, sampling_probability=first.sampling_probability, random_state=seed)
        drawn = np.concatenate([checked, both.row])
        weight = 1 / both.sampling_probability[drawn]
        found.append(weight @ wrong[drawn] / weight.sum())
    assert np.mean(found) == pytest.approx(wrong.mean(), abs=4 * np.std(found) / np.sqrt(len(found)))


def test_audited_rows_are_not_drawn_again(rows):
    model, X, y = rows
    first = rows_to_audit(model, X, 50, random_state=0)
    gold = np.full(ROWS, np.nan)
    gold[first.row] = y[first.row]
    second = rows_to_audit(model, X, 50, y=gold, sampling_probability=first.sampling_probability, random_state=0)
    assert not set(first.row) & set(second.row)
    assert (second.sampling_probability > first.sampling_probability).all()
    assert second.sampling_probability.sum() == pytest.approx(100, rel=0.05)
    gold[second.row] = y[second.row]
    found = evaluate(model, X, gold, sampling_probability=second.sampling_probability)
    assert found.gold == 100
    assert found["accuracy"].low < np.mean(model.predict(X) == y) < found["accuracy"].high


def test_gold_rows_without_probabilities_were_drawn_all_alike(rows):
    model, X, y = rows
    gold = np.where(np.arange(ROWS) < 40, y, np.nan)
    plan = rows_to_audit(model, X, 60, y=gold, at_random=1.0, random_state=0)
    assert plan.sampling_probability == pytest.approx(np.full(ROWS, 100 / ROWS))


def test_two_audits_together_speak_for_all_rows(rows):
    """With 1/probability as weights, the mean over many audits is that of all rows."""
    model, X, y = rows
    X, y = X[:60], y[:60]
    wrong = model.predict(X) != y
    found = []
    for seed in range(150):
        first = rows_to_audit(model, X, 10, random_state=seed)
        gold = np.full(60, np.nan)
        gold[first.row] = y[first.row]
        both = rows_to_audit(model, X, 10, y=gold, sampling_probability=first.sampling_probability, random_state=seed)
        drawn = np.concatenate([first.row, both.row])
        found.append(np.sum(wrong[drawn] / both.sampling_probability[drawn]) / 60)
    assert np.mean(found) == pytest.approx(wrong.mean(), abs=4 * np.std(found) / np.sqrt(len(found)))
    assert np.std(found) < 0.1  # so that the line above can fail


def test_minus_one_may_be_a_class(rows):
    _, X, y = rows
    three = LogisticRegression().fit(X, np.where(X[:, 1] > 0.5, -1, y))
    gold = np.where(np.arange(ROWS) < 20, three.predict(X), np.nan)
    assert (gold == -1).any()
    plan = rows_to_audit(three, X, 380, y=gold, random_state=0)
    assert sorted(plan.row.tolist()) == list(range(20, ROWS))


def test_what_does_not_fit_is_said(rows):
    model, X, y = rows
    with pytest.raises(ValueError, match=r"n must be at most the number of rows without gold label, 0. Got 5"):
        rows_to_audit(model, X, 5, y=y)
    gold = np.where(np.arange(ROWS) < 20, y, np.nan)
    with pytest.raises(ValueError, match="also for those that were not audited"):
        rows_to_audit(model, X, 5, y=gold, sampling_probability=np.where(np.arange(ROWS) < 20, 0.1, np.nan))
    with pytest.raises(ValueError, match=r"random_state must be a whole number .* Got 'a'"):
        rows_to_audit(model, X, 5, random_state="a")
    with pytest.raises(ValueError, match="at_random must be in"):
        rows_to_audit(model, X, 5, at_random=0.0)
    with pytest.raises(ValueError, match="y must hold a gold label"):
        rows_to_audit(model, X, 5, y=y[:3])
