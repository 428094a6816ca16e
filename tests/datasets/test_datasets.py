import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from agnoboost import AgnosticBoostingClassifier
from agnoboost.datasets import available, bundled, drop_labels, fetch, flip_labels, load, make_waveform

CLASSES = {
    "ionosphere": (126, 225),
    "diabetes": (500, 268),
    "spambase": (2788, 1813),
    "german": (300, 700),
    "sonar": (97, 111),
    "waveform": (3347, 1653),
}


def test_the_papers_six_are_there():
    assert available() == sorted(CLASSES)


@pytest.mark.parametrize("name", CLASSES)
def test_bundled_tables_match_their_provenance(name):
    table = load(name)
    facts = table.provenance
    assert table.X.shape == (facts["rows"], facts["features"]) == (len(table.y), len(table.features))
    assert ((table.y == -1).sum(), (table.y == 1).sum()) == CLASSES[name]
    assert np.isnan(table.X).any() == (name == "diabetes")
    assert facts["source"]
    assert facts["licence"]


def test_zeros_that_mean_missing_are_missing():
    table = load("diabetes")
    missing = dict(zip(table.features, np.isnan(table.X).sum(axis=0), strict=True))
    assert missing == {
        "pregnancies": 0, "glucose": 5, "blood_pressure": 35, "skin_thickness": 227, "insulin": 374, "bmi": 11,
        "diabetes_pedigree": 0, "age": 0,
    }  # fmt: skip


def test_frames_have_typed_categories():
    pytest.importorskip("pandas")
    table = load("german")
    frame = table.frame
    assert (frame.dtypes == "category").sum() == 13
    assert frame["status"].iloc[0] == "A11"
    assert frame["amount"].iloc[0] == 1169
    model = AgnosticBoostingClassifier(n_rounds=10, step_size=0.1, random_state=0).fit(frame[:300], table.y[:300])
    assert len(model._encoder.categories) == 13
    assert load("diabetes").frame.isna().sum().sum() == 652
    assert sorted(set(load("waveform").labels.tolist())) == [0, 1, 2]


def test_a_damaged_file_is_refused(monkeypatch):
    facts = bundled._provenance()
    facts["spambase"]["sha256"] = "0" * 64
    monkeypatch.setattr(bundled, "_provenance", lambda: facts)
    with pytest.raises(OSError, match=r"checksum differs\. Install agnoboost again"):
        load("spambase")


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match="name must be one of diabetes, german"):
        load("iris")
    with pytest.raises(ValueError, match="name must be one of adult"):
        fetch("iris")


def test_made_waveforms_look_like_the_collected_ones():
    X, wave = make_waveform(20_000, 0)
    table = load("waveform")
    collected, labels = table.X[:, :21], table.labels
    for kind in range(3):
        difference = X[wave == kind].mean(axis=0) - collected[labels == kind].mean(axis=0)
        assert np.abs(difference).max() < 0.2
        assert np.abs(X[wave == kind].std(axis=0) - collected[labels == kind].std(axis=0)).max() < 0.15
    score = LinearDiscriminantAnalysis().fit(X, wave).score(collected, labels)
    assert 0.82 < score < 0.88


def test_larger_tables_come_from_a_folder(tmp_path):
    pd = pytest.importorskip("pandas")
    rows = pd.DataFrame({"age": [30, 40, 50], "job": ["a", "b", "a"], "target": [0, 1, 1]})
    rows.to_csv(tmp_path / "adult.csv.gz", index=False)
    rows.assign(target=[1, 2, 7]).to_csv(tmp_path / "covtype.csv", index=False)
    frame, y = fetch("adult", folder=tmp_path)
    assert y.tolist() == [-1, 1, 1]
    assert str(frame["job"].dtype) == "category"
    assert fetch("covtype", folder=tmp_path)[1].tolist() == [-1, 1, -1]
    with pytest.raises(FileNotFoundError, match=r"must hold magic.csv.gz"):
        fetch("magic", folder=tmp_path)


def test_openml_is_asked_for_the_right_table(monkeypatch, tmp_path):
    pd = pytest.importorskip("pandas")
    from sklearn.utils import Bunch

    asked = {}

    def fake(**arguments):
        asked.update(arguments)
        return Bunch(data=pd.DataFrame({"a": [1.0, 2.0]}), target=pd.Series(["g", "h"], dtype="category"))

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fake)
    _, y = fetch("magic", cache=tmp_path)
    assert y.tolist() == [1, -1]
    assert (asked["data_id"], asked["data_home"]) == (1120, tmp_path)


def test_drop_labels(rng):
    y = rng.choice([-1, 1], 200)
    dropped = drop_labels(y, 0.9, rng)
    assert np.isnan(dropped).sum() == 180
    assert (dropped[~np.isnan(dropped)] == y[~np.isnan(dropped)]).all()
    assert (drop_labels(y, 0.0, rng) == y).all()
    assert (~np.isnan(drop_labels(y, 1.0, rng))).sum() == 1
    assert np.isnan(drop_labels(dropped, 0.5, rng)).sum() == 190  # half of those that are left
    words = drop_labels(np.array(["a", "b"] * 50), 0.5, 0)
    assert sum(word is None for word in words) == 50
    assert {"a", "b"} <= set(words)
    with pytest.raises(ValueError, match=r"fraction must be in \[0, 1\]"):
        drop_labels(y, 1.5, rng)


def test_flip_labels(rng):
    y = np.concatenate([np.ones(5000), -np.ones(5000), np.full(100, np.nan)])
    flipped = flip_labels(y, 0.2, rng)
    assert np.mean(flipped[:10_000] != y[:10_000]) == pytest.approx(0.2, abs=0.02)
    assert np.isnan(flipped[10_000:]).all()
    assert (flip_labels(y, 1.0, rng)[:10_000] == -y[:10_000]).all()
    three = np.array(["a", "b", "c"] * 3000)
    moved = flip_labels(three, 0.3, 0)
    assert np.mean(moved != three) == pytest.approx(0.3, abs=0.02)
    assert np.mean(moved[three == "a"] == "c") == pytest.approx(0.15, abs=0.02)
    with pytest.raises(ValueError, match="at least 2 classes"):
        flip_labels(np.ones(5), 0.1, rng)
