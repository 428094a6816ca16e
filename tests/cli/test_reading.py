"""From a messy file to a model and back: the same table in other dialects gives the same predictions."""

import re

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
typer = pytest.importorskip("typer")
from typer.testing import CliRunner  # noqa: E402

import agnoboost  # noqa: E402
from agnoboost.cli.app import app  # noqa: E402


def invoke(*arguments, fails=False):
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert (done.exit_code != 0) == fails, done.output
    return re.sub(r"\s+", " ", done.output)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table with decimal commas and codes with leading zeros, its test rows in both dialects, and a model."""
    path = tmp_path_factory.mktemp("reading")
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "id": [f"{i:04d}" for i in range(120)],
            "size": rng.normal(size=120).round(2),
            "code": rng.choice(["007", "012", "A1"], 120),
            "bad": "1e999",
            "label": "007",
        }
    )
    table.loc[table["size"] > 0, "label"] = "7"
    table[:80].to_csv(path / "train.csv", sep=";", decimal=",", index=False)
    test = table[80:][table["code"][80:] != "A1"]  # all codes look like numbers here
    test.to_csv(path / "commas.csv", sep=";", decimal=",", index=False, encoding="utf-16")
    test.to_csv(path / "points.csv", index=False)
    fit = ("fit", path / "train.csv", "--target", "label", "--folds", 2, "--jobs", 1, "--out", path / "m.agno")
    assert "To go on without: --drop bad" in invoke(*fit, fails=True)
    said = invoke(*fit, "--drop", "bad,id")
    assert re.search(r"Note: \S+train.csv: column size: -?\d,\d+ read as -?\d\.\d+\.", said)
    return path


def test_labels_that_differ_by_zeros_stay_two_classes(folder):
    assert agnoboost.load(folder / "m.agno").classes_.tolist() == ["007", "7"]
    said = invoke("evaluate", folder / "m.agno", folder / "points.csv", "--target", "label")
    assert re.search(r"accuracy \(95% interval\)\D+[01]\.[89012]", said)


def test_both_dialects_give_the_same_predictions(folder):
    found = []
    for name in ("commas", "points"):
        out = folder / f"{name}_out.csv"
        invoke("predict", folder / "m.agno", folder / f"{name}.csv", "--keep", "id", "--keep", "size", "--out", out)
        found.append(pd.read_csv(out, dtype=str))
    assert found[0].equals(found[1])
    assert found[0]["id"].tolist() == pd.read_csv(folder / "points.csv", dtype=str)["id"].tolist()


def test_codes_and_numbers_stay_what_they_were_in_training(tmp_path):
    """ZIP codes are text by their zeros; a file may have no zeros, or zeros where training had plain numbers."""
    rng = np.random.default_rng(0)
    zips = rng.choice(["01067", "10115", "20095", "80331"], 80)
    sizes = rng.integers(8, 13, 80)
    train = pd.DataFrame({"zip": zips, "size": sizes, "label": np.where(sizes > 9, "big", "small")})
    train.to_csv(tmp_path / "train.csv", index=False)
    fit = ("fit", tmp_path / "train.csv", "--target", "label", "--folds", 2, "--jobs", 1)
    said = invoke(*fit, "--out", tmp_path / "m.agno")
    assert "column zip: codes with leading zeros, such as 01067, are left as text" in said
    found = []
    for text in ("zip,size\n10115,8\n80331,12\n", "zip,size\n10115,08\n80331,12\n"):
        (tmp_path / "rows.csv").write_text(text)
        invoke("predict", tmp_path / "m.agno", tmp_path / "rows.csv", "--out", tmp_path / "out.csv")
        found.append(pd.read_csv(tmp_path / "out.csv"))
    assert found[0].equals(found[1])


def test_options_reach_the_reader(folder):
    told = (folder / "points.csv").read_text().replace(",", "^")
    (folder / "odd.csv").write_bytes(told.encode("utf-16-le"))
    predict = ("predict", folder / "m.agno", folder / "odd.csv", "--out", folder / "odd_out.csv")
    assert "Pass --encoding utf-16-le" in invoke(*predict, fails=True)
    assert "lacks the column(s)" in invoke(*predict, "--encoding", "utf-16-le", fails=True)
    assert "predictions" in invoke(*predict, "--encoding", "utf-16-le", "--sep", "^")
    assert "Expected a point or a comma" in invoke(*predict, "--decimal", "^", fails=True)
    assert "How tables are read" in invoke("evaluate", "--help")


@pytest.fixture(scope="module")
def commas(tmp_path_factory):
    """Sizes such as 7,672, which a column of weights such as 1,5 shows to have decimal commas; and a model."""
    path = tmp_path_factory.mktemp("commas")
    rng = np.random.default_rng(0)
    size, weight = (
        (1000 * rng.integers(1, 9, 80) + 10 * rng.integers(10, 99, 80) + 5) / 1000,
        rng.integers(10, 99, 80) / 10,
    )
    table = pd.DataFrame({"size": size, "weight": weight, "label": np.where(size > 4.5, "big", "small")})
    written = {"sep": "\t", "decimal": ",", "index": False}
    table.to_csv(path / "train.csv", **written)
    table.assign(weight=7).to_csv(path / "whole.csv", **written)  # nothing shows what the comma is
    table.assign(weight=7).to_csv(path / "points.csv", index=False)
    invoke("fit", path / "train.csv", "--target", "label", "--effort", "fast", "--folds", 0, "--out", path / "m.agno")
    return path


@pytest.mark.parametrize("rows", ["train", "whole", "points"])
def test_the_model_remembers_the_decimal_mark(commas, rows):
    said = invoke("evaluate", commas / "m.agno", commas / f"{rows}.csv", "--target", "label")
    assert re.search(r"accuracy \(95% interval\)\D+(1\.0|0\.9)", said)
    assert ("(as in training; --decimal . reads it the other way)" in said) == (rows == "whole")


def test_the_decimal_mark_that_is_set_counts(commas):
    said = invoke("evaluate", commas / "m.agno", commas / "whole.csv", "--target", "label", "--decimal", ".")
    assert re.search(r"accuracy \(95% interval\)\D+0\.[3-7]", said)


def test_more_unlabeled_rows_are_read_like_those_of_the_table(commas):
    said = invoke(
        *("fit", commas / "train.csv", "--target", "label", "--effort", "fast", "--folds", 0),
        *("--unlabeled", commas / "whole.csv", "--out", commas / "more.agno"),
    )
    assert "whole.csv: column size" in said
    assert "as in training" in said


def test_suggestions_too(commas):
    said = invoke("suggest", commas / "m.agno", commas / "whole.csv", "--n", 2, "--out", commas / "next.csv")
    assert "as in training" in said


def test_models_without_a_mark_are_files_as_before(commas):
    frame = pd.DataFrame({"x": np.arange(60.0) % 7})
    model = agnoboost.TableClassifier("fast", members=["linear"]).fit(frame, np.arange(60) % 2)
    model.save(commas / "plain.agno")
    assert agnoboost.load(commas / "plain.agno")._encoder.decimal is None
    assert agnoboost.load(commas / "m.agno")._encoder.decimal == ","


def test_no_model_file_has_another_mark(commas):
    model = agnoboost.load(commas / "m.agno")
    model._encoder.decimal = "x"
    with pytest.raises(ValueError, match=r"decimal must be \".\" or \",\", not 'x'"):
        model.save(commas / "odd.agno")


def test_columns_to_keep_may_be_listed_and_a_wrong_one_is_no_fault_of_the_model(folder):
    predict = ("predict", folder / "m.agno", folder / "points.csv", "--out", folder / "kept.csv")
    invoke(*predict, "--keep", "id,size")
    assert list(pd.read_csv(folder / "kept.csv"))[:2] == ["id", "size"]
    said = invoke(*predict, "--keep", "id,sise", fails=True)
    assert "has no column 'sise'" in said
    assert "which the model needs" not in said


@pytest.mark.parametrize("name", ["p.xlsx", "p.json", "p.parquet.gz", "p.json.gz", "p.zip"])
def test_kinds_that_are_not_written_are_refused(folder, name):
    said = invoke("predict", folder / "m.agno", folder / "points.csv", "--out", folder / name, fails=True)
    assert "tables are written as .csv, .tsv or .parquet" in said
    assert not (folder / name).exists()


@pytest.mark.filterwarnings("default")
def test_warnings_are_notes_of_one_line(tmp_path):
    days = pd.date_range("2024-01-01", periods=60).strftime("%Y-%m-%d")
    train = pd.DataFrame({"day": days, "label": np.where(np.arange(60) < 30, "old", "new")})
    train.to_csv(tmp_path / "train.csv", index=False)
    invoke("fit", tmp_path / "train.csv", "--target", "label", "--folds", 0, "--out", tmp_path / "m.agno")
    (tmp_path / "new.csv").write_text("day\nsoon\nlater\n")
    said = invoke("predict", tmp_path / "m.agno", tmp_path / "new.csv", "--allow-unknown", "--out", tmp_path / "p.csv")
    assert said.count("Note: ") == said.count("day") == 1, said
    assert "UserWarning" not in said


def test_numbers_beyond_2_53_are_rounded_for_models_and_kept_for_people(tmp_path):
    rng = np.random.default_rng(0)
    tweets = rng.integers(2**59, 2**60, 60)
    table = pd.DataFrame({"x": rng.normal(size=60), "tweet": tweets, "label": rng.choice(["a", "b"], 60)})
    table.to_csv(tmp_path / "snow.csv", index=False)
    common = ("--effort", "fast", "--target", "label")
    more = ("--folds", 0, "--unlabeled", tmp_path / "snow.csv", "--out", tmp_path / "m.agno")
    said = invoke("fit", tmp_path / "snow.csv", *common, *more)
    assert "column tweet: whole numbers beyond 2^53" in said
    invoke("predict", tmp_path / "m.agno", tmp_path / "snow.csv", "--keep", "tweet", "--out", tmp_path / "p.csv")
    assert pd.read_csv(tmp_path / "p.csv")["tweet"].tolist() == tweets.tolist()
    invoke("suggest", tmp_path / "m.agno", tmp_path / "snow.csv", "--n", 5, "--out", tmp_path / "next.csv")
    assert set(pd.read_csv(tmp_path / "next.csv")["tweet"]) <= set(tweets.tolist())
    table["label"] = np.where(table["x"] > 0, "a", "b")
    table.to_csv(tmp_path / "snow.csv", index=False)
    invoke("suspects", tmp_path / "snow.csv", *common, "--n", 5, "--out", tmp_path / "s.csv")
    assert set(pd.read_csv(tmp_path / "s.csv")["tweet"]) <= set(tweets.tolist())
