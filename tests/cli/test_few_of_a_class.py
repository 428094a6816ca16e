"""One mistyped label is said, and costs no estimate."""

import json
import re
from contextlib import chdir

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
pytest.importorskip("typer")
from typer.testing import CliRunner  # noqa: E402

from agnoboost.cli.app import app  # noqa: E402


def fit(folder, labels, *more, expect=0):
    size = np.random.default_rng(0).normal(size=90)
    label = np.where(size > 0, "yes", "no").astype(object)
    for row, name in labels.items():
        label[row] = name
    pd.DataFrame({"size": size, "label": label}).to_csv(folder / "data.csv", index=False)
    options = ("--target", "label", "--classifier", "boosting", "--rounds", "20", "--step-size", "0.06", "--jobs", "1")
    with chdir(folder):
        done = CliRunner().invoke(app, ["fit", "data.csv", *options, *more])
    assert done.exit_code == expect, done.output
    return re.sub(r"\s+", " ", done.output)


def test_other_classes_keep_their_folds(tmp_path):
    said = fit(tmp_path, {3: "z"}, "--folds", "3", "--report", "report.html")
    assert "3-fold cross-validation" in said
    assert "Class z has 1 labeled row: learned, but too few to judge; a typing error?" in said
    assert "folds in place of" not in said
    assert "logistic regression" in (tmp_path / "report.html").read_text()
    said = fit(tmp_path, {3: "z", 5: "z", 8: "y", 9: "y", 10: "y"}, "--folds", "4")
    assert "Class y has 3 labeled rows, class z has 2 labeled rows: learned, but too few to judge; a typing" in said
    assert "Class z has 3 labeled rows: learned, but too few to judge." in fit(
        tmp_path, {3: "z", 5: "z", 7: "z"}, "--folds", "4"
    )


def test_facts_for_programs(tmp_path):
    said = fit(tmp_path, {3: "z"}, "--folds", "2", "--json")
    facts = json.loads(said[said.index("{") : said.rindex("}") + 1])
    assert facts["not_judged"] == [{"name": "z", "rows": 1}]
    assert [one["name"] for one in facts["by_class"]] == ["no", "yes"]
    assert facts["folds"] == 2


def test_too_few_for_the_folds_or_for_any(tmp_path):
    rows = dict.fromkeys(range(90), "no")
    said = fit(tmp_path, rows | {3: "yes", 4: "yes", 5: "yes"})
    assert "3-fold cross-validation" in said
    assert "3 folds in place of 5: fewer than two classes have 5 labeled rows." in said
    assert "No estimate of the accuracy: class yes has only 1 labeled row." in fit(tmp_path, rows | {3: "yes"})


def test_one_fold_is_refused(tmp_path):
    said = fit(tmp_path, {}, "--folds", "1", expect=2)
    assert "--folds must be at least 2, or 0 for no estimate. Got 1" in said
    assert not (tmp_path / "model.agno").exists()
