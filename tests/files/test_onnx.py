import numpy as np
import pytest
from sklearn.datasets import make_classification

from agnoboost import AgnosticBoostingClassifier, Tape, export_onnx
from agnoboost.core.learners import Constant
from agnoboost.core.tape import Add

ort = pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")


def run(model, X, path):
    export_onnx(model, path)
    session = ort.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    label, probabilities = session.run(["label", "probabilities"], {"X": np.ascontiguousarray(X, dtype=np.float64)})
    return label, probabilities


@pytest.mark.filterwarnings("ignore:On rows left out")
@pytest.mark.parametrize("learner", ["stump", "tree"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("threshold", [0.0, 0.2], ids=["additions", "case B"])
def test_onnxruntime_agrees(tmp_path, rng, learner, classes, threshold):
    X, y = make_classification(300, n_informative=6, n_classes=classes, random_state=0)
    X[rng.random(X.shape) < 0.1] = np.nan
    X[:, 3] = np.where(np.isnan(X[:, 3]), 0.0, X[:, 3])  # a column without missing values in training ...
    model = AgnosticBoostingClassifier(
        weak_learner=learner, n_rounds=60, step_size=0.05, threshold=threshold, random_state=0
    ).fit(X, y)
    test = X.copy()
    test[::5, 3] = np.nan  # ... that has some later
    label, probabilities = run(model, test, tmp_path / "m.onnx")
    assert np.array_equal(label, model.predict(test))
    assert probabilities == pytest.approx(model.predict_proba(test), abs=1e-12)


def test_thresholds_between_neighbours_and_text_classes(tmp_path):
    values = np.nextafter(1.0, 2.0) - np.array([1.0, 0.0]) * np.finfo(float).eps
    X = np.repeat(values, 30)[:, None]
    y = np.repeat(np.array(["no", "yes"], dtype=object), 30)
    # No bootstrap: with two different rows it may leave one of them out in most rounds.
    model = AgnosticBoostingClassifier(weak_learner="stump", n_rounds=10, batch_size=None).fit(X, y)
    label, _ = run(model, X, tmp_path / "m.onnx")
    assert label.tolist() == model.predict(X).tolist() == y.tolist()


def test_what_cannot_be_exported_is_refused(tmp_path):
    pd = pytest.importorskip("pandas")
    X, y = make_classification(60, random_state=0)
    frame = pd.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] > 0, "u", "v")})
    with pytest.raises(ValueError, match=r"numeric tables.*OneHotEncoder"):
        export_onnx(AgnosticBoostingClassifier(n_rounds=3).fit(frame, y), tmp_path / "m.onnx")
    model = AgnosticBoostingClassifier(n_rounds=3).fit(X, y)
    for steps in ([Add(Constant(1), 2**36)], [Add(Constant(1), 1)] * 4096):
        model._tapes = [Tape.of(1.0, steps)]
        with pytest.raises(ValueError, match=r"up to 2.*36 units and 4,095 rounds"):
            export_onnx(model, tmp_path / "m.onnx")
