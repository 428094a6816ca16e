"""The command line as a person uses it: real files, real processes."""

import hashlib
import re
from contextlib import chdir

import numpy as np
import pytest

import agnoboost

pd = pytest.importorskip("pandas")
pytest.importorskip("typer")
from typer.testing import CliRunner  # noqa: E402

from agnoboost.cli.app import app  # noqa: E402


def run(*arguments, cwd, expect=0):
    """In this process: starting one takes longer than most commands."""
    with chdir(cwd):
        done = CliRunner(env={"COLUMNS": "200", "NO_COLOR": "1"}).invoke(app, [str(one) for one in arguments])
    assert done.exit_code == expect, done.output
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return done.stdout if expect == 0 else done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table whose label column is mostly empty, more unlabeled rows, and labeled rows for a test."""
    path = tmp_path_factory.mktemp("cli")
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "id": np.arange(500),
            "age": rng.integers(18, 80, 500),
            "plan": rng.choice(["basic", "plus", "pro"], 500),
            "usage": rng.exponential(size=500).round(3),
        }
    )
    table.loc[::13, "usage"] = np.nan
    leaves = (table["plan"] == "basic") ^ (table["age"] > 60)
    table["churn"] = np.where(rng.random(500) < 0.1, ~leaves, leaves)
    table["churn"] = table["churn"].map({True: "yes", False: "no"})
    test = table[400:]
    train = table[:200].copy()
    train.loc[80:, "churn"] = None
    train.to_csv(path / "train.csv", index=False)
    table[200:400].drop(columns="churn").to_parquet(path / "more.parquet")
    test.to_csv(path / "test.csv", index=False)
    return path


BOOSTING = ("--classifier", "boosting")
FAST = (*BOOSTING, "--rounds", "20", "--step-size", "0.06", "--folds", "2", "--jobs", "1")


@pytest.fixture(scope="module")
def fitted(folder):
    printed = run(
        "fit", "train.csv", "--target", "churn", "--drop", "id", "--unlabeled", "more.parquet",
        "--out", "model.agno", "--report", "report.html", *FAST, cwd=folder,
    )  # fmt: skip
    return folder, printed


def test_fit_says_what_it_saw_what_it_chose_and_how_good_it_is(fitted):
    folder, printed = fitted
    assert "80 labeled rows" in printed
    assert "320 unlabeled rows, 3 columns" in printed
    assert re.search(r"Chose \d+ rounds and unlabeled weight", printed)
    assert re.search(r"Accuracy on labels left out: 0\.\d+ \(about 95% interval 0\.\d+ to [01]\.\d+", printed)
    assert re.search(r"Without the unlabeled rows: 0\.\d+ \(difference [+-]0\.\d+ \+- 0\.\d+: ", printed)
    model = agnoboost.load(folder / "model.agno")
    assert (model.n_labeled_, model.n_unlabeled_) == (80, 320)
    assert model.feature_names_in_.tolist() == ["age", "plan", "usage"]


def test_predict_writes_one_row_for_each(fitted):
    folder, _ = fitted
    printed = run("predict", "model.agno", "test.csv", "--keep", "id", "--out", "p.csv", cwd=folder)
    assert "100 predictions" in printed
    result = pd.read_csv(folder / "p.csv")
    assert result.columns.tolist() == ["id", "prediction", "p_no", "p_yes"]
    assert result["id"].tolist() == list(range(400, 500))
    assert np.allclose(result["p_no"] + result["p_yes"], 1)
    model, test = agnoboost.load(folder / "model.agno"), pd.read_csv(folder / "test.csv")
    assert result["prediction"].tolist() == model.predict(test[["age", "plan", "usage"]]).tolist()
    assert np.mean(result["prediction"] == test["churn"]) > 0.6
    run("predict", "model.agno", "more.parquet", "--out", "p.parquet", cwd=folder)
    assert len(pd.read_parquet(folder / "p.parquet")) == 200


def test_evaluate_and_inspect(fitted):
    folder, _ = fitted
    printed = run("evaluate", "model.agno", "test.csv", "--target", "churn", cwd=folder)
    assert re.search(r"accuracy \(95% interval\).*0\.\d+ \(0\.\d+ to", printed)
    assert "area under the ROC curve" in printed
    printed = run("inspect", "model.agno", cwd=folder)
    assert "80 labeled and 320 unlabeled rows" in printed
    assert "plan" in printed


def test_inspect_cuts_nothing_off(fitted):
    folder, _ = fitted
    done = CliRunner(env={"COLUMNS": "24", "NO_COLOR": "1"}).invoke(app, ["inspect", str(folder / "model.agno")])
    assert hashlib.sha256((folder / "model.agno").read_bytes()).hexdigest() in done.stdout
    assert "…" not in done.stdout


def test_plan_and_help_and_version(folder):
    printed = run("plan", "theorem2", "--log-size", "4", "--epsilon", "0.3", cwd=folder)
    assert "sigma (share of new rows)" in printed
    assert "GS24 (2024)" in printed
    printed = run("plan", "half", "--n", "6", "--degree", "2", "--epsilon", "0.2", cwd=folder)
    assert "ParityLearner(2)" in printed
    assert "PAB (2009)" in printed
    asked = ("--log-size", "2", "--epsilon", "0.5", "--beta", "0.5", "--mismatch", "3", "--access", "nu-reset")
    printed = run("plan", "rl", *asked, cwd=folder)
    assert "V* - V <= 12 * E_nu + 0.5" in printed
    assert agnoboost.__version__ in run("--version", cwd=folder)
    overview = run("--help", cwd=folder)
    assert all(command in overview for command in ("fit", "predict", "evaluate", "plan", "inspect"))
    assert "without label: an empty target cell" in run("fit", "--help", cwd=folder)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("fit", "nothing.csv", "--target", "churn"), "There is no file nothing.csv"),
        (("fit", ".", "--target", "churn"), "is a folder"),
        (("fit", "train.csv", "--target", "chrun"), "has no column 'chrun'. Its columns are: id, age, plan"),
        (("fit", "train.csv", "--target", "churn", "--drop", "nix"), "has no column 'nix'"),
        (("fit", "empty.csv", "--target", "churn"), "has no rows"),
        (("fit", "none.csv", "--target", "churn"), "all 20 rows are unlabeled"),
        (("fit", "one.csv", "--target", "churn"), "Got one class, 'yes'"),
        (("fit", "binary.csv", "--target", "churn"), "cannot be read as a table"),
        (("fit", "train.csv", "--target", "churn", "--unlabeled", "short.csv"), "lacks the column"),
        (
            ("fit", "train.csv", "--target", "churn", *BOOSTING, "--unlabeled-weight", "lots"),
            "must be auto or a number",
        ),
        (("fit", "train.csv", "--target", "churn", *BOOSTING, "--step-size", "-1"), "step_size must be in"),
        (
            ("fit", "train.csv", "--target", "churn", *BOOSTING, "--step-size", "far"),
            "--step-size must be auto or",
        ),
        (("fit", "nothing.csv", "--target", "churn", "--seed", "-1"), "Invalid value for '--seed'"),
        (
            ("fit", "nothing.csv", "--target", "churn", "--jobs", "0"),
            "--jobs must be a whole number of at least 1, or -1 for all cores. Got 0.",
        ),
        (
            ("fit", "train.csv", "--target", "churn", "--class-weight", "yes=2", "--class-weight", "yes=3"),
            "--class-weight must name each class once. Got yes=2 and yes=3.",
        ),
        (
            ("fit", "train.csv", "--target", "churn", "--cost", "yes=20", "--tune-threshold"),
            "--cost and --tune-threshold both place the threshold. Leave one of them out.",
        ),
        (
            ("suggest", "model.agno", "test.csv", "--n", "101"),
            "--n must be at most the number of rows to draw from, 100",
        ),
        (("suggest", "gone.agno", "test.csv", "--at-random", "0"), "--at-random must be above 0 and at most 1"),
        (
            ("audit", "model.agno", "test.csv", "--next", "101"),
            "--next must be at most the number of rows that are not checked, 100. Got 101.",
        ),
        (
            ("audit", "gone.agno", "test.csv", "--next", "1", "--confidence", "95"),
            "--confidence must be between 0 and 1, such as 0.95. Got 95.",
        ),
        (("predict", "model.agno", "odd.csv"), "categories that were not in the training data (plan: 'gold')"),
        (("predict", "model.agno", "short.csv"), "lacks the column(s)"),
        (("predict", "train.csv", "test.csv"), "must be a model file of agnoboost"),
        (("predict", "gone.agno", "test.csv"), "There is no file gone.agno"),
        (("evaluate", "model.agno", "none.csv", "--target", "churn"), "has no labels"),
        (
            ("evaluate", "model.agno", "strange.csv", "--target", "churn"),
            "does not know: maybe. It knows: no, yes. Write them as the model does, or empty the cells.",
        ),
        (("plan", "theorem9", "--vc", "3"), "theorem must be one of"),
        (("plan", "theorem1"), "Exactly one of vc and log_size"),
        (("plan", "half"), "needs n, the number of coordinates"),
    ],
)
def test_mistakes_get_one_clear_line_and_exit_code_2(fitted, arguments, message):
    folder, _ = fitted
    test = pd.read_csv(folder / "test.csv")
    pd.DataFrame(columns=["a", "churn"]).to_csv(folder / "empty.csv", index=False)
    test[:20].assign(churn=None).to_csv(folder / "none.csv", index=False)
    test[:20].assign(churn="yes").to_csv(folder / "one.csv", index=False)
    test[:5].drop(columns="age").to_csv(folder / "short.csv", index=False)
    test[:5].assign(plan="gold").to_csv(folder / "odd.csv", index=False)
    test[:5].assign(churn="maybe").to_csv(folder / "strange.csv", index=False)
    (folder / "binary.csv").write_bytes(bytes(range(256)) * 9)
    assert message in run(*arguments, cwd=folder, expect=2)


def test_marks_of_unlabeled_rows(folder):
    table = pd.read_csv(folder / "train.csv")
    codes = table["churn"].map({"yes": 1, "no": 0})
    table.assign(churn=codes.fillna(-1).astype(int)).to_csv(folder / "minus.csv", index=False)
    assert "80 labeled rows" in run("fit", "minus.csv", "--target", "churn", "--out", "q.agno", *FAST, cwd=folder)
    table.assign(churn=table["churn"].fillna("?")).to_csv(folder / "question.csv", index=False)
    marked = ("fit", "question.csv", "--target", "churn", "--missing-label", "?", "--out", "q.agno", *FAST)
    assert "80 labeled rows" in run(*marked, cwd=folder)
    table["churn"] = [
        churn if isinstance(churn, str) else "?" if n % 2 else "tbd" for n, churn in enumerate(table["churn"])
    ]
    table.to_csv(folder / "marks.csv", index=False)
    both = ("--missing-label", "tbd", "--missing-label", "?")
    said = run("fit", "marks.csv", "--target", "churn", *both, "--out", "q.agno", *FAST, cwd=folder)
    assert "80 labeled rows" in said
    run("suggest", "q.agno", "marks.csv", "--target", "churn", *both, "--n", "5", "--out", "next.csv", cwd=folder)
    assert set(pd.read_csv(folder / "next.csv", keep_default_na=False)["churn"]) <= {""}  # rows without label only
    said = run("audit", "q.agno", "marks.csv", "--gold-column", "churn", *both, cwd=folder)
    assert f"80 checked labels among {len(table)} rows" in said


def test_a_mark_that_no_label_has_is_told(folder):
    labels = {"ann": ["x", "y", "?"] * 10, "ben": ["x", "y", ""] * 10}
    pd.DataFrame({"a": range(30), "b": np.arange(30) % 7, **labels}).to_csv(folder / "idle.csv", index=False)
    both = ("--missing-label", "tbd", "--missing-label", "?", "--folds", "0", "--out", "idle.agno")
    fit = ("fit", "idle.csv", "--effort", "fast", *both)
    beside = ("--target", "ben", "--machine-column", "ann")
    for asked, there in ((("--votes", "ann,ben"), "'?', "), (beside, ""), (("--target", "ann"), "'?', ")):
        with chdir(folder):
            told = CliRunner().invoke(app, [*fit, *asked]).stderr
        assert "no label is '?'" not in told
        assert f"Note: idle.csv: no label is 'tbd' (--missing-label). Labels are {there}'x', 'y'." in told
    with chdir(folder):
        done = CliRunner().invoke(app, ["suggest", "idle.agno", "idle.csv", "--missing-label", "tbd"])
    assert done.exit_code == 0
    assert "no label is" not in done.stderr


def test_marks_may_be_numbers_in_a_column_with_gaps(folder):
    pytest.importorskip("pyarrow")
    table = pd.read_csv(folder / "train.csv").drop(columns="id")
    codes = table["churn"].map({"yes": 1.0, "no": 0.0})
    gaps = np.flatnonzero(codes.isna())
    codes.iloc[gaps[:5]] = -9.0
    table.assign(churn=codes).to_parquet(folder / "codes.parquet")
    marked = ("--missing-label", "-9")
    fitted = run("fit", "codes.parquet", "--target", "churn", *marked, "--out", "n.agno", *FAST, cwd=folder)
    assert "80 labeled rows" in fitted
    drawn = run(
        "suggest", "n.agno", "codes.parquet", "--target", "churn", *marked, "--n", "4", "--out", "codes.csv", cwd=folder
    )
    assert f"4 of {len(gaps)} rows" in drawn
    said = run("audit", "n.agno", "codes.parquet", "--gold-column", "churn", *marked, cwd=folder)
    assert f"80 checked labels among {len(table)} rows" in said


def test_odd_labels_and_files(folder):
    table = pd.read_csv(folder / "train.csv")[:80]
    boolean = table.assign(churn=np.where(np.arange(80) < 60, table["churn"] == "yes", None))
    boolean.to_csv(folder / "bool.csv", index=False)
    assert "60 labeled rows (" in run("fit", "bool.csv", "--target", "churn", "--out", "q.agno", *FAST, cwd=folder)
    words = table.assign(churn=table["churn"].map({"yes": "None", "no": "[/b]"}))
    words.to_csv(folder / "words.csv", index=False)
    printed = run("fit", "words.csv", "--target", "churn", "--out", "q.agno", *FAST, cwd=folder)
    assert "None: " in printed
    assert "[/b]: " in printed
    assert "[/b]" in run("inspect", "q.agno", cwd=folder)
    (folder / "bom.csv").write_bytes(b"\xef\xbb\xbf" + (folder / "train.csv").read_bytes())
    assert "80 labeled rows" in run(
        "fit", "bom.csv", "--target", "churn", "--drop", "id", "--out", "q.agno", *FAST, cwd=folder
    )
    (folder / "comma.csv").write_text("a,churn\n1,yes,\n2,no,\n")
    printed = run("fit", "comma.csv", "--target", "churn", "--out", "q.agno", cwd=folder)
    assert "2 labeled rows (yes: 1, no: 1), 0 unlabeled rows, 1 columns" in printed  # no column has moved
    lonely = table.assign(churn=["rare"] + ["no"] * 40 + ["yes"] * 39)
    lonely.to_csv(folder / "lonely.csv", index=False)
    printed = run("fit", "lonely.csv", "--target", "churn", "--out", "q.agno", *FAST, cwd=folder)
    assert "Class rare has 1 labeled row: learned, but too few to judge; a typing error?" in printed


def test_places_are_checked_before_any_work(fitted):
    folder, _ = fitted
    missing = run("fit", "train.csv", "--target", "churn", "--out", "no/m.agno", cwd=folder, expect=2)
    assert "There is no folder no for m.agno" in missing
    same = run("predict", "model.agno", "test.csv", "--out", "test.csv", cwd=folder, expect=2)
    assert "must not be the input" in same
    pd.read_csv(folder / "test.csv").assign(prediction=1).to_csv(folder / "taken.csv", index=False)
    taken = run("predict", "model.agno", "taken.csv", "--keep", "prediction", cwd=folder, expect=2)
    assert "would collide" in taken


@pytest.mark.filterwarnings("ignore:No value of column")
def test_unknown_categories_can_be_allowed(fitted):
    folder, _ = fitted
    pd.read_csv(folder / "test.csv")[:5].assign(plan="gold").to_csv(folder / "odd2.csv", index=False)
    assert "5 predictions" in run("predict", "model.agno", "odd2.csv", "--allow-unknown", cwd=folder)


def test_the_same_seed_gives_the_same_model(fitted):
    folder, _ = fitted
    for name in ("a.agno", "b.agno"):
        run("fit", "train.csv", "--target", "churn", "--seed", 3, "--out", name, *FAST, "--folds", 0, cwd=folder)
    models = [agnoboost.load(folder / name) for name in ("a.agno", "b.agno")]
    assert models[0].tape_ == models[1].tape_


def test_numeric_labels_with_gaps_stay_whole_numbers(folder):
    table = pd.read_csv(folder / "train.csv").assign(churn=lambda t: t["churn"].map({"yes": 1, "no": 0}))
    assert table["churn"].dtype.kind == "f"
    table.to_csv(folder / "numbers.csv", index=False)
    run("fit", "numbers.csv", "--target", "churn", "--out", "n.agno", *FAST, cwd=folder)
    assert agnoboost.load(folder / "n.agno").classes_.tolist() == [0, 1]


def test_batches_and_checkpoints(folder):
    stumps = ("fit", "train.csv", "--target", "churn", *FAST, "--weak-learner", "stump", "--batch-size", "all")
    for name in ("once.agno", "twice.agno"):  # the second run finds the checkpoint of the first
        run(*stumps, "--checkpoint", "run.state", "--out", name, cwd=folder)
    assert (folder / "run.state").exists()
    models = [agnoboost.load(folder / name) for name in ("once.agno", "twice.agno")]
    assert models[0].batch_size is None
    assert models[0].tape_ == models[1].tape_
    assert models[0].history_.engines == ["numpy"]
    other = run(*stumps, "--seed", "5", "--drop", "age", "--checkpoint", "run.state", cwd=folder, expect=2)
    assert "another run" in other
    message = run(*stumps[:-1], "few", cwd=folder, expect=2)
    assert "--batch-size must be bootstrap, all, or a whole number" in message
    run(*stumps[:-1], "30", "--out", "sampled.agno", cwd=folder)
    assert agnoboost.load(folder / "sampled.agno").batch_size == 30


def test_a_rare_class_that_is_never_predicted(folder):
    """Two rows in a hundred, with little signal: the accuracy is fine, and it is said what it hides."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"amount": rng.normal(size=300), "hour": rng.integers(0, 24, 300)})
    fraud = rng.permutation(300) < 6
    table["amount"] += 0.5 * fraud
    table["kind"] = np.where(fraud, "fraud", "fine")
    table.to_csv(folder / "rare.csv", index=False)
    fit = ("fit", "rare.csv", "--target", "kind", "--folds", "2")
    said = run(*fit, "--out", "rare.agno", cwd=folder)
    assert "fraud: 6 of the rows, 0% of them found, never predicted" in said
    assert "Class fraud is never predicted" in said
    assert "--class-weight balanced" in said
    said = run("evaluate", "rare.agno", "rare.csv", "--target", "kind", cwd=folder)
    assert "average precision" in said
    balanced = run(*fit, "--class-weight", "balanced", "--out", "balanced.agno", cwd=folder)
    assert "Class fraud is never predicted" not in balanced
