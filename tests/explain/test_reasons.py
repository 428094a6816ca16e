"""Reasons in words."""

import numpy as np
import pandas as pd
import pytest

import agnoboost as ab
from agnoboost.explain import Reason, reasons


@pytest.mark.parametrize("classes", [2, 3])
def test_reasons_are_values_of_the_predicted_class_in_order(classes):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(120, 3)), columns=list("abc"))
    y = np.array(["no", "yes", "perhaps"])[np.digitize(frame["a"] + frame["b"], [0.2] if classes == 2 else [-0.4, 0.4])]
    model = ab.TableClassifier("fast", random_state=0).fit(frame, y)
    found, values = reasons(model, frame[:20], frame[20:], top=2)
    p = model.predict_proba(frame[:20])
    usual = {one.prediction: one.usual for one in found}
    assert sum(usual.values()) == pytest.approx(1.0)
    for row, one in enumerate(found):
        assert one.prediction == model.predict(frame[row : row + 1])[0]
        assert one.probability == pytest.approx(p[row, list(model.classes_).index(one.prediction)])
        own = values.of(one.prediction)[0][row]
        for some, sign in ((one.speaking_for, 1), (one.against, -1)):
            expected = sorted((sign * value for value in own if sign * value >= 0.005), reverse=True)[:2]
            np.testing.assert_allclose([sign * reason.log_odds for reason in some], expected)
            for reason in some:
                assert reason.cell == frame[reason.column][row]


def test_words():
    assert str(Reason("age", 54.0, np.log(3))) == "age = 54 (odds x 3)"
    assert str(Reason("kind", None, np.log(0.25))) == "kind = missing (odds x 0.25)"
    assert str(Reason("share", 0.123456, 0.0)) == "share = 0.1235 (odds x 1)"
