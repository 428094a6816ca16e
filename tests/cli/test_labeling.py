"""``suspects``, ``suggest`` and ``worth``: what labels are wrong, which rows to label next, and whether to go on."""

import re

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
typer = pytest.importorskip("typer")
from typer.testing import CliRunner  # noqa: E402

from agnoboost import TableClassifier  # noqa: E402
from agnoboost.cli import worth as worth_command  # noqa: E402
from agnoboost.cli.app import app  # noqa: E402
from agnoboost.tables.spreadsheets import formula_cells  # noqa: E402

WRONG = np.arange(2, 120, 10)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two classes by one column; some labels wrong, others missing."""
    path = tmp_path_factory.mktemp("labeling")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"id": np.arange(200), "size": rng.normal(size=200), "kind": rng.choice(["a", "b"], 200)})
    label = np.where(frame["size"] > 0, "big", "small").astype(object)
    label[WRONG] = np.where(label[WRONG] == "big", "small", "big")
    label[120:] = None
    frame.assign(label=label).to_csv(path / "data.csv", index=False)
    frame.iloc[120:].to_csv(path / "pool.csv", index=False)
    model = TableClassifier(members=["stumps"], random_state=0).fit(frame[["size", "kind"]], label)
    model.save(path / "model.agno")
    return path


def invoke(*arguments, code=0):
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == code, done.output
    return re.sub(r"\s+", " ", done.output)


def test_suspects_are_listed_with_their_rows(folder):
    place = folder / "suspects.csv"
    options = ("--target", "label", "--drop", "id", "--effort", "fast", "--out", place, "--n", 12)
    said = invoke("suspects", folder / "data.csv", *options)
    assert re.search(r"About \d+ of 1\d\d labels look wrong \(\d+ to \d+, for chance alone\)", said)
    assert f"12 rows written to {place}" in said
    found = pd.read_csv(place)
    assert np.isin(found["row"] - 1, WRONG).mean() > 0.7
    data = pd.read_csv(folder / "data.csv")
    assert found["size"].tolist() == data["size"].iloc[found["row"] - 1].tolist()
    assert found["given"].tolist() == data["label"].iloc[found["row"] - 1].tolist()
    assert (found["given"] != found["suggested"]).all()


def test_suspects_never_overwrite_their_input(folder):
    data = folder / "data.csv"
    said = invoke("suspects", data, "--target", "label", "--out", data, code=2)
    assert "--out must not be the input" in said


def test_rows_to_label_next(folder):
    place = folder / "next.csv"
    said = invoke("suggest", folder / "model.agno", folder / "pool.csv", "--n", 15, "--out", place)
    assert "15 of 80 rows written" in said
    found, pool = pd.read_csv(place), pd.read_csv(folder / "pool.csv")
    assert found["id"].tolist() == pool["id"].iloc[found["row"] - 1].tolist()
    assert found["inclusion_probability"].between(0, 1).all()
    said = invoke("suggest", folder / "model.agno", folder / "pool.csv", "--n", 81, "--out", place, code=2)
    assert "--n must be at most the number of rows to draw from, 80" in said
    said = invoke("suggest", folder / "model.agno", folder / "pool.csv", "--out", folder / "pool.csv", code=2)
    assert "--out must not be the input" in said


@pytest.mark.parametrize("command", ["suspects", "suggest", "explain"])
def test_formulas_are_told_and_can_be_escaped(folder, command):
    name = "=size"  # explanations name columns; the others hold cells, too
    data = pd.read_csv(folder / "data.csv").rename(columns={"size": name})[:120]
    data["kind"] = np.where(data["id"] % 2, "@run", "-5")
    data.to_csv(folder / "formulas.csv", index=False)
    place = folder / "formulas_out.csv"
    if command == "suspects":
        options = (folder / "formulas.csv", "--target", "label", "--effort", "fast", "--n", 8)
    else:
        model = TableClassifier(members=["stumps"], random_state=0).fit(data[[name, "kind"]], data["label"])
        model.save(folder / "formulas.agno")
        options = (folder / "formulas.agno", folder / "formulas.csv")
    said = invoke(command, *options, "--out", place)
    told = re.search(r"(\d+) cells begin with = \+ - or @: a spreadsheet would run them", said)
    raw = pd.read_csv(place, dtype=str)
    assert told
    assert int(told[1]) == formula_cells(raw) > 0
    assert "a spreadsheet would run" not in invoke(command, *options, "--out", place, "--escape-formulas")
    safe = pd.read_csv(place, dtype=str)
    assert formula_cells(safe) == 0
    assert safe.replace(r"^'", "", regex=True).to_numpy().tolist() == raw.to_numpy().tolist()


def test_what_more_labels_are_worth(folder, monkeypatch, capsys):
    monkeypatch.setattr(worth_command, "TableClassifier", lambda **given: TableClassifier(members=["stumps"], **given))
    assert "more accurate the model would be" in invoke("worth", "--help")
    facts = worth_command.worth(folder / "data.csv", "label", more=50, drop=["id"])
    said = capsys.readouterr().out
    assert re.search(
        r"50 more labels are worth about \+\.\d+ accuracy on average \(95% interval \+\.\d+ to \+\.\d+\)", said
    )
    assert said.count("on rows left out") == 5
    assert facts["more"] == 50
    assert len(facts["measured"]) == 5


def test_rows_with_labels_are_not_suggested(folder):
    place = folder / "rest.csv"
    said = invoke("suggest", folder / "model.agno", folder / "data.csv", "--target", "label", "--out", place)
    assert "20 of 80 rows" in said
    found, data = pd.read_csv(place), pd.read_csv(folder / "data.csv")
    assert found["row"].min() > 120
    assert found["label"].isna().all()
    assert found["id"].tolist() == data["id"].iloc[found["row"] - 1].tolist()
    data.iloc[:120].to_csv(folder / "done.csv", index=False)
    said = invoke("suggest", folder / "model.agno", folder / "done.csv", "--target", "label", "--out", place, code=2)
    assert "nothing left to label" in said


@pytest.mark.parametrize("given", [(), ("--target", "label")])
def test_suggestions_that_are_filled_in_are_not_written_again(folder, given):
    """Labels stand in the column for them, or in one that was added by hand."""
    place, pool = folder / f"mine{len(given)}.csv", folder / ("data.csv" if given else "pool.csv")
    asked = ("suggest", folder / "model.agno", pool, *given, "--n", 5, "--out", place)
    invoke(*asked)
    invoke(*asked)
    pd.read_csv(place).assign(label=["big", None, "small", None, None]).to_csv(place, index=False)
    assert "be filled in by hand: 2 cells of its column label. Name another file" in invoke(*asked, code=2)
    pd.DataFrame({"inclusion_probability": [0.5], "label": ["big"]}).to_csv(place, index=False)
    invoke(*asked)  # of another table
