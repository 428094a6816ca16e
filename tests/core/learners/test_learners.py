"""Fast learners against brute force, ties and boundaries included."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_learners import best_parity, best_stump, greedy_tree
from problems import cube
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from agnoboost import (
    Batch,
    ClassifierLearner,
    HistogramStumpLearner,
    HistogramTreeLearner,
    LinearLearner,
    ParityLearner,
    ProbabilityLearner,
    StumpLearner,
    TreeLearner,
    bernoulli,
)
from agnoboost.core.learners import LEARNERS, CategoryStump, Constant, Stump
from agnoboost.core.learners.tree import Cut, Leaf, Split, Tree
from agnoboost.testing import check_learner


def random_batch(seed, rows=25, features=3, levels=4):
    """Few levels of values, targets and masses: ties everywhere, zero masses included."""
    rng = np.random.default_rng(seed)
    X = rng.integers(levels, size=(rows, features)).astype(float)
    target = rng.integers(-2, 3, rows) / 2
    mass = rng.integers(0, 3, rows).astype(float) + (np.arange(rows) == 0)
    return Batch(X, target, mass / mass.sum())


@settings(deadline=None, max_examples=150)
@given(st.integers(0, 10**6), st.integers(1, 30), st.integers(1, 4), st.integers(1, 5))
def test_stumps_equal_brute_force(seed, rows, features, levels):
    batch, rng = random_batch(seed, rows, features, levels), np.random.default_rng(0)
    expected = best_stump(batch)
    assert StumpLearner().fit(batch, rng) == expected
    assert HistogramStumpLearner.from_data(batch.X).fit(batch, rng) == expected


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 25), st.integers(1, 3))
def test_trees_equal_brute_force(seed, rows, depth):
    batch = random_batch(seed, rows)
    expected = greedy_tree(batch, depth)
    assert TreeLearner(depth).fit(batch, np.random.default_rng(0)) == expected


def holes(seed, rows, categorical):
    """Missing values in every column; some columns categorical."""
    batch = random_batch(seed, rows)
    rng = np.random.default_rng([seed, 1])
    X = np.where(rng.random(batch.X.shape) < 0.25, np.nan, batch.X)
    return Batch(X, batch.target, batch.mass), [feature for feature in range(3) if categorical & (1 << feature)]


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 20), st.integers(0, 7))
def test_stumps_with_missing_values_and_categories_equal_brute_force(seed, rows, flags):
    batch, categorical = holes(seed, rows, flags)
    found = HistogramStumpLearner.from_data(batch.X, categorical=categorical).fit(batch, np.random.default_rng(0))
    expected = best_stump(batch, categorical)
    assert found == expected


def test_missing_values_go_to_the_better_side_and_unseen_ones_to_neither(rng):
    X = np.array([[0.0], [1.0], [np.nan], [np.nan]])
    batch = Batch(X, np.array([-1.0, 1.0, -1.0, -0.5]), np.full(4, 0.25))
    stump = HistogramStumpLearner.from_data(X).fit(batch, rng)
    assert stump == Stump(0, 0.5, 1, missing=-1)
    unseen = HistogramStumpLearner.from_data(X[:2]).fit(Batch(X[:2], np.array([-1.0, 1.0]), np.full(2, 0.5)), rng)
    assert unseen.predict(X).tolist() == [-1.0, 1.0, 0.0, 0.0]


def test_sums_of_stumps_with_missing_values_and_categories_collapse_exactly(rng):
    X = np.column_stack([rng.normal(size=50), rng.integers(4, size=50), rng.integers(3, size=50)]).astype(float)
    X[rng.random(X.shape) < 0.3] = np.nan
    stumps = [Stump(0, float(rng.normal()), int(rng.choice([-1, 1])), int(rng.integers(-1, 2))) for _ in range(20)]
    sets = [CategoryStump(1 + i % 2, (0, 2), (1,), int(rng.integers(-1, 2))) for i in range(10)]
    for group in (stumps, sets):
        coefs = rng.integers(1, 9, len(group)).tolist()
        expected = sum(coef * h.predict(X) for h, coef in zip(group, coefs, strict=True))
        assert np.array_equal(type(group[0]).weighted_sum(group, coefs, X), expected)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(0, 4))
def test_parities_equal_brute_force(seed, n, degree):
    rng = np.random.default_rng(seed)
    X = rng.choice([-1.0, 1.0], size=(40, n))
    batch = Batch(X, rng.integers(-2, 3, 40) / 2, np.full(40, 1 / 40))
    assert ParityLearner(degree).fit(batch, rng) == best_parity(batch, min(degree, n))


def test_continuous_features_equal_brute_force(rng):
    for _ in range(20):
        batch = Batch(rng.normal(size=(40, 3)), rng.uniform(-1, 1, 40), rng.dirichlet(np.ones(40)))
        assert StumpLearner().fit(batch, rng) == best_stump(batch)
        assert TreeLearner(2).fit(batch, rng) == greedy_tree(batch, 2)


def test_depth_one_trees_are_at_least_as_good_as_stumps(rng):
    for seed in range(50):
        batch = random_batch(seed)
        tree, stump = TreeLearner(1).fit(batch, rng), StumpLearner().fit(batch, rng)
        assert batch.corr(tree.predict(batch.X)) >= batch.corr(stump.predict(batch.X))


def test_histograms_with_few_bins_lose_only_thresholds(rng):
    X = rng.normal(size=(3000, 2))
    batch = Batch(X, np.where(X[:, 1] > 0.3, 0.9, -0.9), np.full(3000, 1 / 3000))
    coarse = HistogramStumpLearner.from_data(X, max_bins=16)
    exact = StumpLearner().fit(batch, rng)
    found = coarse.fit(batch, rng)
    assert found.feature == exact.feature == 1
    cuts = coarse.bins.cuts[1]
    assert found.threshold in cuts
    best = max(abs(batch.corr(Stump(1, cut, 1).predict(X))) for cut in cuts)
    assert batch.corr(found.predict(X)) == best


def test_ties_go_to_the_lowest_feature_then_threshold():
    X = np.array([[0.0, 0.0], [1.0, 1.0]])
    batch = Batch(X, np.array([-1.0, 1.0]), np.array([0.5, 0.5]))
    assert StumpLearner().fit(batch, None) == Stump(0, 0.5, 1)
    nothing = Batch(X, np.zeros(2), np.array([0.5, 0.5]))
    assert StumpLearner().fit(nothing, None) == Stump(0, float("-inf"), 1)


def test_thresholds_separate_neighbours_in_floating_point():
    for dtype in (np.float64, np.float32):
        for skip in range(4):  # the midpoint of every second pair rounds up in the rows' own precision
            low = dtype(1.0)
            for _ in range(skip):
                low = np.nextafter(low, dtype(2))
            X = np.array([low, np.nextafter(low, dtype(2))], dtype=dtype)[:, None]
            batch = Batch(X, np.array([-1.0, 1.0]), np.array([0.5, 0.5]))
            for learner in (StumpLearner(), TreeLearner(1), HistogramStumpLearner.from_data(X)):
                assert learner.fit(batch, None).predict(X).tolist() == [-1.0, 1.0]
    huge = np.array([[-1.7e308], [1.7e308]])
    stump = StumpLearner().fit(Batch(huge, np.array([-1.0, 1.0]), np.array([0.5, 0.5])), None)
    assert np.isfinite(stump.threshold)


def test_values_on_a_threshold_are_not_above_it():
    X = np.array([[1.0], [2.0]])
    assert Stump(0, 1.0, 1).predict(X).tolist() == [-1.0, 1.0]
    assert Tree(Split(Cut(0, 1.0), Leaf(-1), Leaf(1))).predict(X).tolist() == [-1.0, 1.0]


def test_a_correlation_of_zero_takes_the_positive_sign():
    X = cube(2)
    nothing = Batch(X, np.zeros(4), np.full(4, 0.25))
    assert ParityLearner(2).fit(nothing, None).sign == 1
    assert TreeLearner(2).fit(nothing, None) == Tree(Leaf(1))


def test_the_conformance_check_catches_bad_learners(rng):
    class Negated(StumpLearner):
        def fit(self, batch, rng):
            best = super().fit(batch, rng)
            return Stump(best.feature, best.threshold, -best.sign)

    with pytest.raises(AssertionError, match="the best constant has a larger edge"):
        check_learner(Negated(), rng.normal(size=(40, 2)), exact=True)


def test_learners_do_not_confuse_matrices(rng):
    """The memory of the last matrix goes by identity, not by shape."""
    learner = StumpLearner()
    for seed in range(5):
        batch = random_batch(seed)
        assert learner.fit(batch, rng) == StumpLearner().fit(batch, rng)


EXAMPLES = {
    "stump": lambda X: StumpLearner(),
    "histogram_stump": lambda X: HistogramStumpLearner.from_data(X),
    "tree": lambda X: TreeLearner(3),
    "histogram_tree": lambda X: HistogramTreeLearner.from_data(X, 3, categorical=[0]),
    "parity": lambda X: ParityLearner(2),
    "linear": lambda X: LinearLearner(),
    "classifier": lambda X: ClassifierLearner(DecisionTreeClassifier(max_depth=3, max_features=1)),
    "probability": lambda X: ProbabilityLearner(LogisticRegression()),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_every_registered_learner_conforms(name):
    X = (cube(5) + 1) / 2 if name == "histogram_tree" else cube(5)
    learner = EXAMPLES[name](X)
    learner.check(X)
    check_learner(learner, X, exact=name not in ("histogram_tree", "classifier", "probability"))  # with -1 and +1


@pytest.mark.parametrize(
    "estimator",
    [
        DecisionTreeClassifier(max_depth=1),
        GaussianNB(),
        Perceptron(),
        make_pipeline(StandardScaler(), KNeighborsClassifier(3)),
        KNeighborsClassifier(3),
    ],
)
def test_scikit_learn_classifiers_conform(estimator, rng):
    check_learner(ClassifierLearner(estimator), rng.normal(size=(60, 3)))


def test_the_adapter_equals_the_stump_where_a_stump_is_right(rng):
    for feature in range(3):
        X = rng.normal(size=(80, 3))
        target = np.where(X[:, feature] > 0.1, 0.8, -0.8)
        batch = Batch(X, target, rng.dirichlet(np.ones(80)))
        tree = ClassifierLearner(DecisionTreeClassifier(max_depth=1)).fit(batch, rng)
        stump = StumpLearner().fit(batch, rng)
        assert np.array_equal(tree.predict(X), stump.predict(X))
        assert tree.estimator.tree_.threshold[0] == pytest.approx(stump.threshold)


def test_fractional_labels_become_two_weighted_copies(rng):
    class Recorder(DecisionTreeClassifier):
        def fit(self, X, y, sample_weight=None):
            type(self).seen = (X.copy(), y.copy(), sample_weight.copy())
            return super().fit(X, y, sample_weight)

    batch = Batch(np.array([[0.0], [1.0], [2.0]]), np.array([1.0, 0.5, -1.0]), np.array([0.2, 0.4, 0.4]))
    ClassifierLearner(Recorder(max_depth=1)).fit(batch, rng)
    X, y, weight = Recorder.seen
    assert X[:, 0].tolist() == [0.0, 1.0, 1.0, 2.0]
    assert y.tolist() == [1, 1, -1, -1]
    assert weight == pytest.approx(np.array([0.2, 0.3, 0.1, 0.4]) * 4)


def test_one_class_gives_a_constant(rng):
    batch = Batch(np.zeros((3, 1)), -np.ones(3), np.full(3, 1 / 3))
    assert ClassifierLearner(LogisticRegression()).fit(batch, rng) == Constant(-1)


def test_classifiers_without_weights_see_hard_labels(rng):
    learner = ClassifierLearner(KNeighborsClassifier(1))
    assert learner.needs_hard_labels
    assert not ClassifierLearner(DecisionTreeClassifier()).needs_hard_labels
    X = rng.normal(size=(50, 2))
    batch = bernoulli(200)(Batch(X, np.where(X[:, 0] > 0, 1.0, -1.0), np.full(50, 0.02)), rng)
    assert batch.corr(learner.fit(batch, rng).predict(batch.X)) == pytest.approx(1.0)


def test_bad_learners_are_refused(rng):
    with pytest.raises(ValueError, match=r"features in \{-1, \+1\}"):
        ParityLearner(2).check(rng.normal(size=(3, 3)))
    with pytest.raises(ValueError, match="degree must be a whole number"):
        ParityLearner(-1)
    with pytest.raises(ValueError, match="max_depth must be a whole number"):
        TreeLearner(0)
    for bad in ("stump", LinearRegression(), DecisionTreeClassifier):
        with pytest.raises(ValueError, match="scikit-learn classifier with fit and predict"):
            ClassifierLearner(bad)
    with pytest.raises(ValueError, match="must have predict_proba"):
        ProbabilityLearner(Perceptron())
    with pytest.raises(ValueError, match="must have 3 features"):
        HistogramStumpLearner.from_data(rng.normal(size=(5, 3))).check(rng.normal(size=(5, 2)))
    for bad in ([[0.5]], [[-1.0]], [[255.0]]):
        with pytest.raises(ValueError, match="whole numbers from 0 to 254"):
            HistogramStumpLearner.from_data(np.array(bad), categorical=[0])
    with pytest.raises(ValueError, match="column numbers below 3"):
        HistogramStumpLearner.from_data(rng.normal(size=(5, 3)), categorical=[7])
    with pytest.raises(ValueError, match=r"max_bins must be in \[2, 255\]"):
        HistogramStumpLearner.from_data(rng.normal(size=(5, 3)), max_bins=300)


def test_the_size_of_the_parity_class():
    assert ParityLearner(3).size(5) == 2 * (1 + 5 + 10 + 10)
    assert ParityLearner(3).size(40) == 2 * 10_701
