"""The study of few labels: one method at a time, levels, ranks, shares, the page."""

import json
from dataclasses import replace

import numpy as np
import pytest
import sklearn

from agnoboost_experiments import few_labels
from agnoboost_experiments.few_labels import design, methods, tables
from agnoboost_experiments.few_labels.few_labels_page import markdown
from agnoboost_experiments.few_labels.summary import levelled, ranks, summarise
from agnoboost_experiments.studies import Study, carry_out, generator

FAST = ("TableClassifier, fast", "logistic regression, CV", "HistGradientBoosting", "SelfTraining(logistic)")


def small_study(monkeypatch, **settings):
    """Two splits of two tables."""
    monkeypatch.setattr(tables, "for_labels", lambda half, folder, labels: ["sonar", "breast cancer"])
    monkeypatch.setattr(design, "SIZES", {50: design.Size(flips=(0.0, 0.3))})
    return few_labels.EXPERIMENT.study(command="here", **{"seeds": 2, "methods": FAST, **settings})


def measured(made, folder):
    """The results of guesses, and of which methods they had to be made."""
    done = []

    def guess(method, split, seed):
        done.append(method)
        return generator(seed, method).random(len(split.test[1]))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(design, "probabilities", guess)
        folder.mkdir(exist_ok=True)
        return carry_out(made, folder, 1), done


def test_the_study_is_carried_out_and_written(tmp_path, monkeypatch):
    made = small_study(monkeypatch, seeds=1)
    page, paths = few_labels.EXPERIMENT.report(made, carry_out(made, tmp_path, 1), tmp_path)
    assert paths[1].read_text() == page
    assert "**TableClassifier, fast**" in page
    assert "sonar; breast cancer" in page
    assert all(path.stat().st_size > 500 for path in paths)
    (size,) = json.loads(paths[0].read_text())["sizes"]
    assert sum(size["ranks"]["accuracy"].values()) == pytest.approx(len(FAST) * (len(FAST) + 1) / 2)


def test_methods_are_added_to_the_journal_one_by_one(tmp_path, monkeypatch):
    whole, _ = measured(small_study(monkeypatch), tmp_path / "whole")
    for chosen, expected in ({"methods": FAST[:2]}, FAST[:2]), ({"exclude": FAST[:2]}, FAST[2:]), ({}, ()):
        made = small_study(monkeypatch, **chosen)
        assert made.settings["methods"] == list(expected or FAST)
        results, done = measured(made, tmp_path / "parts")
        assert set(done) == set(expected)
    for one, other in zip(results, whole, strict=True):
        assert one["values"][:-1] == other["values"][:-1]


def test_a_table_measured_anew_stands_beside_the_others(tmp_path, monkeypatch):
    whole = small_study(monkeypatch)
    results, _ = measured(whole, tmp_path / "whole")
    _, (path, *_) = few_labels.EXPERIMENT.report(whole, results, tmp_path / "whole")
    anew = small_study(monkeypatch, tables=["sonar"], beside=str(path))
    assert {task["table"] for task in anew.tasks} == {"sonar"}
    worse = [
        {**result, "values": [0.0, *result["values"][1:]], "by": "today"}
        for result in measured(anew, tmp_path / "new")[0]
    ]
    before, after = json.loads(path.read_text()), summarise(anew, worse)
    for old, new in zip(before["blocks"], after["blocks"], strict=True):
        changed = new["table"] == "sonar"
        assert [values[0] for values in new["values"].values()] == (
            [0.0] * len(FAST) if changed else [values[0] for values in old["values"].values()]
        )
    assert after["sizes"][0]["ranks"]["auc"] == before["sizes"][0]["ranks"]["auc"]
    assert after["measured_by"][FAST[1]] == [f"sklearn {sklearn.__version__}", "today"]
    assert f"This run measured {'; '.join(FAST)} on sonar." in markdown(after)
    with pytest.raises(ValueError, match="no reporting table 'moon' here"):
        small_study(monkeypatch, tables=["moon"])
    with pytest.raises(ValueError, match="--beside needs --table or --method"):
        small_study(monkeypatch, methods=None, beside=str(path))
    path.write_text(json.dumps({**before, "measures": ["accuracy"]}))
    with pytest.raises(ValueError, match="same measures"):
        small_study(monkeypatch, tables=["sonar"], beside=str(path))


def test_a_method_measured_anew_stands_beside_the_others(tmp_path, monkeypatch):
    whole = small_study(monkeypatch)
    results, _ = measured(whole, tmp_path / "whole")
    _, (path, *_) = few_labels.EXPERIMENT.report(whole, results, tmp_path / "whole")
    anew = small_study(monkeypatch, methods=FAST[:1], beside=str(path))
    better = [
        {**result, "values": [1.0, *result["values"][1:]], "by": "today"}
        for result in measured(anew, tmp_path / "new")[0]
    ]
    before, after = json.loads(path.read_text()), summarise(anew, better)
    for old, new in zip(before["blocks"], after["blocks"], strict=True):
        assert new["values"].pop(FAST[0])[0] == 1.0
        del old["values"][FAST[0]]
        assert new == old
    assert after["main"] == FAST[0]
    assert after["settings"]["methods"] == list(FAST)
    assert after["sizes"][0]["ranks"]["accuracy"][FAST[0]] == 1.0
    assert after["measured_by"] == before["measured_by"] | {FAST[0]: ["today"]}
    assert f"This run measured {FAST[0]} on all tables." in markdown(after)


def test_methods_that_saw_other_rows_do_not_stand_beside(tmp_path, monkeypatch):
    whole = small_study(monkeypatch)
    results, _ = measured(whole, tmp_path / "whole")
    _, (path, *_) = few_labels.EXPERIMENT.report(whole, results, tmp_path / "whole")
    fewer = small_study(monkeypatch, methods=FAST[:2], beside=str(path), seeds=1)
    with pytest.raises(ValueError, match="other rows of sonar with 50 labels"):
        summarise(fewer, measured(fewer, tmp_path / "fewer")[0])
    before = json.loads(path.read_text())
    for block in before["blocks"]:
        del block["rows"]
    path.write_text(json.dumps(before))
    part = small_study(monkeypatch, methods=FAST[:2], beside=str(path))
    with pytest.raises(ValueError, match="or does not say which"):
        summarise(part, measured(part, tmp_path / "part")[0])


def test_all_tables_must_have_the_same_methods(tmp_path, monkeypatch):
    part = small_study(monkeypatch, tables=["sonar"], methods=FAST[:2])
    results, _ = measured(part, tmp_path / "part")
    _, (path, *_) = few_labels.EXPERIMENT.report(part, results, tmp_path / "part")
    other = small_study(monkeypatch, tables=["breast cancer"], methods=FAST[:3], beside=str(path))
    with pytest.raises(ValueError, match="same methods"):
        summarise(other, measured(other, tmp_path / "other")[0])


def test_a_method_is_measured_again_where_another_version_was(tmp_path, monkeypatch):
    settings = {"methods": FAST[1:3], "again": [FAST[1]]}
    measured(small_study(monkeypatch, **settings), tmp_path)
    assert measured(small_study(monkeypatch, **settings), tmp_path)[1] == []
    monkeypatch.setattr(methods.Method, "version", "another")
    assert measured(small_study(monkeypatch, methods=settings["methods"]), tmp_path)[1] == []
    results, done = measured(small_study(monkeypatch, **settings), tmp_path)
    assert set(done) == {FAST[1]}
    assert {result["by"] for result in results} == {"another", f"sklearn {sklearn.__version__}"}
    assert measured(small_study(monkeypatch, **settings), tmp_path)[1] == []


def test_unknown_and_missing_methods_are_refused(monkeypatch):
    with pytest.raises(ValueError, match="no method 'boosting'"):
        small_study(monkeypatch, methods=["boosting"])
    with pytest.raises(ValueError, match="without its weights: TabPFN"):
        small_study(monkeypatch, methods=["TabPFN"])
    assert "TabPFN" not in small_study(monkeypatch, methods=None).settings["methods"]


def test_a_result_tells_its_rows_from_others(tmp_path, monkeypatch):
    made = small_study(monkeypatch, methods=FAST[:2])
    sums = {}
    for task, result in zip(made.tasks, measured(made, tmp_path)[0], strict=True):
        sums.setdefault((task["table"], task["flips"], task["seed"]), set()).add(result["rows"])
    assert all(len(found) == 1 for found in sums.values())
    assert len(set.union(*sums.values())) == len(sums) == 8


def test_results_on_other_rows_are_refused():
    tasks = [{"table": "t", "labels": 50, "flips": 0.0, "seed": 0, "method": name} for name in ("XGBoost", "LightGBM")]
    results = [{"values": [0.5] * 5, "by": "", "rows": rows} for rows in (1, 2)]
    with pytest.raises(ValueError, match="LightGBM was measured on other rows of t"):
        summarise(Study("few-labels", {"methods": []}, tasks, design.work), results)


def test_slow_methods_have_fewer_seeds(monkeypatch):
    monkeypatch.setattr(tables, "for_labels", lambda half, folder, labels: ["sonar"])
    monkeypatch.setitem(methods.METHODS, "AdaBoost", replace(methods.METHODS["AdaBoost"], slow=True))
    tasks = few_labels.EXPERIMENT.study(seeds=6).tasks

    def seeds(method, labels):
        return sorted({task["seed"] for task in tasks if (task["method"], task["labels"]) == (method, labels)})

    assert seeds("random forest", 50) == [0, 1, 2, 3, 4, 5]
    assert seeds("random forest", 100_000) == [0, 1, 2, 3, 4, 5]
    assert seeds("AdaBoost", 50) == [0, 5]
    assert seeds("Gaussian process", 300) == [0, 1, 2, 3, 4, 5]
    assert seeds("Gaussian process", 1000) == []
    assert [task["labels"] for task in tasks] == sorted(task["labels"] for task in tasks)


def test_methods_of_fewer_seeds_are_levelled():
    """Run on the easy split only, a method must not look better for it."""
    found = levelled([{"a": [0.9], "b": [0.8], "slow": [0.85]}, {"a": [0.5], "b": [0.4]}])
    np.testing.assert_allclose([found[name][0] for name in ("a", "b", "slow")], [0.7, 0.6, 0.65])


def test_each_of_ours_is_ranked_against_the_peers_alone():
    columns = {
        "TableClassifier, fast": np.array([0.9, 0.9]),
        "AgnosticBoosting": np.array([0.8, 0.7]),
        "XGBoost": np.array([0.75, 0.75]),
        "LightGBM": np.array([0.6, 0.6]),
    }
    found = ranks(columns, "TableClassifier, fast", True)
    assert found == {"TableClassifier, fast": 1.0, "AgnosticBoosting": 1.5, "XGBoost": 2.0, "LightGBM": 3.0}
    assert ranks({name: columns[name] for name in ("XGBoost", "LightGBM")}, None, False) == {
        "XGBoost": 2,
        "LightGBM": 1,
    }


def made_up(accuracies):
    """A summary of (table, method) -> accuracy, with an AUC that is the same and a Brier score of one less it."""
    names = list(dict.fromkeys(name for _, name in accuracies))
    tasks = [{"table": t, "labels": 50, "flips": 0.0, "seed": 0, "method": name} for t, name in accuracies]
    results = [{"values": [a, a, 1 - a, 0.1, 1.0], "by": "us", "rows": 0} for a in accuracies.values()]
    settings = {"half": "reporting", "methods": names, "not_installed": [], "slow_every": 5}
    return summarise(Study("few-labels", settings, tasks, design.work), results)


def test_shares_and_differences_say_where_a_peer_wins():
    ours = "TableClassifier, fast"
    summary = made_up(
        {
            ("one", ours): 0.9, ("one", "XGBoost"): 0.8, ("one", "CatBoost"): 0.7,
            ("two", ours): 0.8, ("two", "XGBoost"): 0.7, ("two", "CatBoost"): 0.802,
            ("three", ours): 0.8, ("three", "XGBoost"): 0.7, ("three", "CatBoost"): 0.81,
        }
    )  # fmt: skip
    (size,) = summary["sizes"]
    for measure in ("accuracy", "auc", "brier"):
        assert size["near"][measure] == pytest.approx(2 / 3)
        assert size["ahead"][measure] == pytest.approx(1 / 3)
        assert size["against"]["XGBoost"][measure]["mean"] == pytest.approx(0.1)
        assert size["best_peers"]["three"][measure] == {"peer": "CatBoost", "gain": pytest.approx(-0.01)}
    page = markdown(summary)
    assert "| three | **-.010 CatBoost** |" in page
    assert "| one | +.100 XGBoost |" in page
    assert "67%" in page


def test_a_peer_that_is_clearly_ahead_has_a_star():
    ours = "TableClassifier, fast"
    rows = {}
    for place, table in enumerate(("one", "two", "three")):
        rows |= {(table, ours): 0.8, (table, "XGBoost"): 0.85 + 0.001 * place, (table, "CatBoost"): 0.7 + 0.11 * place}
    page = markdown(made_up(rows))
    assert "| XGBoost | **-.051 +- .002** * |" in page
    assert "| CatBoost | **-.010 +- .273** |" in page


def test_the_page_is_made_without_a_method_of_ours_and_of_one_table():
    assert "| XGBoost | 1.0 |" in markdown(made_up({("one", "XGBoost"): 0.8, ("one", "CatBoost"): 0.7}))
    assert "| XGBoost | +.100 |" in markdown(made_up({("one", "AgnosticBoosting"): 0.9, ("one", "XGBoost"): 0.8}))
