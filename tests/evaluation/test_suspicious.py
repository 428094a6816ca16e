"""Labels that look wrong."""

import numpy as np
import pytest
from partly_labeled import table
from scipy.special import expit

from agnoboost import TableClassifier, load
from agnoboost.evaluation import suspicious
from agnoboost.evaluation.suspicious import suspicious_labels, true_classes, wrong_label_rates
from agnoboost.labels import FlipRates


def population(rng, rows, flips_of_0, flips_of_1):
    """P(given | x) as it is, given labels, and which are wrong."""
    p = expit(4.0 * rng.normal(size=rows))
    truth = rng.random(rows) < p
    wrong = rng.random(rows) < np.where(truth, flips_of_1, flips_of_0)
    q = p * (1.0 - flips_of_1) + (1.0 - p) * flips_of_0
    return np.column_stack([1.0 - q, q]), (truth ^ wrong).astype(int), wrong


def ranked(q, given, **options):
    return suspicious_labels(q, given, np.array(["no", "yes"]), np.arange(len(given)), **options)


@pytest.mark.parametrize(("of_0", "of_1"), [(0.1, 0.1), (0.3, 0.3), (0.05, 0.35)])
def test_the_number_of_wrong_labels_is_about_right(rng, of_0, of_1):
    q, given, wrong = population(rng, 4000, of_0, of_1)
    found = ranked(q, given)
    assert abs(found.count - wrong.sum()) < 0.04 * 4000
    assert found.interval[0] <= wrong.sum() <= found.interval[1]
    assert found.interval[0] < found.count < found.interval[1]


def test_the_interval_narrows_with_the_rows_however_many_it_looks_at(rng, monkeypatch):
    q, given, _ = population(rng, 8000, 0.1, 0.1)
    low, high = ranked(q, given).interval
    monkeypatch.setattr(suspicious, "MOST_ROWS", 500)
    fewer = ranked(q, given)
    assert 0.6 < (fewer.interval[1] - fewer.interval[0]) / (high - low) < 1.7
    assert fewer.interval[0] < fewer.count < fewer.interval[1]


def test_suspicions_are_probabilities(rng):
    """Among labels of about the same suspicion that share is wrong."""
    q, given, wrong = population(rng, 40_000, 0.2, 0.2)
    suspicion = 1.0 - true_classes(q, given)[np.arange(40_000), given]
    for low, high in ((0.0, 0.1), (0.1, 0.4), (0.4, 0.7)):
        inside = (suspicion >= low) & (suspicion < high)
        assert abs(wrong[inside].mean() - suspicion[inside].mean()) < 0.08


def test_labels_of_the_class_that_others_are_taken_for_are_suspected_first(rng):
    """With one-sided flips the rates matter: ranking by the probability of the label alone finds fewer."""
    q, given, wrong = population(rng, 2000, 0.0, 0.35)
    found = ranked(q, given)
    k = int(wrong.sum())
    plain = np.argsort(q[np.arange(2000), given], kind="stable")[:k]
    assert wrong[found.row[:k]].mean() > wrong[plain].mean() + 0.05


def test_rates_are_counted_among_the_surest():
    surest = np.repeat([0.02, 0.98], 50)
    middle = np.full(100, 0.45)
    q = np.append(surest, middle)
    given = np.append(np.repeat([0, 1], 50), np.tile([0, 1], 50))
    given[:10] = 1  # a fifth of the surest rows of class 0, of which 40 are looked at
    rates = wrong_label_rates(np.column_stack([1.0 - q, q]), given)
    assert np.allclose(rates.sum(axis=1), 1.0)
    pooled = 10 / 65  # 40 rows of class 0 and 25 of class 1
    assert rates[0, 1] == pytest.approx((10 + 20 * pooled) / 60)
    assert rates[1, 0] == pytest.approx(20 * pooled / 45)


def test_the_arrays_belong_together(rng):
    q, given, _ = population(rng, 500, 0.1, 0.1)
    q[7] = np.nan
    rows = 3 * np.arange(500)
    found = suspicious_labels(q, given, np.array(["no", "yes"]), rows)
    assert len(found) == 499
    assert 21 not in found.row
    place = found.row // 3
    assert found.given.tolist() == np.array(["no", "yes"])[given[place]].tolist()
    assert found.suggested.tolist() == np.array(["no", "yes"])[1 - given[place]].tolist()
    assert np.allclose(found.probability, q[place, given[place]])
    assert np.allclose(found.suggested_probability, q[place, 1 - given[place]])
    assert (np.diff(found.suspicion) <= 0).all()
    assert ranked(q, given).interval == ranked(q, given).interval
    with pytest.raises(ValueError, match="No label can be judged"):
        suspicious_labels(np.full((3, 2), np.nan), given[:3], np.array([0, 1]), rows[:3])


def test_several_classes(rng):
    log_odds = 3.0 * rng.normal(size=(1500, 4))
    p = np.exp(log_odds) / np.exp(log_odds).sum(axis=1, keepdims=True)
    truth = np.array([rng.choice(4, p=row) for row in p])
    given, wrong = truth.copy(), np.zeros(1500, dtype=bool)
    wrong[rng.choice(1500, 225, replace=False)] = True
    given[wrong] = (truth[wrong] + 1) % 4
    channel = 0.85 * np.eye(4) + 0.15 * np.roll(np.eye(4), 1, axis=1)
    q = p @ channel
    assert np.allclose(true_classes(q, given).sum(axis=1), 1.0)
    found = suspicious_labels(q, given, np.arange(4), np.arange(1500))
    assert abs(found.count - 225) < 60
    first = found.row[:225]
    assert wrong[first].mean() > 0.5
    hits = wrong[first]
    assert np.mean(found.suggested[:225][hits] == truth[first[hits]]) > 0.8


def test_a_model_knows_its_suspects_before_and_after_saving(tmp_path):
    X, y, _ = table(rows=500, labeled=500, flips=0.0)
    wrong = np.arange(3, 250, 12)
    y[wrong] = 1 - y[wrong]
    y[250:] = np.nan
    y[:3] = np.nan  # gaps are counted
    model = TableClassifier(effort="fast", random_state=0).fit(X, y)
    found = model.suspicious_labels_
    assert found is model.suspicious_labels_
    assert found.row.min() >= 3
    assert np.isin(found.row[: len(wrong)], wrong).mean() > 0.5
    assert y[found.row].tolist() == found.given.tolist()
    assert "labels look wrong" in str(found)
    model.save(tmp_path / "m.agno")
    again = load(tmp_path / "m.agno").suspicious_labels_
    assert again.row.tolist() == found.row.tolist()
    assert again.suspicion.tolist() == found.suspicion.tolist()
    assert (again.count, again.interval) == (found.count, found.interval)
    model.fit(X, np.where(np.isnan(y), np.nan, X[:, 0] > 0))
    assert model.suspicious_labels_.count < found.count


@pytest.mark.parametrize("weight", ["balanced", {0: 1, 1: 5}])
def test_class_weights_do_not_make_labels_suspicious(rng, weight, tmp_path):
    x = rng.normal(size=(500, 2))
    truth = (x[:, 0] + 0.3 * rng.normal(size=500) > 1.3).astype(int)
    given = np.where(rng.random(500) < 0.03, 1 - truth, truth)
    plain = TableClassifier("fast", members=["stumps"], random_state=0).fit(x, given)
    weighted = TableClassifier("fast", members=["stumps"], random_state=0, class_weight=weight).fit(x, given)
    found, wanted = weighted.suspicious_labels_, plain.suspicious_labels_
    assert abs(found.count - wanted.count) < 10
    assert abs(found.to_check - wanted.to_check) < 15
    weighted.save(tmp_path / "m.agno")
    again = load(tmp_path / "m.agno").set_params(class_weight=None)  # the weights are those of the fit
    assert again.suspicious_labels_.count == found.count


def test_rows_of_weight_zero_are_not_judged_and_label_models_are_refused():
    X, y, _ = table(rows=120, labeled=120)
    weight = np.ones(120)
    weight[::3] = 0.0
    model = TableClassifier(effort="fast", random_state=0).fit(X, y, weight)
    found = set(model.suspicious_labels_.row)
    assert found <= set(np.flatnonzero(weight))  # and some rows are in all bags
    assert len(found) > 70
    model = TableClassifier(effort="fast", random_state=0, label_model=FlipRates(0.1)).fit(X, y)
    assert not hasattr(model, "suspicious_labels_")
    with pytest.raises(AttributeError, match="Fit without label_model"):
        _ = model.suspicious_labels_


def test_labels_worth_a_look_lie_between_those_probably_wrong_and_all_that_disagree(rng):
    q, given, wrong = population(rng, 600, 0.1, 0.1)
    found = ranked(q, given)
    disagree = np.count_nonzero(q.argmax(axis=1) != given)
    assert found.count < found.to_check < disagree
    assert abs(found.to_check - (found.count + disagree) / 2) <= 0.5
    assert wrong[found.row[: found.to_check]].sum() > wrong[found.row[: round(found.count)]].sum()


def test_as_a_frame(rng):
    pytest.importorskip("pandas")
    q, given, _ = population(rng, 300, 0.1, 0.1)
    found = ranked(q, given)
    assert len(found.to_frame()) == found.to_check
    assert found.to_frame(5)["row"].tolist() == found.row[:5].tolist()


def test_coin_flips_have_no_suspects():
    """Nearly equal probabilities must not become certainty, and a model that knows nothing suspects nothing."""
    rng = np.random.default_rng(0)
    p = rng.uniform(0.3, 0.7, 500)
    found = ranked(np.column_stack([1.0 - p, p]), (rng.random(500) < 0.55).astype(int))
    assert not found.knows_something
    assert found.to_check == 0
    assert np.isnan([found.count, *found.interval]).all()
    assert str(found).startswith("This model knows nothing that helps: no better than always saying yes.")
    assert (found.suspicion <= 1.0 - found.probability).all()


def test_where_one_class_has_the_wrong_labels_the_ranking_knows_it(rng):
    """Though a chance is never said to be more than probabilities support."""
    q, given, wrong = population(rng, 2000, 0.0, 0.45)
    found = ranked(q, given)
    many = int(wrong.sum())
    by_probability = np.argsort(found.probability)[:many]
    assert wrong[found.row[:many]].mean() > wrong[found.row[by_probability]].mean() + 0.05
    assert (found.suspicion <= 1.0 - found.probability).all()
    chance = 1.0 - true_classes(q, given)[np.arange(len(q)), given]
    np.testing.assert_array_equal(found.row, np.argsort(-chance, kind="stable"))


@pytest.mark.parametrize(("rows", "flips"), [(150, 0.0), (4000, 0.2)])
def test_suspicions_sum_to_the_number_that_looks_wrong(rng, rows, flips):
    q, given, _ = population(rng, rows, flips, flips)
    found = ranked(q, given)
    assert found.suspicion.sum() == pytest.approx(found.count, rel=1e-6)
    assert (found.suspicion <= 1.0 - found.probability + 1e-12).all()


def test_a_class_of_which_most_labels_are_listed_is_not_known():
    """All rows of b look like a, and a single row of a looks like b: at that one people should look again."""
    q = np.array([[0.9, 0.1]] * 90 + [[0.1, 0.9]] + [[0.8, 0.2]] * 4)
    found = suspicious_labels(q, np.array([0] * 91 + [1] * 4), np.array(["a", "b"]), np.arange(95))
    assert found.given[: found.to_check].tolist() == ["a", "b", "b"]
    assert found.unknown_classes == {"b": (2, 4)}
    assert "Listed are 2 of 4 labels 'b': so the model does not know this class" in str(found)
    assert str(found).endswith("Label more rows of it. Look at the other labels again: more are listed than are wrong.")


def test_known_classes_are_to_be_looked_at_again(rng):
    q, given, _ = population(rng, 4000, 0.1, 0.1)
    found = ranked(q, given)
    assert found.unknown_classes == {}
    assert str(found).endswith("Look at these labels again: more are listed than are wrong.")
