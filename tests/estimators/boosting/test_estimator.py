import pickle

import numpy as np
import pytest
import sklearn
from partly_labeled import FAST, table
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV, calibration_curve
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from agnoboost import AgnosticBoostingClassifier, HistogramStumpLearner, ParityLearner, TreeLearner
from agnoboost.core.learners.stump import CategoryStump
from agnoboost.core.tape import Add, Shrink
from agnoboost.estimators.boosting.parameters import ALGORITHMS
from agnoboost.evaluation.model_selection import LabeledSplit

pd = pytest.importorskip("pandas")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("weak_learner", ["tree", "stump", DecisionTreeClassifier(max_depth=2)])
def test_every_algorithm_and_learner_learns(algorithm, weak_learner):
    X, y, truth = table(labeled=200)
    shift = 2.0 if algorithm == "algorithm3" else 1.0
    model = AgnosticBoostingClassifier(algorithm, weak_learner, shift=shift, **FAST).fit(X, y)
    assert (model.n_labeled_, model.n_unlabeled_) == (200, 200)
    # One-pass boosters see six rows a round here: that they run and beat nothing by far is all that can be asked.
    assert model.score(X[200:], truth[200:]) > (0.45 if algorithm in ("pab", "gs24") else 0.72)
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("weak_learner", ["tree", "stump"])
def test_multiclass(weak_learner):
    X, y, truth = table(rows=600, labeled=300, classes=4)
    model = AgnosticBoostingClassifier(weak_learner=weak_learner, **FAST).fit(X, y)
    assert len(model.tape_) == len(model.history_.runs) == 4
    assert model.decision_function(X).shape == model.predict_proba(X).shape == (600, 4)
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(1.0)
    assert model.score(X[300:], truth[300:]) > 0.55
    assert np.array_equal(model.predict_proba(X).argmax(axis=1), model.predict(X))


def test_unlabeled_rows_in_y_and_apart_are_the_same():
    X, y, _ = table()
    inside = AgnosticBoostingClassifier(unlabeled_weight=1.0, **FAST).fit(X, y)
    apart = AgnosticBoostingClassifier(unlabeled_weight=1.0, **FAST).fit(X[:120], y[:120], X_unlabeled=X[120:])
    marked = AgnosticBoostingClassifier(unlabeled_weight=1.0, **FAST).fit(X, np.where(np.isnan(y), -1, y).astype(int))
    assert inside.tape_ == apart.tape_ == marked.tape_
    alone = AgnosticBoostingClassifier(unlabeled_weight=1.0, **FAST).fit(X[:120], y[:120])
    assert alone.tape_ != inside.tape_


def test_the_seed_decides_and_jobs_do_not():
    X, y, _ = table()
    first = AgnosticBoostingClassifier(**FAST).fit(X, y)
    assert first.tape_ == AgnosticBoostingClassifier(**FAST, n_jobs=2).fit(X, y).tape_
    assert first.tape_ != AgnosticBoostingClassifier(**{**FAST, "random_state": 1}).fit(X, y).tape_


def test_stages_end_at_the_model():
    for classes in (2, 3):
        X, y, _ = table(classes=classes)
        model = AgnosticBoostingClassifier(**FAST).fit(X, y)
        decisions, predictions = list(model.staged_decision_function(X)), list(model.staged_predict(X))
        assert len(decisions) == len(predictions) == model.n_rounds_ + 1
        assert np.array_equal(decisions[-1], model.decision_function(X))
        assert np.array_equal(predictions[-1], model.predict(X))


def test_string_labels_and_a_score_that_leaves_unlabeled_rows_out():
    X, y, _ = table()
    words = np.array(["no", "yes"], dtype=object)[np.nan_to_num(y).astype(int)]
    words[np.isnan(y)] = None
    model = AgnosticBoostingClassifier(**FAST).fit(X, words)
    assert model.classes_.tolist() == ["no", "yes"]
    assert set(model.predict(X)) <= {"no", "yes"}
    expected = np.mean(model.predict(X[:120]) == words[:120])
    assert model.score(X, words) == pytest.approx(expected)
    with pytest.raises(ValueError, match="score needs labeled rows"):
        model.score(X[120:], words[120:])


def test_missing_values_and_categories_need_no_preparation():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "colour": pd.Categorical(rng.choice(["red", "green", "blue", "grey"], 500)),
            "size": rng.normal(size=500),
            "shape": rng.choice(["round", "square"], 500),
            "n": pd.array(rng.integers(5, size=500), dtype="Int64"),
        }
    )
    truth = np.where(frame["colour"].isin(["red", "grey"]), 1, 0) ^ (frame["size"] > 1).to_numpy()
    frame.loc[::6, "size"] = np.nan
    frame.loc[::9, "colour"] = None
    frame.loc[::11, "n"] = pd.NA
    y = truth.astype(float)
    y[200:] = np.nan
    for learner in ("tree", "stump"):
        model = AgnosticBoostingClassifier(weak_learner=learner, **FAST).fit(frame, y)
        assert model._encoder.categorical == [0, 2]
        known = frame["colour"].notna().to_numpy()
        assert np.mean(model.predict(frame[200:])[known[200:]] == truth[200:][known[200:]]) > 0.8
        assert model.feature_importances_.sum() == pytest.approx(1.0)
        assert model.feature_importances_[:2].min() > model.feature_importances_[2:].max()  # colour and size
    assert any(isinstance(s, Add) and isinstance(s.hypothesis, CategoryStump) for s in model.tape_.steps)
    odd = frame[:5].assign(colour="purple")  # a colour never seen counts as missing
    gone = frame[:5].assign(colour=None)
    with pytest.warns(UserWarning, match="No value of column 'colour' was seen"):
        found = model.decision_function(odd)
    assert np.array_equal(found, model.decision_function(gone))


def test_categories_by_number_and_by_name():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(6, size=300), rng.normal(size=300)])
    y = np.isin(X[:, 0], (1, 3, 5)).astype(int)  # no threshold tells these apart
    plain = AgnosticBoostingClassifier(weak_learner="stump", **FAST).fit(X[:150], y[:150])
    sets = AgnosticBoostingClassifier(weak_learner="stump", categorical_features=[0], **FAST).fit(X[:150], y[:150])
    assert sets.score(X[150:], y[150:]) == 1.0
    assert sets.tape_.prefix(1).margin(X) @ (2 * y - 1) > plain.tape_.prefix(1).margin(X) @ (2 * y - 1)
    frame = pd.DataFrame(X, columns=["kind", "size"])
    named = AgnosticBoostingClassifier(weak_learner="stump", categorical_features=["kind"], **FAST)
    assert named.fit(frame[:150], y[:150]).tape_ == sets.tape_
    for bad, message in (
        (["colour"], "must name columns of X"),
        ("kind", "must be 'auto', None, or a list"),
        ([7], "not among"),
    ):
        with pytest.raises(ValueError, match=message):
            AgnosticBoostingClassifier(categorical_features=bad).fit(frame, y)


def test_polars_frames():
    polars = pytest.importorskip("polars")
    X, y, _ = table()
    words = np.where(X[:, 5] > 0, "u", "v")
    columns = {f"x{i}": X[:, i] for i in range(5)} | {"w": words}
    a = AgnosticBoostingClassifier(**FAST).fit(polars.DataFrame(columns), y)
    b = AgnosticBoostingClassifier(**FAST).fit(pd.DataFrame(columns), y)
    assert a.tape_ == b.tape_
    assert a.feature_names_in_.tolist() == list(columns)
    assert np.array_equal(a.predict(polars.DataFrame(columns)), b.predict(pd.DataFrame(columns)))


def test_inside_scikit_learn(rng):
    X, y, truth = table(labeled=150)
    model = AgnosticBoostingClassifier(**FAST)
    piped = make_pipeline(StandardScaler(), model).fit(X, y)
    assert np.mean(piped.predict(X[150:]) == truth[150:]) > 0.7
    search = GridSearchCV(model, {"weak_learner": ["stump", "tree"], "step_size": [0.02, 0.1]}, cv=LabeledSplit(3))
    search.fit(X, y)
    assert search.best_score_ > 0.7
    calibrated = CalibratedClassifierCV(model, cv=3).fit(X[:150], y[:150])
    assert calibrated.predict_proba(X).shape == (400, 2)
    assert cross_val_predict(model, X[:150], y[:150], cv=3).shape == (150,)
    assert clone(model).get_params() == model.get_params()
    fitted = model.fit(X, y)
    assert np.array_equal(pickle.loads(pickle.dumps(fitted)).decision_function(X), fitted.decision_function(X))


def test_metadata_routing_of_weights_and_unlabeled_rows():
    X, y, _ = table(labeled=150)
    with sklearn.config_context(enable_metadata_routing=True):
        model = AgnosticBoostingClassifier(unlabeled_weight=1.0, **FAST)
        model.set_fit_request(sample_weight=True, X_unlabeled=True)
        weights = np.linspace(0.5, 2, 150)
        piped = make_pipeline(model).fit(X[:150], y[:150], sample_weight=weights, X_unlabeled=X[150:])
        direct = clone(model).fit(X[:150], y[:150], weights, X_unlabeled=X[150:])
        assert piped[-1].tape_ == direct.tape_


def test_scikit_learn_callbacks():
    callback = pytest.importorskip("sklearn.callback")

    class Stop:
        def __init__(self):
            self.rounds, self.ended = 0, 0

        def setup(self, estimator, context):
            pass

        def teardown(self, estimator, context):
            self.ended += 1

        def on_fit_task_begin(self, estimator, context):
            pass

        def on_fit_task_end(self, estimator, context):
            self.rounds += context.task_name == "round"
            return self.rounds == 7

    assert isinstance(Stop(), callback.FitCallback)
    X, y, _ = table()
    stop = Stop()
    model = AgnosticBoostingClassifier(**FAST).set_callbacks(stop).fit(X, y)
    assert (model.n_rounds_, stop.rounds, stop.ended) == (7, 7, 1)


def test_unlabeled_weight_auto_says_what_it_chose_and_why():
    X, y, _ = table(rows=900, labeled=450)
    choice = AgnosticBoostingClassifier(**FAST).fit(X, y).history_.choice
    assert {0.0, 0.5} <= set(choice.losses) <= {0.0, 0.5, 1.0}
    assert choice.unlabeled_weight in choice.losses
    assert "5-fold cross-validation over 450 labeled rows" in choice.reason
    assert "by unlabeled weight 0: -" in choice.reason
    assert choice.held_out.margins.shape == (450, 1)
    X, y, _ = table(labeled=150)
    choice = AgnosticBoostingClassifier(**FAST).fit(X, y).history_.choice
    assert set(choice.losses) == {0.0}
    assert "unlabeled rows left out: 150 labels cannot tell weights apart" in choice.reason
    few = AgnosticBoostingClassifier(**FAST).fit(X, np.where(np.arange(400) < 30, y, np.nan))
    assert "no labels left out (2 classes with 14 to 16 labels)" in few.history_.choice.reason
    assert few.history_.choice.unlabeled_weight == 0.0


def test_unlabeled_rows_that_hurt_are_left_out():
    """Rows from elsewhere pull the margins to zero where the labels are; safe mode must notice."""
    X, y, _ = table(labeled=300, rows=300, flips=0.0)
    far = np.tile(X[:50], (20, 1)) + np.random.default_rng(0).normal(scale=0.01, size=(1000, 6))
    model = AgnosticBoostingClassifier(**FAST).fit(X, y, X_unlabeled=far * [1, -1, 1, 1, 1, 1])
    assert model.history_.choice.unlabeled_weight == 0.0


def test_validation_rows_of_the_users_own():
    X, y, truth = table(labeled=150)
    model = AgnosticBoostingClassifier(**FAST)
    model.fit(X[:250], y[:250], X_val=X[250:], y_val=truth[250:])
    assert "150 validation rows" in model.history_.choice.reason
    for bad in ({"X_val": X}, {"y_val": truth}):
        with pytest.raises(ValueError, match="given together"):
            model.fit(X, y, **bad)
    with pytest.raises(ValueError, match="only the classes of y"):
        model.fit(X, y, X_val=X[:3], y_val=[0, 1, 2])
    with pytest.raises(ValueError, match="only the classes of y"):
        model.fit(X, y, X_val=X[:3], y_val=[0, 1, np.nan])


def test_the_choice_never_sees_held_out_rows_of_others():
    """Labels outside fit cannot matter: the same model whatever they are."""
    X, y, truth = table(labeled=150)
    model = AgnosticBoostingClassifier(**FAST).fit(X, y)
    assert model.score(X[150:], truth[150:]) == pytest.approx(1 - model.score(X[150:], 1 - truth[150:]))


def test_imbalance():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 3))
    truth = (X[:, 0] + 0.7 * rng.normal(size=1500) > 1.6).astype(int)
    train, test = slice(0, 700), slice(700, None)

    def recall(**parameters):
        model = AgnosticBoostingClassifier(**FAST, **parameters).fit(X[train], truth[train])
        return np.mean(model.predict(X[test])[truth[test] == 1])

    plain = recall()
    assert recall(class_weight="balanced") > plain + 0.15
    assert recall(class_weight={0: 1, 1: 8}) > plain + 0.15
    assert recall(tune_threshold=True) > plain + 0.15


def test_a_tuned_threshold_moves_decisions_not_probabilities():
    X, y, _ = table(labeled=200)
    plain = AgnosticBoostingClassifier(**FAST).fit(X, y)
    tuned = AgnosticBoostingClassifier(tune_threshold=True, **FAST).fit(X, y)
    assert np.array_equal(plain.predict_proba(X), tuned.predict_proba(X))
    assert np.array_equal(tuned.decision_function(X) > 0, tuned.predict(X) == 1)
    with pytest.raises(ValueError, match="needs held-out labels"):
        AgnosticBoostingClassifier(tune_threshold=True, validation_fraction=None).fit(X, y)
    X3, y3, _ = table(labeled=200, classes=3)
    with pytest.raises(ValueError, match=r"two classes. Got 3"):
        AgnosticBoostingClassifier(tune_threshold=True, **FAST).fit(X3, y3)


def test_probabilities_are_calibrated_on_a_known_distribution():
    """P(y = 1|x) = .5 + .35*sign(x0): the Huber minimiser is the mean label, so (1 + psi'(H))/2 finds it."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 2))
    p = np.where(X[:, 0] > 0, 0.85, 0.3)
    y = (rng.random(6000) < p).astype(int)
    model = AgnosticBoostingClassifier(
        weak_learner="stump", n_rounds=400, batch_size=None, unlabeled_weight=1.0, random_state=0
    ).fit(X[:3000], np.where(np.arange(3000) < 2000, y[:3000], -1))
    estimate = model.predict_proba(X[3000:])[:, 1]
    assert np.abs(estimate - p[3000:]).mean() < 0.05
    share, mean = calibration_curve(y[3000:], estimate, n_bins=4, strategy="quantile")
    assert np.abs(share - mean).mean() < 0.05


def test_weights_count():
    X, _, truth = table(labeled=400, flips=0.0)
    wrong = np.arange(400) % 2 == 0
    noisy = np.where(wrong, 1 - truth, truth)
    model = AgnosticBoostingClassifier(**FAST).fit(X[:300], noisy[:300], np.where(wrong, 0.0, 1.0)[:300])
    assert model.score(X[300:], truth[300:]) > 0.8
    assert model.n_labeled_ == 150
    with pytest.raises(ValueError, match="nonnegative"):
        AgnosticBoostingClassifier(**FAST).fit(X, truth, -np.ones(400))
    with pytest.raises(ValueError, match="at least 2 classes"):
        AgnosticBoostingClassifier(**FAST).fit(X, truth, (truth == 1).astype(float))
    with pytest.raises(ValueError, match="takes no weights"):
        AgnosticBoostingClassifier("pab", **FAST).fit(X, truth, np.linspace(1, 2, 400))


def test_weak_learners_of_ones_own():
    X, y, _ = table(labeled=150)
    for learner in (TreeLearner(2), HistogramStumpLearner.from_data(X)):
        assert AgnosticBoostingClassifier(weak_learner=learner, **FAST).fit(X, y).score(X, y) > 0.7
    cube = np.sign(X)
    parity = AgnosticBoostingClassifier(weak_learner=ParityLearner(2), **FAST).fit(cube, y)
    assert parity.feature_importances_.shape == (6,)
    tree = AgnosticBoostingClassifier(weak_learner=DecisionTreeClassifier(max_depth=1), **FAST).fit(X, y)
    with pytest.raises(AttributeError, match="permutation_importance"):
        tree.feature_importances_  # noqa: B018
    with pytest.raises(ValueError, match="NaN"):
        AgnosticBoostingClassifier(weak_learner=TreeLearner(2), **FAST).fit(np.where(X > 2, np.nan, X), y)


def test_verbose_says_what_was_chosen(capsys):
    X, y, _ = table()
    AgnosticBoostingClassifier(verbose=1, **FAST).fit(X, y)
    assert "120 labeled and 280 unlabeled rows" in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore:On rows left out")
def test_case_b_happens_with_a_threshold():
    X, y, _ = table(labeled=150)
    model = AgnosticBoostingClassifier(threshold=0.3, **FAST).fit(X, y)
    assert any(isinstance(step, Shrink) for step in model.tape_.steps)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"algorithm": "algorithm9"}, "algorithm must be 'algorithm1'"),
        ({"weak_learner": "forest"}, "weak_learner must be 'tree', 'stump', or a classifier"),
        ({"weak_learner": 3}, "scikit-learn classifier"),
        ({"n_rounds": 0}, "n_rounds must be a whole number"),
        ({"n_rounds": 1.5}, "n_rounds must be a whole number"),
        ({"step_size": 0}, "step_size must be in"),
        ({"step_size": np.nan}, "step_size must be in"),
        ({"threshold": -1}, "threshold must be in"),
        ({"batch_size": 0}, "batch_size must be a whole number"),
        ({"batch_size": "all"}, "batch_size must be 'bootstrap', or a whole number or None"),
        ({"unlabeled_weight": 2}, "unlabeled_weight must be in"),
        ({"unlabeled_weight": "much"}, "unlabeled_weight must be 'auto', or a number"),
        ({"shift": 0.5}, "shift must be in"),
        ({"shift": 3.0}, "shift is for .*'algorithm3' only"),
        ({"validation_fraction": 0.9}, "validation_fraction must be in"),
        ({"validation_fraction": "some"}, "validation_fraction must be 'auto'"),
    ],
)
def test_bad_parameters_are_refused_before_work(parameters, message):
    X, y, _ = table()
    with pytest.raises(ValueError, match=message):
        AgnosticBoostingClassifier(**parameters).fit(X, y)


def test_bad_tables_are_refused():
    X, y, _ = table()
    model = AgnosticBoostingClassifier(**FAST)
    with pytest.raises(ValueError, match="infinity"):
        model.fit(np.where(X > 2, np.inf, X), y)
    with pytest.raises(ValueError, match=r"one label .* for each of the 400 rows"):
        model.fit(X, y[:-1])
    with pytest.raises(ValueError, match="features"):
        model.fit(X, y, X_unlabeled=X[:, :3])
    frame = pd.DataFrame(X).astype(object)
    frame.iloc[0, 0] = "x"
    frame.columns = [f"c{i}" for i in range(6)]
    with pytest.raises(ValueError, match=r"Column 'c0' must be numeric. Got values such as 'x'"):
        AgnosticBoostingClassifier(categorical_features=None).fit(frame, y)
    fitted = model.fit(pd.DataFrame(X, columns=list("abcdef")), y)
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(pd.DataFrame(X, columns=list("fedcba")))


def test_defaults_keep_up_with_a_forest():
    """A smoke test with clean margins; the honest comparison is a benchmark."""
    ours, forest = [], []
    for seed in range(3):
        X, y = make_classification(1200, 12, n_informative=5, flip_y=0.2, random_state=seed)
        ours.append(AgnosticBoostingClassifier(random_state=seed).fit(X[:150], y[:150]).score(X[150:], y[150:]))
        other = RandomForestClassifier(min_samples_leaf=5, random_state=seed).fit(X[:150], y[:150])
        forest.append(other.score(X[150:], y[150:]))
    assert np.mean(ours) > np.mean(forest) - 0.03
