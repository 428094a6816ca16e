"""The section of the report on machine labels: there only when there were some, safe, and in numbers that agree."""

import re

import numpy as np
import pytest
from browser import CHROMIUM, browser
from markup import Markup
from report_tables import HOSTILE

from agnoboost import TableClassifier, report
from agnoboost.evaluation.machine_worth import USED, MachineGain, MachineRecord, MachineWorth
from agnoboost.labels.machine import MachineLeftOutWarning
from agnoboost.report import writing
from agnoboost.report.sections.machine_labels import _gains

pd = pytest.importorskip("pandas")


def table(classes=2, rows=300, labels=80, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"size": rng.normal(size=rows), "kind & co": rng.choice(["a<b", HOSTILE, "c"], rows)})
    truth = np.digitize(X["size"] + 0.2 * rng.normal(size=rows), [0.0] if classes == 2 else [-0.5, 0.5])
    names = np.array([HOSTILE, "yes", 'per"haps'], dtype=object)
    wrong = rng.random(rows) < np.where(X["kind & co"] == HOSTILE, 0.9, 0.05)
    machine = names[np.where(wrong, (truth + 1) % classes, truth)]
    y = names[truth]
    y[labels:] = None
    return X, y, {HOSTILE: machine, "same": np.full(rows, "yes", dtype=object)}


def fitted(classes=2, **settings):
    X, y, machines = table(classes, **settings)
    with pytest.warns(MachineLeftOutWarning):
        model = TableClassifier("fast", members=["small trees", "linear"], random_state=0, missing_label=None).fit(
            X, y, machine_labels=machines
        )
    return model, X, y, machines


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder, found = tmp_path_factory.mktemp("machines"), {}
    for classes in (2, 3):
        model, X, y, machines = fitted(classes)
        report.write(model, X, y, folder / f"{classes}.html", machine_labels=machines, folds=2 * (classes == 2))
        found[classes] = (model, folder / f"{classes}.html")
    return found


@pytest.mark.parametrize("classes", [2, 3])
def test_the_section_says_what_is_known(pages, classes):
    model, path = pages[classes]
    page = path.read_text()
    ids = [one["id"] for one in Markup(page).all("section") if "id" in one]
    assert ids[:3] == ["summary", "quality", "machines"]
    assert HOSTILE not in page
    own = page[page.index('id="machines"') : page.index('id="learned"')]
    machine = model.machines_.machines[0]
    share, low, high = machine.accuracy
    assert f"Right in {share:.1%} of 80 rows (95% interval {low:.1%} to {high:.1%})" in own
    assert f"{machine.regions[0].wrong} of {machine.regions[0].rows}" in own
    assert "kind &amp; co is" in own
    for one in model.machines_.gains:
        assert f"{one.gain:+.3f} ± {one.half:.3f}" in own
    assert "It is left out: what it says is the same for all rows" in own
    assert "It names yes only: where it is silent and means another class, write that." in own
    assert own.count("<svg") >= 2


def test_there_is_no_such_section_without_machines(tmp_path):
    X, y, _ = table()
    model = TableClassifier("fast", members=["linear"], random_state=0, missing_label=None).fit(X, y)
    report.write(model, X, y, tmp_path / "r.html", folds=0)
    assert "achine labels" not in (tmp_path / "r.html").read_text()


def test_the_model_is_judged_with_its_machines(tmp_path):
    model, X, y, _ = fitted(rows=200, labels=60)
    with pytest.raises(ValueError, match=r"Got none of its machine labels\. Pass machine_labels, too, or folds=0"):
        report.write(model, X, y, tmp_path / "r.html", folds=2)


def test_another_model_is_not_judged_in_its_place(tmp_path):
    """With machine labels that it was fitted without, or with others, the estimate was of another model."""
    X, y, machines = table(rows=200, labels=60)
    plain = TableClassifier("fast", members=["linear"], random_state=0, missing_label=None).fit(X, y)
    with pytest.raises(ValueError, match=r"was without machine labels\. Got machine_labels.* Leave them out, or fit"):
        report.write(plain, X, y, tmp_path / "r.html", machine_labels=machines, folds=2)
    model, X, y, machines = fitted(rows=200, labels=60)
    fewer = machines | {HOSTILE: np.where(np.arange(200) < 190, machines[HOSTILE], None)}
    for other, rows in ((fewer, "190 and 200"), ({"same": machines["same"]}, "200")):
        with pytest.raises(ValueError, match=rf"labeled 200 and 200 rows\. Got machine labels of {rows} rows"):
            report.write(model, X, y, tmp_path / "r.html", machine_labels=other, folds=2)
    assert not (tmp_path / "r.html").exists()


def test_a_tuned_model_is_compared_in_what_it_was_tuned_for(tmp_path):
    X, y, machines = table()
    model = TableClassifier(
        "fast", members=["small trees", "linear"], tune_threshold=True, random_state=0, missing_label=None
    ).fit(X, y, machine_labels={"m": machines[HOSTILE]})
    gain = model.machines_.gains[0]
    assert gain.measure == "balanced accuracy"
    report.write(model, X, y, tmp_path / "r.html", folds=0)
    said = Markup((tmp_path / "r.html").read_text()).text
    assert "How well each finds every class (balanced accuracy)" in said
    assert f"{gain.together:.1%}" in said
    assert "Each answers by its own tuned threshold" in said
    counts = np.array(model.machines_.machines[0].confusion)
    assert f"{np.mean(counts.diagonal() / counts.sum(axis=1)):.1%}" in said


def test_machines_without_checked_rows_and_without_regions(tmp_path):
    X, y, machines = table()
    silent = machines[HOSTILE].copy()
    silent[:80] = None
    model = TableClassifier("fast", members=["small trees", "linear"], random_state=0, missing_label=None).fit(
        X, y, machine_labels={"m": silent}
    )
    report.write(model, X, y, tmp_path / "r.html", folds=0)
    page = (tmp_path / "r.html").read_text()
    assert re.search(r"It has labeled 220 rows, none of which has a checked label as well\.", page)
    assert "Nobody can say." in page


@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")
def test_it_fits_every_width(pages, tmp_path):
    with browser(tmp_path) as tab:
        for _, path in pages.values():
            for width in (1280, 390):
                tab.open(path.as_uri(), width)
                assert tab.ask("document.documentElement.scrollWidth") <= width
                assert tab.complaints == []
                assert tab.ask("window.hurt") is None


def test_numbers_beside_gaps_are_classes_like_others(tmp_path):
    """numpy makes 0.0 and 1.0 of them, and the page once looked for 0 and 1."""
    X, y, _ = table()
    numbers = np.array([np.nan if value is None else float(value == "yes") for value in y])
    machine = (X["size"] > 0.3).to_numpy(int)
    model = TableClassifier("fast", members=["linear"], random_state=0).fit(X, numbers, machine_labels=machine)
    report.write(model, X, numbers, tmp_path / "r.html", machine_labels=machine, folds=2)
    said = Markup((tmp_path / "r.html").read_text()).text
    assert re.search("What speaks for “[01]”", said)
    assert "“1.0”" not in said


def test_the_estimate_is_made_with_the_machine_labels(tmp_path, monkeypatch):
    model, X, y, machines = fitted()
    seen = []
    monkeypatch.setattr(writing, "cross_evaluate", lambda *rows, **told: seen.append(told["machine_labels"]))
    report.write(model, X, y, tmp_path / "r.html", machine_labels=machines, folds=2)
    assert seen == [machines]


@pytest.mark.parametrize(
    ("gains", "words"),
    [((0.1, -0.1), "Clearly worse with them: ROC area"), ((0.1, 0.0), "Clearly better with them: accuracy"),
     ((0.0, 0.0), "No clear difference")],
)  # fmt: skip
def test_what_became_worse_is_said_first(gains, words):
    made = [
        MachineGain(name, 0.5, 0.5 + one, one, 0.05) for name, one in zip(("accuracy", "ROC area"), gains, strict=True)
    ]
    machine = MachineRecord("llm", 1100, [[30, 10], [5, 55]], 0.4, USED, [600, 400], [60, 100], [])
    assert words in _gains(MachineWorth(["a", "b"], [machine], 100, made))
