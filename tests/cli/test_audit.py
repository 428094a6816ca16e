"""``audit``: figures from few checked labels and many machine labels, and a plan that is filled in and read again."""

import json
import re

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
pytest.importorskip("typer")
from typer.testing import CliRunner  # noqa: E402

import agnoboost as ab  # noqa: E402
from agnoboost.cli.app import app  # noqa: E402

ROWS = 600


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model, and rows of which 80 were checked; a machine that is right in nine of ten, and its probability."""
    path = tmp_path_factory.mktemp("audit")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=ROWS + 100), "age": rng.integers(18, 80, ROWS + 100)})
    y = (frame["size"] + 0.7 * rng.normal(size=len(frame)) > 0.3).astype(int).to_numpy()
    model = ab.TableClassifier(members=["stumps"], random_state=0).fit(frame[:100], y[:100])
    model.save(path / "model.agno")
    rest, y = frame[100:].reset_index(drop=True), y[100:]
    machine = np.where(rng.random(ROWS) < 0.1, 1 - y, y)
    table = rest.assign(
        gold=pd.Series(y, dtype="Int64").where(np.arange(ROWS) < 80),
        llm=machine,
        p_llm=np.where(machine == 1, 0.9, 0.1),
        truth=y,
    )
    table["copy"] = table["gold"]
    table["few"] = table["llm"].where(np.arange(ROWS) < 160).astype("Int64")
    table.to_csv(path / "rows.csv", index=False)
    table.drop(columns="gold").to_csv(path / "bare.csv", index=False)
    return path


def run(folder, *arguments, code=0):
    named = [str(folder / one) if str(one).endswith((".csv", ".agno")) else str(one) for one in arguments]
    done = CliRunner().invoke(app, ["audit", *named])
    assert done.exit_code == code, done.output
    return done


def facts(folder, *arguments):
    return json.loads(run(folder, *arguments, "--json").stdout)


def figures(found):
    return {(one["name"], one["class"]): one for one in found["figures"]}


def in_python(folder, machine=None):
    table, model = pd.read_csv(folder / "rows.csv"), ab.load(folder / "model.agno")
    machine = None if machine is None else table[machine].to_numpy()
    return ab.evaluate(model, table[["size", "age"]], table["gold"].to_numpy(), machine_labels=machine)


@pytest.mark.parametrize("machine", [None, "llm", "p_llm"])
def test_figures_are_those_of_python(folder, machine):
    given = () if machine is None else ("--machine-column", machine)
    found = facts(folder, "model.agno", "rows.csv", "--gold-column", "gold", *given)
    assert (found["rows"], found["gold"], found["confidence"], found["next"]) == (ROWS, 80, 0.95, None)
    wanted = in_python(folder, machine)
    assert len(found["figures"]) == len(wanted.figures)
    for one in wanted.figures:
        shown = figures(found)[one.name, one.of]
        assert [shown[word] for word in ("value", "low", "high", "worth")] == pytest.approx(
            [one.value, one.low, one.high, one.worth]
        )
        assert list(shown["gold_only"].values()) == pytest.approx([one.gold_value, one.gold_low, one.gold_high])


def test_what_is_printed(folder):
    said = run(folder, "model.agno", "rows.csv", "--gold-column", "gold", "--machine-column", "llm").stdout
    said = re.sub(r"\s+", " ", said)
    assert "80 checked labels among 600 rows, 95% intervals. Machine labels: the column llm." in said
    one = in_python(folder, "llm")["accuracy"]
    assert f"{one.value:.3f} ({one.low:.3f} to {one.high:.3f})" in said
    assert f"{one.gold_value:.3f} ({one.gold_low:.3f} to {one.gold_high:.3f})" in said
    assert "area under ROC, 1" in said


@pytest.mark.filterwarnings("default")
def test_a_machine_that_speaks_mainly_of_checked_rows_is_not_used(folder):
    done = run(folder, "model.agno", "rows.csv", "--gold-column", "gold", "--machine-column", "few")
    assert "Machine labels: the model's own probabilities." in re.sub(r"\s+", " ", done.stdout)
    note = "Note: machine_labels are there for 100% of 80 gold rows, and for 15% of the 520 others"
    assert note in re.sub(r"\s+", " ", done.stderr)


def test_plans_that_are_checked_in_part_count_as_far_as_they_were(folder):
    """The file knows which rows were to be checked, so that nobody need tell how many were."""
    first = facts(folder, "model.agno", "bare.csv", "--next", 60, "--out", "plan.csv")
    plan = pd.read_csv(folder / "plan.csv")
    plan["gold"] = plan["truth"].where(np.arange(ROWS) < 20)
    plan.to_csv(folder / "third.csv", index=False)
    done = run(folder, "model.agno", "third.csv", "--gold-column", "gold", "--next", 50, "--out", "plan2.csv")
    said = re.sub(r"\s+", " ", done.stderr)
    assert "Note: 40 of 60 rows with yes in column audit_next have no checked label. Rows" not in said
    assert "Note: 40 of 60 rows with yes in column audit_next have no checked label." in said
    assert "not the first ones" not in said
    plan2 = pd.read_csv(folder / "plan2.csv")
    assert plan2["audit_before"].sum() == pytest.approx(20)
    plan2.loc[:14, "gold"] = plan2.loc[:14, "truth"]
    plan2.to_csv(folder / "fourth.csv", index=False)
    found = figures(facts(folder, "model.agno", "fourth.csv", "--gold-column", "gold"))["accuracy", None]
    bare, model = pd.read_csv(folder / "bare.csv"), ab.load(folder / "model.agno")
    X, truth, gold = bare[["size", "age"]], bare["truth"].to_numpy(), np.full(ROWS, np.nan)
    one = ab.rows_to_audit(model, X, 60, random_state=0).first(20)
    assert one.row.tolist() == [row["row"] - 1 for row in first["next"]][:20]
    gold[one.row] = truth[one.row]
    two = ab.rows_to_audit(
        model, X.iloc[plan.index], 50, y=gold, sampling_probability=one.sampling_probability, random_state=0
    )
    assert two.sampling_probability.sum() == pytest.approx(plan2["audit_probability"].sum())
    share = 15 / 50
    drawn = plan2["gold"].notna().to_numpy()
    chance = plan2["audit_before"] + (plan2["audit_probability"] - plan2["audit_before"]) * share
    weight = (1 / chance[drawn]).to_numpy()
    right = model.predict(plan2[["size", "age"]][drawn]) == plan2["truth"][drawn]
    assert found["gold_only"]["value"] == pytest.approx(weight @ right / weight.sum())


def test_rows_that_were_skipped_are_told(folder):
    run(folder, "model.agno", "bare.csv", "--next", 60, "--out", "plan.csv")
    plan = pd.read_csv(folder / "plan.csv")
    plan["gold"] = plan["truth"].where((np.arange(ROWS) < 60) & (np.arange(ROWS) != 5))
    plan.to_csv(folder / "skipped.csv", index=False)
    said = re.sub(r"\s+", " ", run(folder, "model.agno", "skipped.csv", "--gold-column", "gold").stderr)
    assert "1 of 60 rows with yes in column audit_next have no checked label. They are not the first ones" in said


def test_classes_that_the_model_does_not_know_are_errors_of_it(folder):
    table = pd.read_csv(folder / "rows.csv")
    odd = table.assign(
        gold=table["gold"].astype("Int64").astype("string").where(table.index != 3, "7"),
        llm=table["llm"].map({0: "FALSE", 1: "TRUE"}).where(table.index % 50 > 0, "7"),
    )
    odd.to_csv(folder / "odd.csv", index=False)
    done = run(folder, "model.agno", "odd.csv", "--gold-column", "gold", "--machine-column", "llm", "--json")
    said = re.sub(r"\s+", " ", done.stderr)
    assert "Note: gold has classes that the model does not know: 7 (1 rows). These rows count as its errors." in said
    found = figures(json.loads(done.stdout))
    assert found["recall", 7]["value"] == 0.0
    assert [of for name, of in found if name == "roc_auc"] == [1]
    plain = figures(facts(folder, "model.agno", "rows.csv", "--gold-column", "gold"))
    assert found["brier_score", None]["value"] == pytest.approx(plain["brier_score", None]["value"], abs=0.03)
    model = ab.load(folder / "model.agno")
    right = model.predict(table[["size", "age"]]) == table["gold"]
    assert found["accuracy", None]["gold_only"]["value"] == pytest.approx((right[:80].sum() - right[3]) / 80)


def test_truth_values_are_0_and_1(folder):
    table = pd.read_csv(folder / "rows.csv")
    table.assign(llm=table["llm"] == 1).to_csv(folder / "truths.csv", index=False)
    wanted = facts(folder, "model.agno", "rows.csv", "--gold-column", "gold", "--machine-column", "llm")
    found = facts(folder, "model.agno", "truths.csv", "--gold-column", "gold", "--machine-column", "llm")
    assert figures(found) == figures(wanted)


def test_a_plan_is_filled_in_and_read_again(folder):
    """Twice: without any checked label, and with those of the first time."""
    asked = ("--machine-column", "llm", "--next", 60, "--out", "plan.csv")
    first = facts(folder, "model.agno", "bare.csv", *asked)
    assert len(first["next"]) == 60
    assert first["figures"] == []
    plan = pd.read_csv(folder / "plan.csv")
    assert len(plan) == ROWS
    assert plan["audit_next"].notna().tolist() == [True] * 60 + [False] * (ROWS - 60)
    assert plan["gold"].isna().all()
    assert plan["audit_probability"].sum() == pytest.approx(60)
    bare = pd.read_csv(folder / "bare.csv")
    drawn = [one["row"] - 1 for one in first["next"]]
    assert plan["size"][:60].tolist() == bare["size"].iloc[drawn].tolist()
    plan["gold"] = plan["truth"].where(plan["audit_next"] == "yes")
    plan.to_csv(folder / "filled.csv", index=False)
    assert plan["size"][:60].is_monotonic_increasing is False  # nor by row: the first ones are a sample of their own
    assert drawn != sorted(drawn)
    again = ("--gold-column", "gold", "--probability-column", "audit_probability", "--machine-column", "llm")
    second = facts(folder, "model.agno", "filled.csv", *again, "--next", 40, "--out", "plan2.csv")
    share = figures(second)["accuracy", None]
    unnamed = run(folder, "model.agno", "filled.csv", "--gold-column", "gold", "--machine-column", "llm", "--json")
    assert figures(json.loads(unnamed.stdout)) == figures(second)  # the plan's column is known by its name
    assert "Rows were drawn by a plan: the column audit_probability" in unnamed.stderr
    model = ab.load(folder / "model.agno")
    assert share["low"] < model.score(bare[["size", "age"]], bare["truth"]) < share["high"]
    plan2 = pd.read_csv(folder / "plan2.csv")
    assert plan2.columns.drop("audit_before").tolist() == plan.columns.tolist()
    assert plan2["gold"].notna().sum() == 60
    assert plan2.loc[plan2["audit_next"] == "yes", "gold"].isna().all()
    assert (plan2["audit_probability"].sort_values().to_numpy() > plan["audit_probability"].min()).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((), "name their column with --gold-column, or plan: --next 50"),
        (("--gold-column", "gould"), "Did you mean 'gold'"),
        (("--gold-column", "age"), "classes that the model does not know"),
        (("--gold-column", "gold", "--machine-column", "age"), "must hold the classes of the model, 0, 1, or"),
        (("--gold-column", "gold", "--machine-column", "gold"), "must be two columns. Got 'gold' for both"),
        (
            ("--gold-column", "gold", "--machine-column", "copy"),
            "for 80 of 80 gold rows, and for none of the 520 others",
        ),
        (("--gold-column", "gold", "--probability-column", "size"), "above 0 and at most 1"),
        (("--gold-column", "gold", "--next", 5, "--out", "rows.csv"), "--out must not be the input"),
        (
            ("--gold-column", "gold", "--next", 601, "--out", "x.csv"),
            "--next must be at most the number of rows that are not checked, 520",
        ),
        (("--next", 5, "--out", "x.csv"), "has a column gold already"),
        (
            ("--gold-column", "gold", "--machine-column", "llm", "--machine-column", "p_llm"),
            "audit takes one --machine-column. Got 2: llm, p_llm. Audit with one, then with another",
        ),
    ],
)
def test_what_does_not_fit_is_said(folder, given, message):
    said = re.sub(r"\s+", " ", run(folder, "model.agno", "rows.csv", *given, code=2).output)
    assert message in said
    assert "checked labels among" not in said  # before any work


def test_a_column_without_labels_is_no_audit(folder):
    table = pd.read_csv(folder / "rows.csv")
    table.assign(gold=None, note="x").to_csv(folder / "empty.csv", index=False)
    said = run(folder, "model.agno", "empty.csv", "--gold-column", "gold", code=2).output
    assert "has no labels. Have some rows checked: --next 50" in re.sub(r"\s+", " ", said)
    said = run(
        folder, "model.agno", "empty.csv", "--gold-column", "gold", "--probability-column", "note", code=2
    ).output
    assert "must hold probabilities. It holds text" in re.sub(r"\s+", " ", said)


@pytest.mark.parametrize("given", [(), ("--gold-column", "checked")])
def test_a_plan_that_is_filled_in_is_not_written_again(folder, given):
    """Not even over a copy that a spreadsheet has written with semicolons; an empty plan is."""
    column = given[1] if given else "gold"
    place = folder / f"plan_of_{column}.csv"
    pd.read_csv(folder / "bare.csv").assign(checked=None).to_csv(folder / "again.csv", index=False)
    asked = ("model.agno", "again.csv", *given, "--next", 20, "--out", place.name)
    run(folder, *asked)
    run(folder, *asked)
    plan = pd.read_csv(place)
    plan[column] = plan["truth"].where(np.arange(ROWS) < 3)
    plan.to_csv(place, index=False, sep=";")
    before = (place).read_bytes()
    said = re.sub(r"\s+", " ", run(folder, *asked, code=2).output)
    assert f"would lose what may be filled in by hand: 3 cells of its column {column}. Name another file" in said
    assert (place).read_bytes() == before


@pytest.mark.parametrize("column", ["gold", "llm"])
def test_classes_in_other_letters_are_refused(folder, column):
    """They would be one more class, and every figure wrong."""
    names = {0: "no", 1: "yes"}
    table = pd.read_csv(folder / "rows.csv")
    table = table.assign(gold=table["gold"].map(names), llm=table["llm"].map(names))
    model = ab.TableClassifier(members=["stumps"], random_state=0).fit(
        table[["size", "age"]], table["truth"].map(names)
    )
    model.save(folder / "words.agno")
    table.loc[table.index[[3, 5]], column] = "Yes"
    table.to_csv(folder / "letters.csv", index=False)
    asked = ("words.agno", "letters.csv", "--gold-column", "gold", "--machine-column", "llm")
    assert "Did you mean 'yes'? Write them" in re.sub(r"\s+", " ", run(folder, *asked, code=2).output)


def test_marks_that_a_plan_has_left_out_are_not_missed(folder):
    table = pd.read_csv(folder / "bare.csv")
    table["llm"] = table["llm"].astype(object).where(table.index % 9 > 0, "unsure")
    table.to_csv(folder / "unsure.csv", index=False)
    asked = ("--machine-column", "llm", "--missing-label", "unsure")
    run(folder, "model.agno", "unsure.csv", *asked, "--next", 20, "--out", "planned.csv")
    plan = pd.read_csv(folder / "planned.csv")
    plan.assign(gold=plan["truth"].where(np.arange(ROWS) < 20)).to_csv(folder / "checked.csv", index=False)
    assert "no label is" not in run(folder, "model.agno", "checked.csv", "--gold-column", "gold", *asked).output
    done = run(folder, "model.agno", "rows.csv", "--gold-column", "gold", *asked)
    assert "no label is 'unsure' (--missing-label)" in re.sub(r"\s+", " ", done.output)
