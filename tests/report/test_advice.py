"""What the report advises, against what was planted."""

import re

import numpy as np
import pytest
from report_cases import case, told

from agnoboost.evaluation.held_out import HeldOutPredictions
from agnoboost.evaluation.machine_worth import USED, MachineGain, MachineRecord, MachineWorth
from agnoboost.report.advice import _probabilities
from agnoboost.report.case import Case
from agnoboost.report.scores import gap, gap_by_chance
from agnoboost.report.sections.summary import _verdict

pd = pytest.importorskip("pandas")


def rare_case(tuned, found=True):
    """A rare class that is found by those who look for it, at the price of some false alarms."""
    rng = np.random.default_rng(0)
    code = (np.arange(400) % 10 == 0).astype(int)
    p = np.clip(0.05 + 0.1 * code + 0.05 * rng.random(400), 0, 1) if found else rng.random(400) * 0.1
    p[np.arange(400) % 7 == 1] = 0.2  # false alarms
    shown = case(code, np.column_stack([1 - p, p]), folds=5)
    shown.model.set_params(tune_threshold=tuned)
    if tuned:
        names = np.array(["a", "b"], dtype=object)
        made = HeldOutPredictions(names[code], names[(p > 0.12).astype(int)], shown.judged.probabilities, None, 5)
        shown = Case(shown.model, shown.X, shown.y, made, "t", "s")
    return shown


@pytest.mark.parametrize(
    ("tuned", "figure", "words"),
    [
        (True, r"9\d\.\d%", "Balanced accuracy, for which its threshold was chosen"),
        ({"a": 1, "b": 20}, r"0\.\d+", "Mean cost of a row that it had not seen before"),
    ],
)
def test_a_tuned_model_is_judged_by_what_it_was_tuned_for(tuned, figure, words):
    """By accuracy it is worse than naming the frequent class always, and the page once said to do that."""
    shown = rare_case(tuned)
    assert shown.judged.accuracy[0] < 0.9
    page = _verdict(shown)
    assert re.search(f'class="big">{figure}</p>', page)
    assert words in page
    assert f"Right in {shown.judged.accuracy[0]:.1%} of all rows (accuracy" in page
    assert "pill good" in page
    assert "Prefer the simpler one" not in told(shown)
    assert all(one.clearly_beaten for one in shown.alternatives)
    weighed = shown.alternatives[2]
    assert weighed.figure != weighed.accuracy


def test_a_class_that_is_never_predicted_is_said_at_once():
    shown = rare_case(False)
    page = _verdict(shown)
    assert "Never predicted: “b” (40 rows)" in page
    assert page.index("Never predicted") < page.index("Right in about 90 of 100")
    assert "Never predicted" not in _verdict(rare_case(True))


def test_probabilities_that_chance_alone_would_leave_so_far_off_are_not_advised_against():
    """150 rows in 10 bins are off by some .1 on average if all probabilities are true."""
    rng, off, advised = np.random.default_rng(0), [], 0
    for _ in range(40):
        p = rng.uniform(0.2, 0.8, 150)
        shown = case((rng.random(150) < p).astype(int), np.column_stack([1 - p, p]))
        off.append(gap(shown.calibration))
        advised += bool(_probabilities(shown))
    mean, most = gap_by_chance(shown.calibration)
    assert np.mean(off) == pytest.approx(mean, abs=0.01)
    assert most > mean
    assert advised <= 4
    p = np.repeat([0.1, 0.9], 75)
    code = (np.arange(150) % 10 < np.where(p > 0.5, 6, 4)).astype(int)
    ((what, why),) = _probabilities(case(code, np.column_stack([1 - p, p])))
    assert "face value" in what
    assert "chance alone would show" in why


def test_the_advised_command_names_the_model_and_the_rows():
    shown = case(np.arange(400) % 2, np.tile([0.6, 0.4], (400, 1)))
    assert "<code>agnoboost audit model.agno new.csv --next 50</code>" in told(shown)
    named = Case(shown.model, shown.X, shown.y, shown.judged, "t", "s", "my model.agno")
    assert "agnoboost audit &#x27;my model.agno&#x27; new.csv --next 50" in told(named)


def test_advice_follows_what_was_found():
    rng = np.random.default_rng(0)
    code = rng.permutation(np.arange(400) % 2)
    fine = np.where(np.eye(2)[code] > 0, 0.97, 0.03)
    assert told(case(code, fine)).startswith("Use it")
    assert "Look at" not in told(case(code, fine))
    wrong = fine.copy()
    wrong[:9] = wrong[:9, ::-1]
    assert "Look at about 9 labels again: About 8 look wrong (" in told(case(code, wrong))
    assert "Look at" not in told(case(code[:49], wrong[:49]))  # too few labels to say
    assert "Not shown to be better than" in told(case(code, np.tile([0.51, 0.49], (400, 1))))
    assert "Decide how much" not in told(case(code, np.tile([0.51, 0.49], (400, 1))))  # no threshold helps there
    ranked = np.where(code > 0, 0.4, 0.1) + 0.05 * rng.random(400)
    assert "Decide how much a missed “b” costs" in told(case(code, np.column_stack([1 - ranked, ranked])))
    few = fine[:40] * 0.5 + 0.25
    few[:9] = few[:9, ::-1]
    assert "Label about" in told(case(code[:40], few))
    assert "face value" in told(case(code, fine * 0.2 + 0.4))
    leak = pd.DataFrame({"noise": rng.normal(size=400), "kind": np.array(["u", "v"])[code]})
    assert "Check whether kind gives the answer away" in told(case(code, fine, leak))
    assert told(case(code[:40], None)).startswith("Ask for an honest estimate")
    assert told(case((np.arange(40) == 5).astype(int), None)).startswith("Label at least two rows of every class")
    copies = pd.DataFrame({"x": rng.normal(size=400), "same": 0.0})
    copies.iloc[:20] = copies.iloc[20:40]
    assert "Remove 20 rows" in told(case(code, fine, copies))
    assert "cannot help: same" in told(case(code, fine, copies))


@pytest.mark.parametrize(("right", "together", "said"), [(95, 0.8, True), (85, 0.8, False), (95, 0.93, False)])
def test_a_machine_that_knows_more_than_the_columns_is_a_column_where_new_rows_have_it(right, together, said):
    rng = np.random.default_rng(0)
    code = rng.permutation(np.arange(400) % 2)
    found = case(code, np.where(np.eye(2)[code] > 0, 0.97, 0.03))
    counts = [[right // 2, 50 - right // 2], [50 - right + right // 2, right - right // 2]]
    machine = MachineRecord("llm", 900, counts, 0.4, USED, [400, 400], [0, 0], [])
    gain = MachineGain("accuracy", 0.7, together, 0.1, 0.05)
    found.model.machines_ = MachineWorth(["a", "b"], [machine], 100, [gain])
    words = f"Use what llm says of new rows: On rows with a checked label it is right in {right}.0% of the rows"
    assert (words in told(found)) is said
