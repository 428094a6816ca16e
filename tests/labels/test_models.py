"""Label models as their users meet them: reading, the classifiers that take them, files, errors."""

import inspect

import numpy as np
import pytest
from partly_labeled import FAST, table
from sklearn.base import clone
from sklearn.metrics import brier_score_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV

import agnoboost as ab
from agnoboost import labels
from agnoboost.integrations import LGBMAgnosticClassifier, XGBAgnosticClassifier
from agnoboost.labels import (
    CrowdVotes,
    FlipRates,
    NoiseMatrix,
    PositiveUnlabeled,
    RandomisedResponse,
    SeenChance,
    SoftLabels,
    audit_flip_rates,
)
from agnoboost.model_selection import LabeledSplit, labeled_scorer

CLASSIFIERS = {
    "core": lambda **p: ab.AgnosticBoostingClassifier(n_rounds=60, step_size=0.1, random_state=0, **p),
    "few": lambda **p: ab.FewLabelClassifier(random_state=0, **p),
    "xgboost": lambda **p: XGBAgnosticClassifier(40, random_state=0, n_jobs=1, **p),
    "lightgbm": lambda **p: LGBMAgnosticClassifier(40, random_state=0, n_jobs=1, **p),
}


def problem(rows=900, labeled=200, seed=0):
    """A rule, its probabilities, and labels of some rows."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 5))
    p = 1 / (1 + np.exp(-3 * (X[:, 0] + 0.5 * X[:, 1])))
    return X, p, (rng.random(rows) < p).astype(int), rng, labeled


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_soft_labels_of_certainty_are_labels(kind):
    X, _, truth, _, n = problem()
    y = np.where(np.arange(len(X)) < n, truth, np.nan)
    hard = CLASSIFIERS[kind]().fit(X, y)
    soft = CLASSIFIERS[kind](label_model=SoftLabels()).fit(X, y)
    np.testing.assert_array_equal(soft.predict_proba(X), hard.predict_proba(X))
    assert soft.classes_.tolist() == [0, 1]
    signed = CLASSIFIERS[kind](label_model=SoftLabels("signed", classes=["no", "yes"])).fit(X, 2 * y - 1)
    np.testing.assert_array_equal(signed.predict_proba(X), hard.predict_proba(X))
    assert set(signed.predict(X)) == {"no", "yes"}


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_soft_labels_say_more_than_labels(kind):
    X, p, truth, _, n = problem(labeled=60)
    some = np.arange(len(X)) < n
    hard = CLASSIFIERS[kind]().fit(X, np.where(some, truth, np.nan))
    soft = CLASSIFIERS[kind](label_model=SoftLabels()).fit(X, np.where(some, p, np.nan))
    errors = [np.mean((m.predict_proba(X[n:])[:, 1] - p[n:]) ** 2) for m in (soft, hard)]
    assert errors[0] < errors[1]


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_a_soft_label_of_one_half_is_not_an_unlabeled_row(kind):
    """It pulls its row to 0; at weight 0 an unlabeled row does nothing."""
    X = np.column_stack([np.repeat([0.0, 1.0, 2.0], 40), np.linspace(0, 1, 120) % 0.1])
    y = np.repeat([0.0, 1.0, 0.5], 40)
    p = CLASSIFIERS[kind](label_model=SoftLabels()).fit(X, y).predict_proba(X)[:, 1].reshape(3, 40).mean(axis=1)
    assert p[0] < 0.2
    assert p[1] > 0.8
    assert p[2] == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_known_flip_rates_give_clean_probabilities(kind):
    X, _, truth, rng, n = problem(rows=3000, labeled=1000, seed=1)
    flipped = rng.random(len(X)) < np.where(truth == 1, 0.4, 0.1)
    y = np.where(np.arange(len(X)) < n, truth ^ flipped, np.nan)
    plain = CLASSIFIERS[kind]().fit(X, y)
    rates = FlipRates(positive=0.4, negative=0.1)
    clean = CLASSIFIERS[kind](label_model=rates).fit(X, y)
    scores = [brier_score_loss(truth[n:], m.predict_proba(X[n:])[:, 1]) for m in (clean, plain)]
    assert scores[0] < scores[1] - 0.005
    assert clean.score(X[n:], truth[n:]) > plain.score(X[n:], truth[n:])
    afterwards = rates.clean(plain.predict_proba(X[n:])[:, 1])  # of any model that was trained on the labels
    assert brier_score_loss(truth[n:], afterwards) < scores[1]


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_positives_and_unlabeled_rows_rank_like_labels(kind):
    X, p, truth, _, _ = problem(rows=2500, seed=2)
    positives, rest = np.flatnonzero(truth == 1)[:150], np.arange(1000, 2500)
    positives = positives[positives < 1000]
    model = CLASSIFIERS[kind](label_model=PositiveUnlabeled(float(p.mean())))
    model.fit(X[positives], np.ones(len(positives), dtype=int), X_unlabeled=X[rest])
    assert model.classes_.tolist() == [0, 1]
    assert (model.n_labeled_, model.n_unlabeled_) == (len(positives), 1500)
    found = model.predict_proba(X[:1000])[:, 1]
    assert roc_auc_score(truth[:1000], found) > 0.85
    assert np.mean((found > 0.5) == truth[:1000]) > 0.75  # there is a usable threshold


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_votes(kind):
    X, _, truth, rng, n = problem(rows=1200, labeled=250, seed=3)
    quality = np.array([0.9, 0.85, 0.55, 0.5, 0.52])
    votes = np.where(rng.random((len(X), 5)) < quality, truth[:, None], 1 - truth[:, None]).astype(float)
    votes[rng.random(votes.shape) < 0.3] = np.nan
    votes[n:] = np.nan
    known = ~np.isnan(votes).all(axis=1)
    model = CLASSIFIERS[kind](label_model=CrowdVotes()).fit(X, votes)
    assert model.n_labeled_ == known.sum()
    assert model.score(X[n:], truth[n:]) > 0.77


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize(
    "model",
    [
        SoftLabels("signed", classes=["a", "b"]),
        CrowdVotes("majority"),
        FlipRates(0.2),
        NoiseMatrix([[0.9, 0.1], [0.3, 0.7]], classes=[0, 1]),
        FlipRates(0.1).then(SeenChance({0: 0.5, 1: 0.9})).then(RandomisedResponse(3.0)),
        PositiveUnlabeled(0.4),
    ],
    ids=lambda model: type(model).__name__,
)
def test_label_models_are_kept_in_files_and_clones(kind, model, tmp_path):
    X, _, truth, _, n = problem(rows=300, labeled=80)
    y = np.where(np.arange(300) < n, truth, np.nan)
    if isinstance(model, CrowdVotes):
        y = np.column_stack([y, y])
    if isinstance(model, SoftLabels):
        y = 2 * y - 1
    if isinstance(model, PositiveUnlabeled):
        y = np.where(y == 1, 1.0, np.nan)
    fitted = clone(CLASSIFIERS[kind](label_model=model)).fit(X, y)
    fitted.save(tmp_path / "m.agno")
    back = ab.load(tmp_path / "m.agno")
    assert back.label_model == model
    np.testing.assert_array_equal(back.predict_proba(X), fitted.predict_proba(X))


def test_every_label_model_is_registered():
    found, todo = set(), [labels.LabelModel]
    while todo:
        todo += (kind := todo.pop()).__subclasses__()
        ours = kind.__module__.startswith("agnoboost.labels.")  # studies and tests have some of their own
        found |= {kind} if ours and not inspect.isabstract(kind) else set()
    assert set(labels.LABEL_MODELS.values()) == found


# ------------------------------------------------------------------------ soft


def test_probabilities_of_several_classes():
    share = np.array([[0.2, 0.5, 0.3], [1.0, 0.0, 0.0], [np.nan, np.nan, np.nan]])
    found = SoftLabels(classes=["b", "a", "c"]).read(share, 3)
    assert found.classes.tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(found.targets, 2 * share[:2][:, [1, 0, 2]] - 1)
    assert found.codes.tolist() == [0, 1]
    X, y, _ = table(classes=3)
    known = ~np.isnan(y)
    wide = np.full((len(y), 3), np.nan)
    wide[known] = np.eye(3)[y[known].astype(int)]
    soft = ab.FewLabelClassifier(random_state=0, label_model=SoftLabels()).fit(X, wide)
    hard = ab.FewLabelClassifier(random_state=0).fit(X, y)
    np.testing.assert_array_equal(soft.predict_proba(X), hard.predict_proba(X))


@pytest.mark.parametrize(
    ("model", "y", "message"),
    [
        (SoftLabels(), [0.5, 1.5], r"must lie in \[0, 1\]. Got values from 0.5 to 1.5"),
        (SoftLabels(), [0.5, -0.5], r"Pass scale='signed'"),
        (SoftLabels("signed"), [-2, 0], r"must lie in \[-1, 1\]"),
        (SoftLabels(), [None, np.nan], r"must have soft labels. Got none"),
        (SoftLabels(), ["yes", "no"], r"Soft labels must be numbers. Got values such as 'yes'"),
        (SoftLabels(), [0.1], r"for each of the 2 rows"),
        (SoftLabels(), [[0.5, 0.6], [0.5, 0.5]], r"must sum to 1"),
        (SoftLabels("signed"), [[0.5, 0.5], [0.5, 0.5]], r"must be probabilities"),
        (SoftLabels(classes=["a", "b", "c"]), [0.5, 0.6], r"classes must name 2 different classes"),
        (CrowdVotes(), [1, 0], r"Votes must be a table"),
        (CrowdVotes(), [[None, None], [None, np.nan]], r"must have votes. Got none"),
        (FlipRates(0.5), [0, 1], r"must sum to less than 1"),
        (PositiveUnlabeled(0.5), [0, None], r"The negative class needs a name. Got only 0"),
        (PositiveUnlabeled(0.5, positive=2), [0, 1], r"labels of the positive class, 2. Got \[0, 1\]"),
    ],
)
def test_bad_labels(model, y, message):
    with pytest.raises(ValueError, match=message):
        model.read(y, 2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SoftLabels("log"), r"scale must be 'signed', 'probability'. Got 'log'"),
        (lambda: CrowdVotes("mean"), r"method must be 'dawid_skene', 'majority'. Got 'mean'"),
        (lambda: CrowdVotes(max_iterations=0), r"max_iterations"),
        (lambda: CrowdVotes(prior_votes=-1), r"prior_votes must be in \[0, inf\)"),
        (lambda: FlipRates(), r"needs a rate for all classes, or positive and negative"),
        (lambda: FlipRates(0.1, positive=0.2), r"Got both or neither"),
        (lambda: FlipRates(-0.1), r"rate must be in \[0, 1\)"),
        (lambda: FlipRates("much"), r"rate must be a number in \[0, 1\). Got 'much'"),
        (lambda: FlipRates(positive=0.7, negative=0.4), r"must sum to less than 1"),
        (lambda: PositiveUnlabeled(), r"needs prior, the share of positives in the population.*Got none"),
        (lambda: PositiveUnlabeled(1.0), r"prior must be in \(0, 1\)"),
        (lambda: PositiveUnlabeled(0.5).set_params(prior=2), r"prior must be in \(0, 1\)"),
        (lambda: PositiveUnlabeled(0.5).set_params(rate=0.2), r"has the parameters prior, positive.*Got 'rate'"),
    ],
)
def test_wrong_parameters_are_told_at_once(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_parameters_of_label_models_can_be_searched():
    """That they arrive. Held-out labels that are flipped themselves cannot choose (docs/labels.md)."""
    X, _, truth, rng, n = problem(rows=600, labeled=300)
    y = np.where(np.arange(600) < n, truth ^ (rng.random(600) < np.where(truth == 1, 0.4, 0.0)), np.nan)
    base = ab.TableClassifier(effort="fast", random_state=0, label_model=FlipRates(positive=0.4, negative=0.0))
    rates = {"label_model__positive": [0.0, 0.4]}
    search = GridSearchCV(base, rates, cv=LabeledSplit(3), scoring=labeled_scorer("neg_log_loss")).fit(X, y)
    assert set(search.cv_results_["param_label_model__positive"]) == {0.0, 0.4}
    assert len(set(search.cv_results_["mean_test_score"])) == 2  # the parameter has arrived
    assert base.label_model == FlipRates(positive=0.4, negative=0.0)  # clones have been changed, not ours
    model = clone(base).set_params(label_model__positive=0.1)
    assert model.label_model == FlipRates(positive=0.1, negative=0.0)
    assert base.get_params()["label_model__positive"] == 0.4


def test_class_weights_go_with_votes():
    """Corrected votes may leave [-1, 1]; with weights of classes they are cut."""
    X, _, truth, rng, n = problem(rows=500, labeled=200)
    votes = np.where(rng.random((500, 4)) < 0.7, truth[:, None], 1 - truth[:, None]).astype(float)
    votes[n:] = np.nan
    assert np.abs(CrowdVotes().read(votes, 500).targets).max() > 1
    plain, more = (
        ab.TableClassifier(effort="fast", random_state=0, label_model=CrowdVotes(), class_weight=weight).fit(X, votes)
        for weight in (None, {0: 1, 1: 8})
    )
    assert more.predict_proba(X)[:, 1].mean() > plain.predict_proba(X)[:, 1].mean() + 0.1


def test_flip_rates_per_class_are_for_two_classes():
    with pytest.raises(ValueError, match=r"for two classes. Got 3"):
        FlipRates(positive=0.1).read([0, 1, 2], 3)


def test_symmetric_flips_among_several_classes_are_corrected():
    """Of each one-against-rest problem: E[stand-in | true class] is the clean label."""
    rate, k = 0.3, 4
    model = FlipRates(rate)
    targets = model.read(np.arange(k), k).targets  # by observed class
    for true in range(k):
        chance = np.where(np.arange(k) == true, 1 - rate, rate / (k - 1))
        np.testing.assert_allclose(chance @ targets, np.where(np.arange(k) == true, 1.0, -1.0))


def test_label_models_must_be_label_models():
    X, y, _ = table()
    with pytest.raises(ValueError, match=r"label_model must be None or a label model .* Got 'soft'"):
        ab.AgnosticBoostingClassifier(label_model="soft", **FAST).fit(X, y)


# ----------------------------------------------------------------------- flips


def test_audited_rates_cover_the_truth():
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(300):
        true = rng.integers(2, size=80)
        observed = np.where(rng.random(80) < np.where(true == 1, 0.3, 0.1), 1 - true, true)
        found = audit_flip_rates(observed, true)
        inside = [
            low <= rate <= high
            for (low, high), rate in ((found.positive_interval, 0.3), (found.negative_interval, 0.1))
        ]
        covered += inside[0] and inside[1]
    assert covered / 300 > 0.9  # both at once, of two 95% intervals
    assert found.label_model == FlipRates(positive=found.positive, negative=found.negative)


def test_audits_need_two_classes():
    with pytest.raises(ValueError, match="of the same two classes"):
        audit_flip_rates([0, 0], [1, 1])


# ------------------------------------------------------------------- positives


@pytest.mark.parametrize(("given", "classes"), [(1, [0, 1]), (1.0, [0.0, 1.0]), (True, [False, True])])
def test_the_negative_class_has_a_name(given, classes):
    found = PositiveUnlabeled(0.3).read(np.array([given, None, None], dtype=object), 3)
    assert found.classes.tolist() == classes
    assert PositiveUnlabeled(0.3, negative="a").read(["b", None], 2).classes.tolist() == ["a", "b"]


def test_unlabeled_rows_that_are_used_are_counted(monkeypatch, tmp_path):
    """Of 300 unlabeled rows 120 stand for all where they train; where they only place bins all are looked at."""
    monkeypatch.setattr("agnoboost.estimators.table.estimator.MOST_UNLABELED_TERMS", 120)
    X, _, truth, _, _ = problem(rows=400)
    y = np.where((np.arange(400) < 100) & (truth == 1), 1.0, np.nan)
    model = ab.TableClassifier(label_model=PositiveUnlabeled(0.5), effort="fast", random_state=0).fit(X, y)
    assert (model.n_unlabeled_, model.n_unlabeled_used_) == (int(np.isnan(y).sum()), 120)
    model.save(tmp_path / "m.agno")
    assert ab.load(tmp_path / "m.agno").n_unlabeled_used_ == 120
    y = np.where(np.arange(400) < 100, truth, np.nan)
    plain = ab.TableClassifier(effort="fast", random_state=0).fit(X, y)
    assert (plain.n_unlabeled_, plain.n_unlabeled_used_) == (300, 300)


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_the_positive_class_may_come_first(kind):
    """Names do not matter: the same margins, with the other sign."""
    X, p, truth, _, _ = problem()
    prior = float(p.mean())
    for negatives in (0, 20):
        first, second = np.flatnonzero(truth[:400] == 1)[:80], np.flatnonzero(truth[:400] == 0)[:negatives]
        y, names = np.full(len(X), np.nan), np.full(len(X), None)
        y[first], y[second], names[first], names[second] = 1, 0, "good", "zero"
        last = CLASSIFIERS[kind](label_model=PositiveUnlabeled(prior, negative=0)).fit(X, y)
        front = CLASSIFIERS[kind](label_model=PositiveUnlabeled(prior, positive="good", negative="zero")).fit(X, names)
        assert front.classes_.tolist() == ["good", "zero"]
        found, expected = front.predict_proba(X)[:, 0], last.predict_proba(X)[:, 1]
        assert roc_auc_score(truth, found) == pytest.approx(roc_auc_score(truth, expected), abs=0.03)
        assert np.mean(np.abs(found - expected)) < 0.05


def test_positives_among_the_unlabeled_rows():
    """together: labeled positives are part of the sample of the population."""
    X, y = np.arange(8.0).reshape(4, 2), [1, None, None, None]
    _, apart = PositiveUnlabeled(0.25).pools(X, y)
    labeled, together = PositiveUnlabeled(0.25, together=True).pools(X, y)
    assert (len(apart), len(together)) == (3, 4)
    np.testing.assert_allclose(np.bincount((labeled.y > 0).astype(int), labeled.mass * labeled.y), [-1.0, 0.5])


def test_positives_do_not_go_with_class_weights_or_thresholds():
    X, _, truth, _, _ = problem()
    y = np.where((truth == 1) & (np.arange(len(X)) < 200), 1.0, np.nan)
    model = PositiveUnlabeled(0.5)
    with pytest.raises(ValueError, match="class_weight does not go with PositiveUnlabeled"):
        ab.AgnosticBoostingClassifier(label_model=model, class_weight="balanced", **FAST).fit(X, y)
    with pytest.raises(ValueError, match="unlabeled_weight must be 1"):
        ab.AgnosticBoostingClassifier(label_model=model, unlabeled_weight=0.5, **FAST).fit(X, y)
    with pytest.raises(ValueError, match=r"Got too few labels.* X_val and y_val"):
        ab.AgnosticBoostingClassifier(label_model=model, tune_threshold=True, **FAST).fit(X, y)
    with pytest.raises(ValueError, match=r"needs unlabeled rows. Got none"):
        ab.AgnosticBoostingClassifier(label_model=model, **FAST).fit(X, np.ones(len(X)))
    chosen = ab.AgnosticBoostingClassifier(label_model=model, tune_threshold=True, **FAST)
    chosen.fit(X, y, X_val=X[:100], y_val=truth[:100])
    assert chosen.score(X[200:], truth[200:]) > 0.7


def test_few_positives_among_very_many_unlabeled_rows(monkeypatch):
    """Some unlabeled rows stand for all of them; positives count one by one."""
    from agnoboost.estimators.table import estimator as classifier

    monkeypatch.setattr(classifier, "MOST_UNLABELED_TERMS", 200)
    X, p, truth, _, _ = problem(rows=2000)
    positives = np.flatnonzero(truth[:300] == 1)[:60]
    y = np.full(2000, np.nan)
    y[positives] = 1
    model = ab.TableClassifier(random_state=0, label_model=PositiveUnlabeled(float(p.mean()))).fit(X, y)
    assert (model.n_labeled_, model.n_unlabeled_) == (60, 1940)
    assert roc_auc_score(truth[300:], model.decision_function(X[300:])) > 0.85
