"""``agnoboost explain``."""

import json

import numpy as np
import pytest
from exact_files import read_exactly

pd = pytest.importorskip("pandas")
pytest.importorskip("typer")
from typer.testing import CliRunner  # noqa: E402

import agnoboost  # noqa: E402
from agnoboost.cli.app import app  # noqa: E402


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("explain")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=120), "kind": rng.choice(["a", "b"], 120)})
    frame.loc[::5, "size"] = np.nan
    y = np.where(frame["size"].fillna(2) + (frame["kind"] == "a") > 0.5, "large [1]", "small")
    agnoboost.TableClassifier("fast", random_state=0).fit(frame, y).save(path / "m.agno")
    frame.to_csv(path / "train.csv", index=False)
    frame[:4].assign(id=[7, 8, 9, 10]).to_csv(path / "rows.csv", index=False)
    return path


def invoke(*arguments, code=0):
    done = CliRunner().invoke(app, ["explain", *map(str, arguments)])
    assert done.exit_code == code, done.output
    return done.stdout if code == 0 else done.output


def test_rows_in_words(folder):
    said = invoke(folder / "m.agno", folder / "rows.csv", "--background", folder / "train.csv")
    model, rows = agnoboost.load(folder / "m.agno"), read_exactly(folder / "rows.csv")
    p = model.predict_proba(rows[["size", "kind"]]).max(axis=1)
    for number, (name, share) in enumerate(zip(model.predict(rows[["size", "kind"]]), p, strict=True), 1):
        assert f"row {number}: {name} ({share:.0%}; on average " in said
    assert "size = missing (odds x " in said
    assert "  for:     " in said
    one = invoke(folder / "m.agno", folder / "rows.csv", "--background", folder / "train.csv", "--top", 1)
    assert all("," not in line for line in one.splitlines() if line.startswith(("  for:", "  against:")))


def test_a_file_and_json(folder):
    out = folder / "explained.csv"
    compared = ("--background", folder / "train.csv")
    assert "4 explanations written" in invoke(folder / "m.agno", folder / "rows.csv", *compared, "--out", out)
    table = pd.read_csv(out)
    assert table.columns[0] == "row"
    assert table["row"].tolist() == [1, 2, 3, 4]
    facts = json.loads(invoke(folder / "m.agno", folder / "rows.csv", *compared, "--json"))["rows"]
    assert [one["prediction"] for one in facts] == table["prediction"].tolist()
    model = agnoboost.load(folder / "m.agno")
    means = dict(
        zip(
            model.classes_,
            model.predict_proba(read_exactly(folder / "train.csv")[["size", "kind"]]).mean(0),
            strict=True,
        )
    )
    assert table["usual probability"].tolist() == pytest.approx([means[name] for name in table["prediction"]])
    sign = np.where(table["prediction"] == model.classes_[1], 1, -1)
    odds = np.log(table["probability"] / (1 - table["probability"]))
    base = sign * (odds - table["log-odds of size"] - table["log-odds of kind"])
    np.testing.assert_allclose(base, base[0], atol=1e-6)  # the same for all rows
    for number, one in enumerate(facts):
        for reason in one["for"] + one["against"]:
            assert reason["log_odds"] == pytest.approx(table[f"log-odds of {reason['column']}"][number])
            assert reason["odds"] == pytest.approx(np.exp(reason["log_odds"]))
    assert facts[0]["for"][0]["cell"] is None


def test_odds_of_several_classes_are_said_to_be_those_before_they_are_brought_together(folder):
    frame = pd.read_csv(folder / "train.csv")
    y = np.where(frame["kind"] == "a", "a", np.where(frame["size"] > 0, "large", "small"))
    agnoboost.TableClassifier("fast", members=["stumps"], random_state=0).fit(frame, y).save(folder / "three.agno")
    words = "by the model of this class alone, before the classes are brought together"
    assert words in " ".join(invoke(folder / "three.agno", folder / "train.csv").split())
    assert words not in " ".join(invoke(folder / "m.agno", folder / "train.csv").split())


def test_many_rows_are_compared_with_each_other_and_not_all_printed(folder):
    said = invoke(folder / "m.agno", folder / "train.csv")
    assert "row 20:" in said
    assert "row 21:" not in said
    assert "100 more rows: write them all with --out" in said


def test_what_cannot_be_explained(folder):
    assert "too few to say what is usual" in invoke(folder / "m.agno", folder / "rows.csv", code=2)
    train = folder / "train.csv"
    said = invoke(folder / "m.agno", folder / "rows.csv", "--background", train, "--out", train, code=2)
    assert "must not be the input" in said
    frame = pd.read_csv(train)
    other = agnoboost.AgnosticBoostingClassifier(n_rounds=3, random_state=0)
    other.fit(frame, (frame["kind"] == "a").astype(int)).save(folder / "other.agno")
    assert "are there for a TableClassifier" in invoke(folder / "other.agno", train, code=2)


def test_columns_that_are_kept_stand_beside(folder):
    out = folder / "kept.csv"
    asked = (folder / "m.agno", folder / "rows.csv", "--background", folder / "train.csv", "--out", out)
    invoke(*asked, "--keep", "id,kind")
    table = pd.read_csv(out)
    assert table.columns[:4].tolist() == ["row", "id", "kind", "prediction"]
    assert table["id"].tolist() == [7, 8, 9, 10]
    assert "Did you mean 'id'" in invoke(*asked, "--keep", "idd", code=2)
    rows = pd.read_csv(folder / "rows.csv").rename(columns={"id": "row"})
    rows.to_csv(folder / "clash.csv", index=False)
    said = invoke(
        folder / "m.agno", folder / "clash.csv", "--background", folder / "train.csv", "--keep", "row", code=2
    )
    assert "--keep row would collide with a column of the output" in said
