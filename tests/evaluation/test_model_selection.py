import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, KFold, RepeatedStratifiedKFold, cross_val_score
from sklearn.semi_supervised import SelfTrainingClassifier

from agnoboost import TableClassifier
from agnoboost.evaluation.model_selection import LabeledSplit, drop_labels, flip_labels, labeled_scorer
from agnoboost.labels import CrowdVotes, PositiveUnlabeled, SoftLabels


@pytest.fixture
def data():
    X, y = make_classification(300, n_informative=4, random_state=0)
    marked = y.copy()
    marked[90:] = -1
    return X, y, marked


@pytest.mark.parametrize("mark", ["-1", "nan", "none"])
def test_folds(data, mark):
    X, _, y = data
    if mark == "nan":
        y = np.where(y == -1, np.nan, y)
    elif mark == "none":
        y = np.array([None if v == -1 else ("no", "yes")[v] for v in y], dtype=object)
    folds = list(LabeledSplit(4).split(X, y))
    assert len(folds) == LabeledSplit(4).get_n_splits() == 4
    tested = np.concatenate([test for _, test in folds])
    assert sorted(tested) == list(range(90))  # each labeled row once, no unlabeled one
    for train, test in folds:
        assert set(range(90, 300)) <= set(train)
        assert not set(train) & set(test)
        assert len(set(y[test].tolist())) == 2


def test_with_other_estimators(data):
    X, truth, y = data
    model = SelfTrainingClassifier(LogisticRegression())
    honest = cross_val_score(model, X, y, cv=LabeledSplit(5))
    assert (honest > 0.6).all()
    nonsense = cross_val_score(model, X, y, cv=5)  # counts the mark as a class
    assert nonsense.mean() < honest.mean() - 0.2
    grid = GridSearchCV(model, {"threshold": [0.6, 0.9]}, cv=LabeledSplit(3)).fit(X, y)
    assert accuracy_score(truth[90:], grid.predict(X[90:])) > 0.6


def test_any_splitter_can_be_wrapped(data):
    X, _, y = data
    assert len(list(LabeledSplit(RepeatedStratifiedKFold(n_splits=3, n_repeats=2)).split(X, y))) == 6
    for train, test in LabeledSplit(KFold(3)).split(X, y):
        assert len(train) + len(test) == 300


def test_scorers_mask_unlabeled_rows(data):
    X, truth, y = data
    model = LogisticRegression().fit(X[:90], truth[:90])
    assert labeled_scorer()(model, X, y) == model.score(X[:90], truth[:90])
    assert labeled_scorer("roc_auc")(model, X, np.where(y == -1, np.nan, y)) > 0.7
    scores = cross_val_score(
        SelfTrainingClassifier(LogisticRegression()),
        X,
        y,
        cv=KFold(3, shuffle=True, random_state=0),
        scoring=labeled_scorer(),
    )
    assert (scores > 0.5).all()


def test_too_few_labels_for_the_folds_is_an_error(data):
    X, _, y = data
    y = y.copy()
    y[:90] = 0
    y[:3] = 1
    with pytest.raises(ValueError, match=r"Got 5 folds and 3 labeled row.*class.*1.*Use fewer folds"):
        list(LabeledSplit(5).split(X, y))
    with pytest.raises(ValueError, match="cv must be a whole number of at least 2"):
        list(LabeledSplit(1).split(X, y))


def test_labels_that_are_no_classes_need_their_label_model_here_too(data):
    X, y, _ = data
    words = "LabeledSplit reads y as classes; if it holds something else, pass the classifier's label_model="
    with pytest.raises(ValueError, match=words):
        list(LabeledSplit(3).split(X, np.linspace(0.1, 0.9, len(y))))
    with pytest.raises(ValueError) as told:
        list(LabeledSplit(3, label_model=SoftLabels()).split(X, np.linspace(0.1, 1.9, len(y))))
    assert words not in str(told.value)


def test_a_fold_with_one_labeled_class_is_an_error(data):
    from agnoboost import AgnosticBoostingClassifier

    X, _, _ = data
    y = np.full(300, np.nan)
    y[:40] = 1.0
    with pytest.raises(ValueError, match=r"at least 2 classes. Got one class, .*1.*LabeledSplit"):
        AgnosticBoostingClassifier().fit(X, y)


def test_helpers_are_here_too(rng):
    y = drop_labels(flip_labels(np.arange(100) % 3, 0.2, rng), 0.5, rng)
    assert np.isnan(y).sum() == 50


def test_frames(data):
    pd = pytest.importorskip("pandas")
    X, _, y = data
    frame, column = pd.DataFrame(X), pd.Series(y)
    scores = cross_val_score(
        RandomForestClassifier(20), frame[:90], column[:90], cv=LabeledSplit(3), scoring=labeled_scorer()
    )
    assert len(scores) == 3


def test_marks_are_read_by_the_estimators_classes(data):
    """A fold that holds 1 and -1 only must not be taken for signed labels; scorers survive pickling."""
    import pickle

    X, truth, _ = data
    model = LogisticRegression().fit(X, truth)
    ones = np.flatnonzero(truth == 1)[:20]
    y = np.concatenate([np.ones(20, dtype=int), np.full(30, -1)])
    rows = np.concatenate([X[ones], X[:30]])
    scorer = pickle.loads(pickle.dumps(labeled_scorer()))
    assert scorer(model, rows, y) == model.score(X[ones], np.ones(20))


def test_splitters_with_many_folds_and_groups(data):
    from sklearn.model_selection import LeaveOneGroupOut, ShuffleSplit

    X, _, y = data
    assert len(list(LabeledSplit(ShuffleSplit(60, random_state=0)).split(X, y))) == 60
    groups = np.arange(300) % 4
    assert len(list(LabeledSplit(LeaveOneGroupOut()).split(X, y, groups))) == 4


def test_helpers_leave_marks_alone():
    y = np.array([0, 1] * 50 + [-1] * 50)
    assert (flip_labels(y, 1.0, 0)[100:] == -1).all()
    assert np.isnan(drop_labels(y, 0.5, 0)).sum() == 50
    assert flip_labels(["a", "b", None], 1.0, 0).tolist() == ["b", "a", None]


# ------------------------------------------------------------------- labels that are not classes


def voted(truth, labeled, seed=0):
    rng = np.random.default_rng(seed)
    votes = np.where(rng.random((len(truth), 3)) < 0.85, truth[:, None], 1 - truth[:, None]).astype(float)
    votes[rng.random(votes.shape) < 0.2] = np.nan
    votes[labeled:] = np.nan
    return votes


@pytest.mark.parametrize("kind", ["votes", "soft", "positives", "positives and negatives"])
def test_folds_of_labels_that_are_not_classes(data, kind):
    X, truth, _ = data
    some = np.arange(len(X)) < 90
    y, model = {
        "votes": (voted(truth, 90), CrowdVotes()),
        "soft": (np.where(some, 0.2 + 0.6 * truth, np.nan), SoftLabels()),
        "positives": (np.where(some & (truth == 1), 1.0, np.nan), PositiveUnlabeled(0.5)),
        "positives and negatives": (np.where(some, truth, np.nan), PositiveUnlabeled(0.5)),
    }[kind]
    known = np.flatnonzero(~np.isnan(y.reshape(len(X), -1)).all(axis=1))
    folds = list(LabeledSplit(3, label_model=model).split(X, y))
    assert sorted(np.concatenate([test for _, test in folds])) == known.tolist()
    for train, test in folds:
        assert sorted([*train, *test]) == list(range(len(X)))
        if kind != "positives":  # stratified
            assert abs(truth[test].mean() - truth[known].mean()) < 0.1
    classifier = TableClassifier(effort="fast", random_state=0, label_model=model)
    cv = LabeledSplit(3, label_model=model)
    scores = cross_val_score(classifier, X, y, cv=cv, scoring=labeled_scorer(label_model=model))
    assert scores.mean() > 0.6
    np.testing.assert_array_equal(scores, cross_val_score(classifier, X, y, cv=cv))  # as the classifier itself counts


def test_a_rare_class_of_votes_is_named(data):
    X, truth, _ = data
    votes = voted(np.where(np.arange(len(X)) < 4, truth, 0), 90)
    votes[truth == 0] = np.where(np.isnan(votes[truth == 0]), np.nan, 0.0)
    votes[4:90][~np.isnan(votes[4:90])] = 0.0
    with pytest.raises(ValueError, match=r"Got 20 folds and \d labeled row\(s\) of class 1"):
        list(LabeledSplit(20, label_model=CrowdVotes("majority")).split(X, votes))
