"""Plots: what is drawn is what was found."""

import numpy as np
import pandas as pd
import pytest

import agnoboost as ab
from agnoboost.explain import EffectDisplay, ImportanceDisplay, ShapleyDisplay, effect

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def problem(classes=2):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"price ($)": rng.normal(size=120), "kind": rng.choice(["a", "b"], 120)})
    frame["z"] = rng.normal(size=120)
    frame.loc[::7, "price ($)"] = np.nan
    score = frame["price ($)"].fillna(1) + (frame["kind"] == "a")
    return frame, np.array(["no", "yes", "perhaps"])[np.digitize(score, [0.5] if classes == 2 else [0, 1])]


@pytest.fixture(scope="module", params=[2, 3])
def fitted(request):
    frame, y = problem(request.param)
    return ab.TableClassifier("fast", random_state=0).fit(frame, y), frame, y


def drawn(display):
    display.figure_.canvas.draw()
    return display


def test_effects(fitted):
    model, frame, _ = fitted
    two = len(model.classes_) == 2
    display = drawn(EffectDisplay.from_estimator(model, frame, ["price ($)", "kind", ("z", "kind")]).plot())
    assert len(display.axes_) == 3
    numbers, kinds, pair = display.axes_
    means = effect(model, frame, "price ($)").mean
    bold = [line for line in numbers.lines if line.get_linewidth() > 2]
    assert len(bold) == (1 if two else 3)
    for line, place in zip(bold, [1] if two else range(3), strict=True):
        np.testing.assert_allclose(line.get_ydata(), means[:-1, place])
    assert [text.get_text() for text in numbers.texts] == ["missing"]
    assert numbers.get_ylabel() == ("probability of yes" if two else "probability")
    assert numbers.get_title(loc="left") == r"price (\$)"
    assert (numbers.get_legend() is None) == two
    assert [label.get_text() for label in kinds.get_yticklabels()] == ["a", "b"]
    assert kinds.get_xlim() == numbers.get_ylim()  # one scale
    np.testing.assert_allclose(pair.images[0].get_array(), effect(model, frame, ("z", "kind")).mean[..., -1].T)


def test_one_class_of_several_and_axes_of_ones_own(fitted):
    model, frame, _ = fitted
    _, axes = plt.subplots(1, 2)
    display = EffectDisplay.from_estimator(model, frame, ["z", "kind"], target="no").plot(axes, single_rows=False)
    drawn(display)
    assert display.axes_ == list(axes)
    assert axes[0].get_ylabel() == "probability of no"
    place = list(model.classes_).index("no")
    np.testing.assert_allclose(axes[0].lines[0].get_ydata(), effect(model, frame, "z").mean[:, place])
    with pytest.raises(ValueError, match="target must be one of"):
        EffectDisplay.from_estimator(model, frame, ["z"], target="never")


@pytest.mark.parametrize("days", [40, 300, 620, 730, 5000])
def test_dates_are_drawn_as_dates(days):
    class ByDate:
        classes_, n_features_in_, feature_names_in_ = np.array([0, 1]), 1, np.array(["day"])

        def predict_proba(self, X):
            p = (X["day"].dt.day_of_year / 366.0).to_numpy()
            return np.column_stack([1 - p, p])

    frame = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=days)})
    display = drawn(EffectDisplay.from_estimator(ByDate(), frame, ["day"]).plot())
    labels = [label.get_text() for label in display.axes_[0].get_xticklabels()]
    assert any("20" in label or label.isalpha() for label in labels)
    assert 2 <= len(labels) <= 6


def test_importances(fitted):
    model, frame, y = fitted
    display = drawn(ImportanceDisplay.from_estimator(model, frame, y, cv=2, repeats=3).plot(most=2))
    found = display.importances
    assert [bar.get_width() for bar in display.ax_.patches] == [found.mean[place] for place in found.order[:2]]
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == [r"price (\$)", "kind"]
    assert display.ax_.get_xlabel().startswith("rise of log loss on rows held out")
    _, axis = plt.subplots()
    other = ImportanceDisplay.from_estimator(model, frame, y, scoring="accuracy", repeats=2).plot(axis)
    assert other.ax_ is axis
    assert axis.get_xlabel().startswith("fall of accuracy on the given rows")


def test_reasons_of_a_row(fitted):
    model, frame, _ = fitted
    display = ShapleyDisplay.from_estimator(model, frame[:30], frame)
    values, base = display.values.of(display.target)
    drawn(display.plot(row=7, most=2))
    order = np.argsort(-np.abs(values[7]))
    widths = [bar.get_width() for bar in display.ax_.patches]
    np.testing.assert_allclose(widths, [*values[7, order[:2]], values[7, order[2]]])
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert labels[2] == "1 other columns"
    assert r"price (\$) = missing" in labels
    odds = base + values.sum(axis=1)
    unsure = int(np.argmin(np.abs(odds)))
    display.plot(row=unsure)
    assert f": {1 / (1 + np.exp(-odds[unsure])):.0%} here, {1 / (1 + np.exp(-base)):.0%} for" in display.ax_.get_title(
        loc="left"
    )


def test_a_swarm_of_rows(fitted):
    model, frame, _ = fitted
    display = drawn(ShapleyDisplay.from_estimator(model, frame, target="no").plot())
    values, _ = display.values.of("no")
    order = np.argsort(-np.abs(values).mean(axis=0), kind="stable")
    for column, grey, coloured in zip(order, display.ax_.collections[::2], display.ax_.collections[1::2], strict=True):
        spots = np.concatenate([grey.get_offsets(), coloured.get_offsets()])
        np.testing.assert_allclose(np.sort(spots[:, 0]), np.sort(values[:, column]))
        assert np.ptp(spots[:, 1]) < 0.9  # rows of dots stay apart
