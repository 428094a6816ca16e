"""What the sections rest on: figures against plain counts."""

import re

import numpy as np
import pytest
from report_cases import case, judged, told
from sklearn.metrics import roc_auc_score

from agnoboost import TableClassifier
from agnoboost.labels import CrowdVotes, FlipRates
from agnoboost.report.advice import next_steps
from agnoboost.report.alternatives import alternatives, plain_matrix
from agnoboost.report.case import Case
from agnoboost.report.checks import checks
from agnoboost.report.columns import columns_of, fingerprint
from agnoboost.report.learned import Learned, learned
from agnoboost.report.scores import OneClass, calibration, gap
from agnoboost.report.sections.data import _findings, _labels
from agnoboost.report.sections.labels_to_check import labels_to_check
from agnoboost.report.sections.summary import _verdict
from agnoboost.report.sections.what_it_learned import what_it_learned

pd = pytest.importorskip("pandas")


def scored(rows=400, seed=0):
    rng = np.random.default_rng(seed)
    own = rng.random(rows) < 0.3
    return OneClass("a", own, np.clip(0.3 * own + rng.random(rows).round(1) * 0.7, 0, 1))


def test_the_area_is_the_usual_one_and_its_interval_covers():
    one = scored()
    area, half = one.area
    assert area == pytest.approx(roc_auc_score(one.own, one.probability))
    areas = [scored(seed=seed).area[0] for seed in range(1, 300)]
    assert half == pytest.approx(1.96 * np.std(areas), rel=0.2)


def test_thresholds_count_rows():
    one = scored()
    hits, alarms = one.at_thresholds(np.linspace(0, 1, 101))
    for step in (0, 30, 31, 70, 100):
        flagged = one.probability >= step / 100 - 1e-9
        assert (hits[step], alarms[step]) == (np.sum(flagged & one.own), np.sum(flagged & ~one.own))


def test_calibration_sees_what_is_off():
    rng = np.random.default_rng(0)
    said = rng.random(4000)
    came = rng.random(4000) < said
    assert gap(calibration(said, came)) < 0.03
    assert gap(calibration(said, rng.random(4000) < 0.5)) > 0.2
    assert sum(one.rows for one in calibration(said, came)) == 4000
    assert len(calibration(said[:7], came[:7])) == 1


def test_alternatives_are_judged_on_the_same_rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=300), "kind": rng.choice(["u", "v"], 300), "noise": rng.normal(size=300)})
    code = ((X["x"] > 0.3) ^ (rng.random(300) < 0.05)).to_numpy().astype(int)
    y = np.array(["a", "b"], dtype=object)[code]
    y[200:] = None
    X.loc[5, "x"] = np.nan
    certain = np.eye(2)[code[:200]]
    constant, one_column, regression = alternatives(X, y, np.arange(200), judged(code[:200], certain))
    assert constant.accuracy[0] == pytest.approx(max(np.mean(code[:200]), 1 - np.mean(code[:200])))
    assert one_column.accuracy[0] > 0.9
    assert regression.accuracy[0] > 0.85
    assert constant.clearly_beaten
    assert constant.gain == pytest.approx(1 - constant.accuracy[0])
    poor = alternatives(X, y, np.arange(200), judged(code[:200], 1 - certain))
    assert poor[1].clearly_better


def test_the_plain_matrix_does_not_look_at_labels_or_stumble_over_cells():
    X = pd.DataFrame({"a": [1.0, np.nan, np.inf], "b": ["x", None, "y"], "when": pd.to_datetime(["2020-01-01"] * 3)})
    names, matrix = plain_matrix(X, np.arange(3))
    assert names == ["a", "a", "b", "b", "b", "when"]
    assert np.isfinite(matrix).all()
    assert matrix.shape == (3, 6)  # a and its gap, x, y and their gap, when


def test_checks_find_what_was_planted():
    rows = 60
    X = pd.DataFrame(
        {
            "id": [f"c{i}" for i in range(rows)],
            "count": np.arange(rows) + 7,
            "same": "x",
            "kind": ["rare"] * 2 + ["often"] * (rows - 2),
            "gaps": [np.nan] * 15 + [i % 9 for i in range(45)],
        }
    )
    y = np.array(["a", "b"] * 30, dtype=object)
    found = checks(X, y, np.arange(rows))
    assert (found.constant, found.rare) == (["same"], {"kind": 1})
    assert found.missing == [("gaps", 0.25)]
    assert found.gaps == pytest.approx(0.05)
    assert (found.copies, found.contradictions) == (0, 0)
    X.loc[9], X.loc[11] = X.loc[8], X.loc[13]  # 8 and 9 have different labels, 11 and 13 the same
    found = checks(X, y, np.arange(rows))
    assert (found.copies, found.contradictions) == (2, 2)


def test_texts_and_times_that_differ_in_every_row_are_not_advised_against():
    rng = np.random.default_rng(0)
    code = rng.integers(0, 2, 80)
    X = pd.DataFrame(
        {
            "id": [f"c{i}" for i in range(80)],
            "remark": [f"{'very good' if c else 'rather bad'} indeed, case {i}" for i, c in enumerate(code)],
            "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(80), unit="min"),
            "same": 1,
        }
    )
    y = np.array(["no", "yes"], dtype=object)[code]
    with pytest.warns(UserWarning, match="'id'"):
        model = TableClassifier(effort="fast", random_state=0).fit(X, y)
    case = Case(model, X, y, None, "y", "a file")
    assert case.not_used == ["id"]
    advice = " ".join(what for what, _ in next_steps(case))
    assert "cannot help: same" in advice
    assert "remark" not in advice
    assert "when" not in advice
    assert "remark" not in _findings(case)
    assert "number or name the rows" in _findings(case)


def test_the_fingerprint_is_of_content_not_of_storage():
    X, y = pd.DataFrame({"a": [1, 2, 3], "b": ["u", None, "w"]}), np.array(["p", None, "q"], dtype=object)
    base = fingerprint(X, y)
    assert fingerprint(X.astype({"a": float, "b": "category"}), y) == base
    assert fingerprint(X.rename(columns={"a": "c"}), y) != base
    assert fingerprint(X.assign(b=["u", "", "w"]), y) != base
    assert fingerprint(X, np.array(["p", "q", None], dtype=object)) != base


def test_columns_of_any_kind_are_read():
    held = pd.DataFrame(
        {"i": [1, 2], "zip": ["007", "7"], "t": pd.to_datetime(["2020-01-01", None]), "b": [True, False]}
    )
    i, zip_code, when, flag = columns_of(held)
    assert i.numbers.tolist() == [1.0, 2.0]
    assert zip_code.texts.tolist() == ["007", "7"]
    assert (when.distinct, when.missing.tolist()) == (1, [False, True])
    assert flag.numbers.tolist() == [1.0, 0.0]


def test_one_long_text_does_not_make_all_others_long():
    texts = ["b", "a", None, "b", "x" * 100_000]
    (found,) = columns_of(pd.DataFrame({"note": texts * 20}))
    assert found.texts.nbytes < 10_000
    assert found.codes[:5].tolist() == [1, 0, -1, 1, 2]
    assert found.distinct == 3


class Plain:
    """A model that looks at two columns of three, at the second one twice as much."""

    n_features_in_, classes_ = 3, np.array(["no", "yes"])

    def predict_proba(self, X):
        p = 0.5 + 0.1 * np.asarray(X["x"], dtype=float) + 0.2 * (np.asarray(X["kind"]) == "v")
        return np.column_stack([1 - p, p])


@pytest.mark.parametrize("cells", [1, 900, 1_000_000])
def test_what_was_learned_is_found(monkeypatch, cells):
    monkeypatch.setattr("agnoboost.report.learned.CELLS", cells)
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"n": rng.normal(size=300), "x": rng.integers(0, 2, 300), "kind": rng.choice(["u", "v"], 300)})
    found = learned(Plain(), X.assign(kind=X["kind"].astype("category")))
    assert found.importances[0] == 0.0
    assert found.importances[2] / found.importances[1] == pytest.approx(2.0, abs=0.3)
    assert found.order == [2, 1]
    kind, x = found.effects[2], found.effects[1]
    v, u = (kind.mean[kind.axes[0].values.index(name), 1] for name in "vu")
    assert v - u == pytest.approx(0.2)
    assert (x.axes[0].values, np.diff(x.mean[:, 1]).tolist()) == ([0, 1], pytest.approx([0.1]))


def test_the_labels_to_check_are_those_of_the_ranking():
    code = np.random.default_rng(0).permutation(np.arange(400) % 2)
    p = np.where(np.eye(2)[code] > 0, 0.97, 0.03)
    assert "About 0 of 400 labels look wrong (" in labels_to_check(case(code, p))
    p[40:49] = p[40:49, ::-1]
    shown = case(code, p)
    shown.__dict__["learned"] = Learned(["x"], np.ones(1), {}, np.ones(2) / 2)
    page = labels_to_check(shown)
    count, (low, high) = shown.suspects.count, shown.suspects.interval
    assert 7 < count < 11
    assert f"About {count:.0f} of 400 labels look wrong ({low:.0f} to {high:.0f}, for chance alone)" in page
    rows = re.findall(r"<tr><td[^>]*>(\d+)</td><td[^>]*>(\w)</td><td[^>]*>(\w)</td>", page)
    assert len(rows) == shown.suspects.to_check
    assert {int(row) for row, *_ in rows} <= set(range(41, 50))
    assert [given for _, given, _ in rows] == [shown.y[int(row) - 1] for row, *_ in rows]
    assert all(given != other for _, given, other in rows)
    assert f"{shown.X['x'][int(rows[0][0]) - 1]:.4g}" in page
    assert "Nobody can say" in labels_to_check(case(code[:49], p[:49]))


def test_annotators_are_named_in_the_order_of_their_quality():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    truth = X[:, 0] > 0
    right = rng.random((150, 3)) < [0.7, 0.95, 0.85]
    votes = pd.DataFrame(np.where(right, truth[:, None], ~truth[:, None]).astype(float), columns=["a<b", "ben", "cleo"])
    votes["dan"] = np.nan
    model = TableClassifier(label_model=CrowdVotes(), effort="fast", random_state=0).fit(X, votes)
    shown = _labels(Case(model, X, truth.astype(float).astype(object), None, "votes", "a file"))
    assert "4 annotators" in shown
    assert shown.index("ben") < shown.index("cleo") < shown.index("a&lt;b") < shown.index("dan")
    plain = TableClassifier(effort="fast", random_state=0).fit(X, truth)
    assert "annotators" not in _labels(Case(plain, X, truth.astype(object), None, "y", "a file"))


def test_labels_to_check_with_class_weights_and_label_models():
    rng = np.random.default_rng(0)
    q = rng.beta(0.3, 2.0, size=600)  # the chance of the second, rare class
    code = (rng.random(600) < q).astype(int)
    plain = case(code, np.column_stack([1 - q, q]))
    heavy = 10 * q / (1 - q + 10 * q)
    weighted = case(code, np.column_stack([1 - heavy, heavy]))
    assert weighted.suspects.to_check > 1.5 * plain.suspects.to_check
    weighted = case(code, np.column_stack([1 - heavy, heavy]))
    weighted.model._class_weights = np.array([1.0, 10.0])
    assert weighted.suspects.row.tolist() == plain.suspects.row.tolist()
    assert weighted.suspects.count == pytest.approx(plain.suspects.count)
    flipped = case(code, np.column_stack([1 - q, q]))
    flipped.model.label_model = FlipRates(0.2)
    assert flipped.suspects is None
    assert "are not ranked" in labels_to_check(flipped)


def test_a_model_that_knows_nothing_is_said_to_first():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.3, 0.7, 400)
    nothing = case((rng.random(400) < 0.6).astype(int), np.column_stack([1 - p, p]))
    said = "This model knows nothing that helps: no better than always saying b."
    assert said in _verdict(nothing)
    assert f"Right in about {round(100 * nothing.judged.accuracy[0])} of 100 cases" in _verdict(nothing)
    assert labels_to_check(nothing).count("<td") == 0
    assert said in labels_to_check(nothing)
    assert told(nothing).startswith("Do not use this model yet")
    assert "Look at" not in told(nothing)


def test_dates_and_missing_cells_have_pictures():
    """Dates that are text, too; what is missing has its own figure."""
    rng = np.random.default_rng(0)
    when = pd.Timestamp("2019-03-01") + pd.to_timedelta(rng.integers(0, 1500, 200), "D")
    X = pd.DataFrame({"when": when, "text": when.strftime("%d.%m.%Y"), "x": rng.normal(size=200)})
    X.loc[::5, "x"] = np.nan
    y = np.where((when.year > 2020) ^ X["x"].isna(), "late", "early").astype(object)
    model = TableClassifier("fast", members=["linear"], missing_label=None, random_state=0).fit(X, y)
    shown = Case(model, X, y, None, "t", "s")
    for number in (0, 1):
        (axis,) = shown.learned.effects[number].axes
        assert (axis.categorical, axis.values) == (False, sorted(axis.values))
        assert axis.values[0].year == 2019
    page = what_it_learned(shown)
    assert page.count(">2020</text>") == page.count(">2022</text>") == 2
    assert re.search(r"Empty cells: \d+\.\d%", page)
    assert [one.holds_dates for one in columns_of(X)] == [True, False, False]


def test_categories_that_are_rare_are_those_of_columns_that_are_read_as_such():
    rng = np.random.default_rng(0)
    when = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 60, 200), "D")
    X = pd.DataFrame({"when": when.strftime("%Y-%m-%d"), "kind": np.where(np.arange(200) < 2, "odd", "even")})
    y = np.array(["a", "b"], dtype=object)[rng.integers(0, 2, 200)]
    model = TableClassifier("fast", members=["linear"], random_state=0).fit(X, y)
    shown = Case(model, X, y, None, "t", "s")
    assert set(shown.checks.rare) == {"when", "kind"}
    assert "kind (1)" in _findings(shown)
    assert "when" not in _findings(shown)


def test_shares_of_columns_are_those_of_the_model_itself():
    """The page once showed others than ``agnoboost inspect``."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 3)), columns=list("abc"))
    y = np.where(X["a"] + 0.3 * X["b"] > 0, "u", "v").astype(object)
    model = TableClassifier("fast", members=["linear"], random_state=0).fit(X, y)
    shown = learned(model, X)
    assert shown.importances.tolist() == model.feature_importances_.tolist()
    page = what_it_learned(Case(model, X, y, None, "t", "s"))
    assert f"{model.feature_importances_[0]:.1%}" in page
    assert "as agnoboost inspect says it, too" in page


def test_there_is_one_list_of_suspects():
    """The report's, the model's, and that of the command are the same."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"x": rng.normal(size=200), "z": rng.normal(size=200)})
    y = np.where(X["x"] + 0.3 * rng.normal(size=200) > 0, "a", "b").astype(object)
    y[:8] = np.where(y[:8] == "a", "b", "a")
    model = TableClassifier("fast", members=["linear"], random_state=0).fit(X, y)
    code = (y == "b").astype(int)
    found = Case(model, X, y, judged(code, model.predict_proba(X)), "t", "s")
    assert found.suspects is model.suspicious_labels_
    other = Case(model, X[::-1], y[::-1], judged(code[::-1], model.predict_proba(X[::-1])), "t", "s")
    assert other.suspects is not model.suspicious_labels_  # other rows than those of the fit
