"""Covariate shift: the estimate, and what the estimator makes of it."""

import numpy as np
import pytest

import agnoboost as ab
from agnoboost import AgnosticBoostingClassifier, estimate_shift


def shifted(rng, labels=400, unlabeled=3000, ratio=4.0):
    """Labeled rows live in one corner; dD/dQ is ``ratio`` there."""
    Q = rng.random((unlabeled, 3))
    D = rng.random((labels, 3))
    D[:, 0] /= ratio
    return D, Q


def test_no_shift_is_called_no_shift(rng):
    X = rng.normal(size=(2000, 4))
    found = estimate_shift(X[:300], X[300:])
    assert found.chosen is None
    assert found.bound == 1.0
    assert "No shift is visible" in str(found)
    assert all(0.4 < model.auc < 0.6 for model in found.models.values())


@pytest.mark.parametrize("ratio", [2.0, 4.0, 16.0])
def test_a_known_ratio_is_found(rng, ratio):
    found = estimate_shift(*shifted(rng, 1000, 5000, ratio))
    assert 0.8 * ratio < found.bound < 2 * ratio
    assert f"at most {found.bound:.2f} times as frequent" in str(found)
    assert found.models[found.chosen].effective_share == pytest.approx(1 / ratio, rel=0.35)


def test_a_linear_ratio_is_found_by_the_logistic_model(rng):
    """N(1/2, 1) against N(0, 1): log dD/dQ = x/2 - 1/8, so its 95% quantile under D is exp((1/2 + 1.645)/2 - 1/8)."""
    labeled, unlabeled = rng.normal(0.5, 1, size=(3000, 1)), rng.normal(size=(10_000, 1))
    found = estimate_shift(labeled, unlabeled)
    assert found.bound == pytest.approx(np.exp(2.145 / 2 - 0.125), rel=0.1)
    ratio = found.models["logistic"].labeled
    assert np.median(np.abs(np.log(ratio) - (labeled[:, 0] / 2 - 0.125))) < 0.1


@pytest.mark.parametrize(("labels", "unlabeled"), [(60, 300), (100, 1000), (30, 2000)])
def test_a_shift_shows_with_few_labels(labels, unlabeled):
    """A ring: linear models do not see it."""
    found = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        Q, D = rng.normal(size=(unlabeled, 3)), rng.normal(size=(labels, 3))
        D[:, 0] /= 4
        found.append(estimate_shift(D, Q).chosen)
    assert found.count("boosting") >= 5


def test_chance_is_not_taken_for_a_shift():
    rng = np.random.default_rng(0)
    found = [estimate_shift(rng.normal(size=(60, 3)), rng.normal(size=(300, 3))).chosen for _ in range(12)]
    assert found.count(None) >= 11


def test_the_quantile_is_the_users(rng):
    rows = shifted(rng)
    assert estimate_shift(*rows, quantile=0.5).bound <= estimate_shift(*rows, quantile=0.99).bound


def test_frames_with_categories_and_gaps(rng):
    pd = pytest.importorskip("pandas")
    words = np.array(["a", "b", "c", None], dtype=object)
    unlabeled = pd.DataFrame({"word": rng.choice(words, 2000), "x": rng.normal(size=2000)})
    labeled = pd.DataFrame({"word": rng.choice(words[:2], 400), "x": rng.normal(size=400)})
    unlabeled.loc[::7, "x"] = np.nan
    found = estimate_shift(labeled, unlabeled)
    assert 1.5 < found.bound < 4  # two of four words: the ratio is 2
    codes = [
        frame.assign(word=frame["word"].map({"a": 0, "b": 1, "c": 2}))[["word", "x"]] for frame in (labeled, unlabeled)
    ]
    numbers = [frame.to_numpy(float) for frame in codes]
    assert 1.5 < estimate_shift(*numbers, categorical_features=[0]).bound < 4


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_columns_go_by_their_names(rng, library):
    package = pytest.importorskip(library)
    make = package.table if library == "pyarrow" else package.DataFrame
    labeled, unlabeled = ({"a": X[:, 0], "b": 9.0 + X[:, 1]} for X in (rng.normal(size=(n, 2)) for n in (200, 600)))
    turned = {name: unlabeled[name] for name in ("b", "a")}
    found = estimate_shift(make(labeled), make(unlabeled))
    assert found.bound == estimate_shift(make(labeled), make(turned)).bound == 1.0
    with pytest.raises(ValueError, match=r"The unlabeled table must have the columns.*It lacks 'b', and has 'c'"):
        estimate_shift(make(labeled), make({"a": unlabeled["a"], "c": unlabeled["b"]}))


def test_it_is_deterministic_and_takes_large_tables(rng, monkeypatch):
    monkeypatch.setattr("agnoboost.evaluation.shift.MOST_ROWS", 500)
    rows = shifted(rng)
    first, second = estimate_shift(*rows, random_state=1), estimate_shift(*rows, random_state=1)
    assert first.bound == second.bound
    assert len(first.models["logistic"].unlabeled) == 500


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda D, Q: (D[:9], Q), r"At least 10 labeled rows are needed.*Got 9"),
        (lambda D, Q: (D, Q[:5]), r"At least 10 unlabeled rows"),
        (lambda D, Q: (D[:, :2], Q), r"unlabeled table"),
        (lambda D, Q: (D[:, 0], Q), r"2 dimensions"),
    ],
)
def test_bad_tables(rng, change, message):
    with pytest.raises(ValueError, match=message):
        estimate_shift(*change(*shifted(rng)))


def test_bad_quantile(rng):
    with pytest.raises(ValueError, match=r"quantile"):
        estimate_shift(*shifted(rng), quantile=1.0)


# ------------------------------------------------------------------------------- overestimating is free


@pytest.mark.parametrize("factor", [4.0, 64.0])
def test_overestimating_the_shift_is_free_while_margins_are_below_one(rng, factor):
    """Algorithm 3 with bound C and step/C gives the same hypotheses for every C, and margins in proportion 1/C."""
    X = rng.normal(size=(300, 3))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=300) > 0, 1, -1)
    Q = rng.normal(size=(500, 3))
    tapes = {}
    for shift in (2.0, 2.0 * factor):
        booster = ab.algorithm3((X, y), Q, shift=shift, step=0.04 / shift)
        tapes[shift] = ab.boost(booster, ab.StumpLearner(), rounds=60, rng=0).tape
    small, large = (tapes[shift] for shift in (2.0, 2.0 * factor))
    assert np.abs(small.margin(Q)).max() < 1
    assert [step.hypothesis for step in small.steps] == [step.hypothesis for step in large.steps]
    np.testing.assert_allclose(small.margin(Q), factor * large.margin(Q), atol=1e-9)
    assert (small.predict(Q) == large.predict(Q)).all()


def test_beyond_one_it_is_not(rng):
    """The test above can fail: with larger margins the bound matters."""
    X = rng.normal(size=(300, 3))
    y = np.where(X[:, 0] > 0, 1, -1)
    Q = rng.normal(loc=(1.5, 0, 0), size=(500, 3))
    steps = []
    for shift in (1.0, 16.0):
        booster = ab.algorithm3((X, y), Q, shift=shift, step=0.2 / shift)
        steps.append([step.hypothesis for step in ab.boost(booster, ab.StumpLearner(), rounds=80, rng=0).tape.steps])
    assert steps[0] != steps[1]


@pytest.mark.parametrize(("learner", "tolerance"), [("stump", 1e-9), ("tree", 0.1)])
def test_an_overestimated_shift_leaves_the_estimators_margins_as_they_are(rng, learner, tolerance):
    """Leaves of trees are sums divided by masses, in which labeled rows have a smaller part: they differ a little."""
    X = rng.normal(size=(600, 4))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=600) > 0, 1.0, 0.0)
    y[150:] = np.nan
    plain, wide = (
        AgnosticBoostingClassifier(
            "algorithm3", learner, shift=shift, unlabeled_weight=1.0, n_rounds=80, batch_size=None, random_state=0
        ).fit(X, y)
        for shift in (1.0, 8.0)
    )
    assert np.abs(plain.decision_function(X)).max() < 1
    assert np.abs(wide.decision_function(X) - plain.decision_function(X)).mean() <= tolerance
    assert np.abs(wide.predict_proba(X) - plain.predict_proba(X)).mean() <= tolerance


def test_shift_auto(rng, tmp_path):
    X, Q = shifted(rng, 300, 2000, 4.0)
    y = np.where(X[:, 1] + 0.2 * rng.normal(size=300) > 0.5, "yes", "no").astype(object)
    model = AgnosticBoostingClassifier("algorithm3", "stump", shift="auto", random_state=0)
    model.fit(X, y, X_unlabeled=Q)
    assert model.shift_ == 2 * model.shift_estimate_.bound
    assert 5 < model.shift_ < 16
    model.save(tmp_path / "m.agno")
    loaded = ab.load(tmp_path / "m.agno")
    assert loaded.shift_ == model.shift_
    assert loaded.shift == "auto"
    assert (loaded.decision_function(Q) == model.decision_function(Q)).all()
    same = AgnosticBoostingClassifier("algorithm3", "stump", shift="auto", random_state=0)
    same.fit(Q[:300], y, X_unlabeled=Q[300:])
    assert same.shift_ == 1.0


def test_without_unlabeled_rows_algorithm_3_is_algorithm_1_and_says_so(rng):
    X, Q = shifted(rng, 120, 600, 4.0)
    y = np.arange(120) % 2
    settings = {"weak_learner": "stump", "n_rounds": 40, "random_state": 0}
    third = AgnosticBoostingClassifier("algorithm3", shift="auto", **settings).fit(X, y, X_unlabeled=Q)
    first = AgnosticBoostingClassifier("algorithm1", **settings).fit(X, y, X_unlabeled=Q)
    assert third.shift_ > 1
    assert third.history_.choice.unlabeled_weight == 0.0
    assert third.history_.choice.reason.endswith("without unlabeled rows algorithm3 is the same as algorithm1")
    np.testing.assert_array_equal(third.decision_function(Q), first.decision_function(Q))
    assert "same as" not in first.history_.choice.reason
    used = AgnosticBoostingClassifier("algorithm3", shift="auto", unlabeled_weight=1.0, **settings)
    assert "same as" not in used.fit(X, y, X_unlabeled=Q).history_.choice.reason


def test_a_later_fit_forgets_the_estimate(rng):
    X, Q = shifted(rng, 100, 500, 4.0)
    model = AgnosticBoostingClassifier("algorithm3", "stump", shift="auto", random_state=0)
    assert model.fit(X, np.arange(100) % 2, X_unlabeled=Q).shift_estimate_ is not None
    model.set_params(shift=2.0).fit(X, np.arange(100) % 2, X_unlabeled=Q)
    assert (model.shift_, model.shift_estimate_) == (2.0, None)


def test_shift_auto_refuses_weights(rng):
    X, Q = shifted(rng, 100, 500, 4.0)
    model = AgnosticBoostingClassifier("algorithm3", shift="auto", random_state=0)
    with pytest.raises(ValueError, match=r"shift='auto' cannot take weights into account"):
        model.fit(X, np.arange(100) % 2, rng.random(100) + 0.5, X_unlabeled=Q)


def test_shift_auto_without_unlabeled_rows(rng):
    X = rng.normal(size=(60, 2))
    model = AgnosticBoostingClassifier("algorithm3", shift="auto", random_state=0).fit(X, (X[:, 0] > 0).astype(int))
    assert model.shift_ == 1.0


def test_shift_words_and_numbers(rng):
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 2
    with pytest.raises(ValueError, match=r"shift must be 'auto', or a number"):
        AgnosticBoostingClassifier("algorithm3", shift="large").fit(X, y)
    with pytest.raises(ValueError, match=r"shift is for algorithm='algorithm3' only"):
        AgnosticBoostingClassifier("algorithm1", shift="auto").fit(X, y)
    with pytest.raises(ValueError, match=r"shift"):
        AgnosticBoostingClassifier("algorithm3", shift=0.5).fit(X, y)


def test_under_shift_algorithm_3_is_at_least_as_good(rng):
    """Unlabeled rows from elsewhere, and a run that is long enough for margins to exceed 1."""
    X, Q = shifted(rng, 400, 3000, 16.0)
    Q[:, 0] = np.sqrt(Q[:, 0])  # few rows near the labeled ones
    test, _ = shifted(rng, 2000, 1, 16.0)
    truth = lambda X: np.where(X[:, 1] > X[:, 2], 1, -1)  # noqa: E731
    y = np.where(rng.random(400) < 0.2, -truth(X), truth(X))
    scores = {}
    for shift in (1.0, "auto"):
        model = AgnosticBoostingClassifier(
            "algorithm3", "stump", shift=shift, unlabeled_weight=1.0, step_size=0.05, n_rounds=400, random_state=0
        )
        scores[shift] = model.fit(X, y, X_unlabeled=Q).score(test, truth(test))
    assert scores["auto"] >= scores[1.0] - 0.01
