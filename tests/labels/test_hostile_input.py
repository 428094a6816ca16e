"""Label models with weights, masks, validation rows, scores, and labels of another kind than expected."""

import numpy as np
import pandas as pd
import pytest
from partly_labeled import FAST
from sklearn.metrics import brier_score_loss
from sklearn.model_selection import GridSearchCV, cross_val_score

import agnoboost as ab
from agnoboost.integrations import LabeledMetric, XGBAgnosticClassifier
from agnoboost.labels import (
    CrowdVotes,
    FlipRates,
    PositiveUnlabeled,
    SoftLabels,
    audit_flip_rates,
    estimate_flip_rates,
    estimate_prior,
)


def problem(rows=600, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4))
    p = 1 / (1 + np.exp(-3 * (X[:, 0] + 0.5 * X[:, 1])))
    return X, p, (rng.random(rows) < p).astype(int), rng


def few(model=None, **parameters):
    return ab.FewLabelClassifier(label_model=model, random_state=0, **parameters)


# ----------------------------------------------------------- weights and gaps


def test_masked_labels_are_gaps():
    X, p, _, _ = problem(120)
    hidden = np.arange(120) >= 60
    assert few(SoftLabels()).fit(X, np.ma.array(p, mask=hidden)).n_labeled_ == 60
    votes = np.ma.array(np.column_stack([p > 0.5, p > 0.4]).astype(int), mask=np.column_stack([hidden, hidden]))
    assert few(CrowdVotes()).fit(X, votes).n_labeled_ == 60


def test_a_mark_of_unlabeled_rows():
    X, p, _, _ = problem(120)
    soft = np.where(np.arange(120) < 60, 2 * p - 1, -9.0)
    assert few(SoftLabels("signed"), missing_label=-9).fit(X, soft).n_labeled_ == 60
    votes = np.where(np.arange(120)[:, None] < 60, np.column_stack([p > 0.5, p > 0.4]), 7)
    assert few(CrowdVotes(), missing_label=7).fit(X, votes).n_labeled_ == 60


@pytest.mark.parametrize("model", [CrowdVotes(), FlipRates(0.1), SoftLabels(), PositiveUnlabeled(0.5)])
def test_rows_of_weight_zero_are_as_if_not_there(model):
    X, p, truth, rng = problem(400)
    if isinstance(model, CrowdVotes):
        y = np.where(rng.random((400, 3)) < 0.8, truth[:, None], 1 - truth[:, None]).astype(float)
        y[200:] = np.nan
    elif isinstance(model, PositiveUnlabeled):
        y = np.where((truth == 1) & (np.arange(400) < 200), 1.0, np.nan)
    else:
        y = np.where(np.arange(400) < 200, p if isinstance(model, SoftLabels) else truth, np.nan)
    weight = np.ones(400)
    weight[::3] = 0
    kept = weight > 0
    weighted = few(model).fit(X, y, weight)
    without = few(model).fit(X[kept], y[kept])
    np.testing.assert_allclose(weighted.decision_function(X), without.decision_function(X), atol=1e-9)


def test_zero_weight_removes_a_class():
    X, _, truth, _ = problem(300)
    three = truth.copy()
    three[:50] = 2
    weight = np.where(three == 2, 0.0, 1.0)
    assert few(FlipRates(0.1)).fit(X, three, weight).classes_.tolist() == [0, 1]


def test_two_positives_are_one_of_weight_two():
    X, p, truth, rng = problem(500)
    labels = np.where(np.arange(500) < 150, truth, np.nan)
    labels[(labels == 0) & (rng.random(500) < 0.8)] = np.nan  # few negatives
    weight = rng.integers(1, 3, 500)
    model = PositiveUnlabeled(float(p.mean()))
    heavy, _ = model.pools(X, labels, weight.astype(float))
    copied, _ = model.pools(np.repeat(X, weight, axis=0), np.repeat(labels, weight))
    assert heavy.label_bound == pytest.approx(copied.label_bound)


def test_a_prior_below_the_share_of_positives_is_refused():
    """Where they are part of the sample; by their weights, and not for what chance may do to a sample."""
    X, model = np.arange(200.0).reshape(100, 2), PositiveUnlabeled(0.1, together=True)
    y = np.where(np.arange(100) < 60, 1.0, np.nan)
    with pytest.raises(ValueError, match=r"at least the share of labeled positives, 0.6 of all rows.* Got 0.1"):
        model.pools(X, y)
    with pytest.raises(ValueError, match="at least the share of labeled positives"):
        few(model).fit(X, y)
    PositiveUnlabeled(0.1).pools(X, y)  # they came from elsewhere
    model.pools(X, y, np.where(np.arange(100) < 60, 0.01, 1.0))
    model.pools(X, np.where(np.arange(100) < 12, 1.0, np.nan))
    with pytest.raises(ValueError, match="at least the share of labeled positives"):
        model.pools(X, np.where(np.arange(100) < 12, 1.0, np.nan), np.where(np.arange(100) < 12, 5.0, 1.0))


def test_positives_without_weight_are_refused():
    X, _, truth, _ = problem(200)
    y = np.where(truth == 1, 1.0, np.nan)
    y[:5] = 0
    with pytest.raises(ValueError, match=r"labels of the positive class, 1"):
        few(PositiveUnlabeled(0.5, positive=1)).fit(X, y, np.where(y == 1, 0.0, 1.0))


def test_engines_count_a_label_as_a_row():
    """A checkerboard needs deep trees, which leaves of too small a weight forbid."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 4, (3000, 2))
    truth = np.floor(X).sum(axis=1) % 2 == 1
    positives = X[truth][:800]
    model = XGBAgnosticClassifier(label_model=PositiveUnlabeled(0.5), max_depth=6, random_state=0, n_jobs=1)
    model.fit(positives, np.ones(800), X_unlabeled=X[800:])
    assert model.score(X, truth.astype(float)) > 0.85


# -------------------------------------------------------------- class weights


def test_class_weights_of_soft_labels():
    """The pull of a label p is w_1 p - w_0 (1 - p)."""
    X, _, _, rng = problem(300)
    y = 0.4 + 0.01 * rng.normal(size=300)
    assert few(SoftLabels()).fit(X, y).decision_function(X).max() < 0
    assert few(SoftLabels(), class_weight={0: 1, 1: 9}).fit(X, y).decision_function(X).min() > 0


def test_class_weights_of_certain_soft_labels_are_those_of_labels():
    X, _, truth, _ = problem(200)
    for weights in ({0: 1.0, 1: 4.0}, "balanced"):
        hard = few(class_weight=weights).fit(X, truth)
        soft = few(SoftLabels(), class_weight=weights).fit(X, truth.astype(float))
        np.testing.assert_allclose(soft.decision_function(X), hard.decision_function(X), atol=1e-9)


def test_class_weights_do_not_go_with_flipped_labels():
    X, _, truth, _ = problem(200)
    with pytest.raises(ValueError, match="class_weight does not go with FlipRates"):
        few(FlipRates(0.2), class_weight="balanced").fit(X, truth)


# --------------------------------------------------- probabilities and scores


def test_stand_ins_that_agree_too_well_do_not_make_probabilities_extreme():
    scores = []
    for seed in range(4):
        X, _, truth, rng = problem(1050, seed)
        observed = truth[:50] ^ (rng.random(50) < 0.3)
        corrected, plain = (few(model).fit(X[:50], observed) for model in (FlipRates(0.3), None))
        assert corrected._model.blends[0].slope < 10
        scores.append([brier_score_loss(truth, m.predict_proba(X)[:, 1]) for m in (corrected, plain)])
    assert np.mean(scores, axis=0)[0] < np.mean(scores, axis=0)[1] + 0.02  # 50 labels are too few for a gain


def test_scores_of_soft_labels_and_votes():
    X, p, truth, _ = problem(300)
    model = few(SoftLabels()).fit(X, p)
    assert model.score(X, p) == np.mean(model.predict(X) == (p > 0.5))
    assert cross_val_score(few(SoftLabels()), X, p, cv=3).min() > 0.8
    named = few(SoftLabels(classes=["no", "yes"])).fit(X, p)
    assert named.score(X, np.where(p > 0.5, "yes", "no")) > 0.9
    votes = np.column_stack([truth, truth, 1 - truth])
    assert few(CrowdVotes()).fit(X, votes).score(X, votes) > 0.75


def test_label_models_are_parameters():
    X, _, truth, _ = problem(200)
    search = GridSearchCV(few(members=["linear"]), {"label_model": [None, FlipRates(0.1), FlipRates(0.2)]}, cv=2)
    assert search.fit(X, truth).best_score_ > 0.7


def test_the_metric_of_engines_compares_signs():
    margin, y = np.array([0.5, -0.5, 2.0]), np.array([0.6, 0.2, 1.0])
    assert LabeledMetric("accuracy", soft=True).value(margin, y) == pytest.approx(2 / 3)


# ------------------------------------------------------------ validation rows


def test_validation_labels_are_of_the_same_kind():
    X, p, truth, rng = problem(900)
    noisy = truth ^ (rng.random(900) < 0.3)
    model = ab.AgnosticBoostingClassifier(label_model=FlipRates(0.3), **FAST)
    model.fit(X[:300], noisy[:300], X_val=X[300:600], y_val=noisy[300:600])
    np.testing.assert_allclose(np.abs(model.history_.choice.held_out.targets), 2.5)
    soft = ab.AgnosticBoostingClassifier(label_model=SoftLabels(), **FAST)
    soft.fit(X[:300], p[:300], X_val=X[300:600], y_val=p[300:600])
    with pytest.raises(ValueError, match="y_val must hold labels of the same kind as y"):
        soft.fit(X[:300], p[:300], X_val=X[300:600], y_val=np.where(p[300:600] > 0.9, np.nan, p[300:600]))


@pytest.mark.parametrize("algorithm", ["pab", "gs24"])
def test_baselines_need_labels_at_face_value(algorithm):
    X, _, truth, _ = problem(200)
    with pytest.raises(ValueError, match=f"{algorithm} needs labels at face value"):
        ab.AgnosticBoostingClassifier(algorithm, label_model=FlipRates(0.1), **FAST).fit(X, truth)


def test_margins_of_positives_left_out():
    X, _, truth, _ = problem(300)
    model = few(PositiveUnlabeled(0.5)).fit(X, np.where(truth == 1, 1.0, np.nan))
    assert model.oob_decision_function_.shape == (model.n_labeled_,)


# ------------------------------------------------------------------ estimates


def test_priors_of_frames_go_by_the_names_of_columns():
    rng = np.random.default_rng(0)
    truth = rng.random(1500) < 0.4
    frame = pd.DataFrame({"a": rng.normal(size=1500) + 3 * truth, "b": rng.normal(size=1500)})
    frame["kind"] = pd.Categorical(np.where(truth, "x", rng.choice(["x", "y"], 1500)))
    positives, rest = frame[:500][truth[:500]], frame[500:]
    found = estimate_prior(positives, rest[["kind", "b", "a"]])
    assert found.prior == pytest.approx(0.4, abs=0.1)


@pytest.mark.parametrize(
    ("observed", "true", "message"),
    [
        (["1", "0"], [1, 0], "of the same two classes"),
        ([1, None], [1, 0], "must have both labels"),
        ([1, 2], [1, 0], "of the same two classes"),
    ],
)
def test_audits_of_other_labels(observed, true, message):
    with pytest.raises(ValueError, match=message):
        audit_flip_rates(observed, true)


def test_rare_classes_are_no_flips():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 3))
    truth = (X[:, 0] > 1.5).astype(int)  # 7%, no noise
    found = estimate_flip_rates(X, truth)
    assert found.positive < 0.15
    with pytest.raises(ValueError, match="rows that look like class 1"):
        estimate_flip_rates(X, (X[:, 0] > 2.8).astype(int))


def test_one_sided_soft_labels():
    with pytest.raises(ValueError, match=r"must speak for both classes. Got 1 for all 3 rows"):
        SoftLabels().read([1.0, 1.0, 1.0], 3)
    with pytest.raises(ValueError, match="negative must be of the kind of the labels"):
        PositiveUnlabeled(0.5, negative="no").read([1, None], 2)
