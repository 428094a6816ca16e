"""``agnoboost fit --machine-column``: labels of machines beside checked ones, from the table to the report."""

import json
import re
from functools import partial

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
pytest.importorskip("typer")
from typer.testing import CliRunner  # noqa: E402

import agnoboost  # noqa: E402
from agnoboost.cli import classifiers, suspects, worth  # noqa: E402
from agnoboost.cli.app import app  # noqa: E402
from agnoboost.evaluation import held_out, learning_curve  # noqa: E402


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(
        classifiers, "TableClassifier", partial(agnoboost.TableClassifier, members=["small trees", "linear"])
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """60 of 300 rows checked; a machine that errs on one kind, probabilities, a rule for one class, a stranger."""
    path = tmp_path_factory.mktemp("machines")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=300), "kind": rng.choice(["a", "b", "c"], 300)})
    truth = np.where(frame["size"] + 0.3 * rng.normal(size=300) > 0, "yes", "no")
    wrong = rng.random(300) < np.where(frame["kind"] == "c", 0.9, 0.03)
    frame["llm"] = np.where(wrong, np.where(truth == "yes", "no", "yes"), truth)
    frame["chance"] = np.where(frame["llm"] == "yes", 0.85, 0.2)
    frame["rule"] = np.where(frame["size"] > 1, "yes", None)
    frame["label"] = pd.Series(truth, dtype=object).where(np.arange(300) < 60)
    frame.to_csv(path / "data.csv", index=False)
    numbers = {"yes": "1", "no": "0"}
    frame.assign(
        label=frame["label"].map(numbers), llm=frame["llm"].map(numbers).mask(wrong & (frame["kind"] == "a"), "?")
    ).to_csv(path / "numbers.csv", index=False)
    frame[["size", "kind"]].assign(label=truth)[60:].to_csv(path / "test.csv", index=False)
    return path


def run(folder, *arguments, expect=0):
    named = [str(folder / one) if str(one).endswith((".csv", ".agno", ".html")) else str(one) for one in arguments]
    done = CliRunner().invoke(app, named)
    assert done.exit_code == expect, done.output
    return re.sub(r"\s+", " ", done.output)


def fit(folder, *options, table="data.csv", expect=0):
    others = [name for name in ("llm", "chance", "rule") if name not in " ".join(options)]
    place = (table, "--target", "label", "--out", "m.agno", "--effort", "fast", "--drop", ",".join(others))
    return run(folder, "fit", *place, *options, expect=expect)


def test_from_a_table_to_a_report(folder):
    said = fit(folder, "--machine-column", "llm", "--folds", "2", "--report", "r.html")
    assert "60 labeled rows" in said
    assert "2 columns. Machine labels in llm: 300 rows." in said
    assert "llm has labeled 300 rows, of which 60 have a checked label as well." in said
    assert "It errs more often where kind is c" in said
    assert "ROC area" in said
    assert re.search(r"accuracy 0\.\d+ by checked labels alone, 0\.\d+ with machine labels \(difference", said)
    assert "Rows left out were left out with their machine labels" in said
    assert "Unlabeled rows only show how values are spread" not in said
    page = (folder / "r.html").read_text()
    assert "What machine labels were worth" in page
    assert "kind is c" in page
    model = agnoboost.load(folder / "m.agno")
    assert model._column_names == ["size", "kind"]
    assert model.machines_.machines[0].regions[0].condition == "kind is c"


def test_the_model_does_without_the_machine(folder):
    fit(folder, "--machine-column", "llm", "--folds", "0")
    assert "240 predictions" in run(folder, "predict", "m.agno", "test.csv", "--out", "p.csv")
    assert "area under the ROC curve" in run(folder, "evaluate", "m.agno", "test.csv", "--target", "label")
    assert "size" in run(folder, "explain", "m.agno", "test.csv", "--out", "e.csv")
    shown = run(folder, "inspect", "m.agno")
    assert "machine labels: llm" in shown
    assert "worth of machine labels" in shown


def test_several_machines_and_facts_for_programs(folder):
    place = ("data.csv", "--target", "label", "--out", "m.agno", "--effort", "fast", "--folds", "0", "--json")
    said = run(folder, "fit", *place, "--machine-column", "llm,chance", "--machine-column", "rule")
    found = json.loads(said[said.index('{"model"') : said.rindex("}") + 1])
    assert found["columns"] == ["size", "kind"]
    roles = {one["name"]: (one["role"], one["rows"]) for one in found["machines"]["machines"]}
    assert roles["llm"][1] == roles["chance"][1] == 300
    assert roles["rule"][0] == "left out"
    assert [one["measure"] for one in found["machines"]["gains"]] == ["accuracy", "Brier score", "ROC area"]
    shown = json.loads(CliRunner().invoke(app, ["inspect", str(folder / "m.agno"), "--json"]).stdout)
    assert shown["machines"] == found["machines"]


def test_texts_that_are_numbers_in_the_label_column(folder):
    """A mark among the machine's labels makes texts of them, and numbers of the others stay numbers."""
    said = fit(folder, "--machine-column", "llm", "--folds", "0", "--missing-label", "?", table="numbers.csv")
    assert "60 labeled rows (" in said
    model = agnoboost.load(folder / "m.agno")
    assert model.classes_.tolist() == [0, 1]
    assert model.machines_.machines[0].rows < 300


def test_held_out_rows_take_their_machine_labels_along(folder, monkeypatch):
    seen = []

    def remember(labels, rows):
        seen.append(rows)
        return {"machine_labels": {name: own[rows] for name, own in labels.items()}}

    monkeypatch.setattr(held_out, "beside", remember)
    fit(folder, "--machine-column", "llm", "--folds", "3")
    assert [len(rows) for rows in seen] == [280, 280, 280]
    out = [set(range(300)) - set(rows.tolist()) for rows in seen]
    assert set().union(*out) == set(range(60))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--machine-column", "lm"), "has no column 'lm'"),
        (("--machine-column", "label"), "must name another column than the one with the labels"),
        (("--machine-column", "kind"), "the label column, no, yes, or probabilities of yes. Got c (106 rows), "),
        (("--machine-column", "size"), "or probabilities of yes. Got"),
        (("--machine-column", "llm", "--categorical", "llm"), "--categorical and --machine-column both name 'llm'"),
        (("--machine-column", "llm", "--classifier", "boosting"), "--machine-column is for --classifier table"),
        (("--machine-column", "llm", "--label-model", "positives:0.4"), "machine_labels need labels of all classes"),
    ],
)  # fmt: skip
def test_what_is_refused(folder, options, words):
    if "boosting" in options:
        said = run(folder, "fit", "data.csv", "--target", "label", *options, expect=2)
    else:
        said = fit(folder, *options, expect=2)
    assert words in said


@pytest.fixture
def mistaken(folder, monkeypatch):
    """The same table with checked labels that are wrong, and a machine that is seldom wrong."""
    frame = pd.read_csv(folder / "data.csv")
    frame.loc[:5, "label"] = frame.loc[:5, "label"].map({"yes": "no", "no": "yes"})
    frame["llm"] = np.where(frame["size"] > 0, "yes", "no")
    frame[["size", "kind", "llm", "label"]].to_csv(folder / "mistaken.csv", index=False)
    quick = partial(agnoboost.TableClassifier, members=["small trees", "linear"])
    monkeypatch.setattr(suspects, "TableClassifier", quick)
    monkeypatch.setattr(worth, "TableClassifier", quick)
    return folder


def test_suspects_with_a_machine(mistaken):
    place = ("mistaken.csv", "--target", "label", "--out", "suspects.csv", "--n", "6", "--effort", "fast")
    said = run(mistaken, "suspects", *place)
    assert "'llm' holds the classes of label, as if a machine or a rule had filled it. If new rows will not" in said
    assert "name it with --machine-column 'llm'. If they will have it, leave it as it is" in said
    said = run(mistaken, "suspects", *place, "--machine-column", "llm")
    assert "holds the classes of label" not in said
    found, table = pd.read_csv(mistaken / "suspects.csv"), pd.read_csv(mistaken / "mistaken.csv")
    assert (found["row"] <= 6).mean() > 0.6
    assert found["llm"].tolist() == table["llm"].iloc[found["row"] - 1].tolist()  # for people to look at
    assert found.columns[6] == "llm"
    assert re.search(r"rather . llm .", said)
    model = agnoboost.TableClassifier(members=["small trees", "linear"], effort="fast", random_state=0)
    model.fit(table[["size", "kind"]], table["label"], machine_labels={"llm": table["llm"]})
    assert found["row"].tolist() == (model.suspicious_labels_.row[:6] + 1).tolist()
    assert found["probability"].tolist() == pytest.approx(model.suspicious_labels_.probability[:6])


def test_worth_with_a_machine(mistaken, monkeypatch):
    """Beside a machine that is mostly right, few labels do nearly as well as many."""
    monkeypatch.setattr(learning_curve, "REPEATS", 1)
    monkeypatch.setattr(learning_curve, "POINTS", 2)

    def first(*options):
        said = run(mistaken, "worth", "mistaken.csv", "--target", "label", "--drop", "kind", *options)
        return float(re.search(r"labels: accuracy (0\.\d+) on rows left out", said)[1])

    beside, alone = first("--machine-column", "llm"), first("--drop", "llm")
    assert beside > alone


def test_an_empty_machine_is_refused(folder):
    frame = pd.read_csv(folder / "data.csv").assign(llm=None)
    frame["llm"] = frame["llm"].astype(object)
    frame.loc[0, "llm"] = "?"
    frame.to_csv(folder / "empty.csv", index=False)
    said = fit(folder, "--machine-column", "llm", "--missing-label", "?", table="empty.csv", expect=2)
    assert "'llm' of --machine-column must hold labels" in said


@pytest.mark.parametrize("command", ["predict", "evaluate", "explain"])
def test_a_machine_that_new_rows_have_and_the_model_does_not_use_is_told(folder, command):
    fit(folder, "--machine-column", "llm", "--folds", "0")
    asked = {"predict": ("--out", "p.csv"), "evaluate": ("--target", "label"), "explain": ()}[command]
    said = run(folder, command, "m.agno", "data.csv", *asked)
    words = "the column 'llm' is there, but this model does not use it: it was fitted with --machine-column 'llm'"
    assert words in said
    assert "does not use" not in run(folder, command, "m.agno", "test.csv", *asked)
