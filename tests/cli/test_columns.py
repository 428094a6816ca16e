"""What the command line says of columns: left out, kept all the same, several features, and how much they count."""

import json
import shlex

import numpy as np
import pytest
from markup import Markup

pd = pytest.importorskip("pandas")
pytest.importorskip("typer")
from typer.testing import CliRunner  # noqa: E402

import agnoboost  # noqa: E402
from agnoboost.cli import training  # noqa: E402
from agnoboost.cli.app import app  # noqa: E402

ROWS = 80


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An identifier, dates, postal codes that look like numbers, and what counts."""
    path = tmp_path_factory.mktemp("columns")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"customer no": np.arange(ROWS), "size": rng.normal(size=ROWS)})
    frame["since"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, ROWS), "D")
    frame["zip"] = rng.choice(["01067", "1067", "80331"], ROWS)
    frame["label"] = np.where(frame["size"] > 0, "big", "small")
    frame.to_csv(path / "data.csv", index=False)
    return path


@pytest.fixture(autouse=True)
def in_the_folder(folder, monkeypatch):
    monkeypatch.chdir(folder)
    make = training.make_classifier
    monkeypatch.setattr(training, "make_classifier", lambda *given: make(*given).set_params(members=["stumps"]))


def run(*arguments, code=0):
    done = CliRunner().invoke(app, [str(one) for one in arguments])
    assert done.exit_code == code, done.output
    return done


FIT = ("fit", "data.csv", "--target", "label", "--folds", 0, "--out", "m.agno")


def test_an_identifier_is_left_out_with_a_sentence_and_can_be_kept():
    said = run(*FIT)
    assert "Not used, since every row has another value there, as in identifiers: customer no." in said.stdout
    assert "To use them all the same: --categorical 'customer no'" in said.stdout
    assert "Warning" not in said.stderr
    assert json.loads(run(*FIT, "--json").stdout)["left_out"] == ["customer no"]
    kept = run(*FIT, "--categorical", "customer no")
    assert "Not used" not in kept.stdout
    assert agnoboost.load("m.agno")._encoder.left_out == []
    assert "Not used" in run("suspects", *FIT[1:4], "--effort", "fast", "--out", "s.csv").stdout


def test_categories_that_look_like_numbers_stay_apart():
    run(*FIT)
    assert agnoboost.load("m.agno")._encoder.categories == {}
    run(*FIT, "--categorical", "zip,customer no")
    encoder = agnoboost.load("m.agno")._encoder
    assert ["01067", "1067", "80331"] in encoder.categories.values()
    run("predict", "m.agno", "data.csv", "--out", "p.csv")
    assert "Did you mean 'zip'" in run(*FIT, "--categorical", "zips", code=2).stderr


def test_inspect_shows_what_counts_and_what_became_of_columns():
    run(*FIT)
    said, facts = run("inspect", "m.agno", "--top", 1).stdout, json.loads(run("inspect", "m.agno", "--json").stdout)
    assert "columns that are not used" in said
    assert "made of since" in said
    assert "days, year, month" in said
    assert facts["left_out"] == ["customer no"]
    assert {"size", "since: days", "since: month"} <= set(facts["features"])
    assert next(iter(facts["column_shares"])) == "size"
    assert sum(facts["column_shares"].values()) == pytest.approx(1.0)
    assert said.count("0.") >= 1
    assert "share of how far answers move" in said


def test_an_old_file_without_importances_says_nothing_of_them(monkeypatch):
    run(*FIT)
    old = agnoboost.load("m.agno")
    old._importances = None
    monkeypatch.setattr("agnoboost.cli.inspecting.load_model", lambda _: old)
    assert "share of how far answers move" not in run("inspect", "m.agno").stdout
    assert "column_shares" not in json.loads(run("inspect", "m.agno", "--json").stdout)


def test_the_report_says_how_it_was_made():
    asked = [*map(str, FIT), "--drop", "customer no", "--report", "r.html"]
    run(*asked)
    with open("r.html") as file:
        said = Markup(file.read()).text
    assert f"Made by  {shlex.join(['agnoboost', *asked])}" in said
    assert "--drop 'customer no'" in said
