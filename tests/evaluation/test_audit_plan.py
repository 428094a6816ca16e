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
    first = ", ".join(map(str, plan.row[:5]))
    assert str(plan).startswith(f"40 of 400 rows to check, in random order: {first} and 35 more (from 0). to_frame()")
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


def test_the_first_rows_of_a_plan_are_a_plan(rows):
    model, X, y = rows
    plan = rows_to_audit(model, X, 80, random_state=0)
    part = plan.first(30)
    assert part.row.tolist() == plan.row[:30].tolist()
    assert part.sampling_probability.sum() == pytest.approx(30)
    gold = np.full(ROWS, np.nan)
    gold[part.row] = y[part.row]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = evaluate(model, X, gold, sampling_probability=part.sampling_probability)
    assert found["accuracy"].low < np.mean(model.predict(X) == y) < found["accuracy"].high
    for wrong in (0, 81):
        with pytest.raises(ValueError, match="n must be"):
            plan.first(wrong)


@pytest.mark.parametrize("checked", [75, 30])
def test_rows_of_a_plan_that_were_left_are_told(rows, checked):
    """However few: those that are skipped are often the hard ones."""
    model, X, y = rows
    plan = rows_to_audit(model, X, 80, random_state=0)
    gold = np.full(ROWS, np.nan)
    gold[plan.row[:checked]] = y[plan.row[:checked]]
    for call in (evaluate, rows_to_audit):
        with pytest.warns(UncheckedRowsWarning, match=f"is that of 80 rows, but {checked} have a gold label"):
            call(model, X, **{"y": gold, "sampling_probability": plan.sampling_probability})


def test_rows_that_were_drawn_one_by_one_may_be_fewer(rows):
    model, X, y = rows
    chance = np.where(np.arange(ROWS) < 100, 0.4, 0.1)  # 70 rows in the mean
    gold = np.where(np.arange(ROWS) % 6 == 0, y, np.nan)  # 67
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluate(model, X, gold, sampling_probability=chance)


def test_audits_of_which_the_second_was_broken_off_speak_for_all_rows(rows):
    """As they do not, if all that was planned is taken for checked."""
    model, X, y = rows
    wrong = model.predict(X) != y
    found, naive = [], []
    for seed in range(200):
        gold = np.full(ROWS, np.nan)
        earlier = np.random.default_rng(seed).permutation(ROWS)[:60]
        gold[earlier] = y[earlier]
        plan = rows_to_audit(model, X, 120, y=gold, at_random=0.2, random_state=seed)
        drawn = np.concatenate([earlier, plan.row[:20]])
        for own, means in ((plan.first(20), found), (plan, naive)):
            weight = 1 / own.sampling_probability[drawn]
            means.append(weight @ wrong[drawn] / weight.sum())
    error = np.std(found) / np.sqrt(len(found))
    assert np.mean(found) == pytest.approx(wrong.mean(), abs=3.5 * error)
    assert abs(np.mean(naive) - wrong.mean()) > 5 * error


def test_a_class_must_be_named_where_several_have_the_figure(rows):
    _, X, y = rows
    three = LogisticRegression().fit(X[:200], (y[:200] + (X[:200, 0] > 1)).astype(int))
    assert len(three.classes_) == 3
    with pytest.raises(ValueError, match=r"figure must be one of .*\('roc_auc', 2\)"):
        rows_to_audit(three, X, 40, figure="roc_auc")
    with pytest.raises(KeyError, match="roc_auc"):
        evaluate(three, X, np.where(np.arange(ROWS) < 50, three.predict(X), np.nan))["roc_auc"]


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
