"""Table models in files: to the bit, and nothing that is damaged."""

import numpy as np
import pandas as pd
import pytest

import agnoboost as ab
from agnoboost.files.container import ModelFileError, read, write


def problem(rows, classes, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(rows, 3)), columns=list("abc"))
    frame["kind"] = pd.Categorical(rng.choice(list("stuvwxyz"), rows))
    frame.loc[::7, "a"] = np.nan
    score = frame["b"] + 1.0 * frame["kind"].isin(["s", "u", "x", "z"]) + 0.3 * rng.normal(size=rows)
    return frame, np.digitize(score, [0.3] if classes == 2 else [-0.3, 0.9])


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("rows", [150, 2_000])
def test_models_come_back_to_the_bit(rows, classes, tmp_path):
    frame, y = problem(rows, classes)
    costs = {0: 1, 1: 3} if classes == 2 else False
    model = ab.TableClassifier(random_state=0, effort="fast", tune_threshold=costs).fit(frame, y)
    model.save(tmp_path / "m.agno")
    back = ab.load(tmp_path / "m.agno")
    assert type(back) is ab.TableClassifier
    fresh, _ = problem(400, classes, seed=1)
    np.testing.assert_array_equal(back.predict_proba(fresh), model.predict_proba(fresh))
    np.testing.assert_array_equal(back.decision_function(fresh), model.decision_function(fresh))
    np.testing.assert_array_equal(back.oob_decision_function_, model.oob_decision_function_)
    np.testing.assert_array_equal(back.predict(fresh), model.predict(fresh))
    assert back.weights_ == model.weights_
    assert back.get_params() == model.get_params()
    assert (back.n_labeled_, back.n_unlabeled_) == (model.n_labeled_, model.n_unlabeled_)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    frame, y = problem(150, 2)
    path = tmp_path_factory.mktemp("table") / "m.agno"
    ab.TableClassifier(random_state=0).fit(frame, y).save(path)
    return read(path)


def shorter(name):
    def change(facts, arrays):
        arrays[name] = arrays[name][..., :-1]

    return change


def without(name):
    def change(facts, arrays):
        del arrays[name]

    return change


def fact(name, value):
    def change(facts, arrays):
        assert name in facts
        facts[name] = value

    return change


def node(name, value):
    def change(facts, arrays):
        arrays[f"problem0/forest/{name}"] = arrays[f"problem0/forest/{name}"].copy()
        arrays[f"problem0/forest/{name}"][0] = value

    return change


def other_kernel(facts, arrays):
    facts["sums"] = [[{**one, "kind": "cosine"} for one in facts["sums"][0]]]


DAMAGE = {
    "no curves": without("problem0/curves"),
    "curves of too few bins": shorter("problem0/curves"),
    "no trees": without("problem0/forest/child"),
    "too few nodes": shorter("problem0/forest/value"),
    "another feature": node("feature", 9),
    "a child out of the tree": node("child", 10**6),
    "a value that is none": node("value", np.nan),
    "too few coefficients": shorter("problem0/sum0/coefficients"),
    "no coefficients": without("problem0/sum0/coefficients"),
    "too few rows of scores": without("scores/3"),
    "no ranks of categories": without("ranks/3"),
    "no bins": fact("bins", {"cuts": [], "categorical": []}),
    "no weights": fact("weights", []),
    "slopes of two problems": fact("slopes", [1.0, 2.0]),
    "gaps of too few columns": fact("missing", [True]),
    "sizes of other columns": fact("sizes", {"1": 3}),
    "categories of other columns": fact("sizes", {}),
    "another kernel": other_kernel,
    "a later layout": fact("layout", 99),
}


@pytest.mark.parametrize("change", DAMAGE.values(), ids=DAMAGE)
def test_damaged_files_are_refused(change, saved, tmp_path):
    facts, arrays = saved
    facts, arrays = dict(facts), dict(arrays)
    write(tmp_path / "whole.agno", facts, arrays)
    ab.load(tmp_path / "whole.agno")
    change(facts, arrays)
    write(tmp_path / "damaged.agno", facts, arrays)
    with pytest.raises(ModelFileError):
        ab.load(tmp_path / "damaged.agno")


def test_kernels_of_another_width_are_refused(saved, tmp_path):
    facts, arrays = saved
    wide = next(name for name in arrays if name.endswith("/rows"))
    write(tmp_path / "m.agno", facts, {**arrays, wide: arrays[wide][:, :-1]})
    with pytest.raises(ModelFileError, match="kernel models"):
        ab.load(tmp_path / "m.agno")


def test_a_model_of_huge_numbers_can_be_saved(tmp_path):
    X = np.array([[-9.9e307], [1.5e300], [9.9e307]])
    model = ab.TableClassifier(effort="fast", random_state=0).fit(X, ["a", "b", "b"])
    model.save(tmp_path / "model.agno")
    assert np.array_equal(ab.load(tmp_path / "model.agno").predict_proba(X), model.predict_proba(X))
