"""Whoever looks at columns keeps working where one of the table became several, or none."""

import numpy as np
import pytest

import agnoboost as ab
from agnoboost.evaluation.shift import estimate_shift
from agnoboost.files.container import ModelFileError, read, write
from agnoboost.tables.encoder import LeftOutWarning

pd = pytest.importorskip("pandas")
ROWS = 300
LEFT_OUT = pytest.mark.filterwarnings("ignore::agnoboost.tables.encoder.LeftOutWarning")


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    when = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, ROWS), unit="D")
    words = np.array(["late", "parcel", "broken", "refund", "thanks", "great"])
    return pd.DataFrame(
        {
            "id": [f"K{n}" for n in range(ROWS)],
            "when": when,
            "note": [f"{' '.join(rng.choice(words, 4))} {n}" for n in range(ROWS)],
            "zip": [f"Z{n}" for n in rng.integers(0, 2000, ROWS)],
            "x": rng.normal(size=ROWS),
        }
    )


@pytest.fixture(scope="module")
def labels(frame):
    y = (frame["when"].dt.day_of_week >= 4).to_numpy() ^ (frame["x"] > 1).to_numpy()
    return np.where(np.arange(ROWS) < 200, np.where(y, "yes", "no"), None)


@pytest.fixture(scope="module")
def model(frame, labels):
    with pytest.warns(LeftOutWarning):
        return ab.AgnosticBoostingClassifier(n_rounds=20, random_state=0, missing_label=None).fit(frame, labels)


@LEFT_OUT
@pytest.mark.parametrize("backend", ["xgboost", "lightgbm"])
def test_backends(backend, frame, labels, tmp_path):
    pytest.importorskip(backend)
    from agnoboost.integrations import LGBMAgnosticClassifier, XGBAgnosticClassifier

    kind = XGBAgnosticClassifier if backend == "xgboost" else LGBMAgnosticClassifier
    model = kind(n_estimators=5, random_state=0, n_jobs=1, missing_label=None).fit(frame, labels)
    assert model.feature_importances_.shape == (5,)
    assert model.feature_importances_[0] == 0.0
    parts = model.pred_contribs(frame)
    assert parts.shape == (ROWS, 6)
    np.testing.assert_allclose(parts.sum(axis=1), model.decision_function(frame), atol=1e-5)
    np.testing.assert_array_equal(parts[:, 0], 0)
    model.save(tmp_path / "m.agno")
    again = ab.load(tmp_path / "m.agno")
    np.testing.assert_array_equal(again.decision_function(frame), model.decision_function(frame))


def test_onnx_refuses(model, tmp_path):
    pytest.importorskip("onnx")
    from agnoboost.files.onnx import export_onnx

    with pytest.raises(
        ValueError, match=r"numeric tables. Got columns of other kinds: date, frequent .*, left out, text"
    ):
        export_onnx(model, tmp_path / "m.onnx")


@LEFT_OUT
def test_the_report_speaks_of_the_columns_of_the_table(model, frame, labels, tmp_path):
    """Of which dates became several, and identifiers none."""
    from agnoboost.report import write_report

    few = frame.drop(columns="note")
    blend = ab.TableClassifier(members=["small trees"], random_state=0, missing_label=None).fit(few, labels)
    for one, table in ((model, frame), (blend, few)):
        write_report(tmp_path / "r.html", one, table, labels, None, target="y", source="f.csv")
        page = (tmp_path / "r.html").read_text()
        assert ">when<" in page
        assert "when: weekday" not in page


@LEFT_OUT
def test_shift(frame):
    found = estimate_shift(frame[["when", "x"]][::3], frame[["when", "x"]][1::3])
    assert found.bound < 3


@LEFT_OUT
def test_from_file_to_prediction_by_the_command_line(frame, labels, tmp_path):
    pytest.importorskip("typer")
    from typer.testing import CliRunner

    from agnoboost.cli.app import app

    frame = frame.drop(columns="note")
    frame.assign(label=labels).to_csv(tmp_path / "train.csv", index=False)
    frame.to_csv(tmp_path / "new.csv", index=False)
    fit = [
        "fit",
        "train.csv",
        "--target",
        "label",
        "--out",
        "m.agno",
        "--classifier",
        "boosting",
        "--rounds",
        "5",
        "--folds",
        "0",
    ]
    for arguments in (fit, ["predict", "m.agno", "new.csv", "--out", "p.csv"], ["inspect", "m.agno"]):
        places = [str(tmp_path / one) if one.endswith((".csv", ".agno")) else one for one in arguments]
        done = CliRunner().invoke(app, places)
        assert done.exit_code == 0, done.output
    assert "when" in done.output
    assert len(pd.read_csv(tmp_path / "p.csv")) == ROWS


@pytest.mark.parametrize(
    "facts",
    [
        {"1": {"kind": "tea leaves"}},
        {"1": {"kind": "date", "first": "long ago", "varying": [], "way": None, "zone": None}},
        {"1": {"kind": "date", "first": "2024-01-01", "varying": ["tide"], "way": None, "zone": None}},
        {"3": {"kind": "frequent categories", "values": ["a"] * 300}},
        {"9": {"kind": "category", "values": []}},
    ],
)
def test_damaged_readers_are_refused(facts, model, tmp_path):
    model.save(tmp_path / "m.agno")
    known, arrays = read(tmp_path / "m.agno")
    write(tmp_path / "bad.agno", {**known, "columns": known["columns"] | facts}, arrays)
    with pytest.raises(ModelFileError):
        ab.load(tmp_path / "bad.agno")
    without = {name: array for name, array in arrays.items() if name != "columns/2/directions"}
    write(tmp_path / "bad.agno", known, without)
    with pytest.raises(ModelFileError):
        ab.load(tmp_path / "bad.agno")
