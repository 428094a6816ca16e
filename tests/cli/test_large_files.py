"""``agnoboost fit`` on files that are larger than the memory it may use."""

import json
from contextlib import chdir

import numpy as np
import pytest

import agnoboost

pd = pytest.importorskip("pandas")
pytest.importorskip("typer")
pytest.importorskip("pyarrow")
from typer.testing import CliRunner  # noqa: E402

from agnoboost.cli.app import app  # noqa: E402


def run(*arguments, cwd, expect=0):
    with chdir(cwd):
        done = CliRunner(env={"COLUMNS": "200", "NO_COLOR": "1"}).invoke(app, [str(one) for one in arguments])
    assert done.exit_code == expect, done.output
    return done


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("large")
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.standard_normal((4000, 4)), columns=list("abcd"))
    table["plan"] = rng.choice(["basic", "plus"], 4000)
    table["churn"] = np.where((table["a"] + (table["plan"] == "plus") > 0.5) ^ (rng.random(4000) < 0.1), "yes", "no")
    table.loc[rng.random(4000) < 0.8, "churn"] = None
    table.to_parquet(path / "big.parquet", row_group_size=900)
    table.to_csv(path / "big.csv", index=False)
    return path


FIT = ("fit", "big.parquet", "--target", "churn", "--memory", "300KB")


def test_a_model_from_rows_that_stay_on_the_disk(folder):
    done = run(*FIT, "--rounds", "50", "--step-size", "0.02", "--folds", "2", "--jobs", "1", cwd=folder)
    assert "would need about 0.8 MB of memory, more than the 0.3 MB of --memory" in done.stderr
    assert "--classifier boosting --weak-learner stump --batch-size all" in done.stderr
    assert "Accuracy on labels left out: 0.8" in done.stdout
    model = agnoboost.load(folder / "model.agno")
    assert model.weak_learner == "stump"
    assert model.n_labeled_ + model.n_unlabeled_ == 4000
    assert "predictions (" in run("predict", "model.agno", "big.csv", "--out", "p.csv", cwd=folder).stdout
    assert sorted(file.name for file in folder.iterdir()) == ["big.csv", "big.parquet", "model.agno", "p.csv"]


def test_facts_for_programs(folder):
    options = ("--unlabeled-weight", "1", "--rounds", "30", "--folds", "0", "--json", "--out", "other.agno")
    facts = json.loads(run(*FIT, *options, cwd=folder).stdout.splitlines()[-1])
    assert facts["unlabeled_weight"] == 1.0
    assert facts["accuracy"] is None
    assert agnoboost.load(folder / "other.agno").history_.engines == ["far"]
    (folder / "other.agno").unlink()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--report", "r.html"], "--report needs all rows in memory. Leave it out, or let the table be read in full"),
        (["--classifier", "table"], "--classifier table needs all rows in memory"),
        (["--class-weight", "balanced"], "--class-weight needs all rows in memory"),
        (["--weak-learner", "tree"], "--weak-learner must be stump where rows stay on the disk. Got tree"),
        (["--batch-size", "bootstrap"], "--batch-size must be all where rows stay on the disk. Got bootstrap"),
        (["--memory", "lots"], "--memory must be a number of bytes, such as 500MB or 4GB. Got 'lots'"),
        (["--memory", "30KB"], "has 4,000 rows. Even with their values on a disk they need about 0.1 MB of memory"),
    ],
)
def test_options_that_need_all_rows(folder, options, message):
    assert message in run(*FIT, *options, cwd=folder, expect=2).stderr


def test_what_fits_into_memory_is_read_as_ever(folder):
    done = run("fit", "big.csv", "--target", "churn", "--memory", "1KB", "--effort", "fast", "--folds", "0", cwd=folder)
    assert "stay on the disk" not in done.stderr
    assert "The model is a blend" in done.stdout
