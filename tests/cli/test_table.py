"""The classifier that ``agnoboost fit`` trains by default, from the table to the report."""

import json
import re

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
typer = pytest.importorskip("typer")
from typer.testing import CliRunner  # noqa: E402

import agnoboost  # noqa: E402
from agnoboost.cli import training  # noqa: E402
from agnoboost.cli.app import app  # noqa: E402


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three classes, of which one is rarer, by two columns of which one is categorical; half of the rows unlabeled."""
    path = tmp_path_factory.mktemp("table")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=200), "kind": rng.choice(["a", "b"], 200)})
    signed = np.where(rng.random(200) < 0.1, -1, 1) * frame["size"]
    some = np.arange(200) < 100
    for name, column in (
        ("two", pd.Series(np.where(signed > 0.8, 1, 0)).where(some)),
        ("three", pd.Series(np.select([signed > 1, frame["kind"] == "a"], ["x", "y"], "z"), dtype=object).where(some)),
    ):
        frame.assign(label=column).to_csv(path / f"{name}.csv", index=False)
    frame.assign(label=np.where(signed > 0.8, 1, 0)).to_csv(path / "test.csv", index=False)
    return path


def invoke(*arguments):
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == 0, done.output
    return re.sub(r"\s+", " ", done.output)


def fit(folder, name, *options):
    place = (folder / f"{name}.csv", "--target", "label", "--out", folder / f"{name}.agno")
    return invoke("fit", *place, "--folds", 2, "--jobs", 1, *options)


def test_from_a_table_to_a_report_and_predictions(folder):
    report = folder / "r.html"
    said = fit(folder, "two", "--report", report)
    assert "100 labeled rows (0: " in said
    assert "The model is a blend: stumps" in said
    assert re.search(r"Accuracy on labels left out: 0\.\d+ \(about 95% interval", said)
    assert "Unlabeled rows only show how values are spread here" in said
    assert "Without the unlabeled rows:" not in said
    model = agnoboost.load(folder / "two.agno")
    assert type(model) is agnoboost.TableClassifier
    assert (model.n_labeled_, model.n_unlabeled_, model.effort) == (100, 100, "full")
    page = report.read_text()
    assert "What the model is made of" in page
    assert page.count('class="bar"') == len(model.weights_[0])
    said = invoke("predict", folder / "two.agno", folder / "test.csv", "--out", folder / "p.csv")
    assert "200 predictions" in said
    assert "area under the ROC curve" in invoke(
        "evaluate", folder / "two.agno", folder / "test.csv", "--target", "label"
    )
    shown = invoke("inspect", folder / "two.agno")
    assert "TableClassifier" in shown
    assert "random trees" in shown


def test_every_class_has_weights(folder):
    said = fit(folder, "three", "--effort", "fast")
    assert all(f"The model is a blend, {name}: stumps" in said for name in "xyz")
    assert agnoboost.load(folder / "three.agno").effort == "fast"
    assert "a blend of, z" in invoke("inspect", folder / "three.agno")


def test_what_is_not_given_is_left_to_the_classifier(folder, monkeypatch):
    """Defaults are written down in one place, the estimator."""
    made = []

    class Remembered(agnoboost.AgnosticBoostingClassifier):
        def __new__(cls, **parameters):
            made.append(parameters)
            return agnoboost.AgnosticBoostingClassifier(**parameters)

    monkeypatch.setattr("agnoboost.cli.classifiers.AgnosticBoostingClassifier", Remembered)
    fit(folder, "two", "--classifier", "boosting", "--rounds", 5, "--folds", 0)
    common = {"missing_label", "label_model", "random_state", "class_weight", "tune_threshold", "n_jobs"}
    assert set(made[0]) == {"n_rounds", *common}


def test_costs_reach_the_threshold(folder, monkeypatch):
    """A class that costs more to miss is named by the label as it is in the table, here a number."""
    seen = []
    monkeypatch.setattr(training, "_train", lambda model, *rest: seen.append(model.tune_threshold) or stop())
    for options in (["--cost", "1=20"], ["--tune-threshold"], []):
        CliRunner().invoke(
            app, ["fit", str(folder / "two.csv"), "--target", "label", "--out", str(folder / "c"), *options]
        )
    assert seen == [{0: 1.0, 1: 20.0}, True, False]


def stop():
    raise ValueError("enough")


def test_a_tuned_model_is_judged_by_what_it_was_tuned_for(folder):
    for options, figure in ((["--tune-threshold"], "balanced accuracy"), (["--cost", "1=5"], "mean cost"), ([], None)):
        told = fit(folder, "two", "--effort", "fast", *options)
        printed = fit(folder, "two", "--effort", "fast", *options, "--json")
        found = json.loads(printed[printed.index("{") :])["tuned_for"]
        assert (found and found["figure"]) == figure
        if figure:
            words = (
                f"{figure.capitalize()} on labels left out: {found['value']:.3f} (about 95% interval {found['low']:.3f}"
            )
            assert words in told


def test_progress_without_a_terminal_is_a_few_lines(folder, monkeypatch):
    monkeypatch.setattr("agnoboost.basics.stages.QUICK", 0.0)
    monkeypatch.setattr("agnoboost.basics.stages.BREATH", 0.0)
    said = fit(folder, "two")
    stages = re.findall(r"agnoboost: \[(\d)/3\] (training: regressions|training: stumps|evaluation \d of 2)", said)
    assert stages == [
        ("1", "training: regressions"),
        ("1", "training: stumps"),
        ("2", "evaluation 1 of 2"),
        ("3", "evaluation 2 of 2"),
    ]
    assert re.search(r"evaluation 1 of 2; ([\d. mins]+ so far, )?about [\d. mins]+ to go", said)  # some are very quick
    monkeypatch.setattr("agnoboost.basics.stages.QUICK", 1e9)
    assert fit(folder, "two").count("agnoboost: ") == 2  # reading and training


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--rounds", "9"], "--rounds is for --classifier boosting"),
        (["--checkpoint", "c"], "--checkpoint is for --classifier boosting"),
        (["--classifier", "boosting", "--effort", "fast"], "--effort is for --classifier table"),
        (["--cost", "maybe=3"], "with a class of 0, 1. Got 'maybe=3'"),
        (["--cost", "1=lots"], "such as 1=20. Got '1=lots'"),
        (["--cost", "1"], "must be CLASS=NUMBER"),
    ],
)
def test_options_that_do_not_fit(folder, options, message):
    done = CliRunner().invoke(app, ["fit", str(folder / "two.csv"), "--target", "label", *options])
    assert done.exit_code == 2
    assert message in re.sub(r"\s+", " ", done.output)
