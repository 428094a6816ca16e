"""``evaluate``: figures beside scikit-learn's, what machine labels may look like, and how often intervals hold."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, brier_score_loss, f1_score, precision_score, recall_score, roc_auc_score

import agnoboost as ab
from agnoboost.basics.intervals import binomial_interval
from agnoboost.basics.spread_sampling import inclusion_probabilities, pivotal_sample

ROWS = 500


@pytest.fixture(scope="module")
def rows():
    """Rows with a fitted model, true labels ("no", "yes"), and a machine that is mostly right."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS + 100, 3))
    y = np.where(X[:, 0] + rng.normal(size=len(X)) > 0.4, "yes", "no").astype(object)
    model = LogisticRegression().fit(X[:100], y[:100])
    machine = np.where(rng.random(len(X)) < 0.1, y[::-1], y)
    return model, X[100:], y[100:], machine[100:]


def partly(y, gold=80):
    """The first labels only."""
    found = y.copy()
    found[gold:] = None
    return found


def ends(found):
    return {f"{one.text}: {word}": getattr(one, word) for one in found.figures for word in ("low", "high", "worth")}


def nearly(wanted):
    return pytest.approx(wanted, rel=1e-6)


def test_all_labels_give_the_figures_of_scikit_learn(rows):
    model, X, y, machine = rows
    found = ab.evaluate(model, X, y, machine_labels=machine)
    said, p = model.predict(X), model.predict_proba(X)[:, 1]
    assert found["accuracy"].value == pytest.approx(accuracy_score(y, said))
    assert found["brier_score"].value == pytest.approx(brier_score_loss(y == "yes", p))
    assert found["roc_auc"].value == found["roc_auc", "yes"].value == pytest.approx(roc_auc_score(y == "yes", p))
    for name in ("no", "yes"):
        assert found["prevalence", name].value == pytest.approx(np.mean(y == name))
        for word, score in (("precision", precision_score), ("recall", recall_score), ("f1", f1_score)):
            assert found[word, name].value == pytest.approx(score(y, said, pos_label=name))
    assert all(one.worth == 1.0 for one in found.figures)
    exact = binomial_interval(np.sum(y == said), ROWS, 0.95)
    assert (found["accuracy"].low, found["accuracy"].high) == pytest.approx(exact)
    assert (found.gold, found.rows) == (ROWS, ROWS)


def test_several_classes():
    rng = np.random.default_rng(1)
    y = rng.integers(3, size=ROWS)
    p = rng.dirichlet(np.ones(3), ROWS) + 2.0 * np.eye(3)[y] * (rng.random(ROWS) < 0.6)[:, None]
    p /= p.sum(axis=1, keepdims=True)
    found = ab.evaluate_predictions(p.argmax(axis=1), y, probabilities=p)
    assert found["brier_score"].value == pytest.approx(np.mean(np.sum((p - np.eye(3)[y]) ** 2, axis=1)))
    for name in range(3):
        assert found["roc_auc", name].value == pytest.approx(roc_auc_score(y == name, p[:, name]))
        assert found["recall", name].value == pytest.approx(recall_score(y == name, p.argmax(axis=1) == name))
    gold = np.where(np.arange(ROWS) < 90, y, np.nan)
    helped = ab.evaluate_predictions(p.argmax(axis=1), gold, probabilities=p, machine_labels=y)
    for one in helped.figures:
        assert one.low <= one.value <= one.high
    assert helped["accuracy"].worth > 2.0
    assert helped["prevalence", 2].worth > 2.0


def test_machine_labels_of_every_kind_say_the_same(rows):
    model, X, y, machine = rows
    gold = partly(y)
    wanted = ends(ab.evaluate(model, X, gold, machine_labels=machine))
    second = (machine == "yes").astype(float)
    assert ends(ab.evaluate(model, X, gold, machine_labels=second)) == wanted
    assert ends(ab.evaluate(model, X, gold, machine_labels=np.column_stack([1 - second, second]))) == wanted
    assert ends(ab.evaluate(model, X, gold, machine_labels=machine.tolist())) == wanted
    own = ends(ab.evaluate(model, X, gold))
    assert ends(ab.evaluate(model, X, gold, machine_labels=model.predict_proba(X)[:, 1])) == nearly(own)
    assert own != wanted
    silent = machine.copy()
    silent[:] = None
    silent[-1] = machine[-1]
    assert ends(ab.evaluate(model, X, gold, machine_labels=silent)) == pytest.approx(own, rel=0.1)


def test_columns_of_a_frame_go_by_the_names_of_the_classes(rows):
    pd = pytest.importorskip("pandas")
    model, X, y, machine = rows
    soft = 0.1 + 0.8 * np.column_stack([machine == "no", machine == "yes"])
    wanted = ends(ab.evaluate(model, X, partly(y), machine_labels=soft))
    frame = pd.DataFrame(soft, columns=["no", "yes"], index=np.arange(ROWS) + 7)[["yes", "no"]]
    assert ends(ab.evaluate(model, X, partly(y), machine_labels=frame)) == wanted
    assert ends(ab.evaluate(model, X, partly(y), machine_labels=soft[:, ::-1])) != wanted


def test_minus_one_is_a_gap_unless_it_is_a_class(rows):
    model, X, y, machine = rows
    said = np.random.default_rng(3).integers(-1, 2, size=ROWS)
    three = np.random.default_rng(4).permutation(said)
    found = ab.evaluate_predictions(said, partly(three.astype(object)), machine_labels=said)
    assert found.gold == 80
    assert found["accuracy"].gold_value == pytest.approx(np.mean(said[:80] == three[:80]))
    codes, flags = np.where(machine == "yes", 1, 0), (y == "yes").astype(float)
    gaps = np.where(np.arange(ROWS) % 3, codes, -1)
    gold = np.where(np.arange(ROWS) < 80, flags, -1)
    given = {"probabilities": model.predict_proba(X), "classes": [0, 1]}
    found = ab.evaluate_predictions(codes, gold, machine_labels=gaps, **given)
    wanted = ab.evaluate_predictions(codes, partly(flags), machine_labels=np.where(gaps < 0, np.nan, gaps), **given)
    assert ends(found) == ends(wanted)


def test_predictions_as_arrays(rows):
    model, X, y, machine = rows
    p = model.predict_proba(X)
    wanted = ends(ab.evaluate(model, X, partly(y), machine_labels=machine))
    given = {"probabilities": p, "classes": model.classes_, "machine_labels": machine}
    assert ends(ab.evaluate_predictions(model.predict(X), partly(y), **given)) == wanted
    given["probabilities"] = p[:, 1]
    assert ends(ab.evaluate_predictions(model.predict(X), partly(y), **given)) == nearly(wanted)
    hard = ab.evaluate_predictions(model.predict(X), partly(y), machine_labels=machine)
    assert {one.name for one in hard.figures} == {"accuracy", "prevalence", "precision", "recall", "f1"}


def test_a_class_that_only_gold_labels_have_counts_as_an_error(rows):
    model, X, y, machine = rows
    odd = y.copy()
    odd[:50] = "other"
    found = ab.evaluate(model, X, odd, machine_labels=machine)
    assert found["accuracy"].value == pytest.approx(np.mean(odd == model.predict(X)))
    assert found["recall", "other"].value == 0.0


@pytest.mark.filterwarnings("ignore::agnoboost.evaluation.unchecked_rows.UncheckedRowsWarning")
def test_only_the_proportions_of_probabilities_matter(rows):
    model, X, y, machine = rows
    chance = np.where(X[:, 1] > 0, 0.4, 0.1)
    one, two = (
        ab.evaluate(model, X, partly(y), machine_labels=machine, sampling_probability=chance / scale)
        for scale in (1.0, 4.0)
    )
    assert ends(one) == nearly(ends(two))
    same = ab.evaluate(model, X, partly(y), machine_labels=machine, sampling_probability=np.full(ROWS, 0.16))
    assert ends(same) == nearly(ends(ab.evaluate(model, X, partly(y), machine_labels=machine)))
    assert ends(one) != ends(same)


def test_what_is_shown(rows):
    pytest.importorskip("pandas")
    model, X, y, machine = rows
    found = ab.evaluate(model, X, partly(y), machine_labels=machine, confidence=0.9)
    text = str(found)
    assert "80 checked labels among 500 rows, 90% intervals" in text
    assert f"{found['accuracy'].value:.3f} ({found['accuracy'].low:.3f} to" in text
    assert "recall, yes" in text
    assert text.endswith("would be needed without machine labels.")
    frame = found.to_frame()
    assert frame["low"].tolist() == [one.low for one in found.figures]
    wide = ab.evaluate(model, X, partly(y), machine_labels=machine, confidence=0.99)["accuracy"]
    assert wide.low < found["accuracy"].low < found["accuracy"].high < wide.high
    with pytest.raises(
        KeyError, match=r"must be one of 'accuracy', .*\('recall', 'yes'\).* Got \('recall', 'perhaps'\)"
    ):
        found["recall", "perhaps"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": np.full(ROWS, np.nan)}, "y must hold gold labels. Got none among 500 rows"),
        ({"y": np.ones(ROWS)}, "classes that the model knows .*'no', 'yes'.* Got only others, such as 1.0"),
        ({"y": np.ones(3)}, r"y must hold a gold label, or NaN, for each of the 500 rows. Got shape \(3,\)"),
        ({"machine_labels": ["yes"]}, "machine_labels must hold a label"),
        ({"machine_labels": np.full(ROWS, 7)}, "machine_labels must hold classes .* such as 7"),
        ({"machine_labels": np.ones((ROWS, 2))}, "500 rows and 2 classes, which sum to 1"),
        ({"machine_labels": np.full((ROWS, 2), "yes")}, "must have a probability .* or a single column of labels"),
        (
            {"sampling_probability": np.full(ROWS, "x")},
            "sampling_probability must hold numbers. Got values such as 'x'",
        ),
        ({"machine_labels": np.full(ROWS, None)}, "machine_labels must hold labels. Got none"),
        ({"sampling_probability": np.zeros(ROWS)}, "above 0 and at most 1 .* Got 0.0"),
        ({"sampling_probability": np.ones(4)}, "sampling_probability must hold a probability"),
        ({"confidence": 1.0}, "confidence must be in"),
    ],
)
def test_what_does_not_fit_is_said(rows, change, message):
    model, X, y, machine = rows
    given = {"y": partly(y), "machine_labels": machine} | change
    with pytest.raises(ValueError, match=message):
        ab.evaluate(model, X, given.pop("y"), **given)


def test_fractions_are_no_classes():
    said = np.tile([0, 1], 50)
    with pytest.raises(ValueError, match=r"y must hold classes .*\(0, 1\). Got 0.5 beside them"):
        ab.evaluate_predictions(said, np.where(np.arange(100) == 3, 0.5, said), machine_labels=said)
    with pytest.raises(ValueError, match=r"machine_labels must hold classes .* between 0 and 1. Got 1.3 beside"):
        ab.evaluate_predictions(said, said, machine_labels=np.where(np.arange(100) == 3, 1.3, said))
    whole = ab.evaluate_predictions(said, said, machine_labels=np.where(np.arange(100) == 3, 2.0, said))
    assert whole.gold == 100  # one more class


@pytest.mark.parametrize("of", ["y", "machine_labels"])
def test_classes_in_other_letters_are_refused(rows, of):
    model, X, y, machine = rows
    given = {"y": partly(y), "machine_labels": machine.astype(object)}
    given[of][:2] = " Yes"
    with pytest.raises(ValueError, match=rf"^{of} must hold classes .* Got ' Yes'. Did you mean 'yes'\?"):
        ab.evaluate(model, X, **given)


def test_predictions_that_do_not_fit_are_refused(rows):
    _, _, y, _ = rows
    with pytest.raises(ValueError, match="machine_labels must be given for a model without predict_proba"):
        ab.evaluate_predictions(y, y)
    with pytest.raises(ValueError, match="probabilities must have a row for each of 500 predictions"):
        ab.evaluate_predictions(y, y, probabilities=np.ones((ROWS, 3)) / 3)
    for classes in (["no", "yes", "yes"], "no"):
        with pytest.raises(ValueError, match=r"classes must be a list of different names, .* Got"):
            ab.evaluate_predictions(y, y, classes=classes, machine_labels=y)
    with pytest.raises(ValueError, match=r"predicted must hold classes of .*'no'.*Got 'yes'"):
        ab.evaluate_predictions(y, y, classes=["no", "other"])


FIGURES = ("accuracy", "brier_score", "roc_auc", "prevalence", "precision", "recall", "f1")


@pytest.mark.parametrize("sampling", ["equal", "lopsided"])
def test_intervals_hold_as_often_as_they_say(sampling):
    """A short version of benchmarks/audit.py. Lopsided: where the model is wrong gold rows are many times likelier."""
    rng, repeats = np.random.default_rng(5), 250
    signal = 1.5 * rng.normal(size=5000)
    y = (rng.random(5000) < 1 / (1 + np.exp(-1.5 * signal))).astype(int)
    p = 1 / (1 + np.exp(-2 * signal + 0.8 * rng.normal(size=5000)))
    machine = np.where(rng.random(5000) < 0.05, 1 - y, y)
    every = ab.evaluate_predictions((p >= 0.5).astype(int), y, probabilities=p)
    truth = [every[name, 1 if name in FIGURES[2:] else None].value for name in FIGURES]
    held, widths = np.zeros(len(FIGURES)), np.zeros((2, len(FIGURES)))
    for _ in range(repeats):
        rows = rng.integers(5000, size=600)
        size = np.ones(600) if sampling == "equal" else np.where((p[rows] >= 0.5) == y[rows], 1.0, 4.0)
        chance = inclusion_probabilities(size, 60)
        gold = np.full(600, np.nan)
        drawn = pivotal_sample(chance, rng.permutation(600), rng)
        gold[drawn] = y[rows][drawn]
        found = ab.evaluate_predictions(
            (p[rows] >= 0.5).astype(int),
            gold,
            probabilities=p[rows],
            classes=[0, 1],
            machine_labels=machine[rows],
            sampling_probability=chance,
        )
        figures = [found[name, 1 if name in FIGURES[2:] else None] for name in FIGURES]
        held += [one.low <= true <= one.high for one, true in zip(figures, truth, strict=True)]
        widths += np.array([(one.high - one.low, one.gold_high - one.gold_low) for one in figures]).T
    assert (held / repeats > 0.92).all(), dict(zip(FIGURES, held / repeats, strict=True))
    narrower = dict(zip(FIGURES, widths[0] / widths[1], strict=True))
    assert all(narrower[name] < 0.85 for name in ("prevalence", "recall", "f1")), narrower


@pytest.mark.parametrize("gold", [12, 40])
def test_brier_scores_of_a_rare_class_hold_as_often_as_they_say(gold):
    """Few rows have nearly all of the error, and gold rows may have none of them."""
    rng, repeats, held = np.random.default_rng(6), 150, 0
    p = rng.beta(0.15, 4.0, size=5000)
    y = (rng.random(5000) < p).astype(int)
    machine = np.where(rng.random(5000) < 0.05, 1 - y, y)
    for _ in range(repeats):
        rows = rng.integers(5000, size=600)
        labels = np.where(np.arange(600) < gold, y[rows], np.nan)
        given = {"probabilities": p[rows], "classes": [0, 1], "machine_labels": machine[rows]}
        found = ab.evaluate_predictions((p[rows] >= 0.5).astype(int), labels, **given)["brier_score"]
        held += found.low <= np.mean((p - y) ** 2) <= found.high
    assert held > 0.93 * repeats
