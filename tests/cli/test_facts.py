"""What commands tell programs (``--json``), and what they say of thresholds, classes and votes."""

import json
import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from exact_files import read_exactly
from markup import Markup
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    log_loss,
    precision_score,
    recall_score,
    roc_auc_score,
)

pd = pytest.importorskip("pandas")
pytest.importorskip("typer")
from typer.testing import CliRunner  # noqa: E402

import agnoboost  # noqa: E402
from agnoboost.cli.app import app  # noqa: E402
from agnoboost.estimators.threshold import written  # noqa: E402
from agnoboost.labels import CrowdVotes  # noqa: E402

PAGE = Path(__file__).parents[2] / "docs" / "command_line.md"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two classes and three; votes of three annotators, of whom one guesses; names that a spreadsheet would run."""
    path = tmp_path_factory.mktemp("facts")
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(160, 2)), columns=["a", "b"])
    noisy = X["a"] + 0.5 * rng.normal(size=160)
    two = np.where(noisy > 0.3, "=yes", "no")
    three = np.select([noisy > 0.7, noisy > -0.3], [2, 1], 0)
    X.assign(label=two, note=["@x", "-5"] * 80).to_csv(path / "two.csv", index=False)
    X.assign(label=three).to_csv(path / "three.csv", index=False)
    partly = pd.read_csv(path / "two.csv")
    partly.loc[60:, "label"] = None
    partly.to_csv(path / "partly.csv", index=False)
    flip = {
        name: np.where(rng.random(160) < p, two[::-1], two) for name, p in (("ann", 0.1), ("ben", 0.2), ("cleo", 1))
    }
    votes = pd.DataFrame(flip).astype(object).where(rng.random((160, 3)) < 0.7)
    pd.concat([X, votes], axis=1).to_csv(path / "votes.csv", index=False)
    for name, y in (("two", two), ("three", three)):
        agnoboost.TableClassifier(effort="fast", random_state=0).fit(X[:80], y[:80]).save(path / f"{name}.agno")
    return path


def run(folder, *arguments, expect=0):
    named = [str(folder / one) if str(one).endswith((".csv", ".agno")) else str(one) for one in arguments]
    done = CliRunner().invoke(app, named)
    assert done.exit_code == expect, done.output
    return done


def facts(folder, *arguments, expect=0):
    return json.loads(run(folder, *arguments, "--json", expect=expect).stdout)


def keys(value):
    """All names of an object, of those inside it too; but not those that are data."""
    if isinstance(value, list):
        return set().union(*map(keys, value))
    if not isinstance(value, dict):
        return set()
    data = {"weights", "predictions", "column_shares", "plan", "measured"}
    return set(value) | set().union(*(keys(one) for name, one in value.items() if name not in data))


def test_every_command_has_facts_and_every_key_is_on_the_page(folder, monkeypatch):
    quick = partial(agnoboost.TableClassifier, members=["stumps"])
    monkeypatch.setattr("agnoboost.cli.worth.TableClassifier", quick)
    page = PAGE.read_text()
    fit = ("fit", "two.csv", "--target", "label", "--drop", "note", "--out", "m.agno", "--effort", "fast", "--folds", 2)
    boosting = ("--classifier", "boosting", "--rounds", 3, "--jobs", 1)
    tried = {
        "fit": facts(folder, *fit),
        "fit, boosting": facts(folder, *fit[:-4], "--folds", 0, *boosting),
        "inspect, boosting": facts(folder, "inspect", "m.agno"),
        "inspect": facts(folder, "inspect", "two.agno"),
        "predict": facts(folder, "predict", "two.agno", "two.csv", "--out", "p.csv"),
        "evaluate": facts(folder, "evaluate", "two.agno", "two.csv", "--target", "label"),
        "audit": facts(
            folder, "audit", "two.agno", "partly.csv", "--gold-column", "label", "--next", 9, "--out", "a.csv"
        ),
        "explain": facts(folder, "explain", "two.agno", "two.csv"),
        "suspects": facts(folder, "suspects", *fit[1:6], "--effort", "fast", "--out", "s.csv"),
        "suggest": facts(folder, "suggest", "two.agno", "two.csv", "--out", "two_next.csv"),
        "worth": facts(folder, "worth", *fit[1:6]),
        "plan": facts(folder, "plan", "theorem1", "--log-size", 4),
        "plan alone": facts(folder, "plan"),
        "error": facts(folder, "inspect", "gone.agno", expect=2),
    }
    for command, found in tried.items():
        missing = {name for name in keys(found) if f"`{name}`" not in page}
        assert not missing, (command, missing)
    assert {command.callback.__name__ for command in app.registered_commands} <= {*map(str.lower, tried)}
    assert tried["fit"]["accuracy"]["low"] < tried["fit"]["accuracy"]["value"]
    assert tried["fit"]["classes"] == ["=yes", "no"]
    assert tried["fit, boosting"]["accuracy"] is None
    assert tried["inspect"]["columns"] == ["a", "b"]
    assert tried["plan"]["comparison"][0]["labeled"] == tried["plan"]["labeled"]
    assert "There is no file" in tried["error"]["error"]


def test_messages_of_json_go_to_the_error_stream(folder):
    done = run(folder, "evaluate", "two.agno", "two.csv", "--target", "label", "--json")
    assert done.stdout.count("\n") == 1
    assert "160 labeled rows" in done.stderr
    done = run(folder, "evaluate", "two.agno", "two.csv", "--target", "label")  # and the next command is as before
    assert "160 labeled rows" in done.stdout


@pytest.mark.parametrize("threshold", [None, 0.2])
def test_figures_of_two_classes(folder, threshold):
    given = () if threshold is None else ("--threshold", threshold)
    found = facts(folder, "evaluate", "two.agno", "two.csv", "--target", "label", *given)
    table, model = read_exactly(folder / "two.csv"), agnoboost.load(folder / "two.agno")
    truth, p = table["label"].to_numpy(), model.predict_proba(table[["a", "b"]])
    said = model.classes_[(p[:, 1] >= (0.5 if threshold is None else threshold)).astype(int)]
    assert found["threshold"] == (0.5 if threshold is None else threshold)
    assert found["accuracy"]["value"] == pytest.approx(np.mean(said == truth))
    assert found["log_loss"] == pytest.approx(log_loss(truth, p, labels=model.classes_))
    assert found["roc_auc"] == pytest.approx(roc_auc_score(truth == "no", p[:, 1]))
    assert found["average_precision"] == pytest.approx(average_precision_score(truth == "no", p[:, 1]))
    assert found["brier_score"] == pytest.approx(brier_score_loss(truth == "no", p[:, 1]))
    for one in found["classes"]:
        assert one["recall"] == pytest.approx(recall_score(truth, said, pos_label=one["name"]))
        assert one["precision"] == pytest.approx(precision_score(truth, said, pos_label=one["name"]))
    assert np.sum(found["confusion"]["counts"]) == 160
    shown = run(folder, "evaluate", "two.agno", "two.csv", "--target", "label").stdout
    assert "average precision (PR-AUC)" in shown
    assert "log loss" in shown


def test_figures_of_three_classes(folder):
    found = facts(folder, "evaluate", "three.agno", "three.csv", "--target", "label")
    table, model = (
        read_exactly(folder / "three.csv"),
        agnoboost.load(folder / "three.agno"),
    )
    p = model.predict_proba(table[["a", "b"]])
    areas = [roc_auc_score(table["label"] == name, p[:, name]) for name in range(3)]
    precisions = [average_precision_score(table["label"] == name, p[:, name]) for name in range(3)]
    assert found["roc_auc"] == pytest.approx(np.mean(areas))
    assert found["average_precision"] == pytest.approx(np.mean(precisions))
    assert [one["name"] for one in found["classes"]] == [0, 1, 2]  # as numbers
    table[table["label"] > 0].to_csv(folder / "some.csv", index=False)
    found = facts(folder, "evaluate", "three.agno", "some.csv", "--target", "label")
    assert (found["roc_auc"], found["average_precision"]) == (None, None)  # a class does not occur


def test_several_classes_everywhere(folder):
    found = facts(folder, "predict", "three.agno", "three.csv", "--out", "p.csv")
    assert sum(found["predictions"].values()) == 160
    assert pd.read_csv(folder / "p.csv").columns.tolist() == ["prediction", "p_0", "p_1", "p_2"]
    explained = facts(folder, "explain", "three.agno", "three.csv")["rows"]
    assert {one["prediction"] for one in explained} == {0, 1, 2}
    drawn = facts(folder, "suggest", "three.agno", "three.csv", "--n", 7, "--out", "n.csv")
    assert (drawn["pool"], len(drawn["rows"])) == (160, 7)
    suspects = ("suspects", "three.csv", "--target", "label", "--n", 5, "--effort", "fast", "--out", "s.csv")
    listed = facts(folder, *suspects)["suspects"]
    labels = pd.read_csv(folder / "three.csv")["label"]
    assert [one["given"] for one in listed] == labels[[one["row"] - 1 for one in listed]].tolist()


def test_a_threshold_moves_predictions_and_is_for_two_classes(folder):
    def share(threshold):
        found = facts(folder, "predict", "two.agno", "two.csv", "--threshold", threshold, "--out", "t.csv")
        return found["predictions"].get("no", 0)

    assert share(0.0) == 160
    assert share(0.2) > share(0.8)
    table = pd.read_csv(folder / "t.csv")
    assert ((table["p_no"] >= 0.8) == (table["prediction"] == "no")).all()
    refused = run(folder, "predict", "three.agno", "three.csv", "--threshold", 0.3, "--out", "t.csv", expect=2)
    assert "--threshold is for two classes. The model has 3" in refused.stderr
    run(folder, "predict", "two.agno", "two.csv", "--threshold", 1.5, "--out", "t.csv", expect=2)


def test_formulas_are_told_and_can_be_escaped(folder):
    predict = ("predict", "two.agno", "two.csv", "--keep", "note", "--out", "f.csv")
    said = run(folder, *predict).stdout
    raw = pd.read_csv(folder / "f.csv")
    count = int((raw["note"] == "@x").sum() + (raw["prediction"] == "=yes").sum())
    assert f"{count} cells begin with = + - or @" in said
    assert "spreadsheet" not in run(folder, *predict, "--escape-formulas").stdout
    safe = pd.read_csv(folder / "f.csv")
    assert set(safe["note"]) == {"'@x", "-5"}
    assert set(safe["prediction"]) == {"'=yes", "no"}
    assert safe["p_no"].equals(raw["p_no"])


def test_votes_of_several_columns(folder):
    fit = ("fit", "votes.csv", "--effort", "fast", "--folds", 2, "--out", "v.agno")
    done = run(folder, *fit, "--votes", "ann, ben,cleo")
    model = agnoboost.load(folder / "v.agno")
    assert model.label_model == CrowdVotes()
    assert model.feature_names_in_.tolist() == ["a", "b"]
    table = pd.read_csv(folder / "votes.csv")
    voted = table[["ann", "ben", "cleo"]].notna().any(axis=1).sum()
    assert f"{voted} labeled rows (" in done.stdout
    assert "against the likelier class by the votes" in done.stdout
    assert re.search(r"Annotators, by how well.*\n  \w+: \d+ votes, about \d+% right", done.stdout)
    truth = pd.read_csv(folder / "two.csv")["label"]
    assert np.mean(model.predict(table[["a", "b"]]) == truth) > 0.75
    found = facts(folder, *fit, "--votes", "ann,ben,cleo", "--label-model", "majority")
    assert found["accuracy"]["value"] > 0.5
    assert [one["name"] for one in found["annotators"]] == ["ann", "ben", "cleo"]
    assert all(0.5 < one["right"] <= 1 and one["votes"] > 10 for one in found["annotators"])
    assert agnoboost.load(folder / "v.agno").label_model == CrowdVotes("majority")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "Either --target or --votes must be given"),
        (("--target", "ann", "--votes", "ann,ben"), "Either --target or --votes must be given"),
        (("--votes", "ann"), "--votes must name two or more columns"),
        (("--votes", "ann,ann"), "--votes must name two or more columns"),
        (("--votes", "ann,dan"), "has no column 'dan'"),
        (("--votes", "ann,ben", "--label-model", "flips:0.1"), "--label-model may only be majority"),
        (("--target", "ann", "--label-model", "flip:0.1"), "Did you mean 'flips'?"),
        (("--target", "ann", "--class-weight", "balancd"), "Did you mean 'balanced'?"),
        (("--target", "ann", "--class-weight", "noo=3"), "Got 'noo=3'. Did you mean 'no'?"),
        (("--target", "ann", "--class-weight", "no=0"), "--class-weight must be a number above 0. Got 0 for no."),
        (("--target", "ann", "--classifier", "boosting", "--algorithm", "algorithm"), "Did you mean 'algorithm"),
    ],
)
def test_options_that_do_not_fit(folder, options, message):
    done = run(folder, "fit", "votes.csv", *options, "--out", "no.agno", expect=2)
    assert message in re.sub(r"\s+", " ", done.stderr)
    assert not (folder / "no.agno").exists()


def test_class_weights_by_name(folder, monkeypatch):
    seen = []

    def stop(model, *_):
        seen.append(model.class_weight)
        raise ValueError("enough")

    monkeypatch.setattr("agnoboost.cli.training._train", stop)
    for given in (("--class-weight", "no=3"), ("--class-weight", "balanced"), ()):
        run(folder, "fit", "two.csv", "--target", "label", *given, expect=2)
    assert seen == [{"no": 3.0, "=yes": 1.0}, "balanced", None]


def test_a_weight_of_zero_that_was_asked_for_is_not_explained_away(folder):
    fit = ("fit", "partly.csv", "--target", "label", "--classifier", "boosting", "--rounds", 3, "--folds", 0)
    said = run(folder, *fit, "--unlabeled-weight", 0, "--out", "z.agno").stdout
    assert "unlabeled weight 0 (as given)" in said
    assert "as --unlabeled-weight 0 asks" in said
    assert "nothing showed" not in said


JARGON = r"potential|held[ -]out|case[ -][AB]\b|\bmembers\b|C_X|\bby: by\b|\bmargins?\b|dD/dQ|supremum"


def test_plain_words(folder):
    """No word of the theory in what the everyday commands print, nor in their help."""
    said = [run(folder, *asked).output for asked in (("--help",), ("plan",), ("inspect", "two.agno"))]
    said += [run(folder, command.callback.__name__, "--help").output for command in app.registered_commands]
    said.append(run(folder, "explain", "three.agno", "three.csv").output)
    audit = ("audit", "two.agno", "partly.csv", "--gold-column", "label", "--next", 9, "--out", "a.csv")
    said.append(run(folder, *audit).output)
    said.append(run(folder, "suggest", "three.agno", "three.csv", "--out", "n.csv").output)
    suspects = ("suspects", "two.csv", "--target", "label", "--drop", "note", "--effort", "fast", "--out", "s.csv")
    said.append(run(folder, *suspects).output)
    fit = ("fit", "partly.csv", "--target", "label", "--drop", "note", "--out", "w.agno", "--folds", 2)
    said.append(run(folder, *fit, "--effort", "fast").output)
    boosting = ("--classifier", "boosting", "--rounds", 3, "--jobs", 1, "--report", folder / "w.html")
    said.append(run(folder, *fit, *boosting).output)
    said.append(run(folder, "inspect", "w.agno").output)
    said.append(Markup((folder / "w.html").read_text()).text)
    shift = ("--classifier", "boosting", "--algorithm", "algorithm3", "--shift", "auto", "--rounds", 3, "--jobs", 1)
    said.append(run(folder, *fit[:-1], 0, *shift).output)
    for text in said:
        assert not re.search(JARGON, text), text


def test_a_plan_fits_a_terminal(folder):
    for asked in (
        ("theorem1", "--vc", 10, "--epsilon", 0.01),
        ("theorem2", "--log-size", 4),
        ("half", "--n", 20, "--epsilon", 0.01),
        ("rl", "--log-size", 2, "--epsilon", 0.5, "--beta", 0.5),
        (),
    ):
        assert max(map(len, run(folder, "plan", *asked).stdout.splitlines())) <= 80
    assert "agnoboost plan theorem1 --log-size 3.95 --epsilon 0.3" in run(folder, "plan").stdout
    assert "Did you mean 'theorem1'" in run(folder, "plan", "theorm1", "--vc", 3, expect=2).stderr


def test_ctrl_c(folder, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("agnoboost.cli.models.predictions", interrupted)
    done = run(folder, "predict", "two.agno", "two.csv", "--out", "stopped.csv", expect=130)
    assert "Stopped." in done.stderr
    assert not (folder / "stopped.csv").exists()


def test_shells_can_complete(folder, monkeypatch):
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    assert "complete" in run(folder, "--show-completion", "bash").stdout


def test_a_tuned_threshold_is_shown_and_is_the_one_that_is_used(folder, tmp_path):
    fit = ("fit", "two.csv", "--target", "label", "--drop", "note", "--effort", "fast", "--out", tmp_path / "t.agno")
    page = tmp_path / "r.html"
    done = run(folder, *fit, "--cost", "no=5", "--folds", 2, "--report", page, "--json")
    threshold = json.loads(done.stdout)["threshold"]
    assert f"no is predicted from a probability of {written(threshold)} on" in done.stderr
    assert f"{threshold:.3f}</b>" in page.read_text()
    model, X = agnoboost.load(tmp_path / "t.agno"), pd.read_csv(folder / "two.csv")[["a", "b"]]
    assert ((model.predict_proba(X)[:, 1] > threshold) == (model.predict(X) == "no")).all()
    assert 0.01 < threshold < 0.5
    inspected = run(folder, "inspect", tmp_path / "t.agno", "--json")
    assert json.loads(inspected.stdout)["threshold"] == pytest.approx(threshold)
    assert f"{threshold:.3f}" in inspected.stderr
    assert json.loads(run(folder, "inspect", "two.agno", "--json").stdout)["threshold"] is None
    for command in (("evaluate", "two.csv", "--target", "label"), ("predict", "two.csv", "--out", tmp_path / "p.csv")):
        name, *rest = command
        found = json.loads(run(folder, name, tmp_path / "t.agno", *rest, "--json").stdout)
        assert found["threshold"] == pytest.approx(threshold)
    told = run(folder, "evaluate", tmp_path / "t.agno", "two.csv", "--target", "label").stdout
    assert f"from a probability of {written(threshold)} on (tuned when the model was trained)" in told
    told = run(folder, "evaluate", "two.agno", "two.csv", "--target", "label").stdout
    assert "from a probability of 0.500 on (the usual one)" in told


def test_thresholds_of_several_classes_are_refused_in_words_of_the_command_line(folder):
    fit = ("fit", "three.csv", "--target", "label", "--out", "x.agno")
    for option, instead in ((["--tune-threshold"], "balanced"), (["--cost", "1=5"], "1=5")):
        said = run(folder, *fit, *option, expect=2).output
        assert f"{option[0]} is for two classes. Got 3. Use --class-weight {instead}." in said
    two = ("fit", "two.csv", "--target", "label", "--out", "x.agno", "--cost", "no=5", "--class-weight", "balanced")
    assert "--cost and --class-weight both" in run(folder, *two, expect=2).output


@pytest.mark.parametrize("command", ["predict", "evaluate", "explain", "suggest", "audit"])
def test_a_table_and_a_model_the_wrong_way_round(folder, command):
    more = {"evaluate": ("--target", "label"), "audit": ("--next", 3)}.get(command, ())
    said = run(folder, command, "two.csv", "two.agno", *more, expect=2).stderr
    assert re.search(r"The model comes first, then the table: \S*two.agno \S*two.csv\. Got", " ".join(said.split()))
