"""A machine's column that nobody has named as such."""

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
pytest.importorskip("typer")
from typer.testing import CliRunner  # noqa: E402

from agnoboost.cli.app import app  # noqa: E402
from agnoboost.cli.forgotten_machines import forgotten_machines  # noqa: E402

ROWS, CHECKED = 200, 60


def table(seed=0, yes="yes", no="no"):
    """A machine that is right in most rows and sometimes cannot tell; a column of yes and no about something else."""
    rng = np.random.default_rng(seed)
    truth = rng.random(ROWS) < 0.4
    said = np.where(truth ^ (rng.random(ROWS) < 0.15), yes, no).astype(object)
    said[rng.random(ROWS) < 0.1] = "unsure" if isinstance(yes, str) else np.nan
    frame = pd.DataFrame(
        {"llm": said, "loan": np.where(rng.random(ROWS) < 0.5, yes, no), "size": rng.normal(size=ROWS)}
    )
    labels = np.where(truth, yes, no).astype(object)
    labels[CHECKED:] = None
    return frame, labels


@pytest.mark.parametrize("classes", [("yes", "no"), (1, 0), ("1", "0")])
def test_a_column_of_classes_that_agrees_with_the_labels_is_found(classes):
    frame, labels = table(0, *classes)
    assert forgotten_machines(frame, labels) == ["llm"]


def test_numbers_and_texts_are_one_class():
    """Labels are read as texts, and a column of numbers with gaps as 1.0."""
    frame, _ = table(0, 1.0, 0.0)
    _, labels = table(0, "1", "0")
    assert forgotten_machines(frame.drop(columns="loan"), labels) == ["llm"]


@pytest.mark.parametrize("seed", range(5))
def test_columns_that_mean_something_else_are_not(seed):
    frame, labels = table(seed)
    assert forgotten_machines(frame.drop(columns="llm"), labels) == []
    rare = frame.assign(loan="no")  # agrees with most labels, as any constant does
    assert forgotten_machines(rare.drop(columns="llm"), labels) == []


def test_few_labels_and_few_answers_tell_nothing():
    frame, labels = table()
    labels[15:] = None
    assert forgotten_machines(frame, labels) == []
    frame, labels = table()
    frame["llm"] = np.where(np.arange(ROWS) % 2 == 0, "something else", frame["llm"])
    assert forgotten_machines(frame, labels) == []


def test_fit_says_so_and_is_silent_where_the_column_was_named(tmp_path):
    frame, labels = table()
    frame["llm"] = frame["llm"].replace("unsure", None)
    frame.assign(label=labels).to_csv(tmp_path / "data.csv", index=False)
    place = [str(tmp_path / "data.csv"), "--target", "label", "--out", str(tmp_path / "m.agno"), "--effort", "fast"]
    told = CliRunner().invoke(app, ["fit", *place, "--folds", "0"]).output
    assert "name it with --machine-column 'llm'. If they will" in " ".join(told.split())
    told = CliRunner().invoke(app, ["fit", *place, "--folds", "0", "--machine-column", "llm"]).output
    assert "--machine-column" not in told
