"""The page as a whole: for every kind of model, safe, whole, and the same for the same input."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from markup import Markup
from report_tables import HOSTILE, many, table

from agnoboost import AgnosticBoostingClassifier, FewLabelClassifier, TableClassifier, load, report
from agnoboost.evaluation.held_out import cross_evaluate
from agnoboost.labels import PositiveUnlabeled, SoftLabels
from agnoboost.report import write_report

pd = pytest.importorskip("pandas")
pytestmark = pytest.mark.filterwarnings("ignore::agnoboost.tables.encoder.LeftOutWarning")  # a column of row numbers

SECTIONS = ["summary", "quality", "learned", "suspects", "data"]
COMMON = {"random_state": 0, "missing_label": None}


def backend(name):
    pytest.importorskip(name)
    from agnoboost.integrations import LGBMAgnosticClassifier, XGBAgnosticClassifier

    return {"xgboost": XGBAgnosticClassifier, "lightgbm": LGBMAgnosticClassifier}[name](n_estimators=10, **COMMON)


KINDS = {
    "table": lambda: TableClassifier("fast", **COMMON),
    "few": lambda: FewLabelClassifier(["linear"], effort="fast", **COMMON),
    "stumps": lambda: AgnosticBoostingClassifier(weak_learner="stump", n_rounds=20, step_size=0.05, **COMMON),
    "trees": lambda: AgnosticBoostingClassifier(n_rounds=20, **COMMON),
    "xgboost": lambda: backend("xgboost"),
    "lightgbm": lambda: backend("lightgbm"),
}


def made(tmp_path, model, X, y, **options):
    path = tmp_path / "report.html"
    report.write(model.fit(X, y), X, y, path, **({"folds": 2, "date": "2030-01-02"} | options))
    return path.read_text()


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    return made(folder, KINDS["table"](), *table(), target=HOSTILE, source=HOSTILE, command=HOSTILE)


@pytest.mark.parametrize(
    ("kind", "classes"), [*((kind, 2) for kind in KINDS), ("few", 3), ("stumps", 3), ("xgboost", 3)]
)
def test_every_kind_of_model_gets_every_section(tmp_path, kind, classes):
    page = made(tmp_path, KINDS[kind](), *table(classes), target=HOSTILE, source=HOSTILE, command=HOSTILE)
    found = Markup(page)
    ids = [one["id"] for one in found.all("section", "details") if "id" in one]
    assert ids == [*SECTIONS, "training"]
    for title in ("What to do next", "ROC", "Precision and recall", "Can probabilities", "What is taken for what"):
        assert title in found.text
    for title in ("Class by class", "Which columns count", "What speaks for", "Empty cells"):
        assert title in found.text
    assert ("Choose a threshold" in found.text) == (classes == 2)
    assert "Settings of " in found.text
    assert "2030-01-02" in found.text
    curves = 3 * (classes - 1 if classes == 2 else classes)
    assert len(re.findall(r'<path class="line', page)) >= curves
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    made_of = "What the model is made of" if kind in ("table", "few") else "What was chosen, and why"
    assert made_of in found.text
    assert ("Round by round" in found.text) == (kind in ("stumps", "trees"))


def test_nothing_gets_out_of_its_text(page):
    found = Markup(page)
    assert [one.get("type", "ours") for one in found.all("script")] == ["application/json", "ours"]
    assert found.all("img") == []
    assert not [name for _, attributes in found.found for name in attributes if name.startswith("on")]
    assert HOSTILE[:20] in found.text
    data = re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page).group(1)
    assert json.loads(data)["classes"][0]["name"] == HOSTILE[:60]
    policy = next(one["content"] for one in found.all("meta") if one.get("http-equiv"))
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_nothing_comes_from_elsewhere(page):
    assert not re.search(r"https?:|//\w|@import|url\(", page)
    for _, attributes in Markup(page).found:
        for name in ("src", "href", "action"):
            assert attributes.get(name, "#").startswith(("#", "data:,"))
        assert "style" not in attributes  # the policy would refuse it


def test_every_picture_says_what_it_shows(tmp_path):
    for _, attributes in Markup(made(tmp_path, KINDS["stumps"](), *table(3))).found:
        if "viewbox" in attributes:
            pictured = attributes.get("role") == "img" and len(attributes["aria-label"]) > 10
            assert pictured or attributes.get("aria-hidden") == "true"


def test_links_and_names_fit(page):
    found = Markup(page)
    ids = [attributes["id"] for _, attributes in found.found if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {one["href"][1:] for one in found.all("a")} <= set(ids)
    assert {one["for"] for one in found.all("label") if "for" in one} <= set(ids)
    script = page.rpartition("<script>")[2]
    assert set(re.findall(r'byId\("([^"]+)"\)', script)) <= set(ids)


def test_the_same_input_gives_the_same_bytes_and_other_input_others(tmp_path):
    X, y = table()
    model = KINDS["few"]()
    first, again = (made(tmp_path, model, X, y) for _ in range(2))
    assert first == again
    prints = {re.search(r"fingerprint <code>(\w+)", page).group(1) for page in (first, again)}
    y[0] = "yes" if y[0] != "yes" else HOSTILE
    changed = made(tmp_path, model, X, y)
    assert re.search(r"fingerprint <code>(\w+)", changed).group(1) not in prints


def test_many_classes_and_columns(tmp_path):
    model = TableClassifier("fast", members=["linear"], **COMMON)
    page = made(tmp_path, model, *many())
    found = Markup(page)
    assert "All 200 columns" in found.text
    assert "The most frequent mistakes" in found.text
    assert page.count("<details") > 20  # effects of each class are folded
    assert len(page) < 3_000_000


def test_twenty_labels(tmp_path):
    found = Markup(made(tmp_path, KINDS["table"](), *table(rows=90, labels=20), folds=5))
    assert "more rows" in found.text


@pytest.mark.parametrize("way", ["no folds", "one row of a class", "soft labels"])
def test_without_an_estimate_the_page_says_so(tmp_path, way):
    X, y = table()
    model = KINDS["few"]()
    if way == "one row of a class":
        y[np.flatnonzero(y == "yes")[1:]] = None
        model.set_params(class_weight="balanced")
    if way == "soft labels":
        y = np.array([None if label is None else 0.9 * (label == "yes") for label in y], dtype=object)
        model.set_params(label_model=SoftLabels())
    found = Markup(made(tmp_path, model, X, y, folds=0 if way == "no folds" else 5))
    assert "No honest estimate" in found.text
    advice = {"no folds": "Ask for", "one row of a class": "Label at least two", "soft labels": "Evaluate it on rows"}
    assert advice[way] in found.text
    assert "There are no rows to judge by" in found.text
    assert "Which columns count" in found.text
    assert found.all("input") == []


def test_positives_are_counted_once_and_cannot_judge(tmp_path):
    X, y = table()
    y[y == "no"] = None
    found = Markup(made(tmp_path, KINDS["few"]().set_params(label_model=PositiveUnlabeled(0.5, together=True)), X, y))
    gaps = sum(label is None for label in y)
    assert f"{gaps} of {len(y)} rows have no label." in found.text  # and none came from elsewhere
    assert f"{gaps} rows without label" in found.text
    assert "Evaluate it on rows with true labels" in found.text


def test_a_model_from_a_file(tmp_path):
    X, y = table()
    KINDS["stumps"]().fit(X, y).save(tmp_path / "model.agno")
    judged = cross_evaluate(KINDS["stumps"](), X, y, None, 2)
    write_report(tmp_path / "r.html", load(tmp_path / "model.agno"), X, y, judged, target="t", source="s")
    found = Markup((tmp_path / "r.html").read_text())
    assert "without the unlabeled rows:" in found.text
    assert "What speaks for" in found.text


@pytest.mark.parametrize("holder", ["array", "polars"])
def test_tables_of_other_kinds(tmp_path, holder):
    X, y = table()
    X = X[[HOSTILE, "z"]] if holder == "array" else X
    held = X.to_numpy() if holder == "array" else pytest.importorskip("polars").DataFrame(X.to_dict("list"))
    found = Markup(made(tmp_path, KINDS["few"](), held, y))
    assert "What speaks for" in found.text


def test_the_example_of_the_docs_runs(tmp_path, monkeypatch):
    page = (Path(__file__).parents[2] / "docs" / "report.md").read_text()
    (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(block, {})
    assert "Predicting spam" in (tmp_path / "report.html").read_text()


def test_wrong_calls_are_refused_before_any_work(tmp_path):
    X, y = table()
    with pytest.raises(ValueError, match="folds must be a whole number of at least 0"):
        report.write(KINDS["table"]().fit(X, y), X, y, tmp_path / "r.html", folds=-1)
    with pytest.raises(ValueError, match="not fitted"):
        report.write(KINDS["table"](), X, y, tmp_path / "r.html")
    assert list(tmp_path.iterdir()) == []
