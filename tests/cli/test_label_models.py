"""Label models, and the classifier under its first name, on the command line."""

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
typer = pytest.importorskip("typer")
from typer.testing import CliRunner  # noqa: E402

import agnoboost  # noqa: E402
from agnoboost.cli.app import app  # noqa: E402
from agnoboost.cli.label_models import label_column  # noqa: E402
from agnoboost.labels import (  # noqa: E402
    ComplementaryLabels,
    FlipRates,
    LabelChannel,
    NoiseMatrix,
    PositiveUnlabeled,
    RandomisedResponse,
    SoftLabels,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Class labels, probabilities, and positives only, of the same rows."""
    path = tmp_path_factory.mktemp("labels")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(300, 3)), columns=list("abc"))
    p = 1 / (1 + np.exp(-3 * frame["a"]))
    truth = rng.random(300) < p
    some = np.arange(300) < 120
    for name, column in (
        ("classes", pd.Series(np.where(truth, "yes", "no"), dtype=object).where(some)),
        ("soft", p.where(some)),
        ("positives", pd.Series("yes", index=frame.index, dtype=object).where(some & truth)),
        ("words", pd.Series("maybe", index=frame.index)),
        ("three", pd.Series(np.array(["x", "y", "z"])[rng.integers(3, size=300)], dtype=object).where(some)),
    ):
        frame.assign(label=column).to_csv(path / f"{name}.csv", index=False)
    return path


def fit(folder, name, *options, fails=False):
    arguments = ["fit", str(folder / f"{name}.csv"), "--target", "label", "--out", str(folder / "m.agno"), *options]
    done = CliRunner().invoke(app, [*arguments, "--folds", "2", "--jobs", "1"])
    assert (done.exit_code != 0) == fails, done.output
    return done.output


def test_the_first_name_is_still_understood(folder):
    said = fit(folder, "classes", "--classifier", "few-labels")
    assert "The model is a blend: stumps" in said
    assert isinstance(agnoboost.load(folder / "m.agno"), agnoboost.FewLabelClassifier)
    shown = CliRunner().invoke(app, ["inspect", str(folder / "m.agno")]).output
    assert "FewLabelClassifier" in shown
    assert "laplace" in shown


@pytest.mark.parametrize(
    ("name", "text", "model"),
    [
        ("classes", "flips:0.1", FlipRates(0.1)),
        ("classes", "flips:0.3,0.1", FlipRates(positive=0.3, negative=0.1)),
        ("classes", "matrix:0.9,0.1;0.3,0.7", NoiseMatrix([[0.9, 0.1], [0.3, 0.7]])),
        ("classes", "private:2", RandomisedResponse(2.0)),
        ("three", "not-class", ComplementaryLabels()),
        ("soft", "probability", SoftLabels()),
        ("positives", "positives:0.5", PositiveUnlabeled(0.5)),
        ("positives", "positives:0.4,together", PositiveUnlabeled(0.4, together=True)),
    ],
)
def test_label_models(folder, name, text, model):
    said = fit(folder, name, "--label-model", text)
    found = agnoboost.load(folder / "m.agno")
    assert found.label_model == model
    judged = "flipped ones included" if name == "classes" else "these labels cannot judge a model"
    assert judged in said.replace("\n", " ")
    assert ("labels are worth at best about" in said) == isinstance(model, LabelChannel)
    shown = CliRunner().invoke(app, ["inspect", str(folder / "m.agno")]).output
    assert type(model).__name__ in shown


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("classes", ["--classifier", "few-labels", "--rounds", "3"], "--rounds is for --classifier boosting"),
        ("classes", ["--label-model", "flips:x"], "--label-model must be probability"),
        ("classes", ["--label-model", "votes"], "--label-model must be probability"),
        ("classes", ["--label-model", "positives"], "positives:SHARE,together. Got 'positives'."),
        ("classes", ["--label-model", "flips:1.5"], "--label-model flips:1.5: rate must be in [0, 1). Got 1.5"),
        ("classes", ["--label-model", "flips:0.7,0.4"], "must sum to less than 1"),
        ("classes", ["--label-model", "positives:2,together"], "prior must be in (0, 1). Got 2"),
        (
            "classes",
            ["--label-model", "positives:x,together"],
            "--label-model positives:x,together: prior must be a number",
        ),
        ("classes", ["--label-model", "matrix:0.9,0.1"], "a row for each true class"),
        ("classes", ["--label-model", "matrix:0.9,x;0.1,0.9"], "a row for each true class"),
        ("classes", ["--label-model", "matrix:0.9,0.1;0.9,0.1"], "0.9,0.1;0.9,0.1: Labels must tell the classes apart"),
        (
            "classes",
            ["--label-model", "matrix:0.9,0.2;0.1,0.9"],
            "0.1,0.9: Each row of chances must hold probabilities",
        ),
        ("classes", ["--label-model", "private:0"], "--label-model private:0: epsilon must be in"),
        ("words", ["--label-model", "probability"], "must hold numbers, being soft labels"),
    ],
)
def test_bad_options(folder, name, options, message):
    assert message in fit(folder, name, *options, fails=True).replace("\n", " ")


def test_rows_that_stand_for_others_are_told(folder, monkeypatch):
    monkeypatch.setattr("agnoboost.estimators.table.estimator.MOST_UNLABELED_TERMS", 50)
    assert "50 rows stand for all 300 that count as unlabeled" in fit(
        folder, "positives", "--label-model", "positives:0.5,together", "--effort", "fast"
    ).replace("\n", " ")


@pytest.mark.parametrize("marks", [None, ["?"]])
@pytest.mark.filterwarnings("ignore:The number of unique classes is greater than 50%")
def test_texts_and_amounts_are_no_classes(marks):
    with pytest.raises(ValueError, match="Got 80 of them in 80 labeled rows, 80 with a single row"):
        label_column(pd.Series([f"text {i}" for i in range(80)]), "message", None, marks)
