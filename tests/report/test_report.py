import re
import shutil
import subprocess

import numpy as np
import pytest

from agnoboost import AgnosticBoostingClassifier, TableClassifier, Tape
from agnoboost.core.tape import Add
from agnoboost.report import write_report
from agnoboost.report.shapes import averages, influences, shapes

pd = pytest.importorskip("pandas")
pytest.importorskip("matplotlib")


def table(classes=2):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"size <mm>": rng.normal(size=240), "kind & co": rng.choice(["a<b", "c"], 240), "z": rng.normal(size=240)}
    )
    X.loc[::7, "z"] = np.nan
    code = (X["size <mm>"] > 0).astype(int) + (classes > 2) * (X["z"] > 0.5).astype(int)
    y = np.array(["no", "yes", 'per"haps'], dtype=object)[code]
    y[120:] = None
    return X, y


def make(tmp_path, *, learner="stump", classes=2, threshold=0.001, judge=True):
    from agnoboost.evaluation.held_out import cross_evaluate

    X, y = table(classes)
    model = AgnosticBoostingClassifier(
        weak_learner=learner, n_rounds=25, step_size=0.05, threshold=threshold, random_state=0, missing_label=None
    ).fit(X, y)
    judged = cross_evaluate(model, X, y, None, 2, lambda: None) if judge else None
    path = tmp_path / "report.html"
    write_report(path, model, X, y, judged, target="<target>", source="file.csv")
    return path, model, X


@pytest.mark.parametrize("learner", ["stump", "tree"])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_page_is_whole_and_needs_nothing_else(tmp_path, learner, classes):
    path, model, _ = make(tmp_path, learner=learner, classes=classes)
    page = path.read_text()
    for title in ("The data", "What was chosen", "The rounds", "What the model learned", "How good it is"):
        assert title in page
    assert page.count("<svg") == 5 + len(model._tapes)
    assert "&lt;target&gt;" in page
    assert "<target>" not in page
    assert not re.search(r"(src|href)=[\"']https?:", page)
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.parametrize("classes", [2, 3])
def test_the_page_of_a_blend(tmp_path, classes):
    from agnoboost.evaluation.held_out import cross_evaluate

    X, y = table(classes)
    model = TableClassifier("fast", random_state=0, missing_label=None).fit(X, y)
    judged = cross_evaluate(model, X, y, None, 2, compare=False)
    assert judged.without_unlabeled is None
    path = tmp_path / "report.html"
    write_report(path, model, X, y, judged, target="<target>", source="file.csv")
    page = path.read_text()
    for title in ("The data", "What the model is made of", "What the model learned", "How good it is"):
        assert f"<h2>{title}" in page
    for title in ("What was chosen", "The rounds"):
        assert title not in page
    assert "Unlabeled rows only place bins and ranks" in page
    assert page.count("<svg") == 3 + len(model.weights_)
    shown = re.findall(r"class=\"bar\" style=\"width:[\d.]+rem\"></span> ([\d.]+)<", page)
    by_member = [weights[name] for name in model.weights_[0] for weights in model.weights_]
    assert shown == [f"{weight:.2f}" for weight in by_member]
    assert ("per&quot;haps</td>" in page) == (classes == 3)


@pytest.mark.parametrize("cells", [1, 1700, 2_000_000])  # one column at a time, two, all
def test_columns_count_by_how_far_they_move_margins(monkeypatch, cells):
    monkeypatch.setattr("agnoboost.report.shapes.CELLS_AT_A_TIME", cells)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4))

    def margins(rows):
        return np.stack([3 * rows[:, 0] + rows[:, 1], -rows[:, 1]], axis=1)

    shares = influences(X, margins)
    assert shares.sum() == pytest.approx(1.0)
    assert shares[2:].tolist() == [0.0, 0.0]
    assert shares[0] / shares[1] == pytest.approx(1.5, abs=0.25)


def test_averages_follow_each_problem():
    X, y = table(3)
    model = TableClassifier("fast", members=["linear"], random_state=0, missing_label=None).fit(X, y)
    matrix = model._matrix(X)
    found = averages(model, matrix, [0, 1], lambda rows: np.stack([rows[:, 0], 7.0 + 0 * rows[:, 1]], axis=1), rows=9)
    assert [len(one) for one in found] == [2, 2]
    assert found[0][0].y == pytest.approx(found[0][0].x)
    assert found[0][1].y == pytest.approx([matrix[::26][:9, 0].mean()] * 2)
    assert found[1][1].y.tolist() == [7.0, 7.0]
    assert found[0][1].x == ["a<b", "c"]


def test_without_an_estimate_the_page_says_so(tmp_path):
    path, _, _ = make(tmp_path, judge=False)
    assert "No honest estimate" in path.read_text()


def test_shape_functions_sum_to_the_model(tmp_path):
    _, model, X = make(tmp_path, threshold=0.0, judge=False)
    matrix = model._matrix(X)
    total = np.zeros(len(matrix))
    for feature in range(3):
        own = [s for s in model.tape_.steps if isinstance(s, Add) and s.hypothesis.feature == feature]
        total += Tape.of(model.tape_.unit, own).margin(matrix)
    assert total == pytest.approx(model.tape_.margin(matrix))
    found = shapes(model, matrix, [0, 1], model.tape_)
    assert all(shape.exact for shape in found)
    row = np.full((1, 3), np.nan)
    for place, code in enumerate((0.0, 1.0)):
        row[0, 1] = code
        own = [s for s in model.tape_.steps if s.hypothesis.feature == 1]
        assert found[1].y[place] == pytest.approx(Tape.of(model.tape_.unit, own).margin(row)[0])


def test_case_b_and_trees_get_averages(tmp_path):
    _, model, X = make(tmp_path, threshold=0.35, judge=False)
    assert not shapes(model, model._matrix(X), [0], model.tape_)[0].exact
    _, model, X = make(tmp_path, learner="tree", judge=False)
    curve = shapes(model, model._matrix(X), [0], model.tape_)[0]
    assert not curve.exact
    assert curve.y[-1] > curve.y[0]


@pytest.mark.skipif(not shutil.which("chromium"), reason="needs chromium")
def test_a_browser_shows_it(tmp_path):
    path, _, _ = make(tmp_path)
    command = [
        "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=3000",
    ]  # fmt: skip
    dom = subprocess.run([*command, "--dump-dom", path.as_uri()], capture_output=True, text=True, timeout=120)
    assert dom.stdout.count("<figcaption>") == 6
    assert "<h1>Predicting &lt;target&gt; from file.csv</h1>" in dom.stdout
    shot = tmp_path / "shot.png"
    subprocess.run(
        [*command, "--window-size=1000,2400", f"--screenshot={shot}", path.as_uri()], capture_output=True, timeout=120
    )
    from matplotlib.image import imread

    pixels = imread(shot)
    assert pixels.shape[:2] == (2400, 1000)
    assert 0.02 < np.mean(pixels[..., :3].min(axis=2) < 0.9) < 0.6  # neither blank nor black
